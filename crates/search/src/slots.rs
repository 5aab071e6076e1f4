//! What a pass knows of each distinct support: computed once, by whichever thread comes first.
//!
//! Where graphs are few, each support is also kept as bits, one beside the other: lists lie scattered in memory, and waiting for
//! one takes longer than adding up what it says.
//!
//! Numbered by [`einsicht_graph::Support::id`]. All numbers of one pass are functions of the
//! support and delta alone, so two threads that compute the same one at the same time write the same bits.

use crate::bound::Reach;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Numbers of one support. A number belongs to the current pass if its stamp does.
#[derive(Debug, Default)]
pub(super) struct Slot {
    reach_pass: AtomicU32,
    total_pass: AtomicU32,
    score: AtomicU64,
    bound: AtomicU64,
    /// Total drift when score and bound were computed.
    reach_total: AtomicU64,
    total: AtomicU64,
    /// Whether its bits are there.
    has_bits: AtomicBool,
}

/// Score and bound of an earlier pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    pub(super) reach: Reach,
    /// Total drift at that time, or less.
    pub(super) stamp: f64,
}

fn read(number: &AtomicU64) -> f64 {
    f64::from_bits(number.load(Ordering::Relaxed))
}

impl Slot {
    /// Score and bound in this pass, and whether they were computed just now; `total` is the drift over the support.
    pub(super) fn reach(&self, pass: u32, total: f64, compute: impl FnOnce() -> Reach) -> (Reach, bool) {
        if self.reach_pass.load(Ordering::Acquire) == pass {
            return (Reach { score: read(&self.score), bound: read(&self.bound) }, false);
        }
        let reach = compute();
        self.score.store(reach.score.to_bits(), Ordering::Relaxed);
        self.bound.store(reach.bound.to_bits(), Ordering::Relaxed);
        // Whoever sees this stamp sees the numbers that belong to it, or later ones.
        self.reach_total.store(total.to_bits(), Ordering::Release);
        self.reach_pass.store(pass, Ordering::Release);
        (reach, true)
    }

    /// Score and bound as computed last, if that was in an earlier pass, but not before pass `since`. If another thread is
    /// computing them right now, they may be the new ones, and the stamp still the old one: a larger drift than need be.
    pub(super) fn earlier(&self, since: u32, pass: u32) -> Option<Earlier> {
        let computed = self.reach_pass.load(Ordering::Acquire);
        if computed == pass || computed < since.max(1) {
            return None;
        }
        let stamp = f64::from_bits(self.reach_total.load(Ordering::Acquire));
        Some(Earlier { reach: Reach { score: read(&self.score), bound: read(&self.bound) }, stamp })
    }

    /// Forgets everything: the number now means another support.
    pub(super) fn forget(&self) {
        self.reach_pass.store(0, Ordering::Relaxed);
        self.total_pass.store(0, Ordering::Relaxed);
        self.has_bits.store(false, Ordering::Relaxed);
    }

    /// Total drift in this pass.
    pub(super) fn total(&self, pass: u32, compute: impl FnOnce() -> f64) -> f64 {
        if self.total_pass.load(Ordering::Acquire) == pass {
            return read(&self.total);
        }
        let total = compute();
        self.total.store(total.to_bits(), Ordering::Relaxed);
        self.total_pass.store(pass, Ordering::Release);
        total
    }
}

/// log2 of the size of the first chunk; each further one doubles.
const FIRST: u32 = 8;
/// Enough chunks for all ids.
const CHUNKS: usize = 25;

/// Up to so many graphs, supports are kept as bits.
pub(super) const MOST_GRAPHS: usize = 1024;

/// One slot a support, however many there will be.
#[derive(Debug)]
pub(super) struct Slots {
    numbers: Chunks<Slot>,
    /// `words` a support.
    bits: Chunks<AtomicU64>,
    words: usize,
}

type Chunks<T> = [OnceLock<Box<[T]>>; CHUNKS];

fn words_for(graphs: usize) -> usize {
    if graphs <= MOST_GRAPHS { graphs.div_ceil(64) } else { 0 }
}

