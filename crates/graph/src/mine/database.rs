//! The graphs as the miner sees them: one adjacency array, neighbour labels packed into *types*.
//!
//! A type is the rank of a pair (edge label, vertex label) among all pairs that occur, so comparing
//! types compares the pairs, and a dense table indexed by type replaces every map in the inner
//! loop. Vertices are numbered within their graph; adjacencies are sorted by type.

use crate::graph::Graph;
use crate::ids::{Label, VertexId};

/// One entry of a vertex's adjacency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjacent {
    /// Neighbour, numbered within its graph.
    pub(crate) vertex: u32,
    /// Rank of (edge label, label of the neighbour).
    pub(crate) ty: u32,
}

/// All graphs of one mining run.
#[derive(Debug)]
pub(crate) struct Database {
    /// First vertex of each graph in the arrays below; one more entry than graphs.
    bases: Vec<u32>,
    vertex_labels: Vec<Label>,
    /// First neighbour of each vertex; one more entry than vertices.
    offsets: Vec<u32>,
    adjacent: Vec<Adjacent>,
    /// (edge label, vertex label) of each type, increasing.
    types: Vec<(Label, Label)>,
    num_edge_labels: usize,
    max_vertices: usize,
}

impl Database {
    pub(crate) fn new(graphs: &[Graph]) -> Self {
        let mut types: Vec<(Label, Label)> = Vec::new();
        for graph in graphs {
            for v in graph.vertices() {
                types.extend(graph.neighbors(v).iter().map(|n| (n.edge_label, n.vertex_label)));
            }
            if types.len() > 1 << 16 {
                types.sort_unstable();
                types.dedup();
            }
        }
        types.sort_unstable();
        types.dedup();
        let mut db = Self {
            bases: vec![0],
            vertex_labels: Vec::new(),
            offsets: vec![0],
            adjacent: Vec::new(),
            num_edge_labels: types.last().map_or(0, |t| t.0.index() + 1),
            types,
            max_vertices: graphs.iter().map(Graph::num_vertices).max().unwrap_or(0),
        };
        for graph in graphs {
            for v in graph.vertices() {
                db.vertex_labels.push(graph.vertex_label(v));
                for n in graph.neighbors(v) {
                    let ty = db.type_of(n.edge_label, n.vertex_label).expect("collected above");
                    db.adjacent.push(Adjacent { vertex: n.vertex.0, ty });
                }
                db.offsets.push(db.adjacent.len() as u32);
            }
            db.bases.push(db.vertex_labels.len() as u32);
        }
        db
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
        4 * (self.bases.len() + self.vertex_labels.len() + self.offsets.len())
            + 8 * (self.adjacent.len() + self.types.len())
    }

    /// First vertex of a graph: add the vertex's number within the graph for [`Database::neighbors`].
    #[inline]
    pub(crate) fn base(&self, graph: u32) -> usize {
        self.bases[graph as usize] as usize
    }

    /// Number of vertices of a graph.
    pub(crate) fn num_vertices(&self, graph: u32) -> u32 {
        self.bases[graph as usize + 1] - self.bases[graph as usize]
    }

    /// Neighbours of the vertex at `base + vertex`, sorted by type.
    #[inline]
    pub(crate) fn neighbors(&self, at: usize) -> &[Adjacent] {
        &self.adjacent[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    #[inline]
    pub(crate) fn vertex_label(&self, at: usize) -> Label {
        self.vertex_labels[at]
    }

    /// The type of (edge label, vertex label), if it occurs.
    pub(crate) fn type_of(&self, edge_label: Label, vertex_label: Label) -> Option<u32> {
        self.types.binary_search(&(edge_label, vertex_label)).ok().map(|t| t as u32)
    }

    /// (edge label, vertex label) of a type.
    #[inline]
    pub(crate) fn labels_of(&self, ty: u32) -> (Label, Label) {
        self.types[ty as usize]
    }

    /// Every directed edge of a graph: (from, to, type), from the smaller vertex label or, between
    /// equal labels, in both directions. These are the places of one-edge patterns.
    pub(crate) fn first_edges(&self, graph: u32) -> impl Iterator<Item = (VertexId, VertexId, Label, u32)> + '_ {
        let base = self.base(graph);
        (0..self.num_vertices(graph)).flat_map(move |from| {
            let from_label = self.vertex_label(base + from as usize);
            self.neighbors(base + from as usize)
                .iter()
                .filter(move |a| from_label <= self.labels_of(a.ty).1)
                .map(move |a| (VertexId(from), VertexId(a.vertex), from_label, a.ty))
        })
    }
}
