//! What a pattern is always a part of, against the definition on small graphs.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_graph::matching::{Occurrence, PatternSet, Scratch, embeddings};
use einsicht_graph::mine::MineParams;
use einsicht_graph::tree::Tree;
use einsicht_graph::{DfsCode, EdgeId, Graph, MOST_WHOLE_EDGES, VertexId, whole_around};
use einsicht_testkit::cases;
use einsicht_testkit::strategy::{Dice, Shape};
use std::collections::BTreeSet;

/// The sets of vertices and edges that a pattern covers, by all its embeddings.
fn places(graph: &Graph, code: &DfsCode) -> BTreeSet<(Vec<VertexId>, Vec<EdgeId>)> {
    let covered = |images: Vec<VertexId>| {
        let edge = |edge: &einsicht_graph::Edge| {
            graph.edge_between(images[edge.from.index()], images[edge.to.index()]).unwrap().edge
        };
        let mut edges: Vec<EdgeId> = code.to_graph().edges().iter().map(edge).collect();
        edges.sort_unstable();
        let mut vertices = images;
        vertices.sort_unstable();
        (vertices, edges)
    };
    embeddings(graph, code, usize::MAX).into_iter().map(covered).collect()
}

/// The part of the places of `part` that are inside of a place of `whole`; 0 if a graph has no place of it.
fn share_inside(part: &DfsCode, whole: &DfsCode, graphs: &[&Graph]) -> f64 {
    let (mut all, mut within) = (0, 0);
    for graph in graphs {
        let (parts, wholes) = (places(graph, part), places(graph, whole));
        if wholes.is_empty() {
            return 0.0;
        }
        let is_inside = |(vertices, edges): &&(Vec<VertexId>, Vec<EdgeId>)| {
            wholes.iter().any(|(all, more)| {
                vertices.iter().all(|vertex| all.contains(vertex)) && edges.iter().all(|edge| more.contains(edge))
            })
        };
        all += parts.len();
        within += parts.iter().filter(is_inside).count();
    }
    within as f64 / f64::from(all as u32)
}

/// The whole by listing the occurrences of every candidate by itself: plain, and slow.
fn plain_whole(pattern: &DfsCode, graphs: &[&Graph]) -> DfsCode {
    let mut graphs = graphs.to_vec();
    graphs.sort_by_key(|graph| graph.num_edges());
    let counted: Vec<&Graph> = graphs.iter().copied().step_by(graphs.len().div_ceil(300).max(1)).collect();
    let listed = |code: &DfsCode, graph: &Graph| {
        let set = PatternSet::new(std::slice::from_ref(code));
        set.occurrences(0, graph, 500, &mut Scratch::default())
    };
    let (mut whole, mut share) = (pattern.clone(), 100_000);
    'grow: while whole.num_edges() < MOST_WHOLE_EDGES {
        let parts: Vec<_> = counted.iter().map(|graph| listed(&whole, graph)).collect();
        let all: usize = parts.iter().map(Vec::len).sum();
        if parts.iter().any(|found| found.len() == 500) {
            break;
        }
        for candidate in candidates(&whole, graphs[0]) {
            let wholes: Vec<_> = counted.iter().map(|graph| listed(&candidate, graph)).collect();
            let is_good = graphs.iter().all(|graph| !listed(&candidate, graph).is_empty())
                && wholes.iter().all(|found| found.len() < 500);
            let is_inside = |part: &Occurrence, wholes: &[Occurrence]| {
                let mut vertices = wholes.iter().flat_map(|whole| &whole.vertices);
                if part.edges.is_empty() {
                    return vertices.any(|vertex| *vertex == part.vertices[0]);
                }
                wholes.iter().any(|whole| part.edges.iter().all(|edge| whole.edges.contains(edge)))
            };
            let of_graph = |(parts, wholes): (&Vec<Occurrence>, &Vec<Occurrence>)| {
                parts.iter().filter(|part| is_inside(part, wholes)).count()
            };
            let inside: usize = parts.iter().zip(&wholes).map(of_graph).sum();
            let new_share = share * (inside * 100_000 / all) / 100_000;
            if is_good && new_share >= 90_000 {
                (whole, share) = (candidate, new_share);
                continue 'grow;
            }
        }
        break;
    }
    whole
}

/// The patterns of one edge more around the first 500 embeddings in a graph: first those without a new vertex, then by
/// code.
fn candidates(pattern: &DfsCode, graph: &Graph) -> Vec<DfsCode> {
    let mut found = BTreeSet::new();
    for images in embeddings(graph, pattern, 500) {
        for (from, &image) in images.iter().enumerate() {
            for neighbor in graph.neighbors(image) {
                let part = pattern.to_graph();
                let mut builder = Graph::builder();
                part.vertex_labels().iter().for_each(|&label| _ = builder.add_vertex(label).unwrap());
                part.edges().iter().for_each(|e| _ = builder.add_edge(e.from, e.to, e.label).unwrap());
                let to = match images.iter().position(|other| *other == neighbor.vertex) {
                    Some(to) => VertexId(to as u32),
                    None => builder.add_vertex(neighbor.vertex_label).unwrap(),
                };
                if builder.add_edge(VertexId(from as u32), to, neighbor.edge_label).is_ok() {
                    let mut larger = builder.build();
                    let mut qualifiers = part.all_qualifiers().to_vec();
                    if !qualifiers.is_empty() {
                        qualifiers.resize(larger.num_vertices(), 0);
                        larger.set_qualifiers(qualifiers);
                    }
                    let code = DfsCode::minimum_of(&larger).unwrap();
                    found.insert((code.num_vertices(), code));
                }
            }
        }
    }
    found.into_iter().map(|(_, code)| code).collect()
}

