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
    /// Total drift when score and bound were computed.
    reach_total: AtomicU64,
    total: AtomicU64,
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

/// One slot a support, however many there will be.
#[derive(Debug)]
pub(super) struct Slots([OnceLock<Box<[Slot]>>; CHUNKS]);

impl Default for Slots {
    fn default() -> Self {
        Self(std::array::from_fn(|_| OnceLock::new()))
    }
}

impl Slots {
    /// Memory for so many supports.
    pub(super) fn bytes(supports: usize) -> usize {
        let size = (supports as u64 + (1 << FIRST)).ilog2();
        ((2 << size) - (1 << FIRST)) * size_of::<Slot>()
    }

    /// The slot of a support.
    pub(super) fn get(&self, id: u32) -> &Slot {
        let shifted = u64::from(id) + (1 << FIRST);
        let size = shifted.ilog2();
        let chunk =
            self.0[(size - FIRST) as usize].get_or_init(|| (0..1_u64 << size).map(|_| Slot::default()).collect());
        &chunk[(shifted - (1 << size)) as usize]
    }
}
