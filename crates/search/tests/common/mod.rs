//! Any search against the exhaustive one, bit for bit, over a whole sequence of passes.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_graph::mine::{Counts, MineParams};
use einsicht_graph::{DfsCode, Graph};
use einsicht_search::bound::Delta;
use einsicht_search::feature::{CountTransform, Values};
use einsicht_search::{
    ActivePattern, Competes, Query, Rule, Scan, Search, SearchOptions, SearchStats, SkipReason, Skips,
};
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::oracle::{self, Language, Occurrence};
use einsicht_testkit::passes::{HIDDEN, Wander, bits};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Options of a search that walks over the tree in every pass.
pub(crate) fn walk() -> SearchOptions {
    SearchOptions { scan: Scan::Never, ..SearchOptions::default() }
}

const MAX_EDGES: usize = 5;
const PASSES: u64 = 10;

/// Graphs, and what to ask about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passes<'a> {
    pub graphs: &'a [Graph],
    /// If there are any: one row per number, with the graph of that number. So there are many rows to search and few
    /// graphs to list the patterns of.
    pub rows: &'a [u32],
    pub seed: u64,
    pub rule: Rule,
    pub unit: Competes,
    pub values: Values,
    /// Smallest number of edges and largest number of qualifiers of a pattern.
    pub language: (usize, usize),
    pub counts: Counts,
    /// Whether the classes of candidates are compared too.
    pub classes: bool,
}

impl<'a> Passes<'a> {
    pub(crate) fn new(graphs: &'a [Graph], seed: u64, rule: Rule, unit: Competes) -> Self {
        let (values, language, counts) = (Values::Presence, (1, 0), Counts::Off);
        Self { graphs, rows: &[], seed, rule, unit, values, language, counts, classes: true }
    }

    pub(crate) fn repeated(self, rows: &'a [u32]) -> Self {
        Self { rows, ..self }
    }

    pub(crate) fn graphs_of_rows(&self) -> Vec<Graph> {
        if self.rows.is_empty() {
            return self.graphs.to_vec();
        }
        self.rows.iter().map(|&row| self.graphs[row as usize].clone()).collect()
    }

    fn num_rows(&self) -> usize {
        if self.rows.is_empty() { self.graphs.len() } else { self.rows.len() }
    }

    /// All patterns by brute force, with the rows in which they are.
    fn patterns(&self, language: Language) -> BTreeMap<DfsCode, Occurrence> {
        let mut patterns = all_patterns(self.graphs, language);
        if self.rows.is_empty() {
            return patterns;
        }
        for Occurrence { graphs, counts, copies } in patterns.values_mut() {
            let at: Vec<(usize, usize)> = (0..self.rows.len())
                .filter_map(|row| Some((row, graphs.binary_search(&self.rows[row]).ok()?)))
                .collect();
            let of_rows = |numbers: &[u32]| at.iter().filter_map(|(_, at)| numbers.get(*at).copied()).collect();
            (*counts, *copies) = (of_rows(counts), of_rows(copies));
            *graphs = at.iter().map(|(row, _)| *row as u32).collect();
        }
        patterns.retain(|_, occurrence| !occurrence.graphs.is_empty());
        patterns
    }

    pub(crate) fn counted(self, transform: CountTransform, counts: Counts) -> Self {
        Self { values: Values::Count(transform), counts, ..self }
    }

    /// The same with single vertices and qualifiers.
    pub(crate) fn qualified(self) -> Self {
        Self { language: (0, 2), ..self }
    }

    /// The patterns that compete.
    pub(crate) fn mining(&self) -> MineParams {
        let (min_edges, max_qualifiers) = self.language;
        let max_edges = if max_qualifiers > 0 { 3 } else { MAX_EDGES };
        // Some patterns are too large to be qualified.
        let max_qualified_edges = if self.seed.is_multiple_of(2) { max_edges } else { 2 };
        let counts = self.counts;
        let pack_supports_from = if self.packs() { 0 } else { usize::MAX };
        let params = MineParams { pack_supports_from, ..Default::default() };
        MineParams { min_edges, max_qualifiers, max_qualified_edges, max_edges, counts, ..params }
    }

    /// Whether supports are packed: with half of the seeds.
    pub(crate) fn packs(&self) -> bool {
        matches!(self.seed % 4, 1 | 2)
    }

