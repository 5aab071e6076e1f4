//! One search spread over several places, each of which holds the graphs and grows its own share of the tree.
//!
//! Promise: the answer is that of one search over the whole tree, bit for bit, for any number of shards. A shard's own
//! `zeta` is the `s`-th largest score of fewer competitors, so it never exceeds that of all, and each of the `s` best is
//! a candidate of the shard that it belongs to. Patterns of one support class may belong to several shards; merging
//! keeps the simplest. Scores are functions of support and delta alone, so they do not travel.
//!
//! Questions and answers are bytes: how they travel is the business of [`Shards`]. A question is a JSON document (its
//! length first) followed by delta, eight bytes a number, little endian; an answer is a JSON document.
//!
//! Tested against the exhaustive search of the testkit.

use super::pruned::score_active;
use super::top::Top;
use super::{
    ActivePattern, ActiveScore, Candidate, Found, PrunedSearch, Query, Rule, Search, SearchError, SearchStats, Share,
    SupportClass, Unit, by_rank,
};
use crate::bound::{Delta, Sums, gradient_and_bound};
use crate::code;
use crate::feature::Values;
use einsicht_graph::{DfsCode, Support, SupportTable};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// How questions reach the shards.
pub trait Shards {
    /// Puts one question to every shard; gives their answers in the order of the shards.
    fn ask(&mut self, question: &[u8]) -> Result<Vec<Vec<u8>>, SearchError>;
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Question {
    Search(SearchQuestion),
    Lookup(#[serde(with = "code")] DfsCode),
    Members { graphs: Vec<u32>, counts: Vec<u32> },
}

/// A [`Query`] without its supports, which every shard has of its own, and without delta.
#[derive(Serialize, Deserialize)]
struct SearchQuestion {
    hidden: usize,
    active: Vec<ActiveQuestion>,
    step_sizes: Vec<f64>,
    decay: f64,
    rule: Rule,
    unit: Unit,
    #[serde(with = "code::list")]
    banned: Vec<DfsCode>,
    values: Values,
    /// Absent if nothing is known: JSON has no infinity.
    floor: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct ActiveQuestion {
    #[serde(with = "code")]
    code: DfsCode,
    weights: Vec<f64>,
    pinned: bool,
}

#[derive(Serialize, Deserialize)]
struct Placed {
    #[serde(with = "code")]
    code: DfsCode,
    graphs: Vec<u32>,
    counts: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct FoundHere {
    candidates: Vec<Placed>,
    stats: SearchStats,
}

#[derive(Serialize, Deserialize)]
struct Members(#[serde(with = "code::list")] Vec<DfsCode>);

/// One shard: answers questions about its share of the tree, and keeps what it has grown.
pub struct SearchShard {
    search: PrunedSearch,
}

impl SearchShard {
    /// Answers for this share of the tree that the search walks.
    pub fn new(search: PrunedSearch, share: Share) -> Self {
        Self { search: search.within(share) }
    }

    /// Answers a question of a [`ShardedSearch`] over the same graphs.
    pub fn answer(&mut self, question: &[u8]) -> Result<Vec<u8>, SearchError> {
        let (head, delta) = unpack(question)?;
        match read::<Question>(head, 0)? {
            Question::Search(question) => self.search(question, delta),
            Question::Lookup(code) => {
                let support = self.search.lookup(&code)?;
                write(&placed(code, &support))
            }
            Question::Members { graphs, counts } => {
                write(&Members(self.search.members(&Support::detached(graphs, counts))?))
            }
        }
    }

    fn search(&mut self, question: SearchQuestion, delta: &[u8]) -> Result<Vec<u8>, SearchError> {
        let (numbers, _) = delta.as_chunks::<8>();
        let delta: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        if question.hidden == 0 || !delta.len().is_multiple_of(question.hidden) {
            return Err(no_answer(0, &"delta does not have whole rows"));
        }
        let known = |search: &mut PrunedSearch, active: ActiveQuestion| {
            let ActiveQuestion { code, weights, pinned } = active;
            Ok(ActivePattern { support: search.lookup(&code)?, code, weights, pinned })
        };
        let active = question.active.into_iter().map(|active| known(&mut self.search, active));
        let active: Vec<ActivePattern> = active.collect::<Result<_, SearchError>>()?;
        let banned = question.banned.iter().map(|code| self.search.lookup(code));
        let banned: Vec<Arc<Support>> = banned.collect::<Result<_, _>>()?;
        let found = self.search.search(&Query {
            delta: Delta::new(&delta, question.hidden)?,
            active: &active,
            step_sizes: &question.step_sizes,
            decay: question.decay,
            rule: question.rule,
            unit: question.unit,
            banned: &banned,
            values: question.values,
            floor: question.floor.unwrap_or(f64::NEG_INFINITY),
        })?;
        let candidates = found.candidates.into_iter().map(|c| placed(c.code, &c.support)).collect();
        write(&FoundHere { candidates, stats: found.stats })
    }
}

/// A search whose tree is divided among shards.
pub struct ShardedSearch<A> {
    shards: A,
    supports: SupportTable,
    /// A pattern for each support that was handed out, by its id.
    codes: FxHashMap<u32, DfsCode>,
    /// The last pass's candidates: their scores now are a `zeta` to start from.
    last: Vec<(DfsCode, Arc<Support>)>,
}

impl<A: Shards> ShardedSearch<A> {
    /// A search over all of these shards; together they must be the shares of one division.
    pub fn new(shards: A) -> Self {
        Self { shards, supports: SupportTable::default(), codes: FxHashMap::default(), last: Vec::new() }
    }

    /// The shards, to be asked something else.
    pub fn shards(&self) -> &A {
        &self.shards
    }

    fn ask<T: DeserializeOwned>(&mut self, question: &Question, delta: &[f64]) -> Result<Vec<T>, SearchError> {
        let answers = self.shards.ask(&pack(question, delta)?)?;
        answers.iter().enumerate().map(|(shard, answer)| read(answer, shard)).collect()
    }

    fn intern(&mut self, placed: Placed) -> (DfsCode, Arc<Support>) {
        let support = self.supports.intern(&placed.graphs, &placed.counts);
        self.codes.entry(support.id()).or_insert_with(|| placed.code.clone());
        (placed.code, support)
    }

    /// The largest number that is known to be reached by `zeta` before anybody has searched.
    fn floor(&self, query: &Query<'_>, active: &[ActiveScore], sums: &mut Sums) -> Option<f64> {
        let Rule::Top(size) = query.rule else { return None };
        let mut top = Top::new(size);
        for score in active {
            top.add(score.score);
        }
        for (code, support) in &self.last {
            let is_active = query.active.iter().any(|a| match query.unit {
                Unit::SupportClass => a.support.id() == support.id(),
                Unit::Pattern => a.code == *code,
            });
            if !is_active && !query.banned.iter().any(|banned| banned.id() == support.id()) {
                top.add(gradient_and_bound(query.values.column(support), query.delta, sums).score);
            }
        }
        Some(top.threshold()).filter(|floor| floor.is_finite())
    }
}

impl<A: Shards> Search for ShardedSearch<A> {
    fn search(&mut self, query: &Query<'_>) -> Result<Found, SearchError> {
        let mut sums = Sums::default();
        let active: Vec<ActiveScore> = query.active.iter().map(|a| score_active(a, query, &mut sums)).collect();
        let asked =
            |a: &ActivePattern| ActiveQuestion { code: a.code.clone(), weights: a.weights.clone(), pinned: a.pinned };
        let question = Question::Search(SearchQuestion {
            hidden: query.delta.hidden_units(),
            active: query.active.iter().map(asked).collect(),
            step_sizes: query.step_sizes.to_vec(),
            decay: query.decay,
            rule: query.rule,
            unit: query.unit,
            banned: query.banned.iter().filter_map(|support| self.codes.get(&support.id()).cloned()).collect(),
            values: query.values,
            floor: self.floor(query, &active, &mut sums),
        });
        let answers: Vec<FoundHere> = self.ask(&question, query.delta.values())?;
        let mut stats = SearchStats::default();
        let mut found = Vec::new();
        for answer in answers {
            found.extend(answer.candidates.into_iter().map(|placed| self.intern(placed)));
            stats.add_shard(&answer.stats);
        }
        let mut candidates = merge(found, query, &mut sums);
        let zeta = match query.rule {
            Rule::Above(lambda) => lambda,
            Rule::Top(size) => {
                let mut top = Top::new(size);
                active.iter().map(|a| a.score).chain(candidates.iter().map(|c| c.score)).for_each(|s| top.add(s));
                let zeta = top.threshold();
                candidates.retain(|candidate| candidate.score >= zeta);
                zeta
            }
        };
        stats.ties = candidates.iter().filter(|candidate| candidate.score == zeta).count() as u64;
        self.last = candidates.iter().map(|c| (c.code.clone(), Arc::clone(&c.support))).collect();
        Ok(Found { candidates, active, zeta, stats })
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let answers: Vec<Placed> = self.ask(&Question::Lookup(code.clone()), &[])?;
        let first = answers.into_iter().next();
        let first = first.ok_or(SearchError::NoSuchPattern { edges: code.num_edges() })?;
        Ok(self.intern(first).1)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        let question = Question::Members { graphs: support.graphs().to_vec(), counts: support.counts().to_vec() };
        let answers: Vec<Members> = self.ask(&question, &[])?;
        Ok(SupportClass::from_members(answers.into_iter().flat_map(|members| members.0).collect()))
    }
}

/// The candidates of all shards as one list in the total order, each competitor once, with its gradient.
fn merge(found: Vec<(DfsCode, Arc<Support>)>, query: &Query<'_>, sums: &mut Sums) -> Vec<Candidate> {
    let scored = found.into_iter().map(|(code, support)| {
        let score = gradient_and_bound(query.values.column(&support), query.delta, sums).score;
        Candidate { code, gradient: sums.gradient().collect(), score, support }
    });
    let mut all: Vec<Candidate> = scored.collect();
    all.sort_by(|a, b| by_rank((a.score, &a.code), (b.score, &b.code)));
    let mut seen = FxHashSet::default();
    // Equal supports have equal scores, so of a class the simplest comes first.
    all.retain(|candidate| query.unit == Unit::Pattern || seen.insert(candidate.support.id()));
    all
}

impl SearchStats {
    /// Adds what a shard did; it counts as one worker.
    fn add_shard(&mut self, shard: &Self) {
        self.visited += shard.visited;
        self.pruned += shard.pruned;
        self.skipped_by_drift += shard.skipped_by_drift;
        self.summed += shard.summed;
        self.expanded += shard.expanded;
        self.rederived += shard.rederived;
        self.distinct_supports = self.distinct_supports.max(shard.distinct_supports);
        self.memory += shard.memory;
        self.visited_by_worker.push(shard.visited);
    }
}

fn placed(code: DfsCode, support: &Support) -> Placed {
    Placed { code, graphs: support.graphs().to_vec(), counts: support.counts().to_vec() }
}

fn write<T: Serialize>(answer: &T) -> Result<Vec<u8>, SearchError> {
    serde_json::to_vec(answer).map_err(|error| no_answer(0, &error))
}

fn read<T: DeserializeOwned>(bytes: &[u8], shard: usize) -> Result<T, SearchError> {
    serde_json::from_slice(bytes).map_err(|error| no_answer(shard, &error))
}

fn no_answer(shard: usize, reason: &dyn std::fmt::Display) -> SearchError {
    SearchError::NoAnswer { shard, reason: reason.to_string() }
}

fn pack(question: &Question, delta: &[f64]) -> Result<Vec<u8>, SearchError> {
    let head = write(question)?;
    let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(&head);
    bytes.extend(delta.iter().flat_map(|number| number.to_le_bytes()));
    Ok(bytes)
}

/// The document and delta.
fn unpack(question: &[u8]) -> Result<(&[u8], &[u8]), SearchError> {
    let parts = question.split_first_chunk::<8>().and_then(|(len, rest)| {
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        rest.split_at_checked(len)
    });
    parts.ok_or_else(|| no_answer(0, &"the question is shorter than it says"))
}
