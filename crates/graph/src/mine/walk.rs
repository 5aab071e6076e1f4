//! The walk over all patterns, depth first, in the order of their codes.
//!
//! Promise: the visitor meets every connected pattern with 1 to `max_edges` edges that occurs in at least
//! `min_support` graphs, once, unless it prunes above it; visitors of several threads are joined in the
//! order of the codes, so the outcome does not depend on the number of threads. Nothing is remembered
//! between patterns: memory is the embeddings along the current branch and its siblings. Where a
//! budget does not allow even these, embeddings are derived again, one graph at a time.
//!
//! Two ways down: as a rule one pass over the embeddings of a pattern gives those of all its children; where
//! embeddings are many, only the graphs of the children are found first, and samples are taken (`expand.rs`).

use super::answer::{Answering, Asked};
use super::counts::MinImage;
use super::expand::{Buffers, Expander};
use super::extend::Scan;
use super::rows::{Row, Rows, Spare};
use super::sink::{Collect, Exist};
use super::stats::MineStats;
use super::{MineParams, Occurrence, Step, Visitor, first_rows};
use crate::pattern::DfsEdge;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Below this many embeddings in a list of siblings, handing half of them to another thread costs more
/// than it brings. Found on BZR and PTC_MR with two threads.
pub(super) const WORTH_SHARING: usize = 512;

/// All children of a pattern together have at most about so many times its embeddings: where there is no room for
/// these, in every thread, they are not listed side by side.
const CHILDREN: usize = 16;

/// A pattern waiting for its visit.
struct Sibling<R> {
    edge: DfsEdge,
    place: Place<R>,
}

/// Where a pattern sits, as far as it is known.
pub(super) enum Place<R> {
    /// All its embeddings.
    Rows(Rows<R>),
    /// The graphs, and embeddings of its parent from which its own can be made.
    Below(Vec<u32>, Arc<Rows<R>>),
    /// Only the graphs.
    Graphs(Vec<u32>),
}

impl<R: Row> Place<R> {
    fn graphs(&self) -> &[u32] {
        match self {
            Self::Rows(rows) => rows.graphs(),
            Self::Below(graphs, _) | Self::Graphs(graphs) => graphs,
        }
    }

    /// A measure of the work below.
    fn weight(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Below(graphs, _) | Self::Graphs(graphs) => 16 * graphs.len(),
        }
    }
}

/// Working memory of one thread.
pub(super) struct Scratch<R> {
    pub(super) scan: Scan,
    collect: Collect<R>,
    pub(super) exist: Exist,
    pub(super) buffers: Buffers<R>,
    spare: Spare<R>,
    counts: MinImage,
    pub(super) answering: Answering,
}

impl<R> Default for Scratch<R> {
    fn default() -> Self {
        Self {
            scan: Scan::default(),
            collect: Collect::default(),
            exist: Exist::default(),
            buffers: Buffers::default(),
            spare: Spare::default(),
            counts: MinImage::default(),
            answering: Answering::default(),
        }
    }
}

/// One run.
pub(super) struct Walk<'a, R> {
    pub(super) expander: &'a Expander,
    pub(super) params: &'a MineParams,
    /// Bytes of rows that may be stored.
    budget: usize,
    stored: AtomicUsize,
    /// Whether graphs may be asked for patterns: in graphs that hardly branch their embeddings are few, and tell more for less.
    pub(super) asks: bool,
    pub(super) stopped: AtomicBool,
    /// Working memory that no thread is using.
    free: Mutex<Vec<Scratch<R>>>,
}

