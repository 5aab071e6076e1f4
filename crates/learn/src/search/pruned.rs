//! The search itself: top-s over the tree of patterns, skipping every subtree whose bound is too small.
//!
//! Promise: the answer is that of scoring all patterns, bit for bit, for either order of the walk, any
//! number of threads, with or without pruning and drift. It holds because every number is a function of
//! (support, delta) alone ([`crate::bound`]), `zeta` never exceeds its final value, and subtrees are skipped only
//! if no score in them can reach it: by `UB(H) < zeta` (Theorem 1), or because what was known of the subtree plus
//! all that delta has moved since is below `zeta` ([`super::drift`]).
//!
//! The walk: a queue of nodes whose subtrees may hold a candidate. A worker takes one, looks at its children
//! (growing the tree where nobody has been), and returns those worth going on with. Children are judged by
//! their supports alone, so those that are pruned never cost an embedding. All members of a class that enters are
//! met on the way, since the bounds of their ancestors reach its score; so the representative is the right one.
//!
//! Tested against the exhaustive search of the testkit. Paper: Algorithm 2.

use super::class::members_of;
use super::drift::Drift;
use super::queue::{Order, Queue};
use super::share::{Part, Share};
use super::slots::Slots;
use super::top::{Number, Top};
use super::{ActiveScore, Candidate, Found, Query, Rule, Search, SearchError, SearchStats, SupportClass, Unit};
use crate::bound::{Delta, Reach, Sums, active_score, gradient_and_bound};
use crate::feature::Values;
use einsicht_graph::mine::{NodeId, Tree};
use einsicht_graph::{DfsCode, Support};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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

/// What was known of a node's subtree when it was last looked at.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// No score in the subtree was larger. Plus infinity: never looked at.
    ceiling: f64,
    /// Total drift over its support at that time.
    stamp: f64,
}

const UNKNOWN: Known = Known { ceiling: f64::INFINITY, stamp: 0.0 };

/// Exact search with pruning over a tree that is kept from pass to pass.
pub struct PrunedSearch {
    tree: Arc<Tree>,
    options: SearchOptions,
    share: Share,
    slots: Slots,
    drift: Drift,
    /// By node.
    known: Vec<Known>,
    /// Nodes of the last pass's candidates: their scores now are a good first `zeta`.
    last: Vec<NodeId>,
    pass: u32,
    /// Of the current pass.
    values: Values,
    /// Raised from outside to end a pass that is no longer wanted.
    stop: Arc<AtomicBool>,
}

/// State of a pass that all workers share, behind one lock.
struct Shared {
    top: Option<Top>,
    /// Competitors that already count in `top`: support ids or, per pattern, node numbers.
    counted: FxHashSet<u32>,
    /// Competitors whose score reached `zeta` when they were met: their best member so far, and the score.
    pool: FxHashMap<u32, (NodeId, f64)>,
}

/// What the workers of a pass read.
struct Pass<'a> {
    search: &'a PrunedSearch,
    delta: Delta<'a>,
    rule: Rule,
    unit: Unit,
    /// Support ids or node numbers of the active patterns.
    active: FxHashSet<u32>,
    /// Support ids of what must not be a candidate.
    banned: FxHashSet<u32>,
    /// Bits of `zeta`; only ever raised.
    zeta: AtomicU64,
    /// What `zeta` is known to reach.
    floor: f64,
    queue: Queue,
    shared: Mutex<Shared>,
}

/// What a worker brings back.
#[derive(Default)]
struct Work {
    sums: Sums,
    visited: u64,
    pruned: u64,
    skipped: u64,
    /// (node, no score in its subtree is larger as far as its own look says); parents take the largest of
    /// their children.
    looked_at: Vec<(NodeId, f64)>,
}

impl PrunedSearch {
    /// A search over this tree, which others may search at the same time.
    pub fn new(tree: impl Into<Arc<Tree>>, options: SearchOptions) -> Self {
        Self {
            tree: tree.into(),
            options,
            share: Share::WHOLE,
            slots: Slots::default(),
            drift: Drift::default(),
            known: Vec::new(),
            last: Vec::new(),
            pass: 0,
            values: Values::Presence,
            stop: Arc::default(),
        }
    }

