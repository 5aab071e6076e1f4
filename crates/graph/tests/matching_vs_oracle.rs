//! The matcher against the definition, on thousands of random pairs and with every search that it has.

use einsicht_graph::matching::{self, CountSet, PatternError, PatternSet, Scratch, Width};
use einsicht_graph::mine::Counts;
use einsicht_graph::{DfsCode, EdgeId, Graph, VertexId};
use einsicht_testkit::oracle;
use einsicht_testkit::strategy::{self, Dice, Shape, graph_of};
use proptest::prelude::*;
use std::collections::BTreeSet;

const WIDTHS: [Width; 4] = [Width::Fastest, Width::AtLeast128, Width::AtLeast512, Width::General];
const SHAPES: [Shape; 4] = [
    Shape::PLAIN,
    Shape::EDGE_LABELS,
    Shape::UNLABELLED,
    Shape { vertices: 8, edges: 12, vertex_labels: 3, edge_labels: 1 },
];

/// Connected patterns of at most five edges: some drawn from the graphs, so that they occur, some at random.
fn patterns(dice: &mut Dice, graphs: &[Graph], shape: Shape, len: usize) -> Vec<DfsCode> {
    let random = Shape { vertices: 6, edges: 5, ..shape };
    let one = |dice: &mut Dice| {
        let graph = &graphs[dice.below(graphs.len() as u32) as usize];
        let sets = oracle::connected_edge_sets(graph, 5);
        let pattern = if sets.is_empty() || dice.below(3) == 0 {
            dice.connected_graph(random)
        } else {
            oracle::subgraph(graph, &sets[dice.below(sets.len() as u32) as usize])
        };
        oracle::smallest_code(&pattern)
    };
    (0..len).map(|_| one(dice)).collect()
}

#[test]
fn sets_of_patterns_match_and_count_as_defined_with_every_search() {
    let (mut pairs, mut present) = (0, 0);
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        let mut dice = Dice::new(seed as u64);
        let mut scratches = WIDTHS.map(Scratch::with_width);
        for _ in 0..40 {
            let graphs = dice.graphs(shape, 6);
            let codes = patterns(&mut dice, &graphs, shape, 12);
            let as_graphs: Vec<Graph> = codes.iter().map(|c| dice.renumbered(&c.to_graph())).collect();
            let (set, counter) = (PatternSet::new(&codes), CountSet::new(&codes, Counts::MinimumImage));
            let other = PatternSet::from_graphs(&as_graphs).unwrap();
            let other_counter = CountSet::from_graphs(&as_graphs, Counts::MinimumImage).unwrap();
            let copier = CountSet::from_graphs(&as_graphs, Counts::Copies).unwrap();
            for graph in &graphs {
                let counts: Vec<u32> = codes.iter().map(|c| oracle::min_image_count(graph, &c.to_graph())).collect();
                let expected: Vec<u32> = (0..codes.len() as u32).filter(|&p| counts[p as usize] > 0).collect();
                let copies: Vec<u32> = codes.iter().map(|c| oracle::copies(graph, &c.to_graph())).collect();
                for scratch in &mut scratches {
                    assert_eq!(copier.counts(graph, scratch), copies);
                    assert_eq!(set.matches(graph, scratch), expected);
                    assert_eq!(other.matches(graph, scratch), expected);
                    assert_eq!(counter.counts(graph, scratch), counts);
                    assert_eq!(other_counter.counts(graph, scratch), counts);
                }
                pairs += codes.len();
                present += expected.len();
            }
        }
    }
    assert!(pairs > 5000 && present > 1000 && pairs - present > 1000, "{pairs} pairs, {present} present");
}

