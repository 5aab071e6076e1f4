//! The scaffold of a graph, and which graphs share one: ring systems with the paths between them (Bemis and Murcko).
//!
//! Promise: the scaffold of a labelled graph is the 2-core: vertices with fewer than two neighbours are removed until
//! there are none, so it is empty exactly if the graph has no cycle. Of a molecule it is RDKit's Murcko scaffold
//! without stereo: atoms on a double bond to the 2-core stay too, atoms count by element and charge, and aromatic atoms
//! other than carbon also by their hydrogens, where a removed neighbour counts as one. Two graphs are in one group
//! exactly if their scaffolds are isomorphic; all graphs without a cycle are in one group.
//!
//! Colours are refined (Weisfeiler-Lehman), then an exact isomorphism test decides. Tested against all permutations
//! here, and against RDKit in `python/tests`.

use super::labels::{CHARGE, HYDROGENS};
use super::smarts::element_of_label;
use crate::dataset::Dataset;
use einsicht_chem::BondOrder;
use einsicht_chem::Element;
use einsicht_graph::{Graph, Label, VertexId};
use std::collections::BTreeMap;

/// For each graph the number of its scaffold, counted from 0 in the order in which they first come.
pub fn scaffold_groups(dataset: &Dataset) -> Vec<u32> {
    let graphs = 0..dataset.len();
    if dataset.reading.molecule_labels.is_some() {
        let mut known = BTreeMap::new();
        return group(graphs.map(|at| murcko_scaffold(dataset, at, &mut known)));
    }
    group(graphs.map(|at| {
        let graph = &dataset.graphs[at];
        part(graph, &core(graph), |vertex| graph.vertex_label(vertex))
    }))
}

/// What distinguishes the atoms of a scaffold: word of the element, charge, hydrogens of an aromatic atom other than
/// carbon.
type AtomKind = (String, String, u32);

/// The scaffold of a molecule; `known` numbers the kinds of atoms.
fn murcko_scaffold(dataset: &Dataset, at: usize, known: &mut BTreeMap<AtomKind, Label>) -> Graph {
    let graph = &dataset.graphs[at];
    let [double, aromatic] =
        [BondOrder::Double, BondOrder::Aromatic].map(|order| dataset.edge_labels.label(order.token()));
    let core = core(graph);
    let is_held = |vertex: VertexId| {
        graph.neighbors(vertex).iter().any(|n| core[n.vertex.index()] && Some(n.edge_label) == double)
    };
    let kept: Vec<bool> = graph.vertices().map(|vertex| core[vertex.index()] || is_held(vertex)).collect();
    let token = |vertex: VertexId| dataset.vertex_labels.token(graph.vertex_label(vertex));
    let element = |vertex: VertexId| element_of_label(token(vertex));
    let property =
        |name: &str, vertex: VertexId| dataset.property(name).and_then(|column| column.token(at, vertex.index()));
    part(graph, &kept, |vertex| {
        let is_aromatic = graph.neighbors(vertex).iter().any(|n| Some(n.edge_label) == aromatic);
        let mut hydrogens = 0;
        if is_aromatic && element(vertex).is_some_and(|found| found.symbol() != "C") {
            let is_lost =
                |vertex: VertexId| !kept[vertex.index()] && element(vertex).is_none_or(|e| e != Element::HYDROGEN);
            let lost = graph.neighbors(vertex).iter().filter(|n| is_lost(n.vertex)).count();
            let own = property(HYDROGENS, vertex).and_then(|count| count.parse().ok()).unwrap_or(0);
            hydrogens = own + lost as u32;
        }
        let word = element(vertex).map_or_else(|| token(vertex), |found| found.symbol());
        let charge = property(CHARGE, vertex).unwrap_or_default();
        let next = Label(known.len() as u32);
        *known.entry((word.to_owned(), charge.to_owned(), hydrogens)).or_insert(next)
    })
}

/// Whether each vertex is in a cycle or between cycles.
fn core(graph: &Graph) -> Vec<bool> {
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
    kept
}

/// The vertices that are kept, with the edges between them and other labels.
fn part(graph: &Graph, kept: &[bool], mut label: impl FnMut(VertexId) -> Label) -> Graph {
    let mut builder = Graph::builder();
    let mut moved = vec![None; graph.num_vertices()];
    for vertex in graph.vertices().filter(|v| kept[v.index()]) {
        moved[vertex.index()] = builder.add_vertex(label(vertex)).ok();
    }
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (moved[edge.from.index()], moved[edge.to.index()]) {
            let added = builder.add_edge(from, to, edge.label);
            debug_assert!(added.is_ok(), "a part of a simple graph is simple");
        }
    }
    builder.build()
}

/// For each graph the number of its isomorphism class, counted from 0 in the order in which they first come.
fn group(graphs: impl Iterator<Item = Graph>) -> Vec<u32> {
    // Graphs with equal keys, with their numbers. Nearly always one per key.
    let mut known: BTreeMap<Vec<u64>, Vec<(Refined, u32)>> = BTreeMap::new();
    let mut next = 0;
    graphs
        .map(|graph| {
            let refined = Refined::new(graph);
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
