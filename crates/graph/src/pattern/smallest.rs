//! The smallest DFS code of a pattern whose edges come in any order.
//!
//! Promise: [`Smallest::of`] spells the smallest code over all depth-first walks of the pattern, so two
//! patterns are isomorphic exactly if it spells the same for both. All walks that spell the smallest code so far go
//! on side by side. Leaves that look alike and hang on the same vertex are interchangeable, so only
//! walks that take them in order are followed: without that a star of k leaves would have k! walks.
//!
//! Vertices are bits of a `u32`, as in `canonical.rs`. Tested against the oracle, which spells all walks.

use super::canonical::{MAX_VERTICES, bits};
use super::dfs_code::{DfsCode, DfsEdge};
use crate::graph::Graph;
use crate::ids::Label;

/// One walk that spells the code so far.
#[derive(Clone, Copy)]
struct Walker {
    /// Pattern vertex that plays the part of each code vertex.
    image: [u8; MAX_VERTICES],
    /// Pattern vertices in use, as bits.
    used: u32,
    /// Those already joined to the image of the rightmost vertex, as bits.
    joined: u32,
}

/// Finds smallest codes, with its working memory.
///
/// ```
/// use einsicht_graph::pattern::{DfsEdge, Smallest};
/// use einsicht_graph::Label;
/// let edge = |from, to, a, b| DfsEdge { from, to, from_label: Label(a), edge_label: Label(0), to_label: Label(b) };
/// // A path with labels 1, 0, 1, walked from its middle.
/// let mut smallest = Smallest::default();
/// let code = smallest.of(&[edge(4, 2, 0, 1), edge(4, 7, 0, 1)]);
/// assert_eq!(code, [edge(0, 1, 0, 1), edge(0, 2, 0, 1)]);
/// ```
#[derive(Default)]
pub struct Smallest {
    /// Neighbours of each vertex as bits.
    adjacent: Vec<u32>,
    /// Label of the edge between two vertices, `MAX_VERTICES` a row; only entries of edges are meaningful.
    edge_labels: Vec<Label>,
    vertex_labels: Vec<Label>,
    /// For each leaf the leaves before it that it could change places with, as bits.
    twins: Vec<u32>,
    walkers: Vec<Walker>,
    next: Vec<Walker>,
    rightmost_path: Vec<u8>,
    code: Vec<DfsEdge>,
}

impl Smallest {
    /// The smallest code of the pattern with these edges, which must hang together. The vertices are
    /// numbered in any way below [`MAX_VERTICES`].
    ///
    /// # Panics
    /// If a vertex has a larger number or the pattern does not hang together.
    pub fn of(&mut self, edges: &[DfsEdge]) -> &[DfsEdge] {
        self.load(edges);
        self.start(edges);
        while self.code.len() < edges.len() {
            let edge = self.smallest_backward().or_else(|| self.smallest_forward());
            let edge = edge.expect("the pattern hangs together");
            self.next.clear();
            if edge.is_forward() {
                self.go_forward(&edge);
            } else {
                self.go_backward(&edge);
            }
            self.code.push(edge);
            std::mem::swap(&mut self.walkers, &mut self.next);
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
            return; // both ends are leaves, and neither hangs on the other
        }
        for leaf in (0..MAX_VERTICES).filter(|&v| self.adjacent[v].is_power_of_two()) {
            let stem = self.adjacent[leaf].trailing_zeros() as usize;
            let alike = |&other: &usize| {
                self.adjacent[other] == self.adjacent[leaf]
                    && self.vertex_labels[other] == self.vertex_labels[leaf]
                    && self.label(stem, other) == self.label(stem, leaf)
            };
            self.twins[leaf] = (0..leaf).filter(alike).fold(0, |bits, other| bits | 1 << other);
        }
    }

    fn label(&self, u: usize, v: usize) -> Label {
        self.edge_labels[u * MAX_VERTICES + v]
    }

