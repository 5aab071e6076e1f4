//! Writes our own JSON lines: everything that a data set holds. The lines are described in [`crate::jsonl`].

use super::{Pending, WriteError};
use crate::dataset::properties::PropertyColumn;
use crate::dataset::{Dataset, TargetValues};
use crate::jsonl::{Cell, EdgeLine, GraphLine, Header, KindWord, SkippedLine, TargetLine, VERSION, Word};
use einsicht_graph::{Label, VertexId};
use flate2::{Compression, write::GzEncoder};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file, gzipped if its name ends in `.gz`. It gets its name when it is complete, so that a failure
/// never leaves half a file or destroys an earlier one.
pub fn write_jsonl(dataset: &Dataset, path: &Path) -> Result<(), WriteError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| WriteError::Io { path, source }
    };
    let mut pending = Pending::create(path).map_err(failed(path))?;
    let file = BufWriter::new(pending.file());
    let gzip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let written = if gzip {
        let mut encoder = GzEncoder::new(file, Compression::default());
        to_jsonl(dataset, &mut encoder).and_then(|()| encoder.finish()?.flush())
    } else {
        let mut file = file;
        to_jsonl(dataset, &mut file).and_then(|()| file.flush())
    };
    written.and_then(|()| pending.commit()).map_err(failed(path))
}

/// Writes the lines.
pub fn to_jsonl(dataset: &Dataset, output: &mut impl Write) -> io::Result<()> {
    line(output, &header(dataset))?;
    for at in 0..dataset.len() {
        line(output, &graph(dataset, at))?;
    }
    Ok(())
}

fn line(output: &mut impl Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    output.write_all(b"\n")
}

fn header(dataset: &Dataset) -> Header {
    let targets = dataset.targets.iter().map(|target| match &target.values {
        TargetValues::Classes { classes, .. } => TargetLine {
            name: target.name.clone(),
            kind: KindWord::Classes,
            classes: Some(classes.tokens().to_vec()),
            class_names: classes.names().clone(),
        },
        TargetValues::Numbers { .. } => TargetLine {
            name: target.name.clone(),
            kind: KindWord::Numbers,
            classes: None,
            class_names: BTreeMap::new(),
        },
    });
    let skipped = dataset.skipped.iter().map(|skipped| SkippedLine {
        row: skipped.origin.row,
        line: skipped.origin.line,
        reason: skipped.reason.clone(),
    });
    Header {
        einsicht: VERSION,
        name: Some(dataset.name.clone()),
        source: Some(dataset.source.clone()),
        vertex_labels: Some(dataset.vertex_labels.tokens().to_vec()),
        vertex_names: dataset.vertex_labels.names().clone(),
        edge_labels: Some(dataset.edge_labels.tokens().to_vec()),
        edge_names: dataset.edge_labels.names().clone(),
        reading: dataset.reading.clone(),
        attributes: dataset.attributes.as_ref().map(|attributes| attributes.columns),
        coordinates: dataset.attributes.as_ref().and_then(|attributes| {
            (attributes.coordinates != attributes.detect(&dataset.graphs)).then(|| attributes.coordinates.clone())
        }),
        properties: (!dataset.properties.is_empty())
            .then(|| dataset.properties.iter().map(|column| (column.name.clone(), column.tokens().to_vec())).collect()),
        features: dataset.features.iter().map(|column| column.name.clone()).collect(),
        targets: targets.collect(),
        skipped: skipped.collect(),
        repaired: dataset.repaired,
    }
}

fn graph(dataset: &Dataset, at: usize) -> GraphLine<'_> {
    let graph = &dataset.graphs[at];
    let word = |word| Word(Cow::Borrowed(word));
    let edge = |edge: &einsicht_graph::Edge| {
        let (VertexId(from), VertexId(to)) = (edge.from, edge.to);
        EdgeLine { from, to, label: word(dataset.edge_labels.token(edge.label)) }
    };
    let attributes = dataset.attributes.as_ref().map(|attributes| {
        let rows = attributes.values[at].chunks(attributes.columns.max(1));
        rows.map(<[f64]>::to_vec).collect()
    });
    let targets = dataset.targets.iter().map(|target| match &target.values {
        TargetValues::Classes { classes, values } => {
            values[at].map(|class| Cell::Word(Cow::Borrowed(classes.token(Label(class)))))
        }
        TargetValues::Numbers { values } => values[at].map(Cell::Number),
    });
    GraphLine {
        id: Some(word(&dataset.ids[at])),
        row: Some(dataset.origins[at].row),
        line: Some(dataset.origins[at].line),
        vertices: graph.vertex_labels().iter().map(|&label| word(dataset.vertex_labels.token(label))).collect(),
        edges: graph.edges().iter().map(edge).collect(),
        attributes: attributes.unwrap_or_default(),
        properties: properties(dataset, at),
        features: dataset.features.iter().map(|column| Some(Cell::Number(column.values[at]))).collect(),
        targets: targets.collect(),
    }
}

/// The properties that a vertex of the graph has.
fn properties(dataset: &Dataset, at: usize) -> BTreeMap<Cow<'_, str>, Vec<Option<Cell<'_>>>> {
    let cell = |token: &'_ str| match token.parse::<i64>() {
        Ok(number) if number.to_string() == token => Cell::Whole(number),
        _ => Cell::Word(Cow::Owned(token.to_owned())),
    };
    let vertices = dataset.graphs[at].num_vertices();
    let columns = dataset.properties.iter().filter(|column| !column.is_empty_at(at));
    let cells = |column: &PropertyColumn| (0..vertices).map(|vertex| column.token(at, vertex).map(cell)).collect();
    columns.map(|column| (Cow::Borrowed(column.name.as_str()), cells(column))).collect()
}
