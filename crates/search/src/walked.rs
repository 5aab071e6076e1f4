//! A search without a tree: every pass mines the graphs anew and keeps nothing but the answer.
//!
//! Promise: the answers of [`super::PrunedSearch`], bit for bit, in the memory of the miner: the embeddings along one
//! branch, which the miner derives again where its own budget does not hold them, and the competitors that may still
//! win. Subtrees are skipped by the same bound. Slower, since nothing is remembered but the last winners, whose scores
//! are the first `zeta` of the next pass.
//!
//! Supports are compared by what they hold: there is no table of them. Tested against the exhaustive search.

use super::class::holds;
use super::pruned::score_active;
use super::top::Top;
use super::{
    ActiveScore, Candidate, Found, Query, Rule, Search, SearchError, SearchStats, SupportClass, Unit, by_rank,
};
use crate::bound::{Sums, gradient_and_bound};
use einsicht_graph::mine::{MineControl, MineError, MineParams, MineStats, VisitedPattern, Visitor, mine};
use einsicht_graph::{DfsCode, DfsEdge, Graph, Support};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Losers that a pass may remember, besides as many as there are winners, before it looks through them.
pub(super) const SPARE: usize = 64;

/// Exact search that remembers nothing.
pub struct WalkedSearch {
    graphs: Arc<[Graph]>,
    params: MineParams,
    /// The winners of the last pass.
    last: Vec<(DfsCode, Arc<Support>)>,
    mined: MineStats,
    /// Raised from outside to end a walk that is no longer wanted.
    stop: Arc<AtomicBool>,
}

impl WalkedSearch {
    /// A search over these graphs, as mined with these parameters.
    pub fn new(graphs: Arc<[Graph]>, params: MineParams) -> Result<Self, MineError> {
        // What is wrong with the parameters is found before any pass; a visitor that stops at once costs little.
        mine(&graphs, &params, &mut Prefix { wanted: &[], found: None })?;
        Ok(Self { graphs, params, last: Vec::new(), mined: MineStats::default(), stop: Arc::default() })
    }

    /// Ends every pass with [`SearchError::Stopped`] once this flag is up.
    pub fn stop_on(&mut self, flag: &Arc<AtomicBool>) {
        self.stop = Arc::clone(flag);
    }

    /// Walks in so many bytes from now on, which must be enough.
    pub(super) fn limit_memory(&mut self, bytes: usize) {
        self.params.memory = Some(bytes);
    }

    /// What all passes together did.
    pub fn mined(&self) -> MineStats {
        self.mined
    }

    fn walk<V: Visitor>(&mut self, visitor: &mut V) -> MineStats {
        let mined = mine(&self.graphs, &self.params, visitor).expect("the parameters were good before");
        self.mined += mined.stats;
        mined.stats
    }
}

/// What competes: a support or a code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Class(Box<[u32]>, Box<[u32]>),
    Pattern(Box<[DfsEdge]>),
}

impl Key {
    fn class(graphs: &[u32], counts: &[u32]) -> Self {
        Self::Class(graphs.into(), counts.into())
    }

    fn of(unit: Unit, code: &[DfsEdge], graphs: &[u32], counts: &[u32]) -> Self {
        match unit {
            Unit::SupportClass => Self::class(graphs, counts),
            Unit::Pattern => Self::Pattern(code.into()),
        }
    }
}

/// The best member of a competitor so far.
struct Best {
    score: f64,
    code: Vec<DfsEdge>,
    support: Arc<Support>,
}

struct Shared {
    top: Option<Top>,
    /// Competitors whose score reached `zeta` when they were met, each counted once in `top`.
    pool: FxHashMap<Key, Best>,
    /// When there are so many, those that fell behind go.
    tidy_at: usize,
}

/// One pass; all threads share it.
struct Pass<'a> {
    query: &'a Query<'a>,
    stop: &'a AtomicBool,
    active: FxHashSet<Key>,
    banned: FxHashSet<Key>,
    /// Bits of `zeta`; only ever raised.
    zeta: AtomicU64,
    shared: Mutex<Shared>,
}

