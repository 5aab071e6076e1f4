//! Ring edges: those that are no bridges. An edge of a pattern that is on a ring can only be mapped to one that is.
//!
//! Promise: [`RingEdges::find`] marks exactly the edges that are not bridges (Tarjan's low points), in one depth-first
//! search without recursion, whatever the size of the graph. Tested against the definition: an edge is on a ring if its
//! ends stay connected without it. Molecules and properties of vertices ask the same of their own edges (`find_by`).

use crate::bitset::{contains_bit, remove_bit, words_for};
use crate::graph::Graph;
use crate::ids::{EdgeId, VertexId};

/// Ring edges of the last graph, with the memory needed to find them.
#[derive(Clone, Debug, Default)]
pub struct RingEdges {
    /// One bit per edge.
    on_ring: Vec<u64>,
    /// Discovery time of each vertex, from 1; 0 if it is not discovered yet.
    time: Vec<u32>,
    /// The low point: earliest discovery time reached from a vertex or its descendants by one back edge.
    low: Vec<u32>,
    /// Open vertices: (vertex, index of the next neighbour, edge by which it was discovered).
    stack: Vec<(u32, u32, u32)>,
}

const NO_EDGE: u32 = u32::MAX;

/// A way from a vertex.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// To a vertex by an edge.
    To {
        /// Number of the vertex.
        vertex: u32,
        /// Number of the edge.
        edge: u32,
    },
    /// By an edge that does not count.
    Closed,
}

impl RingEdges {
    /// Finds the ring edges of a graph, which replace those of the last one. Returns their number.
    pub fn find(&mut self, graph: &Graph) -> usize {
        self.find_by([graph.num_vertices(), graph.num_edges()], |vertex, at| {
            let neighbor = graph.neighbors(VertexId(vertex)).get(at as usize)?;
            Some(Way::To { vertex: neighbor.vertex.0, edge: neighbor.edge.0 })
        })
    }

    /// The same for anything with so many vertices and edges; `way(vertex, at)` is the `at`-th way from a vertex,
    /// `None` behind the last. Edges that are closed keep their mark, whatever it means.
    #[inline]
    pub fn find_by(&mut self, [vertices, edges]: [usize; 2], way: impl Fn(u32, u32) -> Option<Way>) -> usize {
        let mut num_ring_edges = edges;
        self.on_ring.clear();
        self.on_ring.resize(words_for(edges), !0);
        self.time.clear();
        self.time.resize(vertices, 0);
        self.low.clear();
        self.low.resize(vertices, 0);
        let mut now = 0;
        for root in 0..vertices as u32 {
            if self.time[root as usize] != 0 {
                continue;
            }
            now += 1;
            (self.time[root as usize], self.low[root as usize]) = (now, now);
            self.stack.push((root, 0, NO_EDGE));
            while let Some(top) = self.stack.last_mut() {
                let (here, next, came_by) = *top;
                top.1 += 1;
                if let Some(way) = way(here, next) {
                    let Way::To { vertex, edge } = way else { continue };
                    let seen = self.time[vertex as usize];
                    if seen == 0 {
                        now += 1;
                        (self.time[vertex as usize], self.low[vertex as usize]) = (now, now);
                        self.stack.push((vertex, 0, edge));
                    } else if edge != came_by {
                        self.low[here as usize] = self.low[here as usize].min(seen);
                    }
                    continue;
                }
                self.stack.pop();
                if let Some(&(above, ..)) = self.stack.last() {
                    let low = self.low[here as usize];
                    self.low[above as usize] = self.low[above as usize].min(low);
                    if low > self.time[above as usize] {
                        remove_bit(&mut self.on_ring, came_by as usize);
                        num_ring_edges -= 1;
                    }
                }
            }
        }
        num_ring_edges
    }

    /// Whether an edge of the last graph is on a ring.
    #[inline]
    pub fn contains(&self, edge: EdgeId) -> bool {
        contains_bit(&self.on_ring, edge.index())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Label;

    /// All graphs of five vertices.
    #[test]
    fn an_edge_is_on_a_ring_exactly_if_its_ends_stay_connected_without_it() {
        let pairs: Vec<(u32, u32)> = (0..5).flat_map(|to| (0..to).map(move |from| (from, to))).collect();
        let graph = |edges: &[(u32, u32)]| {
            let mut builder = Graph::builder();
            for _ in 0..5 {
                builder.add_vertex(Label(0)).unwrap();
            }
            for &(from, to) in edges {
                builder.add_edge(VertexId(from), VertexId(to), Label(0)).unwrap();
            }
            builder.build()
        };
        let mut rings = RingEdges::default();
        for subset in 0..1_u32 << pairs.len() {
            let edges: Vec<(u32, u32)> =
                pairs.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, &pair)| pair).collect();
            let number = rings.find(&graph(&edges));
            let mut expected = 0;
            for (id, &(from, to)) in edges.iter().enumerate() {
                let others: Vec<(u32, u32)> = edges.iter().copied().filter(|&e| e != (from, to)).collect();
                let component = graph(&others).components();
                let on_ring = component[from as usize] == component[to as usize];
                assert_eq!(rings.contains(EdgeId(id as u32)), on_ring, "{edges:?}");
                expected += usize::from(on_ring);
            }
            assert_eq!(number, expected);
        }
    }

    /// Two triangles joined by an edge, with a tail, and a separate edge.
    #[test]
    fn the_edge_between_two_rings_is_not_on_a_ring() {
        let mut builder = Graph::builder();
        for _ in 0..9 {
            builder.add_vertex(Label(0)).unwrap();
        }
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (7, 8)];
        for (from, to) in edges {
            builder.add_edge(VertexId(from), VertexId(to), Label(0)).unwrap();
        }
        let mut rings = RingEdges::default();
        assert_eq!(rings.find(&builder.build()), 6);
        let found: Vec<bool> = (0..9).map(|e| rings.contains(EdgeId(e))).collect();
        assert_eq!(found, [true, true, true, false, true, true, true, false, false]);
    }
}
