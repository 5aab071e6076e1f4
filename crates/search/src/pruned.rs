//! The search itself: top-s over the tree of patterns, skipping every subtree whose bound is too small.
//!
//! Promise: the answer is that of scoring all patterns, bit for bit, for either order of the walk, any
//! number of threads, with or without pruning and drift. It holds because every number is a function of
//! (support, delta) alone ([`crate::bound`]), `zeta` never exceeds its final value, and subtrees are skipped only
//! if no score in them can reach it: by `UB(H) < zeta` (Theorem 1), or because what was known of the subtree plus
//! all that delta has moved since is below `zeta` ([`super::drift`]).
//!
//! The walk over the tree is in `pass.rs`; here is what is kept from one pass to the next.
//!
//! Tested against the exhaustive search of the testkit. Paper: Algorithm 2.

use super::class::members_of;
use super::drift::Drift;
use super::pass::{Look, Pass, Work};
use super::queue::Order;
use super::room::Limit;
use super::share::Share;
use super::slots::{Slot, Slots, listed};
use super::{ActiveScore, Candidate, Found, Query, Rule, Search, SearchError, SearchStats, SupportClass, Unit};
use crate::bound::{Delta, Reach, Sums, active_score, gradient_and_bound};
use crate::feature::{Column, Values};
use einsicht_graph::mine::{MineStats, NodeId, Tree};
use einsicht_graph::{DfsCode, Support};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How to search; the answer is the same for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Order of the walk.
    pub order: Order,
    /// Workers; more than one run in the current rayon pool.
    pub threads: usize,
    /// Skip subtrees by their bound. Off: look at every pattern.
    pub prune: bool,
    /// Skip subtrees that delta cannot have lifted far enough since the last look.
    pub drift: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { order: Order::BestFirst, threads: 1, prune: true, drift: true }
    }
}

/// Working memory for the sums of a support.
#[derive(Default)]
pub(super) struct Room {
    sums: Sums,
    graphs: Vec<u32>,
}

/// What was known of a node's subtree when it was last looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// No score in the subtree was larger. Plus infinity: never looked at.
    pub(super) ceiling: f64,
    /// Total drift over its support at that time.
    pub(super) stamp: f64,
    /// No score in the subtree has risen by more since then, as the drift over the supports of its ancestors says.
    pub(super) slid: f64,
    /// Total drift over its support when its children were last looked at; plus infinity: never.
    pub(super) opened: f64,
    /// Number of the node it was grown from; itself if it has one edge.
    pub(super) parent: u32,
    /// The pass in which its children were last looked at.
    pub(super) opened_in: u32,
    /// The number of its support and of the graphs in it, once it was looked at: most looks need no more of a pattern.
    pub(super) support: u32,
    pub(super) graphs: u32,
}

pub(super) const UNKNOWN: Known = Known {
    ceiling: f64::INFINITY,
    stamp: 0.0,
    slid: 0.0,
    opened: f64::INFINITY,
    parent: 0,
    opened_in: 0,
    support: 0,
    graphs: 0,
};

impl Known {
    /// Whether its children were looked at before.
    pub(super) fn is_opened(self) -> bool {
        self.opened < f64::INFINITY
    }

    /// Number and size of the support of this node.
    pub(super) fn support_of(self, tree: &Tree, node: NodeId) -> (u32, u32) {
        if self.graphs > 0 {
            return (self.support, self.graphs);
        }
        let support = tree.support(node);
        (support.id(), support.len() as u32)
    }
}

/// Exact search with pruning over a tree that is kept from pass to pass.
pub struct PrunedSearch {
    pub(super) tree: Arc<Tree>,
    pub(super) options: SearchOptions,
    pub(super) share: Share,
    pub(super) limit: Limit,
    pub(super) slots: Slots,
    pub(super) drift: Drift,
    /// By node.
    pub(super) known: Vec<Known>,
    /// Nodes of the last pass's candidates: their scores now are a good first `zeta`.
    pub(super) last: Vec<NodeId>,
    pub(super) pass: u32,
    /// The first pass whose numbers can be compared with those of the current one.
    pub(super) since: u32,
    /// The last pass that came to its end.
    pub(super) finished: u32,
    /// Of the current pass.
    values: Values,
    /// No value of a pattern is larger, once it is known.
    largest_value: Option<(Values, f64)>,
    /// Raised from outside to end a pass that is no longer wanted.
    pub(super) stop: Arc<AtomicBool>,
}

impl PrunedSearch {
    /// A search over this tree, which others may search at the same time.
    pub fn new(tree: impl Into<Arc<Tree>>, options: SearchOptions) -> Self {
        let tree = tree.into();
        Self {
            slots: Slots::new(tree.num_graphs()),
            tree,
            options,
            share: Share::WHOLE,
            limit: Limit::default(),
            drift: Drift::default(),
            known: Vec::new(),
            last: Vec::new(),
            pass: 0,
            since: 0,
            finished: 0,
            values: Values::Presence,
            largest_value: None,
            stop: Arc::default(),
        }
    }

