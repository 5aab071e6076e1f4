//! Reads our own JSON lines, one graph at a time. The lines themselves are described in [`crate::jsonl`].

use super::super::options::OnBad;
use super::super::target::TargetKind;
use super::super::target_columns::ChosenColumns;
use super::{Lines, ReadError, ReadOptions, Rows, TargetColumns, set_name};
use crate::dataset::{Origin, Skipped};
use crate::jsonl::{Cell, GraphLine, Header, KindWord, VERSION};
use crate::read::builder::{DatasetBuilder, TargetSlot};
use std::borrow::Cow;

/// The targets that the header lists.
pub(super) fn target_columns(mut lines: Lines) -> Result<TargetColumns, ReadError> {
    Ok(columns(&read_header(&mut lines)?))
}

/// Targets, then features, which are targets only by name.
fn columns(header: &Header) -> TargetColumns {
    let targets = header.targets.iter().map(|target| target.name.clone());
    TargetColumns::first_usual(targets.chain(header.features.iter().cloned()).collect(), header.targets.len())
}

/// Reads the header.
pub(super) fn start(mut lines: Lines, options: &ReadOptions) -> Result<(JsonRows<'_>, DatasetBuilder<'_>), ReadError> {
    let header = read_header(&mut lines)?;
    let path = lines.path().to_owned();
    let known = columns(&header);
    // Those of the header, unless somebody names others.
    let declared = (header.targets.len()..known.names().len()).filter(|_| options.features.is_empty());
    let ChosenColumns { targets: chosen, mut features } = known.choose(&path, options)?;
    features.extend(declared.filter(|at| !chosen.contains(at)));
    let mut builder = DatasetBuilder::new(header.name.unwrap_or_else(|| set_name(&path)), &path, options);
    builder.declare_labels(header.vertex_labels.as_deref(), header.edge_labels.as_deref());
    builder.name_labels(header.vertex_names, header.edge_names);
    builder.set_reading(header.reading.read_again(options));
    if let Some(source) = header.source {
        builder.set_source(source);
    }
    if let Some(columns) = header.attributes {
        builder.set_attribute_columns(columns);
        builder.set_coordinates(header.coordinates);
    }
    if let Some(properties) = &header.properties {
        builder.declare_properties(properties);
    }
    for skipped in header.skipped {
        let origin = Origin { row: skipped.row, line: skipped.line };
        builder.add_skipped(Skipped { origin, reason: skipped.reason });
    }
    builder.add_repaired(header.repaired);
    builder.set_features(features.iter().map(|&at| &known.names()[at]));
    let mut slots = vec![None; known.names().len()];
    for at in chosen {
        let Some(target) = header.targets.get(at) else {
            slots[at] = Some(builder.add_target(&known.names()[at], TargetKind::Numbers));
            continue;
        };
        let kind = match (target.kind, &target.classes) {
            (KindWord::Numbers, _) => TargetKind::Numbers,
            (KindWord::Classes, None) => TargetKind::Classes,
            (KindWord::Classes, Some(classes)) => TargetKind::Declared(classes.clone()),
        };
        let slot = builder.add_target(&target.name, kind);
        builder.name_classes(slot, target.class_names.clone());
        slots[at] = Some(slot);
    }
    let columns = header.attributes.unwrap_or(0);
    let parser = Parser { slots, targets: header.targets.len(), features, columns };
    Ok((JsonRows { lines, options, parser, next: 0 }, builder))
}

/// The graphs of a file of JSON lines.
pub(super) struct JsonRows<'a> {
    lines: Lines,
    options: &'a ReadOptions,
    parser: Parser,
    /// Row of the next line, unless it says otherwise.
    next: u32,
}

