//! Single vertices, qualified vertices and counts of copies: miner, tree and matcher against the definition, in every
//! mode.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Found, Keep, expected, grown, occurrence, visited};
use einsicht_graph::matching::{CountSet, PatternSet, Scratch, Width};
use einsicht_graph::mine::{Condense, Counts, MineParams, MineStats, PatternListBuilder, Tally, condense, mine};
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph, one_edge_less, one_qualifier_less};
use einsicht_testkit::cases;
use einsicht_testkit::oracle::{self, Occurrence};
use einsicht_testkit::strategy::{Dice, Shape, graph_of};

/// In the order of the visits.
fn mined(graphs: &[Graph], params: &MineParams) -> (Vec<(DfsCode, Occurrence)>, MineStats) {
    visited(graphs, params, Keep { grows_all: true, ..Keep::default() })
}

fn qualified_graphs(dice: &mut Dice, shape: Shape, most: u32) -> Vec<Graph> {
    let mut graphs = dice.graphs(shape, most);
    for graph in &mut graphs {
        dice.qualify(graph);
    }
    graphs
}

#[test]
fn every_pattern_of_the_language_is_found_once_in_every_mode() {
    let mut dice = Dice::new(71);
    let (mut patterns, mut qualified, mut twice, mut vertices, mut searched, mut recomputed) = (0, 0, 0, 0, 0, 0);
    let mut limited = 0;
    for round in 0..cases(500, 2000) as usize {
        let small = Shape { vertices: 5, edges: 6, ..[Shape::PLAIN, Shape::EDGE_LABELS, Shape::UNLABELLED][round % 3] };
        let graphs = qualified_graphs(&mut dice, small, 4);
        let params = MineParams {
            min_edges: round % 2,
            max_qualifiers: round % 4,
            max_qualified_edges: if round % 5 == 0 { 1 + round / 5 % 2 } else { 31 },
            max_edges: 1 + round / 4 % 4,
            min_support: 1 + round / 2 % 2 * usize::from(graphs.len() > 1),
            counts: [Counts::Off, Counts::Copies, Counts::MinimumImage, Counts::Copies][round / 5 % 4],
            ..MineParams::default()
        };
        let wanted = expected(&graphs, &params);
        let too_large = |code: &&DfsCode| code.num_edges() > params.max_qualified_edges;
        limited += if params.max_qualifiers > 0 { wanted.keys().filter(too_large).count() as u32 } else { 0 };
        let (visited, _) = mined(&graphs, &params);
        assert_eq!(visited.iter().cloned().collect::<Found>(), wanted, "round {round}");
        assert_eq!(visited.len(), wanted.len(), "no pattern comes twice");
        assert_eq!(grown(&graphs, &params, &mut dice).0, wanted, "round {round}");
        // Samples of embeddings, a memory limit and threads change nothing, not even the order.
        let sampled = MineParams { embeddings_per_graph: Some(1 + round % 2), ..params.clone() };
        let (found, stats) = mined(&graphs, &sampled);
        assert_eq!(found, visited, "round {round}, sampled");
        searched += stats.searched;
        assert_eq!(grown(&graphs, &sampled, &mut dice).0, wanted, "round {round}, sampled tree");
        let least = Tree::new(&graphs, params.clone()).unwrap().min_mine_memory();
        let (found, stats) = mined(&graphs, &MineParams { memory: Some(least), ..params.clone() });
        assert_eq!(found, visited, "round {round}, with a memory limit");
        recomputed += stats.recomputed;
        patterns += wanted.len() as u32;
        qualified += wanted.keys().filter(|code| !code.qualifiers().is_empty()).count() as u32;
        twice += wanted.keys().filter(|code| code.qualifiers().len() > 1).count() as u32;
        vertices += wanted.keys().filter(|code| code.num_edges() == 0).count() as u32;
    }
    assert!(
        patterns > cases(4_000, 15_000)
            && qualified > cases(2_500, 10_000)
            && twice > cases(300, 2_000)
            && vertices > cases(900, 4_000),
        "{patterns} {qualified} {twice} {vertices}"
    );
    assert!(limited > cases(30, 80), "patterns that are too large for qualifiers: {limited}");
    assert!(searched.min(recomputed) > cases(200, 1_000).into(), "{searched} {recomputed}");
}

