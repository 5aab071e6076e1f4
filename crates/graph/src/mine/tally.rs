//! Counting patterns without storing them.
//!
//! Promise: the same numbers on any number of threads. Tested with the traversal, against the definition, and on real sets.

use super::{MineControl, VisitedPattern, Visitor};
use crate::canon::MAX_VERTICES;

/// Number of patterns and of (pattern, graph) pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of patterns.
    pub patterns: u64,
    /// Sum over the patterns of the number of graphs that contain them.
    pub support_sum: u64,
    by_edges: [u64; MAX_VERTICES],
}

impl Tally {
    /// Counts one pattern.
    pub fn add(&mut self, num_edges: usize, support: usize) {
        self.patterns += 1;
        self.support_sum += support as u64;
        self.by_edges[num_edges - 1] += 1;
    }

    /// Number of patterns with 1, 2, ... `max_edges` edges.
    pub fn by_edges(&self, max_edges: usize) -> &[u64] {
        &self.by_edges[..max_edges]
    }
}

impl Visitor for Tally {
    #[inline]
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        self.add(found.code.len(), found.graphs.len());
        MineControl::Grow
    }

    fn grows_all(&self) -> bool {
        true
    }

    fn reads_codes(&self) -> bool {
        false
    }

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, later: Self) {
        self.patterns += later.patterns;
        self.support_sum += later.support_sum;
        for (sum, more) in self.by_edges.iter_mut().zip(later.by_edges) {
            *sum += more;
        }
    }
}
