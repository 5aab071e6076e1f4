//! The minimality test: is this DFS code the minimum one of its graph?
//!
//! Promise: [`MinimalityTest::is_minimum`] is true exactly if no depth-first search of the pattern spells a smaller
//! code. It maps the code onto the pattern in every way, depth first (its automorphisms are the maps that succeed): as
//! soon as a traversal could go on with a smaller edge, the answer is no; a traversal that must go on with a larger one
//! is given up. Vertices are bits of a `u32`, so a pattern has at most [`MAX_VERTICES`] of them.
//!
//! Leaves of one vertex with equal labels are interchangeable, so a traversal takes only the first of them (hydrogens
//! of a molecule would multiply the traversals). The miner tests one pattern with each of many last edges, so the
//! pattern is loaded once ([`MinimalityTest::load`]) and the edge is added and removed again. Consecutive patterns
//! often have a common prefix, which stays loaded.
//!
//! Tested against the oracle, which spells all codes. Paper: gSpan's test, "Expand" in Algorithm 2.

use super::dfs_code::{DfsCode, DfsEdge};
use crate::bitset::ones;
use crate::ids::Label;
use crate::stop;

/// Largest number of vertices of a pattern.
pub const MAX_VERTICES: usize = 32;

/// One edge of the code, as a traversal meets it.
#[derive(Clone, Copy)]
struct CodeStep {
    from: u8,
    to: u8,
    is_forward: bool,
    /// The vertex discovered last before this edge.
    rightmost: u8,
    /// Start of the rightmost path before this edge in [`MinimalityTest::paths`], and its length.
    path: (u16, u8),
    /// Length of the path up to `from`.
    kept: u8,
    /// (edge label, vertex label) of a forward edge, (reached vertex, edge label) of a backward edge, in one number.
    wanted: u64,
}

/// One edge that was added, and what is needed to remove it again.
#[derive(Clone, Copy)]
struct LoadedEdge {
    edge: DfsEdge,
    /// Length of [`MinimalityTest::paths`] before.
    paths: usize,
    num_vertices: usize,
}

/// The minimality test, with its working memory.
pub struct MinimalityTest {
    /// Neighbours of each vertex as bits.
    adjacent: [u32; MAX_VERTICES],
    /// (label of the edge, label of its second end) in one number, by both ends; only entries of edges are meaningful.
    keys: Vec<u64>,
    vertex_labels: [u32; MAX_VERTICES],
    /// Vertices with one neighbour, as bits.
    leaves: u32,
    num_vertices: usize,
    loaded: Vec<LoadedEdge>,
    steps: Vec<CodeStep>,
    /// Rightmost paths before each step, one after the other.
    paths: Vec<u8>,
    /// Pattern vertex to which the current traversal maps each code vertex.
    image: [u8; MAX_VERTICES],
    /// Branches that a limited test may still follow.
    left: u64,
}

impl Default for MinimalityTest {
    fn default() -> Self {
        Self {
            adjacent: [0; MAX_VERTICES],
            keys: vec![0; MAX_VERTICES * MAX_VERTICES],
            vertex_labels: [0; MAX_VERTICES],
            leaves: 0,
            num_vertices: 0,
            loaded: Vec::new(),
            steps: Vec::new(),
            paths: Vec::new(),
            image: [0; MAX_VERTICES],
            left: 0,
        }
    }
}

fn key(edge_label: Label, to_label: Label) -> u64 {
    u64::from(edge_label.0) << 32 | u64::from(to_label.0)
}

impl MinimalityTest {
    /// Whether the edges, as a DFS code, are the minimum code of their graph.
    ///
    /// # Panics
    /// If the pattern has more than [`MAX_VERTICES`] vertices.
    pub fn is_minimum(&mut self, code: &[DfsEdge]) -> bool {
        let Some((last, before)) = code.split_last() else { return true };
        if !starts_smallest(code) {
            return false;
        }
        self.load(before);
        self.is_minimum_with(last)
    }

    /// The same for codes from untrusted files, which may have 15! traversals: `None` if more than `branches` branches
    /// had to be followed. Subtracts what was followed.
    ///
    /// # Panics
    /// If the pattern has more than [`MAX_VERTICES`] vertices.
    pub fn is_minimum_within(&mut self, code: &[DfsEdge], branches: &mut u64) -> Option<bool> {
        let Some((last, before)) = code.split_last() else { return Some(true) };
        if !starts_smallest(code) {
            return Some(false);
        }
        self.left = *branches;
        self.load(before);
        let is_minimum = self.with_last::<true>(last);
        *branches = self.left;
        (is_minimum || self.left > 0).then_some(is_minimum)
    }

