//! The traversal of all patterns, depth first, in the order of their codes.
//!
//! Promise: the visitor meets every connected pattern with `min_edges` to `max_edges` edges and at most
//! `max_qualifiers` qualifiers that occurs in at least `min_support` graphs, once, unless it prunes an ancestor: first
//! the single vertices, then depth first, and each pattern before its qualified ones (`refine.rs`) and these before
//! larger ones. Visitors of several threads are joined in this order, so the result is the same on any number of
//! threads. Nothing is remembered between patterns: memory is the embeddings along the current branch and its siblings.
//! Where a memory limit does not allow even these, embeddings are recomputed, one graph at a time.
//!
//! Two ways down: in general one scan of the embeddings of a pattern gives those of all its children; where embeddings
//! are many, only the supports of the children are found first, and samples are taken (`extend/expand.rs`). Tested
//! against the oracle in `tests/mine_vs_oracle.rs`.

use super::{MineControl, MineParams, VisitedPattern, Visitor};
use crate::canon::DfsEdge;
use crate::embed::{Counts, Embedding, EmbeddingList, EmbeddingPool, SearchPattern, one_edge_patterns};
use crate::extend::{
    ChildSupports, CountedPattern, EmbeddingBuffers, EmbeddingSink, Expander, Parent, PatternCounter, Refiner,
    RightmostScan, SupportSink, SupportedPattern,
};
use crate::stats::MineStats;
use crate::stop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Below this many embeddings in a list of siblings, giving half of them to another thread costs more than it saves.
/// Found on BZR and PTC_MR with two threads.
pub(super) const MIN_PARALLEL: usize = 512;

/// All children of a pattern together have at most about this many times its embeddings: where the memory limit does
/// not allow these, in every thread, they are not all listed at once.
const CHILDREN_FACTOR: usize = 16;

/// A pattern that waits for its visit.
struct Sibling<E> {
    edge: DfsEdge,
    stored: Stored<E>,
}

/// What is stored of a pattern besides its code.
pub(super) enum Stored<E> {
    /// All its embeddings.
    Own(EmbeddingList<E>),
    /// Its support, and the embeddings of its parent, from which its own can be made.
    OfParent(Vec<u32>, Arc<EmbeddingList<E>>),
    SupportOnly(Vec<u32>),
}

impl<E: Embedding> Stored<E> {
    pub(super) fn graphs(&self) -> &[u32] {
        match self {
            Self::Own(embeddings) => embeddings.graphs(),
            Self::OfParent(graphs, _) | Self::SupportOnly(graphs) => graphs,
        }
    }

    /// An estimate of the work below.
    fn weight(&self) -> usize {
        match self {
            Self::Own(embeddings) => embeddings.len(),
            Self::OfParent(graphs, _) | Self::SupportOnly(graphs) => 16 * graphs.len(),
        }
    }
}

/// Working memory of one thread.
#[derive(Default)]
pub(super) struct MineScratch<E> {
    pub(super) scan: RightmostScan,
    embeddings: EmbeddingSink<E>,
    pub(super) supports: SupportSink,
    pub(super) buffers: EmbeddingBuffers<E>,
    pool: EmbeddingPool<E>,
    pub(super) counter: PatternCounter,
    pub(super) refiner: Refiner,
    pub(super) child_supports: ChildSupports,
}

/// The branch of the tree that one thread works on.
pub(super) struct Branch<'b, V, E> {
    /// Code of the current pattern.
    pub(super) code: &'b mut Vec<DfsEdge>,
    pub(super) visitor: &'b mut V,
    pub(super) stats: &'b mut MineStats,
    pub(super) scratch: &'b mut MineScratch<E>,
}

