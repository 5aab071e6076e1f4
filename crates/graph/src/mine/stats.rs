//! Counters of a mining run: what was done, not how long it took.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// Expansions whose embeddings had to be derived again, because the budget did not let them stay.
    pub rederived: u64,
    /// Edges of the largest pattern visited.
    pub depth: u64,
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
        self.depth = self.depth.max(other.depth);
    }
}

impl MineStats {
    /// Embeddings looked at and searched for: what expanding costs, about.
    fn looks(&self) -> u64 {
        self.embeddings + self.searched
    }
}

/// More threads share the last place.
const WORKERS: usize = 64;

/// Embeddings looked at by each thread of a rayon pool. How work falls to threads differs from run to run: for judging how well
/// it is spread, and for nothing else.
#[derive(Debug)]
pub(crate) struct ByWorker([AtomicU64; WORKERS]);

impl Default for ByWorker {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; WORKERS])
    }
}

impl ByWorker {
    /// Adds what the current thread has done between two states of its counters.
    pub(crate) fn add(&self, before: &MineStats, after: &MineStats) {
        let worker = rayon::current_thread_index().unwrap_or(0).min(WORKERS - 1);
        self.0[worker].fetch_add(after.looks() - before.looks(), Ordering::Relaxed);
    }

    /// One number a thread, up to the last that did anything.
    pub(crate) fn looks(&self) -> Vec<u64> {
        let mut looks: Vec<u64> = self.0.iter().map(|worker| worker.load(Ordering::Relaxed)).collect();
        looks.truncate(looks.iter().rposition(|&worker| worker > 0).map_or(0, |last| last + 1));
        looks
    }
}
