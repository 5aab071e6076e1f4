//! The miner and its tree against the definition, on thousands of tiny graphs, in every mode.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Found, Keep, expected, grown, occurrence, visited};
use einsicht_graph::mine::{
    Counts, MineControl, MineError, MineParams, MineStats, Tally, VisitedPattern, Visitor, mine,
};
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph, Label};
use einsicht_testkit::strategy::{Dice, Shape, graph_of};
use einsicht_testkit::{cases, oracle};
use std::sync::atomic::{AtomicU32, Ordering};

/// Both without and with counts, each every other time.
const ALL_COUNTS: [Counts; 4] = [Counts::Copies, Counts::Off, Counts::MinimumImage, Counts::Off];

fn mined(graphs: &[Graph], params: &MineParams) -> (Found, MineStats) {
    let (found, stats) = visited(graphs, params, Keep::default());
    assert!(found.is_sorted_by(|a, b| a.0 < b.0), "codes increase, and none comes twice");
    (found.into_iter().collect(), stats)
}

/// A graph without edges, to make embeddings wider.
fn isolated(vertices: usize) -> Graph {
    graph_of(&vec![0; vertices], &[])
}

#[test]
fn every_pattern_is_found_once_with_its_support_and_counts() {
    let mut dice = Dice::new(1);
    let (mut sets, mut patterns) = (0, 0);
    for round in 0..cases(1000, 4000) as usize {
        let shape = [Shape::PLAIN, Shape::EDGE_LABELS, Shape::UNLABELLED][round % 3];
        let graphs = dice.graphs(shape, 4);
        if graphs.is_empty() {
            continue;
        }
        let min_support = 1 + dice.below(graphs.len().min(2) as u32) as usize;
        let params =
            MineParams { max_edges: 1 + round % 6, min_support, counts: ALL_COUNTS[round % 4], ..Default::default() };
        let wanted = expected(&graphs, &params);
        assert_eq!(mined(&graphs, &params).0, wanted, "round {round}");
        assert_eq!(grown(&graphs, &params, &mut dice).0, wanted, "round {round}");
        sets += 1;
        patterns += wanted.len() as u32;
    }
    assert!(sets > cases(750, 3000) && patterns > cases(2_500, 10_000), "{sets} sets, {patterns} patterns");
}

#[test]
fn a_tally_orders_labels_by_rarity_and_counts_the_same() {
    let mut dice = Dice::new(15);
    let (mut tested, mut tested_for_tally) = (0, 0);
    for round in 0..100 {
        let shape = Shape { vertices: 7, edges: 8, vertex_labels: 3, edge_labels: 2 };
        let graphs: Vec<Graph> = (0..4).map(|_| common_first(&dice.connected_graph(shape), &mut dice)).collect();
        let params = MineParams {
            max_edges: 5,
            min_support: 1 + round % 2,
            counts: ALL_COUNTS[round % 4],
            ..MineParams::default()
        };
        let (found, stats) = mined(&graphs, &params);
        let mut tally = Tally::default();
        let outcome = mine(&graphs, &params, &mut tally).unwrap();
        assert_eq!(tally.patterns as usize, found.len());
        assert_eq!(tally.support_sum as usize, found.values().map(|occurrence| occurrence.graphs.len()).sum::<usize>());
        for (edges, &patterns) in (1..).zip(tally.by_edges(5)) {
            assert_eq!(patterns as usize, found.keys().filter(|code| code.edges().len() == edges).count());
        }
        tested += stats.tested;
        tested_for_tally += outcome.stats.tested;
    }
    assert!(10 * tested_for_tally < 9 * tested, "{tested_for_tally} of {tested}");
}

/// The same graph, where most labels are the smallest one.
fn common_first(graph: &Graph, dice: &mut Dice) -> Graph {
    let mut builder = Graph::builder();
    let mut label = |label: Label| if dice.below(3) > 0 { Label(0) } else { label };
    for v in graph.vertices() {
        builder.add_vertex(label(graph.vertex_label(v))).unwrap();
    }
    for v in graph.vertices() {
        for n in graph.neighbors(v).iter().filter(|n| n.vertex > v) {
            builder.add_edge(v, n.vertex, label(n.edge_label)).unwrap();
        }
    }
    builder.build()
}

