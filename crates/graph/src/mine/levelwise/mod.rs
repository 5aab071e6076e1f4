//! Level-wise mining (Apriori) on graphs with few labels: passes that find all patterns of one size before the next,
//! and a last pass that shows everything to the visitor.
//!
//! Supports are anti-monotone: a graph that contains a pattern contains all smaller patterns inside it. So once all
//! patterns of `k` edges are known ([`Levels`]), most candidates of `k + 1` edges are ruled out in most graphs without
//! a search. That pays where proving absence is the main cost.
//!
//! Promise: the visitor meets the same patterns with the same supports in the same order as without these passes. Only
//! visitors that grow everything are served so ([`Visitor::grows_all`]), because the passes before the last one find
//! patterns that were not visited yet. Tested in `tests/levelwise_vs_depth_first.rs`. See `lab/notes/0015`.

mod levels;

use super::depth_first::{Branch, DepthFirst, MIN_PARALLEL, MineScratch, Stored, in_order};
use super::{MineControl, VisitedPattern, Visitor};
use crate::canon::DfsEdge;
use crate::embed::{Embedding, EmbeddingList};
use crate::extend::{Parent, SupportedPattern};
use crate::stats::MineStats;
use levels::{Level, Levels};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Whether samples are frequent enough for further passes is decided once patterns of this many edges are known.
const DECIDED_AT: usize = 4;
/// Once patterns and supports take this many bytes, no further level is kept.
const MAX_BYTES: usize = 32 << 20;

/// Siblings of a level that is known.
struct Family<E> {
    /// Number of edges of the patterns.
    depth: usize,
    /// Their indices in the level.
    range: Range<usize>,
    /// Embeddings of their parent.
    parent: Option<Arc<EmbeddingList<E>>>,
}

#[derive(Default)]
struct PassResult {
    /// The next level, in all passes but the last.
    next: Option<Level>,
    /// (Pattern, graph) pairs with embeddings, and those of them with samples.
    pairs: usize,
    sampled: usize,
    /// Hashes of the children just found ([`crate::canon::WlHash`]).
    hashes: Vec<u64>,
}

impl PassResult {
    /// An empty result of the same pass, for a later part of the tree.
    fn fork(&self) -> Self {
        Self { next: self.next.as_ref().map(|_| Level::default()), ..Self::default() }
    }

    /// Appends the result of a later part of the tree.
    fn join(&mut self, later: &Self) {
        if let (Some(next), Some(later)) = (&mut self.next, &later.next) {
            next.append(later);
        }
        self.pairs += later.pairs;
        self.sampled += later.sampled;
    }
}

