//! What a pass knows of each distinct support: computed once, by whichever thread comes first.
//!
//! Numbered by [`einsicht_graph::Support::id`]. All numbers of one pass are functions of the
//! support and delta alone, so two threads that compute the same one at the same time write the same bits.

use crate::bound::Reach;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Numbers of one support. A number belongs to the current pass if its stamp does.
#[derive(Debug, Default)]
pub(super) struct Slot {
    reach_pass: AtomicU32,
    total_pass: AtomicU32,
    score: AtomicU64,
    bound: AtomicU64,
    total: AtomicU64,
}

impl Slot {
    /// Score and bound in this pass.
    pub(super) fn reach(&self, pass: u32, compute: impl FnOnce() -> Reach) -> Reach {
        if self.reach_pass.load(Ordering::Acquire) == pass {
            let read = |number: &AtomicU64| f64::from_bits(number.load(Ordering::Relaxed));
            return Reach { score: read(&self.score), bound: read(&self.bound) };
        }
        let reach = compute();
        self.score.store(reach.score.to_bits(), Ordering::Relaxed);
        self.bound.store(reach.bound.to_bits(), Ordering::Relaxed);
        self.reach_pass.store(pass, Ordering::Release);
        reach
    }

    /// Total drift in this pass.
    pub(super) fn total(&self, pass: u32, compute: impl FnOnce() -> f64) -> f64 {
        if self.total_pass.load(Ordering::Acquire) == pass {
            return f64::from_bits(self.total.load(Ordering::Relaxed));
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

/// One slot a support, however many there will be.
#[derive(Debug)]
pub(super) struct Slots([OnceLock<Box<[Slot]>>; CHUNKS]);

impl Default for Slots {
    fn default() -> Self {
        Self(std::array::from_fn(|_| OnceLock::new()))
    }
}

impl Slots {
    /// The slot of a support.
    pub(super) fn get(&self, id: u32) -> &Slot {
        let shifted = u64::from(id) + (1 << FIRST);
        let size = shifted.ilog2();
        let chunk =
            self.0[(size - FIRST) as usize].get_or_init(|| (0..1_u64 << size).map(|_| Slot::default()).collect());
        &chunk[(shifted - (1 << size)) as usize]
    }
}