impl Pass<'_> {
    fn zeta(&self) -> f64 {
        f64::from_bits(self.zeta.load(Ordering::Relaxed))
    }

    fn is_hopeless(&self, bound: f64) -> bool {
        match self.query.rule {
            Rule::Top(_) => bound < self.zeta(),
            Rule::Above(lambda) => bound <= lambda,
        }
    }

    fn is_candidate(&self, score: f64) -> bool {
        match self.query.rule {
            Rule::Top(_) => score >= self.zeta(),
            Rule::Above(lambda) => score > lambda,
        }
    }

    fn raise(&self, top: &Top) {
        self.zeta.store(top.threshold().max(self.query.floor).to_bits(), Ordering::Relaxed);
    }

    /// A pattern whose score reaches `zeta`.
    fn enter(&self, found: &VisitedPattern<'_>, score: f64) {
        let key = Key::of(self.query.unit, found.code, found.graphs, found.counts);
        if self.active.contains(&key) || self.banned.contains(&Key::class(found.graphs, found.counts)) {
            return;
        }
        let shared = &mut *self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(best) = shared.pool.get_mut(&key) {
            if (found.code.len(), found.code) < (best.code.len(), &best.code[..]) {
                best.code = found.code.to_vec();
            }
            return;
        }
        if let Some(top) = &mut shared.top {
            top.add(score);
            self.raise(top);
        }
        // It may have fallen behind by now: then no member of it will be looked at again.
        if self.is_candidate(score) {
            let support = Support::detached(found.graphs.to_vec(), found.counts.to_vec());
            shared.pool.insert(key, Best { score, code: found.code.to_vec(), support });
        }
        if shared.pool.len() >= shared.tidy_at {
            shared.pool.retain(|_, best| self.is_candidate(best.score));
            shared.tidy_at = shared.tidy_at.max(2 * shared.pool.len());
        }
    }
}

/// The visitor of one thread.
struct Looker<'a> {
    pass: &'a Pass<'a>,
    sums: Sums,
    visited: u64,
    pruned: u64,
}

impl Visitor for Looker<'_> {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        let query = self.pass.query;
        if self.pass.stop.load(Ordering::Relaxed) {
            return MineControl::Stop;
        }
        let reach = gradient_and_bound(query.values.column_of(found.graphs, found.counts), query.delta, &mut self.sums);
        self.visited += 1;
        if self.pass.is_candidate(reach.score) {
            self.pass.enter(found, reach.score);
        }
        if self.pass.is_hopeless(reach.bound) {
            self.pruned += 1;
            MineControl::Prune
        } else {
            MineControl::Grow
        }
    }

    fn fork(&self) -> Self {
        Self { pass: self.pass, sums: Sums::default(), visited: 0, pruned: 0 }
    }

    fn join(&mut self, later: Self) {
        self.visited += later.visited;
        self.pruned += later.pruned;
    }
}

