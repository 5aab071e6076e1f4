//! Reads our own JSON lines, one graph at a time. The lines themselves are described in [`crate::jsonl`].

use super::error::ReadError;
use super::lines::Lines;
use super::options::{OnBad, ReadOptions};
use super::set_name;
use super::target::Kind;
use crate::builder::{DatasetBuilder, TargetSlot};
use crate::dataset::{Dataset, Origin, Skipped};
use crate::jsonl::{Cell, GraphLine, Header, TargetKind, VERSION};
use std::path::Path;

/// Reads a file of JSON lines.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    parse(Lines::open(path)?, options)
}

/// Parses JSON lines.
pub fn parse(mut lines: Lines, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let header = read_header(&mut lines)?;
    let path = lines.path().to_owned();
    let mut builder = DatasetBuilder::new(header.name.unwrap_or_else(|| set_name(&path)), &path, options);
    builder.declare_labels(header.vertex_labels.as_deref(), header.edge_labels.as_deref());
    builder.name_labels(header.vertex_names, header.edge_names);
    if let Some(source) = header.source {
        builder.set_source(source);
    }
    if let Some(columns) = header.attributes {
        builder.set_attribute_columns(columns);
    }
    for skipped in header.skipped {
        let origin = Origin { row: skipped.row, line: skipped.line };
        builder.add_skipped(Skipped { origin, reason: skipped.reason });
    }
    builder.add_repaired(header.repaired);
    let names: Vec<String> = header.targets.iter().map(|target| target.name.clone()).collect();
    let all: Vec<usize> = (0..names.len()).collect();
    let mut slots = vec![None; names.len()];
    for at in options.targets.choose(&path, &names, &all)? {
        let target = &header.targets[at];
        let kind = match (target.kind, &target.classes) {
            (TargetKind::Numbers, _) => Kind::Numbers,
            (TargetKind::Classes, None) => Kind::Classes,
            (TargetKind::Classes, Some(classes)) => Kind::Declared(classes.clone()),
        };
        let slot = builder.add_target(&target.name, kind);
        builder.name_classes(slot, target.class_names.clone());
        slots[at] = Some(slot);
    }
    let mut parser = Parser { builder, slots, columns: header.attributes.unwrap_or(0), rows: 0 };
    while lines.advance()? {
        if lines.bytes().trim_ascii().is_empty() {
            continue;
        }
        let fallback = Origin { row: parser.rows, line: lines.number() };
        parser.rows += 1;
        match parser.graph(&lines, fallback) {
            Ok(()) => parser.builder.end(),
            Err(error) if options.on_bad == OnBad::Skip => parser.builder.skip(fallback, error.to_string()),
            Err(error) => return Err(error),
        }
    }
    parser.builder.finish()
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

struct Parser<'a> {
    builder: DatasetBuilder<'a>,
    /// Slot of each target of the header; none if it was not chosen.
    slots: Vec<Option<TargetSlot>>,
    columns: usize,
    rows: u32,
}

impl Parser<'_> {
    fn graph(&mut self, lines: &Lines, fallback: Origin) -> Result<(), ReadError> {
        let graph: GraphLine<'_> =
            serde_json::from_str(lines.text()?).map_err(|source| ReadError::Json { place: lines.place(), source })?;
        let origin = Origin { row: graph.row.unwrap_or(fallback.row), line: graph.line.unwrap_or(fallback.line) };
        let row = origin.row.to_string();
        self.builder.begin(origin, graph.id.as_ref().map_or(&row, |id| &id.0));
        let refused = |error| ReadError::from_graph(lines.place(), 0, &error);
        for label in &graph.vertices {
            self.builder.vertex(&label.0).map_err(refused)?;
        }
        for edge in &graph.edges {
            self.builder.edge(edge.from, edge.to, &edge.label.0).map_err(refused)?;
        }
        self.attributes(lines, &graph)?;
        self.targets(lines, &graph)?;
        match self.builder.undeclared() {
            Some((what, found)) => Err(ReadError::NotInHeader { place: lines.place(), what, found: found.to_owned() }),
            None => Ok(()),
        }
    }

    fn attributes(&mut self, lines: &Lines, graph: &GraphLine<'_>) -> Result<(), ReadError> {
        let wrong = |what, wanted, found| Err(ReadError::FieldCount { place: lines.place(), what, wanted, found });
        let wanted = if self.columns > 0 { graph.vertices.len() } else { 0 };
        if graph.attributes.len() != wanted {
            return wrong("vertices with attributes", wanted, graph.attributes.len());
        }
        for row in &graph.attributes {
            if row.len() != self.columns {
                return wrong("attributes of a vertex", self.columns, row.len());
            }
            self.builder.attributes(row);
        }
        Ok(())
    }

    fn targets(&mut self, lines: &Lines, graph: &GraphLine<'_>) -> Result<(), ReadError> {
        // A line without targets has none of them: that is how unlabelled graphs look.
        let (wanted, found) = (self.slots.len(), graph.targets.len());
        if found != wanted && found != 0 {
            return Err(ReadError::FieldCount { place: lines.place(), what: "targets", wanted, found });
        }
        for (slot, cell) in self.slots.iter().zip(&graph.targets) {
            let (Some(slot), Some(cell)) = (*slot, cell) else { continue };
            match cell {
                Cell::Word(word) => self.builder.value(slot, word),
                Cell::Number(number) => self.builder.value(slot, &number.to_string()),
            }
        }
        Ok(())
    }
}
