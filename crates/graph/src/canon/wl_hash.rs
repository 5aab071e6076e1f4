//! An isomorphism-invariant hash of patterns (Weisfeiler-Leman), much faster than a minimum DFS code.
//!
//! Promise: isomorphic patterns have the same hash. Others may collide, so what is stored under a hash must hold for
//! all patterns that have it (`mine/levelwise` stores the union of their supports), or the patterns must be compared
//! ([`WlHash::is_isomorphic_without`]). Colours of vertices are refined by those of their neighbours a few times, then
//! added up.

use super::dfs_code::DfsEdge;
use super::minimality::MAX_VERTICES;
use crate::bitset::reachable;

/// Rounds of colour refinement: enough to distinguish nearly all patterns of some ten edges.
const ROUNDS: usize = 3;

/// One colour per vertex.
pub(crate) type Colors = [u64; MAX_VERTICES];

/// One pattern, which can be hashed with and without single edges.
#[derive(Default)]
pub(crate) struct WlHash {
    /// (first end, second end, colour of the edge).
    edges: Vec<(u8, u8, u64)>,
    /// Colours of the vertices by their labels.
    labels: Vec<u64>,
    /// Number of edges at each vertex.
    degrees: Vec<u8>,
    /// Neighbours as bits.
    adjacent: Vec<u32>,
}

