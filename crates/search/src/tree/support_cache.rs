//! Numbers per distinct support: each is computed once per pass, by whichever thread comes first.
//!
//! With few graphs, each support is also kept as a bit set, in consecutive memory: the lists of graphs are scattered
//! over memory, and the cache misses cost more than the additions.
//!
//! Indexed by [`einsicht_graph::TreeSupport::id`]. All numbers of one pass are functions of the
//! support and delta alone, so two threads that compute the same one at the same time write the same bits.

use crate::bound::ScoreAndBound;
use einsicht_graph::TreeSupport;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The number of a distinct support of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SupportId(u32);

impl SupportId {
    /// For a record of a node that was never visited.
    pub(super) const FIRST: Self = Self(0);

    /// The number of a support that the tree has handed out or interned.
    pub(crate) fn of(support: &TreeSupport) -> Self {
        Self(support.id())
    }

    /// The number that all supports with the same graphs and counts share.
    pub(crate) fn class_of(support: &TreeSupport) -> Self {
        Self(support.class_id())
    }

    /// The support, or class, with this number.
    pub(super) fn numbered(id: u32) -> Self {
        Self(id)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Numbers of one support. A number is valid in the current pass if its pass is that one.
#[derive(Debug, Default)]
pub(super) struct CachedSupport {
    scored_in: AtomicU32,
    drift_in: AtomicU32,
    score: AtomicU64,
    bound: AtomicU64,
    /// Drift when score and bound were computed; minus infinity if it is not known.
    scored_at: AtomicU64,
    drift: AtomicU64,
    /// Whether its bit set is there.
    has_bits: AtomicBool,
}

/// Score and bound of an earlier pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct EarlierScore {
    pub(super) score: f64,
    pub(super) bound: f64,
    /// Drift over the support at that time, or less.
    pub(super) drift: f64,
}

fn read(number: &AtomicU64) -> f64 {
    f64::from_bits(number.load(Ordering::Relaxed))
}

impl CachedSupport {
    fn current(&self) -> ScoreAndBound {
        ScoreAndBound { score: read(&self.score), bound: read(&self.bound) }
    }

    /// Score and bound in this pass, and whether they were computed just now; `drift` is that over the support.
    pub(super) fn score_once(
        &self,
        pass: u32,
        drift: f64,
        compute: impl FnOnce() -> ScoreAndBound,
    ) -> (ScoreAndBound, bool) {
        if self.scored_in.load(Ordering::Acquire) == pass {
            return (self.current(), false);
        }
        let computed = compute();
        self.score.store(computed.score.to_bits(), Ordering::Relaxed);
        self.bound.store(computed.bound.to_bits(), Ordering::Relaxed);
        // A thread that sees this drift sees the numbers that belong to it, or later ones.
        self.scored_at.store(drift.to_bits(), Ordering::Release);
        self.scored_in.store(pass, Ordering::Release);
        (computed, true)
    }

    /// Score and bound as computed last, if that was in an earlier pass, but not before pass `since`. If another thread
    /// is computing them right now, they may be the new ones with the old drift, which only overestimates the change.
    pub(super) fn earlier(&self, since: u32, pass: u32) -> Option<EarlierScore> {
        let computed = self.scored_in.load(Ordering::Acquire);
        if computed == pass || computed < since.max(1) {
            return None;
        }
        let drift = f64::from_bits(self.scored_at.load(Ordering::Acquire));
        let ScoreAndBound { score, bound } = self.current();
        Some(EarlierScore { score, bound, drift })
    }

    /// Gives score and bound of this pass the drift over the support, which was not known when they were computed.
    pub(super) fn add_drift(&self, drift: f64) {
        self.scored_at.store(drift.to_bits(), Ordering::Release);
    }

    pub(super) fn knows_drift(&self, pass: u32) -> bool {
        self.drift_in.load(Ordering::Acquire) == pass
    }