#[test]
fn embeddings_are_those_of_the_definition_with_every_search_and_in_one_order() {
    let mut several = 0;
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        let mut dice = Dice::new(100 + seed as u64);
        for _ in 0..300 {
            let graph = dice.graph(shape);
            let code = patterns(&mut dice, std::slice::from_ref(&graph), shape, 1).remove(0);
            let set = PatternSet::new(std::slice::from_ref(&code));
            let lists = WIDTHS.map(|width| {
                let mut scratch = Scratch::with_width(width);
                let all = set.embeddings(0, &graph, usize::MAX, &mut scratch);
                let distinct = set.distinct_embeddings(0, &graph, usize::MAX, &mut scratch);
                assert_eq!(set.embeddings(0, &graph, 2, &mut scratch), all[..all.len().min(2)]);
                assert_eq!(set.distinct_embeddings(0, &graph, 1, &mut scratch), distinct[..distinct.len().min(1)]);
                (all, distinct)
            });
            assert!(lists.iter().all(|list| *list == lists[0]));
            let (mut all, distinct) = lists[0].clone();
            all.sort_unstable();
            assert_eq!(all, oracle::embeddings(&graph, &code.to_graph()));
            let sets: BTreeSet<Vec<EdgeId>> = distinct.iter().cloned().collect();
            assert_eq!((sets.len(), &sets), (distinct.len(), &oracle::edge_sets(&graph, &code.to_graph())));
            let occurrences = set.occurrences(0, &graph, usize::MAX, &mut Scratch::default());
            assert_eq!(occurrences.iter().map(|one| one.edges.clone()).collect::<Vec<_>>(), distinct);
            for one in occurrences {
                let mut ends: Vec<_> = one
                    .edges
                    .iter()
                    .flat_map(|e| [graph.edges()[e.index()].from, graph.edges()[e.index()].to])
                    .collect();
                ends.sort_unstable();
                ends.dedup();
                assert!(ends.is_empty() && one.vertices.len() == 1 || ends == one.vertices);
            }
            several += usize::from(all.len() > distinct.len() && distinct.len() > 1);
        }
    }
    assert!(several > 100, "{several} cases with an automorphism and several occurrences");
}

#[test]
fn counts_never_grow_from_a_pattern_to_one_that_extends_it() {
    let mut dice = Dice::new(5);
    let (mut compared, mut fell) = (0, 0);
    for _ in 0..400 {
        let graph = dice.graph(Shape { vertices: 8, edges: 12, vertex_labels: 2, edge_labels: 1 });
        let code = patterns(&mut dice, std::slice::from_ref(&graph), Shape::PLAIN, 1).remove(0);
        let mut last = u32::MAX;
        for len in 1..=code.num_edges() {
            let prefix = DfsCode::new(code.edges()[..len].to_vec()).unwrap();
            let count = matching::count(&graph, &prefix, Counts::MinimumImage);
            assert!(count <= last);
            fell += usize::from(last != u32::MAX && count < last);
            compared += 1;
            last = count;
        }
    }
    assert!(compared > 800 && fell > 100, "{compared} compared, {fell} fell");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut dice = Dice::new(9);
    let graphs: Vec<Graph> = (0..200).map(|_| dice.graph(Shape::EDGE_LABELS)).collect();
    let codes = patterns(&mut dice, &graphs, Shape::EDGE_LABELS, 30);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            (PatternSet::new(&codes).match_all(&graphs), CountSet::new(&codes, Counts::Copies).count_all(&graphs))
        })
    };
    let (matches, counts) = on(1);
    assert_eq!((matches.len(), counts.len()), (200, 200));
    assert_eq!((&matches, &counts), (&on(2).0, &on(2).1));
    for (matches, counts) in matches.iter().zip(&counts) {
        let present: Vec<u32> = (0..codes.len() as u32).filter(|&p| counts[p as usize] > 0).collect();
        assert_eq!(*matches, present);
    }
}

/// A ring of `len` vertices, labels `0..labels` in turn, with a tail at vertex 0.
fn ring_with_tail(len: u32, labels: u32, tail: u32) -> Graph {
    let vertices: Vec<u32> = (0..len).map(|v| v % labels).chain((0..tail).map(|_| 0)).collect();
    let mut edges: Vec<(u32, u32, u32)> = (0..len).map(|v| (v, (v + 1) % len, 0)).collect();
    edges.extend((0..tail).map(|t| (if t == 0 { 0 } else { len + t - 1 }, len + t, 0)));
    graph_of(&vertices, &edges)
}