impl<E: Embedding> DepthFirst<'_, E> {
    /// Traverses everything level by level. `None` if samples are rare, so that it would not pay.
    pub(super) fn run_levelwise<V: Visitor>(
        &self,
        roots: &[(DfsEdge, EmbeddingList<E>)],
        visitor: &mut V,
    ) -> Option<MineStats> {
        if !visitor.grows_all() || self.params.max_edges <= DECIDED_AT || !self.uses_child_supports {
            return None;
        }
        let mut stats = MineStats::default();
        let mut scratch = MineScratch::default();
        let levels = self.find_levels(roots, visitor, &mut stats, &mut scratch)?;
        let mut code = Vec::new();
        let mut branch = Branch { code: &mut code, visitor, stats: &mut stats, scratch: &mut scratch };
        self.family(&levels, Self::all(&levels), &mut branch, &mut PassResult::default());
        Some(stats)
    }

    /// The patterns up to the size before the largest, or as many levels as fit in memory.
    fn find_levels<V: Visitor>(
        &self,
        roots: &[(DfsEdge, EmbeddingList<E>)],
        visitor: &V,
        stats: &mut MineStats,
        scratch: &mut MineScratch<E>,
    ) -> Option<Levels> {
        let mut levels = Levels::new(self.expander.db.num_graphs(), roots);
        while levels.depth() + 1 < self.params.max_edges && levels.bytes() < MAX_BYTES {
            let mut result = PassResult { next: Some(Level::default()), ..PassResult::default() };
            let (mut code, mut visitor) = (Vec::new(), visitor.fork());
            let mut branch = Branch { code: &mut code, visitor: &mut visitor, stats: &mut *stats, scratch };
            self.family(&levels, Self::all(&levels), &mut branch, &mut result);
            let goes_on = visitor.grows_all() && !self.stopped.load(Ordering::Relaxed);
            let next = result.next.take().filter(|_| goes_on)?;
            levels.add(next);
            if levels.depth() == DECIDED_AT && 4 * result.sampled < result.pairs {
                return None;
            }
        }
        stats.levelwise = levels.len() as u64;
        Some(levels)
    }

    fn all(levels: &Levels) -> Family<E> {
        Family { depth: 1, range: 0..levels.level(1).len(), parent: None }
    }

    /// Traverses siblings and all below them, in order.
    fn family<V: Visitor>(
        &self,
        levels: &Levels,
        mut family: Family<E>,
        branch: &mut Branch<'_, V, E>,
        result: &mut PassResult,
    ) {
        let level = levels.level(family.depth);
        if self.params.threads > 1 && family.range.len() > 1 && 16 * level.pairs(&family.range) > MIN_PARALLEL {
            let halfway = level.halfway(&family.range);
            let right = Family { range: halfway..family.range.end, parent: family.parent.clone(), ..family };
            family.range.end = halfway;
            let mut later = result.fork();
            self.in_parallel(
                branch,
                |branch| self.family(levels, family, branch, result),
                |branch| self.family(levels, right, branch, &mut later),
            );
            result.join(&later);
            return;
        }
        for at in family.range {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            branch.code.push(level.edge(at));
            let parent = family.parent.as_ref();
            self.unless_stopped(|| self.known_pattern(levels, family.depth, at, parent, branch, result));
            branch.code.pop();
        }
    }

    /// Traverses one pattern of a known level and all below it.
    fn known_pattern<V: Visitor>(
        &self,
        levels: &Levels,
        depth: usize,
        at: usize,
        parent: Option<&Arc<EmbeddingList<E>>>,
        branch: &mut Branch<'_, V, E>,
        result: &mut PassResult,
    ) {
        let graphs = levels.level(depth).graphs(at);
        let is_last_level = depth == levels.depth();
        if result.next.is_none() {
            if is_last_level && depth + 1 < self.params.max_edges {
                // The levels below did not fit in memory: go on depth first.
                let stored = match parent {
                    Some(parent) => Stored::OfParent(graphs.to_vec(), Arc::clone(parent)),
                    None => Stored::SupportOnly(graphs.to_vec()),
                };
                self.visit(stored, branch);
                return;
            }
            let found = VisitedPattern::plain(branch.code, graphs);
            if self.call_visitor(&found, branch.visitor, branch.stats) != MineControl::Grow {
                return;
            }
        } else if !branch.visitor.grows_all() {
            return;
        }
        let parent = parent.map(Arc::as_ref);
        if is_last_level {
            self.find_children(levels, graphs, parent, branch, result);
            self.report_children(branch, result);
        } else {
            let pattern = SupportedPattern { code: branch.code, graphs };
            let embeddings = self.expander.all_embeddings(pattern, parent, &mut branch.scratch.buffers);
            result.pairs += graphs.len();
            result.sampled += embeddings.num_sampled();
            let range = levels.children(depth, at);
            let family = Family { depth: depth + 1, range, parent: Some(Arc::new(embeddings)) };
            self.family(levels, family, branch, result);
        }
    }

    /// Finds the supports of the children of a pattern of the last level.
    fn find_children<V: Visitor>(
        &self,
        levels: &Levels,
        graphs: &[u32],
        parent: Option<&EmbeddingList<E>>,
        branch: &mut Branch<'_, V, E>,
        result: &mut PassResult,
    ) {
        let Branch { code, stats, scratch, .. } = branch;
        stats.expanded += 1;
        let MineScratch { scan, supports, child_supports, buffers, .. } = &mut **scratch;
        let pattern = SupportedPattern { code, graphs };
        let own = parent.is_none().then(|| self.expander.all_embeddings(pattern, None, buffers));
        let before = stats.work();
        let embeddings = own.as_ref().or(parent).expect("one of both");
        let pattern = Parent { code, graphs, embeddings, own: own.is_some() };
        child_supports.begin(self.expander, &pattern, scan, supports, stats);
        let edges = code.len() + 1;
        let (keeps_hashes, hashes) = (result.next.is_some(), &mut result.hashes);
        hashes.clear();
        child_supports.filter(code, scan, |child, possible| {
            levels.filter(child, edges, possible);
            hashes.extend(keeps_hashes.then(|| child.hash()));
        });
        child_supports.decide(self.expander, &pattern, scan, supports, stats);
        stats.span += stats.work() - before;
    }

    /// Hands on the children whose supports were just found: to the next level, or in the last pass to the visitor.
    fn report_children<V: Visitor>(&self, branch: &mut Branch<'_, V, E>, result: &mut PassResult) {
        let Branch { code, visitor, stats, scratch } = branch;
        let edges = scratch.scan.children();
        let mut children = 0;
        for child in in_order(edges) {
            let graphs = &scratch.supports.children()[child];
            if graphs.len() < self.params.min_support {
                stats.rejected += 1;
                continue;
            }
            children += 1;
            if let Some(next) = &mut result.next {
                next.push(edges[child], graphs, result.hashes[child]);
                continue;
            }
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            code.push(edges[child]);
            self.call_visitor(&VisitedPattern::plain(code, graphs), *visitor, stats);
            code.pop();
        }
        if let Some(next) = &mut result.next {
            next.end_family(children);
        }
        scratch.supports.clear();
    }
}