#[test]
fn embeddings_of_every_width_give_the_same() {
    let mut dice = Dice::new(2);
    for round in 0..60 {
        let graphs = dice.graphs(Shape::EDGE_LABELS, 3);
        if graphs.is_empty() {
            continue;
        }
        let params = MineParams { max_edges: 5, counts: ALL_COUNTS[round % 4], ..Default::default() };
        let wanted = expected(&graphs, &params);
        // 256 vertices need two bytes, 65536 need four; 16 edges need a longer array.
        for (extra, max_edges) in [(256, 5), (65_536, 5), (3, 16)] {
            let wider = [graphs.clone(), vec![isolated(extra)]].concat();
            let params = MineParams { max_edges, ..params.clone() };
            let wanted = if max_edges == 5 { wanted.clone() } else { expected(&graphs, &params) };
            assert_eq!(mined(&wider, &params).0, wanted, "{extra} vertices, {max_edges} edges");
            assert_eq!(grown(&wider, &params, &mut dice).0, wanted, "{extra} vertices, {max_edges} edges");
        }
    }
}

/// The same edges with more vertices, and every label times `factor`.
fn spread(graph: &Graph, extra: usize, factor: u32) -> Graph {
    let mut builder = Graph::builder();
    for vertex in graph.vertices() {
        builder.add_vertex(Label(factor * graph.vertex_label(vertex).0)).unwrap();
    }
    for edge in graph.edges() {
        builder.add_edge(edge.from, edge.to, edge.label).unwrap();
    }
    for _ in 0..extra {
        builder.add_vertex(Label(0)).unwrap();
    }
    builder.build()
}

#[test]
fn graphs_beyond_a_word_and_types_beyond_its_bits_give_the_same() {
    let mut dice = Dice::new(12);
    for round in 0..27 {
        let shape = [Shape::PLAIN, Shape::EDGE_LABELS, Shape::UNLABELLED][round % 3];
        let mut graphs = dice.graphs(shape, 3);
        if graphs.is_empty() {
            continue;
        }
        // 70 vertices do not fit into a word; stars with 81 kinds of leaves make types that share a bit.
        let (extra, factor) = [(70, 1), (0, 40), (70, 40)][round / 3 % 3];
        for graph in &mut graphs {
            *graph = spread(graph, 0, factor);
        }
        if factor > 1 {
            let star = |first: u32| graph_of(&[0, first, first + 1, first + 2], &[(0, 1, 0), (0, 2, 0), (0, 3, 0)]);
            graphs.extend((0..27).map(|at| star(3 * at + 1)));
        }
        let params = MineParams { max_edges: 4, counts: ALL_COUNTS[round % 4], ..Default::default() };
        let wanted = expected(&graphs, &params);
        let large: Vec<Graph> = graphs.iter().map(|graph| spread(graph, extra, 1)).collect();
        assert_eq!(mined(&large, &params).0, wanted, "round {round}");
        assert_eq!(grown(&large, &params, &mut dice).0, wanted, "round {round}");
    }
}

#[test]
fn a_memory_limit_changes_the_work_and_not_the_result() {
    let mut dice = Dice::new(3);
    for round in 0..cases(12, 40) as usize {
        let shape = Shape { vertices: 7, edges: 9, ..Shape::UNLABELLED };
        let graphs: Vec<Graph> = (0..4).map(|_| dice.connected_graph(shape)).collect();
        let mut params =
            MineParams { max_edges: 6, counts: ALL_COUNTS[round % 4], memory: Some(0), ..Default::default() };
        let MineError::BudgetTooSmall { smallest, got: 0 } = mine(&graphs, &params, &mut Keep::default()).unwrap_err()
        else {
            panic!("a memory limit of nothing must be refused");
        };
        let wanted = expected(&graphs, &params);
        let deep = wanted.keys().any(|code| code.num_edges() > 3);
        for (extra, recomputes) in [(0, true), (250, true), (100_000_000, false)] {
            params.memory = Some(smallest + extra);
            let (found, stats) = mined(&graphs, &params);
            assert_eq!(found, wanted, "round {round}, {extra} bytes more than the smallest limit");
            assert_eq!(stats.recomputed > 0, recomputes && deep, "{stats:?} with {extra} bytes");
            let (found, tree) = grown(&graphs, &params, &mut dice);
            assert_eq!(found, wanted, "round {round}, {extra} bytes more than the smallest limit");
            assert_eq!(tree.stats().mined.recomputed > 0, recomputes && deep, "{:?} with {extra} bytes", tree.stats());
        }
    }
}

