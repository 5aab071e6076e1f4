//! The graph database as the miner reads it: one adjacency array, the labels of neighbours packed into *types*.
//!
//! A type is the rank of a pair (edge label, vertex label) among all pairs that occur. So comparing types compares the
//! pairs, and a dense table indexed by type replaces every map in the inner loop. Vertices are numbered within their
//! graph; adjacencies are sorted by type. Promise: the same graphs, with labels as [`LabelOrder`] ranks them. Tested
//! through the miner against the oracle.

use crate::graph::{Graph, Neighbor};
use crate::ids::{Label, VertexId};
use crate::label_order::LabelOrder;
use std::sync::OnceLock;

/// Stands for a pair of labels that does not occur.
const NO_TYPE: u32 = u32::MAX;
/// Up to this many pairs of labels, types are looked up in a table.
const MAX_TABLE: usize = 1 << 14;
/// Lists shorter than this are not freed of duplicates before they are complete.
const DEDUP_FROM: usize = 1 << 16;

/// One entry of a vertex's adjacency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjacent {
    /// Neighbour, numbered within its graph.
    pub(crate) vertex: u32,
    /// Rank of (edge label, label of the neighbour).
    pub(crate) ty: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    /// Its neighbours as bits; meaningful only where [`Database::fits_in_words`].
    pub(crate) word: u64,
    /// Range of its neighbours in [`Database::adjacent`].
    neighbors: (u32, u32),
    /// The type of all edges that lead to it, where [`Database::types_are_labels`].
    pub(crate) ty: u32,
    label: Label,
}

/// All graphs of one mining run.
#[derive(Debug)]
pub(crate) struct Database {
    /// Index of the first vertex of each graph in `vertices`; one more entry than graphs.
    bases: Vec<u32>,
    vertices: Vec<Vertex>,
    adjacent: Vec<Adjacent>,
    /// Qualifiers of each vertex as bits, parallel to `vertices`; empty if there are none.
    qualifiers: Vec<u64>,
    /// Those that occur.
    qualifier_values: u64,
    /// (edge label, vertex label) of each type, increasing.
    types: Vec<(Label, Label)>,
    /// By edge label and vertex label: the type, [`NO_TYPE`] if there is none. Empty if there are too many labels.
    table: Vec<u32>,
    num_vertex_labels: usize,
    /// By vertex label: the types of edges that leave such vertices, increasing.
    types_of_label: OnceLock<Vec<Vec<u32>>>,
    num_edge_labels: usize,
    max_vertices: usize,
}

impl Database {
    pub(crate) fn new(graphs: &[Graph], label_order: &LabelOrder) -> Self {
        let vertices = graphs.iter().flat_map(|graph| graph.vertices().map(move |v| graph.neighbors(v)));
        let labels = |n: &Neighbor| label_order.edge(n.edge_label, n.vertex_label);
        let types = distinct(vertices.map(|neighbors| neighbors.iter().map(labels)));
        // Exactly as long as needed: growing would hold two copies, and up to twice the memory.
        let num_vertices = graphs.iter().map(Graph::num_vertices).sum();
        let num_adjacent = graphs.iter().map(|graph| 2 * graph.num_edges()).sum();
        let mut bases = Vec::with_capacity(graphs.len() + 1);
        bases.push(0);
        let mut db = Self {
            bases,
            vertices: Vec::with_capacity(num_vertices),
            adjacent: Vec::with_capacity(num_adjacent),
            qualifiers: Vec::new(),
            qualifier_values: 0,
            num_edge_labels: types.last().map_or(0, |t| t.0.index() + 1),
            table: Vec::new(),
            num_vertex_labels: types.iter().map(|t| t.1.index() + 1).max().unwrap_or(0),
            types,
            types_of_label: OnceLock::new(),
            max_vertices: graphs.iter().map(Graph::num_vertices).max().unwrap_or(0),
        };
        db.fill_table();
        if graphs.iter().any(|graph| !graph.all_qualifiers().is_empty()) {
            let of_graph = |graph: &Graph| graph.vertices().map(|v| graph.qualifiers(v)).collect::<Vec<u64>>();
            db.qualifiers.reserve_exact(num_vertices);
            db.qualifiers.extend(graphs.iter().flat_map(of_graph));
            db.qualifier_values = db.qualifiers.iter().fold(0, |all, bits| all | bits);
        }
        for graph in graphs {
            for v in graph.vertices() {
                let start = db.adjacent.len() as u32;
                let mut word = 0;
                for n in graph.neighbors(v) {
                    let (edge_label, vertex_label) = label_order.edge(n.edge_label, n.vertex_label);
                    let ty = db.type_of(edge_label, vertex_label).expect("collected above");
                    word |= 1 << (n.vertex.0 & 63);
                    db.adjacent.push(Adjacent { vertex: n.vertex.0, ty });
                }
                if label_order.reorders() {
                    db.adjacent[start as usize..].sort_unstable_by_key(|a| (a.ty, a.vertex));
                }
                let label = label_order.vertex(graph.vertex_label(v));
                let ty = db.types.binary_search_by_key(&label, |t| t.1).map_or(0, |ty| ty as u32);
                db.vertices.push(Vertex { word, neighbors: (start, db.adjacent.len() as u32), ty, label });
            }
            db.bases.push(db.vertices.len() as u32);
        }
        db
    }

