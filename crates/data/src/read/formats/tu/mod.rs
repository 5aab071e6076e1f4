//! Folders of the TU collection: one set, spread over files `NAME_*.txt`, each of them plain or gzipped.
//!
//! `NAME` comes from the files, not from the folder. Wanted are `_A` and `_graph_indicator`, and `_graph_labels` or
//! `_graph_attributes` unless no target is read; `_node_labels`, `_edge_labels` and `_node_attributes` are
//! used if they are there, `_edge_attributes` is not looked at. Graphs are called by their rows, from 0.
//! Labels may have several columns: `0, 2` is one label, `0,2`. All numbers that say how much is to come are
//! counts of lines already read, so no file can make us allocate more than it holds.

mod columns;
mod edges;
mod folder;

use super::bad_feature;
use crate::dataset::NO_LABEL;
use crate::dataset::features::FeatureError;
use crate::dataset::{Dataset, Origin};
use crate::read::builder::{ANY_VERTEX, DatasetBuilder, TargetSlot};
use crate::read::number::parse_index;
use crate::read::options::{OnBad, ReadOptions, TargetChoice};
use crate::read::target::TargetKind;
use crate::read::target_columns::TargetColumns;
use crate::read::{Place, ReadError};
use columns::{Reals, Words, check_lines, each_line};
use edges::{Adjacency, read_adjacency};
use folder::Folder;
use std::path::{Path, PathBuf};

/// Name of the target in `_graph_labels`.
const LABEL: &str = "label";

/// The targets of a folder: the graph labels and the columns of the graph attributes.
pub(super) fn target_columns(path: &Path) -> Result<TargetColumns, ReadError> {
    let folder = Folder::find(path)?;
    let labels = folder.optional("graph_labels").is_some();
    let attributes = folder.optional("graph_attributes").map_or(Ok(0), |path| columns::count_columns(&path))?;
    Ok(columns_of(labels, attributes))
}

/// Graph labels are the usual target; where there are none, all attributes are.
fn columns_of(labels: bool, attributes: usize) -> TargetColumns {
    let names: Vec<String> = labels
        .then(|| LABEL.to_owned())
        .into_iter()
        .chain((1..=attributes).map(|number| format!("attribute_{number}")))
        .collect();
    let columns = if labels { TargetColumns::first_usual(names, 1) } else { TargetColumns::all_usual(names) };
    columns.without_names()
}

/// Reads a TU folder.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let folder = Folder::find(path)?;
    let targets = Targets::read(&folder, options)?;
    let graph_of = read_indicator(&folder, targets.num_graphs)?;
    let num_graphs = graph_of.iter().max().map_or(0, |&last| last as usize + 1);
    targets.check_count(num_graphs)?;
    let labels = folder.optional("node_labels").map(|path| Words::read(&path, "a vertex label")).transpose()?;
    let attributes = folder.optional("node_attributes").map(|path| Reals::read(&path)).transpose()?;
    for (path, lines) in labels.iter().map(Words::count).chain(attributes.iter().map(Reals::count)) {
        check_lines(path, "lines of _graph_indicator", graph_of.len() as u64, lines)?;
    }
    let vertices = Vertices::new(graph_of, num_graphs);
    let adjacency = read_adjacency(&folder, &vertices, options)?;
    let set = Set { vertices, labels, attributes, adjacency, targets };
    set.build(&folder, path, options)
}

/// Everything, as it stands in the files.
struct Set {
    vertices: Vertices,
    labels: Option<Words>,
    attributes: Option<Reals>,
    adjacency: Adjacency,
    targets: Targets,
}

