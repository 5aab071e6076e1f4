//! An immutable labelled graph in flat arrays, and the builder that refuses everything else.
//!
//! Promise: a [`Graph`] is simple and undirected: no self loop, no second edge between two vertices, every end exists.
//! It may be empty or have several components. The neighbours of a vertex carry their labels inline and are sorted by
//! (edge label, vertex label, vertex), so equal graphs have equal arrays whatever the order in which their edges came.
//! A clone shares the arrays, so data set, folds, search and matcher hold the same graph once; whoever changes labels
//! gets arrays of its own.
//!
//! Knows nothing of label names, targets or files. Mining and matching re-encode it for speed.

use crate::ids::{EdgeId, Label, VertexId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// One entry of a vertex's adjacency: an edge and its other end, with their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Neighbor {
    /// Label of the edge.
    pub edge_label: Label,
    /// Label of the vertex at the other end.
    pub vertex_label: Label,
    /// The vertex at the other end.
    pub vertex: VertexId,
    /// The edge itself.
    pub edge: EdgeId,
}

/// An undirected edge, as it was given to the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// First end.
    pub from: VertexId,
    /// Second end.
    pub to: VertexId,
    /// Label of the edge.
    pub label: Label,
}

/// Why some vertices and edges are not a simple undirected graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum GraphError {
    #[error("an edge must join two different vertices, but this one joins vertex {vertex} to itself")]
    SelfLoop { vertex: u32 },
    #[error("two vertices may share only one edge, but {from} and {to} are joined twice")]
    DoubleEdge { from: u32, to: u32 },
    #[error("an edge names vertex {vertex}, but the graph has {len} vertices")]
    NoSuchVertex { vertex: u32, len: usize },
    #[error("a graph may have at most 2^31 vertices and edges")]
    TooLarge,
}

/// A simple undirected graph with a label on every vertex and every edge. Clones share their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph(Arc<Arrays>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Arrays {
    vertex_labels: Box<[Label]>,
    edges: Box<[Edge]>,
    /// `neighbors[offsets[v]..offsets[v + 1]]` belong to vertex `v`.
    offsets: Box<[u32]>,
    neighbors: Box<[Neighbor]>,
    /// By vertex: the numbers of its properties, as bits. Empty if no vertex has one.
    qualifiers: Box<[u64]>,
}

impl Graph {
    /// Starts a graph without vertices.
    pub fn builder() -> GraphBuilder {
        GraphBuilder::default()
    }

    /// Number of vertices.
    pub fn num_vertices(&self) -> usize {
        self.0.vertex_labels.len()
    }

    /// Number of edges, each counted once.
    pub fn num_edges(&self) -> usize {
        self.0.edges.len()
    }

    /// Labels of all vertices, by vertex.
    pub fn vertex_labels(&self) -> &[Label] {
        &self.0.vertex_labels
    }

    /// Label of one vertex.
    ///
    /// # Panics
    /// If the vertex is not one of this graph.
    #[inline]
    pub fn vertex_label(&self, vertex: VertexId) -> Label {
        self.0.vertex_labels[vertex.index()]
    }

    /// The properties of all vertices as bits, by vertex; empty if no vertex has one.
    pub fn all_qualifiers(&self) -> &[u64] {
        &self.0.qualifiers
    }

    /// The properties of one vertex: bit `q` is set if it has the property with number `q`.
    ///
    /// # Panics
    /// If the vertex is not one of this graph.
    #[inline]
    pub fn qualifiers(&self, vertex: VertexId) -> u64 {
        if self.0.qualifiers.is_empty() { 0 } else { self.0.qualifiers[vertex.index()] }
    }

    /// Sets the properties of all vertices, as bits by vertex; an empty list removes them.
    ///
    /// # Panics
    /// If there is not one entry per vertex.
    pub fn set_qualifiers(&mut self, qualifiers: Vec<u64>) {
        assert!(
            qualifiers.is_empty() || qualifiers.len() == self.num_vertices(),
            "one entry per vertex, or none at all"
        );
        let arrays = Arc::make_mut(&mut self.0);
        arrays.qualifiers = if qualifiers.iter().all(|bits| *bits == 0) { Box::default() } else { qualifiers.into() };
    }

