//! The order of labels during a mining run.
//!
//! Which of its codes is the minimum of a pattern depends on the order of the labels, and so does the work: where rare
//! labels come first, a minimum code starts at its rarest edge, so few other edges can start a code as small, and few
//! extensions are tested in vain. Visitors that do not read codes get that order ([`LabelOrder::rarest_first`]); all
//! others get the labels as given. Promise: ranks differ where labels differ, so patterns and supports stay the same.
//!
//! Tested through the miner: tallies with and without it are equal, and it saves tests.

use crate::graph::Graph;
use crate::ids::Label;
use rustc_hash::FxHashMap;

/// Which label is smaller than which.
#[derive(Debug)]
pub(crate) enum LabelOrder {
    AsGiven,
    /// By rank: label to rank.
    Ranked {
        vertices: FxHashMap<Label, Label>,
        edges: FxHashMap<Label, Label>,
    },
}

impl LabelOrder {
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

    /// Whether the order differs from that of the labels as given.
    pub(crate) fn reorders(&self) -> bool {
        matches!(self, Self::Ranked { .. })
    }

    /// Rank of a vertex label that occurs.
    pub(crate) fn vertex(&self, label: Label) -> Label {
        match self {
            Self::AsGiven => label,
            Self::Ranked { vertices, .. } => vertices[&label],
        }
    }

    /// Ranks of the labels of an edge and of the vertex that it leads to.
    pub(crate) fn edge(&self, edge_label: Label, vertex_label: Label) -> (Label, Label) {
        match self {
            Self::AsGiven => (edge_label, vertex_label),
            Self::Ranked { vertices, edges } => (edges[&edge_label], vertices[&vertex_label]),
        }
    }
}

/// The rank of each label by frequency, ties by label.
fn ranks(counts: FxHashMap<Label, u64>) -> FxHashMap<Label, Label> {
    let mut order: Vec<(u64, Label)> = counts.into_iter().map(|(label, count)| (count, label)).collect();
    order.sort_unstable();
    order.into_iter().enumerate().map(|(rank, (_, label))| (label, Label(rank as u32))).collect()
}