impl Set {
    fn build(mut self, folder: &Folder, path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
        let mut builder = DatasetBuilder::new(folder.name(), path, options);
        let slots = self.targets.add_to(&mut builder);
        builder.set_features(self.targets.features.iter().map(|column| &column.name));
        if let Some(attributes) = &self.attributes {
            builder.set_attribute_columns(attributes.columns);
        }
        let indicator = folder.file("graph_indicator");
        for graph in 0..self.vertices.num_graphs() {
            let members = self.vertices.members(graph);
            let line = members.first().map_or(0, |&vertex| u64::from(vertex) + 1);
            let origin = Origin { row: graph as u32, line };
            if let Some(fault) = self.adjacency.faults.remove(&(graph as u32)) {
                debug_assert_ne!(options.on_bad, OnBad::Stop);
                builder.skip(origin, fault.to_string());
                continue;
            }
            builder.begin(origin, &graph.to_string());
            let refused = |error| ReadError::from_graph(Place::new(&indicator, line), 1, &error);
            for &vertex in members {
                let label = self.labels.as_ref().map_or(ANY_VERTEX, |labels| labels.word(vertex as usize));
                builder.vertex(label).map_err(refused)?;
                if let Some(attributes) = &self.attributes {
                    builder.attributes(attributes.row(vertex as usize));
                }
            }
            for edge in self.adjacency.edges_of(graph) {
                let label = self.adjacency.labels.as_ref().map_or(NO_LABEL, |labels| labels.word(edge.line as usize));
                let [from, to] = [edge.from, edge.to].map(|end| self.vertices.local[end as usize]);
                builder.edge(from, to, label).map_err(refused)?;
            }
            builder.add_repaired(self.adjacency.repaired.get(&(graph as u32)).copied().unwrap_or_default());
            for (slot, column) in slots.iter().zip(&self.targets.columns) {
                builder.value(*slot, column.words.word(graph));
            }
            if let Err(source) = self.targets.add_features(&mut builder, graph) {
                bad_feature(&mut builder, &folder.file("graph_attributes"), options, origin, source)?;
                continue;
            }
            builder.end();
        }
        builder.finish()
    }
}

/// Which vertex is of which graph.
struct Vertices {
    graph_of: Vec<u32>,
    /// Position of each vertex within its graph.
    local: Vec<u32>,
    /// All vertices, graph by graph; `starts[g]..starts[g + 1]` are those of graph `g`.
    members: Vec<u32>,
    starts: Vec<u32>,
}

impl Vertices {
    fn new(graph_of: Vec<u32>, num_graphs: usize) -> Self {
        let mut starts = vec![0_u32; num_graphs + 1];
        let mut local = Vec::with_capacity(graph_of.len());
        for &graph in &graph_of {
            local.push(starts[graph as usize + 1]);
            starts[graph as usize + 1] += 1;
        }
        for graph in 0..num_graphs {
            starts[graph + 1] += starts[graph];
        }
        let mut members = vec![0; graph_of.len()];
        for (vertex, (&graph, &position)) in graph_of.iter().zip(&local).enumerate() {
            members[(starts[graph as usize] + position) as usize] = vertex as u32;
        }
        Self { graph_of, local, members, starts }
    }

    fn num_graphs(&self) -> usize {
        self.starts.len() - 1
    }

    fn members(&self, graph: usize) -> &[u32] {
        &self.members[self.starts[graph] as usize..self.starts[graph + 1] as usize]
    }
}

/// Reads the graph of every vertex, from 0. Without `num_graphs`, a set has at most as many graphs as vertices.
fn read_indicator(folder: &Folder, num_graphs: Option<u64>) -> Result<Vec<u32>, ReadError> {
    let path = folder.required("graph_indicator")?;
    let mut graphs = Vec::new();
    let lines = each_line(&path, |lines, line| {
        let graph = parse_index(line, "the graph of a vertex", || lines.place())?;
        let last = num_graphs.unwrap_or(u64::from(u32::MAX));
        if graph == 0 || u64::from(graph) > last {
            let (what, found) = ("the graph of a vertex", u64::from(graph));
            return Err(ReadError::OutOfRange { place: lines.place(), what, first: 1, last, found });
        }
        graphs.push(graph - 1);
        Ok(())
    })?;
    if lines > u64::from(u32::MAX) {
        return Err(ReadError::HugeGraph { place: Place::new(&path, 0) });
    }
    if let Some(at) = graphs.iter().position(|&graph| u64::from(graph) >= lines) {
        let (what, found) = ("the graph of a vertex", u64::from(graphs[at]) + 1);
        return Err(ReadError::OutOfRange {
            place: Place::new(&path, at as u64 + 1),
            what,
            first: 1,
            last: lines,
            found,
        });
    }
    Ok(graphs)
}