#[test]
fn samples_of_embeddings_change_the_work_and_not_the_result() {
    let mut dice = Dice::new(7);
    let (mut searched, mut recomputed) = (0, 0);
    for round in 0..cases(32, 120) {
        let labels = 1 + round % 2;
        let shape = Shape { vertices: 7, edges: 10, vertex_labels: labels, edge_labels: 1 + round / 2 % 2 };
        let graphs: Vec<Graph> = (0..3).map(|_| dice.connected_graph(shape)).collect();
        let all = MineParams { max_edges: 6, ..Default::default() };
        let wanted = expected(&graphs, &all);
        for (cap, memory) in [(1, None), (2, None), (4, None), (2, Some(2 << 20)), (2, Some(1 << 20))] {
            let mut params = MineParams { embeddings_per_graph: Some(cap), memory, ..all.clone() };
            if let Err(MineError::BudgetTooSmall { smallest, .. }) = mine(&graphs, &params, &mut Keep::default()) {
                params.memory = Some(smallest);
            }
            let (found, stats) = mined(&graphs, &params);
            assert_eq!(found, wanted, "round {round}, {cap} embeddings per graph");
            let (found, tree) = grown(&graphs, &params, &mut dice);
            assert_eq!(found, wanted, "round {round}, {cap} embeddings per graph");
            searched += stats.searched.min(tree.stats().mined.searched);
            recomputed += stats.recomputed.min(tree.stats().mined.recomputed);
        }
    }
    assert!(
        searched > cases(800, 3000).into() && recomputed > cases(80, 300).into(),
        "{searched} searched, {recomputed} recomputed"
    );
}

/// Waits at its first pattern until both threads have visited one, so that both are known to work.
struct Together<'a> {
    keep: Keep,
    threads: &'a [AtomicU32; 2],
}

impl Visitor for Together<'_> {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        self.threads[rayon::current_thread_index().unwrap()].fetch_add(1, Ordering::SeqCst);
        for _ in 0..10_000 {
            if self.threads.iter().all(|t| t.load(Ordering::SeqCst) > 0) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.keep.visit(found)
    }

    fn fork(&self) -> Self {
        Self { keep: Keep::default(), threads: self.threads }
    }

    fn join(&mut self, later: Self) {
        self.keep.join(later.keep);
    }
}

#[test]
fn two_threads_find_the_same_in_the_same_order() {
    let mut dice = Dice::new(4);
    let shape = Shape { vertices: 9, edges: 14, vertex_labels: 2, edge_labels: 2 };
    let graphs: Vec<Graph> = (0..200).map(|_| dice.connected_graph(shape)).collect();
    let params = MineParams { max_edges: 5, counts: Counts::Copies, ..Default::default() };
    let mut alone = Keep::default();
    let one = mine(&graphs, &params, &mut alone).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let threads = [AtomicU32::new(0), AtomicU32::new(0)];
    let mut both = Together { keep: Keep::default(), threads: &threads };
    let two = pool.install(|| mine(&graphs, &MineParams { threads: 2, ..params }, &mut both)).unwrap();
    assert_eq!(alone.found, both.keep.found);
    assert_eq!((one.stats, one.complete), (two.stats, two.complete));
    // What runs in parallel does not add to the span.
    assert_eq!(one.span, one.stats.work());
    assert!(two.span <= one.span);
    assert!(threads.iter().all(|t| t.load(Ordering::SeqCst) > 0));
}

#[test]
fn a_tree_expanded_by_two_threads_is_the_same_tree() {
    let mut dice = Dice::new(5);
    let graphs: Vec<Graph> = (0..30).map(|_| dice.connected_graph(Shape::EDGE_LABELS)).collect();
    let params = MineParams { max_edges: 5, ..Default::default() };
    let tree = Tree::new(&graphs, params.clone()).unwrap();
    std::thread::scope(|scope| {
        for forwards in [true, false] {
            let tree = &tree;
            scope.spawn(move || {
                let mut open: Vec<NodeId> = tree.roots().collect();
                while let Some(node) = open.pop() {
                    let mut children: Vec<NodeId> = tree.expand(node).collect();
                    if !forwards {
                        children.reverse();
                    }
                    open.extend(children);
                }
            });
        }
    });
    let (found, alone) = grown(&graphs, &params, &mut dice);
    assert_eq!(found, expected(&graphs, &params));
    assert_eq!((tree.stats().nodes, tree.stats().supports), (alone.stats().nodes, alone.stats().supports));
}