    fn fill_table(&mut self) {
        let size = self.num_edge_labels.saturating_mul(self.num_vertex_labels);
        if size <= MAX_TABLE {
            self.table = vec![NO_TYPE; size];
            for (ty, &(edge_label, vertex_label)) in self.types.iter().enumerate() {
                self.table[edge_label.index() * self.num_vertex_labels + vertex_label.index()] = ty as u32;
            }
        }
    }

    /// Whether the vertex at the end of an edge has at least two further edges, on average. In molecules it has 1.4 to
    /// 1.7, in proteins about 3.
    pub(crate) fn branches(&self) -> bool {
        let ends: u64 = self.vertices.iter().map(|v| self.neighbors_of(v).len() as u64).sum();
        let ways: u64 = self.vertices.iter().map(|v| (self.neighbors_of(v).len() as u64).pow(2)).sum();
        ways - ends >= 2 * ends
    }

    fn find_types_of_labels(&self) -> Vec<Vec<u32>> {
        let types_of = |vertex| self.neighbors_of(vertex).iter().map(|adjacent| (vertex.label, adjacent.ty));
        let found = distinct(self.vertices.iter().map(types_of));
        let mut types = vec![Vec::new(); found.last().map_or(0, |(label, _)| label.index() + 1)];
        for (label, ty) in found {
            types[label.index()].push(ty);
        }
        types
    }

    /// Types of edges that leave vertices with this label, increasing.
    pub(crate) fn types_next_to(&self, label: Label) -> &[u32] {
        let types = self.types_of_label.get_or_init(|| self.find_types_of_labels());
        types.get(label.index()).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn num_graphs(&self) -> usize {
        self.bases.len() - 1
    }

    pub(crate) fn max_vertices(&self) -> usize {
        self.max_vertices
    }

    pub(crate) fn num_types(&self) -> usize {
        self.types.len()
    }

    pub(crate) fn num_edge_labels(&self) -> usize {
        self.num_edge_labels
    }

    /// Memory held by the arrays.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.bases.len() + self.table.len())
            + size_of_val(self.vertices.as_slice())
            + 8 * (self.adjacent.len() + self.types.len() + self.qualifiers.len())
    }

    /// Index of the first vertex of a graph: add the vertex's number within the graph for [`Database::neighbors`].
    #[inline]
    pub(crate) fn base(&self, graph: u32) -> usize {
        self.bases[graph as usize] as usize
    }

    pub(crate) fn num_vertices(&self, graph: u32) -> u32 {
        self.bases[graph as usize + 1] - self.bases[graph as usize]
    }

    #[inline]
    pub(crate) fn vertices(&self, graph: u32) -> &[Vertex] {
        &self.vertices[self.base(graph)..self.base(graph + 1)]
    }

    /// Neighbours of the vertex at `base + vertex`, sorted by type.
    #[inline]
    pub(crate) fn neighbors(&self, at: usize) -> &[Adjacent] {
        self.neighbors_of(&self.vertices[at])
    }

