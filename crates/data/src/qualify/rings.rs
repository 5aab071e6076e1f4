//! Which vertices are in a ring.
//!
//! Promise: exactly those on a cycle of the edges that count. That is an atom of some ring of RDKit (`R` in SMARTS) if
//! dative bonds do not count: every edge on a cycle is in some ring of a smallest set of rings.

use einsicht_graph::{Edge, Graph, RingEdges, VertexId, Way};

/// For each vertex whether it is on a cycle of the edges that `counts`.
pub(super) fn in_ring(graph: &Graph, counts: impl Fn(&Edge) -> bool) -> Vec<bool> {
    let (edges, mut rings) = (graph.edges(), RingEdges::default());
    rings.find_by([graph.num_vertices(), edges.len()], |vertex, at| {
        let neighbor = graph.neighbors(VertexId(vertex)).get(at as usize)?;
        let is_open = counts(&edges[neighbor.edge.index()]);
        Some(if is_open { Way::To { vertex: neighbor.vertex.0, edge: neighbor.edge.0 } } else { Way::Closed })
    });
    let on_cycle = |v| graph.neighbors(v).iter().any(|n| counts(&edges[n.edge.index()]) && rings.contains(n.edge));
    graph.vertices().map(on_cycle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_testkit::strategy::{Shape, connected_graph};
    use proptest::prelude::*;

    /// Whether an edge has a way back that does not use it.
    fn closes(graph: &Graph, edge: usize, counts: impl Fn(&Edge) -> bool) -> bool {
        let Edge { from, to, .. } = graph.edges()[edge];
        let (mut seen, mut stack) = (vec![false; graph.num_vertices()], vec![from]);
        while let Some(v) = stack.pop() {
            if std::mem::replace(&mut seen[v.index()], true) {
                continue;
            }
            let ways = graph.neighbors(v).iter();
            let open = ways.filter(|n| n.edge.index() != edge && counts(&graph.edges()[n.edge.index()]));
            stack.extend(open.map(|n| n.vertex));
        }
        seen[to.index()]
    }

    proptest! {
        #[test]
        fn a_vertex_is_in_a_ring_if_one_of_its_edges_has_a_way_back(
            graph in connected_graph(Shape { vertices: 9, edges: 12, vertex_labels: 1, edge_labels: 3 }),
        ) {
            let counts = |edge: &Edge| edge.label.0 != 0;
            let mut wanted = vec![false; graph.num_vertices()];
            for (at, edge) in graph.edges().iter().enumerate().filter(|(_, edge)| counts(edge)) {
                if closes(&graph, at, counts) {
                    (wanted[edge.from.index()], wanted[edge.to.index()]) = (true, true);
                }
            }
            prop_assert_eq!(in_ring(&graph, counts), wanted);
        }
    }
}