#[test]
fn evicted_embeddings_are_recomputed_the_same() {
    for counts in [Counts::Off, Counts::Copies] {
        let mut dice = Dice::new(6);
        let graphs: Vec<Graph> = (0..20).map(|_| dice.connected_graph(Shape::EDGE_LABELS)).collect();
        let params = MineParams { max_edges: 4, counts, ..Default::default() };
        let (found, whole) = grown(&graphs, &params, &mut dice);
        for evict_at in [1, 30, found.len() / 2] {
            let tree = Tree::new(&graphs, params.clone()).unwrap();
            let mut again = Found::new();
            let mut open: Vec<NodeId> = tree.roots().collect();
            while let Some(node) = open.pop() {
                if again.len() == evict_at {
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
            assert_eq!(tree.sizes(), whole.sizes());
            assert!(tree.stats().mined.recomputed > 0, "evicted at {evict_at}");
        }
    }
}

/// Prunes everything that has this many edges; stops after so many visits.
struct Bounded {
    prune_at: usize,
    stop_after: usize,
    visits: usize,
}

impl Visitor for Bounded {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        self.visits += 1;
        if self.visits >= self.stop_after {
            MineControl::Stop
        } else if found.code.len() >= self.prune_at {
            MineControl::Prune
        } else {
            MineControl::Grow
        }
    }

    fn fork(&self) -> Self {
        Self { ..*self }
    }

    fn join(&mut self, later: Self) {
        self.visits += later.visits;
    }
}

#[test]
fn the_visitor_prunes_and_stops() {
    let graphs = [graph_of(&[0; 5], &[(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0), (4, 0, 0)])];
    let params = MineParams::default();
    let mut prune = Bounded { prune_at: 2, stop_after: usize::MAX, visits: 0 };
    let outcome = mine(&graphs, &params, &mut prune).unwrap();
    assert_eq!((outcome.stats.visited, outcome.stats.pruned, outcome.complete), (2, 1, true));
    let mut stop = Bounded { prune_at: usize::MAX, stop_after: 3, visits: 0 };
    let outcome = mine(&graphs, &params, &mut stop).unwrap();
    assert_eq!((outcome.stats.visited, outcome.complete), (3, false));
}

#[test]
fn a_path_of_24_edges_and_labels_beyond_255_are_mined() {
    let labels: Vec<u32> = (0..25).map(|v| 300 + v).collect();
    let edges: Vec<(u32, u32, u32)> = (0..24).map(|v| (v, v + 1, 1000 + v)).collect();
    let params = MineParams { max_edges: 24, ..Default::default() };
    let (found, stats) = mined(&[graph_of(&labels, &edges)], &params);
    // A path with 24 different edges has 24 - k + 1 connected parts of k edges.
    assert_eq!(found.len(), 24 * 25 / 2);
    assert_eq!(stats.depth, 24);
    let longest = found.keys().max_by_key(|code| code.num_edges()).unwrap();
    assert_eq!((longest.num_edges(), longest.vertex_labels().contains(&Label(324))), (24, true));
}

#[test]
fn parameters_out_of_range_are_refused_with_the_range() {
    let graphs = [graph_of(&[0, 0], &[(0, 1, 0)])];
    let refused = |graphs: &[Graph], params| mine(graphs, &params, &mut Keep::default()).unwrap_err().to_string();
    let cases = [
        (refused(&graphs, MineParams { max_edges: 0, ..Default::default() }), "max_edges must be from 1 to 31, got 0"),
        (
            refused(&graphs, MineParams { max_edges: 32, ..Default::default() }),
            "max_edges must be from 1 to 31, got 32",
        ),
        (
            refused(&graphs, MineParams { min_support: 2, ..Default::default() }),
            "min_support must be from 1 to the number of graphs (1), got 2",
        ),
        (
            refused(&graphs, MineParams { min_support: 0, ..Default::default() }),
            "min_support must be from 1 to the number of graphs (1), got 0",
        ),
        (refused(&graphs, MineParams { threads: 0, ..Default::default() }), "threads must be at least 1, got 0"),
        (
            refused(&graphs, MineParams { embeddings_per_graph: Some(0), ..Default::default() }),
            "embeddings_per_graph must be at least 1, got 0",
        ),
        (refused(&[], MineParams::default()), "there must be at least one graph"),
    ];
    for (message, wanted) in cases {
        assert_eq!(message, wanted);
    }
}

#[test]
fn the_minimum_code_of_a_graph_does_not_depend_on_its_numbering() {
    let mut dice = Dice::new(6);
    for round in 0..2000 {
        let shape = [Shape::PLAIN, Shape::EDGE_LABELS, Shape::UNLABELLED][round % 3];
        let graph = dice.connected_graph(shape);
        let code = DfsCode::minimum_of(&graph).unwrap();
        assert_eq!(code, oracle::smallest_code(&graph));
        assert_eq!(DfsCode::minimum_of(&dice.renumbered(&graph)).as_ref(), Some(&code));
        assert!(code.is_minimum());
    }
}
