//! Is this DFS code the smallest one of its graph?
//!
//! Promise: [`Canonical::is_minimum`] is true exactly if no depth-first walk over the pattern spells a
//! smaller code. It replays the code from every edge at once: a *walker* is a way to lay the first edges
//! of the code onto the pattern. As soon as one of them could go on with a smaller edge, the answer is no;
//! walkers that must go on with a larger one are dropped. Vertices are bits of a `u32`, so a
//! pattern has at most [`MAX_VERTICES`] of them.
//!
//! Tested against the oracle, which spells all walks. Paper: gSpan's test, "Expand" in Algorithm 2.

use super::dfs_code::{DfsCode, DfsEdge};

/// Largest number of vertices of a pattern; so at most one edge fewer.
pub const MAX_VERTICES: usize = 32;

/// One way to lay the first edges of the code onto the pattern.
#[derive(Clone, Copy)]
struct Walker {
    /// Pattern vertex that plays the part of each code vertex.
    image: [u8; MAX_VERTICES],
    /// Pattern vertices in use, as bits.
    used: u32,
    /// Those already joined to the image of the rightmost vertex, as bits.
    joined: u32,
}

/// The test, with its working memory.
#[derive(Default)]
pub struct Canonical {
    /// Neighbours of each vertex as bits.
    adjacent: Vec<u32>,
    /// Label of the edge between two vertices, `MAX_VERTICES` a row; only entries of edges are meaningful.
    edge_labels: Vec<u32>,
    vertex_labels: Vec<u32>,
    walkers: Vec<Walker>,
    next: Vec<Walker>,
    rightmost_path: Vec<u8>,
}

impl Canonical {
    /// Whether the edges, taken as a DFS code, are the smallest code of their graph.
    ///
    /// # Panics
    /// If the pattern has more than [`MAX_VERTICES`] vertices.
    pub fn is_minimum(&mut self, code: &[DfsEdge]) -> bool {
        self.load(code);
        let Some(first) = code.first() else { return true };
        let first_key = (first.from_label.0, first.edge_label.0, first.to_label.0);
        self.walkers.clear();
        for edge in code {
            for (u, v) in [(edge.from, edge.to), (edge.to, edge.from)] {
                let key = (self.vertex_labels[u as usize], edge.edge_label.0, self.vertex_labels[v as usize]);
                if key < first_key {
                    return false;
                }
                if key == first_key {
                    let mut image = [0; MAX_VERTICES];
                    image[0] = u as u8;
                    image[1] = v as u8;
                    self.walkers.push(Walker { image, used: 1 << u | 1 << v, joined: 1 << u });
                }
            }
        }
        self.rightmost_path.clear();
        self.rightmost_path.extend([0, 1]);
        for edge in &code[1..] {
            let goes_on = if edge.is_forward() { self.forward(edge) } else { self.backward(edge) };
            if !goes_on {
                return false;
            }
            std::mem::swap(&mut self.walkers, &mut self.next);
        }
        true
    }

    fn load(&mut self, code: &[DfsEdge]) {
        self.adjacent.clear();
        self.adjacent.resize(MAX_VERTICES, 0);
        self.edge_labels.resize(MAX_VERTICES * MAX_VERTICES, 0);
        self.vertex_labels.resize(MAX_VERTICES, 0);
        for edge in code {
            let (u, v) = (edge.from as usize, edge.to as usize);
            self.adjacent[u] |= 1 << v;
            self.adjacent[v] |= 1 << u;
            self.edge_labels[u * MAX_VERTICES + v] = edge.edge_label.0;
            self.edge_labels[v * MAX_VERTICES + u] = edge.edge_label.0;
            self.vertex_labels[u] = edge.from_label.0;
            self.vertex_labels[v] = edge.to_label.0;
        }
    }

    /// Moves every walker over a backward edge; false if one of them finds a smaller edge.
    fn backward(&mut self, edge: &DfsEdge) -> bool {
        self.next.clear();
        for walker in &self.walkers {
            let here = walker.image[edge.from as usize] as usize;
            let open = self.adjacent[here] & walker.used & !walker.joined;
            if open == 0 {
                continue;
            }
            // The smallest backward edge leads to the first open vertex of the rightmost path.
            let Some(&reached) = self.rightmost_path.iter().find(|&&q| open >> walker.image[q as usize] & 1 == 1)
            else {
                continue;
            };
            let there = walker.image[reached as usize] as usize;
            let found = (u32::from(reached), self.edge_labels[here * MAX_VERTICES + there]);
            let wanted = (edge.to, edge.edge_label.0);
            if found < wanted {
                return false;
            }
            if found == wanted {
                self.next.push(Walker { joined: walker.joined | 1 << there, ..*walker });
            }
        }
        true
    }

    /// Moves every walker over a forward edge, in every way; false if one of them finds a smaller edge.
    fn forward(&mut self, edge: &DfsEdge) -> bool {
        self.next.clear();
        let rightmost = usize::from(*self.rightmost_path.last().expect("a walk has begun"));
        let cut = self.rightmost_path.iter().position(|&q| u32::from(q) == edge.from).expect("on the path");
        let wanted = (edge.edge_label.0, edge.to_label.0);
        for walker in &self.walkers {
            let here = walker.image[rightmost] as usize;
            if self.adjacent[here] & walker.used & !walker.joined != 0 {
                return false;
            }
            // A forward edge from a deeper vertex is smaller, whatever its labels.
            for &q in &self.rightmost_path[cut + 1..] {
                if self.adjacent[walker.image[q as usize] as usize] & !walker.used != 0 {
                    return false;
                }
            }
            let from = walker.image[edge.from as usize] as usize;
            let mut open = self.adjacent[from] & !walker.used;
            while open != 0 {
                let to = open.trailing_zeros() as usize;
                open &= open - 1;
                let found = (self.edge_labels[from * MAX_VERTICES + to], self.vertex_labels[to]);
                if found < wanted {
                    return false;
                }
                if found == wanted {
                    let mut moved = Walker { used: walker.used | 1 << to, joined: 1 << from, ..*walker };
                    moved.image[edge.to as usize] = to as u8;
                    self.next.push(moved);
                }
            }
        }
        self.rightmost_path.truncate(cut + 1);
        self.rightmost_path.push(edge.to as u8);
        true
    }
}

impl DfsCode {
    /// Whether this is the smallest code of its graph.
    ///
    /// # Panics
    /// If the pattern has more than [`MAX_VERTICES`] vertices.
    pub fn is_minimum(&self) -> bool {
        Canonical::default().is_minimum(self.edges())
    }
}