    /// Puts a walker on every place where the smallest first edge can lie.
    fn start(&mut self, edges: &[DfsEdge]) {
        let both_ways = |edge: &DfsEdge| {
            let DfsEdge { from, to, from_label, edge_label, to_label } = *edge;
            [(from, to, (from_label, edge_label, to_label)), (to, from, (to_label, edge_label, from_label))]
        };
        self.walkers.clear();
        self.code.clear();
        let Some(first) = edges.iter().flat_map(both_ways).map(|(_, _, labels)| labels).min() else { return };
        for (u, v, labels) in edges.iter().flat_map(both_ways) {
            if labels == first && self.twins[u as usize] | self.twins[v as usize] == 0 {
                let mut image = [0; MAX_VERTICES];
                image[0] = u as u8;
                image[1] = v as u8;
                self.walkers.push(Walker { image, used: 1 << u | 1 << v, joined: 1 << u });
            }
        }
        let (from_label, edge_label, to_label) = first;
        self.code.push(DfsEdge { from: 0, to: 1, from_label, edge_label, to_label });
        self.rightmost_path.clear();
        self.rightmost_path.extend([0, 1]);
    }

    fn rightmost(&self) -> usize {
        usize::from(*self.rightmost_path.last().expect("a walk has begun"))
    }

    /// The smallest backward edge over all walkers: to the earliest vertex, then by label.
    fn smallest_backward(&self) -> Option<DfsEdge> {
        let rightmost = self.rightmost();
        let mut best: Option<(u8, Label)> = None;
        let mut labels = (Label(0), Label(0));
        for walker in &self.walkers {
            let here = walker.image[rightmost] as usize;
            let open = self.adjacent[here] & walker.used & !walker.joined;
            let Some(&reached) = self.rightmost_path.iter().find(|&&q| open >> walker.image[q as usize] & 1 == 1)
            else {
                continue;
            };
            let there = walker.image[reached as usize] as usize;
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

    fn go_backward(&mut self, edge: &DfsEdge) {
        for walker in &self.walkers {
            let here = walker.image[edge.from as usize] as usize;
            let there = walker.image[edge.to as usize] as usize;
            let open = self.adjacent[here] & !walker.joined;
            if open >> there & 1 == 1 && self.label(here, there) == edge.edge_label {
                self.next.push(Walker { joined: walker.joined | 1 << there, ..*walker });
            }
        }
    }

    /// The smallest forward edge over all walkers: from the deepest vertex, then by labels.
    fn smallest_forward(&self) -> Option<DfsEdge> {
        let to = self.walkers.first()?.used.count_ones();
        self.rightmost_path.iter().rev().find_map(|&from| {
            let mut best: Option<(Label, Label)> = None;
            let mut from_label = Label(0);
            for walker in &self.walkers {
                let here = walker.image[from as usize] as usize;
                for there in bits(self.adjacent[here] & !walker.used) {
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

    fn go_forward(&mut self, edge: &DfsEdge) {
        for walker in &self.walkers {
            let from = walker.image[edge.from as usize] as usize;
            for to in bits(self.adjacent[from] & !walker.used) {
                let first_of_its_kind = self.twins[to] & !walker.used == 0;
                let found = (self.edge_labels[from * MAX_VERTICES + to], self.vertex_labels[to]);
                if first_of_its_kind && found == (edge.edge_label, edge.to_label) {
                    let mut moved = Walker { used: walker.used | 1 << to, joined: 1 << from, ..*walker };
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
    /// The smallest code of a connected graph with at least one edge; `None` for any other graph and
    /// for one of more than [`MAX_VERTICES`] vertices.
    pub fn minimum_of(graph: &Graph) -> Option<Self> {
        let fits = graph.num_vertices() <= MAX_VERTICES;
        if !fits || graph.num_edges() == 0 || graph.components().iter().any(|&c| c != 0) {
            return None;
        }
        let edges: Vec<DfsEdge> = graph
            .edges()
            .iter()
            .map(|edge| DfsEdge {
                from: edge.from.0,
                to: edge.to.0,
                from_label: graph.vertex_label(edge.from),
                edge_label: edge.label,
                to_label: graph.vertex_label(edge.to),
            })
            .collect();
        Some(Self::from_edges_unchecked(Smallest::default().of(&edges).to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_of_many_equal_leaves_is_one_walk() {
        let leaf = |to| DfsEdge { from: 9, to, from_label: Label(0), edge_label: Label(0), to_label: Label(0) };
        let edges: Vec<DfsEdge> = (10..32).chain(0..9).map(leaf).collect();
        let mut smallest = Smallest::default();
        assert_eq!(smallest.of(&edges).len(), 31);
        assert_eq!(smallest.walkers.len(), 1);
    }
}
