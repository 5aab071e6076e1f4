//! [`ShardedSearch`]: asks all shards and joins their answers. Holds no graph.

use super::messages::{KNOWN, LOST, Request, Rows};
use super::wire::{Broken, Reader};
use crate::bound::{BLOCK_ROWS, Sums};
use crate::query::{Query, SearchResult};
use crate::{Search, SearchError, SupportClass};
use einsicht_graph::{DfsCode, Support, stop};
use std::ops::Range;
use std::sync::Arc;

/// Passes that are begun again because workers were lost, before the search gives up.
const MOST_RESTARTS: u32 = 100;

/// How requests reach the workers.
pub trait Shards {
    /// Sends each shard its request; gives the replies in the order of the shards. A worker that is lost is replaced by
    /// one with the same graphs, which answers in its place.
    fn ask(&mut self, requests: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SearchError>;
}

impl<T: Shards + ?Sized> Shards for Box<T> {
    fn ask(&mut self, requests: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SearchError> {
        (**self).ask(requests)
    }
}

/// A search whose graphs are on several workers.
pub struct ShardedSearch<T> {
    shards: T,
    /// The rows of each shard.
    pub(super) ranges: Vec<Range<usize>>,
    pub(super) min_support: usize,
    /// The candidates of the last pass: their scores now are a first `zeta`.
    pub(super) last: Vec<(DfsCode, Arc<Support>)>,
    /// The number of the pass in progress.
    pub(super) pass: u64,
    restarts: u64,
}

impl<T: Shards> ShardedSearch<T> {
    /// A search over shards of these rows, which follow one another and are whole blocks of sums; `min_support` is that
    /// of all graphs.
    pub fn new(shards: T, ranges: Vec<Range<usize>>, min_support: usize) -> Result<Self, SearchError> {
        let mut next = 0;
        for (shard, range) in ranges.iter().enumerate() {
            if range.start != next || range.is_empty() || !range.start.is_multiple_of(BLOCK_ROWS) {
                return Err(SearchError::NotWholeBlocks { shard, start: range.start });
            }
            next = range.end;
        }
        Ok(Self { shards, ranges, min_support, last: Vec::new(), pass: 0, restarts: 0 })
    }

    /// Passes that were begun again because a worker was lost.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// How requests travel.
    pub fn shards(&self) -> &T {
        &self.shards
    }

    pub(super) fn num_rows(&self) -> usize {
        self.ranges.last().map_or(0, |range| range.end)
    }

    /// Sends each shard its request and reads the replies; nothing if a worker does not know the pass.
    pub(super) fn ask<R>(
        &mut self,
        requests: Vec<Vec<u8>>,
        read: impl Fn(&mut Reader<'_>) -> Result<R, Broken>,
    ) -> Result<Option<Vec<R>>, SearchError> {
        stop::check();
        let shards = requests.len();
        let replies = self.shards.ask(requests)?;
        let no_answer = |worker, reason: Broken| SearchError::NoAnswer { worker, reason: reason.to_owned() };
        if replies.len() != shards {
            return Err(no_answer(replies.len().min(shards), "there must be one reply per shard"));
        }
        let mut answers = Vec::with_capacity(shards);
        for (shard, reply) in replies.iter().enumerate() {
            let mut reader = Reader(reply);
            match reader.byte() {
                Ok(KNOWN) => {}
                Ok(LOST) => return Ok(None),
                _ => return Err(no_answer(shard, "the reply is of the wrong kind")),
            }
            let answer = read(&mut reader).and_then(|answer| reader.end().map(|()| answer));
            answers.push(answer.map_err(|reason| no_answer(shard, reason))?);
        }
        Ok(Some(answers))
    }

    /// The same with one request for all shards.
    pub(super) fn ask_all<R>(
        &mut self,
        request: &Request,
        read: impl Fn(&mut Reader<'_>) -> Result<R, Broken>,
    ) -> Result<Option<Vec<R>>, SearchError> {
        let bytes = request.to_bytes();
        self.ask(self.ranges.iter().map(|_| bytes.clone()).collect(), read)
    }

    /// Where each of these patterns is, in each shard.
    pub(super) fn rows(&mut self, patterns: Vec<DfsCode>) -> Result<Vec<Vec<Rows>>, SearchError> {
        let count = patterns.len();
        let read = |reader: &mut Reader<'_>| (0..count).map(|_| Rows::read(reader)).collect::<Result<Vec<_>, _>>();
        let answers = self.ask_all(&Request::Supports { patterns }, read)?;
        // This needs no pass, so every worker can answer.
        answers.ok_or_else(|| SearchError::NoAnswer { worker: 0, reason: "it knows no support".to_owned() })
    }

    /// The supports of these patterns over all shards.
    pub(super) fn supports(&mut self, patterns: Vec<DfsCode>) -> Result<Vec<Arc<Support>>, SearchError> {
        let count = patterns.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let answers = self.rows(patterns)?;
        Ok((0..count).map(|at| self.join(answers.iter().map(|shard| &shard[at]))).collect())
    }

    /// The rows of all shards, in their order.
    fn join<'r>(&self, shards: impl Iterator<Item = &'r Rows>) -> Arc<Support> {
        let (mut graphs, mut counts) = (Vec::new(), Vec::new());
        for (range, rows) in self.ranges.iter().zip(shards) {
            graphs.extend(rows.graphs.iter().map(|row| range.start as u32 + row));
            counts.extend_from_slice(&rows.counts);
        }
        Support::detached(graphs, counts)
    }

    /// The rows of a support in one shard, in its numbers, with the counts there.
    pub(super) fn part(support: &Support, range: &Range<usize>) -> (Vec<u32>, Vec<u32>) {
        let at = |row: usize| support.graphs().partition_point(|graph| (*graph as usize) < row);
        let (start, end) = (at(range.start), at(range.end));
        let graphs = support.graphs()[start..end].iter().map(|graph| graph - range.start as u32).collect();
        let counts = (start..end).filter_map(|at| support.counts().get(at)).collect();
        (graphs, counts)
    }
}

impl<T: Shards> Search for ShardedSearch<T> {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        let (graphs, rows) = (self.num_rows(), query.delta.num_graphs());
        if graphs != rows {
            return Err(SearchError::OtherGraphs { graphs, rows });
        }
        let active = query.score_active(&mut Sums::default());
        let mut floor = query.floor;
        for _ in 0..=MOST_RESTARTS {
            match self.try_pass(&Query { floor, ..*query }, &active)? {
                Ok(result) => return Ok(result),
                Err(lost) => {
                    self.restarts += 1;
                    floor = floor.max(lost.zeta);
                }
            }
        }
        let reason = format!("a worker was lost in each of {MOST_RESTARTS} tries of one pass");
        Err(SearchError::NoAnswer { worker: 0, reason })
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let answers = self.rows(vec![code.clone()])?;
        let support = self.join(answers.iter().map(|shard| &shard[0]));
        let says_nothing = |rows: &Rows| rows.says_nothing || !rows.has_parent;
        let is_qualified = !code.qualifiers().is_empty();
        let is_none = is_qualified && answers.iter().all(|shard| says_nothing(&shard[0]));
        if support.len() < self.min_support.max(1) || is_none {
            return Err(SearchError::NoSuchPattern { edges: code.num_edges() });
        }
        Ok(support)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        Ok(SupportClass::from_members(self.members(support)?))
    }
}