/// Many copies of a graph in one, so that it has many edges and a pattern many occurrences.
fn copies(graph: &Graph, times: u32) -> Graph {
    let mut builder = Graph::builder();
    for copy in 0..times {
        graph.vertex_labels().iter().for_each(|&label| _ = builder.add_vertex(label).unwrap());
        let moved = |vertex: VertexId| VertexId(vertex.0 + copy * graph.num_vertices() as u32);
        graph.edges().iter().for_each(|e| _ = builder.add_edge(moved(e.from), moved(e.to), e.label).unwrap());
    }
    let mut copied = builder.build();
    if !graph.all_qualifiers().is_empty() {
        copied.set_qualifiers(graph.all_qualifiers().repeat(times as usize));
    }
    copied
}

/// A few small graphs with qualified vertices, without and with edge labels in turn.
fn qualified_graphs(dice: &mut Dice, round: u32) -> Vec<Graph> {
    let shape = Shape { vertices: 6, edges: 7, ..[Shape::PLAIN, Shape::EDGE_LABELS][round as usize % 2] };
    let mut graphs = dice.graphs(shape, 4);
    for graph in &mut graphs {
        dice.qualify(graph);
    }
    graphs
}

/// Shows every pattern of at most two edges and one qualifier, with the graphs that contain it.
fn each_pattern(graphs: &[Graph], mut show: impl FnMut(&DfsCode, &[&Graph])) {
    let params = MineParams { min_edges: 0, max_qualifiers: 1, max_edges: 2, ..MineParams::default() };
    let tree = Tree::new(graphs, params).unwrap();
    let mut open: Vec<_> = tree.roots().collect();
    while let Some(node) = open.pop() {
        open.extend(tree.expand(node));
        let support: Vec<&Graph> =
            tree.support(node).unpacked().graphs().iter().map(|&at| &graphs[at as usize]).collect();
        show(&tree.code(node), &support);
    }
}

#[test]
fn the_whole_is_that_of_listing_every_candidate_by_itself() {
    let mut dice = Dice::new(75);
    let (mut grown, mut too_many, mut large) = (0, 0, 0);
    for round in 0..cases(24, 120) as u32 {
        let mut graphs = qualified_graphs(&mut dice, round);
        // Some with more than 128 edges, some with more than 500 occurrences.
        let times = [1, 1, 30, 400][round as usize % 4];
        let last = graphs.len() - 1;
        graphs[last] = copies(&graphs[last], times);
        each_pattern(&graphs, |code, support| {
            let whole = whole_around(code, support);
            assert_eq!(whole, plain_whole(code, support), "{code:?}");
            grown += usize::from(whole != *code);
            large += usize::from(support.iter().any(|graph| graph.num_edges() > 128));
            too_many += usize::from(support.iter().any(|graph| places(graph, code).len() >= 500));
        });
    }
    assert!(grown > cases(100, 500) as usize, "{grown}");
    assert!(too_many > 20 && large > 100, "{too_many} {large}");
}

#[test]
fn the_whole_is_in_the_same_graphs_and_around_nearly_all_occurrences() {
    let mut dice = Dice::new(74);
    let (mut grown, mut same) = (0, 0);
    for round in 0..cases(60, 300) as u32 {
        each_pattern(&qualified_graphs(&mut dice, round), |code, support| {
            let whole = whole_around(code, support);
            let share = share_inside(code, &whole, support);
            assert!(whole.is_minimum() && share >= 0.9, "{code:?} in {whole:?}: {share}");
            if whole == *code { same += 1 } else { grown += 1 }
        });
    }
    assert!(grown > cases(300, 1_500) && same > cases(300, 1_500), "{grown} {same}");
}

#[test]
fn a_piece_of_a_ring_names_the_ring_and_a_common_edge_names_nothing_else() {
    let ring = |len: u32, tail: bool| {
        let mut builder = Graph::builder();
        for vertex in 0..len + u32::from(tail) {
            builder.add_vertex(einsicht_graph::Label(u32::from(vertex >= len))).unwrap();
        }
        for vertex in 0..len {
            builder.add_edge(VertexId(vertex), VertexId((vertex + 1) % len), einsicht_graph::Label(0)).unwrap();
        }
        if tail {
            builder.add_edge(VertexId(0), VertexId(len), einsicht_graph::Label(0)).unwrap();
        }
        builder.build()
    };
    let path = |edges: u32| {
        let mut builder = Graph::builder();
        (0..=edges).for_each(|_| _ = builder.add_vertex(einsicht_graph::Label(0)).unwrap());
        for vertex in 0..edges {
            builder.add_edge(VertexId(vertex), VertexId(vertex + 1), einsicht_graph::Label(0)).unwrap();
        }
        DfsCode::minimum_of(&builder.build()).unwrap()
    };
    let (with, without) = (ring(6, true), ring(6, false));
    assert_eq!(whole_around(&path(3), &[&with, &without]), DfsCode::minimum_of(&without).unwrap());
    // One occurrence of thirteen is outside of the ring, or one of seven.
    let mut both = Graph::builder();
    (0..10).for_each(|_| _ = both.add_vertex(einsicht_graph::Label(0)).unwrap());
    for edge in [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0], [6, 7], [7, 8], [8, 9]] {
        both.add_edge(VertexId(edge[0]), VertexId(edge[1]), einsicht_graph::Label(0)).unwrap();
    }
    let both = both.build();
    assert_eq!(whole_around(&path(3), &[&both, &without]), DfsCode::minimum_of(&without).unwrap());
    assert_eq!(whole_around(&path(3), &[&both]), path(3));
    // In a ring of five and in one of six there is nothing larger that both have.
    assert_eq!(whole_around(&path(4), &[&ring(5, false), &without]), path(4));
}
