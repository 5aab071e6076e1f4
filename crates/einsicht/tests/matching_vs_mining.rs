//! The matcher and the miner, which share no code, agree pair by pair and count by count on real sets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

use einsicht::data::read::{EdgeLabels, ReadOptions, TargetChoice, read};
use einsicht::graph::matching::{CountSet, PatternSet};
use einsicht::graph::mine::{Counts, MineControl, MineParams, VisitedPattern, Visitor, mine};
use einsicht::graph::{DfsCode, Graph};
use einsicht_testkit::{fixture, shared};
use std::path::Path;

/// Codes, and for each the graphs with their counts.
#[derive(Default)]
struct Keep {
    codes: Vec<DfsCode>,
    found: Vec<Vec<(u32, u32)>>,
}

impl Visitor for Keep {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        self.codes.push(DfsCode::new(found.code.to_vec()).unwrap());
        self.found.push(found.graphs.iter().copied().zip(found.counts.iter().copied()).collect());
        MineControl::Grow
    }

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, later: Self) {
        self.codes.extend(later.codes);
        self.found.extend(later.found);
    }
}

/// Patterns and sum of supports, after everything was compared.
fn agree(path: &Path, edge_labels: EdgeLabels, max_edges: usize) -> (usize, usize) {
    let options = ReadOptions { edge_labels, targets: TargetChoice::Nothing, ..ReadOptions::default() };
    let graphs: Vec<Graph> = read(path, &options).unwrap().graphs;
    let mut mined = Keep::default();
    mine(&graphs, &MineParams { max_edges, counts: Counts::Copies, ..MineParams::default() }, &mut mined).unwrap();
    let counts = by_pattern(
        mined.codes.len(),
        CountSet::new(&mined.codes, Counts::Copies).count_all(&graphs).into_iter().map(|counts| {
            counts.into_iter().enumerate().filter(|&(_, count)| count > 0).map(|(p, count)| (p as u32, count)).collect()
        }),
    );
    assert!(counts == mined.found, "{} differs in counts", path.display());
    let presence = |codes: &[DfsCode]| {
        let all = PatternSet::new(codes).match_all(&graphs);
        by_pattern(codes.len(), all.into_iter().map(|found| found.into_iter().map(|p| (p, 1)).collect()))
    };
    let mined_presence: Vec<Vec<(u32, u32)>> =
        mined.found.iter().map(|found| found.iter().map(|&(graph, _)| (graph, 1)).collect()).collect();
    assert!(presence(&mined.codes) == mined_presence, "{} differs", path.display());
    // Patterns of one size do not begin like each other, so here every pair is decided by itself.
    for size in 1..=max_edges {
        let these: Vec<usize> = (0..mined.codes.len()).filter(|&p| mined.codes[p].num_edges() == size).collect();
        let codes: Vec<DfsCode> = these.iter().map(|&p| mined.codes[p].clone()).collect();
        let wanted: Vec<_> = these.iter().map(|&p| mined_presence[p].clone()).collect();
        assert!(presence(&codes) == wanted, "{} differs at {size} edges", path.display());
    }
    (mined.codes.len(), mined.found.iter().map(Vec::len).sum())
}

/// From (pattern, value) by graph to (graph, value) by pattern.
fn by_pattern(patterns: usize, by_graph: impl Iterator<Item = Vec<(u32, u32)>>) -> Vec<Vec<(u32, u32)>> {
    let mut lists = vec![Vec::new(); patterns];
    for (graph, found) in by_graph.enumerate() {
        for (pattern, value) in found {
            lists[pattern as usize].push((graph as u32, value));
        }
    }
    lists
}

#[test]
fn they_agree_on_the_sets_of_the_repository() {
    assert_eq!(agree(&fixture("MUTAG"), EdgeLabels::Ignore, 5), (387, 8390));
    assert_eq!(agree(&fixture("MUTAG"), EdgeLabels::Use, 5), (1273, 14825));
    let (patterns, support_sum) = agree(&fixture("ENZYMES_60"), EdgeLabels::Auto, 4);
    assert!(patterns > 300 && support_sum > 5000, "{patterns} patterns, {support_sum} pairs");
}

#[test]
fn they_agree_on_bzr_and_ptc_mr() {
    if let Some(bzr) = shared("data/tu/BZR") {
        assert_eq!(agree(&bzr, EdgeLabels::Auto, 5), (1744, 86445));
    }
    if let Some(ptc) = shared("data/tu/PTC_MR") {
        assert_eq!(agree(&ptc, EdgeLabels::Ignore, 5), (1472, 14340));
        assert_eq!(agree(&ptc, EdgeLabels::Use, 5), (3566, 20409));
    }
}
