//! Builds a data set graph by graph, from words: used by every format, and by Python.
//!
//! Promise: label ids and classes are ranks over the graphs that are kept, whatever their order; the [`ReadOptions`]
//! about edge labels, names, hydrogens, repair, targets and tasks are applied here, once for all formats. Knows nothing
//! of files but their names.
//!
//! ```
//! use einsicht_data::{DatasetBuilder, Origin, TargetKind, read::ReadOptions};
//! let options = ReadOptions::default();
//! let mut builder = DatasetBuilder::new("two atoms", "drawn by hand", &options);
//! let y = builder.add_target("y", TargetKind::Guess);
//! builder.begin(Origin { row: 0, line: 1 }, "first");
//! let (c, o) = (builder.vertex("C").unwrap(), builder.vertex("O").unwrap());
//! builder.edge(c, o, "double").unwrap();
//! builder.value(y, "1");
//! builder.end();
//! let dataset = builder.finish().unwrap();
//! assert_eq!(dataset.vertex_labels.tokens(), ["C", "O"]);
//! ```

mod finish;
mod properties;

pub(crate) use finish::LabelNames;
pub use properties::PropertySlot;

use crate::dataset::features::{FeatureColumn, FeatureError};
use crate::dataset::interner::Interner;
use crate::dataset::{Dataset, NO_LABEL, Origin, Repaired, Skipped};
use crate::read::ReadError;
use crate::read::options::{EdgeLabels, OnBad, ReadOptions};
use crate::read::target::{Column, MISSING, TargetKind};
use crate::reading::Reading;
use einsicht_graph::{Graph, GraphBuilder, GraphError, Label, VertexId};
use properties::PropertyWords;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Token of all vertices where the source has no vertex labels.
pub(crate) const ANY_VERTEX: &str = "*";

/// A target that was added to a builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetSlot(usize);

/// Collects graphs; labels and targets are words until [`DatasetBuilder::finish`].
#[derive(Clone, Debug)]
pub struct DatasetBuilder<'a> {
    options: &'a ReadOptions,
    name: String,
    /// Name of the source in errors.
    path: PathBuf,
    /// Source of the data set.
    source: PathBuf,
    vertex_words: Interner,
    edge_words: Interner,
    /// Number of declared words among those above: they stay even if no graph uses them, and no others may follow.
    declared_vertices: Option<usize>,
    declared_edges: Option<usize>,
    /// Names that the source has, by word.
    vertex_names: BTreeMap<String, String>,
    edge_names: BTreeMap<String, String>,
    /// Whether the names of the options are among those above.
    names_are_read: bool,
    graphs: Vec<Graph>,
    ids: Vec<String>,
    origins: Vec<Origin>,
    columns: Vec<Column>,
    attribute_columns: Option<usize>,
    /// Coordinates among the attributes, where the source names them.
    coordinates: Option<Vec<usize>>,
    attributes: Vec<Box<[f64]>>,
    features: Vec<FeatureColumn>,
    properties: Vec<PropertyWords>,
    declared_properties: bool,
    skipped: Vec<Skipped>,
    repaired: Repaired,
    reading: Reading,
    current: Option<Current>,
}

/// The graph that is being built.
#[derive(Clone, Debug)]
struct Current {
    builder: GraphBuilder,
    origin: Origin,
    id: String,
    cells: Vec<u32>,
    attributes: Vec<f64>,
    /// One number per feature; 0 until it is set.
    features: Vec<f64>,
    /// Words of the properties of the vertices, by property.
    properties: Vec<Vec<Option<u32>>>,
    repaired: Repaired,
    undeclared: Option<(&'static str, String)>,
}

impl<'a> DatasetBuilder<'a> {
    /// Starts an empty data set.
    pub fn new(name: impl Into<String>, source: impl Into<PathBuf>, options: &'a ReadOptions) -> Self {
        let path = source.into();
        Self {
            options,
            name: name.into(),
            source: path.clone(),
            path,
            vertex_words: Interner::default(),
            edge_words: Interner::default(),
            declared_vertices: None,
            declared_edges: None,
            vertex_names: BTreeMap::new(),
            edge_names: BTreeMap::new(),
            names_are_read: false,
            graphs: Vec::new(),
            ids: Vec::new(),
            origins: Vec::new(),
            columns: Vec::new(),
            attribute_columns: None,
            coordinates: None,
            attributes: Vec::new(),
            features: Vec::new(),
            properties: Vec::new(),
            declared_properties: false,
            skipped: Vec::new(),
            repaired: Repaired::default(),
            reading: Reading::of_labelled(options),
            current: None,
        }
    }