impl Search for WalkedSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<Found, SearchError> {
        let (graphs, rows) = (self.graphs.len(), query.delta.num_graphs());
        if graphs != rows {
            return Err(SearchError::OtherGraphs { graphs, rows });
        }
        let mut sums = Sums::default();
        let active: Vec<ActiveScore> = query.active.iter().map(|a| score_active(a, query, &mut sums)).collect();
        let (top, size) = match query.rule {
            Rule::Top(size) => (Some(Top::new(size)), size),
            Rule::Above(_) => (None, 0),
        };
        let pass = Pass {
            query,
            stop: &Arc::clone(&self.stop),
            active: query
                .active
                .iter()
                .map(|a| Key::of(query.unit, a.code.edges(), a.support.graphs(), a.support.counts()))
                .collect(),
            banned: query.banned.iter().map(|support| Key::class(support.graphs(), support.counts())).collect(),
            zeta: AtomicU64::new(query.floor.to_bits()),
            shared: Mutex::new(Shared { top, pool: FxHashMap::default(), tidy_at: 2 * size + SPARE }),
        };
        if let Some(top) = &mut pass.shared.lock().unwrap_or_else(PoisonError::into_inner).top {
            for score in &active {
                top.add(score.score);
            }
            pass.raise(top);
        }
        let mut looker = Looker { pass: &pass, sums, visited: 0, pruned: 0 };
        for (code, support) in &self.last {
            looker.visit(&VisitedPattern { code: code.edges(), graphs: support.graphs(), counts: support.counts() });
        }
        (looker.visited, looker.pruned) = (0, 0);
        let stop = Arc::clone(&self.stop);
        let mined = self.walk(&mut looker);
        if stop.load(Ordering::Relaxed) {
            return Err(SearchError::Stopped);
        }
        let Looker { mut sums, visited, pruned, .. } = looker;
        let zeta = match query.rule {
            Rule::Top(_) => pass.zeta(),
            Rule::Above(lambda) => lambda,
        };
        let pool = pass.shared.into_inner().unwrap_or_else(PoisonError::into_inner).pool;
        let reached = |best: &Best| matches!(query.rule, Rule::Above(_)) || best.score >= zeta;
        let mut candidates: Vec<Candidate> = Vec::new();
        for Best { code, support, .. } in pool.into_values().filter(reached) {
            let score = gradient_and_bound(query.values.column(&support), query.delta, &mut sums).score;
            let code = DfsCode::new(code).expect("the miner hands out codes");
            candidates.push(Candidate { code, support, gradient: sums.gradient().collect(), score });
        }
        candidates.sort_unstable_by(|a, b| by_rank((a.score, &a.code), (b.score, &b.code)));
        self.last = candidates.iter().map(|c| (c.code.clone(), Arc::clone(&c.support))).collect();
        let stats = SearchStats {
            visited,
            pruned,
            expanded: mined.expanded,
            rederived: mined.expanded,
            ties: candidates.iter().filter(|candidate| candidate.score == zeta).count() as u64,
            visited_by_worker: vec![visited],
            ..SearchStats::default()
        };
        Ok(Found { candidates, active, zeta, stats })
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let mut prefix = Prefix { wanted: code.edges(), found: None };
        self.walk(&mut prefix);
        prefix.found.ok_or(SearchError::NoSuchPattern { edges: code.num_edges() })
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        let mut members = Members { support, codes: Vec::new() };
        self.walk(&mut members);
        Ok(SupportClass::from_members(members.codes))
    }
}

/// Goes straight to one pattern.
struct Prefix<'a> {
    wanted: &'a [DfsEdge],
    found: Option<Arc<Support>>,
}

impl Visitor for Prefix<'_> {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        if !self.wanted.starts_with(found.code) {
            return if self.wanted.is_empty() { MineControl::Stop } else { MineControl::Prune };
        }
        if found.code.len() < self.wanted.len() {
            return MineControl::Grow;
        }
        self.found = Some(Support::detached(found.graphs.to_vec(), found.counts.to_vec()));
        MineControl::Stop
    }

    fn fork(&self) -> Self {
        Self { wanted: self.wanted, found: None }
    }

    fn join(&mut self, later: Self) {
        self.found = self.found.take().or(later.found);
    }
}

/// Collects the patterns with one support.
struct Members<'a> {
    support: &'a Support,
    codes: Vec<DfsCode>,
}

impl Visitor for Members<'_> {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        if found.graphs == self.support.graphs() && found.counts == self.support.counts() {
            self.codes.push(DfsCode::new(found.code.to_vec()).expect("the miner hands out codes"));
        }
        let wanted = (self.support.graphs(), self.support.counts());
        if holds((found.graphs, found.counts), wanted) { MineControl::Grow } else { MineControl::Prune }
    }

    fn fork(&self) -> Self {
        Self { support: self.support, codes: Vec::new() }
    }

    fn join(&mut self, later: Self) {
        self.codes.extend(later.codes);
    }
}
