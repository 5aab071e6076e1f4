//! [`TreeSearch`]: what is kept from one pass to the next, and the queries themselves.
//!
//! Promise: the answer is that of scoring all patterns, bit for bit, for either order of the walk, any number of
//! threads, with or without pruning and drift. It holds because every number is a function of (support, delta) alone
//! ([`crate::bound`]), `zeta` never exceeds its final value ([`crate::pool`]), and subtrees are skipped only if no
//! score in them can reach it: by `UB(H) < zeta` (Theorem 1), or because the largest score of the subtree at the last
//! visit, or an earlier bound of its support, plus the drift of delta since is below `zeta` ([`super::drift`]).
//! [`crate::skips`] lists every reason.
//!
//! The walk over the tree is in `pass.rs`, the scan of what is known in `scan`. Tested against the exhaustive search of
//! the testkit. Paper: Algorithm 2.

use super::drift::Drift;
use super::history::History;
use super::memory_limit::MemoryLimit;
use super::pass::{Competitor, Pass};
use super::scan::{Scan, ScanIndex};
use super::some_graphs::SomeGraphs;
use super::support_cache::{CachedSupport, SupportCache, SupportId, graphs_of};
use super::why::Fate;
use super::worker_log::{Buffers, WorkerLog};
use crate::bound::{BoundedColumn, Delta, ScoreAndBound, Sums, gradient_and_bound, gradient_and_larger_bound};
use crate::feature::{Column, Values};
use crate::pool::Excluded;
use crate::query::{ActivePattern, Competes, Query, SearchResult, SearchStats};
use crate::skips::Skips;
use crate::support_class::members_of;
use crate::{Search, SearchError, SupportClass};
use einsicht_graph::mine::MineStats;
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Support, stop};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// How to search. The answer is the same for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Workers; more than one run in the current rayon pool.
    pub threads: usize,
    /// Prune subtrees by their bound. Off: visit every pattern.
    pub prune: bool,
    /// Skip subtrees whose scores cannot have risen far enough since the last visit.
    pub drift: bool,
    /// Score all known classes one after the other instead of walking over the tree.
    pub scan: Scan,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { threads: 1, prune: true, drift: true, scan: Scan::default() }
    }
}

/// Up to this number of units, score and bound cost hardly more than drift.
pub(super) const CHEAP_UNITS: usize = 2;

/// Why a query to a tree within a memory limit has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TreeError {
    /// The tree has reached its limit, when `zeta` had reached this number. [`crate::BudgetedSearch`] leaves it then.
    Full { zeta: f64 },
    /// The query itself cannot be answered.
    Search(SearchError),
}

impl TreeError {
    const FULL: Self = Self::Full { zeta: f64::NEG_INFINITY };

    /// The error of a tree without a memory limit.
    pub(super) fn without_limit(self) -> SearchError {
        match self {
            Self::Full { .. } => unreachable!("a tree without a memory limit is never full"),
            Self::Search(error) => error,
        }
    }
}

impl From<SearchError> for TreeError {
    fn from(error: SearchError) -> Self {
        Self::Search(error)
    }
}

/// Exact search with pruning over a tree that is kept from pass to pass.
pub struct TreeSearch {
    pub(super) tree: Arc<Tree>,
    pub(super) options: SearchOptions,
    pub(super) limit: MemoryLimit,
    pub(super) supports: SupportCache,
    pub(super) drift: Drift,
    pub(super) history: History,
    /// Present if the search is about some of the tree's graphs only.
    pub(super) among: Option<SomeGraphs>,
    /// What is scanned, once there was a scan.
    pub(super) scan_index: Option<ScanIndex>,
    /// Its memory after the last scan.
    pub(super) scan_bytes: usize,
    /// Whether a scan has met the memory limit: from then on every pass is a walk.
    pub(super) scan_was_full: bool,
    /// Of the current pass.
    values: Values,
    /// No value of a pattern is larger, once it is known.
    largest_value: Option<(Values, f64)>,
}

impl TreeSearch {
    /// A search over this tree, which others may search at the same time.
    pub fn new(tree: impl Into<Arc<Tree>>, options: SearchOptions) -> Self {
        let tree = tree.into();
        Self {
            supports: SupportCache::new(tree.num_graphs()),
            tree,
            options,
            limit: MemoryLimit::default(),
            drift: Drift::default(),
            history: History::default(),
            among: None,
            scan_index: None,
            scan_bytes: 0,
            scan_was_full: false,
            values: Values::Presence,
            largest_value: None,
        }
    }

    /// The same about some graphs: the rows of delta of all others must be zero, and competitors are distinguished by
    /// these alone.
    #[must_use]
    pub(crate) fn among(self, graphs: SomeGraphs) -> Self {
        Self { among: Some(graphs), ..self }
    }

