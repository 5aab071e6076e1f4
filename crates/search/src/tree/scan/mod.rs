//! A pass without a walk: the score of every class that the tree knows, one after the other as they lie in memory.
//!
//! Where a tree is small, or delta has moved far since the last pass, a walk visits most of it, and what a visit costs
//! is not the sum over the support but the way to it: records, nodes and lists that are scattered over memory. A scan
//! keeps the supports of all classes side by side. A *cell* is a pair of a graph and a count; before a scan the product
//! of delta and value is computed once per cell, split into its positive and its negative part. A class is then the sum
//! of the cells in its column, in the order of the graphs: the additions of [`crate::bound`], so the same bits.
//!
//! Promise: the answer is that of the walk, bit for bit. All known patterns are scored; of the patterns that nobody has
//! grown yet, each has an ancestor on the *frontier* (nodes that are not expanded), and a frontier node is expanded if
//! its bound reaches `zeta`, best first, as in a walk. A class whose patterns are in too few graphs of the search has
//! no column, and nothing is grown from it here, since what contains them is in no more graphs.
//!
//! Only for whole trees, sums of one block, and classes as competitors. Tested against the walk and the exhaustive
//! search in `tests/scan.rs`.

mod columns;
mod index;

pub(super) use index::ScanIndex;

use super::pass::Competitor;
use super::queue::Bounded;
use super::search::{CHEAP_UNITS, TreeError, TreeSearch};
use super::support_cache::SupportId;
use super::why::Fate;
use crate::SearchError;
use crate::bound::{ScoreAndBound, Sums};
use crate::feature::Values;
use crate::pool::{CandidatePool, Excluded};
use crate::query::{Competes, Query, SearchResult, SearchStats};
use crate::skips::{SkipReason, Skips};
use crate::top_k::OrderedScore;
use crate::with_units;
use columns::{Sides, sum, sum_together};
use einsicht_graph::tree::NodeId;
use einsicht_graph::{DfsCode, stop};
use index::{END, Unexpanded};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BinaryHeap;

/// When a pass scans all classes instead of walking over the tree. The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scan {
    /// From the second pass on, unless presences are read by several units: there drift is found from bit sets, and
    /// skips most of a walk (`lab/notes/0028`).
    #[default]
    WhereCheaper,
    /// Wherever it is possible, from the first pass on.
    Always,
    /// Never.
    Never,
}

/// Numbers of hidden units that a scan knows how to add up in registers.
const MOST_UNITS: usize = 8;

/// Columns that one thread scans before it looks at the flag that stops it.
const CHUNK: usize = 1024;

struct ScanPass<'a, const K: usize> {
    search: &'a TreeSearch,
    excluded: Excluded<Competitor, SupportId>,
    pool: CandidatePool<u32, u32>,
    products: Vec<Sides<K>>,
    /// The bound of each class that was scored.
    bounds: Vec<f64>,
    /// The same of each column of images.
    image_bounds: Vec<f64>,
    skips: Skips,
    /// Nodes that waited to be expanded when `zeta` had risen above their bounds.
    overtaken: Vec<Bounded>,
}

/// What a scan has found.
struct Scanned {
    result: SearchResult,
    /// The nodes of its candidates.
    candidates: Vec<NodeId>,
    fate: Option<Fate>,
}

