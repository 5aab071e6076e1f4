//! The fast search of the matcher: graphs of at most 64, 128 or 512 vertices, whose vertex sets are one word or a few.
//!
//! Promise: the same embeddings, in the same order, as [`super::adjacency_search`]. A graph is encoded once, as one row
//! of neighbour bits per vertex and kind of edge; then a step of the search is a handful of `and`s.

use super::backtrack::{CandidateSource, backtrack};
use super::index::PatternIndex;
use super::labels::UNKNOWN;
use super::plan::{SearchPlan, edge_kind};
use super::shape::{Link, MAX_TIMES};
use crate::bitset::VertexSet;
use crate::graph::Graph;
use crate::ring_edges::RingEdges;

/// A set that is valid while its age is that of the graph.
#[derive(Clone, Copy, Debug, Default)]
struct Memo<S> {
    set: S,
    age: u32,
}

/// One graph, encoded, with the domains found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct BitsetSearch<S> {
    len: usize,
    /// Neighbours of vertex `v` over edges of kind `k`, at `k * len + v`.
    rows: Vec<S>,
    /// Vertices by label number.
    labels: Vec<S>,
    /// Qualifiers of each vertex as bits; empty if the graph has none.
    qualifiers: Vec<u64>,
    age: u32,
    domains: Vec<Memo<S>>,
    reaches: Vec<Memo<S>>,
    /// By step of the current search: the candidates left, and the current image.
    candidates: Vec<S>,
    images: Vec<u32>,
}

impl<S: VertexSet> BitsetSearch<S> {
    /// Loads a graph; `rings` holds its ring edges if the patterns have rings.
    pub(super) fn load(&mut self, index: &PatternIndex, graph: &Graph, rings: &RingEdges) {
        debug_assert!(graph.num_vertices() <= S::BITS);
        self.len = graph.num_vertices();
        // All memos are older than the new age, whichever pattern set they belong to.
        if self.age == u32::MAX {
            self.age = 0;
            self.domains.clear();
            self.reaches.clear();
        }
        self.age += 1;
        self.domains.resize(index.shapes.len(), Memo::default());
        self.reaches.resize(index.shapes.num_links(), Memo::default());
        self.labels.clear();
        self.labels.resize(index.vertex_labels.len(), S::default());
        for (vertex, &label) in graph.vertex_labels().iter().enumerate() {
            let number = index.vertex_labels.number(label);
            if number != UNKNOWN {
                self.labels[number as usize] |= S::one(vertex as u32);
            }
        }
        self.qualifiers.clear();
        self.qualifiers.extend_from_slice(graph.all_qualifiers());
        self.rows.clear();
        self.rows.resize(2 * index.edge_labels.len() * self.len, S::default());
        for (id, edge) in graph.edges().iter().enumerate() {
            let number = index.edge_labels.number(edge.label);
            if number == UNKNOWN {
                continue;
            }
            let (from, to) = (S::one(edge.from.0), S::one(edge.to.0));
            let at = edge_kind(number, false) as usize * self.len;
            self.rows[at + edge.from.index()] |= to;
            self.rows[at + edge.to.index()] |= from;
            if index.needs_rings && rings.contains((id as u32).into()) {
                let at = edge_kind(number, true) as usize * self.len;
                self.rows[at + edge.from.index()] |= to;
                self.rows[at + edge.to.index()] |= from;
            }
        }
    }

    /// The vertices that have a shape.
    fn domain(&mut self, index: &PatternIndex, shape: u32) -> S {
        let memo = self.domains[shape as usize];
        if memo.age == self.age {
            return memo.set;
        }
        let mut found = self.labels[index.shapes.label(shape) as usize];
        let qualifiers = index.shapes.qualifiers(shape);
        if qualifiers != 0 {
            found = self.qualified(found, qualifiers);
        }
        for at in index.shapes.links_of(shape) {
            if found == S::default() {
                break;
            }
            let (id, link) = index.shapes.link_at(at);
            found &= self.reach(index, id, link);
        }
        self.domains[shape as usize] = Memo { set: found, age: self.age };
        found
    }

    /// Those of some vertices that have all these qualifiers.
    fn qualified(&self, mut left: S, qualifiers: u64) -> S {
        let mut found = S::default();
        while left != S::default() {
            let vertex = left.first();
            if self.qualifiers.get(vertex as usize).is_some_and(|has| has & qualifiers == qualifiers) {
                found |= S::one(vertex);
            }
            left = left.rest();
        }
        found
    }