    /// The drift over the support in this pass.
    pub(super) fn drift(&self, pass: u32, compute: impl FnOnce() -> f64) -> f64 {
        if self.drift_in.load(Ordering::Acquire) == pass {
            return read(&self.drift);
        }
        let drift = compute();
        self.drift.store(drift.to_bits(), Ordering::Relaxed);
        self.drift_in.store(pass, Ordering::Release);
        drift
    }
}

/// log2 of the size of the first chunk; each further one doubles.
const FIRST: u32 = 8;
/// Enough chunks for all ids.
const CHUNKS: usize = 25;

/// Up to this number of graphs, supports are kept as bit sets.
pub(super) const MAX_BIT_SET_GRAPHS: usize = 1024;

/// One entry per support; grows with their number and never moves.
#[derive(Debug)]
pub(super) struct SupportCache {
    numbers: Chunks<CachedSupport>,
    /// `words` per support.
    bits: Chunks<AtomicU64>,
    words: usize,
}

type Chunks<T> = [OnceLock<Box<[T]>>; CHUNKS];

fn words_for(graphs: usize) -> usize {
    if graphs <= MAX_BIT_SET_GRAPHS { graphs.div_ceil(64) } else { 0 }
}

/// Chunk of a support and its position there.
#[inline]
fn locate(id: SupportId) -> (usize, usize) {
    let shifted = u64::from(id.0) + (1 << FIRST);
    let size = shifted.ilog2();
    ((size - FIRST) as usize, (shifted - (1 << size)) as usize)
}

impl SupportCache {
    /// A cache for supports among this number of graphs.
    pub(super) fn new(graphs: usize) -> Self {
        let (numbers, bits) = (std::array::from_fn(|_| OnceLock::new()), std::array::from_fn(|_| OnceLock::new()));
        Self { numbers, bits, words: words_for(graphs) }
    }

    /// Memory for this number of supports.
    pub(super) fn bytes(supports: usize, graphs: usize) -> usize {
        let size = (supports as u64 + (1 << FIRST)).ilog2();
        ((2 << size) - (1 << FIRST)) * (size_of::<CachedSupport>() + size_of::<AtomicU64>() * words_for(graphs))
    }

    pub(super) fn get(&self, id: SupportId) -> &CachedSupport {
        let (chunk, at) = locate(id);
        let make = || (0..1_usize << (chunk as u32 + FIRST)).map(|_| CachedSupport::default()).collect();
        &self.numbers[chunk].get_or_init(make)[at]
    }

    /// Whether supports are kept as bit sets too.
    pub(super) fn has_bits(&self) -> bool {
        self.words > 0
    }

    /// The support with this entry as a bit set, computed from its graphs on first use; nothing where there are many
    /// graphs.
    pub(super) fn bits(
        &self,
        id: SupportId,
        entry: &CachedSupport,
        graphs: impl FnOnce() -> Vec<u32>,
    ) -> Option<&[AtomicU64]> {
        if self.words == 0 {
            return None;
        }
        let (chunk, at) = locate(id);
        let make = || (0..self.words << (chunk as u32 + FIRST)).map(|_| AtomicU64::new(0)).collect();
        let bits = &self.bits[chunk].get_or_init(make)[at * self.words..][..self.words];
        if !entry.has_bits.load(Ordering::Acquire) {
            let mut words = [0_u64; MAX_BIT_SET_GRAPHS / 64];
            for graph in graphs() {
                words[graph as usize / 64] |= 1 << (graph % 64);
            }
            for (to, word) in bits.iter().zip(words) {
                to.store(word, Ordering::Relaxed);
            }
            // A thread that sees this sees the bits; another thread that is just writing them writes the same.
            entry.has_bits.store(true, Ordering::Release);
        }
        Some(bits)
    }
}

/// The graphs of a bit set, increasing.
pub(super) fn graphs_of<'a>(bits: &[AtomicU64], buffer: &'a mut Vec<u32>) -> &'a [u32] {
    buffer.resize(64 * bits.len(), 0);
    let mut len = 0;
    for (at, word) in bits.iter().enumerate() {
        let mut word = word.load(Ordering::Relaxed);
        while word != 0 {
            buffer[len] = 64 * at as u32 + word.trailing_zeros();
            len += 1;
            word &= word - 1;
        }
    }
    &buffer[..len]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_graphs() {
        let cache = SupportCache::new(130);
        let read = |id: SupportId, graphs: &[u32]| -> Vec<u64> {
            let bits = cache.bits(id, cache.get(id), || graphs.to_vec()).unwrap();
            bits.iter().map(|word| word.load(Ordering::Relaxed)).collect()
        };
        for id in [0, 255, 256, 70_000].map(SupportId) {
            assert_eq!(read(id, &[0, 63, 64, 129]), [1 | 1 << 63, 1, 2]);
            assert_eq!(read(id, &[5]), [1 | 1 << 63, 1, 2], "the first ones are kept");
            let bits = cache.bits(id, cache.get(id), || vec![0, 63, 64, 129]).unwrap();
            assert_eq!(graphs_of(bits, &mut Vec::new()), [0, 63, 64, 129]);
        }
        let many = SupportCache::new(MAX_BIT_SET_GRAPHS + 1);
        assert!(many.bits(SupportId(0), many.get(SupportId(0)), || vec![1]).is_none());
        assert_eq!(SupportCache::bytes(0, MAX_BIT_SET_GRAPHS + 1), 256 * size_of::<CachedSupport>());
        assert_eq!(SupportCache::bytes(0, 130), 256 * (size_of::<CachedSupport>() + 24));
    }
}
