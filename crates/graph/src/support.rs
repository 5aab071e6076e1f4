//! Supports: the graphs that contain a pattern (`psi_H`, stored sparsely), each distinct list stored once.
//!
//! Promise: graph ids are strictly increasing; equal lists from one [`SupportTable`] are the same allocation with the same
//! [`Support::id`], whichever thread came first. With minimum-image counts the list is of (graph, count) pairs, and two lists
//! are equal only if their counts are too. The id is an index for caches; which list gets which id may differ between
//! runs, so no result may depend on it.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The graphs that contain a pattern, with the minimum-image count of each if counts are mined.
#[derive(Debug, PartialEq, Eq)]
pub struct Support {
    id: u32,
    graphs: Box<[u32]>,
    /// Parallel to `graphs` if counts are mined, else empty.
    counts: Box<[u32]>,
}

impl Support {
    /// A support outside any table, with id 0: for tests, oracles and loaded models.
    ///
    /// # Panics
    /// If the graphs are not strictly increasing, or counts are given for only some of them.
    pub fn detached(graphs: Vec<u32>, counts: Vec<u32>) -> Arc<Self> {
        assert!(graphs.is_sorted_by(|a, b| a < b), "supports are strictly increasing");
        assert!(counts.is_empty() || counts.len() == graphs.len(), "one count per graph, or none at all");
        Arc::new(Self { id: 0, graphs: graphs.into(), counts: counts.into() })
    }

    /// Index of this list in its table: small numbers from 0, reused once the list is gone.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The graphs, strictly increasing.
    pub fn graphs(&self) -> &[u32] {
        &self.graphs
    }

    /// Minimum-image counts, one per graph, or empty if they are not mined.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Number of graphs.
    pub fn len(&self) -> usize {
        self.graphs.len()
    }

    /// Memory held, with its entry in a table that may just be growing.
    pub(crate) fn bytes(&self) -> usize {
        ENTRY_BYTES + 4 * (self.graphs.len() + self.counts.len())
    }

    /// Whether no graph contains the pattern.
    pub fn is_empty(&self) -> bool {
        self.graphs.is_empty()
    }
}

/// Bytes of a support besides its lists: itself, and its entry in a map.
const ENTRY_BYTES: usize = 176;

/// Number of locks, so that threads seldom wait for each other; a power of two.
const SHARDS: usize = 16;

/// Stores each distinct support once.
#[derive(Debug, Default)]
pub struct SupportTable {
    shards: [Mutex<FxHashMap<u64, Vec<Arc<Support>>>>; SHARDS],
    len: AtomicU32,
    bytes: AtomicUsize,
    /// Ids of removed supports, for reuse.
    free: Mutex<Vec<u32>>,
}

impl SupportTable {
    /// The one support with this content.
    pub fn intern(&self, graphs: &[u32], counts: &[u32]) -> Arc<Support> {
        debug_assert!(graphs.is_sorted_by(|a, b| a < b));
        let hash = FxBuildHasher.hash_one((graphs, counts));
        let shard = &self.shards[(hash >> 60) as usize % SHARDS];
        let mut known = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let same_hash = known.entry(hash).or_insert_with(|| Vec::with_capacity(1));
        if let Some(found) = same_hash.iter().find(|s| *s.graphs == *graphs && *s.counts == *counts) {
            return Arc::clone(found);
        }
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let id = free.unwrap_or_else(|| self.len.fetch_add(1, Ordering::Relaxed));
        let support = Arc::new(Support { id, graphs: graphs.into(), counts: counts.into() });
        self.bytes.fetch_add(support.bytes(), Ordering::Relaxed);
        same_hash.push(Arc::clone(&support));
        support
    }

    /// Removes the supports that only this table holds, and returns their ids, which are reused later.
    pub fn remove_unused(&mut self) -> Vec<u32> {
        let mut removed = Vec::new();
        for shard in &mut self.shards {
            let known = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            for same_hash in known.values_mut() {
                same_hash.retain(|support| {
                    let is_used = Arc::strong_count(support) > 1;
                    if !is_used {
                        removed.push(support.id);
                        *self.bytes.get_mut() -= support.bytes();
                    }
                    is_used
                });
            }
            known.retain(|_, same_hash| !same_hash.is_empty());
            known.shrink_to_fit();
        }
        let free = self.free.get_mut().unwrap_or_else(PoisonError::into_inner);
        // In order, whatever the order of the maps was.
        removed.sort_unstable();
        free.extend(removed.iter().rev());
        removed
    }

    /// Number of ids assigned so far.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed) as usize
    }

    /// Whether no id was assigned yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory held, approximately.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_stored_once_and_counts_distinguish_lists() {
        let table = SupportTable::default();
        let a = table.intern(&[1, 5], &[]);
        let b = table.intern(&[1, 5], &[]);
        let c = table.intern(&[1, 5], &[1, 2]);
        assert!(Arc::ptr_eq(&a, &b));
        assert_ne!(a.id(), c.id());
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn an_unused_support_is_removed_and_its_id_is_reused() {
        let mut table = SupportTable::default();
        let [a, b, c] = [[1, 5], [2, 5], [3, 5]].map(|graphs| table.intern(&graphs, &[]));
        let (before, id) = (table.bytes(), b.id());
        drop(b);
        assert_eq!(table.remove_unused(), [id]);
        assert_eq!(table.bytes(), before / 3 * 2);
        assert!(Arc::ptr_eq(&a, &table.intern(&[1, 5], &[])));
        assert_eq!((table.intern(&[4], &[]).id(), c.id(), table.len()), (id, 2, 3));
    }
}