    /// Adds a target. All are added before the first graph.
    pub fn add_target(&mut self, name: &str, kind: TargetKind) -> TargetSlot {
        self.columns.push(Column::new(name, kind));
        TargetSlot(self.columns.len() - 1)
    }

    /// Declares the labels: these and no others exist, even if no graph uses them. Comes before the first graph.
    pub(crate) fn declare_labels(&mut self, vertices: Option<&[String]>, edges: Option<&[String]>) {
        self.declared_vertices = vertices.map(|words| self.vertex_words.intern_all(words));
        if self.options.edge_labels != EdgeLabels::Ignore {
            self.declared_edges = edges.map(|words| self.edge_words.intern_all(words));
        }
    }

    /// The first undeclared label or class of the current graph, and its kind.
    pub(crate) fn undeclared(&self) -> Option<(&'static str, &str)> {
        self.current.as_ref()?.undeclared.as_ref().map(|(what, word)| (*what, word.as_str()))
    }

    /// Names the labels as the source does; names from the options have precedence.
    pub(crate) fn name_labels(&mut self, vertices: BTreeMap<String, String>, edges: BTreeMap<String, String>) {
        (self.vertex_names, self.edge_names) = (vertices, edges);
    }

    pub(crate) fn name_classes(&mut self, target: TargetSlot, names: BTreeMap<String, String>) {
        self.columns[target.0].names = names;
    }

    /// Says that the graphs are molecules, of a format that drops hydrogens unless it is asked to keep them.
    pub(crate) fn set_molecules(&mut self) {
        self.reading = Reading::of_molecules(self.options);
    }

    /// Sets how the graphs were read, if the options do not say all of it.
    pub fn set_reading(&mut self, reading: Reading) {
        self.reading = reading;
    }

    /// Sets the source of the data, if it is not the file that is read.
    pub(crate) fn set_source(&mut self, source: PathBuf) {
        self.source = source;
    }

    /// Sets the number of attributes of every vertex. Comes before the first graph.
    pub fn set_attribute_columns(&mut self, columns: usize) {
        self.attribute_columns = Some(columns);
    }

    /// Sets the features of every graph, by name. Comes before the first graph.
    pub fn set_features(&mut self, names: impl IntoIterator<Item = impl AsRef<str>>) {
        self.features = names.into_iter().map(|name| FeatureColumn::new(name.as_ref())).collect();
    }

    /// Names the attributes that are coordinates; without it the values decide.
    pub(crate) fn set_coordinates(&mut self, columns: Option<Vec<usize>>) {
        self.coordinates = columns;
    }

    /// Begins a graph. One that was begun and not ended is discarded.
    pub fn begin(&mut self, origin: Origin, id: &str) {
        self.current = Some(Current {
            builder: Graph::builder(),
            origin,
            id: id.to_owned(),
            cells: vec![MISSING; self.columns.len()],
            attributes: Vec::new(),
            features: vec![0.0; self.features.len()],
            properties: vec![Vec::new(); self.properties.len()],
            repaired: Repaired::default(),
            undeclared: None,
        });
    }

    fn current(&mut self) -> &mut Current {
        self.current.as_mut().expect("a graph was begun")
    }

    /// Adds a vertex; they count from 0.
    ///
    /// # Panics
    /// This and all below: if no graph was begun.
    pub fn vertex(&mut self, label: &str) -> Result<u32, GraphError> {
        let word = self.vertex_words.intern(label);
        self.check_declared("a vertex label", label, word, self.declared_vertices);
        let label = Label(word);
        self.current().builder.add_vertex(label).map(|vertex| vertex.0)
    }

    /// Number of vertices of the graph so far.
    pub fn num_vertices(&mut self) -> usize {
        self.current().builder.num_vertices()
    }

