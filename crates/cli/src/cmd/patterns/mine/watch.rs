//! Observes the mining: it can be stopped from outside, and its progress can be read.

use crate::io::interrupt::{Interrupts, stop_now};
use einsicht::graph::mine::{MineControl, VisitedPattern, Visitor};
use einsicht::graph::stop;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often the time and the signals are checked.
const TICK: Duration = Duration::from_millis(10);
/// After how many patterns a visitor reports.
const REPORT_EVERY: u64 = 256;

/// Why mining ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoppedBy {
    TimeLimit,
    MaxResults,
    MemoryLimit,
    /// The exit status of the signal.
    Signal(u8),
}

impl StoppedBy {
    /// The word for it in the JSON document: an option or what happened.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::TimeLimit => "time-limit",
            Self::MaxResults => "max-results",
            Self::MemoryLimit => "memory",
            Self::Signal(_) => "interrupt",
        }
    }
}

/// State shared by the visitors and their observers.
#[derive(Default)]
pub(super) struct Watch {
    /// 0 to continue, 1 for the time limit, 2 for the number of patterns, 3 for the memory, else the exit status of a
    /// signal.
    stop: AtomicU8,
    over: AtomicBool,
    patterns: AtomicU64,
    depth: AtomicU64,
}

impl Watch {
    /// Stops mining; the first reason counts.
    pub(super) fn stop(&self, reason: StoppedBy) {
        let code = match reason {
            StoppedBy::TimeLimit => 1,
            StoppedBy::MaxResults => 2,
            StoppedBy::MemoryLimit => 3,
            StoppedBy::Signal(code) => code,
        };
        // An earlier reason stays.
        let _ = self.stop.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub(super) fn stopped_by(&self) -> Option<StoppedBy> {
        match self.stop.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StoppedBy::TimeLimit),
            2 => Some(StoppedBy::MaxResults),
            3 => Some(StoppedBy::MemoryLimit),
            code => Some(StoppedBy::Signal(code)),
        }
    }

    /// Approximate number of patterns so far.
    pub(super) fn patterns(&self) -> u64 {
        self.patterns.load(Ordering::Relaxed)
    }

    /// Approximate number of edges of the largest pattern so far.
    pub(super) fn depth(&self) -> u64 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Does the work while another thread checks the clock and the signals.
    pub(super) fn during<T>(&self, limit: Option<Duration>, signals: &Interrupts, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !self.over.load(Ordering::Relaxed) {
                    if limit.is_some_and(|limit| start.elapsed() >= limit) {
                        self.stop(StoppedBy::TimeLimit);
                        stop_now();
                    }
                    if let Some(code) = signals.signal_code() {
                        self.stop(StoppedBy::Signal(code));
                        stop_now();
                    }
                    std::thread::park_timeout(TICK);
                }
            });
            let done = signals.limited(work);
            self.over.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            // Mining stops itself; a stop beyond it, of the visitor, has no result.
            done.unwrap_or_else(|stopped| stop::resume(Box::new(stopped)))
        })
    }
}

/// A visitor that reports its progress and can be stopped.
pub(super) struct Watched<'a, V> {
    pub(super) visitor: V,
    watch: &'a Watch,
    /// Patterns that may still be visited. Forks have their own, so a limit needs one thread.
    left: u64,
    /// Whether it may have to stop before the end.
    is_limited: bool,
    unreported: u64,
    depth: u64,
}

impl<'a, V> Watched<'a, V> {
    pub(super) fn new(visitor: V, watch: &'a Watch, max_results: Option<u64>, limit: Option<Duration>) -> Self {
        let is_limited = max_results.is_some() || limit.is_some();
        Self { visitor, watch, left: max_results.unwrap_or(u64::MAX), is_limited, unreported: 0, depth: 0 }
    }

    fn report(&mut self) {
        self.watch.patterns.fetch_add(self.unreported, Ordering::Relaxed);
        self.watch.depth.fetch_max(self.depth, Ordering::Relaxed);
        self.unreported = 0;
    }
}

impl<V: Visitor> Visitor for Watched<'_, V> {
    #[inline]
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        if self.watch.stop.load(Ordering::Relaxed) != 0 {
            return MineControl::Stop;
        }
        if self.left == 0 {
            self.watch.stop(StoppedBy::MaxResults);
            return MineControl::Stop;
        }
        self.left -= 1;
        self.unreported += 1;
        self.depth = self.depth.max(found.code.len() as u64);
        if self.unreported >= REPORT_EVERY {
            self.report();
        }
        self.visitor.visit(found)
    }

    /// A limited visitor may stop before the end, so that not all patterns may be grown.
    fn grows_all(&self) -> bool {
        !self.is_limited && self.watch.stop.load(Ordering::Relaxed) == 0 && self.visitor.grows_all()
    }

    /// A limited visitor needs the first patterns in the order of their codes.
    fn reads_codes(&self) -> bool {
        self.is_limited || self.visitor.reads_codes()
    }

    fn fork(&self) -> Self {
        let Self { watch, left, is_limited, .. } = *self;
        Self { visitor: self.visitor.fork(), watch, left, is_limited, unreported: 0, depth: 0 }
    }

    fn join(&mut self, mut later: Self) {
        later.report();
        self.visitor.join(later.visitor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht::graph::mine::{MineParams, PatternListBuilder, Tally, mine};
    use einsicht::{Synthetic, generate};

    #[test]
    fn mining_stops_at_the_maximum_number_of_results() {
        let graphs = &generate(Synthetic::Cycle, 0).graphs[..20];
        let params = MineParams { max_edges: 4, ..MineParams::default() };
        let mut all = Tally::default();
        mine(graphs, &params, &mut all).unwrap();
        for limit in [1, all.patterns - 1, all.patterns] {
            let watch = Watch::default();
            let mut watched = Watched::new(PatternListBuilder::default(), &watch, Some(limit), None);
            let mined = mine(graphs, &params, &mut watched).unwrap();
            assert_eq!(watched.visitor.len() as u64, limit);
            assert_eq!(mined.complete, limit == all.patterns);
            assert_eq!(watch.stopped_by(), (limit < all.patterns).then_some(StoppedBy::MaxResults));
        }
    }

    #[test]
    fn the_first_reason_to_stop_counts() {
        let watch = Watch::default();
        watch.stop(StoppedBy::Signal(130));
        watch.stop(StoppedBy::TimeLimit);
        assert_eq!(watch.stopped_by(), Some(StoppedBy::Signal(130)));
    }
}