    /// The same for one share of the tree: only its patterns compete, and what belongs to others is never grown.
    #[must_use]
    pub fn within(self, share: Share) -> Self {
        Self { share, known: Vec::new(), last: Vec::new(), ..self }
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

    /// All patterns of this share that have this support.
    pub(super) fn members(&self, support: &Support) -> Vec<DfsCode> {
        members_of(&self.tree, self.share, support)
    }

    fn reach(&self, support: &Support, delta: Delta<'_>, sums: &mut Sums) -> Reach {
        let column = || self.values.column(support);
        self.slots.get(support.id()).reach(self.pass, || gradient_and_bound(column(), delta, sums))
    }

    fn total_drift(&self, support: &Support) -> f64 {
        self.slots.get(support.id()).total(self.pass, || self.drift.total(self.values.column(support)))
    }

    /// The node of a code, growing the tree as far as needed.
    fn find(&self, code: &DfsCode) -> Option<NodeId> {
        let mut found = None;
        for edge in code.edges() {
            let mut level = found.map_or_else(|| self.tree.roots(), |node| self.tree.expand(node));
            found = Some(level.find(|&node| self.tree.last_edge(node) == *edge)?);
        }
        found
    }

    /// The order of patterns: fewer edges first, then the smaller code.
    fn compare(&self, a: NodeId, b: NodeId) -> std::cmp::Ordering {
        let edges = self.tree.num_edges(a).cmp(&self.tree.num_edges(b));
        edges.then_with(|| self.tree.code(a).cmp(&self.tree.code(b)))
    }

    /// Takes what the workers saw into what is known of the subtrees.
    fn remember(&mut self, mut looked_at: Vec<(NodeId, f64)>) {
        self.known.resize(self.tree.stats().nodes as usize, UNKNOWN);
        // Children have larger numbers than their parents, so a parent comes after all below it.
        looked_at.sort_unstable_by_key(|&(node, _)| std::cmp::Reverse(node));
        for &(node, _) in &looked_at {
            self.known[node.index()].ceiling = f64::NEG_INFINITY;
        }
        for &(node, ceiling) in &looked_at {
            let known = &mut self.known[node.index()].ceiling;
            *known = known.max(ceiling);
        }
        for &(node, _) in &looked_at {
            self.known[node.index()].stamp = self.total_drift(self.tree.support(node));
            let ceiling = self.known[node.index()].ceiling;
            if let Some(parent) = self.tree.parent(node) {
                let above = &mut self.known[parent.index()].ceiling;
                *above = above.max(ceiling);
            }
        }
    }
}

impl Pass<'_> {
    fn zeta(&self) -> f64 {
        f64::from_bits(self.zeta.load(Ordering::Relaxed))
    }

    /// Whether nothing with this bound can be a candidate.
    fn is_hopeless(&self, bound: f64) -> bool {
        match self.rule {
            Rule::Top(_) => bound < self.zeta(),
            Rule::Above(lambda) => bound <= lambda,
        }
    }

    fn is_candidate(&self, score: f64) -> bool {
        match self.rule {
            Rule::Top(_) => score >= self.zeta(),
            Rule::Above(lambda) => score > lambda,
        }
    }

    fn may_enter(&self, competitor: u32, support: &Support) -> bool {
        !self.active.contains(&competitor) && !self.banned.contains(&support.id())
    }

    fn competitor(&self, node: NodeId, support: &Support) -> u32 {
        match self.unit {
            Unit::SupportClass => support.id(),
            Unit::Pattern => node.index() as u32,
        }
    }

    fn raise(&self, top: &Top) {
        self.zeta.store(top.threshold().max(self.floor).to_bits(), Ordering::Relaxed);
    }

    /// Counts a competitor and lets `zeta` rise.
    fn count(&self, shared: &mut Shared, competitor: u32, score: f64) {
        if let Some(top) = &mut shared.top
            && shared.counted.insert(competitor)
        {
            top.add(score);
            self.raise(top);
        }
    }

