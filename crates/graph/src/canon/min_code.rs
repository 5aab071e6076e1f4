//! The minimum DFS code of a pattern whose edges come in any order.
//!
//! Promise: [`MinCodeFinder::find`] returns the minimum code over all depth-first searches of the pattern, so two
//! patterns are isomorphic exactly if their results are equal. All traversals that spell the minimum code so far
//! advance in parallel. Leaves of one vertex with equal labels are interchangeable, so only traversals that take them
//! in order are followed: without that a star of k leaves would have k! traversals.
//!
//! Vertices are bits of a `u32`, as in `minimality.rs`. Tested against the oracle, which spells all codes.

use super::dfs_code::{DfsCode, DfsEdge};
use super::minimality::MAX_VERTICES;
use crate::bitset::ones;
use crate::graph::Graph;
use crate::ids::{Label, Qualifier, VertexId};
use crate::stop;

/// One traversal that spells the code so far.
#[derive(Clone, Copy)]
struct Traversal {
    /// Pattern vertex to which each code vertex is mapped.
    image: [u8; MAX_VERTICES],
    /// Used pattern vertices, as bits.
    used: u32,
    /// Those already joined to the image of the rightmost vertex, as bits.
    joined: u32,
}

/// Finds minimum codes, with its working memory.
///
/// ```
/// use einsicht_graph::{DfsEdge, Label, MinCodeFinder};
/// let edge = |from, to, a, b| DfsEdge { from, to, from_label: Label(a), edge_label: Label(0), to_label: Label(b) };
/// // A path with labels 1, 0, 1, given from its middle.
/// let mut finder = MinCodeFinder::default();
/// let code = finder.find(&[edge(4, 2, 0, 1), edge(4, 7, 0, 1)]);
/// assert_eq!(code, [edge(0, 1, 0, 1), edge(0, 2, 0, 1)]);
/// ```
#[derive(Default)]
pub struct MinCodeFinder {
    /// Neighbours of each vertex as bits.
    adjacent: Vec<u32>,
    /// Label of the edge between two vertices, `MAX_VERTICES` per row; only entries of edges are meaningful.
    edge_labels: Vec<Label>,
    vertex_labels: Vec<Label>,
    /// Qualifiers of each vertex as bits: leaves that differ in them are not interchangeable.
    qualifiers: Vec<u64>,
    /// For each leaf the interchangeable leaves before it, as bits.
    twins: Vec<u32>,
    traversals: Vec<Traversal>,
    next: Vec<Traversal>,
    rightmost_path: Vec<u8>,
    code: Vec<DfsEdge>,
}

impl MinCodeFinder {
    /// The minimum code of the pattern with these edges, which must be connected. The vertices are numbered in any way
    /// below [`MAX_VERTICES`].
    ///
    /// # Panics
    /// If a vertex has a larger number or the pattern is not connected.
    pub fn find(&mut self, edges: &[DfsEdge]) -> &[DfsEdge] {
        self.qualifiers.clear();
        self.find_qualified(edges)
    }

    /// The same; all traversals that spell the code stay, up to leaves with the same labels and qualifiers.
    fn find_qualified(&mut self, edges: &[DfsEdge]) -> &[DfsEdge] {
        self.qualifiers.resize(MAX_VERTICES, 0);
        self.load(edges);
        self.start(edges);
        while self.code.len() < edges.len() {
            stop::work(self.traversals.len());
            let edge = self.smallest_backward().or_else(|| self.smallest_forward());
            let edge = edge.expect("the pattern is connected");
            self.next.clear();
            if edge.is_forward() {
                self.advance_forward(&edge);
            } else {
                self.advance_backward(&edge);
            }
            self.code.push(edge);
            std::mem::swap(&mut self.traversals, &mut self.next);
        }
        &self.code
    }

