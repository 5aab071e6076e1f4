//! One search divided among shards against the exhaustive one, bit for bit, over whole sequences of passes, and a whole
//! training over shards against a plain one, byte for byte. Every shard must have been at work, and must have pruned.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Fixture, Kind, params};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineParams, Tree};
use einsicht_learn::fit::{FitOptions, fit, worker_over, start_with};
use einsicht_learn::params::TrainParams;
use einsicht_search::bound::Delta;
use einsicht_search::feature::{CountTransform, Feature, Values};
use einsicht_search::{
    ActivePattern, SearchOrder, TreeSearch, Query, Rule, Search, SearchError, SearchOptions, SearchWorker, SearchStats,
    DistributedSearch, Shards, Partition, Unit,
};
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::passes::{HIDDEN, Wander, bits, set};
use std::ops::ControlFlow;

const MAX_EDGES: usize = 5;

/// All shards in this process; questions and answers travel as bytes all the same.
struct Local(Vec<SearchWorker>);

impl Local {
    fn new(graphs: &[Graph], of: u32, mine: &MineParams, options: SearchOptions) -> Self {
        let shard = |at| {
            let search = TreeSearch::new(Tree::new(graphs, mine.clone()).unwrap(), options);
            SearchWorker::new(search, Partition::new(at, of).unwrap())
        };
        Self((0..of).map(shard).collect())
    }
}

impl Shards for Local {
    fn ask(&mut self, question: &[u8]) -> Result<Vec<Vec<u8>>, SearchError> {
        self.0.iter_mut().map(|shard| shard.answer(question)).collect()
    }
}

/// Ten passes over shards, each compared with the exhaustive search. Gives how many patterns there are in ten passes,
/// what the shards did, and what each visited.
fn run(
    graphs: &[Graph],
    seed: u64,
    of: u32,
    rule: Rule,
    unit: Unit,
    values: Values,
    prune: bool,
) -> (u64, SearchStats) {
    let counts = values.needs_counts();
    let list = if counts { Exhaustive::with_counts } else { Exhaustive::new };
    let mut exhaustive = list(graphs, MAX_EDGES, 1);
    let mine = MineParams { max_edges: MAX_EDGES, counts, ..Default::default() };
    let options = SearchOptions { prune, ..Default::default() };
    let mut sharded = DistributedSearch::new(Local::new(graphs, of, &mine, options));
    let mut wander = Wander::new(seed, graphs.len());
    let mut total = SearchStats { visited_by_worker: vec![0; of as usize], ..SearchStats::default() };
    let mut banned = Vec::new();
    for pass in 0..10 {
        let known = |search: &mut DistributedSearch<Local>, a: &ActivePattern| ActivePattern {
            support: search.lookup(&a.code).unwrap(),
            ..a.clone()
        };
        let active: Vec<ActivePattern> = wander.active.iter().map(|a| known(&mut sharded, a)).collect();
        let delta = Delta::new(&wander.delta, HIDDEN).unwrap();
        let (step_sizes, floor) = (&[0.5, 0.25, 0.125], f64::NEG_INFINITY);
        let query =
            Query { delta, active: &active, step_sizes, decay: 0.01, rule, unit, values, banned: &banned, floor };
        let wanted = exhaustive.search(&query).unwrap();
        let found = sharded.search(&query).unwrap();
        assert_eq!(bits(&found), bits(&wanted), "seed {seed}, pass {pass}, {of} shards, {rule:?}, {unit:?}");
        total.visited += found.stats.visited;
        total.pruned += found.stats.pruned;
        total.skipped_by_drift += found.stats.skipped_by_drift;
        for (sum, shard) in total.visited_by_worker.iter_mut().zip(&found.stats.visited_by_worker) {
            *sum += shard;
        }
        if pass == 5 {
            for candidate in found.candidates.iter().take(3) {
                assert_eq!(sharded.class(&candidate.support), exhaustive.class(&candidate.support));
            }
        }
        let size = if let Rule::Top(size) = rule { size } else { 4 };
        wander.go_on(&wanted, size);
        if pass == 2 {
            let best = found.candidates.iter().take(2);
            banned = best.map(|c| sharded.lookup(&c.code).unwrap()).collect();
            wander.active.retain(|a| banned.iter().all(|s| s.graphs() != a.support.graphs()));
        }
    }
    (exhaustive.len() as u64 * 10, total)
}

