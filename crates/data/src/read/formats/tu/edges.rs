//! The adjacency of a TU set: every edge is listed twice, once in each direction.
//!
//! Promise: what comes out is simple and undirected, in the order of the file. Entries are sorted by their ends,
//! so that both directions and all repeats of an edge are adjacent; an error names the first line where it
//! shows. An error within one graph may skip that graph only ([`OnBad::Skip`]) or be corrected (`repair`);
//! an edge between two graphs or to a vertex that does not exist always ends the reading.

use super::Vertices;
use super::columns::{Words, check_lines, each_line};
use super::folder::Folder;
use crate::dataset::Repaired;
use crate::read::number::{parse_index, show};
use crate::read::options::{EdgeLabels, OnBad, ReadOptions};
use crate::read::{Place, ReadError};
use std::collections::BTreeMap;
use std::path::Path;

/// One line of `_A`, vertices and lines counted from 0.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) line: u32,
}

/// Edges by graph.
pub(super) struct Adjacency {
    /// One entry per edge, graph by graph.
    edges: Vec<Entry>,
    starts: Vec<usize>,
    pub(super) labels: Option<Words>,
    /// The first error of each graph that has one.
    pub(super) faults: BTreeMap<u32, ReadError>,
    pub(super) repaired: BTreeMap<u32, Repaired>,
}

impl Adjacency {
    pub(super) fn edges_of(&self, graph: usize) -> &[Entry] {
        &self.edges[self.starts[graph]..self.starts[graph + 1]]
    }
}

/// Reads `_A` and `_edge_labels`.
pub(super) fn read_adjacency(
    folder: &Folder,
    vertices: &Vertices,
    options: &ReadOptions,
) -> Result<Adjacency, ReadError> {
    let path = folder.required("A")?;
    let entries = read_entries(&path, &vertices.graph_of)?;
    let labels = match folder.optional("edge_labels") {
        Some(path) if options.edge_labels != EdgeLabels::Ignore => {
            let words = Words::read(&path, "an edge label")?;
            check_lines(&path, "lines of _A", entries.len() as u64, words.count().1)?;
            Some(words)
        }
        _ => None,
    };
    let mut faults: BTreeMap<u32, (u32, ReadError)> = BTreeMap::new();
    let mut repaired: BTreeMap<u32, Repaired> = BTreeMap::new();
    let mut keep = vec![false; entries.len()];
    let mut sorted = entries.clone();
    sorted.sort_unstable_by_key(|entry| (ends(entry), entry.line));
    for group in sorted.chunk_by(|a, b| ends(a) == ends(b)) {
        let graph = vertices.graph_of[group[0].from as usize];
        let judged = Group { entries: group, path: &path, labels: labels.as_ref() }.judge(options.repair);
        match judged {
            Ok(corrected) => {
                keep[group[0].line as usize] = group[0].from != group[0].to;
                if corrected != Repaired::default() {
                    *repaired.entry(graph).or_default() += corrected;
                }
            }
            Err((line, error)) => {
                if faults.get(&graph).is_none_or(|(first, _)| line < *first) {
                    faults.insert(graph, (line, error));
                }
            }
        }
    }
    if options.on_bad == OnBad::Stop
        && let Some((_, error)) = std::mem::take(&mut faults).into_values().min_by_key(|(line, _)| *line)
    {
        return Err(error);
    }
    let (edges, starts) = by_graph(&entries, &keep, vertices);
    let faults = faults.into_iter().map(|(graph, (_, error))| (graph, error)).collect();
    Ok(Adjacency { edges, starts, labels, faults, repaired })
}

