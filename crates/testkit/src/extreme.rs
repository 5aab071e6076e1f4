//! Graphs that are as extreme as a stranger's: hubs, long paths, dense and empty graphs, one part or thousands.
//!
//! Promise: each is the same for ever. With `cut` above 1 their sizes are so much smaller, but still large enough that
//! recursion that follows the size of a graph ends on the stack of a thread.

use crate::strategy::{Dice, graph_of};
use einsicht_graph::Graph;

/// How much smaller the extreme graphs of ordinary tests are: thorough tests take the whole.
pub fn usual_cut() -> u32 {
    if crate::cases(0, 1) == 1 { 1 } else { 20 }
}

/// Every extreme graph with its name; all labels are 0.
pub fn family(cut: u32) -> Vec<(&'static str, Graph)> {
    let large = 100_000 / cut;
    vec![
        ("star", star(large)),
        ("path", path(large)),
        ("complete", complete(if cut == 1 { 60 } else { 20 })),
        ("grid", grid(if cut == 1 { 50 } else { 15 })),
        ("isolated", plain(20_000 / cut, &[])),
        ("random", random(5000 / cut, 10_000 / cut, 1)),
        ("hub in a tree", hub_in_a_tree(large / 10, large / 5)),
        ("matching", plain(large / 5, &(0..large / 10).map(|at| (2 * at, 2 * at + 1)).collect::<Vec<_>>())),
    ]
}

/// A graph of one label.
pub fn plain(vertices: u32, edges: &[(u32, u32)]) -> Graph {
    let edges: Vec<(u32, u32, u32)> = edges.iter().map(|&(from, to)| (from, to, 0)).collect();
    graph_of(&vec![0; vertices as usize], &edges)
}

/// One vertex with so many leaves.
pub fn star(leaves: u32) -> Graph {
    plain(leaves + 1, &(1..=leaves).map(|leaf| (0, leaf)).collect::<Vec<_>>())
}

/// A path of so many vertices.
pub fn path(vertices: u32) -> Graph {
    plain(vertices, &(1..vertices).map(|to| (to - 1, to)).collect::<Vec<_>>())
}

/// All edges between so many vertices.
pub fn complete(vertices: u32) -> Graph {
    plain(vertices, &(0..vertices).flat_map(|to| (0..to).map(move |from| (from, to))).collect::<Vec<_>>())
}

/// A square grid with so many vertices on a side.
pub fn grid(side: u32) -> Graph {
    let rows = (0..side).flat_map(|row| (1..side).map(move |at| (row * side + at - 1, row * side + at)));
    let columns = (side..side * side).map(|at| (at - side, at));
    plain(side * side, &rows.chain(columns).collect::<Vec<_>>())
}

/// At most so many random edges.
pub fn random(vertices: u32, edges: u32, seed: u64) -> Graph {
    let mut dice = Dice::new(seed);
    let pairs = (0..edges).map(|_| (dice.below(vertices), dice.below(vertices)));
    let mut pairs: Vec<(u32, u32)> = pairs.map(|(a, b)| (a.min(b), a.max(b))).filter(|(a, b)| a != b).collect();
    pairs.sort_unstable();
    pairs.dedup();
    plain(vertices, &pairs)
}

/// A random tree, one vertex of which has so many leaves more.
pub fn hub_in_a_tree(vertices: u32, leaves: u32) -> Graph {
    let mut dice = Dice::new(2);
    let tree = (1..vertices).map(|to| (dice.below(to), to)).collect::<Vec<_>>();
    let hub = (0..leaves).map(|leaf| (vertices / 2, vertices + leaf));
    plain(vertices + leaves, &tree.into_iter().chain(hub).collect::<Vec<_>>())
}

/// Graphs as t/v/e transactions with labels A, B, ...; classes 0 and 1 in turn.
pub fn transactions<'g>(graphs: impl IntoIterator<Item = &'g Graph>) -> String {
    let mut text = String::new();
    for (at, graph) in graphs.into_iter().enumerate() {
        text.push_str(&format!("t # {at} {}\n", at % 2));
        for (vertex, label) in graph.vertex_labels().iter().enumerate() {
            let letter = char::from(b'A' + (label.0 % 26) as u8);
            text.push_str(&format!("v {vertex} {letter}\n"));
        }
        for edge in graph.edges() {
            text.push_str(&format!("e {} {} {}\n", edge.from.0, edge.to.0, edge.label.0));
        }
    }
    text
}
