//! What a pattern is part of: a larger pattern around it that is in the same graphs, and around nearly all of its
//! occurrences.
//!
//! A search stops at a number of edges, and so may find seven bonds of a ring system that has ten. In the graphs at
//! hand the piece is hardly ever outside of the whole, so the whole names the same places, and says more.
//!
//! Promise: every graph with the pattern has the result, and at least nine of ten occurrences of the pattern, as sets
//! of edges, are part of an occurrence of the result (counted on at most 300 of the graphs). It grows edge by edge,
//! edges that close a ring first, then by the order of codes, until no edge fits or a limit is reached; so the result
//! is deterministic, but another order may end in another whole. Tested against the definition in
//! `tests/whole_vs_definition.rs`.

mod growth;

use crate::matching::{PatternSet, Scratch};
use crate::{DfsCode, Graph, Label, VertexId};
use growth::Growth;
use std::collections::BTreeSet;

/// Edges of a whole at most.
pub const MOST_WHOLE_EDGES: usize = 20;
/// Part of the occurrences that must be inside of the whole, and what it is a part of.
const LEAST_SHARE: usize = 90_000;
const ALL: usize = 100_000;
/// Graphs in which occurrences are counted.
const MOST_COUNTED: usize = 300;
/// With more occurrences in one graph nothing is claimed.
const MOST_OCCURRENCES: usize = 500;

/// The pattern that `pattern` is part of in these graphs, all of which contain it; the pattern itself if nothing larger
/// is, or if it has too many occurrences.
pub fn whole_around(pattern: &DfsCode, graphs: &[&Graph]) -> DfsCode {
    let mut graphs = graphs.to_vec();
    // Small graphs have the fewest ways to grow, and refute the others first.
    graphs.sort_by_key(|graph| graph.num_edges());
    let step = graphs.len().div_ceil(MOST_COUNTED).max(1);
    let (mut whole, mut share) = (pattern.clone(), ALL);
    while whole.num_edges() < MOST_WHOLE_EDGES {
        let Some(found) = grown(&whole, &graphs, step, share) else { break };
        (whole, share) = found;
    }
    whole
}

/// The first pattern of one edge more that is in all graphs and around enough of the occurrences, and its share of
/// them; they are counted in every `step`-th graph.
fn grown(part: &DfsCode, graphs: &[&Graph], step: usize, share: usize) -> Option<(DfsCode, usize)> {
    let candidates = in_all(larger(part, graphs), graphs);
    let mut growth = Growth::new(part, candidates);
    // Large graphs first: they may have too many occurrences, and then nothing is claimed.
    for graph in graphs.iter().step_by(step).rev() {
        if growth.is_over() || !growth.count_in(graph) {
            return None;
        }
    }
    let share_of = |(code, inside): (DfsCode, usize)| (code, share * inside / ALL);
    growth.finish().map(share_of).find(|(_, share)| *share >= LEAST_SHARE)
}

/// Patterns of one edge more around an occurrence in the first graph: if all graphs have one that grows by an edge, so
/// has this graph.
fn larger(pattern: &DfsCode, graphs: &[&Graph]) -> Vec<DfsCode> {
    let Some(graph) = graphs.first() else { return Vec::new() };
    let set = PatternSet::new(std::slice::from_ref(pattern));
    let mut found = BTreeSet::new();
    for images in set.embeddings(0, graph, MOST_OCCURRENCES, &mut Scratch::default()) {
        for (from, &image) in images.iter().enumerate() {
            for neighbor in graph.neighbors(image) {
                let to = images.iter().position(|other| *other == neighbor.vertex);
                let label = to.is_none().then_some(neighbor.vertex_label);
                found.insert(NewEdge { from, to, edge_label: neighbor.edge_label, label });
            }
        }
    }
    let with_edge = |edge| with_edge(pattern, edge);
    let codes: BTreeSet<(usize, DfsCode)> =
        found.into_iter().filter_map(with_edge).map(|code| (code.num_vertices(), code)).collect();
    codes.into_iter().map(|(_, code)| code).collect()
}

/// An edge beside a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct NewEdge {
    /// The vertex of the pattern where it begins.
    from: usize,
    /// The one where it ends; nothing if it ends outside.
    to: Option<usize>,
    edge_label: Label,
    /// Label of its end outside.
    label: Option<Label>,
}

impl NewEdge {
    /// A number of its own.
    fn key(self) -> u128 {
        let small = |vertex: usize| vertex as u128 & 0xff;
        let label = |label: Label| u128::from(label.0);
        let to = self.to.map_or(0xff, small);
        small(self.from) | to << 8 | label(self.edge_label) << 16 | self.label.map_or(0, label) << 48
    }
}

/// The pattern with one more edge, to one of its vertices or to a new one; `None` if it has that edge.
fn with_edge(pattern: &DfsCode, NewEdge { from, to, edge_label, label }: NewEdge) -> Option<DfsCode> {
    let graph = pattern.to_graph();
    let mut builder = Graph::builder();
    for &label in graph.vertex_labels() {
        builder.add_vertex(label).ok()?;
    }
    for edge in graph.edges() {
        builder.add_edge(edge.from, edge.to, edge.label).ok()?;
    }
    let to = match to {
        Some(to) => VertexId(to as u32),
        None => builder.add_vertex(label?).ok()?,
    };
    builder.add_edge(VertexId(from as u32), to, edge_label).ok()?;
    let mut larger = builder.build();
    let mut qualifiers = graph.all_qualifiers().to_vec();
    if !qualifiers.is_empty() {
        qualifiers.resize(larger.num_vertices(), 0);
        larger.set_qualifiers(qualifiers);
    }
    DfsCode::minimum_of(&larger)
}

/// Those patterns that all graphs have.
fn in_all(mut codes: Vec<DfsCode>, graphs: &[&Graph]) -> Vec<DfsCode> {
    let (mut set, mut scratch) = (PatternSet::new(&codes), Scratch::default());
    for graph in graphs {
        if codes.is_empty() {
            break;
        }
        let found = set.matches(graph, &mut scratch);
        if found.len() < codes.len() {
            codes = found.iter().map(|&at| codes[at as usize].clone()).collect();
            set = PatternSet::new(&codes);
        }
    }
    codes
}
