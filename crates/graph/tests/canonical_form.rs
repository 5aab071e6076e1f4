//! Canonical forms of whole graphs against brute force over all orders of vertices.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_graph::{Graph, Label, VertexId, canonical_form};
use einsicht_testkit::extreme;
use einsicht_testkit::strategy::{Dice, Shape};

fn graph(vertices: u32, edges: &[(u32, u32)]) -> Graph {
    let mut builder = Graph::builder();
    for _ in 0..vertices {
        builder.add_vertex(Label(0)).unwrap();
    }
    for &(a, b) in edges {
        builder.add_edge(VertexId(a), VertexId(b), Label(0)).unwrap();
    }
    builder.build()
}

fn form(graph: &Graph) -> Vec<u64> {
    let vertices: Vec<u64> = graph.vertex_labels().iter().map(|label| u64::from(label.0)).collect();
    let edges: Vec<u64> = graph.edges().iter().map(|edge| u64::from(edge.label.0)).collect();
    canonical_form(graph, &vertices, &edges)
}

/// The same graph with its vertices in this order.
fn reordered(graph: &Graph, order: &[usize]) -> Graph {
    let mut builder = Graph::builder();
    for &vertex in order {
        builder.add_vertex(graph.vertex_labels()[vertex]).unwrap();
    }
    let place = |v: VertexId| VertexId(order.iter().position(|&w| w == v.index()).unwrap() as u32);
    for edge in graph.edges().iter().rev() {
        builder.add_edge(place(edge.to), place(edge.from), edge.label).unwrap();
    }
    builder.build()
}

fn permutations(len: usize) -> Vec<Vec<usize>> {
    if len == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(len - 1);
    let insert = |p: &Vec<usize>, at: usize| [&p[..at], &[len - 1], &p[at..]].concat();
    shorter.iter().flat_map(|p| (0..len).map(move |at| insert(p, at))).collect()
}

/// The least list of labels and edges over all orders of vertices.
fn by_brute_force(graph: &Graph) -> Vec<u32> {
    let written = |order: &Vec<usize>| {
        let graph = reordered(graph, order);
        let mut edges: Vec<[u32; 3]> =
            (graph.edges().iter()).map(|e| [e.from.0.min(e.to.0), e.from.0.max(e.to.0), e.label.0]).collect();
        edges.sort_unstable();
        let labels = graph.vertex_labels().iter().map(|label| label.0);
        std::iter::once(order.len() as u32).chain(labels).chain(edges.into_iter().flatten()).collect::<Vec<u32>>()
    };
    permutations(graph.num_vertices()).iter().map(written).min().unwrap()
}

#[test]
fn forms_are_equal_for_isomorphic_graphs_and_for_no_others() {
    let mut dice = Dice::new(21);
    for shape in [Shape::UNLABELLED, Shape::PLAIN, Shape::EDGE_LABELS] {
        let mut known: Vec<(Vec<u32>, Vec<u64>)> = Vec::new();
        while known.len() < 300 {
            let small = dice.graphs(shape, 8).into_iter().filter(|graph| graph.num_vertices() <= 6);
            known.extend(small.map(|graph| (by_brute_force(&graph), form(&graph))));
        }
        let (mut equal, mut different) = (0, 0);
        for (at, (one, form)) in known.iter().enumerate() {
            for (other, other_form) in &known[..at] {
                assert_eq!(one == other, form == other_form);
                *if one == other { &mut equal } else { &mut different } += 1;
            }
        }
        assert!(equal > 50 && different > 1000, "{equal} {different}");
    }
}

#[test]
fn graphs_that_refinement_cannot_distinguish_have_different_forms_in_any_order() {
    let prism = graph(6, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]);
    let bipartite = graph(6, &[(0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)]);
    // Strongly regular with the same parameters: the rook's graph of a 4 x 4 board, and Shrikhande's.
    let square = |is_edge: &dyn Fn(u32, u32) -> bool| {
        let pairs = (0..16).flat_map(|a| (0..a).map(move |b| (b, a)));
        graph(16, &pairs.filter(|&(a, b)| is_edge(a, b)).collect::<Vec<_>>())
    };
    let rook = square(&|a, b| a / 4 == b / 4 || a % 4 == b % 4);
    let shrikhande = square(&|a, b| {
        let (x, y) = ((4 + a / 4 - b / 4) % 4, (4 + a % 4 - b % 4) % 4);
        [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)].contains(&(x, y))
    });
    let mut dice = Dice::new(3);
    for (one, other) in [(prism, bipartite), (rook, shrikhande)] {
        assert_eq!(one.num_edges(), other.num_edges());
        assert_ne!(form(&one), form(&other));
        for graph in [one, other] {
            for _ in 0..20 {
                assert_eq!(form(&dice.renumbered(&graph)), form(&graph));
            }
        }
    }
}

#[test]
fn large_symmetric_graphs_have_a_whole_form() {
    let clique: Vec<(u32, u32)> = (0..60).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
    let star: Vec<(u32, u32)> = (1..200).map(|leaf| (0, leaf)).collect();
    let ring: Vec<(u32, u32)> = (0..100).map(|at| (at, (at + 1) % 100)).collect();
    let matching: Vec<(u32, u32)> = (0..20).map(|at| (2 * at, 2 * at + 1)).collect();
    let mut dice = Dice::new(4);
    for graph in [graph(60, &clique), graph(200, &star), graph(100, &ring), graph(40, &matching)] {
        let form_of = form(&graph);
        assert_eq!(form(&dice.renumbered(&graph)), form_of);
        assert_eq!(form_of.len(), 1 + graph.num_vertices() + 3 * graph.num_edges(), "not only refined colours");
    }
}

#[test]
fn extreme_graphs_have_a_form_on_a_small_stack() {
    let forms = || {
        let mut dice = Dice::new(5);
        for (name, graph) in extreme::family(extreme::usual_cut()) {
            assert!(form(&graph) == form(&dice.renumbered(&graph)), "{name}");
        }
    };
    std::thread::Builder::new().stack_size(128 << 10).spawn(forms).unwrap().join().unwrap();
}