#[test]
fn large_graphs_many_labels_and_long_patterns_are_no_special_case() {
    let mut scratch = Scratch::default();
    for len in [60, 120, 300, 5000] {
        // As many labels as vertices, so 300 and 5000 go beyond a byte.
        let graph = ring_with_tail(len, len, 3);
        let pattern = ring_with_tail(len, len, 2);
        let broken = ring_with_tail(len, len - 1, 0);
        let set = PatternSet::from_graphs(&[pattern.clone(), broken, graph_of(&[9, 9], &[(0, 1, 0)])]).unwrap();
        assert_eq!(set.matches(&graph, &mut scratch), [0]);
        assert_eq!(set.embeddings(0, &graph, 9, &mut scratch).len(), 1);
        if len <= 300 {
            assert_eq!(
                CountSet::from_graphs(&[pattern], Counts::MinimumImage).unwrap().counts(&graph, &mut scratch),
                [1]
            );
        }
    }
    // 24 edges, one label: 26 - 25 + 1 = 2 embeddings in each direction on a path of 26.
    let path = |len: u32| graph_of(&vec![4; len as usize], &(1..len).map(|v| (v - 1, v, 7)).collect::<Vec<_>>());
    let set = PatternSet::from_graphs(&[path(25)]).unwrap();
    assert_eq!(set.embeddings(0, &path(26), 9, &mut scratch).len(), 4);
    assert_eq!(set.distinct_embeddings(0, &path(26), 9, &mut scratch).len(), 2);
    // The vertex in the middle has the fewest images: all but twelve vertices at each end.
    assert_eq!(
        CountSet::from_graphs(&[path(25)], Counts::MinimumImage).unwrap().counts(&path(300), &mut scratch),
        [276]
    );
}

#[test]
fn many_equal_neighbors_are_counted_to_the_end() {
    // Beyond what a shape counts: stars of 5 to 9 leaves.
    let star =
        |leaves: u32| graph_of(&vec![0; leaves as usize + 1], &(1..=leaves).map(|v| (0, v, 0)).collect::<Vec<_>>());
    for width in WIDTHS {
        let set = PatternSet::from_graphs(&[5, 6, 7, 8, 9].map(star)).unwrap();
        assert_eq!(set.matches(&star(7), &mut Scratch::with_width(width)), [0, 1, 2]);
        let two_stars = {
            let mut edges: Vec<(u32, u32, u32)> = (2..7).map(|v| (0, v, 0)).collect();
            edges.extend((7..13).map(|v| (1, v, 0)));
            edges.push((0, 1, 0));
            graph_of(&[0; 13], &edges)
        };
        // The two centers have one shape, but only one of them has six leaves.
        let counts = CountSet::from_graphs(&[two_stars.clone(), star(6), star(7)], Counts::MinimumImage).unwrap();
        assert_eq!(counts.counts(&two_stars, &mut Scratch::with_width(width)), [1, 2, 1]);
    }
}

#[test]
fn what_is_not_a_pattern_is_refused_and_an_empty_set_or_graph_is_fine() {
    let loose = graph_of(&[0, 0, 0, 0], &[(0, 1, 0), (2, 3, 0)]);
    let edge = graph_of(&[0, 0], &[(0, 1, 0)]);
    let refused = |graphs: &[Graph]| PatternSet::from_graphs(graphs).unwrap_err();
    assert_eq!(refused(&[edge.clone(), loose]), PatternError::NotConnected { pattern: 1, components: 2 });
    assert_eq!(refused(&[graph_of(&[], &[])]), PatternError::NoVertex { pattern: 0 });
    for width in WIDTHS {
        let mut scratch = Scratch::with_width(width);
        assert!(PatternSet::new(&[]).matches(&edge, &mut scratch).is_empty());
        let set = PatternSet::from_graphs(std::slice::from_ref(&edge)).unwrap();
        assert!(set.matches(&graph_of(&[], &[]), &mut scratch).is_empty());
        assert!(set.embeddings(0, &edge, 0, &mut scratch).is_empty());
    }
}

#[test]
fn single_questions_need_no_set() {
    let graph = graph_of(&[0, 1, 0], &[(0, 1, 0), (1, 2, 0)]);
    let code = oracle::smallest_code(&graph_of(&[0, 1], &[(0, 1, 0)]));
    assert!(matching::contains(&graph, &code));
    assert_eq!(matching::embeddings(&graph, &code, 9), [[0, 1], [2, 1]].map(|e| e.map(VertexId).to_vec()));
    assert_eq!(matching::distinct_embeddings(&graph, &code, 9).len(), 2);
    assert_eq!(matching::count(&graph, &code, Counts::MinimumImage), 1);
}

proptest! {
    #[test]
    fn a_graph_contains_a_pattern_exactly_if_an_injective_map_says_so(
        graph in strategy::graph(Shape::EDGE_LABELS),
        pattern in strategy::connected_graph(Shape { edges: 5, ..Shape::EDGE_LABELS }),
    ) {
        let set = PatternSet::from_graphs(std::slice::from_ref(&pattern)).unwrap();
        for width in WIDTHS {
            let contains = !set.matches(&graph, &mut Scratch::with_width(width)).is_empty();
            prop_assert_eq!(contains, oracle::contains(&graph, &pattern));
        }
    }
}
