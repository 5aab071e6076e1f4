//! Miner and matcher, which share no code, agree on every pair of a mined pattern and a graph of real sets.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_data::read::{ReadOptions, TargetChoice, read};
use einsicht_graph::matching::{CountSet, PatternSet, Scratch};
use einsicht_graph::mine::{Counts, MineParams, PatternList, PatternListBuilder, mine};
use einsicht_graph::{DfsCode, Graph};
use einsicht_testkit::{fixture, shared};
use std::path::Path;

fn mined(graphs: &[Graph], max_edges: usize) -> PatternList {
    let mut gather = PatternListBuilder::default();
    mine(graphs, &MineParams { max_edges, counts: Counts::Copies, ..MineParams::default() }, &mut gather).unwrap();
    gather.finish()
}

/// Compares presence on all pairs, and counts for every `sample`-th pattern. Says how many pairs there were.
fn compare(path: &Path, max_edges: usize, sample: usize) -> usize {
    let dataset = read(path, &ReadOptions { targets: TargetChoice::Nothing, ..ReadOptions::default() }).unwrap();
    let list = mined(&dataset.graphs, max_edges);
    let codes: Vec<DfsCode> = (0..list.len()).map(|pattern| list.code(pattern)).collect();
    let mut supports = vec![Vec::new(); list.len()];
    for (graph, found) in PatternSet::new(&codes).match_all(&dataset.graphs).iter().enumerate() {
        for &pattern in found {
            supports[pattern as usize].push(graph as u32);
        }
    }
    for (pattern, support) in supports.iter().enumerate() {
        assert_eq!(support, list.support(pattern).graphs(), "pattern {pattern} of {}", dataset.name);
    }
    let chosen: Vec<usize> = (0..list.len()).step_by(sample).collect();
    let set = CountSet::new(&chosen.iter().map(|&pattern| codes[pattern].clone()).collect::<Vec<_>>(), Counts::Copies);
    let mut scratch = Scratch::default();
    let mut above_one = 0;
    for (graph, data) in dataset.graphs.iter().enumerate() {
        for (&pattern, &count) in chosen.iter().zip(set.counts(data, &mut scratch)) {
            let support = list.support(pattern);
            let place = support.graphs().binary_search(&(graph as u32));
            let mined = place.ok().and_then(|at| support.counts().get(at));
            assert_eq!(count, mined.unwrap_or(0), "pattern {pattern} in graph {graph}");
            above_one += usize::from(count > 1);
        }
    }
    assert!(above_one > 100, "counts above one were compared");
    list.len() * dataset.len()
}

#[test]
fn miner_and_matcher_agree_on_mutag() {
    assert!(compare(&fixture("MUTAG"), 6, 5) > 500_000);
}

#[test]
fn miner_and_matcher_agree_on_bzr() {
    let Some(bzr) = shared("data/tu/BZR") else { return };
    assert!(compare(&bzr, 6, 10) > 2_000_000);
}

#[test]
fn miner_and_matcher_agree_on_ptc_with_edge_labels() {
    let Some(ptc) = shared("data/tu/PTC_MR") else { return };
    assert!(compare(&ptc, 6, 10) > 2_000_000);
}
