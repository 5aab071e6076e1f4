//! Builds a data set graph by graph, from words: what every reader and every other way in share.
//!
//! Promise: label ids and classes are ranks over the graphs that are kept (design section 4), whatever their order;
//! the wishes of [`ReadOptions`] about edge labels, names, hydrogens, repair, targets and tasks are
//! fulfilled here, once for all formats. Knows nothing of files but their names.
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

use super::interner::Interner;
use super::vocabulary::Vocabulary;
use super::{Attributes, Dataset, Origin, Repaired, Skipped, Target};
use crate::read::ReadError;
use crate::read::names::{read_names, read_vertex_names};
use crate::read::options::{EdgeLabels, Hydrogens, OnBadTarget, ReadOptions};
use crate::read::target::{Column, MISSING, TargetKind};
use einsicht_graph::{Graph, GraphBuilder, GraphError, Label, VertexId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Token of all edges where the source has no edge labels, or they are ignored.
pub(crate) const NO_LABEL: &str = "";
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
    /// What errors call the source.
    path: PathBuf,
    /// What the data set will say it was read from.
    source: PathBuf,
    vertex_words: Interner,
    edge_words: Interner,
    /// How many of the words above were declared: they stay even if no graph uses them, and no others may come.
    declared_vertices: Option<usize>,
    declared_edges: Option<usize>,
    /// Names that the source gives, by word.
    vertex_names: BTreeMap<String, String>,
    edge_names: BTreeMap<String, String>,
    /// Whether the names of the options are among those above.
    names_are_read: bool,
    graphs: Vec<Graph>,
    ids: Vec<String>,
    origins: Vec<Origin>,
    columns: Vec<Column>,
    attribute_columns: Option<usize>,
    attributes: Vec<Box<[f64]>>,
    skipped: Vec<Skipped>,
    repaired: Repaired,
    current: Option<Current>,
}

/// Whether vertex labels have names.
pub(crate) enum LabelNames {
    /// Nobody wants to know, or there is no label.
    Unasked,
    /// At least one of them has.
    Present,
    /// All are numbers, these.
    Missing(Vec<String>),
}