    /// The vertices with enough neighbours of a shape.
    fn reach(&mut self, index: &PatternIndex, id: u32, link: Link) -> S {
        let memo = self.reaches[id as usize];
        if memo.age == self.age {
            return memo.set;
        }
        let mut left = self.domain(index, link.shape);
        let rows = &self.rows[link.kind as usize * self.len..][..self.len];
        let found = if link.times == 1 {
            let mut found = S::default();
            while left != S::default() {
                found |= rows[left.first() as usize];
                left = left.rest();
            }
            found
        } else {
            // `seen[t]`: vertices with more than `t` such neighbours so far.
            let mut seen = [S::default(); MAX_TIMES as usize];
            while left != S::default() {
                let row = rows[left.first() as usize];
                for t in (1..MAX_TIMES as usize).rev() {
                    seen[t] |= seen[t - 1] & row;
                }
                seen[0] |= row;
                left = left.rest();
            }
            seen[link.times as usize - 1]
        };
        self.reaches[id as usize] = Memo { set: found, age: self.age };
        found
    }

    /// The vertices to which an embedding may map the plan's first vertex, increasing.
    pub(super) fn roots(&mut self, index: &PatternIndex, plan: &SearchPlan, found: &mut Vec<u32>) {
        let mut left = self.domain(index, plan.steps[0].shape);
        while left != S::default() {
            found.push(left.first());
            left = left.rest();
        }
    }

    /// Shows `visit` the embeddings, as images of the plan's steps, until it returns `true`; returns whether it did.
    #[inline]
    pub(super) fn search(
        &mut self,
        index: &PatternIndex,
        plan: &SearchPlan,
        visit: &mut impl FnMut(&[u32]) -> bool,
    ) -> bool {
        let roots = self.domain(index, plan.steps[0].shape);
        roots != S::default() && self.search_among(plan, roots, visit)
    }

    /// As [`BitsetSearch::search`], for embeddings that map the plan's first vertex to `root`.
    pub(super) fn search_from(
        &mut self,
        index: &PatternIndex,
        plan: &SearchPlan,
        root: u32,
        visit: &mut impl FnMut(&[u32]) -> bool,
    ) -> bool {
        let roots = self.domain(index, plan.steps[0].shape) & S::one(root);
        roots != S::default() && self.search_among(plan, roots, visit)
    }

    /// The domain of the first step is not empty, so those of all steps were found.
    fn search_among(&mut self, plan: &SearchPlan, roots: S, visit: &mut impl FnMut(&[u32]) -> bool) -> bool {
        if self.candidates.len() < plan.steps.len() {
            self.candidates.resize(plan.steps.len(), S::default());
            self.images.resize(plan.steps.len(), 0);
        }
        self.candidates[0] = roots;
        let Self { len, rows, domains, candidates, images, .. } = self;
        let mut source = BitsetCandidates { len: *len, rows, domains, candidates, used: S::default() };
        backtrack(&mut source, plan, images, visit)
    }
}

/// The candidates of each step as sets.
struct BitsetCandidates<'a, S> {
    len: usize,
    rows: &'a [S],
    domains: &'a [Memo<S>],
    candidates: &'a mut [S],
    used: S,
}

impl<S: VertexSet> CandidateSource for BitsetCandidates<'_, S> {
    #[inline(always)]
    fn open(&mut self, plan: &SearchPlan, at: usize, images: &[u32]) {
        let step = &plan.steps[at];
        let mut fits = self.domains[step.shape as usize].set & !self.used;
        for anchor in &plan.anchors[step.anchors.start as usize..step.anchors.end as usize] {
            let image = images[anchor.position as usize] as usize;
            fits &= self.rows[anchor.kind as usize * self.len + image];
        }
        self.candidates[at] = fits;
    }

    #[inline(always)]
    fn next(&mut self, _: &SearchPlan, at: usize, _: &[u32]) -> Option<u32> {
        let left = self.candidates[at];
        (left != S::default()).then(|| {
            self.candidates[at] = left.rest();
            left.first()
        })
    }

    #[inline(always)]
    fn occupy(&mut self, vertex: u32) {
        self.used |= S::one(vertex);
    }

    #[inline(always)]
    fn release(&mut self, vertex: u32) {
        self.used &= !S::one(vertex);
    }
}
