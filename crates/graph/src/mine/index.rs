//! Which patterns of a tree are known, by a number that equal patterns share (`likeness.rs`).
//!
//! Promise: what is found under a number was put there under it; whether it is the pattern that was meant, the asker must see for
//! itself. The first pattern of a number stays, others of the same number are not kept: they count as unknown.

use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Several maps, so that threads seldom wait for each other.
const SHARDS: usize = 16;

/// Nodes by number.
#[derive(Debug, Default)]
pub(crate) struct Index {
    shards: [Mutex<FxHashMap<u64, u32>>; SHARDS],
}

impl Index {
    fn shard(&self, number: u64) -> std::sync::MutexGuard<'_, FxHashMap<u64, u32>> {
        // The last bits choose the place in the map.
        self.shards[(number >> 60) as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a node, unless its number is taken.
    pub(crate) fn insert(&self, number: u64, node: u32) {
        self.shard(number).entry(number).or_insert(node);
    }

    pub(crate) fn get(&self, number: u64) -> Option<u32> {
        self.shard(number).get(&number).copied()
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        for shard in &self.shards {
            *shard.lock().unwrap_or_else(PoisonError::into_inner) = FxHashMap::default();
        }
    }

    /// Nodes have new numbers; those without one are gone.
    pub(crate) fn rename(&mut self, name: impl Fn(u32) -> Option<u32>) {
        for shard in &mut self.shards {
            let known = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            *known = known.drain().filter_map(|(number, node)| Some((number, name(node)?))).collect();
        }
    }

    /// Bytes that it takes at most once so many more are known, unless there is none yet.
    pub(crate) fn bytes(&self, more: u32) -> usize {
        let entries = |shard: &Mutex<FxHashMap<u64, u32>>| {
            let known = shard.lock().unwrap_or_else(PoisonError::into_inner).capacity();
            // A map that is full doubles, and has both for a while; a place takes 17 bytes and 7 of 8 are used.
            if known == 0 { 0 } else { 3 * 20 * known + 20 * more as usize / SHARDS }
        };
        self.shards.iter().map(entries).sum()
    }
}
