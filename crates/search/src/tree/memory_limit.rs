//! How much memory a tree search takes, and what it does at its limit: it evicts all embeddings, once; then it is full.
//!
//! Promise: evicting changes the time and never an answer. Does not know what the memory is needed for.
//!
//! Tested over whole trainings in `crates/train/tests/budgets.rs`.

use super::search::TreeSearch;
use super::support_cache::SupportCache;
use einsicht_graph::tree::Tree;

/// Bytes that a pass needs per node: its record, a visit or two, its entry in the queue.
const BYTES_PER_NODE: usize = 128;

/// The memory of the tree and of all that is known about it.
#[derive(Debug)]
pub(super) struct MemoryLimit {
    /// Bytes.
    bytes: usize,
    /// Searches over the same tree, each with a history of its own.
    searches: usize,
}

impl Default for MemoryLimit {
    fn default() -> Self {
        Self { bytes: usize::MAX, searches: 1 }
    }
}

impl TreeSearch {
    /// Limits the memory of the tree, with all that this number of searches know about it. When the limit is reached,
    /// first the embeddings are evicted, then queries fail with [`super::TreeError::Full`].
    #[must_use]
    pub(crate) fn with_memory_limit(mut self, bytes: usize, searches: usize) -> Self {
        self.limit = MemoryLimit { bytes, searches };
        self
    }

    /// Whether there is memory for another copy of all supports, for each search over the tree.
    pub(super) fn may_copy_supports(&self) -> bool {
        self.limit.bytes == usize::MAX || self.memory().saturating_mul(1 + self.limit.searches) <= self.limit.bytes
    }

    /// Bytes of a tree that has not grown yet, and of all that is known about it.
    pub(crate) fn initial_memory(tree: &Tree) -> usize {
        let (nodes, supports) = tree.sizes();
        tree.bytes_held(1) + nodes * BYTES_PER_NODE + SupportCache::bytes(supports, tree.num_graphs())
    }

    /// Bytes of the tree and of all that is known about it.
    pub(crate) fn memory(&self) -> usize {
        self.memory_with(0)
    }

    /// The same with what this number of threads are about to add.
    fn memory_with(&self, threads: usize) -> usize {
        let (nodes, supports) = self.tree.sizes();
        let cache = SupportCache::bytes(supports, self.tree.num_graphs());
        self.tree.bytes_held(threads) + self.limit.searches * (nodes * BYTES_PER_NODE + cache + self.scan_bytes)
    }

    /// Whether the tree may not grow, even without embeddings.
    pub(super) fn is_full(&self) -> bool {
        let threads = self.options.threads.max(self.limit.searches);
        if self.limit.bytes == usize::MAX || self.memory_with(threads) <= self.limit.bytes {
            return false;
        }
        self.tree.evict_embeddings();
        self.memory_with(threads) > self.limit.bytes
    }
}