#[inline]
fn mix(x: u64) -> u64 {
    (x ^ x >> 31).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl WlHash {
    pub(crate) fn load(&mut self, code: &[DfsEdge]) {
        self.edges.clear();
        self.labels.clear();
        self.degrees.clear();
        self.adjacent.clear();
        self.labels.push(mix(u64::from(code[0].from_label.0)));
        self.labels.extend(code.iter().filter(|e| e.is_forward()).map(|e| mix(u64::from(e.to_label.0))));
        self.degrees.resize(self.labels.len(), 0);
        self.adjacent.resize(self.labels.len(), 0);
        for edge in code {
            self.push(edge);
        }
    }

    /// Adds an edge between vertices of the pattern, or to one new vertex.
    pub(crate) fn push(&mut self, edge: &DfsEdge) {
        if edge.to as usize == self.labels.len() {
            self.labels.push(mix(u64::from(edge.to_label.0)));
            self.degrees.push(0);
            self.adjacent.push(0);
        }
        self.edges.push((edge.from as u8, edge.to as u8, mix(u64::from(edge.edge_label.0) + (1 << 40))));
        for (end, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
            self.degrees[end as usize] += 1;
            self.adjacent[end as usize] |= 1 << other;
        }
    }

    /// Removes the last edge, and its vertex if it was new.
    pub(crate) fn pop(&mut self) {
        let Some((from, to, _)) = self.edges.pop() else { return };
        for (end, other) in [(from, to), (to, from)] {
            self.degrees[end as usize] -= 1;
            self.adjacent[end as usize] &= !(1 << other);
        }
        if self.degrees[to as usize] == 0 {
            self.labels.pop();
            self.degrees.pop();
            self.adjacent.pop();
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        self.refine(usize::MAX).0
    }

    /// The hash of the pattern without one edge, and without the vertex that is then isolated. `None` if it is
    /// disconnected.
    pub(crate) fn hash_without(&self, edge: usize) -> Option<u64> {
        self.hash_and_colors_without(edge).map(|(hash, _)| hash)
    }

    /// The same, with the colours that [`Self::is_isomorphic_without`] needs.
    pub(crate) fn hash_and_colors_without(&self, edge: usize) -> Option<(u64, Colors)> {
        self.is_connected_without(edge).then(|| self.refine(edge))
    }

    /// Whether the pattern without one edge, with these colours, is isomorphic to the one with this code, which has as
    /// many edges.
    pub(crate) fn is_isomorphic_without(&self, edge: usize, colors: &Colors, other: &Self, code: &[DfsEdge]) -> bool {
        let search =
            IsomorphismSearch { pattern: self, left_out: edge, colors, code, code_colors: &other.refine(usize::MAX).1 };
        let mut image = [0; MAX_VERTICES];
        (0..self.labels.len()).any(|v| {
            image[0] = v as u8;
            search.may_map(v, 0, mix(u64::from(code[0].from_label.0))) && search.map_from(0, 1 << v, &mut image)
        })
    }

    fn is_connected_without(&self, edge: usize) -> bool {
        let (from, to, _) = self.edges[edge];
        if self.degrees[from as usize] == 1 || self.degrees[to as usize] == 1 {
            return true;
        }
        // Can one end still be reached from the other neighbours of the other end?
        let others = self.adjacent[from as usize] & !(1 << to);
        reachable(&self.adjacent, others, 1 << from) >> to & 1 == 1
    }

    /// The hash, and the colours, without one edge.
    fn refine(&self, left_out: usize) -> (u64, Colors) {
        let vertices = self.labels.len();
        let mut colors = [0_u64; MAX_VERTICES];
        colors[..vertices].copy_from_slice(&self.labels);
        for _ in 0..ROUNDS {
            let mut next = [0_u64; MAX_VERTICES];
            for (at, &(from, to, edge)) in self.edges.iter().enumerate() {
                if at != left_out {
                    let (from, to) = (from as usize % MAX_VERTICES, to as usize % MAX_VERTICES);
                    next[from] = next[from].wrapping_add(mix(colors[to] ^ edge));
                    next[to] = next[to].wrapping_add(mix(colors[from] ^ edge));
                }
            }
            for (color, next) in colors[..vertices].iter_mut().zip(next) {
                *color = mix(color.wrapping_mul(3).wrapping_add(next));
            }
        }
        // An isolated vertex does not count.
        let is_isolated = |v: u8| left_out != usize::MAX && self.degrees[v as usize] == 1;
        let mut sum = 0_u64;
        let (from, to) = self.edges.get(left_out).map_or((0, 0), |&(from, to, _)| (from, to));
        for (v, &color) in colors[..vertices].iter().enumerate() {
            if !((v == from as usize && is_isolated(from)) || (v == to as usize && is_isolated(to))) {
                sum = sum.wrapping_add(mix(color));
            }
        }
        (sum, colors)
    }
}

/// Maps a code onto a pattern without one of its edges, vertices only to vertices of the same colour.
struct IsomorphismSearch<'a> {
    pattern: &'a WlHash,
    left_out: usize,
    colors: &'a Colors,
    code: &'a [DfsEdge],
    code_colors: &'a Colors,
}

impl IsomorphismSearch<'_> {
    fn may_map(&self, vertex: usize, code_vertex: usize, label: u64) -> bool {
        self.colors[vertex] == self.code_colors[code_vertex] && self.pattern.labels[vertex] == label
    }

    /// Whether the code from this edge on can be mapped, with these vertices used. Different labels have different
    /// colours and both sides have equally many edges, so a complete map is an isomorphism.
    fn map_from(&self, at: usize, used: u32, image: &mut [u8; MAX_VERTICES]) -> bool {
        let Some(edge) = self.code.get(at) else { return true };
        let from = image[edge.from as usize];
        let edge_color = mix(u64::from(edge.edge_label.0) + (1 << 40));
        let label = mix(u64::from(edge.to_label.0));
        for (number, &(u, v, color)) in self.pattern.edges.iter().enumerate() {
            if number == self.left_out || color != edge_color || (u != from && v != from) {
                continue;
            }
            let to = if u == from { v } else { u };
            if !edge.is_forward() {
                if to == image[edge.to as usize] {
                    return self.map_from(at + 1, used, image);
                }
            } else if used >> to & 1 == 0 && self.may_map(to as usize, edge.to as usize, label) {
                image[edge.to as usize] = to;
                if self.map_from(at + 1, used | 1 << to, image) {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Label;

    fn edge(from: u32, to: u32, from_label: u32, to_label: u32) -> DfsEdge {
        DfsEdge { from, to, from_label: Label(from_label), edge_label: Label(0), to_label: Label(to_label) }
    }

    fn loaded(code: &[DfsEdge]) -> WlHash {
        let mut hash = WlHash::default();
        hash.load(code);
        hash
    }

    #[test]
    fn the_hash_does_not_depend_on_the_code_and_an_edge_can_be_removed_again() {
        // A path with labels 0, 0, 1 from both its ends.
        let there = loaded(&[edge(0, 1, 0, 0), edge(1, 2, 0, 1)]);
        let mut back = loaded(&[edge(0, 1, 1, 0), edge(1, 2, 0, 0)]);
        assert_eq!(there.hash(), back.hash());
        back.push(&edge(2, 0, 0, 1));
        assert_ne!(there.hash(), back.hash());
        back.pop();
        assert_eq!(there.hash(), back.hash());
    }

    #[test]
    fn a_pattern_without_an_edge_is_recognised() {
        // A triangle with a tail; without the tail a triangle, without an edge of the ring a path of three edges or a
        // star.
        let pattern = loaded(&[edge(0, 1, 0, 0), edge(1, 2, 0, 0), edge(2, 0, 0, 0), edge(2, 3, 0, 0)]);
        let triangle = [edge(0, 1, 0, 0), edge(1, 2, 0, 0), edge(2, 0, 0, 0)];
        let path = [edge(0, 1, 0, 0), edge(1, 2, 0, 0), edge(2, 3, 0, 0)];
        let star = [edge(0, 1, 0, 0), edge(1, 2, 0, 0), edge(1, 3, 0, 0)];
        let wanted = [(0, &star), (1, &path), (2, &path), (3, &triangle)];
        for (without, code) in wanted {
            let other = loaded(code);
            let (hash, colors) = pattern.hash_and_colors_without(without).unwrap();
            assert_eq!((hash, pattern.hash_without(without)), (other.hash(), Some(hash)));
            assert!(pattern.is_isomorphic_without(without, &colors, &other, code));
            for (_, wrong) in wanted.iter().filter(|(_, wrong)| *wrong != code) {
                assert!(!pattern.is_isomorphic_without(without, &colors, &loaded(*wrong), *wrong));
            }
        }
        // Without its middle edge a path is disconnected.
        assert_eq!(loaded(&path).hash_without(1), None);
    }
}
