//! The walk over all patterns, depth first, in the order of their codes.
//!
//! Promise: the visitor meets every connected pattern with 1 to `max_edges` edges that occurs in at least
//! `min_support` graphs, once, unless it prunes above it; visitors of several threads are joined in the
//! order of the codes, so the outcome does not depend on the number of threads. Nothing is remembered
//! between patterns: memory is the embeddings along the current branch and its siblings. Where a
//! budget does not allow even these, embeddings are derived again, one graph at a time.

use super::counts::MinImage;
use super::database::Database;
use super::extend::{Collect, Exist, Scan, derive_rows};
use super::rows::{Row, Rows};
use super::stats::MineStats;
use super::{MineParams, Occurrence, Step, Visitor, first_rows};
use crate::pattern::DfsEdge;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Below this many embeddings in a list of siblings, handing half of them to another thread costs more
/// than it brings. Found on BZR and PTC_MR with two threads.
const WORTH_SHARING: usize = 512;

/// Where the embeddings of a pattern come from.
enum Source<'a, R> {
    Stored(&'a Rows<R>),
    /// Only the graphs are known.
    Derived(&'a [u32]),
}

/// A child waiting for its visit.
struct Sibling<R> {
    edge: DfsEdge,
    rows: Stored<R>,
}

enum Stored<R> {
    Rows(Rows<R>),
    Graphs(Vec<u32>),
}

impl<R: Row> Stored<R> {
    fn graphs(&self) -> &[u32] {
        match self {
            Self::Rows(rows) => rows.graphs(),
            Self::Graphs(graphs) => graphs,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Graphs(graphs) => graphs.len(),
        }
    }
}

/// Working memory of one thread.
struct Scratch<R> {
    scan: Scan,
    collect: Collect<R>,
    exist: Exist,
    derived: (Vec<R>, Vec<R>),
    counts: MinImage,
}

impl<R> Default for Scratch<R> {
    fn default() -> Self {
        Self {
            scan: Scan::default(),
            collect: Collect::default(),
            exist: Exist::default(),
            derived: (Vec::new(), Vec::new()),
            counts: MinImage::default(),
        }
    }
}

/// One run.
pub(super) struct Walk<'a, R> {
    db: &'a Database,
    params: &'a MineParams,
    threads: bool,
    /// Bytes of rows that may be stored.
    budget: usize,
    stored: AtomicUsize,
    stopped: AtomicBool,
    /// Working memory that no thread is using.
    free: Mutex<Vec<Scratch<R>>>,
}

