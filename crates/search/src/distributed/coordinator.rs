//! [`DistributedSearch`]: sends every query to all workers and merges their candidates.

use super::messages::{MembersReply, PatternMessage, Request, SearchReply, SearchRequest, pack, read};
use crate::bound::{Sums, gradient_and_bound};
use crate::pool::{CandidatePool, Excluded};
use crate::query::{Query, SearchResult, SearchStats, Unit};
use crate::{Search, SearchError, SupportClass};
use einsicht_graph::SupportTable;
use einsicht_graph::{DfsCode, Support};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// How requests reach the workers.
pub trait Workers {
    /// Sends one request to every worker; gives their replies in the order of the workers.
    fn ask(&mut self, request: &[u8]) -> Result<Vec<Vec<u8>>, SearchError>;
}

/// A search whose tree is partitioned over workers.
pub struct DistributedSearch<W> {
    workers: W,
    supports: SupportTable,
    /// A pattern for each support that was handed out, by its id.
    codes: FxHashMap<u32, DfsCode>,
    /// The candidates of the last pass: their scores now are a first `zeta`.
    last: Vec<Pattern>,
}

/// A pattern with its interned support.
type Pattern = (DfsCode, Arc<Support>);

/// What competes in a pass: see [`Unit`].
#[derive(PartialEq, Eq, Hash)]
enum Competitor {
    /// The id of a support of the coordinator.
    Class(u32),
    Pattern(DfsCode),
}

impl Competitor {
    fn of(unit: Unit, code: &DfsCode, support: &Support) -> Self {
        match unit {
            Unit::SupportClass => Self::Class(support.class_id()),
            Unit::Pattern => Self::Pattern(code.clone()),
        }
    }
}

/// Offers patterns to the pool with the scores that they have now.
fn offer(pool: &CandidatePool<Competitor, Pattern>, patterns: Vec<Pattern>, query: &Query<'_>, sums: &mut Sums) {
    let mut pool = pool.lock();
    for (code, support) in patterns {
        let score = gradient_and_bound(query.values.column(&support), query.delta, sums).score;
        let competitor = Competitor::of(query.unit, &code, &support);
        let is_simpler = |simplest: &Pattern| code.cmp_by_size(&simplest.0).is_lt();
        let (code, support) = (&code, &support);
        pool.offer(competitor, score, is_simpler, || (code.clone(), Arc::clone(support)));
    }
}

impl<W: Workers> DistributedSearch<W> {
    /// A search over all of these workers; together they must have all partitions of the tree.
    pub fn new(workers: W) -> Self {
        Self { workers, supports: SupportTable::default(), codes: FxHashMap::default(), last: Vec::new() }
    }

    /// The workers.
    pub fn workers(&self) -> &W {
        &self.workers
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &Request, delta: &[f64]) -> Result<Vec<T>, SearchError> {
        let replies = self.workers.ask(&pack(request, delta)?)?;
        replies.iter().enumerate().map(|(worker, reply)| read(reply, worker)).collect()
    }

    fn intern(&mut self, pattern: PatternMessage) -> Pattern {
        let support = self.supports.intern(&pattern.graphs, &pattern.counts);
        self.codes.entry(support.class_id()).or_insert_with(|| pattern.code.clone());
        (pattern.code, support)
    }

    /// The candidates of the last pass that compete in this one.
    fn earlier_candidates(&self, query: &Query<'_>) -> Vec<Pattern> {
        let excluded = Excluded {
            active: query.active.iter().map(|a| Competitor::of(query.unit, &a.code, &a.support)).collect(),
            banned: query.banned.iter().map(|support| support.class_id()).collect(),
        };
        let competes = |(code, support): &&Pattern| {
            !excluded.contains(&Competitor::of(query.unit, code, support), &support.class_id())
        };
        self.last.iter().filter(competes).cloned().collect()
    }
}

impl<W: Workers> Search for DistributedSearch<W> {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        let mut sums = Sums::default();
        let active = query.score_active(&mut sums);
        let pool = CandidatePool::new(query.rule, query.floor, &active);
        offer(&pool, self.earlier_candidates(query), query, &mut sums);
        let banned = query.banned.iter().filter_map(|support| self.codes.get(&support.class_id()).cloned()).collect();
        let request = Request::Search(SearchRequest::new(query, banned, pool.zeta()));
        let replies: Vec<SearchReply> = self.ask(&request, query.delta.values())?;
        let mut stats = SearchStats::default();
        for reply in replies {
            let found = reply.candidates.into_iter().map(|pattern| self.intern(pattern)).collect();
            offer(&pool, found, query, &mut sums);
            stats.add_worker(&reply.stats);
        }
        let (zeta, found) = pool.finish();
        let candidates = found.into_iter().map(|(code, support)| query.candidate(code, support, &mut sums)).collect();
        let result = SearchResult::new(candidates, active, zeta, stats);
        self.last = result.patterns();
        Ok(result)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let replies: Vec<PatternMessage> = self.ask(&Request::Lookup(code.clone()), &[])?;
        let first = replies.into_iter().next();
        let first = first.ok_or(SearchError::NoSuchPattern { edges: code.num_edges() })?;
        Ok(self.intern(first).1)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        let request = Request::Members { graphs: support.graphs().to_vec(), counts: support.counts().to_vec() };
        let replies: Vec<MembersReply> = self.ask(&request, &[])?;
        Ok(SupportClass::from_members(replies.into_iter().flat_map(|members| members.0).collect()))
    }
}

impl SearchStats {
    /// Adds what a worker did.
    fn add_worker(&mut self, worker: &Self) {
        self.visited += worker.visited;
        self.pruned += worker.pruned;
        self.skipped_by_drift += worker.skipped_by_drift;
        self.summed += worker.summed;
        self.drifts += worker.drifts;
        self.expanded += worker.expanded;
        self.recomputed += worker.recomputed;
        self.distinct_supports = self.distinct_supports.max(worker.distinct_supports);
        self.memory += worker.memory;
        self.visited_by_worker.push(worker.visited);
    }
}