impl<const K: usize> ScanPass<'_, K> {
    fn offer(&self, index: &ScanIndex, scores: &[(u32, f64)]) {
        let mut pool = self.pool.lock();
        for &(class, score) in scores {
            let number = index.of_class[class as usize].0;
            if !self.excluded.contains(&Competitor::Class(number), &number) {
                pool.offer(class, score, |_| false, || class);
            }
        }
    }

    /// Scores all classes of the last look.
    fn score_all(&mut self, index: &ScanIndex) -> Result<(), SearchError> {
        let score_chunk = |classes: &[u32]| {
            stop::check();
            let (mut bounds, mut reached) = (Vec::with_capacity(classes.len()), Vec::new());
            let mut take = |class: u32, summed: ScoreAndBound| {
                bounds.push(summed.bound);
                if !self.pool.excludes(summed.score) {
                    reached.push((class, summed.score));
                }
            };
            let (groups, rest) = classes.as_chunks::<4>();
            for group in groups {
                let columns = group.map(|class| index.classes.get(class as usize));
                stop::work(1 + columns[3].len());
                for (&class, summed) in group.iter().zip(sum_together(columns, &self.products)) {
                    take(class, summed);
                }
            }
            for &class in rest {
                take(class, sum(index.classes.get(class as usize), &self.products));
            }
            self.offer(index, &reached);
            Ok(bounds)
        };
        let bounds: Vec<Vec<f64>> = if self.search.options.threads > 1 && index.order.len() > CHUNK {
            index.order.par_chunks(CHUNK).map(score_chunk).collect::<Result<_, _>>()?
        } else {
            index.order.chunks(CHUNK).map(score_chunk).collect::<Result<_, _>>()?
        };
        self.bounds.resize(index.classes.len(), 0.0);
        for (&class, bound) in index.order.iter().zip(bounds.into_iter().flatten()) {
            self.bounds[class as usize] = bound;
        }
        Ok(())
    }

    /// Scores the classes that are new since then.
    fn score_new(&mut self, index: &ScanIndex) {
        let first = self.bounds.len();
        let summed: Vec<ScoreAndBound> =
            (first..index.classes.len()).map(|class| self.sum_counted(index.classes.get(class))).collect();
        self.bounds.extend(summed.iter().map(|summed| summed.bound));
        let reached = summed.iter().enumerate().filter(|(_, summed)| !self.pool.excludes(summed.score));
        self.offer(index, &reached.map(|(at, summed)| ((first + at) as u32, summed.score)).collect::<Vec<_>>());
    }

    /// Score and bound of a column, counted as work.
    fn sum_counted(&self, cells: &[u32]) -> ScoreAndBound {
        stop::work(1 + cells.len() / 4);
        sum(cells, &self.products)
    }

    /// The bound of a node of the frontier. Columns of images are added up once, when the first node needs one that is
    /// new.
    fn bound(&mut self, index: &ScanIndex, of: Unexpanded) -> f64 {
        if of.images == END {
            return self.bounds[of.class as usize];
        }
        for images in self.image_bounds.len()..index.images.len() {
            let summed = self.sum_counted(index.images.get(images));
            self.image_bounds.push(summed.bound);
        }
        self.image_bounds[of.images as usize]
    }

    /// Expands nodes of the frontier, best first, until no bound reaches `zeta`.
    fn grow(&mut self, index: &mut ScanIndex) -> Result<(), TreeError> {
        let mut waiting = BinaryHeap::new();
        let mut grown = FxHashSet::default();
        let mut seen = 0;
        loop {
            for &unexpanded in &index.frontier[seen..] {
                let bound = self.bound(index, unexpanded);
                if self.pool.excludes(bound) {
                    self.skips[SkipReason::UpperBound] += 1;
                } else {
                    waiting.push((OrderedScore(bound), unexpanded.node));
                }
            }
            seen = index.frontier.len();
            let Some((bound, node)) = waiting.pop() else { break };
            if self.pool.excludes(bound.0) {
                // So are all that wait behind it.
                self.overtaken = waiting.into_vec();
                self.overtaken.push((bound, node));
                self.skips[SkipReason::Overtaken] += self.overtaken.len() as u64;
                break;
            }
            stop::check();
            if self.search.is_full() {
                return Err(TreeError::Full { zeta: self.pool.zeta() });
            }
            let children = self.search.tree.expand(node).collect();
            grown.insert(node);
            index.add_subtrees(self.search, children);
            self.score_new(index);
        }
        index.frontier.retain(|unexpanded| !grown.contains(&unexpanded.node));
        Ok(())
    }

    /// Why a node was not expanded, and its bound.
    fn why(&mut self, index: &ScanIndex, node: NodeId) -> Option<(SkipReason, f64)> {
        let unexpanded = *index.frontier.iter().find(|unexpanded| unexpanded.node == node)?;
        let is_overtaken = self.overtaken.iter().any(|(_, other)| *other == node);
        let reason = if is_overtaken { SkipReason::Overtaken } else { SkipReason::UpperBound };
        Some((reason, self.bound(index, unexpanded)))
    }
}