    /// Loads a pattern, for [`MinimalityTest::is_minimum_with`].
    ///
    /// # Panics
    /// If the pattern has more than [`MAX_VERTICES`] vertices.
    pub fn load(&mut self, code: &[DfsEdge]) {
        let common = self.loaded.iter().zip(code).take_while(|(loaded, edge)| loaded.edge == **edge).count();
        while self.loaded.len() > common {
            self.remove_last();
        }
        for edge in &code[common..] {
            self.add(edge);
        }
        self.leaves =
            (0..self.num_vertices).filter(|&v| self.adjacent[v].is_power_of_two()).fold(0, |all, v| all | 1 << v);
    }

    /// Whether the loaded pattern with one more edge is the minimum code of its graph, provided that no edge of it
    /// could start a smaller one.
    ///
    /// # Panics
    /// If the pattern has more than [`MAX_VERTICES`] vertices.
    pub(crate) fn is_minimum_with(&mut self, edge: &DfsEdge) -> bool {
        self.with_last::<false>(edge)
    }

    fn with_last<const LIMITED: bool>(&mut self, edge: &DfsEdge) -> bool {
        let (leaves, is_first) = (self.leaves, self.num_vertices == 0);
        self.add(edge);
        let (from, to) = (1_u32 << edge.from, 1_u32 << edge.to);
        self.leaves = if is_first {
            from | to
        } else if edge.is_forward() {
            self.leaves & !from | to
        } else {
            self.leaves & !from & !to
        };
        let is_minimum = self.all_traversals::<LIMITED>();
        self.remove_last();
        self.leaves = leaves;
        is_minimum
    }

    /// Undoes the last [`MinimalityTest::add`].
    fn remove_last(&mut self) {
        let Some(LoadedEdge { edge, paths, num_vertices }) = self.loaded.pop() else { return };
        self.adjacent[edge.from as usize] &= !(1 << edge.to);
        self.adjacent[edge.to as usize] &= !(1 << edge.from);
        self.steps.pop();
        self.paths.truncate(paths);
        self.num_vertices = num_vertices;
    }

    fn add(&mut self, edge: &DfsEdge) {
        let (u, v) = (edge.from as usize, edge.to as usize);
        self.loaded.push(LoadedEdge { edge: *edge, paths: self.paths.len(), num_vertices: self.num_vertices });
        let path = match self.steps.last() {
            None => {
                self.paths.push(0);
                (0, 1)
            }
            Some(last) if !last.is_forward => last.path,
            Some(last) => {
                let (start, next) = (last.path.0 as usize, self.paths.len());
                self.paths.extend_from_within(start..start + last.kept as usize);
                self.paths.push(last.to);
                (next as u16, last.kept + 1)
            }
        };
        let on_path = &self.paths[path.0 as usize..path.0 as usize + path.1 as usize];
        let kept = 1 + on_path.iter().position(|&q| q as usize == u).expect("on the path") as u8;
        let wanted = if edge.is_forward() {
            key(edge.edge_label, edge.to_label)
        } else {
            u64::from(edge.to) << 32 | u64::from(edge.edge_label.0)
        };
        let rightmost = on_path[on_path.len() - 1];
        let is_forward = edge.is_forward();
        self.steps.push(CodeStep { from: u as u8, to: v as u8, is_forward, rightmost, path, kept, wanted });
        self.num_vertices = self.num_vertices.max(1 + u.max(v));
        self.adjacent[u] |= 1 << v;
        self.adjacent[v] |= 1 << u;
        self.keys[u * MAX_VERTICES + v] = key(edge.edge_label, edge.to_label);
        self.keys[v * MAX_VERTICES + u] = key(edge.edge_label, edge.from_label);
        self.vertex_labels[u] = edge.from_label.0;
        self.vertex_labels[v] = edge.to_label.0;
    }