impl<'a, R: Row> Walk<'a, R> {
    pub(super) fn new(db: &'a Database, params: &'a MineParams, budget: usize, threads: bool) -> Self {
        let (stored, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { db, params, threads, budget, stored, stopped, free: Mutex::new(Vec::new()) }
    }

    /// Walks over everything. The flag says whether the walk came to its end.
    pub(super) fn run<V: Visitor>(&self, visitor: &mut V) -> (MineStats, bool) {
        let mut stats = MineStats::default();
        let roots = first_rows::<R>(self.db, self.params.min_support);
        let roots = roots.into_iter().map(|(edge, rows)| Sibling { edge, rows: self.store(&rows) }).collect();
        let mut code = Vec::with_capacity(self.params.max_edges);
        self.siblings(roots, &mut code, visitor, &mut stats, &mut Scratch::default());
        (stats, !self.stopped.load(Ordering::Relaxed))
    }

    /// Keeps the rows if the budget allows, else only their graphs.
    fn store(&self, rows: &Rows<R>) -> Stored<R> {
        let bytes = rows.bytes();
        if self.stored.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.budget {
            // A copy of the exact size: the lists of the scan keep their room for the next pattern.
            return Stored::Rows(rows.clone());
        }
        self.stored.fetch_sub(bytes, Ordering::Relaxed);
        Stored::Graphs(rows.graphs().to_vec())
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
        let worth_sharing = || siblings.iter().map(|s| s.rows.len()).sum::<usize>() > WORTH_SHARING;
        if self.threads && siblings.len() > 1 && worth_sharing() {
            let right = siblings.split_off(halfway(&siblings));
            let mut right_visitor = visitor.fork();
            let mut right_stats = MineStats::default();
            let mut right_code = Vec::with_capacity(self.params.max_edges);
            right_code.extend_from_slice(code);
            rayon::join(
                || self.siblings(siblings, code, visitor, stats, scratch),
                || {
                    let mut scratch = self.borrow_scratch();
                    self.siblings(right, &mut right_code, &mut right_visitor, &mut right_stats, &mut scratch);
                    self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
                },
            );
            visitor.join(right_visitor);
            *stats += right_stats;
            return;
        }
        for sibling in siblings {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            code.push(sibling.edge);
            self.visit(&sibling.rows, code, visitor, stats, scratch);
            code.pop();
            if let Stored::Rows(rows) = sibling.rows {
                self.stored.fetch_sub(rows.bytes(), Ordering::Relaxed);
            }
        }
    }

    fn borrow_scratch(&self) -> Scratch<R> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Visits one pattern, then all below it.
    fn visit<V: Visitor>(
        &self,
        rows: &Stored<R>,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        stats: &mut MineStats,
        scratch: &mut Scratch<R>,
    ) {
        if self.params.counts {
            let source = match rows {
                Stored::Rows(rows) => Source::Stored(rows),
                Stored::Graphs(graphs) => Source::Derived(graphs),
            };
            scratch.counts.clear();
            self.each_graph(&source, code, &mut scratch.derived, |graph, rows| {
                scratch.counts.add(self.db, graph, rows, code);
            });
        }
        let counts = scratch.counts.counts();
        let step = self.tell(code, rows.graphs(), counts, visitor, stats);
        if step != Step::Grow || code.len() >= self.params.max_edges {
            return;
        }
        stats.expanded += 1;
        let source = match rows {
            Stored::Rows(rows) => Source::Stored(rows),
            Stored::Graphs(graphs) => {
                stats.rederived += 1;
                Source::Derived(graphs)
            }
        };
        // The rows of the largest patterns are of no use to anybody, unless they are counted.
        let last = code.len() + 1 == self.params.max_edges;
        if last && !self.params.counts {
            self.leaves(&source, code, visitor, stats, scratch);
        } else {
            let children = self.children(&source, code, stats, scratch);
            self.siblings(children, code, visitor, stats, scratch);
        }
    }

    fn tell<V: Visitor>(
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

    fn each_graph(
        &self,
        source: &Source<'_, R>,
        code: &[DfsEdge],
        derived: &mut (Vec<R>, Vec<R>),
        mut look: impl FnMut(u32, &[R]),
    ) {
        match source {
            Source::Stored(rows) => rows.by_graph().for_each(|(graph, rows)| look(graph, rows)),
            Source::Derived(graphs) => {
                for &graph in *graphs {
                    derive_rows(self.db, graph, code, &mut derived.0, &mut derived.1);
                    look(graph, &derived.0);
                }
            }
        }
    }

    /// The children with their rows, where the budget allows.
    fn children(
        &self,
        source: &Source<'_, R>,
        code: &[DfsEdge],
        stats: &mut MineStats,
        scratch: &mut Scratch<R>,
    ) -> Vec<Sibling<R>> {
        let Scratch { scan, collect, exist, derived, .. } = scratch;
        scan.begin(self.db, code);
        let mut siblings: Vec<Sibling<R>> = Vec::new();
        if matches!(source, Source::Stored(_)) && self.stored.load(Ordering::Relaxed) < self.budget {
            self.each_graph(source, code, derived, |graph, rows| scan.graph(self.db, graph, rows, collect, stats));
            for (&edge, rows) in scan.children().iter().zip(collect.children()) {
                if rows.graphs().len() < self.params.min_support {
                    stats.dropped += 1;
                } else {
                    siblings.push(Sibling { edge, rows: self.store(rows) });
                }
            }
            collect.clear();
        } else {
            self.each_graph(source, code, derived, |graph, rows| scan.graph(self.db, graph, rows, exist, stats));
            for (&edge, graphs) in scan.children().iter().zip(exist.children()) {
                if graphs.len() < self.params.min_support {
                    stats.dropped += 1;
                } else {
                    siblings.push(Sibling { edge, rows: Stored::Graphs(graphs.clone()) });
                }
            }
            exist.clear();
        }
        siblings.sort_unstable_by_key(|s| s.edge);
        siblings
    }

    /// Visits the children, which are not grown any further.
    fn leaves<V: Visitor>(
        &self,
        source: &Source<'_, R>,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        stats: &mut MineStats,
        scratch: &mut Scratch<R>,
    ) {
        let Scratch { scan, exist, derived, .. } = scratch;
        scan.begin(self.db, code);
        self.each_graph(source, code, derived, |graph, rows| scan.graph(self.db, graph, rows, exist, stats));
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

/// Where to cut a list of siblings so that both parts have about half of the embeddings.
fn halfway<R: Row>(siblings: &[Sibling<R>]) -> usize {
    let total: usize = siblings.iter().map(|s| s.rows.len()).sum();
    let mut before = 0;
    for (i, sibling) in siblings.iter().enumerate() {
        before += sibling.rows.len();
        if 2 * before >= total {
            return (i + 1).clamp(1, siblings.len() - 1);
        }
    }
    1
}