    /// Ten passes, each compared with the exhaustive search: active, pinned and banned patterns come and go. Gives
    /// the number of patterns in ten passes, and what the search did.
    pub(crate) fn compare(&self, search: &mut impl Search) -> (u64, SearchStats) {
        let &Self { seed, rule, unit, values, counts, .. } = self;
        let MineParams { min_edges, max_qualifiers, max_qualified_edges, max_edges, .. } = self.mining();
        let language = Language { min_edges, max_edges, max_qualifiers, max_qualified_edges };
        let mut exhaustive = Exhaustive::of_patterns(self.patterns(language), self.num_rows(), counts);
        let mut wander = Wander::new(seed, self.num_rows());
        // Copies of a graph start with the same delta: independent ones would cancel, and no bound would prune.
        let of_graph = |row: &u32| wander.delta[*row as usize * HIDDEN..][..HIDDEN].to_vec();
        let of_rows: Vec<f64> = self.rows.iter().flat_map(of_graph).collect();
        wander.delta[..of_rows.len()].copy_from_slice(&of_rows);
        let mut total = SearchStats::default();
        let mut banned = Vec::new();
        for pass in 0..PASSES {
            // The exhaustive search has supports of its own; ids matter only to the other one.
            let mut known = |a: &ActivePattern| ActivePattern { support: search.lookup(&a.code).unwrap(), ..a.clone() };
            let active: Vec<ActivePattern> = wander.active.iter().map(&mut known).collect();
            let delta = Delta::new(&wander.delta, HIDDEN).unwrap();
            let (step_sizes, floor) = (&[0.5, 0.25, 0.125], f64::NEG_INFINITY);
            let query =
                Query { delta, active: &active, step_sizes, decay: 0.01, rule, unit, values, banned: &banned, floor };
            let wanted = exhaustive.search(&query).unwrap();
            let found = search.search(&query).unwrap();
            assert_eq!(bits(&found), bits(&wanted), "seed {seed}, pass {pass}, {rule:?}, {unit:?}");
            assert!(matches!(rule, Rule::Above(_)) || found.stats.ties == wanted.stats.ties);
            add(&mut total, &found.stats);
            if pass == 5 && self.classes {
                for candidate in found.candidates.iter().take(3) {
                    assert_eq!(search.class(&candidate.support), exhaustive.class(&candidate.support));
                }
            }
            wander.go_on(&wanted, if let Rule::Top(size) = rule { size } else { 4 });
            if pass == 2 {
                // From now on two of the best may not enter, and one stays whatever its score.
                let best = found.candidates.iter().take(2);
                banned = best.map(|c| search.lookup(&c.code).unwrap()).collect();
                wander.active.retain(|a| banned.iter().all(|s| s.graphs() != a.support.graphs()));
            }
            if let Some(first) = wander.active.first_mut() {
                first.pinned = pass >= 4;
            }
        }
        (exhaustive.len() as u64 * PASSES, total)
    }
}

/// All patterns by brute force. A test asks about the same graphs again and again, so the last answer is kept.
fn all_patterns(graphs: &[Graph], language: Language) -> BTreeMap<DfsCode, Occurrence> {
    type Answer = (Vec<Graph>, Language, BTreeMap<DfsCode, Occurrence>);
    thread_local! { static LAST: RefCell<Option<Answer>> = const { RefCell::new(None) } }
    LAST.with_borrow_mut(|last| match last {
        Some((of, with, patterns)) if of == graphs && *with == language => patterns.clone(),
        _ => {
            let patterns = oracle::mine_language(graphs, language, 1);
            *last = Some((graphs.to_vec(), language, patterns.clone()));
            patterns
        }
    })
}

/// Subtrees must have been skipped for each of these reasons, and for no other.
pub(crate) fn assert_skipped_by(reasons: &[SkipReason], skips: &Skips) {
    for reason in SkipReason::ALL {
        assert_eq!(skips[reason] > 0, reasons.contains(&reason), "{reason:?} in {skips:?}");
    }
}

/// Adds the counters of a pass to those of others.
pub(crate) fn add(total: &mut SearchStats, stats: &SearchStats) {
    total.visited += stats.visited;
    total.skips += stats.skips;
    total.scanned += stats.scanned;
    total.expanded += stats.expanded;
    total.ties += stats.ties;
    let workers = total.visited_by_worker.len().max(stats.visited_by_worker.len());
    total.visited_by_worker.resize(workers, 0);
    for (sum, worker) in total.visited_by_worker.iter_mut().zip(&stats.visited_by_worker) {
        *sum += worker;
    }
}