    /// Starts a traversal at every edge with the labels of the first one; false if some traversal spells a smaller
    /// code.
    fn all_traversals<const LIMITED: bool>(&mut self) -> bool {
        let (first, from_label) = (self.steps[0], self.vertex_labels[0]);
        for u in 0..self.num_vertices {
            if self.vertex_labels[u] != from_label || self.is_repeated_leaf(u) {
                continue;
            }
            let equal = self.equal(u, self.adjacent[u], first.wanted).unwrap_or(0);
            self.image[0] = u as u8;
            for v in ones(equal) {
                self.image[1] = v as u8;
                if !self.traverse::<LIMITED>(1, 1 << u | 1 << v, 1 << u) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the vertex is a leaf that is interchangeable with an earlier one.
    fn is_repeated_leaf(&self, u: usize) -> bool {
        let earlier = self.leaves & ((1 << u) - 1);
        if self.leaves >> u & 1 == 0 || earlier == 0 {
            return false;
        }
        let stem = self.adjacent[u].trailing_zeros() as usize;
        let wanted = self.keys[stem * MAX_VERTICES + u];
        ones(self.adjacent[stem] & earlier).any(|v| self.keys[stem * MAX_VERTICES + v] == wanted)
    }

    /// Which of the `open` neighbours of `from` continue the code, one of interchangeable leaves; `None` if one of
    /// them would give a smaller code.
    #[inline]
    fn equal(&self, from: usize, mut open: u32, wanted: u64) -> Option<u32> {
        let mut equal = 0;
        let keys = &self.keys[from * MAX_VERTICES..][..MAX_VERTICES];
        while open != 0 {
            let to = open.trailing_zeros() as usize;
            open &= open - 1;
            if keys[to] <= wanted {
                if keys[to] < wanted {
                    return None;
                }
                equal |= 1 << to;
            }
        }
        let leaves = equal & self.leaves;
        Some(equal & !leaves | leaves & leaves.wrapping_neg())
    }

    /// Continues a traversal that has spelled the first `step` edges, with these vertices `used` and those `joined` to
    /// the rightmost one; false if it, or a traversal that branches off, spells a smaller code, or the limit is
    /// reached.
    // HOT: most of the time of the minimality test; split up, it spends more on passing its state around.
    fn traverse<const LIMITED: bool>(&mut self, mut step: usize, mut used: u32, mut joined: u32) -> bool {
        if LIMITED {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return false;
            }
        }
        stop::work(1);
        while let Some(&CodeStep { from, to, is_forward, rightmost, path, kept, wanted }) = self.steps.get(step) {
            let path = &self.paths[path.0 as usize..path.0 as usize + path.1 as usize];
            let here = self.image[rightmost as usize] as usize;
            let closing = self.adjacent[here] & used & !joined;
            if !is_forward {
                // The smallest backward edge leads to the first open vertex of the rightmost path.
                let Some(&reached) = path.iter().find(|&&q| closing >> self.image[q as usize] & 1 == 1) else {
                    return true;
                };
                let there = self.image[reached as usize] as usize;
                let found = u64::from(reached) << 32 | self.keys[here * MAX_VERTICES + there] >> 32;
                if found != wanted {
                    return found > wanted;
                }
                joined |= 1 << there;
                step += 1;
                continue;
            }
            if closing != 0 {
                return false;
            }
            // A forward edge from a deeper vertex is smaller, whatever its labels.
            if path[kept as usize..].iter().any(|&q| self.adjacent[self.image[q as usize] as usize] & !used != 0) {
                return false;
            }
            let start = self.image[from as usize] as usize;
            let Some(equal) = self.equal(start, self.adjacent[start] & !used, wanted) else { return false };
            if equal == 0 {
                return true;
            }
            step += 1;
            joined = 1 << start;
            // The last branch continues in this loop.
            let last = equal.ilog2();
            for next in ones(equal & !(1 << last)) {
                self.image[to as usize] = next as u8;
                if !self.traverse::<LIMITED>(step, used | 1 << next, joined) {
                    return false;
                }
            }
            self.image[to as usize] = last as u8;
            used |= 1 << last;
        }
        true
    }
}

/// Whether no edge could start a smaller code than the first one.
fn starts_smallest(code: &[DfsEdge]) -> bool {
    let first = code[0].labels();
    code.iter().all(|edge| edge.labels() >= first && edge.reversed().labels() >= first)
}

impl DfsCode {
    /// Whether this is the minimum code of its graph, with the smallest qualifiers that its automorphisms allow.
    ///
    /// # Panics
    /// If the pattern has more than [`MAX_VERTICES`] vertices.
    pub fn is_minimum(&self) -> bool {
        MinimalityTest::default().is_minimum(self.edges())
            && (self.qualifiers().is_empty() || Self::minimum_of(&self.to_graph()).as_ref() == Some(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Such a star has 30! automorphisms.
    #[test]
    fn equal_leaves_of_a_star_are_tried_once() {
        let edge = |from, to| DfsEdge { from, to, from_label: Label(0), edge_label: Label(0), to_label: Label(0) };
        let star: Vec<DfsEdge> = std::iter::once(edge(0, 1)).chain((2..32).map(|to| edge(1, to))).collect();
        let mut test = MinimalityTest::default();
        assert!(test.is_minimum(&star));
        // A code that starts at the middle is not the minimum.
        let from_middle: Vec<DfsEdge> = (1..32).map(|to| edge(0, to)).collect();
        assert!(!test.is_minimum(&from_middle));
    }

    #[test]
    fn an_edge_that_was_tried_is_removed_again() {
        let edge =
            |from, to, label| DfsEdge { from, to, from_label: Label(0), edge_label: Label(label), to_label: Label(0) };
        let mut test = MinimalityTest::default();
        test.load(&[edge(0, 1, 0), edge(1, 2, 1)]);
        for _ in 0..2 {
            assert!(test.is_minimum_with(&edge(2, 0, 1)));
            assert!(test.is_minimum_with(&edge(2, 3, 1)));
            assert!(!test.is_minimum_with(&edge(0, 3, 0)));
        }
    }

    #[test]
    fn what_was_loaded_before_changes_no_answer() {
        let edge =
            |from, to, label| DfsEdge { from, to, from_label: Label(0), edge_label: Label(label), to_label: Label(0) };
        // Paths, stars and rings with two edge labels, in an order in which neighbours have longer or shorter common
        // prefixes.
        let mut codes = Vec::new();
        for labels in 0..16 {
            let label = |at: u32| labels >> at & 1;
            let path = [edge(0, 1, label(0)), edge(1, 2, label(1)), edge(2, 3, label(2))];
            codes.push([&path[..], &[edge(3, 4, label(3))]].concat());
            codes.push([&path[..], &[edge(3, 0, label(3))]].concat());
            codes.push([&path[..2], &[edge(2, 0, label(2)), edge(2, 3, label(3))]].concat());
            codes.push([&path[..2], &[edge(1, 3, label(3))]].concat());
            codes.push(path[..=(labels as usize % 3)].to_vec());
        }
        let mut test = MinimalityTest::default();
        let (mut kept, mut minimum) = (0, 0);
        for code in codes.iter().chain(codes.iter().rev()) {
            let before: Vec<DfsEdge> = test.loaded.iter().map(|loaded| loaded.edge).collect();
            kept += before.iter().zip(code).take_while(|(old, new)| old == new).count();
            let is_minimum = test.is_minimum(code);
            assert_eq!(is_minimum, MinimalityTest::default().is_minimum(code), "{code:?}");
            minimum += usize::from(is_minimum);
        }
        assert!(kept > codes.len() && 0 < minimum && minimum < 2 * codes.len(), "{kept} {minimum}");
    }

    #[test]
    fn a_pattern_with_15_legs_of_two_edges_is_given_up_in_time() {
        // Vertex 0 is the far end of a leg, 1 its middle, 2 the hub.
        let label = Label(0);
        let edge = |from, to| DfsEdge { from, to, from_label: label, edge_label: label, to_label: label };
        let legs = |count: u32| -> Vec<DfsEdge> {
            let more = (0..count - 1).flat_map(|leg| [edge(2, 3 + 2 * leg), edge(3 + 2 * leg, 4 + 2 * leg)]);
            [edge(0, 1), edge(1, 2)].into_iter().chain(more).collect()
        };
        let mut test = MinimalityTest::default();
        let mut branches = 100_000;
        assert_eq!(test.is_minimum_within(&legs(15), &mut branches), None);
        assert_eq!(branches, 0);
        let mut branches = 100_000;
        let known = test.is_minimum(&legs(4));
        assert_eq!(test.is_minimum_within(&legs(4), &mut branches), Some(known));
        assert!(0 < branches && branches < 100_000);
    }
}
