//! Lists of patterns, and their closed and maximal ones, against the definition, on many tiny graphs.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_graph::mine::{Condense, Counts, MineParams, PatternList, PatternListBuilder, Tally, condense, mine};
use einsicht_graph::{DfsCode, Graph};
use einsicht_testkit::oracle;
use einsicht_testkit::strategy::{Dice, Shape};
use std::collections::BTreeSet;

fn list(graphs: &[Graph], params: &MineParams) -> PatternList {
    let mut list = PatternListBuilder::default();
    assert!(mine(graphs, params, &mut list).unwrap().complete);
    list.finish()
}

fn kept(list: &PatternList, which: Condense) -> BTreeSet<DfsCode> {
    let kept = condense(list, which);
    (0..list.len()).filter(|&pattern| kept[pattern]).map(|pattern| list.code(pattern)).collect()
}

#[test]
fn closed_and_maximal_patterns_are_those_of_the_definition() {
    let mut dice = Dice::new(11);
    let (mut all, mut closed, mut maximal) = (0, 0, 0);
    for round in 0..1200 {
        let shape = [Shape::PLAIN, Shape::EDGE_LABELS, Shape::UNLABELLED][round % 3];
        let graphs = dice.graphs(shape, 4);
        if graphs.is_empty() {
            continue;
        }
        let min_support = 1 + dice.below(graphs.len().min(2) as u32) as usize;
        let max_edges = 2 + round % 5;
        let counts = if round % 4 == 0 { Counts::MinimumImage } else { Counts::Off };
        let params = MineParams { max_edges, min_support, counts, ..MineParams::default() };
        let found = list(&graphs, &params);
        let wanted = oracle::mine_by_definition(&graphs, max_edges, min_support);
        assert_eq!(found.len(), wanted.len());
        let (wanted_closed, wanted_maximal) = (oracle::closed(&wanted), oracle::maximal(&wanted));
        assert_eq!(kept(&found, Condense::Closed), wanted_closed, "round {round}");
        assert_eq!(kept(&found, Condense::Maximal), wanted_maximal, "round {round}");
        all += wanted.len();
        closed += wanted_closed.len();
        maximal += wanted_maximal.len();
    }
    // Each rule leaves something out that the other keeps.
    assert!(maximal < closed && closed < all && maximal > 1000, "{all} patterns, {closed} closed, {maximal} maximal");
}

#[test]
fn a_list_holds_what_the_definition_says_and_finds_every_code_again() {
    let mut dice = Dice::new(12);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for round in 0..100 {
        let graphs: Vec<Graph> = (0..3).map(|_| dice.connected_graph(Shape::EDGE_LABELS)).collect();
        let wanted = oracle::mine_by_definition(&graphs, 5, 1);
        let params =
            MineParams { max_edges: 5, counts: Counts::MinimumImage, threads: 1 + round % 2, ..MineParams::default() };
        let found = pool.install(|| list(&graphs, &params));
        let mut tally = Tally::default();
        let mut supports = BTreeSet::new();
        for (pattern, (code, occurrence)) in wanted.iter().enumerate() {
            assert_eq!(&found.code(pattern), code);
            assert_eq!(found.find(code), Some(pattern));
            assert_eq!(found.num_edges(pattern), code.num_edges());
            let support = found.support(pattern);
            assert_eq!(
                (support.graphs(), support.counts().to_vec()),
                (&occurrence.graphs[..], occurrence.counts.clone())
            );
            let parent = found.parent(pattern).map(|parent| found.code(parent));
            assert_eq!(parent.as_ref().map_or(&[][..], DfsCode::edges), &code.edges()[..code.num_edges() - 1]);
            tally.add(code.num_edges(), occurrence.graphs.len());
            supports.insert((&occurrence.graphs, &occurrence.counts));
        }
        assert_eq!((found.len(), found.distinct_supports()), (wanted.len(), supports.len()));
        let mut counted = Tally::default();
        pool.install(|| mine(&graphs, &params, &mut counted).unwrap());
        assert_eq!(counted, tally);
        // A code that is no pattern of these graphs is not found.
        let unknown = DfsCode::minimum_of(&dice.connected_graph(Shape { edge_labels: 9, ..Shape::EDGE_LABELS }));
        if let Some(code) = unknown.filter(|code| !wanted.contains_key(code)) {
            assert_eq!(found.find(&code), None);
        }
    }
}