/// Chunk and place of a support.
#[inline]
fn place(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + (1 << FIRST);
    let size = shifted.ilog2();
    ((size - FIRST) as usize, (shifted - (1 << size)) as usize)
}

impl Slots {
    /// For supports among so many graphs.
    pub(super) fn new(graphs: usize) -> Self {
        let (numbers, bits) = (std::array::from_fn(|_| OnceLock::new()), std::array::from_fn(|_| OnceLock::new()));
        Self { numbers, bits, words: words_for(graphs) }
    }

    /// Memory for so many supports among so many graphs.
    pub(super) fn bytes(supports: usize, graphs: usize) -> usize {
        let size = (supports as u64 + (1 << FIRST)).ilog2();
        ((2 << size) - (1 << FIRST)) * (size_of::<Slot>() + size_of::<AtomicU64>() * words_for(graphs))
    }

    /// The slot of a support.
    pub(super) fn get(&self, id: u32) -> &Slot {
        let (chunk, at) = place(id);
        let make = || (0..1_usize << (chunk as u32 + FIRST)).map(|_| Slot::default()).collect();
        &self.numbers[chunk].get_or_init(make)[at]
    }

    /// The support with this slot as bits, made from its graphs when it is first asked; nothing where graphs are many.
    pub(super) fn bits<'a>(&self, id: u32, slot: &Slot, graphs: impl FnOnce() -> &'a [u32]) -> Option<&[AtomicU64]> {
        if self.words == 0 {
            return None;
        }
        let (chunk, at) = place(id);
        let make = || (0..self.words << (chunk as u32 + FIRST)).map(|_| AtomicU64::new(0)).collect();
        let bits = &self.bits[chunk].get_or_init(make)[at * self.words..][..self.words];
        if !slot.has_bits.load(Ordering::Acquire) {
            let mut words = [0_u64; MOST_GRAPHS / 64];
            for &graph in graphs() {
                words[graph as usize / 64] |= 1 << (graph % 64);
            }
            for (to, word) in bits.iter().zip(words) {
                to.store(word, Ordering::Relaxed);
            }
            // Whoever sees this sees the bits; another thread that is just writing them writes the same.
            slot.has_bits.store(true, Ordering::Release);
        }
        Some(bits)
    }
}

/// The graphs of a support as bits, increasing.
pub(super) fn listed<'a>(bits: &[AtomicU64], room: &'a mut Vec<u32>) -> &'a [u32] {
    room.resize(64 * bits.len(), 0);
    let mut len = 0;
    for (at, word) in bits.iter().enumerate() {
        let mut word = word.load(Ordering::Relaxed);
        while word != 0 {
            room[len] = 64 * at as u32 + word.trailing_zeros();
            len += 1;
            word &= word - 1;
        }
    }
    &room[..len]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_graphs_until_the_slot_is_forgotten() {
        let slots = Slots::new(130);
        let read = |id: u32, graphs: &'static [u32]| -> Vec<u64> {
            let bits = slots.bits(id, slots.get(id), || graphs).unwrap();
            bits.iter().map(|word| word.load(Ordering::Relaxed)).collect()
        };
        for id in [0, 255, 256, 70_000] {
            assert_eq!(read(id, &[0, 63, 64, 129]), [1 | 1 << 63, 1, 2]);
            assert_eq!(read(id, &[5]), [1 | 1 << 63, 1, 2], "they are kept");
            slots.get(id).forget();
            assert_eq!(read(id, &[5]), [32, 0, 0]);
            slots.get(id).forget();
            let bits = slots.bits(id, slots.get(id), || &[0, 63, 64, 129]).unwrap();
            assert_eq!(listed(bits, &mut Vec::new()), [0, 63, 64, 129]);
        }
        let many = Slots::new(MOST_GRAPHS + 1);
        assert!(many.bits(0, many.get(0), || &[1]).is_none());
        assert_eq!(Slots::bytes(0, MOST_GRAPHS + 1), 256 * size_of::<Slot>());
        assert_eq!(Slots::bytes(0, 130), 256 * (size_of::<Slot>() + 24));
    }
}
