//! The scaffold of a graph, and which graphs share one: ring systems with the paths between them.
//!
//! Promise: the scaffold is the 2-core: vertices with fewer than two neighbours are removed until there are none, so it is empty exactly if the graph has no cycle. Two graphs are in one group exactly if
//! their scaffolds are isomorphic, labels included; all graphs without a cycle are in one group.
//! This is Murcko's framework, without his exception for double bonds that leave a ring: it needs labels
//! only, so it works for any labelled graph.
//!
//! Colours are refined (Weisfeiler-Lehman), then an exact isomorphism test decides. Tested against all permutations.

use einsicht_graph::{Graph, Label, VertexId};
use std::collections::BTreeMap;

/// The part of a graph that is in cycles or between them, and which vertices it consists of.
pub fn scaffold(graph: &Graph) -> (Graph, Vec<VertexId>) {
    let mut degree: Vec<usize> = graph.vertices().map(|v| graph.degree(v)).collect();
    let mut leaves: Vec<VertexId> = graph.vertices().filter(|v| degree[v.index()] < 2).collect();
    let mut kept = vec![true; graph.num_vertices()];
    while let Some(leaf) = leaves.pop() {
        if !std::mem::replace(&mut kept[leaf.index()], false) {
            continue;
        }
        for neighbor in graph.neighbors(leaf) {
            let degree = &mut degree[neighbor.vertex.index()];
            *degree = degree.saturating_sub(1);
            if *degree == 1 && kept[neighbor.vertex.index()] {
                leaves.push(neighbor.vertex);
            }
        }
    }
    let vertices: Vec<VertexId> = graph.vertices().filter(|v| kept[v.index()]).collect();
    let mut builder = Graph::builder();
    let mut moved = vec![None; graph.num_vertices()];
    for &vertex in &vertices {
        moved[vertex.index()] = builder.add_vertex(graph.vertex_label(vertex)).ok();
    }
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (moved[edge.from.index()], moved[edge.to.index()]) {
            let added = builder.add_edge(from, to, edge.label);
            debug_assert!(added.is_ok(), "a part of a simple graph is simple");
        }
    }
    (builder.build(), vertices)
}

/// For each graph the number of its scaffold, counted from 0 in the order in which they first come.
pub fn scaffold_groups(graphs: &[Graph]) -> Vec<u32> {
    // Scaffolds with equal keys, with their numbers. Nearly always one per key.
    let mut known: BTreeMap<Vec<u64>, Vec<(Refined, u32)>> = BTreeMap::new();
    let mut next = 0;
    graphs
        .iter()
        .map(|graph| {
            let refined = Refined::new(scaffold(graph).0);
            let same_key = known.entry(refined.key()).or_default();
            if let Some((_, number)) = same_key.iter().find(|(other, _)| other.is_isomorphic(&refined)) {
                return *number;
            }
            next += 1;
            same_key.push((refined, next - 1));
            next - 1
        })
        .collect()
}

/// A graph with vertex colours that do not depend on the order of its vertices.
struct Refined {
    graph: Graph,
    colors: Vec<u64>,
}

impl Refined {
    /// Refines the labels by those of the neighbours until no colour splits any more.
    fn new(graph: Graph) -> Self {
        let mut colors: Vec<u64> = graph.vertex_labels().iter().map(|label| u64::from(label.0)).collect();
        let mut distinct = 0;
        loop {
            let mut sorted = colors.clone();
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.len() == distinct {
                return Self { graph, colors };
            }
            distinct = sorted.len();
            colors = graph.vertices().map(|vertex| Self::refined(&graph, &colors, vertex)).collect();
        }
    }

    fn refined(graph: &Graph, colors: &[u64], vertex: VertexId) -> u64 {
        let mut around: Vec<(Label, u64)> =
            graph.neighbors(vertex).iter().map(|n| (n.edge_label, colors[n.vertex.index()])).collect();
        around.sort_unstable();
        let start = mix(colors[vertex.index()]);
        around.iter().fold(start, |hash, &(label, color)| mix(mix(hash ^ u64::from(label.0)) ^ color))
    }

    /// Equal for isomorphic graphs.
    fn key(&self) -> Vec<u64> {
        let mut key = self.colors.clone();
        key.sort_unstable();
        key.push(self.graph.num_edges() as u64);
        key
    }

    /// Decides exactly; colours only narrow the search.
    fn is_isomorphic(&self, other: &Self) -> bool {
        let sizes = |g: &Graph| (g.num_vertices(), g.num_edges());
        if sizes(&self.graph) != sizes(&other.graph) {
            return false;
        }
        let order = walk(&self.graph);
        let mut image: Vec<Option<VertexId>> = vec![None; self.graph.num_vertices()];
        let mut taken = vec![false; other.graph.num_vertices()];
        // For each position of the order, the candidates still to be tried.
        let mut open: Vec<Vec<VertexId>> = Vec::new();
        loop {
            if open.len() < order.len() {
                open.push(self.candidates(other, &order[open.len()], &image, &taken));
            } else {
                return true;
            }
            // Step on to a position that has a candidate left.
            loop {
                let Some(position) = open.len().checked_sub(1) else { return false };
                let (vertex, _) = order[position];
                if let Some(old) = image[vertex.index()].take() {
                    taken[old.index()] = false;
                }
                if let Some(choice) = open[position].pop() {
                    image[vertex.index()] = Some(choice);
                    taken[choice.index()] = true;
                    break;
                }
                open.pop();
            }
        }
    }

    /// Vertices of the other graph that can be the image of the next vertex of the walk.
    fn candidates(
        &self,
        other: &Self,
        &(vertex, parent): &(VertexId, Option<VertexId>),
        image: &[Option<VertexId>],
        taken: &[bool],
    ) -> Vec<VertexId> {
        let fits = |candidate: VertexId| {
            !taken[candidate.index()]
                && self.colors[vertex.index()] == other.colors[candidate.index()]
                && self.graph.vertex_label(vertex) == other.graph.vertex_label(candidate)
                && self.graph.degree(vertex) == other.graph.degree(candidate)
                && self.graph.neighbors(vertex).iter().all(|n| {
                    image[n.vertex.index()].is_none_or(|to| {
                        other.graph.edge_between(candidate, to).is_some_and(|e| e.edge_label == n.edge_label)
                    })
                })
        };
        match parent.and_then(|parent| image[parent.index()]) {
            Some(near) => other.graph.neighbors(near).iter().map(|n| n.vertex).filter(|&c| fits(c)).collect(),
            None => other.graph.vertices().filter(|&c| fits(c)).collect(),
        }
    }
}

/// All vertices, each but the first of a component after one of its neighbours.
fn walk(graph: &Graph) -> Vec<(VertexId, Option<VertexId>)> {
    let mut seen = vec![false; graph.num_vertices()];
    let mut order = Vec::new();
    for start in graph.vertices() {
        if std::mem::replace(&mut seen[start.index()], true) {
            continue;
        }
        let first = order.len();
        order.push((start, None));
        let mut at = first;
        while let Some(&(vertex, _)) = order.get(at) {
            for neighbor in graph.neighbors(vertex) {
                if !std::mem::replace(&mut seen[neighbor.vertex.index()], true) {
                    order.push((neighbor.vertex, Some(vertex)));
                }
            }
            at += 1;
        }
    }
    order
}

/// Spreads the bits of a number over all bits.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 32)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (value ^ (value >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests;
