//! Counters of a mining run: work in units that do not depend on the machine.

use std::ops::AddAssign;

/// What a traversal of the patterns did. Equal runs have equal counters, on any machine and number of threads, except
/// `recomputed` under a memory limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MineStats {
    /// Patterns handed to the visitor.
    pub visited: u64,
    /// Patterns whose extensions were found.
    pub expanded: u64,
    /// Visits that returned `Prune`.
    pub pruned: u64,
    /// Extensions whose code was tested for minimality.
    pub tested: u64,
    /// Extensions that were not canonical, or too rare.
    pub rejected: u64,
    /// Embeddings scanned.
    pub embeddings: u64,
    /// (Extension, graph) pairs that a sample of embeddings left open and that were decided by a search.
    pub searched: u64,
    /// Expansions whose embeddings had to be recomputed, or that were evicted and repeated, because of the memory
    /// limit.
    pub recomputed: u64,
    /// Patterns that were found level by level before the visitor met them, for Apriori pruning.
    pub levelwise: u64,
    /// (Extension, graph) pairs ruled out because the graph lacks a smaller pattern inside (Apriori pruning).
    pub ruled_out: u64,
    /// Edges of the largest pattern visited.
    pub depth: u64,
    /// The span in the work-span model: the longest chain of [`MineStats::work`] that cannot run in parallel.
    pub(crate) span: u64,
}

impl AddAssign for MineStats {
    fn add_assign(&mut self, other: Self) {
        self.visited += other.visited;
        self.expanded += other.expanded;
        self.pruned += other.pruned;
        self.tested += other.tested;
        self.rejected += other.rejected;
        self.embeddings += other.embeddings;
        self.searched += other.searched;
        self.recomputed += other.recomputed;
        self.levelwise += other.levelwise;
        self.ruled_out += other.ruled_out;
        self.depth = self.depth.max(other.depth);
        self.span += other.span;
    }
}

impl MineStats {
    /// Embeddings scanned and searches: the cost of expanding, approximately.
    pub fn work(&self) -> u64 {
        self.embeddings + self.searched
    }
}
