//! The fast path: graphs of at most 64, 128 or 512 vertices, whose sets of vertices are single words or a few of them.
//!
//! Promise: the same answers, in the same order, as [`super::wide`]. A graph is encoded once, as one row of
//! neighbour bits for each vertex and kind of edge; then a step of the search is a handful of `and`s.

use super::index::Index;
use super::labels::UNKNOWN;
use super::plan::{Plan, edge_kind};
use super::ring::Rings;
use super::shape::{Link, MOST_TIMES};
use super::word::Word;
use crate::graph::Graph;

/// A set that is valid while its age is that of the graph.
#[derive(Clone, Copy, Debug, Default)]
struct Memo<W> {
    set: W,
    age: u32,
}

/// One graph, encoded, with everything found out about it so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Narrow<W> {
    len: usize,
    /// Neighbours of vertex `v` over edges of kind `k`, at `k * len + v`.
    rows: Vec<W>,
    /// Vertices by label number.
    labels: Vec<W>,
    age: u32,
    domains: Vec<Memo<W>>,
    reaches: Vec<Memo<W>>,
    /// Candidates left for each step of the search under way, and the vertex it stands at.
    candidates: Vec<W>,
    images: Vec<u32>,
}

impl<W: Word> Narrow<W> {
    /// Takes a graph in; `rings` holds its ring edges if the set asks for them.
    pub(super) fn load(&mut self, index: &Index, graph: &Graph, rings: &Rings) {
        debug_assert!(graph.num_vertices() <= W::BITS);
        self.len = graph.num_vertices();
        // Everything remembered is older than the new age, whichever set it belonged to.
        if self.age == u32::MAX {
            self.age = 0;
            self.domains.clear();
            self.reaches.clear();
        }
        self.age += 1;
        self.domains.resize(index.shapes.len(), Memo::default());
        self.reaches.resize(index.shapes.num_links(), Memo::default());
        self.labels.clear();
        self.labels.resize(index.vertex_labels.len(), W::default());
        for (vertex, &label) in graph.vertex_labels().iter().enumerate() {
            let number = index.vertex_labels.number(label);
            if number != UNKNOWN {
                self.labels[number as usize] |= W::one(vertex as u32);
            }
        }
        self.rows.clear();
        self.rows.resize(2 * index.edge_labels.len() * self.len, W::default());
        for (id, edge) in graph.edges().iter().enumerate() {
            let number = index.edge_labels.number(edge.label);
            if number == UNKNOWN {
                continue;
            }
            let (from, to) = (W::one(edge.from.0), W::one(edge.to.0));
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
    fn domain(&mut self, index: &Index, shape: u32) -> W {
        let memo = self.domains[shape as usize];
        if memo.age == self.age {
            return memo.set;
        }
        let mut found = self.labels[index.shapes.label(shape) as usize];
        for place in index.shapes.links_of(shape) {
            if found == W::default() {
                break;
            }
            let (id, link) = index.shapes.link_at(place);
            found &= self.reach(index, id, link);
        }
        self.domains[shape as usize] = Memo { set: found, age: self.age };
        found
    }

    /// The vertices with enough neighbours of a shape.
    fn reach(&mut self, index: &Index, id: u32, link: Link) -> W {
        let memo = self.reaches[id as usize];
        if memo.age == self.age {
            return memo.set;
        }
        let mut left = self.domain(index, link.shape);
        let rows = &self.rows[link.kind as usize * self.len..][..self.len];
        let found = if link.times == 1 {
            let mut found = W::default();
            while left != W::default() {
                found |= rows[left.first() as usize];
                left = left.rest();
            }
            found
        } else {
            // `seen[t]`: vertices with more than `t` such neighbours so far.
            let mut seen = [W::default(); MOST_TIMES as usize];
            while left != W::default() {
                let row = rows[left.first() as usize];
                for t in (1..MOST_TIMES as usize).rev() {
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
    pub(super) fn roots(&mut self, index: &Index, plan: &Plan, found: &mut Vec<u32>) {
        let mut left = self.domain(index, plan.steps[0].shape);
        while left != W::default() {
            found.push(left.first());
            left = left.rest();
        }
    }

    /// Shows `visit` the embeddings, as images of the plan's steps, until it answers `true`; says whether it did.
    #[inline]
    pub(super) fn search(&mut self, index: &Index, plan: &Plan, visit: &mut impl FnMut(&[u32]) -> bool) -> bool {
        let roots = self.domain(index, plan.steps[0].shape);
        roots != W::default() && self.search_among(plan, roots, visit)
    }

    /// As [`Narrow::search`], for embeddings that map the plan's first vertex to `root`.
    pub(super) fn search_from(
        &mut self,
        index: &Index,
        plan: &Plan,
        root: u32,
        visit: &mut impl FnMut(&[u32]) -> bool,
    ) -> bool {
        let roots = self.domain(index, plan.steps[0].shape) & W::one(root);
        roots != W::default() && self.search_among(plan, roots, visit)
    }

    /// The domain of the first step is not empty, so those of all steps were found.
    fn search_among(&mut self, plan: &Plan, roots: W, visit: &mut impl FnMut(&[u32]) -> bool) -> bool {
        let last = plan.steps.len() - 1;
        if self.candidates.len() <= last {
            self.candidates.resize(last + 1, W::default());
            self.images.resize(last + 1, 0);
        }
        let (mut used, mut at) = (W::default(), 0);
        self.candidates[0] = roots;
        // HOT: a few nanoseconds a turn, so nothing here but words and array accesses.
        loop {
            let left = self.candidates[at];
            if left == W::default() {
                if at == 0 {
                    return false;
                }
                at -= 1;
                used &= !W::one(self.images[at]);
                continue;
            }
            let vertex = left.first();
            self.images[at] = vertex;
            self.candidates[at] = left.rest();
            if at == last {
                if visit(&self.images[..=last]) {
                    return true;
                }
                continue;
            }
            used |= W::one(vertex);
            at += 1;
            let step = &plan.steps[at];
            let mut fits = self.domains[step.shape as usize].set & !used;
            for anchor in &plan.anchors[step.anchors.start as usize..step.anchors.end as usize] {
                let image = self.images[anchor.position as usize] as usize;
                fits &= self.rows[anchor.kind as usize * self.len + image];
            }
            self.candidates[at] = fits;
        }
    }
}
