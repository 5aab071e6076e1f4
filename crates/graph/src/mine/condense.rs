//! Closed and maximal patterns: short lists that still say everything, or the outermost, about a long one.
//!
//! Promise: with respect to a complete [`PatternList`], *closed* is a pattern if no larger one of the list
//! contains it and has the same support, *maximal* if no larger one contains it at all. Between two connected
//! patterns, one within the other, there is always a chain that grows by one edge, and supports shrink along
//! it; so it is enough to take one edge away from each pattern, in every way that leaves it connected, and
//! to strike out what remains. In a list that was cut short, what would have ruled a pattern out may be missing.
//!
//! Equal to the definition in `tests/condense_vs_oracle.rs`.

use super::list::PatternList;
use crate::pattern::{DfsEdge, MAX_VERTICES, Smallest};
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
    (0..list.len()).into_par_iter().for_each_init(Scratch::default, |scratch, large| {
        if let Some(parent) = list.parent(large) {
            strike_out(parent, large);
            list.code_into(large, &mut scratch.code);
            // The last edge is the one that the parent lacks.
            for without in 0..scratch.code.len() - 1 {
                if let Some(small) = scratch.smaller(without).and_then(|code| list.find(code)) {
                    strike_out(small, large);
                }
            }
        }
    });
    kept.into_iter().map(AtomicBool::into_inner).collect()
}

#[derive(Default)]
struct Scratch {
    code: Vec<DfsEdge>,
    rest: Vec<DfsEdge>,
    smallest: Smallest,
}

impl Scratch {
    /// The smallest code of the pattern without one edge, and without the vertex that then stands alone; nothing
    /// if it falls apart.
    fn smaller(&mut self, without: usize) -> Option<&[DfsEdge]> {
        self.rest.clear();
        self.rest.extend_from_slice(&self.code);
        self.rest.remove(without);
        hangs_together(&self.rest).then(|| self.smallest.of(&self.rest))
    }
}

/// Whether all edges can be reached from each other.
fn hangs_together(edges: &[DfsEdge]) -> bool {
    let mut adjacent = [0_u32; MAX_VERTICES];
    let mut all = 0_u32;
    for edge in edges {
        adjacent[edge.from as usize] |= 1 << edge.to;
        adjacent[edge.to as usize] |= 1 << edge.from;
        all |= 1 << edge.from | 1 << edge.to;
    }
    let mut reached = all & all.wrapping_neg();
    let mut open = reached;
    while open != 0 {
        let vertex = open.trailing_zeros();
        open &= open - 1;
        let fresh = adjacent[vertex as usize] & !reached;
        reached |= fresh;
        open |= fresh;
    }
    reached == all
}
