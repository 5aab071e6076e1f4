//! The progress of the mining, for another thread.

use einsicht::graph::mine::{MineControl, VisitedPattern, Visitor};
use std::sync::atomic::{AtomicU64, Ordering};

/// After how many patterns a visitor reports.
const REPORT_EVERY: u64 = 256;

/// Approximate progress, shared by the visitors.
#[derive(Default)]
pub(super) struct Seen {
    patterns: AtomicU64,
    depth: AtomicU64,
}

impl Seen {
    pub(super) fn patterns(&self) -> u64 {
        self.patterns.load(Ordering::Relaxed)
    }

    /// Number of edges of the largest pattern so far.
    pub(super) fn depth(&self) -> u64 {
        self.depth.load(Ordering::Relaxed)
    }
}

/// A visitor that reports its progress.
pub(super) struct Watched<'a, V> {
    pub(super) visitor: V,
    seen: &'a Seen,
    /// Whether it may have to stop before the end.
    is_limited: bool,
    unreported: u64,
    depth: u64,
}

impl<'a, V> Watched<'a, V> {
    pub(super) fn new(visitor: V, seen: &'a Seen, is_limited: bool) -> Self {
        Self { visitor, seen, is_limited, unreported: 0, depth: 0 }
    }

    fn report(&mut self) {
        self.seen.patterns.fetch_add(self.unreported, Ordering::Relaxed);
        self.seen.depth.fetch_max(self.depth, Ordering::Relaxed);
        self.unreported = 0;
    }
}

impl<V: Visitor> Visitor for Watched<'_, V> {
    #[inline]
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        self.unreported += 1;
        self.depth = self.depth.max(found.code.len() as u64);
        if self.unreported >= REPORT_EVERY {
            self.report();
        }
        self.visitor.visit(found)
    }

    /// A limited visitor may stop before the end, so that not all patterns may be grown.
    fn grows_all(&self) -> bool {
        !self.is_limited && self.visitor.grows_all()
    }

    fn reads_codes(&self) -> bool {
        self.visitor.reads_codes()
    }

    fn fork(&self) -> Self {
        Self { visitor: self.visitor.fork(), unreported: 0, depth: 0, ..*self }
    }

    fn join(&mut self, mut later: Self) {
        later.report();
        self.visitor.join(later.visitor);
    }
}