/// What is to be predicted.
struct Targets {
    features: Vec<TargetColumn>,
    columns: Vec<TargetColumn>,
    /// Number of lines of the first file with targets, and the file.
    num_graphs: Option<u64>,
    path: PathBuf,
}

struct TargetColumn {
    name: String,
    kind: TargetKind,
    words: Words,
}

impl Targets {
    fn read(folder: &Folder, options: &ReadOptions) -> Result<Self, ReadError> {
        let (labels, attributes) = (folder.optional("graph_labels"), folder.optional("graph_attributes"));
        let mut columns = Vec::new();
        let path = match (&labels, &attributes) {
            (Some(path), _) | (None, Some(path)) => path.clone(),
            (None, None) if options.targets == TargetChoice::Nothing => {
                let path = folder.file("graph_labels");
                TargetColumns::refuse_features(&path, options)?;
                return Ok(Self { columns, features: Vec::new(), num_graphs: None, path });
            }
            (None, None) => return Err(ReadError::MissingFile { path: folder.file("graph_labels") }),
        };
        if let Some(path) = &labels {
            let (words, whole) = Words::read_reals(path, "a graph label")?;
            // Graph labels are classes, unless some are real numbers.
            let kind = if whole { TargetKind::Classes } else { TargetKind::Numbers };
            columns.push(TargetColumn { name: LABEL.to_owned(), kind, words });
        }
        let mut num_graphs = columns.first().map(|column| column.words.count().1);
        let mut attribute_words = Vec::new();
        if let Some(path) = &attributes {
            attribute_words = Words::read_columns(path)?;
            let lines = attribute_words.first().map_or(0, |words| words.count().1);
            if let Some(wanted) = num_graphs {
                check_lines(path, "lines of _graph_labels", wanted, lines)?;
            }
            num_graphs = Some(lines);
        }
        let known = columns_of(labels.is_some(), attribute_words.len());
        let chosen = known.choose(&path, options)?;
        columns.extend(
            attribute_words.into_iter().zip(&known.names()[columns.len()..]).map(|(words, name)| TargetColumn {
                name: name.clone(),
                kind: TargetKind::Numbers,
                words,
            }),
        );
        let mut columns: Vec<Option<TargetColumn>> = columns.into_iter().map(Some).collect();
        let mut pick = |chosen: Vec<usize>| chosen.into_iter().filter_map(|at| columns[at].take()).collect();
        Ok(Self { columns: pick(chosen.targets), features: pick(chosen.features), num_graphs, path })
    }

    /// Every graph with a target must have vertices: else a file is cut off.
    fn check_count(&self, num_graphs: usize) -> Result<(), ReadError> {
        match self.num_graphs {
            Some(lines) => check_lines(&self.path, "graphs of _graph_indicator", num_graphs as u64, lines),
            None => Ok(()),
        }
    }

    fn add_features(&self, builder: &mut DatasetBuilder<'_>, graph: usize) -> Result<(), FeatureError> {
        self.features.iter().enumerate().try_for_each(|(at, column)| builder.feature(at, column.words.word(graph)))
    }

    fn add_to(&self, builder: &mut DatasetBuilder<'_>) -> Vec<TargetSlot> {
        self.columns.iter().map(|column| builder.add_target(&column.name, column.kind.clone())).collect()
    }
}
