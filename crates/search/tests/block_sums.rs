//! Searches over more than one block of rows against the exhaustive one, bit for bit: with and without pruning, on
//! several threads, without a tree, with counts, and over some rows of a shared tree, whose blocks are their own.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Passes, add};
use einsicht_graph::Graph;
use einsicht_graph::mine::Counts;
use einsicht_graph::tree::Tree;
use einsicht_search::bound::{BLOCK_ROWS, Delta};
use einsicht_search::feature::{CountTransform, Values};
use einsicht_search::{
    Competes, Query, Rule, Search, SearchOptions, SearchStats, SharedTree, StreamingSearch, TreeSearch,
};
use einsicht_testkit::passes::{HIDDEN, set};
use einsicht_testkit::strategy::Dice;

/// More than two blocks, each row with one of half a dozen graphs.
fn rows(seed: u64) -> Vec<u32> {
    let mut dice = Dice::new(seed);
    (0..2 * BLOCK_ROWS + 300).map(|_| dice.below(6)).collect()
}

fn kinds<'a>(graphs: &'a [Graph], rows: &'a [u32], seed: u64, rule: Rule) -> [Passes<'a>; 3] {
    let plain = Passes { classes: false, ..Passes::new(graphs, seed, rule, Competes::SupportClass) }.repeated(rows);
    let vertices = Passes { language: (0, 0), ..plain };
    [plain, vertices, vertices.counted(CountTransform::Log1p, Counts::Copies)]
}

#[test]
fn rows_in_several_blocks_are_searched_as_exactly_as_few() {
    let mut sums = SearchStats::default();
    for seed in 700..701 {
        let (graphs, rows) = (set(seed)[..6].to_vec(), rows(seed));
        for passes in kinds(&graphs, &rows, seed, Rule::Top(4)) {
            let tree = || Tree::new(&passes.graphs_of_rows(), passes.mining()).unwrap();
            for (threads, prune) in [(1, true), (1, false), (3, true)] {
                let options = SearchOptions { threads, prune, ..SearchOptions::default() };
                let (patterns, stats) = passes.compare(&mut TreeSearch::new(tree(), options));
                assert!(if prune { stats.visited < patterns } else { stats.visited == patterns });
                add(&mut sums, &stats);
            }
            let mut streaming = StreamingSearch::new(passes.graphs_of_rows().into(), passes.mining()).unwrap();
            passes.compare(&mut streaming);
        }
    }
    assert!(sums.skips.by_bound() > 0 && sums.skips.by_drift() > 0, "{sums:?}");
}

#[test]
fn some_rows_of_a_shared_tree_have_blocks_of_their_own() {
    let (graphs, rows) = (set(703)[..6].to_vec(), rows(703));
    let options = SearchOptions::default();
    for passes in kinds(&graphs, &rows, 703, Rule::Top(4)) {
        let tree = SharedTree::with_limits(passes.graphs_of_rows(), passes.mining(), options, 2, None).unwrap();
        for fold in 0..3 {
            // Two thirds of the rows: their second block starts in the middle of a block of the tree.
            let kept: Vec<u32> = (0..rows.len() as u32).filter(|row| row % 3 != fold).collect();
            assert!(kept.len() > BLOCK_ROWS);
            let own: Vec<u32> = kept.iter().map(|&row| rows[row as usize]).collect();
            let mut search = tree.search_among(kept);
            let (patterns, stats) = passes.repeated(&own).compare(&mut search);
            assert!(search.shares() && stats.visited < patterns && stats.skips.by_bound() > 0, "{stats:?}");
        }
    }
}

#[test]
fn blocks_change_the_last_bits_of_scores() {
    // Otherwise nothing above would show that the sums are those of blocks.
    let (graphs, rows) = (set(704)[..6].to_vec(), rows(704));
    let passes = Passes::new(&graphs, 704, Rule::Top(40), Competes::SupportClass).repeated(&rows);
    let tree = Tree::new(&passes.graphs_of_rows(), passes.mining()).unwrap();
    let mut dice = Dice::new(704);
    let delta: Vec<f64> = (0..rows.len() * HIDDEN).map(|_| f64::from(dice.below(2001)) / 999.0 - 1.0).collect();
    let result = TreeSearch::new(tree, SearchOptions::default()).search(&Query {
        delta: Delta::new(&delta, HIDDEN).unwrap(),
        active: &[],
        step_sizes: &[],
        decay: 0.0,
        rule: Rule::Top(40),
        unit: Competes::SupportClass,
        banned: &[],
        values: Values::Presence,
        floor: f64::NEG_INFINITY,
    });
    let in_one_sum = |graphs: &[u32], k: usize| {
        let of = |keep: fn(f64) -> f64| {
            graphs.iter().map(|&graph| keep(delta[graph as usize * HIDDEN + k])).fold(0.0, |sum, d| sum + d)
        };
        of(|d| d.max(0.0)) + of(|d| d.min(0.0))
    };
    let candidates = result.unwrap().candidates;
    let differ = candidates.iter().filter(|c| (0..HIDDEN).any(|k| c.gradient[k] != in_one_sum(c.support.graphs(), k)));
    assert!(differ.count() > candidates.len() / 2);
}
