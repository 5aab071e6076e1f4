//! Builds a data set graph by graph, from words: what every reader and every other way in share.
//!
//! Promise: label ids and classes are ranks over the graphs that are kept (design section 4), whatever their order;
//! the wishes of [`ReadOptions`] about edge labels, names, hydrogens, repair, targets and tasks are
//! fulfilled here, once for all formats. Knows nothing of files but their names.
//!
//! ```
//! use einsicht_data::{DatasetBuilder, Kind, Origin, read::ReadOptions};
//! let options = ReadOptions::default();
//! let mut builder = DatasetBuilder::new("two atoms", "drawn by hand", &options);
//! let y = builder.add_target("y", Kind::Guess);
//! builder.begin(Origin { row: 0, line: 1 }, "first");
//! let (c, o) = (builder.vertex("C").unwrap(), builder.vertex("O").unwrap());
//! builder.edge(c, o, "double").unwrap();
//! builder.value(y, "1");
//! builder.end();
//! let dataset = builder.finish().unwrap();
//! assert_eq!(dataset.vertex_labels.tokens(), ["C", "O"]);
//! ```

use crate::dataset::{Attributes, Dataset, Origin, Repaired, Skipped};
use crate::interner::Interner;
use crate::read::error::ReadError;
use crate::read::names::{read_names, vertex_names};
use crate::read::options::{EdgeLabels, Hydrogens, ReadOptions};
use crate::read::target::{Column, Kind, MISSING};
use crate::vocabulary::Vocabulary;
use einsicht_graph::{Graph, GraphBuilder, GraphError, Label, VertexId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Token of all edges where the source has no edge labels, or they are ignored.
pub const NO_LABEL: &str = "";
/// Token of all vertices where the source has no vertex labels.
pub const ANY_VERTEX: &str = "*";

/// A target that was added to a builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetSlot(usize);

/// Collects graphs; labels and targets are words until [`DatasetBuilder::finish`].
#[derive(Clone, Debug)]
pub struct DatasetBuilder<'a> {
    options: &'a ReadOptions,
    name: String,
    source: PathBuf,
    vertex_words: Interner,
    edge_words: Interner,
    /// How many of the words above were declared and therefore stay even if no graph uses them.
    declared: (usize, usize),
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

/// The graph that is being built.
#[derive(Clone, Debug)]
struct Current {
    builder: GraphBuilder,
    origin: Origin,
    id: String,
    cells: Vec<u32>,
    attributes: Vec<f64>,
    repaired: Repaired,
}

impl<'a> DatasetBuilder<'a> {
    /// Starts an empty data set.
    pub fn new(name: impl Into<String>, source: impl Into<PathBuf>, options: &'a ReadOptions) -> Self {
        Self {
            options,
            name: name.into(),
            source: source.into(),
            vertex_words: Interner::default(),
            edge_words: Interner::default(),
            declared: (0, 0),
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
    pub fn add_target(&mut self, name: &str, kind: Kind) -> TargetSlot {
        self.columns.push(Column::new(name, kind));
        TargetSlot(self.columns.len() - 1)
    }

    /// Says that these labels exist even if no graph uses them. Comes before the first graph.
    pub fn declare_labels(&mut self, vertices: &[String], edges: &[String]) {
        for word in vertices {
            self.vertex_words.intern(word);
        }
        if self.options.edge_labels != EdgeLabels::Ignore {
            for word in edges {
                self.edge_words.intern(word);
            }
        }
        self.declared = (self.vertex_words.words().len(), self.edge_words.words().len());
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
        let label = Label(self.vertex_words.intern(label));
        self.current().builder.add_vertex(label).map(|vertex| vertex.0)
    }

    /// Number of vertices of the graph so far.
    pub fn num_vertices(&mut self) -> usize {
        self.current().builder.num_vertices()
    }

    /// Adds an edge. Under `repair`, a self loop or double edge is counted and forgotten.
    pub fn edge(&mut self, from: u32, to: u32, label: &str) -> Result<(), GraphError> {
        let ignore = self.options.edge_labels == EdgeLabels::Ignore;
        let label = Label(self.edge_words.intern(if ignore { NO_LABEL } else { label }));
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

    /// Adds the attributes of one vertex or of all, vertex after vertex.
    pub fn attributes(&mut self, values: &[f64]) {
        self.current().attributes.extend_from_slice(values);
    }

    /// Sets a target of the graph; an empty word is a missing value.
    pub fn value(&mut self, target: TargetSlot, word: &str) {
        let cell = self.columns[target.0].cell(word);
        self.current().cells[target.0] = cell;
    }

    /// Counts what a reader repaired by itself.
    pub fn add_repaired(&mut self, repaired: Repaired) {
        self.current().repaired += repaired;
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

    /// Ranks labels and classes, gives them their names and fulfils the other wishes.
    pub fn finish(mut self) -> Result<Dataset, ReadError> {
        let path = self.source.clone();
        if self.graphs.is_empty() {
            return Err(ReadError::NoGraphs { path, skipped: self.skipped.len() });
        }
        let has_edge_labels = self.edge_words.words().iter().any(|word| &**word != NO_LABEL);
        if self.options.edge_labels == EdgeLabels::Use && !has_edge_labels {
            return Err(ReadError::NoEdgeLabels { path });
        }
        let vertex_names = vertex_names(self.options.vertex_names.as_ref())?;
        let edge_names = self.options.edge_names.as_deref().map_or_else(|| Ok(BTreeMap::new()), read_names)?;
        if self.options.hydrogens == Some(Hydrogens::Drop) {
            self.drop_hydrogens(&vertex_names)?;
        }
        let (mut vertex_labels, mut edge_labels) = self.rank();
        vertex_labels.set_names(vertex_names);
        edge_labels.set_names(edge_names);
        let columns = std::mem::take(&mut self.columns);
        let targets = columns
            .into_iter()
            .map(|column| column.finish(&path, self.options.task, &self.origins))
            .collect::<Result<_, _>>()?;
        let dataset = Dataset {
            name: self.name,
            source: self.source,
            graphs: self.graphs,
            ids: distinct(self.ids, &self.origins),
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

    /// Removes hydrogens that hang on another atom, as chemists leave them out of a drawing.
    fn drop_hydrogens(&mut self, names: &BTreeMap<String, String>) -> Result<(), ReadError> {
        let words = self.vertex_words.words();
        let name = |word: &str| names.get(word).map_or_else(|| word.to_owned(), Clone::clone);
        let shown: Vec<String> = words.iter().map(|word| name(word)).collect();
        if shown.iter().all(|name| name.parse::<i64>().is_ok()) {
            return Err(ReadError::NamelessHydrogens { path: self.source.clone(), labels: shown });
        }
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
            *graph = relabelled(graph, &keep, |label| label, |label| label);
            let rows = attributes.chunks(columns.max(1)).zip(&keep);
            *attributes = rows.filter(|(_, keep)| **keep).flat_map(|(row, _)| row.iter().copied()).collect();
        }
        Ok(())
    }

    /// Replaces the numbers of words by ranks among the words in use.
    fn rank(&mut self) -> (Vocabulary, Vocabulary) {
        let mut used: (BTreeSet<u32>, BTreeSet<u32>) =
            ((0..self.declared.0 as u32).collect(), (0..self.declared.1 as u32).collect());
        let (mut vertex_used, mut edge_used) =
            (vec![false; self.vertex_words.words().len()], vec![false; self.edge_words.words().len()]);
        for graph in &self.graphs {
            graph.vertex_labels().iter().for_each(|label| vertex_used[label.index()] = true);
            graph.edges().iter().for_each(|edge| edge_used[edge.label.index()] = true);
        }
        used.0.extend((0..vertex_used.len() as u32).filter(|&word| vertex_used[word as usize]));
        used.1.extend((0..edge_used.len() as u32).filter(|&word| edge_used[word as usize]));
        let vocabulary = |words: &Interner, used: &BTreeSet<u32>| {
            Vocabulary::from_tokens(used.iter().map(|&word| &*words.words()[word as usize]))
        };
        let vertex_labels = vocabulary(&self.vertex_words, &used.0);
        let mut edge_labels = vocabulary(&self.edge_words, &used.1);
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
                let all = vec![true; graph.num_vertices()];
                *graph = relabelled(graph, &all, |label| vertex_rank[label.index()], |label| edge_rank[label.index()]);
            }
        }
        (vertex_labels, edge_labels)
    }
}

/// The part of a graph on the kept vertices, with other labels.
fn relabelled(
    graph: &Graph,
    keep: &[bool],
    vertex_label: impl Fn(Label) -> Label,
    edge_label: impl Fn(Label) -> Label,
) -> Graph {
    let mut builder = Graph::builder();
    let mut moved = vec![None; keep.len()];
    for vertex in graph.vertices().filter(|v| keep[v.index()]) {
        moved[vertex.index()] = builder.add_vertex(vertex_label(graph.vertex_label(vertex))).ok();
    }
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (moved[edge.from.index()], moved[edge.to.index()]) {
            let added = builder.add_edge(from, to, edge_label(edge.label));
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
