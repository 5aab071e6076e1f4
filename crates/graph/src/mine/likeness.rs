//! A number that equal patterns share, computed much faster than a smallest code.
//!
//! Promise: isomorphic patterns have the same number. Others may share it too, so what is stored under a number must be
//! true of all patterns that have it (`levels.rs` stores the union of their supports). Colours of vertices are refined by those of
//! their neighbours a few times (Weisfeiler and Leman), then added up.

use crate::pattern::{DfsEdge, MAX_VERTICES};

/// How often colours are refined: enough to tell nearly all patterns of some ten edges apart.
const ROUNDS: usize = 3;

/// A colour a vertex.
pub(crate) type Colors = [u64; MAX_VERTICES];

/// One pattern, of which numbers with and without single edges are asked.
#[derive(Default)]
pub(crate) struct Likeness {
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

impl Likeness {
    /// Takes a pattern.
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

    /// Adds an edge between vertices that are there, or to one new vertex.
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

    /// Takes the last edge back, and its vertex if it was new.
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

    /// The number of the pattern.
    pub(crate) fn number(&self) -> u64 {
        self.number_without(usize::MAX).0
    }

    /// The number of the pattern without one edge, and without the vertex that then stands alone. `None` if it falls apart.
    pub(crate) fn without(&self, edge: usize) -> Option<u64> {
        self.without_and_colors(edge).map(|(number, _)| number)
    }

    /// The same, with the colours that [`Self::is_without`] wants.
    pub(crate) fn without_and_colors(&self, edge: usize) -> Option<(u64, Colors)> {
        self.hangs_together_without(edge).then(|| self.number_without(edge))
    }

    /// Whether the pattern without one edge, which leaves it these colours, is the one with this code, which has as many edges.
    pub(crate) fn is_without(&self, edge: usize, colors: &Colors, other: &Self, code: &[DfsEdge]) -> bool {
        let laying =
            Laying { pattern: self, left_out: edge, colors, code, code_colors: &other.number_without(usize::MAX).1 };
        let mut image = [0; MAX_VERTICES];
        (0..self.labels.len()).any(|v| {
            image[0] = v as u8;
            laying.looks_like(v, 0, mix(u64::from(code[0].from_label.0))) && laying.lay(0, 1 << v, &mut image)
        })
    }

    fn hangs_together_without(&self, edge: usize) -> bool {
        let (from, to, _) = self.edges[edge];
        if self.degrees[from as usize] == 1 || self.degrees[to as usize] == 1 {
            return true;
        }
        // Can the one end still be reached from the other?
        let mut reached = (self.adjacent[from as usize] & !(1 << to)) | 1 << from;
        let mut open = reached & !(1 << from);
        while open != 0 {
            let vertex = open.trailing_zeros() as usize;
            open &= open - 1;
            let fresh = self.adjacent[vertex] & !reached;
            reached |= fresh;
            open |= fresh;
        }
        reached >> to & 1 == 1
    }

    fn number_without(&self, left_out: usize) -> (u64, Colors) {
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
        // A vertex that stands alone does not count.
        let alone = |v: u8| left_out != usize::MAX && self.degrees[v as usize] == 1;
        let mut sum = 0_u64;
        let (from, to) = self.edges.get(left_out).map_or((0, 0), |&(from, to, _)| (from, to));
        for (v, &color) in colors[..vertices].iter().enumerate() {
            if !((v == from as usize && alone(from)) || (v == to as usize && alone(to))) {
                sum = sum.wrapping_add(mix(color));
            }
        }
        (sum, colors)
    }
}

/// A code that is laid onto a pattern without one of its edges, vertices of equal colours onto each other.
struct Laying<'a> {
    pattern: &'a Likeness,
    left_out: usize,
    colors: &'a Colors,
    code: &'a [DfsEdge],
    code_colors: &'a Colors,
}

impl Laying<'_> {
    fn looks_like(&self, vertex: usize, code_vertex: usize, label: u64) -> bool {
        self.colors[vertex] == self.code_colors[code_vertex] && self.pattern.labels[vertex] == label
    }

    /// Whether the code from this edge on can be laid, with these vertices in use. Colours of labels are different for different labels,
    /// and both sides have equally many edges, so what can be laid is equal.
    fn lay(&self, at: usize, used: u32, image: &mut [u8; MAX_VERTICES]) -> bool {
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
                    return self.lay(at + 1, used, image);
                }
            } else if used >> to & 1 == 0 && self.looks_like(to as usize, edge.to as usize, label) {
                image[edge.to as usize] = to;
                if self.lay(at + 1, used | 1 << to, image) {
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

    fn loaded(code: &[DfsEdge]) -> Likeness {
        let mut likeness = Likeness::default();
        likeness.load(code);
        likeness
    }

    #[test]
    fn the_number_does_not_depend_on_the_walk_and_an_edge_is_taken_back() {
        // A path with labels 0, 0, 1 from both its ends.
        let there = loaded(&[edge(0, 1, 0, 0), edge(1, 2, 0, 1)]);
        let mut back = loaded(&[edge(0, 1, 1, 0), edge(1, 2, 0, 0)]);
        assert_eq!(there.number(), back.number());
        back.push(&edge(2, 0, 0, 1));
        assert_ne!(there.number(), back.number());
        back.pop();
        assert_eq!(there.number(), back.number());
    }

    #[test]
    fn a_pattern_without_an_edge_is_recognised() {
        // A triangle with a tail; without the tail a triangle, without an edge of the ring a path of three edges or a star.
        let pattern = loaded(&[edge(0, 1, 0, 0), edge(1, 2, 0, 0), edge(2, 0, 0, 0), edge(2, 3, 0, 0)]);
        let triangle = [edge(0, 1, 0, 0), edge(1, 2, 0, 0), edge(2, 0, 0, 0)];
        let path = [edge(0, 1, 0, 0), edge(1, 2, 0, 0), edge(2, 3, 0, 0)];
        let star = [edge(0, 1, 0, 0), edge(1, 2, 0, 0), edge(1, 3, 0, 0)];
        let wanted = [(0, &star), (1, &path), (2, &path), (3, &triangle)];
        for (without, code) in wanted {
            let other = loaded(code);
            let (number, colors) = pattern.without_and_colors(without).unwrap();
            assert_eq!((number, pattern.without(without)), (other.number(), Some(number)));
            assert!(pattern.is_without(without, &colors, &other, code));
            for (_, wrong) in wanted.iter().filter(|(_, wrong)| *wrong != code) {
                assert!(!pattern.is_without(without, &colors, &loaded(*wrong), *wrong));
            }
        }
        // In the middle of a path there is nothing to take out.
        assert_eq!(loaded(&path).without(1), None);
    }
}
