//! Reads SMILES, one per line, cuts connected pieces out of each as patterns and writes, one piece per line,
//! `SMILES<tab>SMARTS`: the other half of `python/tests/against_libraries/test_rdkit_smarts.py`.
//!
//! With `--labels`, vertex labels hold charge, aromaticity and hydrogens too. With `--qualifiers`, pieces are random,
//! single atoms among them, and require some of what their atoms have; then a line is the SMARTS and the numbers of all
//! lines whose molecules contain the piece, by a plain search.

use einsicht_data::chem::{add_molecule, parse_smiles};
use einsicht_data::random::Random;
use einsicht_data::read::{MoleculeLabels, ReadOptions};
use einsicht_data::{Dataset, DatasetBuilder, Origin, QualifierChoice, Qualifiers};
use einsicht_graph::{Edge, Graph, VertexId};
use std::io::{BufWriter, Read, Write};

/// The edges met by a breadth-first walk from a vertex, at most so many.
fn nearest(graph: &Graph, start: VertexId, most: usize) -> Vec<Edge> {
    let mut taken = vec![false; graph.num_edges()];
    let mut order = vec![start];
    let mut edges = Vec::new();
    let mut at = 0;
    while let Some(&vertex) = order.get(at) {
        for neighbor in graph.neighbors(vertex) {
            if edges.len() < most && !std::mem::replace(&mut taken[neighbor.edge.index()], true) {
                edges.push(graph.edges()[neighbor.edge.index()]);
                if !order.contains(&neighbor.vertex) {
                    order.push(neighbor.vertex);
                }
            }
        }
        at += 1;
    }
    edges
}

/// Edges that grow from a vertex at random, at most so many.
fn any(graph: &Graph, start: VertexId, most: usize, random: &mut Random) -> Vec<Edge> {
    let (mut reached, mut edges) = (vec![start], Vec::new());
    while edges.len() < most {
        let around = reached.iter().flat_map(|&v| graph.neighbors(v)).map(|n| graph.edges()[n.edge.index()]);
        let open: Vec<Edge> = around.filter(|edge| !edges.contains(edge)).collect();
        if open.is_empty() {
            break;
        }
        let edge = open[random.below(open.len() as u64) as usize];
        for end in [edge.from, edge.to] {
            if !reached.contains(&end) {
                reached.push(end);
            }
        }
        edges.push(edge);
    }
    edges
}

/// A vertex and edges as a graph of their own; qualifiers are those that `keep` leaves.
fn piece(graph: &Graph, start: VertexId, edges: &[Edge], mut keep: impl FnMut(u64) -> u64) -> Graph {
    let mut order = vec![start];
    for end in edges.iter().flat_map(|edge| [edge.from, edge.to]) {
        if !order.contains(&end) {
            order.push(end);
        }
    }
    let mut builder = Graph::builder();
    for &vertex in &order {
        builder.add_vertex(graph.vertex_label(vertex)).expect("few vertices");
    }
    let place = |vertex| VertexId(order.iter().position(|&v| v == vertex).unwrap_or_default() as u32);
    for edge in edges {
        builder.add_edge(place(edge.from), place(edge.to), edge.label).expect("a simple graph");
    }
    let mut piece = builder.build();
    piece.set_qualifiers(order.iter().map(|&vertex| keep(graph.qualifiers(vertex))).collect());
    piece
}

/// Whether the vertices of a piece from `image.len()` on can be mapped into a graph: tries everything.
fn is_in(piece: &Graph, graph: &Graph, image: &mut Vec<VertexId>) -> bool {
    if image.len() == piece.num_vertices() {
        return true;
    }
    let here = VertexId(image.len() as u32);
    for there in graph.vertices().filter(|there| graph.vertex_label(*there) == piece.vertex_label(here)) {
        let has_all = piece.qualifiers(here) & !graph.qualifiers(there) == 0;
        let joined = |n: &einsicht_graph::Neighbor| match image.get(n.vertex.index()) {
            None => true,
            Some(&end) => graph.edge_between(there, end).is_some_and(|found| found.edge_label == n.edge_label),
        };
        if has_all && !image.contains(&there) && piece.neighbors(here).iter().all(joined) {
            image.push(there);
            if is_in(piece, graph, image) {
                return true;
            }
            image.pop();
        }
    }
    false
}

fn qualified(set: Dataset, out: &mut impl Write) -> std::io::Result<()> {
    let table = Qualifiers::settle(&set, &QualifierChoice::Auto).expect("molecules");
    let set = table.apply(set).expect("the same molecules");
    let mut random = Random::new(0);
    for graph in set.graphs.iter().filter(|graph| graph.num_vertices() > 0) {
        for most in [0, 0, 1, 2, 3, 5, 9] {
            let start = VertexId(random.below(graph.num_vertices() as u64) as u32);
            let edges = any(graph, start, most, &mut random);
            let piece = piece(graph, start, &edges, |bits| bits & random.below(u64::MAX));
            let smarts = set.names().smarts(&piece).expect("atoms");
            let with = set.graphs.iter().zip(&set.origins).filter(|(graph, _)| is_in(&piece, graph, &mut Vec::new()));
            let rows: Vec<String> = with.map(|(_, origin)| origin.row.to_string()).collect();
            writeln!(out, "{smarts}\t{}", rows.join(" "))?;
        }
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let more = std::env::args().any(|argument| argument == "--labels");
    let labels = MoleculeLabels { charge: more, aromatic: more, hydrogens: more };
    let options = ReadOptions { molecule_labels: Some(labels), ..ReadOptions::default() };
    let mut builder = DatasetBuilder::new("stdin", "stdin", &options);
    for (row, smiles) in text.lines().enumerate() {
        if let Ok(molecule) = parse_smiles(smiles) {
            builder.begin(Origin { row: row as u32, line: row as u64 + 1 }, &row.to_string());
            add_molecule(&mut builder, &molecule, labels).expect("a simple graph");
            builder.end();
        }
    }
    let set = builder.finish().expect("some molecules");
    let mut out = BufWriter::new(std::io::stdout().lock());
    if std::env::args().any(|argument| argument == "--qualifiers") {
        return qualified(set, &mut out);
    }
    for (graph, origin) in set.graphs.iter().zip(&set.origins) {
        let smiles = text.lines().nth(origin.row as usize).unwrap_or_default();
        for (start, most) in graph.vertices().step_by(5).zip([3, 6, 9, 20, 1, 40]) {
            let piece = piece(graph, start, &nearest(graph, start, most), |_| 0);
            if let Some(smarts) = set.names().smarts(&piece) {
                writeln!(out, "{smiles}\t{smarts}")?;
            }
        }
    }
    Ok(())
}
