//! The walk over the tree against the exhaustive search, bit for bit, over whole sequences of passes: every order, one
//! and two threads, with and without pruning and drift. Each mechanism must have been at work. Scans are in `scan.rs`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Passes, add, assert_skipped_by, walk};
use einsicht_graph::mine::{Counts, MineParams};
use einsicht_graph::tree::Tree;
use einsicht_search::bound::Delta;
use einsicht_search::feature::{CountTransform, Values};
use einsicht_search::{
    Competes, Query, Rule, Search, SearchOptions, SearchStats, SkipReason, Skips, StreamingSearch, TreeSearch,
};
use einsicht_testkit::cases;
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::passes::{HIDDEN, Wander, bits, qualified_set, set};

const COUNTS: [(CountTransform, Counts); 4] = [
    (CountTransform::Identity, Counts::MinimumImage),
    (CountTransform::Identity, Counts::Copies),
    (CountTransform::Log1p, Counts::MinimumImage),
    (CountTransform::Log1p, Counts::Copies),
];

fn run(passes: Passes<'_>, options: SearchOptions) -> (u64, SearchStats) {
    let tree = Tree::new(passes.graphs, passes.mining()).unwrap();
    assert!(tree.roots().all(|node| tree.support(node).is_packed() == passes.packs()));
    passes.compare(&mut TreeSearch::new(tree, options))
}

#[test]
fn pruning_and_drift_never_change_the_answer() {
    let mut sums = SearchStats::default();
    let (mut all, mut visited, mut without_drift) = (0, 0, Skips::default());
    for seed in 0..u64::from(cases(4, 12)) {
        let graphs = set(seed);
        for unit in [Competes::SupportClass, Competes::Pattern] {
            for rule in [Rule::Top(1), Rule::Top(4), Rule::Top(40), Rule::Above(6.0)] {
                for drift in [true, false] {
                    let options = SearchOptions { drift, ..walk() };
                    let (patterns, stats) = run(Passes::new(&graphs, seed, rule, unit), options);
                    if !drift {
                        without_drift += stats.skips;
                    }
                    if rule == Rule::Top(4) {
                        all += patterns;
                        visited += stats.visited;
                    }
                    add(&mut sums, &stats);
                }
            }
        }
    }
    let reasons = SkipReason::ALL.into_iter().filter(|reason| *reason != SkipReason::TooFewGraphs);
    assert_skipped_by(&reasons.collect::<Vec<_>>(), &sums.skips);
    assert_skipped_by(&[SkipReason::UpperBound, SkipReason::Overtaken], &without_drift);
    assert!(sums.ties > 0, "{sums:?}");
    assert!(2 * visited < all, "fewer than half of {all} patterns were visited: {visited}");
}

#[test]
fn counts_are_searched_as_exactly_as_presence() {
    let mut sums = SearchStats::default();
    let mut all = 0;
    for seed in 200..200 + u64::from(cases(4, 12)) {
        let graphs = set(seed);
        for (transform, counts) in COUNTS {
            for unit in [Competes::SupportClass, Competes::Pattern] {
                for (rule, drift) in [(Rule::Top(4), true), (Rule::Top(4), false), (Rule::Above(9.0), true)] {
                    let options = SearchOptions { drift, ..walk() };
                    let passes = Passes::new(&graphs, seed, rule, unit).counted(transform, counts);
                    let (patterns, stats) = run(passes, options);
                    all += patterns;
                    add(&mut sums, &stats);
                }
            }
        }
    }
    assert!(sums.skips.by_bound() > 0 && sums.skips.by_drift() > 0 && sums.visited < all, "{sums:?} of {all}");
}

#[test]
fn single_vertices_and_qualifiers_are_searched_as_exactly_as_edges() {
    let mut sums = SearchStats::default();
    let (mut all, mut qualified) = (0, 0);
    for seed in 600..603 {
        let graphs = qualified_set(seed);
        for unit in [Competes::SupportClass, Competes::Pattern] {
            for (rule, drift) in [(Rule::Top(4), true), (Rule::Top(40), false), (Rule::Above(9.0), true)] {
                let plain = Passes::new(&graphs, seed, rule, unit).qualified();
                for passes in [plain, plain.counted(CountTransform::Log1p, Counts::Copies)] {
                    for threads in [1, 2] {
                        let options = SearchOptions { drift, threads, ..walk() };
                        let (patterns, stats) = run(passes, options);
                        all += patterns;
                        add(&mut sums, &stats);
                    }
                }
            }
        }
        let params = MineParams { min_edges: 0, max_qualifiers: 2, max_edges: 3, ..Default::default() };
        let mut search = TreeSearch::new(Tree::new(&graphs, params).unwrap(), walk());
        let wander = Wander::new(seed, graphs.len());
        let delta = Delta::new(&wander.delta, HIDDEN).unwrap();
        let query = Query {
            delta,
            active: &[],
            step_sizes: &[0.5],
            decay: 0.0,
            rule: Rule::Top(40),
            unit: Competes::SupportClass,
            values: Values::Presence,
            banned: &[],
            floor: f64::NEG_INFINITY,
        };
        qualified +=
            search.search(&query).unwrap().candidates.iter().filter(|c| !c.code.qualifiers().is_empty()).count();
    }
    assert!(
        sums.skips.by_bound() > 0 && sums.skips.by_drift() > 0 && sums.visited < all && qualified > 10,
        "{sums:?} of {all}, {qualified}"
    );
}