#[test]
fn threads_and_evicted_embeddings_change_nothing() {
    let mut dice = Dice::new(72);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for counts in [Counts::Off, Counts::Copies] {
        let mut graphs: Vec<Graph> =
            (0..60).map(|_| dice.connected_graph(Shape { edges: 10, ..Shape::PLAIN })).collect();
        for graph in &mut graphs {
            dice.qualify(graph);
        }
        let params = MineParams { min_edges: 0, max_qualifiers: 2, max_edges: 3, counts, ..MineParams::default() };
        let (one, _) = mined(&graphs, &params);
        let (two, _) = pool.install(|| mined(&graphs, &MineParams { threads: 2, ..params.clone() }));
        assert_eq!(one, two);
        let (found, _) = grown(&graphs, &params, &mut dice);
        assert_eq!(found, one.into_iter().collect::<Found>());
        let tree = Tree::new(&graphs, params).unwrap();
        let mut open: Vec<NodeId> = tree.roots().collect();
        let mut again = Found::new();
        while let Some(node) = open.pop() {
            if again.len() == 100 {
                tree.evict_embeddings();
            }
            let support = tree.support(node);
            again.insert(
                tree.code(node),
                occurrence(support.unpacked().graphs(), &support.images().to_vec(), &support.counts().to_vec()),
            );
            open.extend(tree.expand(node));
        }
        assert_eq!(again, found);
        assert!(tree.stats().mined.recomputed > 0);
    }
}

#[test]
fn the_matcher_finds_what_the_miner_finds() {
    let mut dice = Dice::new(73);
    let (mut present, mut absent) = (0, 0);
    for round in 0..40 {
        let graphs = qualified_graphs(&mut dice, Shape { vertices: 7, edges: 9, ..Shape::EDGE_LABELS }, 5);
        let params = MineParams {
            min_edges: 0,
            max_qualifiers: 2,
            max_edges: 3,
            counts: if round % 2 == 0 { Counts::Copies } else { Counts::MinimumImage },
            ..MineParams::default()
        };
        let (found, _) = mined(&graphs, &params);
        let codes: Vec<DfsCode> = found.iter().map(|(code, _)| code.clone()).collect();
        let (set, counter) = (PatternSet::new(&codes), CountSet::new(&codes, params.counts));
        for width in [Width::Fastest, Width::AtLeast128, Width::AtLeast512, Width::General] {
            let mut scratch = Scratch::with_width(width);
            for (id, graph) in (0..).zip(&graphs) {
                let at = |occurrence: &Occurrence| occurrence.graphs.binary_search(&id).ok();
                let wanted = found.iter().enumerate().filter(|(_, (_, o))| at(o).is_some()).map(|(p, _)| p as u32);
                let wanted: Vec<u32> = wanted.collect();
                assert_eq!(set.matches(graph, &mut scratch), wanted);
                let counts: Vec<u32> = found.iter().map(|(_, o)| at(o).map_or(0, |at| o.copies[at])).collect();
                assert_eq!(counter.counts(graph, &mut scratch), counts);
                present += wanted.len();
                absent += found.len() - wanted.len();
            }
        }
        for (code, _) in found.iter().step_by(7) {
            assert!(code.is_minimum());
            assert_eq!(DfsCode::minimum_of(&dice.renumbered(&code.to_graph())).as_ref(), Some(code));
        }
    }
    assert!(present > 10_000 && absent > 10_000, "{present} {absent}");
}

#[test]
fn counts_are_at_most_the_number_of_occurrences() {
    let mut dice = Dice::new(74);
    let (mut equal, mut fewer) = (0, 0);
    for _ in 0..60 {
        let graphs = qualified_graphs(&mut dice, Shape { vertices: 7, edges: 9, ..Shape::UNLABELLED }, 3);
        let params = MineParams {
            min_edges: 0,
            max_qualifiers: 1,
            max_edges: 4,
            counts: Counts::Copies,
            ..MineParams::default()
        };
        for (code, occurrence) in mined(&graphs, &params).0 {
            let pattern = code.to_graph();
            for (&graph, &count) in occurrence.graphs.iter().zip(&occurrence.copies) {
                let graph = &graphs[graph as usize];
                let occurrences = match code.num_edges() {
                    0 => oracle::embeddings(graph, &pattern).len(),
                    _ => oracle::edge_sets(graph, &pattern).len(),
                };
                assert!(1 <= count && count as usize <= occurrences, "{code:?}: {count} of {occurrences}");
                if code.num_edges() == 0 {
                    assert_eq!(count as usize, occurrences);
                }
                *if count as usize == occurrences { &mut equal } else { &mut fewer } += 1;
            }
        }
    }
    assert!(equal > 1000 && fewer > 1000, "{equal} {fewer}");
}