    fn load(&mut self, edges: &[DfsEdge]) {
        self.adjacent.clear();
        self.adjacent.resize(MAX_VERTICES, 0);
        self.edge_labels.resize(MAX_VERTICES * MAX_VERTICES, Label(0));
        self.vertex_labels.resize(MAX_VERTICES, Label(0));
        for edge in edges {
            let (u, v) = (edge.from as usize, edge.to as usize);
            self.adjacent[u] |= 1 << v;
            self.adjacent[v] |= 1 << u;
            self.edge_labels[u * MAX_VERTICES + v] = edge.edge_label;
            self.edge_labels[v * MAX_VERTICES + u] = edge.edge_label;
            self.vertex_labels[u] = edge.from_label;
            self.vertex_labels[v] = edge.to_label;
        }
        self.twins.clear();
        self.twins.resize(MAX_VERTICES, 0);
        if edges.len() == 1 {
            return; // both ends are leaves of each other
        }
        for leaf in (0..MAX_VERTICES).filter(|&v| self.adjacent[v].is_power_of_two()) {
            let stem = self.adjacent[leaf].trailing_zeros() as usize;
            let is_twin = |&other: &usize| {
                self.adjacent[other] == self.adjacent[leaf]
                    && self.vertex_labels[other] == self.vertex_labels[leaf]
                    && self.qualifiers[other] == self.qualifiers[leaf]
                    && self.label(stem, other) == self.label(stem, leaf)
            };
            self.twins[leaf] = (0..leaf).filter(is_twin).fold(0, |bits, other| bits | 1 << other);
        }
    }

    fn label(&self, u: usize, v: usize) -> Label {
        self.edge_labels[u * MAX_VERTICES + v]
    }

    /// Starts a traversal at every edge with the smallest labels.
    fn start(&mut self, edges: &[DfsEdge]) {
        let both_ways = |edge: &DfsEdge| {
            let reversed = edge.reversed();
            [(edge.from, edge.to, edge.labels()), (edge.to, edge.from, reversed.labels())]
        };
        self.traversals.clear();
        self.code.clear();
        let Some(first) = edges.iter().flat_map(both_ways).map(|(_, _, labels)| labels).min() else { return };
        for (u, v, labels) in edges.iter().flat_map(both_ways) {
            if labels == first && self.twins[u as usize] | self.twins[v as usize] == 0 {
                let mut image = [0; MAX_VERTICES];
                image[0] = u as u8;
                image[1] = v as u8;
                self.traversals.push(Traversal { image, used: 1 << u | 1 << v, joined: 1 << u });
            }
        }
        let (from_label, edge_label, to_label) = first;
        self.code.push(DfsEdge { from: 0, to: 1, from_label, edge_label, to_label });
        self.rightmost_path.clear();
        self.rightmost_path.extend([0, 1]);
    }

    fn rightmost(&self) -> usize {
        usize::from(*self.rightmost_path.last().expect("a traversal has started"))
    }

    /// The smallest backward edge over all traversals: to the earliest vertex, then by label.
    fn smallest_backward(&self) -> Option<DfsEdge> {
        let rightmost = self.rightmost();
        let mut best: Option<(u8, Label)> = None;
        let mut labels = (Label(0), Label(0));
        for traversal in &self.traversals {
            let here = traversal.image[rightmost] as usize;
            let open = self.adjacent[here] & traversal.used & !traversal.joined;
            let Some(&reached) = self.rightmost_path.iter().find(|&&q| open >> traversal.image[q as usize] & 1 == 1)
            else {
                continue;
            };
            let there = traversal.image[reached as usize] as usize;
            let found = (reached, self.label(here, there));
            if best.is_none_or(|best| found < best) {
                best = Some(found);
                labels = (self.vertex_labels[here], self.vertex_labels[there]);
            }
        }
        best.map(|(reached, edge_label)| DfsEdge {
            from: rightmost as u32,
            to: u32::from(reached),
            from_label: labels.0,
            edge_label,
            to_label: labels.1,
        })
    }

    fn advance_backward(&mut self, edge: &DfsEdge) {
        for traversal in &self.traversals {
            let here = traversal.image[edge.from as usize] as usize;
            let there = traversal.image[edge.to as usize] as usize;
            let open = self.adjacent[here] & !traversal.joined;
            if open >> there & 1 == 1 && self.label(here, there) == edge.edge_label {
                self.next.push(Traversal { joined: traversal.joined | 1 << there, ..*traversal });
            }
        }
    }

