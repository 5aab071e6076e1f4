//! In which graphs a pattern occurs (`psi_H`, stored sparsely), each distinct list stored once.
//!
//! Promise: ids are strictly increasing; equal lists from one [`SupportTable`] are the same
//! allocation with the same [`Support::id`], whichever thread asked first. In count mode the
//! list is of (graph, count) and two lists are equal only if their counts are too. The id is an index for
//! caches; which list gets which id may differ between runs, so nothing that a user sees may depend on it.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The graphs that contain a pattern, with a count for each in count mode.
#[derive(Debug, PartialEq, Eq)]
pub struct Support {
    id: u32,
    graphs: Box<[u32]>,
    /// Parallel to `graphs` in count mode, else empty.
    counts: Box<[u32]>,
}

impl Support {
    /// A support outside any table, with id 0: for tests, oracles and loaded models.
    ///
    /// # Panics
    /// If the graphs are not strictly increasing, or counts are given for only some of them.
    pub fn detached(graphs: Vec<u32>, counts: Vec<u32>) -> Arc<Self> {
        assert!(graphs.is_sorted_by(|a, b| a < b), "supports are strictly increasing");
        assert!(counts.is_empty() || counts.len() == graphs.len(), "one count a graph, or none at all");
        Arc::new(Self { id: 0, graphs: graphs.into(), counts: counts.into() })
    }

    /// Index of this list in its table, from 0 without gaps.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The graphs, strictly increasing.
    pub fn graphs(&self) -> &[u32] {
        &self.graphs
    }

    /// Minimum-image counts, one a graph, or empty when only presence is asked.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Number of graphs.
    pub fn len(&self) -> usize {
        self.graphs.len()
    }

    /// Whether no graph contains the pattern.
    pub fn is_empty(&self) -> bool {
        self.graphs.is_empty()
    }
}

/// Locks to spread concurrent interning over; a power of two.
const SHARDS: usize = 16;

/// Stores each distinct support once.
#[derive(Debug, Default)]
pub struct SupportTable {
    shards: [Mutex<FxHashMap<u64, Vec<Arc<Support>>>>; SHARDS],
    len: AtomicU32,
    bytes: AtomicUsize,
}

impl SupportTable {
    /// The one support with this content.
    pub fn intern(&self, graphs: &[u32], counts: &[u32]) -> Arc<Support> {
        debug_assert!(graphs.is_sorted_by(|a, b| a < b));
        let hash = FxBuildHasher.hash_one((graphs, counts));
        let shard = &self.shards[(hash >> 60) as usize % SHARDS];
        let mut known = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let same_hash = known.entry(hash).or_default();
        if let Some(found) = same_hash.iter().find(|s| *s.graphs == *graphs && *s.counts == *counts) {
            return Arc::clone(found);
        }
        let id = self.len.fetch_add(1, Ordering::Relaxed);
        let support = Arc::new(Support { id, graphs: graphs.into(), counts: counts.into() });
        self.bytes.fetch_add(96 + 4 * (graphs.len() + counts.len()), Ordering::Relaxed);
        same_hash.push(Arc::clone(&support));
        support
    }

    /// Number of distinct supports so far.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed) as usize
    }

    /// Whether nothing was stored yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory held, about.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_stored_once_and_counts_tell_lists_apart() {
        let table = SupportTable::default();
        let a = table.intern(&[1, 5], &[]);
        let b = table.intern(&[1, 5], &[]);
        let c = table.intern(&[1, 5], &[1, 2]);
        assert!(Arc::ptr_eq(&a, &b));
        assert_ne!(a.id(), c.id());
        assert_eq!(table.len(), 2);
    }
}