    /// Neighbours of a vertex, sorted by type.
    #[inline]
    pub(crate) fn neighbors_of(&self, vertex: &Vertex) -> &[Adjacent] {
        &self.adjacent[vertex.neighbors.0 as usize..vertex.neighbors.1 as usize]
    }

    /// The qualifiers of the vertices of a graph, as bits; empty if no graph has any.
    #[inline]
    pub(crate) fn qualifiers(&self, graph: u32) -> &[u64] {
        if self.qualifiers.is_empty() {
            &[]
        } else {
            &self.qualifiers[self.base(graph)..][..self.num_vertices(graph) as usize]
        }
    }

    /// The qualifiers that some vertex has, as bits.
    pub(crate) fn qualifier_values(&self) -> u64 {
        self.qualifier_values
    }

    pub(crate) fn has_qualifiers(&self) -> bool {
        !self.qualifiers.is_empty()
    }

    /// Whether the vertices of a graph are the bits of a word, for [`Vertex::word`].
    #[inline]
    pub(crate) fn fits_in_words(&self, graph: u32) -> bool {
        self.num_vertices(graph) <= u64::BITS
    }

    /// Whether there is one edge label, so that a type is a vertex label, and few enough types for a word.
    #[inline]
    pub(crate) fn types_are_labels(&self) -> bool {
        self.num_edge_labels <= 1 && self.types.len() < u64::BITS as usize
    }

    /// Label of the edge between two vertices of a graph, if there is one.
    #[inline]
    pub(crate) fn edge_label(&self, vertex: &Vertex, to: u32) -> Option<Label> {
        self.neighbors_of(vertex).iter().find(|a| a.vertex == to).map(|a| self.labels_of(a.ty).edge)
    }

    #[inline]
    pub(crate) fn vertex_label(&self, at: usize) -> Label {
        self.vertices[at].label
    }

    /// The type of (edge label, vertex label), if it occurs.
    pub(crate) fn type_of(&self, edge_label: Label, vertex_label: Label) -> Option<u32> {
        if self.table.is_empty() {
            return self.types.binary_search(&(edge_label, vertex_label)).ok().map(|t| t as u32);
        }
        if vertex_label.index() >= self.num_vertex_labels {
            return None;
        }
        let at = edge_label.index() * self.num_vertex_labels + vertex_label.index();
        self.table.get(at).copied().filter(|&ty| ty != NO_TYPE)
    }

    #[inline]
    pub(crate) fn labels_of(&self, ty: u32) -> TypeLabels {
        let (edge, vertex) = self.types[ty as usize];
        TypeLabels { edge, vertex }
    }

    /// Every directed edge of a graph: (from, to, type), from the smaller vertex label or, between
    /// equal labels, in both directions. These are the embeddings of one-edge patterns.
    pub(crate) fn one_edge_embeddings(
        &self,
        graph: u32,
    ) -> impl Iterator<Item = (VertexId, VertexId, Label, u32)> + '_ {
        let base = self.base(graph);
        (0..self.num_vertices(graph)).flat_map(move |from| {
            let from_label = self.vertex_label(base + from as usize);
            self.neighbors(base + from as usize)
                .iter()
                .filter(move |a| from_label <= self.labels_of(a.ty).vertex)
                .map(move |a| (VertexId(from), VertexId(a.vertex), from_label, a.ty))
        })
    }
}

/// The labels of a type: of the edge, and of the vertex that it leads to.
#[derive(Clone, Copy)]
pub(crate) struct TypeLabels {
    pub(crate) edge: Label,
    pub(crate) vertex: Label,
}

/// The distinct items of some lists, increasing. Memory stays near the number of distinct ones.
fn distinct<T: Ord, I: IntoIterator<Item = T>>(lists: impl Iterator<Item = I>) -> Vec<T> {
    let mut found = Vec::new();
    let mut limit = DEDUP_FROM;
    for list in lists {
        found.extend(list);
        if found.len() > limit {
            found.sort_unstable();
            found.dedup();
            limit = DEDUP_FROM.max(2 * found.len());
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