fn read_entries(path: &Path, graph_of: &[u32]) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::new();
    each_line(path, |lines, line| {
        let mut fields = line.splitn(3, |&byte| byte == b',').map(<[u8]>::trim_ascii);
        let (Some(from), Some(to), None) = (fields.next(), fields.next(), fields.next()) else {
            let (place, found) = (lines.place(), show(line));
            return Err(ReadError::NotANumber { place, what: "an edge", kind: "pair of vertices", found });
        };
        let vertex = |field: &[u8]| {
            let vertex = parse_index(field, "a vertex of an edge", || lines.place())?;
            if vertex == 0 || vertex as usize > graph_of.len() {
                let (what, last, found) = ("a vertex of an edge", graph_of.len() as u64, u64::from(vertex));
                return Err(ReadError::OutOfRange { place: lines.place(), what, first: 1, last, found });
            }
            Ok(vertex - 1)
        };
        let (from, to) = (vertex(from)?, vertex(to)?);
        let [from_graph, to_graph] = [from, to].map(|v| u64::from(graph_of[v as usize]) + 1);
        if from_graph != to_graph {
            let [from, to] = [from, to].map(|v| u64::from(v) + 1);
            return Err(ReadError::EdgeBetweenGraphs { place: lines.place(), from, to, from_graph, to_graph });
        }
        if entries.len() as u64 >= u64::from(u32::MAX) {
            return Err(ReadError::HugeGraph { place: lines.place() });
        }
        entries.push(Entry { from, to, line: entries.len() as u32 });
        Ok(())
    })?;
    Ok(entries)
}

/// Both ends in one number, the smaller one first.
fn ends(entry: &Entry) -> u64 {
    let (low, high) = (entry.from.min(entry.to), entry.from.max(entry.to));
    u64::from(low) << 32 | u64::from(high)
}

/// All entries between the same two vertices, in the order of the file.
struct Group<'a> {
    entries: &'a [Entry],
    path: &'a Path,
    labels: Option<&'a Words>,
}

impl Group<'_> {
    /// What was corrected, or the line (from 0) and the kind of the first error.
    fn judge(&self, repair: bool) -> Result<Repaired, (u32, ReadError)> {
        let first = self.entries[0];
        let mut repaired = Repaired::default();
        if first.from == first.to {
            repaired.self_loops = self.entries.len() as u64;
            let fault = || ReadError::SelfLoop { place: self.place(first), vertex: u64::from(first.from) + 1 };
            return if repair { Ok(repaired) } else { Err((first.line, fault())) };
        }
        let (there, back): (Vec<&Entry>, Vec<&Entry>) = self.entries.iter().partition(|e| e.from == first.from);
        if let Some(again) = there.get(1).into_iter().chain(back.get(1)).min_by_key(|entry| entry.line) {
            if !repair {
                let [from, to] = [again.from, again.to].map(|v| u64::from(v) + 1);
                return Err((again.line, ReadError::DoubleEdge { place: self.place(**again), from, to }));
            }
            repaired.double_edges = there.len().max(back.len()) as u64 - 1;
        }
        let Some(other) = back.first() else {
            let [from, to] = [first.from, first.to].map(|v| u64::from(v) + 1);
            repaired.one_way_edges = 1;
            let fault = || ReadError::OneWayEdge { place: self.place(first), from, to };
            return if repair { Ok(repaired) } else { Err((first.line, fault())) };
        };
        self.check_labels(first, **other)?;
        Ok(repaired)
    }

    fn check_labels(&self, first: Entry, other: Entry) -> Result<(), (u32, ReadError)> {
        let Some(labels) = self.labels else { return Ok(()) };
        let [label, other_label] = [other, first].map(|entry| labels.word(entry.line as usize));
        if label == other_label {
            return Ok(());
        }
        let fault = ReadError::LabelsDisagree {
            place: Place::new(labels.count().0, u64::from(other.line) + 1),
            from: u64::from(other.from) + 1,
            to: u64::from(other.to) + 1,
            label: label.to_owned(),
            other_line: u64::from(first.line) + 1,
            other_label: other_label.to_owned(),
        };
        Err((other.line, fault))
    }

    fn place(&self, entry: Entry) -> Place {
        Place::new(self.path, u64::from(entry.line) + 1)
    }
}

/// The kept entries, graph by graph and in the order of the file.
fn by_graph(entries: &[Entry], keep: &[bool], vertices: &Vertices) -> (Vec<Entry>, Vec<usize>) {
    let graph = |entry: &Entry| vertices.graph_of[entry.from as usize] as usize;
    let mut starts = vec![0_usize; vertices.num_graphs() + 1];
    let mut edges: Vec<Entry> = entries.iter().filter(|entry| keep[entry.line as usize]).copied().collect();
    edges.sort_by_key(graph);
    for edge in &edges {
        starts[graph(edge) + 1] += 1;
    }
    for graph in 1..starts.len() {
        starts[graph] += starts[graph - 1];
    }
    (edges, starts)
}
