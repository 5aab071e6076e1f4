//! Counting patterns without storing them.
//!
//! Promise: the same numbers on any number of threads. Tested with the traversal, against the definition, and on real
//! sets.

use super::{MineControl, VisitedPattern, Visitor};
use crate::canon::MAX_VERTICES;

/// Number of patterns and of (pattern, graph) pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of patterns.
    pub patterns: u64,
    /// Sum over the patterns of the number of graphs that contain them.
    pub support_sum: u64,
    /// Number of patterns of a single vertex.
    pub single_vertices: u64,
    by_edges: [u64; MAX_VERTICES],
}

impl Tally {
    /// Counts one pattern.
    pub fn add(&mut self, num_edges: usize, support: usize) {
        self.patterns += 1;
        self.support_sum += support as u64;
        match num_edges.checked_sub(1) {
            None => self.single_vertices += 1,
            Some(at) => self.by_edges[at] += 1,
        }
    }

    /// Number of patterns with 1, 2, ... `max_edges` edges, qualified ones included.
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
        self.single_vertices += later.single_vertices;
        for (sum, more) in self.by_edges.iter_mut().zip(later.by_edges) {
            *sum += more;
        }
    }
}
