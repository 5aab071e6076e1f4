//! One pass over all shards: what is asked, in which order, and what is pruned.
//!
//! Patterns wait in a queue by their upper bounds. The best of them, up to [`BATCH`], are expanded in one round; of
//! their children those whose score may reach `zeta` are scored exactly in a second round, and offered. A pattern whose
//! bound is below `zeta` is never asked about again. The size of a batch decides what is visited, not what is found.

use super::coordinator::{ShardedSearch, Shards};
use super::merge::{Merged, Rounding, merge};
use super::messages::{Begin, ExactSums, Expansion, Request, read_expansion};
use super::wire::{Broken, Reader};
use crate::SearchError;
use crate::bound::{BLOCK_ROWS, Sums, gradient_and_bound, score_and_bound};
use crate::code_tuples::from_steps;
use crate::pool::{CandidatePool, Excluded};
use crate::query::{ActiveScore, Competes, Query, SearchResult, SearchStats};
use crate::skips::SkipReason;
use crate::top_k::OrderedScore;
use einsicht_graph::{DfsCode, Step, Support};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Patterns that are expanded in one round.
const BATCH: usize = 256;

/// A worker was lost, when `zeta` had reached this number.
pub(super) struct Lost {
    pub(super) zeta: f64,
}

/// The support of a pattern: its number in each shard from 1, 0 where it is not.
type Class = Box<[u32]>;

/// What competes in a pass: see [`Competes`].
#[derive(Clone, PartialEq, Eq, Hash)]
enum Competitor {
    Class(Class),
    Pattern(DfsCode),
}

impl Competitor {
    fn of(unit: Competes, code: &DfsCode, class: &Class) -> Self {
        match unit {
            Competes::SupportClass => Self::Class(class.clone()),
            Competes::Pattern => Self::Pattern(code.clone()),
        }
    }
}

/// The pattern that a step leads to from another one, or from nothing.
pub(super) fn grown(parent: Option<&DfsCode>, step: Step) -> Result<DfsCode, SearchError> {
    let no_pattern = |_| SearchError::NoAnswer { worker: 0, reason: "what it grows is no pattern".to_owned() };
    from_steps(parent.into_iter().flat_map(DfsCode::steps).chain([step])).map_err(no_pattern)
}

/// What may not be a candidate, and the classes of the last candidates.
type Begun = (Excluded<Competitor, Class>, Vec<Class>);

struct Pass<'a> {
    query: &'a Query<'a>,
    pool: CandidatePool<Competitor, DfsCode>,
    excluded: Excluded<Competitor, Class>,
    /// Patterns to expand, by their upper bounds.
    to_expand: BinaryHeap<(OrderedScore, DfsCode)>,
    rounding: Rounding,
    stats: SearchStats,
}

impl Pass<'_> {
    /// Offers a pattern with its exact score.
    fn offer(&self, code: &DfsCode, class: &Class, score: f64) {
        let competitor = Competitor::of(self.query.unit, code, class);
        if self.pool.excludes(score) || self.excluded.contains(&competitor, class) {
            return;
        }
        let is_simpler = |simplest: &DfsCode| code.cmp_by_size(simplest).is_lt();
        self.pool.lock().offer(competitor, score, is_simpler, || code.clone());
    }

    /// Takes the children of a pattern. Gives those whose scores may reach `zeta`.
    fn visit(
        &mut self,
        parent: Option<&DfsCode>,
        children: &[Merged],
        min_support: usize,
    ) -> Result<Vec<DfsCode>, SearchError> {
        let mut contenders = Vec::new();
        for child in children {
            if child.size < min_support.max(1) as u64 {
                self.stats.skips[SkipReason::TooFewGraphs] += 1;
                continue;
            }
            self.stats.visited += 1;
            let competes = !self.pool.excludes(child.score_limit(self.rounding));
            let limit = child.bound_limit(self.rounding);
            let is_pruned = self.pool.excludes(limit);
            self.stats.skips[SkipReason::UpperBound] += u64::from(is_pruned && !child.is_leaf);
            let grows = !is_pruned && !child.is_leaf;
            if !competes && !grows {
                continue;
            }
            let code = grown(parent, child.step)?;
            if competes {
                contenders.push(code.clone());
            }
            if grows {
                self.to_expand.push((OrderedScore(limit), code));
            }
        }
        Ok(contenders)
    }

    /// The best of the patterns that wait, without those that `zeta` has overtaken.
    fn next_batch(&mut self) -> Vec<DfsCode> {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some((bound, code)) = self.to_expand.pop()
        {
            if self.pool.excludes(bound.0) {
                // So are all that wait behind it.
                self.stats.skips[SkipReason::Overtaken] += 1 + self.to_expand.len() as u64;
                self.to_expand.clear();
            } else {
                batch.push(code);
            }
        }
        batch
    }
}

