//! A list that grows while others read it: many threads may add at the end and look anything up by its
//! number, without a lock and without moving what is there.
//!
//! Chunks of doubling size; each place is filled once. Safe code only.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// log2 of the size of the first chunk.
const FIRST: u32 = 6;
/// Enough chunks for all numbers of 32 bits.
const CHUNKS: usize = 27;

/// An append-only list, shared between threads.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
    len: AtomicU32,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { chunks: std::array::from_fn(|_| OnceLock::new()), len: AtomicU32::new(0) }
    }
}

/// Chunk and place of a number.
fn place(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + (1 << FIRST);
    let chunk = shifted.ilog2() - FIRST;
    (chunk as usize, (shifted - (1 << (chunk + FIRST))) as usize)
}

impl<T> Arena<T> {
    /// Adds the items one after another and gives the number of the first.
    pub(crate) fn extend(&self, items: impl ExactSizeIterator<Item = T>) -> u32 {
        let first = self.len.fetch_add(items.len() as u32, Ordering::Relaxed);
        for (id, item) in (first..).zip(items) {
            let (chunk, at) = place(id);
            let chunk = self.chunks[chunk]
                .get_or_init(|| (0..1_usize << (chunk as u32 + FIRST)).map(|_| OnceLock::new()).collect());
            // The number was just handed out, so the place is empty.
            let _ = chunk[at].set(item);
        }
        first
    }

    /// The item with this number.
    ///
    /// # Panics
    /// If the number was not given out, or its item is not there yet.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> &T {
        let (chunk, at) = place(id);
        self.chunks[chunk].get().and_then(|chunk| chunk[at].get()).expect("a number that was given out")
    }

    /// Memory of the chunks that hold the items, and of the one that comes next if `more` items may touch it.
    pub(crate) fn bytes(&self, more: u32) -> usize {
        let (chunk, _) = place(self.len.load(Ordering::Relaxed).saturating_add(more));
        ((2 << (chunk as u32 + FIRST)) - (1 << FIRST)) * size_of::<OnceLock<T>>()
    }

    /// Keeps only the items for which `keep` says so, in their order, with new numbers without gaps, and frees the chunks
    /// that are no longer needed.
    pub(crate) fn compact(&mut self, mut keep: impl FnMut(u32, &mut T) -> bool) {
        let len = std::mem::take(self.len.get_mut());
        for id in 0..len {
            let (chunk, at) = place(id);
            let item = self.chunks[chunk].get_mut().and_then(|chunk| chunk[at].take());
            if let Some(mut item) = item
                && keep(id, &mut item)
            {
                self.extend(std::iter::once(item));
            }
        }
        for chunk in &mut self.chunks[place(*self.len.get_mut()).0 + 1..] {
            chunk.take();
        }
    }

    /// All items that are there.
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
        let arena = Arena::default();
        for i in 0..1000_u32 {
            assert_eq!(arena.extend([2 * i, 2 * i + 1].into_iter()), 2 * i);
        }
        assert!((0..2000).all(|i| *arena.get(i) == i));
        assert!(arena.iter().copied().eq(0..2000));
        // Chunks of 64, 128, ... 2048 places have 4032 together.
        let of_one = size_of::<OnceLock<u32>>();
        assert_eq!([arena.bytes(0), arena.bytes(2031), arena.bytes(2032)], [4032, 4032, 8128].map(|n| n * of_one));
        assert_eq!(place(u32::MAX).0, CHUNKS - 1);
    }

    #[test]
    fn what_is_kept_moves_up_and_the_rest_is_freed() {
        let mut arena = Arena::default();
        arena.extend(0..2000_u32);
        let whole = arena.bytes(0);
        arena.compact(|id, item| {
            *item += 1;
            id % 100 == 7
        });
        assert!(arena.iter().copied().eq((0..20).map(|i| 100 * i + 8)));
        assert!(arena.bytes(0) < whole / 10 && arena.chunks[2].get().is_none());
        assert_eq!(arena.extend(std::iter::once(5)), 20);
    }

    #[test]
    fn threads_may_add_at_the_same_time() {
        let arena = Arena::default();
        std::thread::scope(|scope| {
            for t in 0..4_u32 {
                let arena = &arena;
                scope.spawn(move || {
                    for _ in 0..500 {
                        let first = arena.extend([t, t, t].into_iter());
                        assert!((first..first + 3).all(|id| *arena.get(id) == t));
                    }
                });
            }
        });
        assert_eq!(arena.len(), 6000);
    }
}