    /// Looks at siblings; those worth going on with are added to `open`.
    fn look_at(&self, siblings: impl Iterator<Item = NodeId>, work: &mut Work, open: &mut Vec<(Number, NodeId)>) {
        let search = self.search;
        let mut scores: Vec<(NodeId, u32, f64)> = Vec::new();
        for node in siblings {
            let part = search.share.part(&search.tree, node);
            if part == Part::Foreign {
                continue;
            }
            let support = search.tree.support(node);
            if search.options.drift && search.options.prune {
                let known = search.known.get(node.index()).copied().unwrap_or(UNKNOWN);
                // What was too high already has not sunk by drifting.
                if self.is_hopeless(known.ceiling) {
                    let moved = search.total_drift(support) - known.stamp;
                    let ceiling = known.ceiling + moved + search.drift.slack();
                    if self.is_hopeless(ceiling) {
                        work.skipped += 1;
                        work.looked_at.push((node, ceiling));
                        continue;
                    }
                }
            }
            let reach = search.reach(support, self.delta, &mut work.sums);
            let is_own = part == Part::Own;
            let competitor = self.competitor(node, support);
            if is_own && self.is_candidate(reach.score) && self.may_enter(competitor, support) {
                scores.push((node, competitor, reach.score));
            }
            work.visited += u64::from(is_own);
            if search.options.prune && self.is_hopeless(reach.bound) {
                work.pruned += 1;
                work.looked_at.push((node, reach.bound));
            } else {
                work.looked_at.push((node, if is_own { reach.score } else { f64::NEG_INFINITY }));
                open.push((Number(reach.bound), node));
            }
        }
        if scores.is_empty() {
            return;
        }
        let shared = &mut *self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        for (node, competitor, score) in scores {
            self.count(shared, competitor, score);
            if self.is_candidate(score) {
                let best = &mut shared.pool.entry(competitor).or_insert((node, score)).0;
                if node != *best && self.search.compare(node, *best).is_lt() {
                    *best = node;
                }
            }
        }
    }

