//! Counters of a mining run: what was done, not how long it took.

use std::ops::AddAssign;

/// What a walk over the patterns did. Equal runs have equal counters, on any machine; with several
/// threads too, except `rederived` under a memory budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MineStats {
    /// Patterns handed to the visitor.
    pub visited: u64,
    /// Patterns whose extensions were looked for.
    pub expanded: u64,
    /// Visits answered by `Prune`.
    pub pruned: u64,
    /// Extensions whose code was tested for being the smallest.
    pub tested: u64,
    /// Extensions that were another pattern's child, or too rare.
    pub dropped: u64,
    /// Embeddings looked at.
    pub embeddings: u64,
    /// Extensions that a sample of the embeddings did not show and that were searched for.
    pub searched: u64,
    /// Expansions whose embeddings had to be derived again, or that were made before and dropped, because of the budget.
    pub rederived: u64,
    /// Patterns that were found before their turn, because they tell where larger ones can be.
    pub ahead: u64,
    /// (Extension, graph) pairs that were not looked for, because a smaller pattern inside is not in the graph.
    pub ruled_out: u64,
    /// Edges of the largest pattern visited.
    pub depth: u64,
    /// Of the work under way ([`MineStats::looks`]), what comes one after the other however many threads there are.
    pub(crate) span: u64,
}

impl AddAssign for MineStats {
    fn add_assign(&mut self, other: Self) {
        self.visited += other.visited;
        self.expanded += other.expanded;
        self.pruned += other.pruned;
        self.tested += other.tested;
        self.dropped += other.dropped;
        self.embeddings += other.embeddings;
        self.searched += other.searched;
        self.rederived += other.rederived;
        self.ahead += other.ahead;
        self.ruled_out += other.ruled_out;
        self.depth = self.depth.max(other.depth);
        self.span += other.span;
    }
}

impl MineStats {
    /// Embeddings looked at and searched for: what expanding costs, about.
    pub fn looks(&self) -> u64 {
        self.embeddings + self.searched
    }
}
