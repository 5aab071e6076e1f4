//! Minimum-image counts: over the vertices of a pattern, the smallest number of distinct graph vertices
//! that play it.
//!
//! Promise: never larger for a pattern than for any pattern inside it, so bounds on counts hold for
//! whole subtrees. All embeddings of a graph must be given. Tested against the definition.

use super::database::Database;
use super::rows::{Row, Rows};
use crate::pattern::DfsEdge;

/// Counts graph after graph.
#[derive(Default)]
pub(crate) struct MinImage {
    counts: Vec<u32>,
    /// For each (pattern vertex, graph vertex) the last graph in which it was seen, plus a round number.
    seen: Vec<u64>,
    round: u64,
}

impl MinImage {
    pub(crate) fn clear(&mut self) {
        self.counts.clear();
    }

    /// Counts all embeddings of a pattern, graph by graph.
    pub(crate) fn count<R: Row>(&mut self, db: &Database, rows: &Rows<R>, code: &[DfsEdge]) {
        self.clear();
        for (graph, rows) in rows.by_graph() {
            self.add(db, graph, rows, code);
        }
    }

    /// Counts one graph.
    pub(crate) fn add<R: Row>(&mut self, db: &Database, graph: u32, rows: &[R], code: &[DfsEdge]) {
        self.round += 1;
        let width = db.num_vertices(graph) as usize;
        let vertices = 1 + code.iter().filter(|e| e.is_forward()).count();
        if self.seen.len() < vertices * width {
            self.seen.resize(vertices * width, 0);
        }
        let smallest = (0..vertices)
            .map(|p| {
                let seen = &mut self.seen[p * width..(p + 1) * width];
                rows.iter()
                    .filter(|row| std::mem::replace(&mut seen[row.get(p) as usize], self.round) != self.round)
                    .count() as u32
            })
            .min();
        self.counts.push(smallest.unwrap_or(0));
    }

    /// One count a graph, in the order in which they came.
    pub(crate) fn counts(&self) -> &[u32] {
        &self.counts
    }
}
