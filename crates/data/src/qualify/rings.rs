//! Which vertices are in a ring.
//!
//! Promise: exactly those on a cycle of the edges that count. That is an atom of some ring of RDKit (`R` in SMARTS) if dative
//! bonds do not count: every edge on a cycle is in some ring of a smallest set of rings. Linear time, no recursion.

use einsicht_graph::{Edge, Graph, VertexId};

/// For each vertex whether it is on a cycle of the edges that `counts`.
pub(super) fn in_ring(graph: &Graph, counts: impl Fn(&Edge) -> bool) -> Vec<bool> {
    let n = graph.num_vertices();
    // When a vertex was discovered, from 1, and the earliest vertex that its subtree is joined to (Tarjan's low point).
    let (mut time, mut low) = (vec![0_u32; n], vec![0_u32; n]);
    let (mut on_cycle, mut clock) = (vec![false; n], 0);
    // A vertex, its next neighbour, and the edge that led to it.
    let mut stack: Vec<(VertexId, usize, Option<usize>)> = Vec::new();
    for start in graph.vertices().filter(|&v| graph.degree(v) > 0) {
        if time[start.index()] > 0 {
            continue;
        }
        clock += 1;
        (time[start.index()], low[start.index()]) = (clock, clock);
        stack.push((start, 0, None));
        while let Some((vertex, next, entry)) = stack.last_mut() {
            let (here, entry) = (vertex.index(), *entry);
            if let Some(neighbor) = graph.neighbors(*vertex).get(*next) {
                *next += 1;
                let (there, edge) = (neighbor.vertex.index(), neighbor.edge.index());
                if Some(edge) == entry || !counts(&graph.edges()[edge]) {
                    continue;
                }
                if time[there] > 0 {
                    low[here] = low[here].min(time[there]);
                } else {
                    clock += 1;
                    (time[there], low[there]) = (clock, clock);
                    stack.push((neighbor.vertex, 0, Some(edge)));
                }
                continue;
            }
            stack.pop();
            if let Some(&(above, ..)) = stack.last() {
                let above = above.index();
                low[above] = low[above].min(low[here]);
                // The edge between them is no bridge, so both are on a cycle.
                if low[here] <= time[above] {
                    (on_cycle[above], on_cycle[here]) = (true, true);
                }
            }
        }
    }
    on_cycle
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
