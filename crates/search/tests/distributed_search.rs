//! One search distributed over workers against the exhaustive one, bit for bit, over whole sequences of passes. Every
//! worker must have been at work, and must have pruned. Whole trainings are in
//! `crates/learn/tests/distributed_training.rs`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Passes, add};
use einsicht_graph::Graph;
use einsicht_graph::mine::{Counts, MineParams, Tree};
use einsicht_search::feature::CountTransform;
use einsicht_search::{
    DistributedSearch, Partition, Rule, SearchError, SearchOptions, SearchStats, SearchWorker, TreeSearch, Unit,
    Workers,
};
use einsicht_testkit::cases;
use einsicht_testkit::passes::{qualified_set, set};

/// All workers in this process; requests and replies travel as bytes all the same.
struct Local(Vec<SearchWorker>);

impl Local {
    fn new(graphs: &[Graph], workers: u32, mine: &MineParams, options: SearchOptions) -> Self {
        let worker = |index| {
            let search = TreeSearch::new(Tree::new(graphs, mine.clone()).unwrap(), options);
            SearchWorker::new(search, Partition::new(index, workers).unwrap())
        };
        Self((0..workers).map(worker).collect())
    }
}

impl Workers for Local {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<Vec<u8>>, SearchError> {
        self.0.iter_mut().map(|worker| worker.answer(request)).collect()
    }
}

fn run(passes: Passes<'_>, workers: u32, prune: bool) -> (u64, SearchStats) {
    let options = SearchOptions { prune, ..Default::default() };
    let workers = Local::new(passes.graphs, workers, &passes.mining(), options);
    passes.compare(&mut DistributedSearch::new(workers))
}

#[test]
fn workers_find_together_what_one_search_finds() {
    let mut sums = SearchStats::default();
    let mut all = 0;
    for seed in 300..300 + u64::from(cases(2, 4)) {
        let graphs = set(seed);
        let qualified = qualified_set(seed);
        for kind in 0..3 {
            for unit in [Unit::SupportClass, Unit::Pattern] {
                for rule in [Rule::Top(1), Rule::Top(4), Rule::Top(40), Rule::Above(6.0)] {
                    for workers in [1, 2, 3] {
                        let plain = Passes::new(&graphs, seed, rule, unit);
                        let passes = match kind {
                            0 => plain,
                            1 => plain.counted(CountTransform::Log1p, Counts::Copies),
                            _ => Passes { graphs: &qualified, ..plain }.qualified(),
                        };
                        let (patterns, stats) = run(passes, workers, true);
                        all += patterns;
                        add(&mut sums, &stats);
                        if workers == 2 {
                            assert!(stats.visited_by_worker.iter().all(|&worker| worker > 0), "{stats:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(sums.pruned > 0 && sums.skipped_by_drift > 0 && sums.visited < all, "{sums:?} of {all}");
}

#[test]
fn without_pruning_the_workers_visit_every_pattern_once() {
    let graphs = set(50);
    for workers in [1, 2, 5] {
        let (patterns, stats) = run(Passes::new(&graphs, 50, Rule::Top(4), Unit::SupportClass), workers, false);
        assert_eq!((stats.visited, stats.pruned), (patterns, 0));
        assert!(stats.visited_by_worker.iter().filter(|&&worker| worker > 0).count() > 1 || workers == 1);
    }
}

#[test]
fn a_request_that_is_none_gets_no_answer() {
    let graphs = set(1);
    let mut local = Local::new(&graphs, 1, &MineParams::default(), SearchOptions::default());
    for request in [&b""[..], &[9, 0, 0, 0, 0, 0, 0, 0, 1], &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}']] {
        assert!(matches!(local.ask(request), Err(SearchError::NoAnswer { worker: 0, .. })));
    }
}
