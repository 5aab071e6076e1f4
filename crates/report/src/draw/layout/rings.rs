//! A cycle basis of small rings, and the blocks of fused rings.

use einsicht_graph::{Graph, VertexId};
use rustc_hash::FxHashSet;

/// A ring: its vertices in order.
pub(super) type Ring = Vec<usize>;

/// Independent small rings, the smallest first: a shortest ring through each edge, unless it is a sum (over GF(2)) of
/// smaller ones.
pub(super) fn small_rings(graph: &Graph) -> Vec<Ring> {
    let mut seen: FxHashSet<Vec<usize>> = FxHashSet::default();
    let mut candidates: Vec<(Vec<usize>, Ring)> = Vec::new();
    for (at, edge) in graph.edges().iter().enumerate() {
        if let Some(ring) = shortest_through(graph, at, edge.from, edge.to) {
            let edges = edges_of(graph, &ring);
            if seen.insert(edges.clone()) {
                candidates.push((edges, ring));
            }
        }
    }
    candidates.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| a.0.cmp(&b.0)));
    // Gaussian elimination over GF(2): a ring is kept if it is no sum of kept ones.
    let words = graph.num_edges().div_ceil(64);
    let (mut kept, mut rows): (Vec<Ring>, Vec<(usize, Vec<u64>)>) = (Vec::new(), Vec::new());
    for (edges, ring) in candidates {
        let mut bits = vec![0_u64; words];
        for edge in &edges {
            bits[edge / 64] |= 1 << (edge % 64);
        }
        for (pivot, row) in &rows {
            if bits[pivot / 64] & (1 << (pivot % 64)) != 0 {
                bits.iter_mut().zip(row).for_each(|(a, b)| *a ^= b);
            }
        }
        let first = bits.iter().position(|word| *word != 0);
        if let Some(word) = first {
            rows.push((word * 64 + bits[word].trailing_zeros() as usize, bits));
            kept.push(ring);
        }
    }
    kept
}

fn edges_of(graph: &Graph, ring: &[usize]) -> Vec<usize> {
    let pair = |at: usize| (VertexId(ring[at] as u32), VertexId(ring[(at + 1) % ring.len()] as u32));
    let edge = |at| graph.edge_between(pair(at).0, pair(at).1).map(|neighbor| neighbor.edge.index());
    let mut edges: Vec<usize> = (0..ring.len()).filter_map(edge).collect();
    edges.sort_unstable();
    edges
}

/// A shortest ring through an edge: a breadth-first search from one end to the other without it.
fn shortest_through(graph: &Graph, edge: usize, from: VertexId, to: VertexId) -> Option<Ring> {
    let mut before = vec![usize::MAX; graph.num_vertices()];
    before[from.index()] = from.index();
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(here) = queue.pop_front() {
        for neighbor in graph.neighbors(here).iter().filter(|n| n.edge.index() != edge) {
            if before[neighbor.vertex.index()] != usize::MAX {
                continue;
            }
            before[neighbor.vertex.index()] = here.index();
            if neighbor.vertex == to {
                let mut ring = vec![to.index()];
                while ring[ring.len() - 1] != from.index() {
                    ring.push(before[ring[ring.len() - 1]]);
                }
                return Some(ring);
            }
            queue.push_back(neighbor.vertex);
        }
    }
    None
}

/// Rings in blocks: two rings with a common edge are in the same one. Lists of indices of rings.
pub(super) fn blocks(rings: &[Ring]) -> Vec<Vec<usize>> {
    let mut block: Vec<usize> = (0..rings.len()).collect();
    for a in 0..rings.len() {
        for b in 0..a {
            if rings[a].iter().filter(|v| rings[b].contains(v)).count() >= 2 {
                let (from, to) = (block[a].max(block[b]), block[a].min(block[b]));
                block.iter_mut().filter(|at| **at == from).for_each(|at| *at = to);
            }
        }
    }
    let mut names = block.clone();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| (0..rings.len()).filter(|&ring| block[ring] == *name).collect()).collect()
}
