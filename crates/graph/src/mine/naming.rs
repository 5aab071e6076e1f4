//! Names of labels while a run lasts.
//!
//! Which of its spellings a pattern is grown in depends on the order of the labels, and so does the work: where rare
//! labels come first, a pattern begins at its rarest edge, so few edges can begin a code as small, and few extensions are
//! tested in vain. Who does not look at codes is served in that order ([`Naming::rarest_first`]); all others get the
//! labels as they are. Promise: names differ where labels differ, so patterns and supports stay the same.
//!
//! Tested through the miner: tallies with and without it are equal, and it saves tests.

use crate::graph::Graph;
use crate::ids::Label;
use rustc_hash::FxHashMap;

/// What labels are called.
#[derive(Debug)]
pub(crate) enum Naming {
    /// As they are.
    Own,
    /// By rank.
    Ranked { vertices: FxHashMap<Label, Label>, edges: FxHashMap<Label, Label> },
}

impl Naming {
    /// Ranks: the label that occurs least is the smallest.
    pub(crate) fn rarest_first(graphs: &[Graph]) -> Self {
        let (mut vertices, mut edges) = (FxHashMap::default(), FxHashMap::default());
        for graph in graphs {
            for v in graph.vertices() {
                *vertices.entry(graph.vertex_label(v)).or_insert(0) += 1;
                for neighbor in graph.neighbors(v) {
                    *edges.entry(neighbor.edge_label).or_insert(0) += 1;
                }
            }
        }
        Self::Ranked { vertices: ranks(vertices), edges: ranks(edges) }
    }

    /// Whether names are in another order than labels.
    pub(crate) fn reorders(&self) -> bool {
        matches!(self, Self::Ranked { .. })
    }

    /// Name of a vertex label that occurs.
    pub(crate) fn vertex(&self, label: Label) -> Label {
        match self {
            Self::Own => label,
            Self::Ranked { vertices, .. } => vertices[&label],
        }
    }

    /// Names of the labels of an edge and of the vertex it leads to.
    pub(crate) fn edge(&self, edge_label: Label, vertex_label: Label) -> (Label, Label) {
        match self {
            Self::Own => (edge_label, vertex_label),
            Self::Ranked { vertices, edges } => (edges[&edge_label], vertices[&vertex_label]),
        }
    }
}

/// The rank of each label by how often it occurs, and among equals by itself.
fn ranks(counts: FxHashMap<Label, u64>) -> FxHashMap<Label, Label> {
    let mut order: Vec<(u64, Label)> = counts.into_iter().map(|(label, count)| (count, label)).collect();
    order.sort_unstable();
    order.into_iter().enumerate().map(|(rank, (_, label))| (label, Label(rank as u32))).collect()
}
