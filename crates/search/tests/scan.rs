//! Scans over all known classes against the exhaustive search, bit for bit, over whole sequences of passes: alone and
//! between walks, over all graphs and over those of a fold. Something must have been scanned, and in every pass
//! something grown or left out by its bound.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Passes, add, assert_skipped_by};
use einsicht_graph::mine::Counts;
use einsicht_graph::tree::Tree;
use einsicht_search::bound::Delta;
use einsicht_search::feature::{CountTransform, Values};
use einsicht_search::{
    Competes, Query, Rule, Scan, Search, SearchError, SearchOptions, SearchStats, SharedTree, SkipReason, Skips,
    TreeSearch,
};
use einsicht_testkit::cases;
use einsicht_testkit::passes::{HIDDEN, Wander, bits, qualified_set, set};

const SCAN: SearchOptions = SearchOptions { threads: 1, prune: true, drift: true, scan: Scan::Always };

/// All that the tests ask about a set of graphs.
fn kinds(graphs: &[einsicht_graph::Graph], seed: u64, rule: Rule) -> [Passes<'_>; 4] {
    let plain = Passes::new(graphs, seed, rule, Competes::SupportClass);
    [
        plain,
        plain.counted(CountTransform::Log1p, Counts::Copies),
        plain.counted(CountTransform::Identity, Counts::MinimumImage),
        plain.qualified().counted(CountTransform::Log1p, Counts::Copies),
    ]
}

#[test]
fn a_scan_answers_as_the_exhaustive_search_does() {
    let mut sums = SearchStats::default();
    let (mut all, mut skips) = (0, Skips::default());
    for seed in 800..800 + u64::from(cases(6, 18)) {
        let graphs = if seed % 3 == 0 { qualified_set(seed) } else { set(seed) };
        for rule in [Rule::Top(1), Rule::Top(4), Rule::Top(40), Rule::Above(6.0)] {
            for passes in kinds(&graphs, seed, rule) {
                for (threads, scan) in [(1, Scan::Always), (2, Scan::Always), (1, Scan::WhereCheaper)] {
                    let tree = Tree::new(passes.graphs, passes.mining()).unwrap();
                    let mut search = TreeSearch::new(tree, SearchOptions { threads, scan, ..SCAN });
                    let (patterns, stats) = passes.compare(&mut search);
                    assert_eq!(stats.scanned == 0, scan == Scan::WhereCheaper && passes.values == Values::Presence);
                    assert!(stats.scanned == 0 || stats.skips.by_drift() == 0);
                    if scan == Scan::Always {
                        skips += stats.skips;
                    }
                    all += patterns;
                    add(&mut sums, &stats);
                }
            }
        }
    }
    assert_skipped_by(&[SkipReason::UpperBound, SkipReason::Overtaken], &skips);
    assert!(sums.scanned > 0 && sums.expanded > 0 && sums.ties > 0, "{sums:?}");
    assert!(sums.visited < all, "{sums:?} of {all}");
}

#[test]
fn folds_scan_their_own_classes_of_a_tree_that_others_grow() {
    let mut sums = SearchStats::default();
    for seed in 830..836 {
        let graphs = if seed % 2 == 0 { qualified_set(seed) } else { set(seed) };
        for passes in kinds(&graphs, seed, Rule::Top(4)) {
            let tree = SharedTree::with_limits(graphs.clone(), passes.mining(), SCAN, 2, None).unwrap();
            for at in 0..3 {
                let rows: Vec<u32> = (0..graphs.len() as u32).filter(|row| *row as usize % 3 != at).collect();
                let own: Vec<_> = rows.iter().map(|&row| graphs[row as usize].clone()).collect();
                let alone = Passes { graphs: &own, classes: false, ..passes };
                let mut search = tree.search_among(rows);
                let (_, stats) = alone.compare(&mut search);
                assert!(search.shares() && stats.scanned > 0);
                add(&mut sums, &stats);
            }
        }
    }
    assert_skipped_by(&[SkipReason::UpperBound, SkipReason::Overtaken, SkipReason::TooFewGraphs], &sums.skips);
    assert!(sums.expanded > 0, "{sums:?}");
}

#[test]
fn scans_and_walks_take_turns_and_a_stopped_scan_leaves_nothing_behind() {
    for seed in 840..843 {
        let graphs = set(seed);
        let passes = Passes::new(&graphs, seed, Rule::Top(5), Competes::SupportClass);
        let search = |scan| {
            let tree = Tree::new(&graphs, passes.mining()).unwrap();
            TreeSearch::new(tree, SearchOptions { scan, ..SCAN })
        };
        let (mut scans, mut walks, mut turns) = (search(Scan::Always), search(Scan::Never), search(Scan::Always));
        let mut wander = Wander::new(seed, graphs.len());
        for pass in 0..8 {
            let query = |values, unit| Query {
                delta: Delta::new(&wander.delta, HIDDEN).unwrap(),
                active: &[],
                step_sizes: &[0.5],
                decay: 0.0,
                rule: Rule::Top(5),
                unit,
                values,
                banned: &[],
                floor: f64::NEG_INFINITY,
            };
            let asked = query(Values::Presence, Competes::SupportClass);
            let (scanned, walked) = (scans.search(&asked).unwrap(), walks.search(&asked).unwrap());
            assert_eq!(bits(&scanned), bits(&walked));
            assert!(scanned.stats.scanned > 0 && walked.stats.scanned == 0);
            if pass % 3 == 1 {
                // The first look is the walk's or the scan's door, the second is in the middle of a scan.
                einsicht_graph::stop::watch(Some(einsicht_graph::stop::StopFlag::set_at_look(2)));
                let stopped = turns.search(&asked).unwrap_err();
                einsicht_graph::stop::watch(None);
                assert_eq!(stopped, SearchError::Stopped);
            }
            // Single patterns are never scanned: every other pass is a walk, with what earlier walks have learnt.
            let found = turns.search(&asked).unwrap();
            assert_eq!(bits(&found), bits(&scanned));
            let single = query(Values::Presence, Competes::Pattern);
            let (a, b) = (turns.search(&single).unwrap(), walks.search(&single).unwrap());
            assert_eq!(bits(&a), bits(&b));
            assert_eq!(a.stats.scanned, 0);
            wander.go_on(&walked, 5);
        }
    }
}
