//! Reads SMILES, one per line, cuts connected pieces out of each as patterns and writes, one piece per line,
//! `SMILES<tab>SMARTS`: the other half of `python/tests/against_libraries/test_rdkit_smarts.py`.
//!
//! With `--labels`, vertex labels hold charge, aromaticity and hydrogens too.

use einsicht_data::chem::{add_molecule, parse_smiles, pattern_to_smarts};
use einsicht_data::read::{MoleculeLabels, ReadOptions};
use einsicht_data::{DatasetBuilder, Origin};
use einsicht_graph::{Graph, VertexId};
use std::io::{BufWriter, Read, Write};

/// The edges met by a breadth-first walk from a vertex, at most so many, as a graph of their own.
fn piece(graph: &Graph, start: VertexId, most: usize) -> Graph {
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
    let mut builder = Graph::builder();
    for &vertex in &order {
        builder.add_vertex(graph.vertex_label(vertex)).expect("few vertices");
    }
    let place = |vertex| VertexId(order.iter().position(|&v| v == vertex).unwrap_or_default() as u32);
    for edge in edges {
        builder.add_edge(place(edge.from), place(edge.to), edge.label).expect("a simple graph");
    }
    builder.build()
}

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let more = std::env::args().any(|argument| argument == "--labels");
    let labels = MoleculeLabels { charge: more, aromatic: more, hydrogens: more };
    let options = ReadOptions { molecule_labels: labels, ..ReadOptions::default() };
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
    for (graph, origin) in set.graphs.iter().zip(&set.origins) {
        let smiles = text.lines().nth(origin.row as usize).unwrap_or_default();
        for (start, most) in graph.vertices().step_by(5).zip([3, 6, 9, 20, 1, 40]) {
            let piece = piece(graph, start, most);
            if let Some(smarts) = pattern_to_smarts(&piece, &set.vertex_labels, &set.edge_labels) {
                writeln!(out, "{smiles}\t{smarts}")?;
            }
        }
    }
    Ok(())
}