impl Rows for JsonRows<'_> {
    fn add(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<bool, ReadError> {
        if !self.lines.advance()? {
            return Ok(false);
        }
        if self.lines.bytes().trim_ascii().is_empty() {
            return Ok(true);
        }
        let fallback = Origin { row: self.next, line: self.lines.number() };
        self.next += 1;
        if !self.options.takes(fallback.row) {
            return Ok(true);
        }
        match self.parser.graph(builder, &self.lines, fallback) {
            Ok(()) => builder.end(),
            Err(error) if self.options.on_bad != OnBad::Stop => builder.skip(fallback, error.to_string()),
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}

/// The first line with text must be the header.
fn read_header(lines: &mut Lines) -> Result<Header, ReadError> {
    while lines.advance()? {
        let text = lines.text()?.trim();
        if text.is_empty() {
            continue;
        }
        // The version is looked at first: another version may have other fields.
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|source| ReadError::Json { place: lines.place(), source })?;
        match value.get("einsicht") {
            Some(version) if version.as_u64() == Some(VERSION) => {}
            found => {
                let found = found.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
                return Err(ReadError::Header { place: lines.place(), found });
            }
        }
        return serde_json::from_str(text).map_err(|source| ReadError::Json { place: lines.place(), source });
    }
    Err(ReadError::Header { place: lines.place(), found: "nothing".to_owned() })
}

/// What the header says that every line needs.
struct Parser {
    /// Slot of each target and feature of the header; none if it is no target.
    slots: Vec<Option<TargetSlot>>,
    /// Number of targets of the header.
    targets: usize,
    /// Positions of the features among the targets and features of the header.
    features: Vec<usize>,
    columns: usize,
}

impl Parser {
    fn graph(&self, builder: &mut DatasetBuilder<'_>, lines: &Lines, fallback: Origin) -> Result<(), ReadError> {
        let graph: GraphLine<'_> =
            serde_json::from_str(lines.text()?).map_err(|source| ReadError::Json { place: lines.place(), source })?;
        let origin = Origin { row: graph.row.unwrap_or(fallback.row), line: graph.line.unwrap_or(fallback.line) };
        let row = origin.row.to_string();
        builder.begin(origin, graph.id.as_ref().map_or(&row, |id| &id.0));
        let refused = |error| ReadError::from_graph(lines.place(), 0, &error);
        for label in &graph.vertices {
            builder.vertex(&label.0).map_err(refused)?;
        }
        for edge in &graph.edges {
            builder.edge(edge.from, edge.to, &edge.label.0).map_err(refused)?;
        }
        self.attributes(builder, lines, &graph)?;
        properties(builder, lines, &graph)?;
        self.targets(builder, lines, (&graph, origin.row))?;
        match builder.undeclared() {
            Some((what, found)) => Err(ReadError::NotInHeader { place: lines.place(), what, found: found.to_owned() }),
            None => Ok(()),
        }
    }

    fn attributes(
        &self,
        builder: &mut DatasetBuilder<'_>,
        lines: &Lines,
        graph: &GraphLine<'_>,
    ) -> Result<(), ReadError> {
        let wrong = |what, wanted, found| Err(ReadError::FieldCount { place: lines.place(), what, wanted, found });
        let wanted = if self.columns > 0 { graph.vertices.len() } else { 0 };
        if graph.attributes.len() != wanted {
            return wrong("vertices with attributes", wanted, graph.attributes.len());
        }
        for row in &graph.attributes {
            if row.len() != self.columns {
                return wrong("attributes of a vertex", self.columns, row.len());
            }
            builder.attributes(row);
        }
        Ok(())
    }

    fn targets(
        &self,
        builder: &mut DatasetBuilder<'_>,
        lines: &Lines,
        (graph, row): (&GraphLine<'_>, u32),
    ) -> Result<(), ReadError> {
        // A line without targets has none of them: that is how unlabelled graphs look.
        let (wanted, found) = (self.targets, graph.targets.len());
        if found != wanted && found != 0 {
            return Err(ReadError::FieldCount { place: lines.place(), what: "targets", wanted, found });
        }
        let (wanted, found) = (self.slots.len() - self.targets, graph.features.len());
        if found != wanted {
            return Err(ReadError::FieldCount { place: lines.place(), what: "features", wanted, found });
        }
        let cell = |at: usize| match at.checked_sub(self.targets) {
            None => graph.targets.get(at),
            Some(feature) => graph.features.get(feature),
        };
        for (at, slot) in self.slots.iter().enumerate() {
            if let (Some(slot), Some(Some(cell))) = (*slot, cell(at)) {
                builder.value(slot, &cell.word());
            }
        }
        for (number, &at) in self.features.iter().enumerate() {
            let word = cell(at).and_then(Option::as_ref).map_or(Cow::Borrowed(""), Cell::word);
            let added = builder.feature(number, &word);
            added.map_err(|source| ReadError::Feature { place: lines.place(), row, source })?;
        }
        Ok(())
    }
}

/// One value per vertex, or null.
fn properties(builder: &mut DatasetBuilder<'_>, lines: &Lines, graph: &GraphLine<'_>) -> Result<(), ReadError> {
    for (name, cells) in &graph.properties {
        let (wanted, found) = (graph.vertices.len(), cells.len());
        if found != wanted {
            return Err(ReadError::FieldCount { place: lines.place(), what: "values of a property", wanted, found });
        }
        let slot = builder.add_property(name);
        for (vertex, cell) in cells.iter().enumerate() {
            match cell {
                None => {}
                Some(cell) => builder.property(slot, vertex as u32, &cell.word()),
            }
        }
    }
    Ok(())
}