    /// The graphs that the search is about, if they are not all.
    pub(crate) fn some_graphs(&self) -> Option<&SomeGraphs> {
        self.among.as_ref()
    }

    /// The tree, as far as it has grown.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Score and bound of a node in this pass, and whether they had to be computed. Takes its support with the entry in
    /// the cache and the drift over it.
    pub(super) fn score_node(
        &self,
        (id, cached, drift): (SupportId, &CachedSupport, f64),
        node: NodeId,
        delta: Delta<'_>,
        buffers: &mut Buffers,
    ) -> (ScoreAndBound, bool) {
        cached.score_once(self.history.pass(), drift, || {
            let Buffers { sums, graphs } = buffers;
            if let Some(bits) = self.bits(id, cached, node) {
                return gradient_and_bound(Column::present_in(graphs_of(bits, graphs)), delta, sums);
            }
            let support = self.tree.support(node);
            let graphs = support.graphs(graphs);
            let column = self.values.column_of(graphs, support.counts());
            if support.has_larger_images() {
                let larger = self.values.column_of(graphs, support.images());
                gradient_and_larger_bound(BoundedColumn { values: column, larger }, delta, sums)
            } else {
                gradient_and_bound(column, delta, sums)
            }
        })
    }

    /// The support of a node as a bit set, where that says all.
    fn bits(&self, id: SupportId, cached: &CachedSupport, node: NodeId) -> Option<&[AtomicU64]> {
        let graphs = || self.tree.support(node).graphs(&mut Vec::new()).to_vec();
        (self.values == Values::Presence).then(|| self.supports.bits(id, cached, graphs)).flatten()
    }

    /// The drift of delta since the first pass over the support of a node; 0 where drift is not used.
    pub(super) fn drift_over(
        &self,
        (id, cached): (SupportId, &CachedSupport),
        node: NodeId,
        buffers: &mut Buffers,
    ) -> f64 {
        let total = || match self.bits(id, cached, node) {
            Some(bits) => self.drift.total_of_bits(bits),
            None => self.drift.total(self.bound_column(node, &mut buffers.graphs)),
        };
        if self.options.drift { cached.drift(self.history.pass(), total) } else { 0.0 }
    }

    /// The numbers that bound those of all patterns grown from a node, with its graphs in the buffer if they are
    /// packed.
    fn bound_column<'a>(&'a self, node: NodeId, graphs: &'a mut Vec<u32>) -> Column<'a> {
        let support = self.tree.support(node);
        self.values.column_of(support.graphs(graphs), support.images())
    }

    /// Whether score and bound cost hardly more than drift: few units, and a list of graphs to be read for either.
    pub(super) fn scores_are_cheap(&self, delta: Delta<'_>) -> bool {
        delta.hidden_units() <= CHEAP_UNITS && (self.values != Values::Presence || !self.supports.has_bits())
    }

    /// The node of a code, growing the tree as far as needed.
    fn find(&self, code: &DfsCode) -> Result<NodeId, TreeError> {
        let missing = || SearchError::NoSuchPattern { edges: code.num_edges() };
        let mut level = self.tree.roots();
        let mut found = None;
        for step in code.steps() {
            if let Some(node) = found {
                if !self.tree.is_expanded(node) && self.is_full() {
                    return Err(TreeError::FULL);
                }
                level = self.tree.expand(node);
            }
            found = Some(level.find(|&node| self.tree.step(node) == step).ok_or_else(missing)?);
        }
        Ok(found.ok_or_else(missing)?)
    }

    /// `DfsCode::cmp_by_size`, without codes where the sizes differ.
    pub(super) fn compare(&self, a: NodeId, b: NodeId) -> std::cmp::Ordering {
        let codes = || self.tree.code(a).cmp(&self.tree.code(b));
        self.tree.pattern_size(a).cmp(&self.tree.pattern_size(b)).then_with(codes)
    }

    /// No value of a pattern is larger: minimum-image counts are anti-monotone, so the smallest patterns have the
    /// largest.
    fn largest_value(&mut self) -> f64 {
        if let Some((_, largest)) = self.largest_value.filter(|(values, _)| *values == self.values) {
            return largest;
        }
        let mut graphs = Vec::new();
        let largest = |node| self.bound_column(node, &mut graphs).largest();
        let largest = self.tree.roots().map(largest).fold(0.0, f64::max);
        self.largest_value = Some((self.values, largest));
        largest
    }

