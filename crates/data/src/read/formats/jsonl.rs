//! Reads our own JSON lines, one graph at a time. The lines themselves are described in [`crate::jsonl`].

use super::super::options::OnBad;
use super::super::target::TargetKind;
use super::{Lines, ReadError, ReadOptions, Rows, TargetColumns, set_name};
use crate::dataset::builder::{DatasetBuilder, TargetSlot};
use crate::dataset::{Origin, Skipped};
use crate::jsonl::{Cell, GraphLine, Header, KindWord, VERSION};

/// The targets that the header lists.
pub(super) fn target_columns(mut lines: Lines) -> Result<TargetColumns, ReadError> {
    Ok(columns(&read_header(&mut lines)?))
}

fn columns(header: &Header) -> TargetColumns {
    TargetColumns::all_usual(header.targets.iter().map(|target| target.name.clone()).collect())
}

/// Reads the header.
pub(super) fn start(mut lines: Lines, options: &ReadOptions) -> Result<(JsonRows<'_>, DatasetBuilder<'_>), ReadError> {
    let header = read_header(&mut lines)?;
    let path = lines.path().to_owned();
    let chosen = columns(&header).choose(&path, &options.targets)?;
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
    let mut slots = vec![None; header.targets.len()];
    for at in chosen {
        let target = &header.targets[at];
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
    Ok((JsonRows { lines, options, parser: Parser { slots, columns }, next: 0 }, builder))
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
    /// Slot of each target of the header; none if it was not chosen.
    slots: Vec<Option<TargetSlot>>,
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
        self.targets(builder, lines, &graph)?;
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

    fn targets(&self, builder: &mut DatasetBuilder<'_>, lines: &Lines, graph: &GraphLine<'_>) -> Result<(), ReadError> {
        // A line without targets has none of them: that is how unlabelled graphs look.
        let (wanted, found) = (self.slots.len(), graph.targets.len());
        if found != wanted && found != 0 {
            return Err(ReadError::FieldCount { place: lines.place(), what: "targets", wanted, found });
        }
        for (slot, cell) in self.slots.iter().zip(&graph.targets) {
            let (Some(slot), Some(cell)) = (*slot, cell) else { continue };
            match cell {
                Cell::Word(word) => builder.value(slot, word),
                Cell::Number(number) => builder.value(slot, &number.to_string()),
                Cell::Whole(number) => builder.value(slot, &number.to_string()),
            }
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
                Some(Cell::Word(word)) => builder.property(slot, vertex as u32, word),
                Some(Cell::Number(number)) => builder.property(slot, vertex as u32, &number.to_string()),
                Some(Cell::Whole(number)) => builder.property(slot, vertex as u32, &number.to_string()),
            }
        }
    }
    Ok(())
}