#[test]
fn with_few_units_scores_come_before_drift_and_the_answer_is_the_same() {
    let (mut first, mut later, mut skipped) = (0, 0, 0);
    for seed in 700..700 + u64::from(cases(4, 12)) {
        let graphs = set(seed);
        let (values, counts) = (Values::Count(CountTransform::Log1p), Counts::MinimumImage);
        let params = MineParams { max_edges: 4, counts, ..Default::default() };
        // The same numbers, in one unit, in two, and beside units of zeros: there drift comes first.
        for threads in [1, 2] {
            let options = SearchOptions { threads, ..walk() };
            let search = |_| TreeSearch::new(Tree::new(&graphs, params.clone()).unwrap(), options);
            let mut searches: [TreeSearch; 3] = std::array::from_fn(search);
            let mut exhaustive = Exhaustive::with_counts(&graphs, 4, 1);
            let mut wander = Wander::new(seed, graphs.len());
            for _ in 0..8 {
                let mut answers = Vec::new();
                for (search, units) in searches.iter_mut().zip([1, 2, 3]) {
                    let row = |row: &[f64]| (0..units).map(|k| if k == 0 { row[0] } else { 0.0 }).collect::<Vec<_>>();
                    let delta: Vec<f64> = wander.delta.chunks(HIDDEN).flat_map(row).collect();
                    let query = Query {
                        delta: Delta::new(&delta, units).unwrap(),
                        active: &[],
                        step_sizes: &[0.5],
                        decay: 0.0,
                        rule: Rule::Top(3),
                        unit: Competes::SupportClass,
                        values,
                        banned: &[],
                        floor: f64::NEG_INFINITY,
                    };
                    let found = search.search(&query).unwrap();
                    assert_eq!(bits(&found), bits(&exhaustive.search(&query).unwrap()), "seed {seed}, {units} units");
                    *(if units == 3 { &mut later } else { &mut first }) += found.stats.drifts;
                    skipped += found.stats.skips.by_drift();
                    answers.push(found);
                }
                wander.go_on(&answers[2], 3);
            }
        }
    }
    // Two searches against one.
    assert!(3 * first < 4 * later && skipped > 0, "{first} {later} {skipped}");
}

#[test]
fn without_pruning_every_pattern_is_visited() {
    let graphs = set(50);
    let passes = Passes::new(&graphs, 50, Rule::Top(4), Competes::SupportClass);
    let (patterns, stats) = run(passes, SearchOptions { prune: false, ..walk() });
    assert_eq!((stats.visited, stats.skips.total()), (patterns, 0));
}

#[test]
fn two_threads_give_the_answer_of_one() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut sums = SearchStats::default();
    let mut both_worked = false;
    // On a busy machine one worker may have finished a small pass before the other one starts: then there are more.
    for seed in 100..3000 {
        if seed >= 100 + u64::from(cases(20, 60)) && both_worked {
            break;
        }
        for unit in [Competes::SupportClass, Competes::Pattern] {
            let options = SearchOptions { threads: 2, prune: seed % 4 != 0, ..walk() };
            let graphs = set(seed);
            let (_, stats) = pool.install(|| run(Passes::new(&graphs, seed, Rule::Top(5), unit), options));
            add(&mut sums, &stats);
        }
        both_worked = sums.visited_by_worker.len() == 2 && sums.visited_by_worker.iter().all(|&n| n > 0);
    }
    assert!(both_worked, "{sums:?}");
}

#[test]
fn a_floor_that_is_reached_prunes_more_and_changes_nothing() {
    let mut visited = [0, 0];
    for seed in 0..8 {
        let graphs = set(seed);
        let delta = Wander::new(seed, graphs.len()).delta;
        let mut floor = f64::NEG_INFINITY;
        let answers = visited.each_mut().map(|visited| {
            let mine = MineParams { max_edges: 5, ..Default::default() };
            // Without a tree, since best first finds a good threshold as soon.
            let mut search = StreamingSearch::new(graphs.clone().into(), mine.clone()).unwrap();
            let mut of_tree = TreeSearch::new(Tree::new(&graphs, mine).unwrap(), walk());
            let query = Query {
                delta: Delta::new(&delta, HIDDEN).unwrap(),
                active: &[],
                step_sizes: &[],
                decay: 0.0,
                rule: Rule::Top(4),
                unit: Competes::SupportClass,
                banned: &[],
                values: Values::Presence,
                floor,
            };
            let found = search.search(&query).unwrap();
            assert_eq!(bits(&of_tree.search(&query).unwrap()), bits(&found));
            floor = found.zeta;
            *visited += found.stats.visited;
            bits(&found)
        });
        assert_eq!(answers[0], answers[1]);
    }
    assert!(visited[1] < visited[0], "{visited:?}");
}
