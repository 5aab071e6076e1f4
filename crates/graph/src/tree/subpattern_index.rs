//! Nodes of a tree by the isomorphism-invariant hash of their patterns (`canon/wl_hash.rs`).
//!
//! Promise: a node found under a hash was inserted under it; hashes may collide, so the caller must compare the
//! patterns. The first pattern of a hash stays; others with the same hash are not kept and count as unknown.

use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Number of locks, so that threads seldom wait for each other; a power of two.
const SHARDS: usize = 16;

/// Nodes by hash.
#[derive(Debug, Default)]
pub(super) struct SubpatternIndex {
    shards: [Mutex<FxHashMap<u64, u32>>; SHARDS],
}

impl SubpatternIndex {
    fn shard(&self, hash: u64) -> std::sync::MutexGuard<'_, FxHashMap<u64, u32>> {
        // The last bits choose the bucket in the map.
        self.shards[(hash >> 60) as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Inserts a node, unless its hash is taken.
    pub(super) fn insert(&self, hash: u64, node: u32) {
        self.shard(hash).entry(hash).or_insert(node);
    }

    pub(super) fn get(&self, hash: u64) -> Option<u32> {
        self.shard(hash).get(&hash).copied()
    }

    /// Removes everything.
    pub(super) fn clear(&self) {
        for shard in &self.shards {
            *shard.lock().unwrap_or_else(PoisonError::into_inner) = FxHashMap::default();
        }
    }

    /// Largest memory once so many more are inserted; 0 if there is none yet.
    pub(super) fn bytes(&self, more: u32) -> usize {
        let entries = |shard: &Mutex<FxHashMap<u64, u32>>| {
            let known = shard.lock().unwrap_or_else(PoisonError::into_inner).capacity();
            // A full map doubles, and has both copies for a while; an entry takes 17 bytes and 7 of 8 are used.
            if known == 0 { 0 } else { 3 * 20 * known + 20 * more as usize / SHARDS }
        };
        self.shards.iter().map(entries).sum()
    }
}
