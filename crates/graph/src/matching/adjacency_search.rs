//! The general search of the matcher: graphs of any size, along their adjacency lists.
//!
//! Promise: the same embeddings, in the same order, as [`super::bitset_search`]: candidates of a step are tried in
//! increasing order. Domains are bit sets over all vertices, kept from pattern to pattern until they fill
//! [`MAX_WORDS`].

use super::backtrack::{CandidateSource, backtrack};
use super::index::PatternIndex;
use super::plan::{Anchor, SearchPlan};
use super::shape::Link;
use crate::bitset::{contains_bit, insert_bit, remove_bit, words_for};
use crate::graph::{Graph, Neighbor};
use crate::ids::{Label, VertexId};
use crate::ring_edges::RingEdges;

/// Largest size of all domains, in words of 64 vertices: 32 MiB.
const MAX_WORDS: usize = 1 << 22;

/// The domains found so far in one graph.
#[derive(Clone, Debug, Default)]
pub(super) struct AdjacencySearch {
    /// Words in a domain.
    words: usize,
    age: u32,
    /// For each shape the age and the index of its domain in `domains`.
    positions: Vec<(u32, u32)>,
    domains: Vec<u64>,
    /// Vertices by label number, increasing: those of label `l` at `by_label[starts[l]..starts[l + 1]]`.
    by_label: Vec<u32>,
    starts: Vec<u32>,
    used: Vec<u64>,
    /// By step of the current search: the next index in the neighbours of one anchor's image.
    cursors: Vec<u32>,
    images: Vec<u32>,
}

/// A graph with its ring edges, in the vocabulary of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) index: &'a PatternIndex,
    pub(super) graph: &'a Graph,
    pub(super) rings: &'a RingEdges,
}

impl<'a> View<'a> {
    /// Whether an edge with the label of a kind is of that kind.
    #[inline]
    fn ring_fits(self, kind: u32, neighbor: &Neighbor) -> bool {
        kind.is_multiple_of(2) || self.rings.contains(neighbor.edge)
    }

    fn edge_label(self, kind: u32) -> Label {
        self.index.edge_labels.label(kind / 2)
    }

    /// The neighbours over edges of one label that carry one vertex label, by increasing vertex.
    fn neighbors(self, vertex: u32, edge_label: Label, vertex_label: Label) -> &'a [Neighbor] {
        let all = self.graph.neighbors(VertexId(vertex));
        let wanted = (edge_label, vertex_label);
        let start = all.partition_point(|n| (n.edge_label, n.vertex_label) < wanted);
        let len = all[start..].partition_point(|n| (n.edge_label, n.vertex_label) == wanted);
        &all[start..start + len]
    }
}

impl AdjacencySearch {
    pub(super) fn load(&mut self, view: View<'_>) {
        let (index, graph) = (view.index, view.graph);
        self.words = words_for(graph.num_vertices());
        self.positions.clear();
        self.positions.resize(index.shapes.len(), (0, 0));
        self.age = 1;
        self.domains.clear();
        self.used.clear();
        self.used.resize(self.words, 0);
        self.starts.clear();
        self.starts.resize(index.vertex_labels.len() + 2, 0);
        // Vertices whose label no pattern has come after the last number.
        let unknown = index.vertex_labels.len() as u32;
        let number = |label: Label| index.vertex_labels.number(label).min(unknown) as usize;
        for &label in graph.vertex_labels() {
            self.starts[number(label) + 1] += 1;
        }
        for at in 1..self.starts.len() {
            self.starts[at] += self.starts[at - 1];
        }
        self.by_label.clear();
        self.by_label.resize(graph.num_vertices(), 0);
        for (vertex, &label) in graph.vertex_labels().iter().enumerate().rev() {
            // Fill from behind, so that the end of a group becomes its start.
            let end = &mut self.starts[number(label) + 1];
            *end -= 1;
            self.by_label[*end as usize] = vertex as u32;
        }
        self.starts.push(graph.num_vertices() as u32);
        self.starts.remove(0);
    }

    fn has_shape(&self, shape: u32, vertex: u32) -> bool {
        let (age, position) = self.positions[shape as usize];
        debug_assert_eq!(age, self.age);
        contains_bit(&self.domains[position as usize * self.words..], vertex as usize)
    }

    /// Finds the domains of all shapes of a plan; `false` if one of them is empty.
    pub(super) fn find_domains(&mut self, view: View<'_>, plan: &SearchPlan) -> bool {
        if self.domains.len() > MAX_WORDS {
            self.age += 1;
            self.domains.clear();
        }
        plan.shapes.iter().all(|&shape| self.find_domain(view, shape))
    }

