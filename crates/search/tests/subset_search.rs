//! Searches over some graphs of a shared tree against the exhaustive search over these graphs alone, bit for bit.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::Passes;
use einsicht_graph::Graph;
use einsicht_graph::mine::{Counts, MineParams, Tree};
use einsicht_search::feature::CountTransform;
use einsicht_search::{Rule, Search, SearchError, SearchOptions, SubsetSearch, TreeSearch, Unit};
use einsicht_testkit::passes::{qualified_set, set};
use std::sync::Arc;

/// Two thirds of the graphs, with their numbers.
fn fold(graphs: &[Graph], at: usize) -> (Vec<Graph>, Vec<u32>) {
    let rows: Vec<u32> = (0..graphs.len() as u32).filter(|row| *row as usize % 3 != at).collect();
    (rows.iter().map(|&row| graphs[row as usize].clone()).collect(), rows)
}

#[test]
fn the_answer_is_that_of_a_search_over_these_graphs_alone() {
    let (mut skipped, mut merged) = (0, 0);
    for seed in 500..508 {
        let graphs = if seed < 504 { set(seed) } else { qualified_set(seed) };
        let is_qualified = seed >= 504;
        for rule in [Rule::Top(4), Rule::Above(6.0)] {
            for threads in [1, 3] {
                let mut passes = Passes::new(&graphs, seed, rule, Unit::SupportClass);
                if is_qualified {
                    passes = passes.qualified();
                }
                for passes in [passes, passes.counted(CountTransform::Log1p, Counts::Copies)] {
                    let tree = Arc::new(Tree::new(&graphs, passes.mining()).unwrap());
                    let options = SearchOptions { threads, ..SearchOptions::default() };
                    // All folds share one tree, which the folds before have grown.
                    for at in 0..3 {
                        let (own, rows) = fold(&graphs, at);
                        let mut search =
                            SubsetSearch::new(TreeSearch::new(Arc::clone(&tree), options), rows.clone(), 1);
                        let alone = Passes { graphs: &own, classes: !is_qualified, ..passes };
                        let (patterns, stats) = alone.compare(&mut search);
                        assert!(stats.visited < patterns);
                        skipped += stats.pruned + stats.skipped_by_drift;
                        merged += merged_classes(&tree, &rows);
                    }
                }
            }
        }
    }
    assert!(skipped > 1000 && merged > 20, "{skipped} subtrees skipped, {merged} classes merged");
}

/// Distinct supports of the roots that the graphs of a fold cannot tell apart.
fn merged_classes(tree: &Tree, rows: &[u32]) -> usize {
    let mut all: Vec<Vec<u32>> = tree.roots().map(|node| tree.support(node).graphs().to_vec()).collect();
    all.sort();
    all.dedup();
    let distinct = all.len();
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
    let tree = Arc::new(Tree::new(&graphs, params.clone()).unwrap());
    let (own, rows) = fold(&graphs, 0);
    let mut alone = TreeSearch::new(Tree::new(&own, params).unwrap(), SearchOptions::default());
    let mut search = SubsetSearch::new(TreeSearch::new(Arc::clone(&tree), SearchOptions::default()), rows, 2);
    let (mut found, mut missing) = (0, 0);
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
