//! The pruned search against the exhaustive one, bit for bit, over whole sequences of passes: every order, one and two
//! threads, with and without pruning and drift. Each mechanism must have been at work.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_graph::Graph;
use einsicht_graph::mine::{MineParams, Tree};
use einsicht_search::bound::Delta;
use einsicht_search::feature::{CountTransform, Values};
use einsicht_search::{ActivePattern, SearchOrder, TreeSearch, Query, Rule, Search, SearchOptions, SearchStats, Unit};
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::passes::{HIDDEN, Wander, bits, set};

const MAX_EDGES: usize = 5;

fn run(graphs: &[Graph], seed: u64, rule: Rule, unit: Unit, options: SearchOptions) -> (usize, SearchStats) {
    run_on(graphs, seed, rule, unit, Values::Presence, options)
}

fn run_on(
    graphs: &[Graph],
    seed: u64,
    rule: Rule,
    unit: Unit,
    values: Values,
    options: SearchOptions,
) -> (usize, SearchStats) {
    let counts = values.needs_counts();
    let list = if counts { Exhaustive::with_counts } else { Exhaustive::new };
    let mut exhaustive = list(graphs, MAX_EDGES, 1);
    let params = MineParams { max_edges: MAX_EDGES, counts, ..Default::default() };
    let mut pruned = TreeSearch::new(Tree::new(graphs, params).unwrap(), options);
    let mut wander = Wander::new(seed, graphs.len());
    let mut total = SearchStats { visited_by_worker: vec![0; options.threads], ..SearchStats::default() };
    let mut banned = Vec::new();
    for pass in 0..10 {
        // The exhaustive search has supports of its own; ids matter only to the pruned one.
        let active: Vec<ActivePattern> = wander
            .active
            .iter()
            .map(|a| ActivePattern { support: pruned.lookup(&a.code).unwrap(), ..a.clone() })
            .collect();
        let delta = Delta::new(&wander.delta, HIDDEN).unwrap();
        let (step_sizes, floor) = (&[0.5, 0.25, 0.125], f64::NEG_INFINITY);
        let query =
            Query { delta, active: &active, step_sizes, decay: 0.01, rule, unit, values, banned: &banned, floor };
        let wanted = exhaustive.search(&query).unwrap();
        let found = pruned.search(&query).unwrap();
        assert_eq!(bits(&found), bits(&wanted), "seed {seed}, pass {pass}, {rule:?}, {unit:?}, {options:?}");
        assert!(matches!(rule, Rule::Above(_)) || found.stats.ties == wanted.stats.ties);
        total.visited += found.stats.visited;
        total.pruned += found.stats.pruned;
        total.skipped_by_drift += found.stats.skipped_by_drift;
        total.ties += found.stats.ties;
        for (sum, worker) in total.visited_by_worker.iter_mut().zip(&found.stats.visited_by_worker) {
            *sum += worker;
        }
        if pass == 5 {
            for candidate in found.candidates.iter().take(3) {
                assert_eq!(pruned.class(&candidate.support), exhaustive.class(&candidate.support));
            }
        }
        let size = if let Rule::Top(size) = rule { size } else { 4 };
        wander.go_on(&wanted, size);
        if pass == 2 {
            // From now on two of the best may not enter, and one stays whatever comes.
            let best = found.candidates.iter().take(2);
            banned = best.map(|c| pruned.lookup(&c.code).unwrap()).collect();
            wander.active.retain(|a| banned.iter().all(|s| s.graphs() != a.support.graphs()));
        }
        if let Some(first) = wander.active.first_mut() {
            first.pinned = pass >= 4;
        }
    }
    (exhaustive.len() * 10, total)
}

#[test]
fn pruning_drift_and_order_never_change_the_answer() {
    let mut sums = SearchStats::default();
    let mut all = 0;
    for seed in 0..12 {
        let graphs = set(seed);
        for unit in [Unit::SupportClass, Unit::Pattern] {
            for rule in [Rule::Top(1), Rule::Top(4), Rule::Top(40), Rule::Above(6.0)] {
                for order in [SearchOrder::BestFirst, SearchOrder::DepthFirst] {
                    for drift in [true, false] {
                        let options = SearchOptions { order, drift, ..Default::default() };
                        let (patterns, stats) = run(&graphs, seed, rule, unit, options);
                        assert!(drift || stats.skipped_by_drift == 0);
                        if rule == Rule::Top(4) {
                            all += patterns as u64;
                            sums.visited += stats.visited;
                        }
                        sums.pruned += stats.pruned;
                        sums.skipped_by_drift += stats.skipped_by_drift;
                        sums.ties += stats.ties;
                    }
                }
            }
        }
    }
    assert!(sums.pruned > 0 && sums.skipped_by_drift > 0 && sums.ties > 0, "{sums:?}");
    assert!(2 * sums.visited < all, "fewer than half of {all} patterns were looked at: {sums:?}");
}

#[test]
fn counts_are_searched_as_exactly_as_presence() {
    let mut sums = SearchStats::default();
    let mut all = 0;
    for seed in 200..212 {
        let graphs = set(seed);
        for transform in [CountTransform::Identity, CountTransform::Log1p] {
            for unit in [Unit::SupportClass, Unit::Pattern] {
                for (rule, drift) in [(Rule::Top(4), true), (Rule::Top(4), false), (Rule::Above(9.0), true)] {
                    let options = SearchOptions { drift, ..Default::default() };
                    let values = Values::Count(transform);
                    let (patterns, stats) = run_on(&graphs, seed, rule, unit, values, options);
                    all += patterns as u64;
                    sums.visited += stats.visited;
                    sums.pruned += stats.pruned;
                    sums.skipped_by_drift += stats.skipped_by_drift;
                }
            }
        }
    }
    assert!(sums.pruned > 0 && sums.skipped_by_drift > 0 && sums.visited < all, "{sums:?} of {all}");
}

#[test]
fn without_pruning_every_pattern_is_looked_at() {
    let (patterns, stats) =
        run(&set(50), 50, Rule::Top(4), Unit::SupportClass, SearchOptions { prune: false, ..Default::default() });
    assert_eq!(stats.visited as usize, patterns);
    assert_eq!((stats.pruned, stats.skipped_by_drift), (0, 0));
}

#[test]
fn two_threads_give_the_answer_of_one() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut visited = [0, 0];
    for seed in 100..160 {
        for unit in [Unit::SupportClass, Unit::Pattern] {
            let options = SearchOptions { threads: 2, prune: seed % 4 != 0, ..Default::default() };
            let (_, stats) = pool.install(|| run(&set(seed), seed, Rule::Top(5), unit, options));
            for (sum, worker) in visited.iter_mut().zip(stats.visited_by_worker) {
                *sum += worker;
            }
        }
    }
    assert!(visited.iter().all(|&worker| worker > 0), "{visited:?}");
}