/// The graph that is being built.
#[derive(Clone, Debug)]
struct Current {
    builder: GraphBuilder,
    origin: Origin,
    id: String,
    cells: Vec<u32>,
    attributes: Vec<f64>,
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
            attributes: Vec::new(),
            skipped: Vec::new(),
            repaired: Repaired::default(),
            current: None,
        }
    }

    /// Adds a target. All are added before the first graph.
    pub fn add_target(&mut self, name: &str, kind: TargetKind) -> TargetSlot {
        self.columns.push(Column::new(name, kind));
        TargetSlot(self.columns.len() - 1)
    }

    /// Says that these labels, and no others, exist, even if no graph uses them. Comes before the first graph.
    pub fn declare_labels(&mut self, vertices: Option<&[String]>, edges: Option<&[String]>) {
        self.declared_vertices = vertices.map(|words| self.vertex_words.intern_all(words));
        if self.options.edge_labels != EdgeLabels::Ignore {
            self.declared_edges = edges.map(|words| self.edge_words.intern_all(words));
        }
    }

    /// The first label or class of the graph that was begun that is none of those declared, and what it is.
    pub fn undeclared(&self) -> Option<(&'static str, &str)> {
        self.current.as_ref()?.undeclared.as_ref().map(|(what, word)| (*what, word.as_str()))
    }

    /// Gives labels the names that the source has for them; those that the options give win.
    pub fn name_labels(&mut self, vertices: BTreeMap<String, String>, edges: BTreeMap<String, String>) {
        (self.vertex_names, self.edge_names) = (vertices, edges);
    }

    /// Gives classes names.
    pub fn name_classes(&mut self, target: TargetSlot, names: BTreeMap<String, String>) {
        self.columns[target.0].names = names;
    }

    /// Says where the data come from, if that is not the file that is read.
    pub fn set_source(&mut self, source: PathBuf) {
        self.source = source;
    }

    /// Says how many attributes every vertex has. Comes before the first graph.
    pub fn set_attribute_columns(&mut self, columns: usize) {
        self.attribute_columns = Some(columns);
    }

    /// Starts a graph. One that was begun and not ended is forgotten.
    pub fn begin(&mut self, origin: Origin, id: &str) {
        self.current = Some(Current {
            builder: Graph::builder(),
            origin,
            id: id.to_owned(),
            cells: vec![MISSING; self.columns.len()],
            attributes: Vec::new(),
            repaired: Repaired::default(),
            undeclared: None,
        });
    }

    /// Whether a graph was begun and not ended.
    pub fn is_open(&self) -> bool {
        self.current.is_some()
    }

    /// The graph that was begun.
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

    /// Adds an edge. Under `repair`, a self loop or double edge is counted and forgotten.
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

    /// Adds the attributes of one vertex or of all, vertex after vertex.
    pub fn attributes(&mut self, values: &[f64]) {
        self.current().attributes.extend_from_slice(values);
    }

    /// Sets a target of the graph; an empty word is a missing value.
    pub fn value(&mut self, target: TargetSlot, word: &str) {
        let cell = self.columns[target.0].cell(word);
        self.check_declared("a class", word, cell, self.columns[target.0].declared());
        self.current().cells[target.0] = cell;
    }

    /// Counts what was repaired elsewhere: in the graph that was begun, if there is one.
    pub fn add_repaired(&mut self, repaired: Repaired) {
        match &mut self.current {
            Some(current) => current.repaired += repaired,
            None => self.repaired += repaired,
        }
    }

    /// Adds a row that was left out elsewhere.
    pub fn add_skipped(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
    }

    /// Ends the graph and keeps it.
    pub fn end(&mut self) {
        let Some(current) = self.current.take() else { return };
        self.graphs.push(current.builder.build());
        self.ids.push(current.id);
        self.origins.push(current.origin);
        for (column, cell) in self.columns.iter_mut().zip(current.cells) {
            column.cells.push(cell);
        }
        self.attributes.push(current.attributes.into());
        self.repaired += current.repaired;
    }

    /// Leaves a row out; a graph that was begun is forgotten.
    pub fn skip(&mut self, origin: Origin, reason: impl Into<String>) {
        self.current = None;
        self.skipped.push(Skipped { origin, reason: reason.into() });
    }

    /// Calls all graphs by their rows if some ids occur more than once.
    pub fn number_repeated_ids(&mut self) {
        let seen: BTreeSet<&String> = self.ids.iter().collect();
        if seen.len() < self.ids.len() {
            self.ids = self.origins.iter().map(|origin| origin.row.to_string()).collect();
        }
    }

    /// Whether no graph so far has a value of this target.
    pub fn is_missing_everywhere(&self, target: TargetSlot) -> bool {
        self.columns[target.0].cells.iter().all(|&cell| cell == MISSING)
    }

    /// Forgets all targets.
    pub fn remove_targets(&mut self) {
        self.columns.clear();
    }

    /// Number of rows so far: those that became graphs and those that were left out.
    pub fn num_rows(&self) -> usize {
        self.graphs.len() + self.skipped.len()
    }

    /// The rows so far as a data set of their own, which may have no graph; the builder starts anew with what the
    /// source declares. Ids are as the source has them. A graph that was begun and not ended is forgotten.
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
            source: self.source.clone(),
            names_are_read: true,
            ..Self::new(self.name.clone(), self.path.clone(), self.options)
        };
        std::mem::replace(self, fresh).build()
    }

    /// Whether any edge so far has a label.
    pub(crate) fn has_edge_labels(&self) -> bool {
        self.edge_words.words().iter().any(|word| &**word != NO_LABEL)
    }

    /// Ranks labels and classes, gives them their names and fulfils the other wishes. Ids become distinct.
    pub fn finish(mut self) -> Result<Dataset, ReadError> {
        let path = self.path.clone();
        if self.graphs.is_empty() {
            return Err(ReadError::NoGraphs { path, skipped: self.skipped.len() });
        }
        if self.options.edge_labels == EdgeLabels::Use && !self.has_edge_labels() {
            return Err(ReadError::NoEdgeLabels { path });
        }
        self.read_names()?;
        if let LabelNames::Missing(labels) = self.label_names() {
            return Err(ReadError::NamelessHydrogens { path, labels });
        }
        let mut dataset = self.build()?;
        dataset.ids = distinct(dataset.ids, &dataset.origins);
        Ok(dataset)
    }

    /// Whether the vertex labels of the graphs so far have names, which must be where hydrogens are to be dropped.
    pub(crate) fn label_names(&self) -> LabelNames {
        if self.options.hydrogens != Some(Hydrogens::Drop) {
            return LabelNames::Unasked;
        }
        // Labels of graphs that were skipped do not count.
        let mut is_used = vec![false; self.vertex_words.words().len()];
        for label in self.graphs.iter().flat_map(Graph::vertex_labels) {
            is_used[label.index()] = true;
        }
        let used = self.vertex_words.words().iter().zip(is_used).filter(|(_, is_used)| *is_used);
        let names: Vec<&str> = used.map(|(word, _)| self.name_of(word)).collect();
        match names.iter().all(|name| name.parse::<i64>().is_ok()) {
            _ if names.is_empty() => LabelNames::Unasked,
            true => LabelNames::Missing(names.into_iter().map(str::to_owned).collect()),
            false => LabelNames::Present,
        }
    }

    /// Names from files, once.
    pub(crate) fn read_names(&mut self) -> Result<(), ReadError> {
        if std::mem::replace(&mut self.names_are_read, true) {
            return Ok(());
        }
        if let Some(wish) = &self.options.vertex_names {
            self.vertex_names.extend(read_vertex_names(wish)?);
        }
        if let Some(path) = &self.options.edge_names {
            self.edge_names.extend(read_names(path)?);
        }
        Ok(())
    }

    fn name_of<'w>(&'w self, word: &'w str) -> &'w str {
        self.vertex_names.get(word).map_or(word, String::as_str)
    }

    fn build(mut self) -> Result<Dataset, ReadError> {
        if self.options.hydrogens == Some(Hydrogens::Drop) {
            self.drop_hydrogens();
        }
        let (mut vertex_labels, mut edge_labels) = self.rank();
        let targets = self.targets()?;
        vertex_labels.set_names(self.vertex_names);
        edge_labels.set_names(self.edge_names);
        let dataset = Dataset {
            name: self.name,
            source: self.source,
            graphs: self.graphs,
            ids: self.ids,
            origins: self.origins,
            vertex_labels,
            edge_labels,
            attributes: self.attribute_columns.map(|columns| Attributes { columns, values: self.attributes }),
            targets,
            skipped: self.skipped,
            repaired: self.repaired,
        };
        dataset.check();
        Ok(dataset)
    }

    fn targets(&mut self) -> Result<Vec<Target>, ReadError> {
        let columns = std::mem::take(&mut self.columns).into_iter();
        let targets = columns.map(|column| column.finish(&self.source, self.options.task, &self.origins)).collect();
        match self.options.on_bad_target {
            OnBadTarget::Stop => targets,
            OnBadTarget::LeaveOut => Ok(targets.unwrap_or_default()),
        }
    }

    /// Removes hydrogens that hang on another atom, as chemists leave them out of a drawing.
    fn drop_hydrogens(&mut self) {
        let shown: Vec<String> = self.vertex_words.words().iter().map(|word| self.name_of(word).to_owned()).collect();
        let is_hydrogen = |label: Label| shown[label.index()] == "H";
        let columns = self.attribute_columns.unwrap_or(0);
        for (graph, attributes) in self.graphs.iter_mut().zip(&mut self.attributes) {
            let keep: Vec<bool> = graph
                .vertices()
                .map(|v| {
                    let hangs = matches!(graph.neighbors(v), [only] if !is_hydrogen(only.vertex_label));
                    !(is_hydrogen(graph.vertex_label(v)) && hangs)
                })
                .collect();
            if keep.iter().all(|&keep| keep) {
                continue;
            }
            *graph = part_of(graph, &keep);
            let rows = attributes.chunks(columns.max(1)).zip(&keep);
            *attributes = rows.filter(|(_, keep)| **keep).flat_map(|(row, _)| row.iter().copied()).collect();
        }
    }

    /// Replaces the numbers of words by ranks among the words in use.
    fn rank(&mut self) -> (Vocabulary, Vocabulary) {
        let mut vertex_used = vec![false; self.vertex_words.words().len()];
        let mut edge_used = vec![false; self.edge_words.words().len()];
        vertex_used[..self.declared_vertices.unwrap_or(0)].fill(true);
        edge_used[..self.declared_edges.unwrap_or(0)].fill(true);
        for graph in &self.graphs {
            graph.vertex_labels().iter().for_each(|label| vertex_used[label.index()] = true);
            graph.edges().iter().for_each(|edge| edge_used[edge.label.index()] = true);
        }
        let vocabulary = |words: &Interner, used: &[bool]| {
            let words = words.words().iter().zip(used).filter(|(_, used)| **used);
            Vocabulary::from_tokens(words.map(|(word, _)| &**word))
        };
        let vertex_labels = vocabulary(&self.vertex_words, &vertex_used);
        let mut edge_labels = vocabulary(&self.edge_words, &edge_used);
        if edge_labels.is_empty() {
            edge_labels = Vocabulary::from_tokens([NO_LABEL]);
        }
        let ranks = |words: &Interner, vocabulary: &Vocabulary| -> Vec<Label> {
            words.words().iter().map(|word| vocabulary.label(word).unwrap_or_default()).collect()
        };
        let vertex_rank = ranks(&self.vertex_words, &vertex_labels);
        let edge_rank = ranks(&self.edge_words, &edge_labels);
        let is_identity = |rank: &[Label]| rank.iter().enumerate().all(|(word, label)| label.index() == word);
        if !is_identity(&vertex_rank) || !is_identity(&edge_rank) {
            for graph in &mut self.graphs {
                graph.map_labels(|label| vertex_rank[label.index()], |label| edge_rank[label.index()]);
            }
        }
        (vertex_labels, edge_labels)
    }
}

/// The part of a graph on the kept vertices.
fn part_of(graph: &Graph, keep: &[bool]) -> Graph {
    let mut builder = Graph::builder();
    let mut moved = vec![None; keep.len()];
    for vertex in graph.vertices().filter(|v| keep[v.index()]) {
        moved[vertex.index()] = builder.add_vertex(graph.vertex_label(vertex)).ok();
    }
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (moved[edge.from.index()], moved[edge.to.index()]) {
            let added = builder.add_edge(from, to, edge.label);
            debug_assert!(added.is_ok(), "a part of a simple graph is simple");
        }
    }
    builder.build()
}

/// Makes ids distinct: one that came before gets its row behind it, `name@7`.
fn distinct(ids: Vec<String>, origins: &[Origin]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut distinct = Vec::with_capacity(ids.len());
    for (mut id, origin) in ids.into_iter().zip(origins) {
        while !seen.insert(id.clone()) {
            id = format!("{id}@{}", origin.row);
        }
        distinct.push(id);
    }
    distinct
}
