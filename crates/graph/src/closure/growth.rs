//! How many occurrences of a pattern are part of an occurrence of each of its candidates, which have one edge more.
//!
//! An occurrence of a candidate is one of the pattern and an edge beside it. So the occurrences of the pattern are
//! listed once for all candidates, and theirs are read off the edges around them; which candidate an edge belongs to is
//! found once for each kind of edge. Promise: the numbers are those of listing the occurrences of every candidate by
//! itself. Tested against that in `tests/whole_vs_definition.rs`.

use super::{ALL, MOST_OCCURRENCES, NewEdge, with_edge};
use crate::matching::{PatternSet, Scratch};
use crate::{DfsCode, EdgeId, Graph, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// A pattern, and the patterns of one edge more that may be its whole.
pub(super) struct Growth<'a> {
    part: &'a DfsCode,
    set: PatternSet,
    scratch: Scratch,
    candidates: Vec<Candidate>,
    /// The candidate that the pattern and an edge are, as far as it was asked for.
    of_edge: FxHashMap<u128, Option<usize>>,
    /// By vertex of a graph: the vertex of the pattern that it is the image of.
    places: Vec<Option<u8>>,
    /// Occurrences of the pattern so far.
    all: usize,
}

struct Candidate {
    code: DfsCode,
    /// Whether no graph so far has too many occurrences of it.
    is_open: bool,
    /// Occurrences of the pattern that are in none of its own.
    outside: usize,
}

/// A set of edges of a graph, in a form that is quick to compare.
trait EdgeSet: Clone + Eq + Hash {
    fn of(edges: impl Iterator<Item = EdgeId>) -> Self;
    fn with(&self, edge: EdgeId) -> Self;
    /// Shows the set without each of its edges.
    fn each_without(&self, show: impl FnMut(&Self));
}

/// For graphs of at most 128 edges.
impl EdgeSet for u128 {
    fn of(edges: impl Iterator<Item = EdgeId>) -> Self {
        edges.fold(0, |set, edge| set | 1 << edge.0)
    }

    fn with(&self, edge: EdgeId) -> Self {
        self | 1 << edge.0
    }

    fn each_without(&self, mut show: impl FnMut(&Self)) {
        let mut left = *self;
        while left != 0 {
            let rest = left & (left - 1);
            show(&(self ^ (left ^ rest)));
            left = rest;
        }
    }
}

/// For all others: increasing.
impl EdgeSet for Vec<EdgeId> {
    fn of(edges: impl Iterator<Item = EdgeId>) -> Self {
        let mut set: Self = edges.collect();
        set.sort_unstable();
        set
    }

    fn with(&self, edge: EdgeId) -> Self {
        let mut set = self.clone();
        set.insert(set.partition_point(|known| *known < edge), edge);
        set
    }

    fn each_without(&self, mut show: impl FnMut(&Self)) {
        for without in 0..self.len() {
            let mut rest = self.clone();
            rest.remove(without);
            show(&rest);
        }
    }
}

impl<'a> Growth<'a> {
    pub(super) fn new(part: &'a DfsCode, candidates: Vec<DfsCode>) -> Self {
        let candidate = |code| Candidate { code, is_open: true, outside: 0 };
        Self {
            part,
            set: PatternSet::new(std::slice::from_ref(part)),
            scratch: Scratch::default(),
            candidates: candidates.into_iter().map(candidate).collect(),
            of_edge: FxHashMap::default(),
            places: Vec::new(),
            all: 0,
        }
    }

    /// Whether no candidate is left.
    pub(super) fn is_over(&self) -> bool {
        self.candidates.iter().all(|candidate| !candidate.is_open)
    }

    /// Counts in one more graph. False if the pattern has too many occurrences there: then nothing is claimed.
    pub(super) fn count_in(&mut self, graph: &Graph) -> bool {
        if graph.num_edges() <= 128 { self.count::<u128>(graph) } else { self.count::<Vec<EdgeId>>(graph) }
    }

