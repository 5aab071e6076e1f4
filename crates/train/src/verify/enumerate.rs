//! Exhaustive enumeration of all patterns: list all connected sets of edges, canonicalise each, count.
//!
//! Shares nothing with the miner: no tree, no growth, no pruning. Each connected set of at most `max_edges` edges
//! of each graph is visited exactly once and named by the smallest code of the subgraph that it forms.

use einsicht_graph::{DfsCode, EdgeId, Graph, Label};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Largest number of spellings in the cache of one worker: dense graphs have billions, and evicting them costs only time.
const MOST_SPELLINGS: usize = 1 << 20;

/// All patterns with the graphs that contain them, increasing.
pub fn all_patterns(graphs: &[Graph], max_edges: usize, min_support: usize) -> BTreeMap<DfsCode, Vec<u32>> {
    let tables = graphs.par_iter().enumerate().fold(Table::default, |mut table, (id, graph)| {
        table.add(id as u32, graph, max_edges);
        table
    });
    let mut found: BTreeMap<DfsCode, Vec<u32>> = BTreeMap::new();
    let forgetful = tables.map(|table| Table { spellings: FxHashMap::default(), ..table });
    for table in forgetful.collect::<Vec<_>>() {
        for (code, supports) in table.codes {
            found.entry(code).or_default().extend(&table.supports[supports as usize]);
        }
    }
    found.retain(|_, supports| {
        supports.sort_unstable();
        supports.len() >= min_support
    });
    found
}

/// All single vertices with the graphs that have them, increasing.
pub(super) fn single_vertices(graphs: &[Graph], min_support: usize) -> BTreeMap<DfsCode, Vec<u32>> {
    let mut found: BTreeMap<DfsCode, Vec<u32>> = BTreeMap::new();
    for (id, graph) in (0..).zip(graphs) {
        let labels: std::collections::BTreeSet<Label> = graph.vertex_labels().iter().copied().collect();
        for label in labels {
            found.entry(DfsCode::single_vertex(label)).or_default().push(id);
        }
    }
    found.retain(|_, supports| supports.len() >= min_support);
    found
}

/// Patterns found by one worker.
#[derive(Default)]
struct Table {
    /// Index into `supports` of each pattern.
    codes: FxHashMap<DfsCode, u32>,
    supports: Vec<Vec<u32>>,
    /// A cache by spelling (the subgraph in its own numbering), so that most are canonicalised once.
    spellings: FxHashMap<Box<[u32]>, u32>,
}

impl Table {
    fn add(&mut self, id: u32, graph: &Graph, max_edges: usize) {
        let mut walk = Walk::new(graph, max_edges);
        let mut spelling = Vec::new();
        walk.each(&mut |edges| {
            spell(graph, edges, &mut spelling);
            let index = match self.spellings.get(spelling.as_slice()) {
                Some(&index) => index,
                None => self.name(graph, edges, &spelling),
            };
            let support = &mut self.supports[index as usize];
            if support.last() != Some(&id) {
                support.push(id);
            }
        });
    }

    /// Canonicalises a subgraph with a new spelling.
    fn name(&mut self, graph: &Graph, edges: &[EdgeId], spelling: &[u32]) -> u32 {
        let next = self.supports.len() as u32;
        // A connected set of at most 31 edges always has a code; what has none is counted under its spelling alone.
        let index = match smallest_code(graph, edges) {
            Some(code) => *self.codes.entry(code).or_insert(next),
            None => next,
        };
        if index == next {
            self.supports.push(Vec::new());
        }
        if self.spellings.len() == MOST_SPELLINGS {
            self.spellings.clear();
        }
        self.spellings.insert(spelling.into(), index);
        index
    }
}

/// Labels of the vertices in order of appearance, then each edge with its label.
fn spell(graph: &Graph, edges: &[EdgeId], spelling: &mut Vec<u32>) {
    spelling.clear();
    let mut vertices = Vec::with_capacity(edges.len() + 1);
    let mut lines = Vec::with_capacity(3 * edges.len());
    for edge in edges.iter().map(|e| graph.edges()[e.index()]) {
        for end in [edge.from, edge.to] {
            let index = vertices.iter().position(|&v| v == end).unwrap_or_else(|| {
                vertices.push(end);
                spelling.push(graph.vertex_label(end).0);
                vertices.len() - 1
            });
            lines.push(index as u32);
        }
        lines.push(edge.label.0);
    }
    spelling.push(u32::MAX);
    spelling.extend_from_slice(&lines);
}

fn smallest_code(graph: &Graph, edges: &[EdgeId]) -> Option<DfsCode> {
    let mut builder = Graph::builder();
    let mut named = BTreeMap::new();
    for edge in edges.iter().map(|e| graph.edges()[e.index()]) {
        for end in [edge.from, edge.to] {
            if let std::collections::btree_map::Entry::Vacant(slot) = named.entry(end) {
                slot.insert(builder.add_vertex(graph.vertex_label(end)).ok()?);
            }
        }
        builder.add_edge(named[&edge.from], named[&edge.to], edge.label).ok()?;
    }
    DfsCode::minimum_of(&builder.build())
}

/// Visits each connected set of edges once: the smallest edge of a set starts it, and an edge joins only through
/// the first of its neighbours in the set (ESU of Wernicke on the graph of edges).
struct Walk {
    neighbors: Vec<Vec<u32>>,
    max_edges: usize,
}

impl Walk {
    fn new(graph: &Graph, max_edges: usize) -> Self {
        let touching = |e: &einsicht_graph::Edge| {
            let both = graph.neighbors(e.from).iter().chain(graph.neighbors(e.to));
            let mut edges: Vec<u32> = both.map(|n| n.edge.0).collect();
            edges.sort_unstable();
            edges.dedup();
            edges
        };
        Self { neighbors: graph.edges().iter().map(touching).collect(), max_edges }
    }

    fn each(&mut self, visit: &mut impl FnMut(&[EdgeId])) {
        for root in 0..self.neighbors.len() as u32 {
            let later = self.neighbors[root as usize].iter().copied().filter(|&e| e > root).collect();
            self.grow(root, &mut vec![EdgeId(root)], later, visit);
        }
    }

    fn grow(&self, root: u32, set: &mut Vec<EdgeId>, mut open: Vec<u32>, visit: &mut impl FnMut(&[EdgeId])) {
        let mut sorted = set.clone();
        sorted.sort_unstable();
        visit(&sorted);
        if set.len() == self.max_edges {
            return;
        }
        while let Some(next) = open.pop() {
            let mut further = open.clone();
            let touches_set = |e: u32| {
                set.iter().any(|member| member.0 == e || self.neighbors[member.index()].binary_search(&e).is_ok())
            };
            for &e in self.neighbors[next as usize].iter().filter(|&&e| e > root && e != next) {
                if !touches_set(e) {
                    further.push(e);
                }
            }
            set.push(EdgeId(next));
            self.grow(root, set, further, visit);
            set.pop();
        }
    }
}