    /// What may not become a candidate of this query.
    pub(super) fn excluded(&self, query: &Query<'_>) -> Result<Excluded<Competitor, SupportId>, TreeError> {
        // By content: the caller may have a support from a tree that is gone.
        let intern = |support: &Arc<Support>| match &self.among {
            None => SupportId::class_of(&self.tree.intern(support)),
            Some(graphs) => graphs.class_of_restricted(support),
        };
        let competitor = |pattern: &ActivePattern| match query.unit {
            Competes::SupportClass => Ok(Competitor::Class(intern(&pattern.support))),
            Competes::Pattern => self.find(&pattern.code).map(Competitor::Pattern),
        };
        Ok(Excluded {
            active: query.active.iter().map(competitor).collect::<Result<_, TreeError>>()?,
            banned: query.banned.iter().map(intern).collect(),
        })
    }

    /// Answers one query, unless the tree reaches its memory limit.
    pub(crate) fn try_search(&mut self, query: &Query<'_>) -> Result<SearchResult, TreeError> {
        self.answer(query, None).map(|(result, _)| result)
    }

    /// The same with the fate of a pattern that somebody asks about, if there is such a pattern.
    pub(crate) fn answer(
        &mut self,
        query: &Query<'_>,
        asked: Option<&DfsCode>,
    ) -> Result<(SearchResult, Option<Fate>), TreeError> {
        let (graphs, rows) = (self.tree.num_graphs(), query.delta.num_graphs());
        if graphs != rows {
            return Err(SearchError::OtherGraphs { graphs, rows }.into());
        }
        stop::check();
        if self.scans(query) {
            match self.scan(query, asked) {
                // A walk may need less, since it keeps no copy of the supports.
                Err(TreeError::Full { .. }) => {}
                answered => return answered,
            }
        }
        if !self.may_copy_supports() {
            (self.scan_index, self.scan_bytes) = (None, 0);
        }
        self.history.start_pass();
        self.values = query.values;
        let largest = self.largest_value();
        if self.drift.advance(query.delta, query.values, largest) {
            self.history.restart();
        }
        let before = self.tree.stats().mined;
        let mut sums = Sums::default();
        let active = query.score_active(&mut sums);
        let pass = Pass::new(self, query, &active)?;
        let logs = pass.run();
        let (nodes, _) = self.tree.sizes();
        if pass.was_stopped() {
            self.history.restart();
            return Err(SearchError::Stopped.into());
        }
        if pass.is_given_up() {
            return Err(TreeError::Full { zeta: pass.zeta() });
        }
        let (zeta, found) = pass.finish();
        let candidate = |&node: &NodeId| {
            let support = self.tree.support(node).unpacked();
            query.candidate(self.tree.code(node), support, &mut sums)
        };
        let candidates = found.iter().map(candidate).collect();
        let stats = self.statistics(&logs, before);
        let fate = asked.and_then(|code| self.fate_in_walk(code, &logs, zeta));
        self.history.finish_pass(&logs, found, nodes);
        Ok((SearchResult::new(candidates, active, zeta, stats), fate))
    }

    /// The support of a pattern, unless the tree reaches its memory limit.
    pub(crate) fn try_lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, TreeError> {
        Ok(self.tree.support(self.find(code)?).unpacked())
    }

    /// All patterns that have this support, unless the tree reaches its memory limit.
    pub(crate) fn try_members(&self, support: &Support) -> Result<Vec<DfsCode>, TreeError> {
        members_of(&self.tree, support, || self.is_full()).ok_or(TreeError::FULL)
    }

    /// All patterns that have this support.
    pub(crate) fn members(&self, support: &Support) -> Result<Vec<DfsCode>, SearchError> {
        self.try_members(support).map_err(TreeError::without_limit)
    }

    fn statistics(&self, logs: &[WorkerLog], before: MineStats) -> SearchStats {
        let tree = self.tree.stats();
        let mut skips = Skips::default();
        for log in logs {
            skips += log.skips;
        }
        SearchStats {
            visited: logs.iter().map(|log| log.visited).sum(),
            skips,
            summed: logs.iter().map(|log| log.summed).sum(),
            drifts: logs.iter().map(|log| log.drifts).sum(),
            scanned: 0,
            expanded: tree.mined.expanded - before.expanded,
            recomputed: tree.mined.recomputed - before.recomputed,
            distinct_supports: tree.supports,
            ties: 0,
            memory: tree.bytes + self.history.bytes() as u64,
            visited_by_worker: logs.iter().map(|log| log.visited).collect(),
        }
    }
}

impl Search for TreeSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        self.try_search(query).map_err(TreeError::without_limit)
    }

    fn why(&mut self, query: &Query<'_>, code: &DfsCode) -> Result<(SearchResult, Fate), SearchError> {
        self.try_why(query, code).map_err(TreeError::without_limit)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        self.try_lookup(code).map_err(TreeError::without_limit)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        Ok(SupportClass::from_members(self.members(support)?))
    }
}