    /// Adds an edge. With `repair`, a self loop or double edge is counted and left out.
    pub fn edge(&mut self, from: u32, to: u32, label: &str) -> Result<(), GraphError> {
        let ignore = self.options.edge_labels == EdgeLabels::Ignore;
        let label = if ignore { NO_LABEL } else { label };
        let word = self.edge_words.intern(label);
        self.check_declared("an edge label", label, word, self.declared_edges);
        let label = Label(word);
        let repair = self.options.repair;
        let current = self.current();
        match current.builder.add_edge(VertexId(from), VertexId(to), label) {
            Ok(_) => Ok(()),
            Err(GraphError::SelfLoop { .. }) if repair => {
                current.repaired.self_loops += 1;
                Ok(())
            }
            Err(GraphError::DoubleEdge { .. }) if repair => {
                current.repaired.double_edges += 1;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn check_declared(&mut self, what: &'static str, word: &str, number: u32, declared: Option<usize>) {
        if declared.is_some_and(|declared| number as usize >= declared) {
            self.current().undeclared.get_or_insert_with(|| (what, word.to_owned()));
        }
    }

    /// Adds the attributes of one vertex or of all, vertex by vertex.
    pub fn attributes(&mut self, values: &[f64]) {
        self.current().attributes.extend_from_slice(values);
    }

    /// Sets a feature of the graph by its number.
    pub fn feature(&mut self, at: usize, word: &str) -> Result<(), FeatureError> {
        let value = self.features[at].parse(word)?;
        self.current().features[at] = value;
        Ok(())
    }

    /// Sets a target of the graph; an empty word is a missing value.
    pub fn value(&mut self, target: TargetSlot, word: &str) {
        let cell = self.columns[target.0].cell(word);
        self.check_declared("a class", word, cell, self.columns[target.0].declared());
        self.current().cells[target.0] = cell;
    }

    /// Counts repairs made elsewhere: in the current graph, if there is one.
    pub(crate) fn add_repaired(&mut self, repaired: Repaired) {
        match &mut self.current {
            Some(current) => current.repaired += repaired,
            None => self.repaired += repaired,
        }
    }

    /// Adds a row that was skipped elsewhere.
    pub(crate) fn add_skipped(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
    }

    /// Ends the graph and keeps it.
    pub fn end(&mut self) {
        let Some(current) = self.current.take() else { return };
        let num_vertices = current.builder.num_vertices();
        self.graphs.push(current.builder.build());
        self.ids.push(current.id);
        self.origins.push(current.origin);
        for (column, cell) in self.columns.iter_mut().zip(current.cells) {
            column.cells.push(cell);
        }
        self.attributes.push(current.attributes.into());
        for (column, value) in self.features.iter_mut().zip(current.features) {
            column.values.push(value);
        }
        for (column, cells) in self.properties.iter_mut().zip(current.properties) {
            column.push(cells, num_vertices);
        }
        self.repaired += current.repaired;
    }

    /// Skips a row; the current graph is discarded. With [`OnBad::Nan`] a graph without vertices takes its place.
    pub fn skip(&mut self, origin: Origin, reason: impl Into<String>) {
        self.current = None;
        self.skipped.push(Skipped { origin, reason: reason.into() });
        if self.options.on_bad == OnBad::Nan {
            self.begin(origin, &origin.row.to_string());
            self.end();
        }
    }

    /// Names all graphs by their rows if some ids occur more than once.
    pub(crate) fn number_repeated_ids(&mut self) {
        let seen: BTreeSet<&String> = self.ids.iter().collect();
        if seen.len() < self.ids.len() {
            self.ids = self.origins.iter().map(|origin| origin.row.to_string()).collect();
        }
    }

    /// Whether no graph so far has a value of this target.
    pub(crate) fn is_missing_everywhere(&self, target: TargetSlot) -> bool {
        self.columns[target.0].cells.iter().all(|&cell| cell == MISSING)
    }

    pub(crate) fn remove_targets(&mut self) {
        self.columns.clear();
    }

    /// Number of rows so far: graphs and skipped rows.
    pub fn num_rows(&self) -> usize {
        self.graphs.len() + self.skipped.len()
    }

    /// The rows so far as a separate data set, which may have no graph; the builder restarts with what the source
    /// declares. Ids are as the source has them. The current graph is discarded.
    pub(crate) fn take_part(&mut self) -> Result<Dataset, ReadError> {
        self.read_names()?;
        let fresh = Self {
            vertex_words: self.vertex_words.first(self.declared_vertices.unwrap_or(0)),
            edge_words: self.edge_words.first(self.declared_edges.unwrap_or(0)),
            vertex_names: self.vertex_names.clone(),
            edge_names: self.edge_names.clone(),
            columns: self.columns.iter().map(Column::emptied).collect(),
            declared_vertices: self.declared_vertices,
            declared_edges: self.declared_edges,
            attribute_columns: self.attribute_columns,
            coordinates: self.coordinates.clone(),
            features: self.features.iter().map(|column| FeatureColumn::new(&column.name)).collect(),
            properties: self.properties.iter().map(PropertyWords::emptied).collect(),
            declared_properties: self.declared_properties,
            source: self.source.clone(),
            names_are_read: true,
            reading: self.reading.clone(),
            ..Self::new(self.name.clone(), self.path.clone(), self.options)
        };
        std::mem::replace(self, fresh).build()
    }

    /// Whether any edge so far has a label.
    pub(crate) fn has_edge_labels(&self) -> bool {
        self.edge_words.words().iter().any(|word| &**word != NO_LABEL)
    }
}