impl TreeSearch {
    /// Whether a pass for this query can be a scan, and is expected to take less time than a walk.
    pub(super) fn scans(&self, query: &Query<'_>) -> bool {
        let is_possible = query.unit == Competes::SupportClass
            && query.delta.hidden_units() <= MOST_UNITS
            && query.delta.is_one_block()
            && self.options.prune
            && !self.scan_was_full
            && self.may_copy_supports();
        match self.options.scan {
            Scan::Never => false,
            Scan::Always => is_possible,
            Scan::WhereCheaper => {
                let is_cheaper = query.values != Values::Presence || query.delta.hidden_units() <= CHEAP_UNITS;
                is_possible && is_cheaper && self.options.drift && self.history.has_finished()
            }
        }
    }

    /// Answers a query by a scan, with the fate of a pattern that somebody asks about. A scan that is stopped gives up
    /// what it knows, and the next one looks again.
    pub(super) fn scan(
        &mut self,
        query: &Query<'_>,
        asked: Option<&DfsCode>,
    ) -> Result<(SearchResult, Option<Fate>), TreeError> {
        let index = self.scan_index.take().filter(|index| index.values == query.values);
        let (scanned, index) = stop::catch(|| {
            let mut index = index.unwrap_or_else(|| ScanIndex::new(self, query.values));
            index.refresh(self);
            let units = query.delta.hidden_units();
            let scanned = with_units!(
                units in [1, 2, 3, 4, 5, 6, 7],
                K => self.scan_units::<K>(query, &mut index, asked),
                _ => self.scan_units::<MOST_UNITS>(query, &mut index, asked)
            )?;
            Ok::<_, TreeError>((scanned, index))
        })
        .unwrap_or(Err(SearchError::Stopped.into()))
        .inspect_err(|error| {
            self.scan_was_full |= matches!(error, TreeError::Full { .. });
            self.scan_bytes = 0;
        })?;
        self.scan_bytes = index.bytes();
        self.scan_index = Some(index);
        self.history.set_candidates(scanned.candidates);
        Ok((scanned.result, scanned.fate))
    }

    fn scan_units<const K: usize>(
        &self,
        query: &Query<'_>,
        index: &mut ScanIndex,
        asked: Option<&DfsCode>,
    ) -> Result<Scanned, TreeError> {
        let before = self.tree.stats().mined;
        let mut sums = Sums::default();
        let active = query.score_active(&mut sums);
        let mut pass = ScanPass::<K> {
            search: self,
            excluded: self.excluded(query)?,
            pool: CandidatePool::new(query.rule, query.floor, &active),
            products: index.cells.products(query.delta, query.values),
            bounds: Vec::new(),
            image_bounds: Vec::new(),
            skips: Skips::default(),
            overtaken: Vec::new(),
        };
        let score = |&class: &u32| (class, sum(index.classes.get(class as usize), &pass.products).score);
        let earlier: Vec<(u32, f64)> = index.candidates.iter().map(score).collect();
        pass.offer(index, &earlier);
        pass.score_all(index)?;
        pass.grow(index)?;
        pass.skips[SkipReason::TooFewGraphs] = index.too_few_graphs;
        let (skips, threshold) = (pass.skips, pass.pool.zeta());
        let fate = asked.and_then(|code| self.fate_in_scan(code, |node| pass.why(index, node), threshold));
        let (zeta, found) = pass.pool.finish();
        let nodes: Vec<NodeId> = found.iter().map(|&class| index.simplest(self, class)).collect();
        index.candidates = found;
        let candidate = |&node: &NodeId| {
            let support = self.tree.support(node).unpacked();
            query.candidate(self.tree.code(node), support, &mut sums)
        };
        let candidates = nodes.iter().map(candidate).collect();
        let tree = self.tree.stats();
        let visited = index.members.len() as u64;
        let stats = SearchStats {
            visited,
            skips,
            summed: index.classes.len() as u64,
            scanned: index.num_cells() as u64,
            expanded: tree.mined.expanded - before.expanded,
            recomputed: tree.mined.recomputed - before.recomputed,
            distinct_supports: tree.supports,
            memory: tree.bytes + (self.history.bytes() + index.bytes()) as u64,
            visited_by_worker: vec![visited],
            ..SearchStats::default()
        };
        let result = SearchResult::new(candidates, active, zeta, stats);
        Ok(Scanned { result, candidates: nodes, fate })
    }
}
