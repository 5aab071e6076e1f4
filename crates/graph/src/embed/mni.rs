//! Minimum-image-based (MNI) counts: over the vertices of a pattern, the smallest number of distinct images.
//!
//! Promise: anti-monotone, that is, never larger for a pattern than for a pattern inside it, so bounds on counts hold for
//! whole subtrees. All embeddings of a graph must be given. Tested against the definition.

use super::list::{Embedding, EmbeddingList};
use crate::canon::DfsEdge;
use crate::database::Database;

/// Counts one graph after another.
#[derive(Default)]
pub(crate) struct MniCounter {
    counts: Vec<u32>,
    /// For each (pattern vertex, graph vertex): the last round in which one was mapped to the other.
    seen: Vec<u64>,
    /// Number of graphs counted so far.
    round: u64,
}

impl MniCounter {
    pub(crate) fn clear(&mut self) {
        self.counts.clear();
    }

    /// Counts all embeddings of a pattern, graph by graph.
    pub(crate) fn count<E: Embedding>(&mut self, db: &Database, embeddings: &EmbeddingList<E>, code: &[DfsEdge]) {
        self.clear();
        for (graph, embeddings) in embeddings.by_graph() {
            self.add(db, graph, embeddings, code);
        }
    }

    /// Counts one graph.
    pub(crate) fn add<E: Embedding>(&mut self, db: &Database, graph: u32, embeddings: &[E], code: &[DfsEdge]) {
        self.round += 1;
        let width = db.num_vertices(graph) as usize;
        let vertices = 1 + code.iter().filter(|e| e.is_forward()).count();
        if self.seen.len() < vertices * width {
            self.seen.resize(vertices * width, 0);
        }
        let smallest = (0..vertices)
            .map(|p| {
                let seen = &mut self.seen[p * width..(p + 1) * width];
                embeddings
                    .iter()
                    .filter(|embedding| {
                        std::mem::replace(&mut seen[embedding.get(p) as usize], self.round) != self.round
                    })
                    .count() as u32
            })
            .min();
        self.counts.push(smallest.unwrap_or(0));
    }

    /// One count per graph, in the order of the calls.
    pub(crate) fn counts(&self) -> &[u32] {
        &self.counts
    }
}