impl<T: Shards> ShardedSearch<T> {
    /// One pass, unless a worker is lost.
    pub(super) fn try_pass(
        &mut self,
        query: &Query<'_>,
        active: &[ActiveScore],
    ) -> Result<Result<SearchResult, Lost>, SearchError> {
        self.pass += 1;
        let pool = CandidatePool::new(query.rule, query.floor, active);
        let Some((excluded, last)) = self.begin(query)? else { return Ok(Err(Lost { zeta: query.floor })) };
        let rounding = Rounding::new(self.num_rows().div_ceil(BLOCK_ROWS), query.delta.hidden_units());
        let stats = SearchStats { visited_by_worker: vec![0; self.ranges.len()], ..SearchStats::default() };
        let mut pass = Pass { query, pool, excluded, to_expand: BinaryHeap::new(), rounding, stats };
        let mut sums = Sums::default();
        for ((code, support), class) in self.last.iter().zip(&last) {
            let score = gradient_and_bound(query.values.column(support), query.delta, &mut sums).score;
            pass.offer(code, class, score);
        }
        let mut batch = Vec::new();
        loop {
            let Some(contenders) = self.expand(&mut pass, &batch)? else {
                return Ok(Err(Lost { zeta: pass.pool.zeta() }));
            };
            if self.score(&mut pass, contenders)?.is_none() {
                return Ok(Err(Lost { zeta: pass.pool.zeta() }));
            }
            batch = pass.next_batch();
            if batch.is_empty() {
                break;
            }
        }
        self.finish(pass, active.to_vec()).map(Ok)
    }

    /// Tells all shards of the pass. Gives what may not be a candidate, and the classes of the last candidates.
    fn begin(&mut self, query: &Query<'_>) -> Result<Option<Begun>, SearchError> {
        let hidden = query.delta.hidden_units();
        let active = query.active.iter().map(|active| &active.code);
        let known: Vec<DfsCode> = active.chain(self.last.iter().map(|(code, _)| code)).cloned().collect();
        let of_shard = |range: &std::ops::Range<usize>| {
            let delta = query.delta.values()[range.start * hidden..range.end * hidden].to_vec();
            let banned = query.banned.iter().map(|support| Self::part(support, range)).collect();
            let (pass, values, known) = (self.pass, query.values, known.clone());
            Request::Begin(Begin { pass, values, hidden, delta, known, banned }).to_bytes()
        };
        let requests = self.ranges.iter().map(of_shard).collect();
        let count = known.len() + query.banned.len();
        let read = |reader: &mut Reader<'_>| (0..count).map(|_| reader.small()).collect::<Result<Vec<u32>, Broken>>();
        let Some(answers) = self.ask(requests, read)? else { return Ok(None) };
        let class = |at: usize| -> Class { answers.iter().map(|shard| shard[at]).collect() };
        let of_active = query.active.iter().enumerate();
        let active = of_active.map(|(at, pattern)| Competitor::of(query.unit, &pattern.code, &class(at))).collect();
        let banned = (known.len()..count).map(class).collect();
        let last = (query.active.len()..known.len()).map(class).collect();
        Ok(Some((Excluded { active, banned }, last)))
    }

