//! A search without a tree: every pass mines the graphs anew, visits the patterns as a stream and keeps nothing but
//! the answer.
//!
//! Promise: the answers of [`crate::TreeSearch`], bit for bit, in the memory of the miner: the embeddings along one
//! branch, which the miner recomputes where its own limit does not hold them, and the competitors that may still
//! win. Subtrees are pruned by the same bound. Slower, because nothing is kept but the last candidates, whose scores
//! are the first `zeta` of the next pass.
//!
//! Supports are compared by content: there is no table of them. Tested over whole trainings in
//! `crates/train/tests/budgets.rs`.

use crate::bound::{BoundedColumn, Sums, gradient_and_bound, gradient_and_larger_bound};
use crate::pool::{CandidatePool, Excluded};
use crate::query::{Competes, Query, SearchResult, SearchStats};
use crate::skips::{SkipReason, Skips};
use crate::support_class::{Occurrences, contains};
use crate::{Search, SearchError, SupportClass};
use einsicht_graph::mine::{MineControl, MineError, MineParams, MineStats, VisitedPattern, Visitor, mine};
use einsicht_graph::{Counted, DfsCode, Graph, Support, stop};
use std::sync::Arc;

/// Exact search that keeps no tree.
pub struct StreamingSearch {
    graphs: Arc<[Graph]>,
    params: MineParams,
    /// The candidates of the last pass.
    last: Vec<(DfsCode, Arc<Support>)>,
    mined: MineStats,
}

impl StreamingSearch {
    /// A search over these graphs, as mined with these parameters.
    pub fn new(graphs: Arc<[Graph]>, params: MineParams) -> Result<Self, MineError> {
        // Errors in the parameters are found before any pass; a visitor that stops at once costs little.
        mine(&graphs, &params, &mut FindCode { wanted: None, found: None })?;
        Ok(Self { graphs, params, last: Vec::new(), mined: MineStats::default() })
    }

    /// What all passes together did.
    pub fn mined(&self) -> MineStats {
        self.mined
    }

    fn stream<V: Visitor>(&mut self, visitor: &mut V) -> MineStats {
        let mined = mine(&self.graphs, &self.params, visitor).expect("the parameters were good before");
        self.mined += mined.stats;
        mined.stats
    }
}

/// What competes in a pass, by content: see [`Competes`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Competitor {
    /// Graphs and counts of a support.
    Class(Box<[u32]>, Box<[u32]>),
    Pattern(DfsCode),
}

impl Competitor {
    fn class(graphs: &[u32], counts: &[u32]) -> Self {
        Self::Class(graphs.into(), counts.into())
    }

    fn of(unit: Competes, found: &VisitedPattern<'_>) -> Self {
        match unit {
            Competes::SupportClass => Self::class(found.graphs, found.counts),
            Competes::Pattern => Self::Pattern(found.to_code()),
        }
    }
}

/// A pattern with its support, as the stream has it.
struct Member {
    code: DfsCode,
    support: Arc<Support>,
}

/// Shows a pattern as the stream would hand it out.
fn as_visited<T>(code: &DfsCode, support: &Support, show: impl FnOnce(&VisitedPattern<'_>) -> T) -> T {
    show(&VisitedPattern {
        start: code.start(),
        code: code.edges(),
        qualifiers: code.qualifiers(),
        graphs: support.graphs(),
        counts: &support.counts().to_vec(),
        images: &support.images().to_vec(),
    })
}

/// What the threads of a pass share.
struct Pass<'a> {
    query: &'a Query<'a>,
    excluded: Excluded<Competitor, Competitor>,
    pool: CandidatePool<Competitor, Member>,
}

impl<'a> Pass<'a> {
    fn new(query: &'a Query<'a>, pool: CandidatePool<Competitor, Member>) -> Self {
        let competitor = |found: &VisitedPattern<'_>| Competitor::of(query.unit, found);
        let active = query.active.iter().map(|a| as_visited(&a.code, &a.support, competitor));
        let banned = query.banned.iter().map(|s| Competitor::class(s.graphs(), &s.counts().to_vec()));
        Self { query, excluded: Excluded { active: active.collect(), banned: banned.collect() }, pool }
    }

