//! A vector that grows while other threads read it: many threads may append and look items up by number, without a lock
//! and without moving what is there.
//!
//! Chunks of doubling size; each slot is filled once. Safe code only.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// log2 of the size of the first chunk.
const FIRST: u32 = 6;
/// Enough chunks for all 32-bit numbers.
const CHUNKS: usize = 27;

/// An append-only vector, shared between threads.
#[derive(Debug)]
pub(crate) struct ConcurrentVec<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
    len: AtomicU32,
}

impl<T> Default for ConcurrentVec<T> {
    fn default() -> Self {
        Self { chunks: std::array::from_fn(|_| OnceLock::new()), len: AtomicU32::new(0) }
    }
}

/// Chunk of a number, and index in the chunk.
fn position(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + (1 << FIRST);
    let chunk = shifted.ilog2() - FIRST;
    (chunk as usize, (shifted - (1 << (chunk + FIRST))) as usize)
}

impl<T> ConcurrentVec<T> {
    /// Appends the items and returns the number of the first.
    pub(crate) fn extend(&self, items: impl ExactSizeIterator<Item = T>) -> u32 {
        let first = self.len.fetch_add(items.len() as u32, Ordering::Relaxed);
        for (id, item) in (first..).zip(items) {
            let (chunk, at) = position(id);
            let chunk = self.chunks[chunk]
                .get_or_init(|| (0..1_usize << (chunk as u32 + FIRST)).map(|_| OnceLock::new()).collect());
            // The number was just assigned, so the slot is empty.
            let _ = chunk[at].set(item);
        }
        first
    }

    /// The item with this number.
    ///
    /// # Panics
    /// If the number was not assigned, or its item is not there yet.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> &T {
        let (chunk, at) = position(id);
        self.chunks[chunk].get().and_then(|chunk| chunk[at].get()).expect("an assigned number")
    }

    /// Memory of the chunks that hold the items, and of the next one if `more` items may need it.
    pub(crate) fn bytes(&self, more: u32) -> usize {
        let (chunk, _) = position(self.len.load(Ordering::Relaxed).saturating_add(more));
        ((2 << (chunk as u32 + FIRST)) - (1 << FIRST)) * size_of::<OnceLock<T>>()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().filter_map(OnceLock::get).flat_map(|chunk| chunk.iter().filter_map(OnceLock::get))
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_the_chunks_without_gaps() {
        let items = ConcurrentVec::default();
        for i in 0..1000_u32 {
            assert_eq!(items.extend([2 * i, 2 * i + 1].into_iter()), 2 * i);
        }
        assert!((0..2000).all(|i| *items.get(i) == i));
        assert!(items.iter().copied().eq(0..2000));
        // Chunks of 64, 128, ... 2048 slots have 4032 together.
        let of_one = size_of::<OnceLock<u32>>();
        assert_eq!([items.bytes(0), items.bytes(2031), items.bytes(2032)], [4032, 4032, 8128].map(|n| n * of_one));
        assert_eq!(position(u32::MAX).0, CHUNKS - 1);
    }

    #[test]
    fn threads_may_append_at_the_same_time() {
        let items = ConcurrentVec::default();
        std::thread::scope(|scope| {
            for t in 0..4_u32 {
                let items = &items;
                scope.spawn(move || {
                    for _ in 0..500 {
                        let first = items.extend([t, t, t].into_iter());
                        assert!((first..first + 3).all(|id| *items.get(id) == t));
                    }
                });
            }
        });
        assert_eq!(items.len(), 6000);
    }
}