impl<'a, R: Row> Walk<'a, R> {
    pub(super) fn new(expander: &'a Expander, params: &'a MineParams, budget: usize) -> Self {
        let (stored, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        // Who limits samples wants to see them used.
        let asks = expander.may_sample_all() && (params.rows_per_graph.is_some() || expander.db.branches());
        Self { expander, params, budget, stored, asks, stopped, free: Mutex::new(Vec::new()) }
    }

    /// Walks over everything. The flag says whether the walk came to its end.
    pub(super) fn run<V: Visitor>(&self, visitor: &mut V) -> (MineStats, bool) {
        let roots = first_rows::<R>(&self.expander.db, self.params.min_support);
        // Within a budget nothing is kept that could be found again.
        let by_levels = (self.budget == usize::MAX).then(|| self.run_by_levels(&roots, visitor)).flatten();
        if let Some(stats) = by_levels {
            return (stats, !self.stopped.load(Ordering::Relaxed));
        }
        let mut stats = MineStats::default();
        let mut scratch = Scratch::default();
        let mut root = |(edge, rows)| Sibling { edge, place: self.store(&rows, &mut scratch.spare) };
        let roots = roots.into_iter().map(&mut root).collect();
        let mut code = Vec::with_capacity(self.params.max_edges);
        self.siblings(roots, &mut code, visitor, &mut stats, &mut scratch);
        (stats, !self.stopped.load(Ordering::Relaxed))
    }

    /// Keeps the rows if the budget allows, else only their graphs.
    fn store(&self, rows: &Rows<R>, spare: &mut Spare<R>) -> Place<R> {
        if self.reserve(rows) {
            // A copy: the lists of the scan keep their room for the next pattern. Where bytes count, of the exact size.
            Place::Rows(if self.budget == usize::MAX { spare.copy(rows) } else { rows.clone() })
        } else {
            Place::Graphs(rows.graphs().to_vec())
        }
    }

    /// Puts rows aside that are not needed any more.
    fn release(&self, rows: Rows<R>, spare: &mut Spare<R>) {
        if self.budget == usize::MAX {
            spare.take_back(rows);
        }
    }

    /// Counts rows that are to be stored; false if the budget does not allow them.
    fn reserve(&self, rows: &Rows<R>) -> bool {
        let bytes = rows.bytes();
        let fits = self.stored.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= self.budget;
        if !fits {
            self.stored.fetch_sub(bytes, Ordering::Relaxed);
        }
        fits
    }

    /// Bytes of rows that may still be stored.
    fn left(&self) -> usize {
        self.budget.saturating_sub(self.stored.load(Ordering::Relaxed))
    }

    /// Visits siblings and all below them, in order.
    fn siblings<V: Visitor>(
        &self,
        mut siblings: Vec<Sibling<R>>,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        stats: &mut MineStats,
        scratch: &mut Scratch<R>,
    ) {
        let worth_sharing = || siblings.iter().map(|s| s.place.weight()).sum::<usize>() > WORTH_SHARING;
        if self.params.threads > 1 && siblings.len() > 1 && worth_sharing() {
            let right = siblings.split_off(halfway(&siblings));
            let mut right_visitor = visitor.fork();
            let mut right_stats = MineStats::default();
            let mut right_code = Vec::with_capacity(self.params.max_edges);
            right_code.extend_from_slice(code);
            let before = stats.span;
            rayon::join(
                || self.siblings(siblings, code, visitor, stats, scratch),
                || {
                    let mut scratch = self.borrow_scratch();
                    self.siblings(right, &mut right_code, &mut right_visitor, &mut right_stats, &mut scratch);
                    self.give_back(scratch);
                },
            );
            visitor.join(right_visitor);
            let longer = stats.span.max(before + right_stats.span);
            *stats += right_stats;
            stats.span = longer;
            return;
        }
        for sibling in siblings {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            code.push(sibling.edge);
            self.visit(sibling.place, code, visitor, stats, scratch);
            code.pop();
        }
    }

    pub(super) fn borrow_scratch(&self) -> Scratch<R> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn give_back(&self, scratch: Scratch<R>) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    /// Visits one pattern, then all below it.
    pub(super) fn visit<V: Visitor>(
        &self,
        place: Place<R>,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        stats: &mut MineStats,
        scratch: &mut Scratch<R>,
    ) {
        if self.params.counts {
            let Scratch { buffers, counts, .. } = scratch;
            match &place {
                Place::Rows(rows) => counts.count(&self.expander.db, rows, code),
                Place::Below(graphs, _) | Place::Graphs(graphs) => {
                    self.expander.count_listed(code, graphs, buffers, counts);
                }
            }
        }
        let step = self.tell(code, place.graphs(), scratch.counts.counts(), visitor, stats);
        if step == Step::Grow && code.len() < self.params.max_edges {
            stats.expanded += 1;
            match place {
                Place::Rows(rows) => self.grow(rows, code, visitor, stats, scratch),
                Place::Below(graphs, parent) if self.ends_below(code) => {
                    let asked = Asked { code, graphs: &graphs, rows: &parent, own: false };
                    let Scratch { scan, exist, answering, .. } = scratch;
                    let before = stats.looks();
                    answering.begin(self.expander, &asked, scan, exist, stats);
                    answering.settle(self.expander, &asked, scan, exist, stats);
                    stats.span += stats.looks() - before;
                    self.leaves(code, visitor, stats, scratch);
                }
                Place::Below(graphs, parent) => {
                    let left = self.left();
                    let rows = self.expander.rows(code, &graphs, Some(&parent), left, &mut scratch.buffers);
                    if let Some(rows) = rows.filter(|rows| self.reserve(rows)) {
                        self.grow(rows, code, visitor, stats, scratch);
                    } else {
                        drop(parent);
                        self.grow_derived(&graphs, code, visitor, stats, scratch);
                    }
                }
                Place::Graphs(graphs) => self.grow_derived(&graphs, code, visitor, stats, scratch),
            }
        } else if let Place::Rows(rows) = place {
            self.stored.fetch_sub(rows.bytes(), Ordering::Relaxed);
        }
    }

    /// Whether the children of a pattern are the largest ones, and are found without its embeddings.
    fn ends_below(&self, code: &[DfsEdge]) -> bool {
        code.len() + 1 == self.params.max_edges && !self.params.counts && self.asks
    }

    pub(super) fn tell<V: Visitor>(
        &self,
        code: &[DfsEdge],
        graphs: &[u32],
        counts: &[u32],
        visitor: &mut V,
        stats: &mut MineStats,
    ) -> Step {
        stats.visited += 1;
        stats.depth = stats.depth.max(code.len() as u64);
        let step = visitor.visit(&Occurrence { code, graphs, counts });
        match step {
            Step::Grow => {}
            Step::Prune => stats.pruned += 1,
            Step::Stop => self.stopped.store(true, Ordering::Relaxed),
        }
        step
    }

    /// Goes below a pattern whose embeddings are stored, and frees them.
    fn grow<V: Visitor>(
        &self,
        mut rows: Rows<R>,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        stats: &mut MineStats,
        scratch: &mut Scratch<R>,
    ) {
        let bytes = rows.bytes();
        let before = stats.looks();
        scratch.scan.begin(&self.expander.db, code);
        // The rows of the largest patterns are of no use to anybody, unless they are counted.
        if code.len() + 1 == self.params.max_edges && !self.params.counts {
            self.expander.children(&mut scratch.scan, &mut rows, &mut scratch.exist, stats);
            stats.span += stats.looks() - before;
            self.release(rows, &mut scratch.spare);
            self.leaves(code, visitor, stats, scratch);
        } else if self.expander.is_dense(&rows) || bytes.saturating_mul(CHILDREN * self.params.threads) >= self.left() {
            self.expander.children(&mut scratch.scan, &mut rows, &mut scratch.exist, stats);
            stats.span += stats.looks() - before;
            let rows = Arc::new(rows);
            let siblings = self.frequent(scratch, stats, |graphs| Place::Below(graphs, Arc::clone(&rows)));
            self.siblings(siblings, code, visitor, stats, scratch);
        } else {
            let Scratch { scan, collect, spare, .. } = scratch;
            self.expander.children(scan, &mut rows, collect, stats);
            stats.span += stats.looks() - before;
            self.release(rows, spare);
            let mut siblings = Vec::with_capacity(collect.children().len());
            for (&edge, rows) in scan.children().iter().zip(collect.children()) {
                if rows.graphs().len() < self.params.min_support {
                    stats.dropped += 1;
                } else {
                    siblings.push(Sibling { edge, place: self.store(rows, spare) });
                }
            }
            collect.clear();
            if self.budget < usize::MAX {
                // Lists that keep their room while the walk goes on below would not be counted.
                *collect = Collect::default();
            }
            siblings.sort_unstable_by_key(|s| s.edge);
            self.siblings(siblings, code, visitor, stats, scratch);
        }
        self.stored.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Goes below a pattern of which only the graphs are known.
    fn grow_derived<V: Visitor>(
        &self,
        graphs: &[u32],
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        stats: &mut MineStats,
        scratch: &mut Scratch<R>,
    ) {
        stats.rederived += 1;
        let Scratch { scan, exist, buffers, .. } = scratch;
        scan.begin(&self.expander.db, code);
        let before = stats.looks();
        self.expander.children_of_derived(scan, code, graphs, buffers, exist, stats);
        stats.span += stats.looks() - before;
        if code.len() + 1 == self.params.max_edges && !self.params.counts {
            self.leaves(code, visitor, stats, scratch);
        } else {
            let siblings = self.frequent(scratch, stats, Place::Graphs);
            self.siblings(siblings, code, visitor, stats, scratch);
        }
    }

    /// The children whose graphs were just found, those that are frequent, in order.
    fn frequent(
        &self,
        scratch: &mut Scratch<R>,
        stats: &mut MineStats,
        place: impl Fn(Vec<u32>) -> Place<R>,
    ) -> Vec<Sibling<R>> {
        let mut siblings = Vec::with_capacity(scratch.exist.children().len());
        for (&edge, graphs) in scratch.scan.children().iter().zip(scratch.exist.children()) {
            if graphs.len() < self.params.min_support {
                stats.dropped += 1;
            } else {
                siblings.push(Sibling { edge, place: place(graphs.clone()) });
            }
        }
        scratch.exist.clear();
        siblings.sort_unstable_by_key(|s| s.edge);
        siblings
    }

    /// Visits the children whose graphs were just found and which are not grown any further.
    fn leaves<V: Visitor>(
        &self,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        stats: &mut MineStats,
        scratch: &mut Scratch<R>,
    ) {
        let Scratch { scan, exist, .. } = scratch;
        let edges = scan.children();
        let mut order: Vec<u32> = (0..edges.len() as u32).collect();
        order.sort_unstable_by_key(|&c| edges[c as usize]);
        for c in order {
            let graphs = &exist.children()[c as usize];
            if graphs.len() < self.params.min_support {
                stats.dropped += 1;
                continue;
            }
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            code.push(edges[c as usize]);
            self.tell(code, graphs, &[], visitor, stats);
            code.pop();
        }
        exist.clear();
    }
}

/// Where to cut a list of siblings so that both parts have about half of the work.
fn halfway<R: Row>(siblings: &[Sibling<R>]) -> usize {
    let total: usize = siblings.iter().map(|s| s.place.weight()).sum();
    let mut before = 0;
    for (i, sibling) in siblings.iter().enumerate() {
        before += sibling.place.weight();
        if 2 * before >= total {
            return (i + 1).clamp(1, siblings.len() - 1);
        }
    }
    1
}