    /// Finds the domain of a shape whose links' shapes are done; `false` if it is empty.
    fn find_domain(&mut self, view: View<'_>, shape: u32) -> bool {
        let (age, position) = self.positions[shape as usize];
        if age == self.age {
            return self.domains[position as usize * self.words..][..self.words].iter().any(|&word| word != 0);
        }
        let start = self.domains.len();
        self.positions[shape as usize] = (self.age, (start / self.words) as u32);
        self.domains.resize(start + self.words, 0);
        let (label, qualifiers) = (view.index.shapes.label(shape) as usize, view.index.shapes.qualifiers(shape));
        let mut any = false;
        for at in self.starts[label]..self.starts[label + 1] {
            let vertex = self.by_label[at as usize];
            let has = view.graph.qualifiers(VertexId(vertex));
            let mut links = view.index.shapes.links_of(shape);
            if has & qualifiers == qualifiers
                && links.all(|at| self.has_link(view, vertex, view.index.shapes.link_at(at).1))
            {
                insert_bit(&mut self.domains[start..], vertex as usize);
                any = true;
            }
        }
        any
    }

    fn has_link(&self, view: View<'_>, vertex: u32, link: Link) -> bool {
        let vertex_label = view.index.vertex_labels.label(view.index.shapes.label(link.shape));
        view.neighbors(vertex, view.edge_label(link.kind), vertex_label)
            .iter()
            .filter(|n| view.ring_fits(link.kind, n) && self.has_shape(link.shape, n.vertex.0))
            .take(link.times as usize)
            .count()
            == link.times as usize
    }

    /// The vertices to which an embedding may map the plan's first vertex, increasing.
    pub(super) fn roots(&mut self, view: View<'_>, plan: &SearchPlan, found: &mut Vec<u32>) {
        if self.find_domains(view, plan) {
            let label = view.index.shapes.label(plan.steps[0].shape) as usize;
            let carriers = &self.by_label[self.starts[label] as usize..self.starts[label + 1] as usize];
            found.extend(carriers.iter().filter(|&&vertex| self.has_shape(plan.steps[0].shape, vertex)));
        }
    }

    /// As [`super::bitset_search::BitsetSearch::search`]. The domains must be known: see [`AdjacencySearch::roots`].
    pub(super) fn search(
        &mut self,
        view: View<'_>,
        plan: &SearchPlan,
        root: u32,
        visit: &mut impl FnMut(&[u32]) -> bool,
    ) -> bool {
        self.images.resize(plan.steps.len(), 0);
        self.cursors.resize(plan.steps.len(), 0);
        self.cursors[0] = 0;
        let mut images = std::mem::take(&mut self.images);
        let stopped = backtrack(&mut AdjacencyCandidates { search: self, view, root }, plan, &mut images, visit);
        self.images = images;
        self.used.fill(0);
        stopped
    }
}

/// The candidates of each step among the neighbours of an image; of the first step, one root.
struct AdjacencyCandidates<'a> {
    search: &'a mut AdjacencySearch,
    view: View<'a>,
    root: u32,
}

impl CandidateSource for AdjacencyCandidates<'_> {
    fn open(&mut self, _: &SearchPlan, at: usize, _: &[u32]) {
        self.search.cursors[at] = 0;
    }

    fn next(&mut self, plan: &SearchPlan, at: usize, images: &[u32]) -> Option<u32> {
        let Self { search, view, root } = self;
        let from = search.cursors[at] as usize;
        if at == 0 {
            search.cursors[0] = 1;
            return (from == 0).then_some(*root);
        }
        let step = &plan.steps[at];
        let anchors = &plan.anchors[step.anchors.start as usize..step.anchors.end as usize];
        let label = view.index.vertex_labels.label(view.index.shapes.label(step.shape));
        let image = |anchor: &Anchor| images[anchor.position as usize];
        let nearest = anchors.iter().min_by_key(|a| view.graph.degree(VertexId(image(a))))?;
        let around = view.neighbors(image(nearest), view.edge_label(nearest.kind), label);
        let joined = |neighbor: &Neighbor, anchor: &Anchor| {
            let list = view.neighbors(image(anchor), view.edge_label(anchor.kind), label);
            list.binary_search_by_key(&neighbor.vertex, |n| n.vertex)
                .is_ok_and(|at| view.ring_fits(anchor.kind, &list[at]))
        };
        let fits = |neighbor: &Neighbor| {
            let vertex = neighbor.vertex.0;
            !contains_bit(&search.used, vertex as usize)
                && search.has_shape(step.shape, vertex)
                && anchors.iter().all(|anchor| joined(neighbor, anchor))
        };
        let found = around[from..].iter().position(fits);
        search.cursors[at] = found.map_or(around.len(), |offset| from + offset + 1) as u32;
        found.map(|offset| around[from + offset].vertex.0)
    }

    fn occupy(&mut self, vertex: u32) {
        insert_bit(&mut self.search.used, vertex as usize);
    }

    fn release(&mut self, vertex: u32) {
        remove_bit(&mut self.search.used, vertex as usize);
    }
}
