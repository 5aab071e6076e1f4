//! Searches over some graphs of a shared tree against the exhaustive search over these graphs alone, bit for bit.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Passes, walk};
use einsicht_graph::Graph;
use einsicht_graph::mine::{Counts, MineParams};
use einsicht_graph::tree::Tree;
use einsicht_search::feature::CountTransform;
use einsicht_search::{Competes, Rule, Search, SearchError, SearchOptions, SharedTree, TreeSearch};
use einsicht_testkit::passes::{qualified_set, set};

/// Two thirds of the graphs, with their numbers.
fn fold(graphs: &[Graph], at: usize) -> (Vec<Graph>, Vec<u32>) {
    let rows: Vec<u32> = (0..graphs.len() as u32).filter(|row| *row as usize % 3 != at).collect();
    (rows.iter().map(|&row| graphs[row as usize].clone()).collect(), rows)
}

/// Compares the folds of these passes; gives the subtrees that were skipped.
fn compare_folds(passes: Passes<'_>, threads: usize, limits: Option<(usize, usize)>) -> u64 {
    let options = SearchOptions { threads, ..walk() };
    let tree = SharedTree::with_limits(passes.graphs.to_vec(), passes.mining(), options, 2, limits).unwrap();
    let mut skipped = 0;
    // All folds share one tree, which the folds before have grown.
    for at in 0..3 {
        let (own, rows) = fold(passes.graphs, at);
        let mut search = tree.search_among(rows);
        // Asking for a class makes it leave the tree.
        let alone = Passes { graphs: &own, classes: at == 2, ..passes };
        let (patterns, stats) = alone.compare(&mut search);
        assert!(at == 2 || search.shares() == (limits.is_none() && passes.unit == Competes::SupportClass));
        assert!(stats.visited < patterns);
        skipped += stats.skips.total();
    }
    skipped
}

#[test]
fn the_answer_is_that_of_a_search_over_these_graphs_alone() {
    let (mut skipped, mut merged) = (0, 0);
    for seed in 500..508 {
        let graphs = if seed < 504 { set(seed) } else { qualified_set(seed) };
        for (rule, threads) in [(Rule::Top(4), 1), (Rule::Top(4), 3), (Rule::Above(6.0), 1)] {
            let mut passes = Passes::new(&graphs, seed, rule, Competes::SupportClass);
            if seed >= 504 {
                passes = passes.qualified();
            }
            for passes in [passes, passes.counted(CountTransform::Log1p, Counts::Copies)] {
                skipped += compare_folds(passes, threads, None);
            }
        }
        merged += merged_classes(&graphs);
    }
    assert!(skipped > 1000 && merged > 5, "{skipped} subtrees skipped, {merged} classes merged");
}

#[test]
fn a_search_that_has_to_leave_the_tree_finds_the_same() {
    let graphs = qualified_set(509);
    for unit in [Competes::Pattern, Competes::SupportClass] {
        let passes = Passes::new(&graphs, 509, Rule::Top(4), unit).qualified();
        for limits in [(0, 1 << 30), (0, 0)] {
            compare_folds(passes, 1, Some(limits));
        }
    }
    compare_folds(Passes::new(&graphs, 509, Rule::Top(4), Competes::Pattern).qualified(), 1, None);
}

/// Distinct supports of the smallest patterns that the graphs of a fold cannot distinguish.
fn merged_classes(graphs: &[Graph]) -> usize {
    let tree = Tree::new(graphs, MineParams::default()).unwrap();
    let mut all: Vec<Vec<u32>> = tree
        .roots()
        .flat_map(|root| tree.expand(root).chain([root]))
        .map(|node| tree.support(node).unpacked().graphs().to_vec())
        .collect();
    all.sort();
    all.dedup();
    let distinct = all.len();
    let (_, rows) = fold(graphs, 0);
    for support in &mut all {
        support.retain(|graph| rows.contains(graph));
    }
    all.sort();
    all.dedup();
    distinct - all.len()
}

#[test]
fn a_pattern_must_be_in_enough_of_the_graphs_of_the_search() {
    let graphs = set(509);
    let params = MineParams { max_edges: 3, min_support: 2, ..MineParams::default() };
    let options = SearchOptions::default();
    let shared = SharedTree::with_limits(graphs.clone(), params.clone(), options, 1, None).unwrap();
    let (own, rows) = fold(&graphs, 0);
    let mut alone = TreeSearch::new(Tree::new(&own, params.clone()).unwrap(), options);
    let mut search = shared.search_among(rows);
    let (mut found, mut missing) = (0, 0);
    let tree = Tree::new(&graphs, params).unwrap();
    for root in tree.roots() {
        for node in tree.expand(root).chain([root]) {
            let code = tree.code(node);
            match (search.lookup(&code), alone.lookup(&code)) {
                (Ok(here), Ok(there)) => {
                    assert_eq!((here.graphs(), here.counts()), (there.graphs(), there.counts()));
                    found += 1;
                }
                (Err(here), Err(there)) => {
                    assert!(matches!(here, SearchError::NoSuchPattern { .. }) && here == there);
                    missing += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(found > 5 && missing > 0, "{found} found, {missing} missing");
}
