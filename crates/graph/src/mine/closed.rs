//! Closed and maximal patterns: condensed representations of a list.
//!
//! Promise: with respect to a complete [`PatternList`], a pattern is *closed* if no larger one of the list contains it
//! with the same support, and *maximal* if no larger one contains it at all. Between two connected patterns, one within
//! the other, there is always a chain that grows by one edge, and supports shrink along it (anti-monotone); so it is
//! enough to remove one edge from each pattern, in every way that leaves it connected, and to strike out the result. In
//! a list that was cut short, the pattern that would strike out another may be missing.
//!
//! Qualified patterns are *closed in edges and minimal in qualifiers*: no pattern of the list with an edge more and the
//! same qualifiers has the same support, and none with a qualifier less. They are maximal if none with an edge or a
//! qualifier more contains them.
//!
//! Equal to the definition in `tests/closed_vs_oracle.rs`.

use super::pattern_list::PatternList;
use crate::bitset::reachable;
use crate::canon::{DfsEdge, MAX_VERTICES, MinCodeFinder, Step, one_edge_less, one_qualifier_less};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Which patterns to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condense {
    /// Those that no larger pattern contains with the same support.
    Closed,
    /// Those that no larger pattern contains.
    Maximal,
}

/// For each pattern of the list whether it is kept. Works on all of rayon's threads.
pub fn condense(list: &PatternList, which: Condense) -> Vec<bool> {
    let kept: Vec<AtomicBool> = (0..list.len()).map(|_| AtomicBool::new(true)).collect();
    let same_support = |small: usize, large: usize| list.support(small).graphs() == list.support(large).graphs();
    let strike_out = |small: usize, large: usize| {
        if which == Condense::Maximal || same_support(small, large) {
            kept[small].store(false, Ordering::Relaxed);
        }
    };
    (0..list.len()).into_par_iter().for_each_init(EdgeRemoval::default, |removal, large| {
        if list.num_qualifiers(large) > 0 {
            let code = list.code(large);
            for small in one_edge_less(&code).iter().filter_map(|small| list.find(small)) {
                strike_out(small, large);
            }
            for small in one_qualifier_less(&code).iter().filter_map(|small| list.find(small)) {
                match which {
                    Condense::Maximal => strike_out(small, large),
                    Condense::Closed if same_support(small, large) => kept[large].store(false, Ordering::Relaxed),
                    Condense::Closed => {}
                }
            }
            return;
        }
        list.code_into(large, &mut removal.code);
        if let [edge] = removal.code[..] {
            let vertices =
                [edge.from_label, edge.to_label].map(|label| list.find_steps([Step::Vertex(label)].into_iter()));
            vertices.into_iter().flatten().for_each(|small| strike_out(small, large));
        } else if let Some(parent) = list.parent(large) {
            strike_out(parent, large);
            // Without its last edge it is its parent.
            for without in 0..removal.code.len() - 1 {
                let small = removal.minimum_without(without);
                if let Some(small) = small.and_then(|code| list.find_steps(code.iter().copied().map(Step::Edge))) {
                    strike_out(small, large);
                }
            }
        }
    });
    kept.into_iter().map(AtomicBool::into_inner).collect()
}

#[derive(Default)]
struct EdgeRemoval {
    code: Vec<DfsEdge>,
    rest: Vec<DfsEdge>,
    finder: MinCodeFinder,
}

impl EdgeRemoval {
    /// The minimum code of the pattern without one edge, and without the vertex that is then isolated; `None` if it is
    /// disconnected.
    fn minimum_without(&mut self, without: usize) -> Option<&[DfsEdge]> {
        self.rest.clear();
        self.rest.extend_from_slice(&self.code);
        self.rest.remove(without);
        is_connected(&self.rest).then(|| self.finder.find(&self.rest))
    }
}

fn is_connected(edges: &[DfsEdge]) -> bool {
    let mut adjacent = [0_u32; MAX_VERTICES];
    let mut all = 0_u32;
    for edge in edges {
        adjacent[edge.from as usize] |= 1 << edge.to;
        adjacent[edge.to as usize] |= 1 << edge.from;
        all |= 1 << edge.from | 1 << edge.to;
    }
    reachable(&adjacent, all & all.wrapping_neg(), 0) == all
}
