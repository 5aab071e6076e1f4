//! What a pattern is part of: a larger pattern around it that is in the same graphs, and around nearly all of its occurrences.
//!
//! A search stops at a number of edges, and so may find seven bonds of a ring system that has ten. In the graphs at hand the piece is hardly ever outside
//! of the whole, so the whole names the same places, and says more.
//!
//! Promise: every graph with the pattern has the result, and at least nine of ten occurrences of the pattern, as sets of edges, are part of an occurrence of the
//! result (counted on at most 300 of the graphs). It grows edge by edge, edges that close a ring first, then by the order of codes, until no edge fits
//! or a limit is reached; so the result is deterministic, but another order may end in another whole. Tested against the definition
//! in `tests/whole_vs_definition.rs`.

use crate::matching::{Occurrence, PatternSet, Scratch};
use crate::{DfsCode, EdgeId, Graph, Label, VertexId};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
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

/// The pattern that `pattern` is part of in these graphs, all of which contain it; the pattern itself if nothing larger is, or if it has too many occurrences.
pub fn whole_around(pattern: &DfsCode, graphs: &[&Graph]) -> DfsCode {
    let mut graphs = graphs.to_vec();
    // Small graphs have the fewest ways to grow, and refute the others first.
    graphs.sort_by_key(|graph| graph.num_edges());
    let step = graphs.len().div_ceil(MOST_COUNTED).max(1);
    let counted: Vec<&Graph> = graphs.iter().copied().step_by(step).collect();
    let (mut whole, mut share) = (pattern.clone(), ALL);
    while whole.num_edges() < MOST_WHOLE_EDGES {
        // Listed once for all candidates, and only if one is in all graphs.
        let parts = OnceCell::new();
        let grown = larger(&whole, &graphs).into_iter().find_map(|candidate| {
            if !is_in_all(&candidate, &graphs) {
                return None;
            }
            let parts: &Option<Parts> = parts.get_or_init(|| Parts::of(&whole, &counted));
            let share = parts.as_ref()?.share_inside(&candidate, &counted, share)?;
            Some((candidate, share))
        });
        match grown {
            Some(found) => (whole, share) = found,
            None => break,
        }
    }
    whole
}

/// Patterns of one edge more around an occurrence in the first graph: if all graphs have one that grows by an edge, so has this graph.
fn larger(pattern: &DfsCode, graphs: &[&Graph]) -> Vec<DfsCode> {
    let Some(graph) = graphs.first() else { return Vec::new() };
    let set = PatternSet::new(std::slice::from_ref(pattern));
    let mut found = BTreeSet::new();
    for images in set.embeddings(0, graph, MOST_OCCURRENCES, &mut Scratch::default()) {
        for (from, &image) in images.iter().enumerate() {
            for neighbor in graph.neighbors(image) {
                let to = images.iter().position(|other| *other == neighbor.vertex);
                let label = to.is_none().then_some(neighbor.vertex_label);
                found.insert((from, to, neighbor.edge_label, label));
            }
        }
    }
    let with_edge = |(from, to, edge_label, label)| with_edge(pattern, from, to, (edge_label, label));
    let codes: BTreeSet<(usize, DfsCode)> =
        found.into_iter().filter_map(with_edge).map(|code| (code.num_vertices(), code)).collect();
    codes.into_iter().map(|(_, code)| code).collect()
}

/// The pattern with one more edge, to one of its vertices or to a new one; `None` if it has that edge.
fn with_edge(
    pattern: &DfsCode,
    from: usize,
    to: Option<usize>,
    (edge_label, new): (Label, Option<Label>),
) -> Option<DfsCode> {
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
        None => builder.add_vertex(new?).ok()?,
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

fn is_in_all(code: &DfsCode, graphs: &[&Graph]) -> bool {
    let (set, mut scratch) = (PatternSet::new(std::slice::from_ref(code)), Scratch::default());
    graphs.iter().all(|graph| !set.matches(graph, &mut scratch).is_empty())
}

/// The occurrences of a pattern in the graphs where they are counted.
struct Parts {
    by_graph: Vec<Vec<Occurrence>>,
    /// Number of all of them.
    all: usize,
}

impl Parts {
    /// Nothing if a graph has too many.
    fn of(pattern: &DfsCode, graphs: &[&Graph]) -> Option<Self> {
        let (set, mut scratch) = (PatternSet::new(std::slice::from_ref(pattern)), Scratch::default());
        let mut parts = Self { by_graph: Vec::with_capacity(graphs.len()), all: 0 };
        for graph in graphs {
            let found = set.occurrences(0, graph, MOST_OCCURRENCES, &mut scratch);
            if found.len() == MOST_OCCURRENCES {
                return None;
            }
            parts.all += found.len();
            parts.by_graph.push(found);
        }
        Some(parts)
    }

    /// The part of them that are in an occurrence of `whole`, which has one edge more, times `share`; of [`ALL`]. Nothing if that is too small, if a graph has
    /// too many of `whole`, or none.
    fn share_inside(&self, whole: &DfsCode, graphs: &[&Graph], share: usize) -> Option<usize> {
        let (set, mut scratch) = (PatternSet::new(std::slice::from_ref(whole)), Scratch::default());
        let mut outside = 0;
        let part = |outside: usize| share * ((self.all - outside) * ALL / self.all.max(1)) / ALL;
        for (graph, parts) in graphs.iter().zip(&self.by_graph) {
            let wholes = set.occurrences(0, graph, MOST_OCCURRENCES, &mut scratch);
            outside += num_outside(&wholes, parts);
            // However many of the other graphs' are inside, it stays too small.
            if wholes.is_empty() || wholes.len() == MOST_OCCURRENCES || part(outside) < LEAST_SHARE {
                return None;
            }
        }
        (part(outside) >= LEAST_SHARE).then(|| part(outside))
    }
}

fn num_outside(wholes: &[Occurrence], parts: &[Occurrence]) -> usize {
    if parts.iter().all(|part| part.edges.is_empty()) {
        let inside: FxHashSet<VertexId> = wholes.iter().flat_map(|whole| whole.vertices.iter().copied()).collect();
        return parts.iter().filter(|part| !part.vertices.iter().all(|vertex| inside.contains(vertex))).count();
    }
    let mut left: FxHashSet<&[EdgeId]> = parts.iter().map(|part| part.edges.as_slice()).collect();
    let mut rest = Vec::new();
    for whole in wholes {
        for without in 0..whole.edges.len() {
            rest.clear();
            rest.extend_from_slice(&whole.edges[..without]);
            rest.extend_from_slice(&whole.edges[without + 1..]);
            left.remove(rest.as_slice());
        }
    }
    left.len()
}