    /// One worker: takes nodes until there is none left.
    fn work(&self) -> Work {
        let mut work = Work::default();
        let mut open = Vec::new();
        while let Some((bound, node)) = self.queue.take() {
            if self.search.stop.load(Ordering::Relaxed) {
                // What waits is taken out and left: the pass has no answer any more.
            } else if self.search.options.prune && self.is_hopeless(bound.0) {
                // `zeta` has risen since this node was put there.
                work.pruned += 1;
                work.looked_at.push((node, bound.0));
            } else {
                self.look_at(self.search.tree.expand(node), &mut work, &mut open);
            }
            self.queue.give_back(open.drain(..));
        }
        work
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
        let largest = |node| self.values.column(self.tree.support(node)).largest();
        // Counts never grow with the pattern, so no value is larger than the largest of a single edge.
        let largest = self.tree.roots().map(largest).fold(0.0, f64::max);
        if self.drift.advance(query.delta, query.values, largest) {
            self.known.clear();
        }
        let before = self.tree.stats().mined.expanded;
        let mut sums = Sums::default();
        let active_scores: Vec<ActiveScore> = query.active.iter().map(|a| score_active(a, query, &mut sums)).collect();
        let active = self.active_competitors(query)?;
        let pass = Pass {
            search: self,
            delta: query.delta,
            rule: query.rule,
            unit: query.unit,
            active,
            banned: query.banned.iter().map(|support| support.id()).collect(),
            zeta: AtomicU64::new(f64::NEG_INFINITY.to_bits()),
            floor: query.floor,
            queue: Queue::new(self.options.order),
            shared: Mutex::new(Shared {
                top: match query.rule {
                    Rule::Top(size) => Some(Top::new(size)),
                    Rule::Above(_) => None,
                },
                counted: FxHashSet::default(),
                pool: FxHashMap::default(),
            }),
        };
        pass.warm_up(&active_scores, &mut sums);
        let works = pass.run();
        if self.stop.load(Ordering::Relaxed) {
            self.known.clear(); // some subtrees were not looked at
            return Err(SearchError::Stopped);
        }
        let zeta = match query.rule {
            Rule::Top(_) => pass.zeta(),
            Rule::Above(lambda) => lambda,
        };
        let Pass { shared, .. } = pass;
        let pool = shared.into_inner().unwrap_or_else(PoisonError::into_inner).pool;
        // Of those that reached `zeta` when they were met, some fell behind as it rose.
        let reached = pool.into_values().filter(|&(_, score)| matches!(query.rule, Rule::Above(_)) || score >= zeta);
        let mut pool: Vec<(NodeId, f64)> = reached.collect();
        pool.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| self.compare(a.0, b.0)));
        let candidates: Vec<Candidate> = pool.iter().map(|&(node, _)| self.candidate(node, query, &mut sums)).collect();
        let stats = self.statistics(&works, &candidates, zeta, before);
        self.last = pool.into_iter().map(|(node, _)| node).collect();
        self.remember(works.into_iter().flat_map(|work| work.looked_at).collect());
        Ok(Found { candidates, active: active_scores, zeta, stats })
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let node = self.find(code).ok_or(SearchError::NoSuchPattern { edges: code.num_edges() })?;
        Ok(Arc::clone(self.tree.support(node)))
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        Ok(SupportClass::from_members(self.members(support)))
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
            Unit::SupportClass => Ok(pattern.support.id()),
            Unit::Pattern => {
                let node = self.find(&pattern.code);
                node.map(|node| node.index() as u32)
                    .ok_or(SearchError::NoSuchPattern { edges: pattern.code.num_edges() })
            }
        };
        query.active.iter().map(competitor).collect()
    }

    fn candidate(&self, node: NodeId, query: &Query<'_>, sums: &mut Sums) -> Candidate {
        let support = Arc::clone(self.tree.support(node));
        let score = gradient_and_bound(query.values.column(&support), query.delta, sums).score;
        Candidate { code: self.tree.code(node), support, gradient: sums.gradient().collect(), score }
    }

    fn statistics(&self, works: &[Work], candidates: &[Candidate], zeta: f64, expanded_before: u64) -> SearchStats {
        let tree = self.tree.stats();
        SearchStats {
            visited: works.iter().map(|work| work.visited).sum(),
            pruned: works.iter().map(|work| work.pruned).sum(),
            skipped_by_drift: works.iter().map(|work| work.skipped).sum(),
            expanded: tree.mined.expanded - expanded_before,
            distinct_supports: tree.supports,
            ties: candidates.iter().filter(|candidate| candidate.score == zeta).count() as u64,
            memory: tree.bytes + size_of_val(self.known.as_slice()) as u64,
            visited_by_worker: works.iter().map(|work| work.visited).collect(),
        }
    }
}

impl Pass<'_> {
    /// Lets the active patterns and the last pass's candidates count before the walk begins: an early
    /// `zeta` prunes more, and cannot be too large, since all of these compete.
    fn warm_up(&self, active: &[ActiveScore], sums: &mut Sums) {
        let shared = &mut *self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(top) = &mut shared.top {
            for score in active {
                top.add(score.score);
            }
            self.raise(top);
        }
        for &node in &self.search.last {
            let support = self.search.tree.support(node);
            let competitor = self.competitor(node, support);
            if self.may_enter(competitor, support) {
                let score = self.search.reach(support, self.delta, sums).score;
                self.count(shared, competitor, score);
            }
        }
    }

    fn run(&self) -> Vec<Work> {
        let roots = self.search.tree.roots();
        let (mut first, mut open) = (Work::default(), Vec::new());
        self.look_at(roots, &mut first, &mut open);
        self.queue.put(open.into_iter());
        if self.search.options.threads < 2 {
            first.add(self.work());
            return vec![first];
        }
        let works = Mutex::new(Vec::new());
        rayon::scope(|scope| {
            for _ in 0..self.search.options.threads {
                scope.spawn(|_| {
                    let work = self.work();
                    works.lock().unwrap_or_else(PoisonError::into_inner).push(work);
                });
            }
        });
        let mut works = works.into_inner().unwrap_or_else(PoisonError::into_inner);
        works[0].add(first);
        works
    }
}

impl Work {
    fn add(&mut self, other: Self) {
        self.visited += other.visited;
        self.pruned += other.pruned;
        self.skipped += other.skipped;
        self.looked_at.extend(other.looked_at);
    }
}