    /// Expands these patterns, or the smallest ones if there are none. Gives the children whose scores may reach
    /// `zeta`.
    fn expand(&mut self, pass: &mut Pass<'_>, batch: &[DfsCode]) -> Result<Option<Vec<DfsCode>>, SearchError> {
        let hidden = pass.query.delta.hidden_units();
        let count = batch.len().max(1);
        let read = |reader: &mut Reader<'_>| {
            (0..count).map(|_| read_expansion(reader, hidden)).collect::<Result<Vec<Expansion>, Broken>>()
        };
        let request = Request::Expand { pass: self.pass, patterns: batch.to_vec() };
        pass.stats.expanded += batch.len() as u64;
        let Some(answers) = self.ask_all(&request, read)? else { return Ok(None) };
        for (visited, shard) in pass.stats.visited_by_worker.iter_mut().zip(&answers) {
            *visited += shard.iter().flatten().map(|children| children.len() as u64).sum::<u64>();
        }
        let mut contenders = Vec::new();
        for at in 0..count {
            let children = merge(answers.iter().map(|shard| &shard[at]));
            contenders.extend(pass.visit(batch.get(at), &children, self.min_support)?);
        }
        Ok(Some(contenders))
    }

    /// Scores these patterns exactly and offers them.
    fn score(&mut self, pass: &mut Pass<'_>, patterns: Vec<DfsCode>) -> Result<Option<()>, SearchError> {
        if patterns.is_empty() {
            return Ok(Some(()));
        }
        let hidden = pass.query.delta.hidden_units();
        let request = Request::Sums { pass: self.pass, patterns };
        let Request::Sums { patterns, .. } = &request else { return Ok(None) };
        pass.stats.summed += patterns.len() as u64;
        let read = |reader: &mut Reader<'_>| {
            (0..patterns.len()).map(|_| ExactSums::read(reader, hidden)).collect::<Result<Vec<_>, Broken>>()
        };
        let Some(answers) = self.ask_all(&request, read)? else { return Ok(None) };
        for (at, code) in patterns.iter().enumerate() {
            let class: Class = answers.iter().map(|shard| shard[at].class).collect();
            // Block after block, in row order: the sums of one machine.
            let mut sums = vec![0.0; 2 * hidden];
            for block in answers.iter().flat_map(|shard| shard[at].blocks.chunks_exact(2 * hidden)) {
                sums.iter_mut().zip(block).for_each(|(sum, of_block)| *sum += of_block);
            }
            let (positive, negative) = sums.split_at(hidden);
            pass.offer(code, &class, score_and_bound(positive, negative).score);
        }
        Ok(Some(()))
    }

    /// The answer of a pass, with the supports of its candidates.
    fn finish(&mut self, pass: Pass<'_>, active: Vec<ActiveScore>) -> Result<SearchResult, SearchError> {
        let Pass { query, pool, stats, .. } = pass;
        let (zeta, mut found) = pool.finish();
        found.sort_by(DfsCode::cmp_by_size);
        let missing = found.iter().filter(|code| self.last.iter().all(|(known, _)| known != *code)).cloned();
        let missing: Vec<DfsCode> = missing.collect();
        let new = self.supports(missing.clone())?;
        let mut known: Vec<(DfsCode, Arc<Support>)> = std::mem::take(&mut self.last);
        known.extend(missing.into_iter().zip(new));
        known.sort_by(|a, b| a.0.cmp_by_size(&b.0));
        let mut sums = Sums::default();
        let mut candidates = Vec::with_capacity(found.len());
        for code in found {
            let at = known.binary_search_by(|pattern| pattern.0.cmp_by_size(&code)).expect("it was just asked for");
            candidates.push(query.candidate(code, Arc::clone(&known[at].1), &mut sums));
        }
        let result = SearchResult::new(candidates, active, zeta, stats);
        self.last = result.patterns();
        Ok(result)
    }
}