    /// Offers a pattern whose score reaches `zeta`.
    fn offer(&self, found: &VisitedPattern<'_>, score: f64) {
        let competitor = Competitor::of(self.query.unit, found);
        if self.excluded.contains(&competitor, &Competitor::class(found.graphs, found.counts)) {
            return;
        }
        // `DfsCode::cmp_by_size`, without the code where the sizes differ.
        let is_simpler = |simplest: &Member| {
            found.size().cmp(&simplest.code.size()).then_with(|| found.to_code().cmp(&simplest.code)).is_lt()
        };
        self.pool.lock().offer(competitor, score, is_simpler, || Member {
            code: found.to_code(),
            support: Support::detached(found.graphs.to_vec(), found.counts.to_vec()),
        });
    }
}

/// The visitor of one thread.
struct Scorer<'a> {
    pass: &'a Pass<'a>,
    sums: Sums,
    visited: u64,
    skips: Skips,
}

impl<'a> Scorer<'a> {
    fn new(pass: &'a Pass<'a>) -> Self {
        Self { pass, sums: Sums::default(), visited: 0, skips: Skips::default() }
    }
}

impl Visitor for Scorer<'_> {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        let Pass { query, pool, .. } = self.pass;
        let column = query.values.column_of(found.graphs, Counted::Words(found.counts));
        let computed = if found.counts == found.images {
            gradient_and_bound(column, query.delta, &mut self.sums)
        } else {
            let larger = query.values.column_of(found.graphs, Counted::Words(found.images));
            gradient_and_larger_bound(BoundedColumn { values: column, larger }, query.delta, &mut self.sums)
        };
        self.visited += 1;
        if !pool.excludes(computed.score) {
            self.pass.offer(found, computed.score);
        }
        if pool.excludes(computed.bound) {
            self.skips[SkipReason::UpperBound] += 1;
            MineControl::Prune
        } else {
            MineControl::Grow
        }
    }

    fn fork(&self) -> Self {
        Self::new(self.pass)
    }

    fn join(&mut self, later: Self) {
        self.visited += later.visited;
        self.skips += later.skips;
    }
}

impl Search for StreamingSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        let (graphs, rows) = (self.graphs.len(), query.delta.num_graphs());
        if graphs != rows {
            return Err(SearchError::OtherGraphs { graphs, rows });
        }
        let mut sums = Sums::default();
        let active = query.score_active(&mut sums);
        let pass = Pass::new(query, CandidatePool::new(query.rule, query.floor, &active));
        let mut earlier = Scorer::new(&pass);
        for (code, support) in &self.last {
            as_visited(code, support, |found| earlier.visit(found));
        }
        let mut scorer = Scorer::new(&pass);
        let mined = self.stream(&mut scorer);
        stop::check();
        let stats = SearchStats {
            visited: scorer.visited,
            skips: scorer.skips,
            expanded: mined.expanded,
            recomputed: mined.expanded,
            visited_by_worker: vec![scorer.visited],
            ..SearchStats::default()
        };
        let (zeta, members) = pass.pool.finish();
        let candidate = |Member { code, support }| query.candidate(code, support, &mut sums);
        let result = SearchResult::new(members.into_iter().map(candidate).collect(), active, zeta, stats);
        self.last = result.patterns();
        Ok(result)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let mut visitor = FindCode { wanted: Some(code), found: None };
        self.stream(&mut visitor);
        stop::check();
        visitor.found.ok_or(SearchError::NoSuchPattern { edges: code.num_edges() })
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        let mut visitor = FindMembers { support, codes: Vec::new() };
        self.stream(&mut visitor);
        stop::check();
        Ok(SupportClass::from_members(visitor.codes))
    }
}

/// Finds the support of one pattern: visits its ancestors only.
struct FindCode<'a> {
    wanted: Option<&'a DfsCode>,
    found: Option<Arc<Support>>,
}

impl Visitor for FindCode<'_> {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        let Some(wanted) = self.wanted else { return MineControl::Stop };
        let mut steps = wanted.steps();
        if !found.steps().all(|step| steps.next() == Some(step)) {
            return MineControl::Prune;
        }
        if steps.next().is_some() {
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
struct FindMembers<'a> {
    support: &'a Support,
    codes: Vec<DfsCode>,
}

impl Visitor for FindMembers<'_> {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        if found.graphs == self.support.graphs() && Counted::Words(found.counts) == self.support.counts() {
            self.codes.push(found.to_code());
        }
        let wanted = Occurrences { graphs: self.support.graphs(), counts: self.support.counts() };
        let here = Occurrences { graphs: found.graphs, counts: Counted::Words(found.images) };
        if contains(here, wanted) { MineControl::Grow } else { MineControl::Prune }
    }

    fn fork(&self) -> Self {
        Self { support: self.support, codes: Vec::new() }
    }

    fn join(&mut self, later: Self) {
        self.codes.extend(later.codes);
    }
}