    /// The same for one share of the tree: only its patterns compete, and what belongs to others is never grown.
    #[must_use]
    pub fn within(self, share: Share) -> Self {
        Self { share, known: Vec::new(), last: Vec::new(), ..self }
    }

    /// All patterns of this share that have this support.
    pub(super) fn members(&self, support: &Support) -> Result<Vec<DfsCode>, SearchError> {
        members_of(&self.tree, self.share, support, || self.is_full()).ok_or(SearchError::OutOfMemory)
    }

    /// Ends every pass with [`SearchError::Stopped`] once this flag is up: a pass can be long. Whoever raises it asks no
    /// more, or lowers it first.
    pub fn stop_on(&mut self, flag: &Arc<AtomicBool>) {
        self.stop = Arc::clone(flag);
    }

    /// The tree, as far as it has grown.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Score and bound in this pass, and whether they had to be computed. `total` is the drift over the support.
    pub(super) fn reach(
        &self,
        (id, slot): (u32, &Slot),
        node: NodeId,
        delta: Delta<'_>,
        total: f64,
        room: &mut Room,
    ) -> (Reach, bool) {
        slot.reach(self.pass, total, || {
            let Room { sums, graphs } = room;
            let column = match self.bits(id, slot, node) {
                Some(bits) => Column::present_in(listed(bits, graphs)),
                None => self.values.column(self.tree.support(node)),
            };
            gradient_and_bound(column, delta, sums)
        })
    }

    /// The support of a node as bits, where that says all.
    fn bits(&self, id: u32, slot: &Slot, node: NodeId) -> Option<&[AtomicU64]> {
        let graphs = || self.tree.support(node).graphs();
        (self.values == Values::Presence).then(|| self.slots.bits(id, slot, graphs)).flatten()
    }

    /// All that delta has moved so far over the support of a node, which has this number; nothing where nobody asks.
    pub(super) fn total_drift(&self, id: u32, slot: &Slot, node: NodeId) -> f64 {
        let total = || match self.bits(id, slot, node) {
            Some(bits) => self.drift.total_of_bits(bits),
            None => self.drift.total(self.values.column(self.tree.support(node))),
        };
        if self.options.drift { slot.total(self.pass, total) } else { 0.0 }
    }

    /// The node of a code, growing the tree as far as needed.
    fn find(&self, code: &DfsCode) -> Result<NodeId, SearchError> {
        let missing = || SearchError::NoSuchPattern { edges: code.num_edges() };
        let mut level = self.tree.roots();
        let mut found = None;
        for edge in code.edges() {
            if let Some(node) = found {
                if !self.tree.is_expanded(node) && self.is_full() {
                    return Err(SearchError::OutOfMemory);
                }
                level = self.tree.expand(node);
            }
            found = Some(level.find(|&node| self.tree.last_edge(node) == *edge).ok_or_else(missing)?);
        }
        found.ok_or_else(missing)
    }

    /// The order of patterns: fewer edges first, then the smaller code.
    pub(super) fn compare(&self, a: NodeId, b: NodeId) -> std::cmp::Ordering {
        let edges = self.tree.num_edges(a).cmp(&self.tree.num_edges(b));
        edges.then_with(|| self.tree.code(a).cmp(&self.tree.code(b)))
    }

    /// Takes what the workers saw into what is known of the subtrees.
    fn remember(&mut self, works: &[Work]) {
        let nodes = self.note_opened(works);
        let mut marks = vec![0_u64; nodes.div_ceil(64)];
        for &Look { node, parent, support, graphs, ceiling, total } in works.iter().flat_map(|work| work.looks.iter()) {
            let at = node.index();
            let parent = parent.index() as u32;
            self.known[at] = Known { ceiling, stamp: total, slid: 0.0, parent, support, graphs, ..self.known[at] };
            marks[at / 64] |= 1 << (at % 64);
        }
        for &(node, slid) in works.iter().flat_map(|work| work.slid.iter()) {
            let at = node.index();
            self.known[at].slid = slid;
            marks[at / 64] |= 1 << (at % 64);
        }
        for &(node, ceiling) in works.iter().flat_map(|work| work.dropped.iter()) {
            let known = &mut self.known[node.index()].ceiling;
            *known = known.max(ceiling);
        }
        // Children have larger numbers than their parents, so a parent comes after all below it.
        for (word, &bits) in marks.iter().enumerate().rev() {
            let mut bits = bits;
            while bits != 0 {
                let bit = bits.ilog2() as usize;
                bits &= !(1 << bit);
                let Known { ceiling, slid, parent, .. } = self.known[64 * word + bit];
                if parent as usize != 64 * word + bit {
                    let above = &mut self.known[parent as usize];
                    above.ceiling = above.ceiling.max(ceiling + slid);
                    above.opened = above.stamp;
                }
            }
        }
    }

    /// Makes room for what is known of all nodes and notes which were opened. Gives the number of nodes.
    fn note_opened(&mut self, works: &[Work]) -> usize {
        let (nodes, _) = self.tree.sizes();
        self.known.reserve_exact(nodes.saturating_sub(self.known.len()));
        self.known.resize(nodes, UNKNOWN);
        for node in works.iter().flat_map(|work| work.opened.iter()) {
            self.known[node.index()].opened_in = self.pass;
        }
        nodes
    }