pub(super) struct DepthFirst<'a, E> {
    pub(super) expander: &'a Expander,
    pub(super) params: &'a MineParams,
    /// Bytes of embeddings and bit sets that may be stored.
    budget: usize,
    stored: AtomicUsize,
    /// Whether supports of children may be found without the pattern's own embeddings. In graphs that hardly branch,
    /// embeddings are few, and scanning them is less work.
    pub(super) uses_child_supports: bool,
    /// Whether every pattern needs embeddings of its own, for counts or qualifiers.
    needs_own: bool,
    /// Whether patterns are qualified.
    pub(super) refines: bool,
    pub(super) stopped: AtomicBool,
    /// Working memory that no thread uses.
    free: Mutex<Vec<MineScratch<E>>>,
}

impl<'a, E: Embedding> DepthFirst<'a, E> {
    pub(super) fn new(expander: &'a Expander, params: &'a MineParams, budget: usize) -> Self {
        let (stored, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        // A caller that sets the size of samples wants them to be used.
        let wants_samples = params.embeddings_per_graph.is_some() || expander.db.branches();
        let uses_child_supports = expander.may_sample_all() && wants_samples;
        let refines = params.max_qualifiers > 0 && expander.db.has_qualifiers();
        let needs_own = params.counts != Counts::Off || refines;
        let free = Mutex::new(Vec::new());
        Self { expander, params, budget, stored, uses_child_supports, needs_own, refines, stopped, free }
    }

    /// Traverses everything. The flag is whether the traversal is complete.
    pub(super) fn run<V: Visitor>(&self, visitor: &mut V) -> (MineStats, bool) {
        let mut stats = MineStats::default();
        let mut scratch = MineScratch::default();
        self.unless_stopped(|| self.single_vertices(visitor, &mut stats, &mut scratch));
        let roots = one_edge_patterns::<E>(&self.expander.db, self.params.min_support);
        // Under a memory limit nothing is kept that can be recomputed.
        let may_repeat = self.budget == usize::MAX && !self.needs_own;
        if let Some(levelwise) = may_repeat.then(|| self.run_levelwise(&roots, visitor)).flatten() {
            stats += levelwise;
            return (stats, !self.stopped.load(Ordering::Relaxed));
        }
        let mut root = |(edge, embeddings)| Sibling { edge, stored: self.store(&embeddings, &mut scratch.pool) };
        let roots = roots.into_iter().map(&mut root).collect();
        let mut code = Vec::with_capacity(self.params.max_edges);
        let mut branch = Branch { code: &mut code, visitor, stats: &mut stats, scratch: &mut scratch };
        self.siblings(roots, &mut branch);
        (stats, !self.stopped.load(Ordering::Relaxed))
    }

    /// Stores the embeddings if the memory limit allows, else only their graphs.
    fn store(&self, embeddings: &EmbeddingList<E>, pool: &mut EmbeddingPool<E>) -> Stored<E> {
        if self.reserve(embeddings) {
            // A copy: the lists of the scan keep their capacity for the next pattern. Under a limit, of the exact size.
            Stored::Own(if self.budget == usize::MAX { pool.copy(embeddings) } else { embeddings.clone() })
        } else {
            Stored::SupportOnly(embeddings.graphs().to_vec())
        }
    }

    /// Returns a list that is no longer needed to the pool.
    fn release(&self, embeddings: EmbeddingList<E>, pool: &mut EmbeddingPool<E>) {
        if self.budget == usize::MAX {
            pool.take_back(embeddings);
        }
    }

    /// Counts embeddings that are to be stored; false if the memory limit does not allow them.
    fn reserve(&self, embeddings: &EmbeddingList<E>) -> bool {
        let bytes = embeddings.bytes();
        let stored = self.stored.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let fits = stored.saturating_add(self.expander.bit_bytes()) <= self.budget;
        if !fits {
            self.stored.fetch_sub(bytes, Ordering::Relaxed);
        }
        fits
    }

    /// Bytes of embeddings that may still be stored.
    fn bytes_left(&self) -> usize {
        self.budget.saturating_sub(self.stored.load(Ordering::Relaxed) + self.expander.bit_bytes())
    }

    /// Visits siblings and all below them, in order.
    fn siblings<V: Visitor>(&self, mut siblings: Vec<Sibling<E>>, branch: &mut Branch<'_, V, E>) {
        let weight = || siblings.iter().map(|s| s.stored.weight()).sum::<usize>();
        if self.params.threads > 1 && siblings.len() > 1 && weight() > MIN_PARALLEL {
            let right = siblings.split_off(halfway(&siblings));
            self.in_parallel(branch, |branch| self.siblings(siblings, branch), |branch| self.siblings(right, branch));
            return;
        }
        for sibling in siblings {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            branch.code.push(sibling.edge);
            self.unless_stopped(|| self.visit(sibling.stored, branch));
            branch.code.pop();
        }
    }

    /// Runs a part of the traversal. If the thread is stopped in its middle, so is the traversal; patterns before this
    /// one stay reported.
    pub(super) fn unless_stopped(&self, part: impl FnOnce()) {
        if stop::catch(part).is_err() {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Runs both parts, the second one on a fork of the branch, and joins them in order.
    pub(super) fn in_parallel<V: Visitor>(
        &self,
        branch: &mut Branch<'_, V, E>,
        left: impl FnOnce(&mut Branch<'_, V, E>) + Send,
        right: impl FnOnce(&mut Branch<'_, V, E>) + Send,
    ) {
        let mut visitor = branch.visitor.fork();
        let mut stats = MineStats::default();
        let mut code = Vec::with_capacity(self.params.max_edges);
        code.extend_from_slice(branch.code);
        let before = branch.stats.span;
        rayon::join(
            || left(branch),
            || {
                let mut scratch = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
                let (visitor, stats) = (&mut visitor, &mut stats);
                right(&mut Branch { code: &mut code, visitor, stats, scratch: &mut scratch });
                self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
            },
        );
        branch.visitor.join(visitor);
        let longer = branch.stats.span.max(before + stats.span);
        *branch.stats += stats;
        branch.stats.span = longer;
    }

    /// Visits one pattern, then all below it.
    pub(super) fn visit<V: Visitor>(&self, mut stored: Stored<E>, branch: &mut Branch<'_, V, E>) {
        branch.scratch.counter.clear();
        if self.params.counts != Counts::Off {
            stored = self.count(stored, branch);
        }
        let Branch { code, visitor, stats, scratch } = branch;
        let (counts, images) = (scratch.counter.counts(), scratch.counter.images());
        let start = code[0].from_label;
        let found = VisitedPattern { start, code, qualifiers: &[], graphs: stored.graphs(), counts, images };
        let control = self.call_visitor(&found, *visitor, stats);
        if control == MineControl::Grow && self.refines && branch.code.len() <= self.params.max_qualified_edges {
            self.visit_refinements(&stored, branch);
        }
        if control == MineControl::Grow && branch.code.len() < self.params.max_edges {
            branch.stats.expanded += 1;
            match stored {
                Stored::Own(embeddings) => self.grow(embeddings, branch),
                Stored::OfParent(graphs, parent) => self.grow_from_parent(&graphs, parent, branch),
                Stored::SupportOnly(graphs) => self.grow_recomputed(&graphs, branch),
            }
        } else if let Stored::Own(embeddings) = stored {
            self.stored.fetch_sub(embeddings.bytes(), Ordering::Relaxed);
        }
    }

    /// Counts a pattern. Embeddings that had to be made for it are kept, if the memory limit allows.
    fn count<V: Visitor>(&self, stored: Stored<E>, branch: &mut Branch<'_, V, E>) -> Stored<E> {
        let Branch { code, stats, scratch, .. } = branch;
        let MineScratch { buffers, counter, .. } = &mut **scratch;
        let pattern = SearchPattern { start: code[0].from_label, code, qualifiers: &[], extra: None };
        let mut counted = counter.begin(pattern, self.params.counts);
        match stored {
            Stored::Own(embeddings) => {
                counter.count_list(self.expander, counted, &embeddings, stats);
                Stored::Own(embeddings)
            }
            Stored::OfParent(graphs, parent) => {
                let pattern = SupportedPattern { code, graphs: &graphs };
                let own = self.expander.embeddings(pattern, Some(&parent), self.bytes_left(), buffers);
                if let Some(own) = own.filter(|own| self.reserve(own)) {
                    counter.count_list(self.expander, counted, &own, stats);
                    return Stored::Own(own);
                }
                self.count_recomputed(&graphs, &mut counted, code, (buffers, counter, stats));
                Stored::SupportOnly(graphs)
            }
            Stored::SupportOnly(graphs) => {
                self.count_recomputed(&graphs, &mut counted, code, (buffers, counter, stats));
                Stored::SupportOnly(graphs)
            }
        }
    }

    /// Counts a pattern whose embeddings are not stored, one graph after another.
    fn count_recomputed(
        &self,
        graphs: &[u32],
        counted: &mut CountedPattern<'_>,
        code: &[DfsEdge],
        (buffers, counter, stats): (&mut EmbeddingBuffers<E>, &mut PatternCounter, &mut MineStats),
    ) {
        let pattern = SupportedPattern { code, graphs };
        self.expander.each_recomputed(pattern, buffers, |graph, embeddings, is_sample| {
            if is_sample {
                counter.add_searched::<E>(self.expander, counted, graph, stats);
            } else {
                counter.add_list(self.expander, counted, graph, embeddings);
            }
        });
    }

    pub(super) fn call_visitor<V: Visitor>(
        &self,
        found: &VisitedPattern<'_>,
        visitor: &mut V,
        stats: &mut MineStats,
    ) -> MineControl {
        stats.visited += 1;
        stats.depth = stats.depth.max(found.code.len() as u64);
        let control = visitor.visit(found);
        match control {
            MineControl::Grow => {}
            MineControl::Prune => stats.pruned += 1,
            MineControl::Stop => self.stopped.store(true, Ordering::Relaxed),
        }
        control
    }

    /// Goes below a pattern whose embeddings are stored, and frees them.
    fn grow<V: Visitor>(&self, mut embeddings: EmbeddingList<E>, branch: &mut Branch<'_, V, E>) {
        let bytes = embeddings.bytes();
        let Branch { code, stats, scratch, .. } = branch;
        let MineScratch { scan, embeddings: found, supports, pool, .. } = &mut **scratch;
        let before = stats.work();
        scan.begin(&self.expander.db, code);
        // The embeddings of the largest patterns are not needed, except for counts.
        if code.len() + 1 == self.params.max_edges && !self.needs_own {
            self.expander.children(scan, &mut embeddings, supports, stats);
            stats.span += stats.work() - before;
            self.release(embeddings, pool);
            self.leaves(branch);
        } else if self.expander.is_dense(&embeddings)
            || bytes.saturating_mul(CHILDREN_FACTOR * self.params.threads) >= self.bytes_left()
        {
            self.expander.children(scan, &mut embeddings, supports, stats);
            stats.span += stats.work() - before;
            let embeddings = Arc::new(embeddings);
            let siblings = self.frequent(scratch, stats, |graphs| Stored::OfParent(graphs, Arc::clone(&embeddings)));
            self.siblings(siblings, branch);
        } else {
            self.expander.children(scan, &mut embeddings, found, stats);
            stats.span += stats.work() - before;
            self.release(embeddings, pool);
            let mut siblings = Vec::with_capacity(found.children().len());
            for (&edge, embeddings) in scan.children().iter().zip(found.children()) {
                if embeddings.graphs().len() < self.params.min_support {
                    stats.rejected += 1;
                } else {
                    siblings.push(Sibling { edge, stored: self.store(embeddings, pool) });
                }
            }
            found.clear();
            if self.budget < usize::MAX {
                // Lists that keep their capacity while the traversal goes on below would not be counted.
                *found = EmbeddingSink::default();
            }
            siblings.sort_unstable_by_key(|s| s.edge);
            self.siblings(siblings, branch);
        }
        self.stored.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Goes below a pattern of which the support and the embeddings of its parent are stored.
    fn grow_from_parent<V: Visitor>(
        &self,
        graphs: &[u32],
        parent: Arc<EmbeddingList<E>>,
        branch: &mut Branch<'_, V, E>,
    ) {
        let Branch { code, stats, scratch, .. } = branch;
        // The children of the largest but one patterns are found without its embeddings.
        if code.len() + 1 == self.params.max_edges && !self.needs_own && self.uses_child_supports {
            let pattern = Parent { code, graphs, embeddings: &parent, own: false };
            let MineScratch { scan, supports, child_supports, .. } = &mut **scratch;
            let before = stats.work();
            child_supports.begin(self.expander, &pattern, scan, supports, stats);
            child_supports.decide(self.expander, &pattern, scan, supports, stats);
            stats.span += stats.work() - before;
            self.leaves(branch);
            return;
        }
        let pattern = SupportedPattern { code, graphs };
        let embeddings = self.expander.embeddings(pattern, Some(&parent), self.bytes_left(), &mut scratch.buffers);
        if let Some(embeddings) = embeddings.filter(|embeddings| self.reserve(embeddings)) {
            self.grow(embeddings, branch);
        } else {
            drop(parent);
            self.grow_recomputed(graphs, branch);
        }
    }

    /// Goes below a pattern of which only the support is stored.
    fn grow_recomputed<V: Visitor>(&self, graphs: &[u32], branch: &mut Branch<'_, V, E>) {
        let Branch { code, stats, scratch, .. } = branch;
        stats.recomputed += 1;
        let MineScratch { scan, supports, buffers, .. } = &mut **scratch;
        scan.begin(&self.expander.db, code);
        let before = stats.work();
        self.expander.children_of_recomputed(scan, SupportedPattern { code, graphs }, buffers, supports, stats);
        stats.span += stats.work() - before;
        if code.len() + 1 == self.params.max_edges && !self.needs_own {
            self.leaves(branch);
        } else {
            let siblings = self.frequent(scratch, stats, Stored::SupportOnly);
            self.siblings(siblings, branch);
        }
    }

    /// The frequent ones of the children whose supports were just found, in order.
    fn frequent(
        &self,
        scratch: &mut MineScratch<E>,
        stats: &mut MineStats,
        stored: impl Fn(Vec<u32>) -> Stored<E>,
    ) -> Vec<Sibling<E>> {
        let mut siblings = Vec::with_capacity(scratch.supports.children().len());
        for (&edge, graphs) in scratch.scan.children().iter().zip(scratch.supports.children()) {
            if graphs.len() < self.params.min_support {
                stats.rejected += 1;
            } else {
                siblings.push(Sibling { edge, stored: stored(graphs.clone()) });
            }
        }
        scratch.supports.clear();
        siblings.sort_unstable_by_key(|s| s.edge);
        siblings
    }

    /// Visits the children whose supports were just found and which are not grown any further.
    fn leaves<V: Visitor>(&self, branch: &mut Branch<'_, V, E>) {
        let Branch { code, visitor, stats, scratch } = branch;
        let edges = scratch.scan.children();
        for child in in_order(edges) {
            let graphs = &scratch.supports.children()[child];
            if graphs.len() < self.params.min_support {
                stats.rejected += 1;
                continue;
            }
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            code.push(edges[child]);
            self.call_visitor(&VisitedPattern::plain(code, graphs), *visitor, stats);
            code.pop();
        }
        scratch.supports.clear();
    }
}

/// The indices of these edges, in the order of the edges.
pub(super) fn in_order(edges: &[DfsEdge]) -> impl Iterator<Item = usize> + use<> {
    let mut order: Vec<u32> = (0..edges.len() as u32).collect();
    order.sort_unstable_by_key(|&at| edges[at as usize]);
    order.into_iter().map(|at| at as usize)
}

/// Where to cut a list of siblings so that both parts have about half of the work.
fn halfway<E: Embedding>(siblings: &[Sibling<E>]) -> usize {
    let total: usize = siblings.iter().map(|s| s.stored.weight()).sum();
    let mut before = 0;
    for (i, sibling) in siblings.iter().enumerate() {
        before += sibling.stored.weight();
        if 2 * before >= total {
            return (i + 1).clamp(1, siblings.len() - 1);
        }
    }
    1
}