    /// The smallest forward edge over all traversals: from the deepest vertex, then by labels.
    fn smallest_forward(&self) -> Option<DfsEdge> {
        let to = self.traversals.first()?.used.count_ones();
        self.rightmost_path.iter().rev().find_map(|&from| {
            let mut best: Option<(Label, Label)> = None;
            let mut from_label = Label(0);
            for traversal in &self.traversals {
                let here = traversal.image[from as usize] as usize;
                for there in ones(self.adjacent[here] & !traversal.used) {
                    let found = (self.label(here, there), self.vertex_labels[there]);
                    if best.is_none_or(|best| found < best) {
                        best = Some(found);
                    }
                    from_label = self.vertex_labels[here];
                }
            }
            let (edge_label, to_label) = best?;
            Some(DfsEdge { from: u32::from(from), to, from_label, edge_label, to_label })
        })
    }

    fn advance_forward(&mut self, edge: &DfsEdge) {
        for traversal in &self.traversals {
            let from = traversal.image[edge.from as usize] as usize;
            for to in ones(self.adjacent[from] & !traversal.used) {
                let is_first_twin = self.twins[to] & !traversal.used == 0;
                let found = (self.edge_labels[from * MAX_VERTICES + to], self.vertex_labels[to]);
                if is_first_twin && found == (edge.edge_label, edge.to_label) {
                    let mut moved = Traversal { used: traversal.used | 1 << to, joined: 1 << from, ..*traversal };
                    moved.image[edge.to as usize] = to as u8;
                    self.next.push(moved);
                }
            }
        }
        let cut = self.rightmost_path.iter().position(|&q| u32::from(q) == edge.from).expect("on the path");
        self.rightmost_path.truncate(cut + 1);
        self.rightmost_path.push(edge.to as u8);
    }
}

impl DfsCode {
    /// The minimum code of a connected graph with at least one vertex, with the smallest qualifiers that its
    /// automorphisms allow; `None` for any other graph and for one of more than [`MAX_VERTICES`] vertices.
    pub fn minimum_of(graph: &Graph) -> Option<Self> {
        let fits = (1..=MAX_VERTICES).contains(&graph.num_vertices());
        if !fits || graph.components().iter().any(|&c| c != 0) {
            return None;
        }
        if graph.num_edges() == 0 {
            let qualifiers = qualifiers_of(graph, &[0]);
            return Some(Self::from_parts_unchecked(graph.vertex_labels()[0], Vec::new(), qualifiers));
        }
        let mut finder = MinCodeFinder { qualifiers: graph.all_qualifiers().to_vec(), ..MinCodeFinder::default() };
        let edges = finder.find_qualified(&DfsEdge::list(graph)).to_vec();
        let images = finder.traversals.iter().map(|traversal| &traversal.image[..graph.num_vertices()]);
        let qualifiers = images.map(|image| qualifiers_of(graph, image)).min().unwrap_or_default();
        Some(Self::from_parts_unchecked(edges[0].from_label, edges, qualifiers))
    }
}

/// The qualifiers of a graph, if code vertex `v` is its vertex `image[v]`.
fn qualifiers_of(graph: &Graph, image: &[u8]) -> Vec<Qualifier> {
    let of_vertex = |(vertex, &at): (usize, &u8)| {
        let bits = graph.qualifiers(VertexId(u32::from(at)));
        let values = (0..u64::BITS).filter(move |value| bits >> value & 1 == 1);
        values.map(move |value| Qualifier { vertex: vertex as u32, value })
    };
    image.iter().enumerate().flat_map(of_vertex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_of_many_equal_leaves_is_one_traversal() {
        let leaf = |to| DfsEdge { from: 9, to, from_label: Label(0), edge_label: Label(0), to_label: Label(0) };
        let edges: Vec<DfsEdge> = (10..32).chain(0..9).map(leaf).collect();
        let mut finder = MinCodeFinder::default();
        assert_eq!(finder.find(&edges).len(), 31);
        assert_eq!(finder.traversals.len(), 1);
    }
}