    /// All edges, in the order in which they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.0.edges
    }

    /// The neighbours of a vertex, sorted by (edge label, vertex label, vertex).
    ///
    /// # Panics
    /// If the vertex is not one of this graph.
    #[inline]
    pub fn neighbors(&self, vertex: VertexId) -> &[Neighbor] {
        let v = vertex.index();
        &self.0.neighbors[self.0.offsets[v] as usize..self.0.offsets[v + 1] as usize]
    }

    /// Number of neighbours of a vertex.
    ///
    /// # Panics
    /// If the vertex is not one of this graph.
    pub fn degree(&self, vertex: VertexId) -> usize {
        self.neighbors(vertex).len()
    }

    /// The edge between two vertices, if there is one.
    pub fn edge_between(&self, from: VertexId, to: VertexId) -> Option<&Neighbor> {
        self.neighbors(from).iter().find(|n| n.vertex == to)
    }

    /// All vertices.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = VertexId> + use<> {
        (0..self.num_vertices() as u32).map(VertexId)
    }

    /// Replaces every label, for instance numbers in order of first occurrence by ranks.
    pub fn map_labels(&mut self, vertex: impl Fn(Label) -> Label, edge: impl Fn(Label) -> Label) {
        let arrays = Arc::make_mut(&mut self.0);
        arrays.vertex_labels.iter_mut().for_each(|label| *label = vertex(*label));
        arrays.edges.iter_mut().for_each(|e| e.label = edge(e.label));
        for neighbor in &mut arrays.neighbors {
            neighbor.vertex_label = vertex(neighbor.vertex_label);
            neighbor.edge_label = edge(neighbor.edge_label);
        }
        for range in arrays.offsets.windows(2) {
            arrays.neighbors[range[0] as usize..range[1] as usize].sort_unstable();
        }
    }

    /// For each vertex the number of its connected component, counted from 0 in order of vertices.
    pub fn components(&self) -> Vec<u32> {
        let mut component = vec![u32::MAX; self.num_vertices()];
        let (mut next, mut stack) = (0, Vec::new());
        for start in self.vertices() {
            if component[start.index()] != u32::MAX {
                continue;
            }
            component[start.index()] = next;
            stack.push(start);
            while let Some(vertex) = stack.pop() {
                for neighbor in self.neighbors(vertex) {
                    if component[neighbor.vertex.index()] == u32::MAX {
                        component[neighbor.vertex.index()] = next;
                        stack.push(neighbor.vertex);
                    }
                }
            }
            next += 1;
        }
        component
    }
}

/// Collects vertices and edges; [`GraphBuilder::build`] makes the graph.
///
/// ```
/// use einsicht_graph::{Graph, Label};
/// let mut builder = Graph::builder();
/// let carbon = builder.add_vertex(Label(0)).unwrap();
/// let oxygen = builder.add_vertex(Label(1)).unwrap();
/// builder.add_edge(carbon, oxygen, Label(2)).unwrap();
/// assert!(builder.add_edge(oxygen, carbon, Label(2)).is_err());
/// assert_eq!(builder.build().num_edges(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    vertex_labels: Vec<Label>,
    edges: Vec<Edge>,
    /// Ends of all edges, the smaller one first. Filled only once there are too many `edges` to scan.
    seen: FxHashSet<(u32, u32)>,
}

/// Up to this many edges, scanning all of them beats hashing.
const MAX_SCANNED: usize = 48;
/// Largest number of vertices or edges.
const MAX_LEN: usize = 1 << 31;

impl GraphBuilder {
    /// Adds a vertex and returns its id: ids count from 0.
    pub fn add_vertex(&mut self, label: Label) -> Result<VertexId, GraphError> {
        if self.vertex_labels.len() >= MAX_LEN {
            return Err(GraphError::TooLarge);
        }
        self.vertex_labels.push(label);
        Ok(VertexId(self.vertex_labels.len() as u32 - 1))
    }

    /// Number of vertices so far.
    pub fn num_vertices(&self) -> usize {
        self.vertex_labels.len()
    }

    /// Adds an undirected edge. A refused edge leaves the builder as it was.
    pub fn add_edge(&mut self, from: VertexId, to: VertexId, label: Label) -> Result<EdgeId, GraphError> {
        for end in [from, to] {
            if end.index() >= self.vertex_labels.len() {
                return Err(GraphError::NoSuchVertex { vertex: end.0, len: self.vertex_labels.len() });
            }
        }
        if from == to {
            return Err(GraphError::SelfLoop { vertex: from.0 });
        }
        if self.has_edge(from, to) {
            return Err(GraphError::DoubleEdge { from: from.0, to: to.0 });
        }
        if self.edges.len() >= MAX_LEN {
            return Err(GraphError::TooLarge);
        }
        self.edges.push(Edge { from, to, label });
        if self.edges.len() == MAX_SCANNED {
            self.seen.extend(self.edges.iter().map(|e| ordered(e.from, e.to)));
        } else if self.edges.len() > MAX_SCANNED {
            self.seen.insert(ordered(from, to));
        }
        Ok(EdgeId(self.edges.len() as u32 - 1))
    }