#[test]
fn closed_patterns_are_closed_in_edges_and_minimal_in_qualifiers() {
    let mut dice = Dice::new(75);
    let (mut kept, mut gone) = (0, 0);
    for round in 0..60 {
        let graphs = qualified_graphs(&mut dice, Shape { vertices: 5, edges: 6, ..Shape::PLAIN }, 4);
        let params =
            MineParams { min_edges: round % 2, max_qualifiers: 1 + round % 2, max_edges: 3, ..MineParams::default() };
        let mut builder = PatternListBuilder::default();
        mine(&graphs, &params, &mut builder).unwrap();
        let list = builder.finish();
        let wanted = expected(&graphs, &params);
        for which in [Condense::Closed, Condense::Maximal] {
            let condensed = condense(&list, which);
            for pattern in 0..list.len() {
                let code = list.code(pattern);
                assert_eq!(list.find(&code), Some(pattern));
                let same = |other: &DfsCode| wanted[other].graphs == wanted[&code].graphs;
                let larger = |smaller: fn(&DfsCode) -> Vec<DfsCode>| {
                    wanted.keys().filter(|large| smaller(large).contains(&code)).collect::<Vec<_>>()
                };
                let is_kept = if which == Condense::Closed {
                    let fewer = one_qualifier_less(&code).into_iter().filter(|small| wanted.contains_key(small));
                    !larger(one_edge_less).into_iter().any(same) && !fewer.into_iter().any(|small| same(&small))
                } else {
                    larger(one_edge_less).is_empty() && larger(one_qualifier_less).is_empty()
                };
                assert_eq!(condensed[pattern], is_kept, "{code:?}");
                *if is_kept { &mut kept } else { &mut gone } += 1;
            }
        }
        let mut tally = Tally::default();
        mine(&graphs, &params, &mut tally).unwrap();
        assert_eq!(tally.patterns as usize, wanted.len());
        assert_eq!(tally.single_vertices as usize, wanted.keys().filter(|code| code.num_edges() == 0).count());
    }
    assert!(kept > 1000 && gone > 1000, "{kept} {gone}");
}

/// Graphs with one label and many edges, like ego networks of social sets.
fn dense_graphs(dice: &mut Dice, number: u32, vertices: (u32, u32), tenths: (u32, u32)) -> Vec<Graph> {
    let one = |dice: &mut Dice| {
        let len = vertices.0 + dice.below(vertices.1 - vertices.0 + 1);
        let probability = 100 * tenths.0 + dice.below(100 * (tenths.1 - tenths.0) + 1);
        let pairs = (0..len).flat_map(|to| (0..to).map(move |from| (from, to)));
        let edges: Vec<(u32, u32, u32)> =
            pairs.filter(|_| dice.below(1000) < probability).map(|(from, to)| (from, to, 0)).collect();
        graph_of(&vec![0; len as usize], &edges)
    };
    (0..number).map(|_| one(dice)).collect()
}

#[test]
fn counts_by_searches_are_those_of_lists() {
    let mut dice = Dice::new(76);
    let (mut searched, mut counted) = (0, 0);
    for round in 0..cases(300, 1200) {
        let mut graphs = match round % 4 {
            0 => dense_graphs(&mut dice, 2, (4, 7), (3, 6)),
            1 => vec![dice.connected_graph(Shape { vertices: 12, edges: 16, ..Shape::PLAIN })],
            2 => vec![dice.connected_graph(Shape { vertices: 10, edges: 13, ..Shape::UNLABELLED })],
            _ => dice.graphs(Shape::EDGE_LABELS, 3),
        };
        if round % 3 == 0 {
            for graph in &mut graphs {
                dice.qualify(graph);
            }
        }
        let counts = if round % 5 == 0 { Counts::MinimumImage } else { Counts::Copies };
        let lists = MineParams { min_edges: 0, max_qualifiers: 1, max_edges: 4, counts, ..MineParams::default() };
        let samples = MineParams { embeddings_per_graph: Some(1), ..lists.clone() };
        let (by_lists, none) = mined(&graphs, &lists);
        let (by_searches, some) = mined(&graphs, &samples);
        assert_eq!(none.searched, 0, "complete lists need no search");
        assert_eq!(by_searches, by_lists, "round {round}");
        assert_eq!(grown(&graphs, &samples, &mut dice).0, by_lists.into_iter().collect::<Found>(), "round {round}");
        searched += some.searched;
        counted += by_searches.len() as u32;
    }
    assert!(searched > cases(10_000, 50_000).into() && counted > cases(4_000, 20_000), "{searched} {counted}");
}

#[test]
fn counts_on_dense_graphs_are_bounded_by_vertices_not_by_embeddings() {
    let mut dice = Dice::new(77);
    let graphs = dense_graphs(&mut dice, 60, (12, 40), (3, 5));
    let params = MineParams { min_edges: 0, max_edges: 6, counts: Counts::Copies, ..MineParams::default() };
    let mut tally = Tally::default();
    let stats = mine(&graphs, &params, &mut tally).unwrap().stats;
    // A complete list would hold billions: a path of six edges alone has over a million embeddings in one of these
    // graphs.
    let pairs = tally.support_sum;
    assert!(tally.patterns > 40 && stats.searched > pairs, "{tally:?} {stats:?}");
    let vertices: u64 = graphs.iter().map(|graph| graph.num_vertices() as u64).sum();
    let most = 7 * vertices * tally.patterns;
    assert!(stats.searched < most, "{} searches, at most {most}", stats.searched);
    assert!(stats.embeddings < 4096 * pairs, "{} embeddings in {pairs} pairs", stats.embeddings);
}