    /// No value of a pattern is larger: counts never grow with the pattern, so single edges tell.
    fn largest_value(&mut self) -> f64 {
        if let Some((_, largest)) = self.largest_value.filter(|(values, _)| *values == self.values) {
            return largest;
        }
        let largest = |node| self.values.column(self.tree.support(node)).largest();
        let largest = self.tree.roots().map(largest).fold(0.0, f64::max);
        self.largest_value = Some((self.values, largest));
        largest
    }
}

impl Search for PrunedSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<Found, SearchError> {
        let (graphs, rows) = (self.tree.num_graphs(), query.delta.num_graphs());
        if graphs != rows {
            return Err(SearchError::OtherGraphs { graphs, rows });
        }
        self.pass += 1;
        self.values = query.values;
        let largest = self.largest_value();
        if self.drift.advance(query.delta, query.values, largest) {
            self.known.clear();
            self.since = self.pass;
        }
        let before = self.tree.stats().mined;
        let mut sums = Sums::default();
        let active_scores: Vec<ActiveScore> = query.active.iter().map(|a| score_active(a, query, &mut sums)).collect();
        let active = self.active_competitors(query)?;
        let pass = Pass::new(self, query, active);
        pass.warm_up(&active_scores, &mut Room::default());
        let works = pass.run();
        if self.stop.load(Ordering::Relaxed) {
            // Some subtrees were not looked at.
            self.known.clear();
            self.since = self.pass;
            return Err(SearchError::Stopped);
        }
        if pass.is_given_up() {
            let reached = pass.zeta();
            self.limit.reached = reached;
            self.note_opened(&works);
            return Err(SearchError::OutOfMemory);
        }
        let zeta = match query.rule {
            Rule::Top(_) => pass.zeta(),
            Rule::Above(lambda) => lambda,
        };
        let pool = pass.into_pool();
        // Of those that reached `zeta` when they were met, some fell behind as it rose.
        let reached = pool.into_iter().filter(|&(_, score)| matches!(query.rule, Rule::Above(_)) || score >= zeta);
        let mut pool: Vec<(NodeId, f64)> = reached.collect();
        pool.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| self.compare(a.0, b.0)));
        let candidates: Vec<Candidate> = pool.iter().map(|&(node, _)| self.candidate(node, query, &mut sums)).collect();
        let stats = self.statistics(&works, &candidates, zeta, before);
        self.last = pool.into_iter().map(|(node, _)| node).collect();
        self.remember(&works);
        self.finished = self.pass;
        Ok(Found { candidates, active: active_scores, zeta, stats })
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        Ok(Arc::clone(self.tree.support(self.find(code)?)))
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        Ok(SupportClass::from_members(self.members(support)?))
    }
}

pub(super) fn score_active(pattern: &super::ActivePattern, query: &Query<'_>, sums: &mut Sums) -> ActiveScore {
    gradient_and_bound(query.values.column(&pattern.support), query.delta, sums);
    let gradient: Vec<f64> = sums.gradient().collect();
    let free = || active_score(&pattern.weights, &gradient, query.decay, query.step_sizes);
    let score = if pattern.pinned { f64::INFINITY } else { free() };
    ActiveScore { gradient, score }
}

impl PrunedSearch {
    /// Support ids or, per pattern, node numbers of the active patterns.
    fn active_competitors(&self, query: &Query<'_>) -> Result<FxHashSet<u32>, SearchError> {
        let competitor = |pattern: &super::ActivePattern| match query.unit {
            // By content: whoever holds it may have it from a tree that is gone.
            Unit::SupportClass => Ok(self.tree.intern(&pattern.support).id()),
            Unit::Pattern => self.find(&pattern.code).map(|node| node.index() as u32),
        };
        query.active.iter().map(competitor).collect()
    }

    fn candidate(&self, node: NodeId, query: &Query<'_>, sums: &mut Sums) -> Candidate {
        let support = Arc::clone(self.tree.support(node));
        let score = gradient_and_bound(query.values.column(&support), query.delta, sums).score;
        Candidate { code: self.tree.code(node), support, gradient: sums.gradient().collect(), score }
    }

    fn statistics(&self, works: &[Work], candidates: &[Candidate], zeta: f64, before: MineStats) -> SearchStats {
        let tree = self.tree.stats();
        SearchStats {
            visited: works.iter().map(|work| work.visited).sum(),
            pruned: works.iter().map(|work| work.pruned).sum(),
            skipped_by_drift: works.iter().map(|work| work.skipped).sum(),
            summed: works.iter().map(|work| work.summed).sum(),
            expanded: tree.mined.expanded - before.expanded,
            rederived: tree.mined.recomputed - before.recomputed,
            distinct_supports: tree.supports,
            ties: candidates.iter().filter(|candidate| candidate.score == zeta).count() as u64,
            memory: tree.bytes + size_of_val(self.known.as_slice()) as u64,
            visited_by_worker: works.iter().map(|work| work.visited).collect(),
        }
    }
}