    /// Whether the two vertices are already joined.
    pub fn has_edge(&self, from: VertexId, to: VertexId) -> bool {
        let wanted = ordered(from, to);
        if self.edges.len() < MAX_SCANNED {
            self.edges.iter().any(|e| ordered(e.from, e.to) == wanted)
        } else {
            self.seen.contains(&wanted)
        }
    }

    /// Makes the graph: flat arrays with sorted adjacencies.
    pub fn build(self) -> Graph {
        let mut offsets = vec![0_u32; self.vertex_labels.len() + 1];
        for edge in &self.edges {
            offsets[edge.from.index() + 1] += 1;
            offsets[edge.to.index() + 1] += 1;
        }
        for v in 1..offsets.len() {
            offsets[v] += offsets[v - 1];
        }
        let blank = Neighbor { edge_label: Label(0), vertex_label: Label(0), vertex: VertexId(0), edge: EdgeId(0) };
        let mut neighbors = vec![blank; 2 * self.edges.len()];
        let mut next = offsets.clone();
        for (id, edge) in self.edges.iter().enumerate() {
            for (here, there) in [(edge.from, edge.to), (edge.to, edge.from)] {
                neighbors[next[here.index()] as usize] = Neighbor {
                    edge_label: edge.label,
                    vertex_label: self.vertex_labels[there.index()],
                    vertex: there,
                    edge: EdgeId(id as u32),
                };
                next[here.index()] += 1;
            }
        }
        for v in 0..self.vertex_labels.len() {
            neighbors[offsets[v] as usize..offsets[v + 1] as usize].sort_unstable();
        }
        Graph(Arc::new(Arrays {
            vertex_labels: self.vertex_labels.into(),
            edges: self.edges.into(),
            offsets: offsets.into(),
            neighbors: neighbors.into(),
            qualifiers: Box::default(),
        }))
    }
}

fn ordered(a: VertexId, b: VertexId) -> (u32, u32) {
    (a.0.min(b.0), a.0.max(b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(len: u32) -> GraphBuilder {
        let mut builder = Graph::builder();
        for v in 0..len {
            builder.add_vertex(Label(v % 2)).unwrap();
        }
        for v in 1..len {
            builder.add_edge(VertexId(v - 1), VertexId(v), Label(0)).unwrap();
        }
        builder
    }

    #[test]
    fn neighbors_are_sorted_by_edge_label_then_vertex_label() {
        let mut builder = Graph::builder();
        for label in [0, 2, 1, 1] {
            builder.add_vertex(Label(label)).unwrap();
        }
        for (to, label) in [(1, 0), (2, 1), (3, 0)] {
            builder.add_edge(VertexId(0), VertexId(to), Label(label)).unwrap();
        }
        let order: Vec<u32> = builder.build().neighbors(VertexId(0)).iter().map(|n| n.vertex.0).collect();
        assert_eq!(order, [3, 1, 2]);
    }

    #[test]
    fn a_graph_with_mapped_labels_is_the_graph_built_with_them() {
        let build = |label: fn(u32) -> u32| {
            let mut builder = Graph::builder();
            for vertex in 0..30 {
                builder.add_vertex(Label(label(vertex % 5))).unwrap();
            }
            for vertex in 1..30 {
                builder.add_edge(VertexId(vertex / 3), VertexId(vertex), Label(label(vertex % 4))).unwrap();
            }
            builder.build()
        };
        let mut mapped = build(|label| label);
        mapped.map_labels(|l| Label(7 - l.0), |l| Label(7 - l.0));
        assert_eq!(mapped, build(|label| 7 - label));
    }

    #[test]
    fn what_is_not_a_simple_graph_is_refused_with_the_reason() {
        for len in [4, 60] {
            let mut builder = path(len);
            let before = builder.edges.len();
            assert_eq!(builder.add_edge(VertexId(2), VertexId(2), Label(0)), Err(GraphError::SelfLoop { vertex: 2 }));
            assert_eq!(
                builder.add_edge(VertexId(2), VertexId(1), Label(5)),
                Err(GraphError::DoubleEdge { from: 2, to: 1 })
            );
            assert_eq!(
                builder.add_edge(VertexId(0), VertexId(99), Label(0)),
                Err(GraphError::NoSuchVertex { vertex: 99, len: len as usize })
            );
            assert_eq!(builder.edges.len(), before);
        }
    }

    #[test]
    fn components_count_from_zero_in_order_of_vertices() {
        let mut builder = path(3);
        for _ in 0..2 {
            builder.add_vertex(Label(7)).unwrap();
        }
        assert_eq!(builder.build().components(), [0, 0, 0, 1, 2]);
    }
}
