//! A number that equal patterns share, computed much faster than a smallest code.
//!
//! Promise: isomorphic patterns have the same number. Others may share it too, so what is stored under a number must be
//! true of all patterns that have it (`levels.rs` stores the union of their supports). Colours of vertices are refined by those of
//! their neighbours a few times (Weisfeiler and Leman), then added up.

use crate::pattern::{DfsEdge, MAX_VERTICES};

/// How often colours are refined: enough to tell nearly all patterns of some ten edges apart.
const ROUNDS: usize = 3;

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
    let x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
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
        self.number_without(usize::MAX)
    }

    /// The number of the pattern without one edge, and without the vertex that then stands alone. `None` if it falls apart.
    pub(crate) fn without(&self, edge: usize) -> Option<u64> {
        self.hangs_together_without(edge).then(|| self.number_without(edge))
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

    fn number_without(&self, left_out: usize) -> u64 {
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
        sum
    }
}