    fn count<S: EdgeSet>(&mut self, graph: &Graph) -> bool {
        let Some((parts, wholes)) = self.occurrences::<S>(graph) else { return false };
        self.all += parts.len();
        for (candidate, wholes) in self.candidates.iter_mut().zip(wholes).filter(|(candidate, _)| candidate.is_open) {
            candidate.is_open = !wholes.is_empty() && wholes.len() < MOST_OCCURRENCES;
            if candidate.is_open {
                candidate.outside += parts.num_outside(&wholes, graph);
            }
        }
        true
    }

    /// The occurrences of the pattern in a graph, and of each candidate, as far as there are not too many. Nothing if
    /// there are too many of the pattern.
    fn occurrences<S: EdgeSet>(&mut self, graph: &Graph) -> Option<(Parts<S>, Vec<FxHashSet<S>>)> {
        let Self { part, set, scratch, candidates, of_edge, places, .. } = self;
        let graph_of_part = part.to_graph();
        let is_vertex = part.num_edges() == 0;
        // Embeddings of one occurrence differ by an automorphism, unless qualifiers ask for more than the labels that
        // they share.
        let one_is_enough = part.qualifiers().is_empty();
        let mut parts = Parts { sets: FxHashSet::default(), vertices: FxHashSet::default() };
        let mut wholes = vec![FxHashSet::default(); candidates.len()];
        places.clear();
        places.resize(graph.num_vertices(), None);
        set.visit_embeddings(0, graph, scratch, |images| {
            let edge = |edge: &crate::Edge| graph.edge_between(images[edge.from.index()], images[edge.to.index()]);
            let occurrence = S::of(graph_of_part.edges().iter().filter_map(edge).map(|neighbor| neighbor.edge));
            let is_new =
                if is_vertex { parts.vertices.insert(images[0]) } else { parts.sets.insert(occurrence.clone()) };
            if one_is_enough && !is_new {
                return false;
            }
            for (place, image) in images.iter().enumerate() {
                places[image.index()] = Some(place as u8);
            }
            for (from, &image) in images.iter().enumerate() {
                for neighbor in graph.neighbors(image) {
                    let to = places[neighbor.vertex.index()].map(usize::from);
                    let label = to.is_none().then_some(neighbor.vertex_label);
                    let new = NewEdge { from, to, edge_label: neighbor.edge_label, label };
                    let find = || with_edge(part, new).and_then(|code| candidates.iter().position(|c| c.code == code));
                    let Some(candidate) = *of_edge.entry(new.key()).or_insert_with(find) else { continue };
                    if candidates[candidate].is_open && wholes[candidate].len() < MOST_OCCURRENCES {
                        wholes[candidate].insert(occurrence.with(neighbor.edge));
                    }
                }
            }
            for image in images {
                places[image.index()] = None;
            }
            parts.len() >= MOST_OCCURRENCES
        });
        (parts.len() < MOST_OCCURRENCES).then_some((parts, wholes))
    }

    /// The candidates that are left, in their order, each with the part of the pattern's occurrences that are in one of
    /// its own; of [`ALL`].
    pub(super) fn finish(self) -> impl Iterator<Item = (DfsCode, usize)> {
        let all = self.all;
        let inside = move |outside: usize| (all - outside) * ALL / all.max(1);
        self.candidates.into_iter().filter(|known| known.is_open).map(move |known| (known.code, inside(known.outside)))
    }
}

/// The occurrences of a pattern in one graph.
struct Parts<S> {
    sets: FxHashSet<S>,
    /// Instead of them if the pattern is a single vertex.
    vertices: FxHashSet<VertexId>,
}

impl<S: EdgeSet> Parts<S> {
    fn len(&self) -> usize {
        self.sets.len() + self.vertices.len()
    }

    /// Those that are in none of these occurrences, which have one edge more.
    fn num_outside(&self, wholes: &FxHashSet<S>, graph: &Graph) -> usize {
        if self.sets.is_empty() {
            let is_end = |vertex: &VertexId| {
                graph.neighbors(*vertex).iter().any(|near| wholes.contains(&S::of(std::iter::once(near.edge))))
            };
            return self.vertices.iter().filter(|vertex| !is_end(vertex)).count();
        }
        let mut inside = FxHashSet::default();
        for whole in wholes {
            whole.each_without(|rest| {
                if self.sets.contains(rest) {
                    inside.insert(rest.clone());
                }
            });
        }
        self.sets.len() - inside.len()
    }
}