#[test]
fn shards_find_together_what_one_search_finds() {
    let mut sums = SearchStats { visited_by_worker: vec![0; 2], ..SearchStats::default() };
    let mut all = 0;
    for seed in 300..304 {
        let graphs = set(seed);
        for values in [Values::Presence, Values::Count(CountTransform::Log1p)] {
            for unit in [Unit::SupportClass, Unit::Pattern] {
                for rule in [Rule::Top(1), Rule::Top(4), Rule::Top(40), Rule::Above(6.0)] {
                    for of in [1, 2, 3] {
                        let (patterns, stats) = run(&graphs, seed, of, rule, unit, values, true);
                        all += patterns;
                        sums.visited += stats.visited;
                        sums.pruned += stats.pruned;
                        sums.skipped_by_drift += stats.skipped_by_drift;
                        if of == 2 {
                            assert!(stats.visited_by_worker.iter().all(|&shard| shard > 0), "{stats:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(sums.pruned > 0 && sums.skipped_by_drift > 0 && sums.visited < all, "{sums:?} of {all}");
}

#[test]
fn without_pruning_the_shards_look_at_every_pattern_once() {
    for of in [1, 2, 5] {
        let (patterns, stats) = run(&set(50), 50, of, Rule::Top(4), Unit::SupportClass, Values::Presence, false);
        assert_eq!((stats.visited, stats.pruned), (patterns, 0));
        assert!(stats.visited_by_worker.iter().filter(|&&shard| shard > 0).count() > 1 || of == 1);
    }
}

#[test]
fn a_floor_that_is_reached_prunes_more_and_changes_nothing() {
    let mut visited = [0, 0];
    for seed in 0..8 {
        let graphs = set(seed);
        let delta = Wander::new(seed, graphs.len()).delta;
        let mut floor = f64::NEG_INFINITY;
        let answers = visited.each_mut().map(|visited| {
            let mine = MineParams { max_edges: MAX_EDGES, ..Default::default() };
            // The best first would find a good threshold as soon.
            let options = SearchOptions { order: SearchOrder::DepthFirst, ..Default::default() };
            let mut search = TreeSearch::new(Tree::new(&graphs, mine).unwrap(), options);
            let query = Query {
                delta: Delta::new(&delta, HIDDEN).unwrap(),
                active: &[],
                step_sizes: &[],
                decay: 0.0,
                rule: Rule::Top(4),
                unit: Unit::SupportClass,
                banned: &[],
                values: Values::Presence,
                floor,
            };
            let found = search.search(&query).unwrap();
            floor = found.zeta;
            *visited += found.stats.visited;
            bits(&found)
        });
        assert_eq!(answers[0], answers[1]);
    }
    assert!(visited[1] < visited[0], "{visited:?}");
}

#[test]
fn a_model_trained_over_shards_is_the_model_trained_in_one_place() {
    let fixture = Fixture::new(3, Kind::TwoClasses);
    let (dataset, split) = (&fixture.dataset, &fixture.parts);
    for feature in [Feature::Presence, Feature::Count] {
        let params = TrainParams { feature, ..params() }.check().unwrap();
        let plain = fit(dataset, split, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        let shard =
            |at| worker_over(dataset, split, params.get(), &FitOptions::default(), Partition::new(at, 2).unwrap()).unwrap();
        let search = DistributedSearch::new(Local((0..2).map(shard).collect()));
        let mut visited = vec![0; 2];
        let mut trainer = start_with(dataset, split, &params, None, search, None).unwrap();
        let mut observer = |pass: &einsicht_learn::train::PassDone| {
            for (sum, shard) in visited.iter_mut().zip(&pass.search.visited_by_worker) {
                *sum += shard;
            }
            ControlFlow::Continue(())
        };
        trainer.run(&mut observer).unwrap();
        let sharded = trainer.model(dataset, split).unwrap().unwrap();
        assert_eq!(sharded.to_bytes().unwrap(), plain.to_bytes().unwrap());
        assert!(visited.iter().all(|&shard| shard > 0), "{visited:?}");
    }
}

#[test]
fn a_question_that_is_none_gets_no_answer() {
    let graphs = set(1);
    let mut local = Local::new(&graphs, 1, &MineParams::default(), SearchOptions::default());
    for question in [&b""[..], &[9, 0, 0, 0, 0, 0, 0, 0, 1], &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}']] {
        assert!(matches!(local.ask(question), Err(SearchError::NoAnswer { shard: 0, .. })));
    }
}
