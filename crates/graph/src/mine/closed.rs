//! Closed and maximal patterns: condensed representations of a list.
//!
//! Promise: with respect to a complete [`PatternList`], a pattern is *closed* if no larger one of the list contains it with
//! the same support, and *maximal* if no larger one contains it at all. Between two connected patterns, one within the
//! other, there is always a chain that grows by one edge, and supports shrink along it (anti-monotone); so it is enough to
//! remove one edge from each pattern, in every way that leaves it connected, and to strike out the result. In a list that
//! was cut short, the pattern that would strike out another may be missing.
//!
//! Equal to the definition in `tests/closed_vs_oracle.rs`.

use super::pattern_list::PatternList;
use crate::bitset::reachable;
use crate::canon::{DfsEdge, MAX_VERTICES, MinCodeFinder};
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
        if let Some(parent) = list.parent(large) {
            strike_out(parent, large);
            list.code_into(large, &mut removal.code);
            // Without its last edge it is its parent.
            for without in 0..removal.code.len() - 1 {
                if let Some(small) = removal.minimum_without(without).and_then(|code| list.find(code)) {
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
