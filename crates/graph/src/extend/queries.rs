//! Existence queries for extensions in one graph, answered from embeddings of the pattern without its last edge.
//!
//! For patterns whose own embeddings are not needed: they are made one by one from those of the smaller pattern, each
//! is tested for the extensions that are still open, and as soon as none is, the rest is never made. A test is a few
//! operations on words (`embed/graph_bits.rs`).
//!
//! Does not search: extensions that no embedding has stay open, and the caller decides them. Tested through the miner.

use crate::bitset::Words;
use crate::canon::DfsEdge;
use crate::embed::{Embedding, EmbeddingSearch, GraphBits, by_width};
use crate::stats::MineStats;

/// An extension by a new vertex.
#[derive(Clone, Copy)]
struct ForwardQuery {
    child: u32,
    from: u32,
    edge_label: usize,
    label: usize,
}

/// An extension that closes a ring.
#[derive(Clone, Copy)]
struct BackwardQuery {
    child: u32,
    from: u32,
    to: u32,
    edge_label: usize,
}

/// The open queries in one graph, with reusable working memory.
#[derive(Default)]
pub(crate) struct ExtensionQueries {
    forward: Vec<ForwardQuery>,
    backward: Vec<BackwardQuery>,
    /// Children that an embedding has, in the order in which they were found.
    pub(crate) found: Vec<u32>,
}

impl ExtensionQueries {
    /// Removes everything.
    pub(crate) fn clear(&mut self) {
        self.forward.clear();
        self.backward.clear();
        self.found.clear();
    }

    /// Adds a query for a child with this last edge, unless the labels of the graph rule it out.
    pub(crate) fn add(&mut self, bits: &GraphBits, child: u32, edge: &DfsEdge) {
        let Some(edge_label) = bits.edge_label_index(edge.edge_label) else { return };
        if !edge.is_forward() {
            self.backward.push(BackwardQuery { child, from: edge.from, to: edge.to, edge_label });
        } else if let Some(label) = bits.label_index(edge.to_label) {
            self.forward.push(ForwardQuery { child, from: edge.from, edge_label, label });
        }
    }

    /// Whether no query is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.forward.is_empty() && self.backward.is_empty()
    }

    /// The children of the open queries.
    pub(crate) fn open(&self) -> impl Iterator<Item = u32> {
        self.forward.iter().map(|query| query.child).chain(self.backward.iter().map(|query| query.child))
    }

    /// Tests embeddings until no query is open; returns how many. `embeddings` are of the pattern before its edge
    /// `last`, which has `vertices` vertices; or of the pattern itself, if `last` is `None`.
    pub(crate) fn test_all<E: Embedding>(
        &mut self,
        bits: &GraphBits,
        embeddings: &[E],
        vertices: usize,
        last: Option<&DfsEdge>,
    ) -> u64 {
        by_width!(bits, W => match last {
            Some(last) => self.test_extended::<E, W>(bits, embeddings, vertices, last),
            None => self.test_given::<E, W>(bits, embeddings, vertices),
        })
    }

    /// Tests at most `most` embeddings that a search finds; true if the queries that stay open are thereby answered,
    /// because these were all embeddings.
    pub(crate) fn test_found<E: Embedding>(
        &mut self,
        bits: &GraphBits,
        search: &EmbeddingSearch,
        most: u64,
        stats: &mut MineStats,
    ) -> bool {
        let mut tested = 0;
        search.embeddings(bits, &mut |embedding: E| {
            tested += 1;
            self.test_all(bits, &[embedding], search.num_vertices(), None);
            !self.is_empty() && tested < most
        });
        stats.embeddings += tested;
        self.is_empty() || tested < most
    }

    fn test_given<E: Embedding, const W: usize>(&mut self, bits: &GraphBits, embeddings: &[E], vertices: usize) -> u64 {
        for (at, embedding) in embeddings.iter().enumerate() {
            if self.test::<E, W>(bits, embedding, &used(embedding, vertices)) {
                return at as u64 + 1;
            }
        }
        embeddings.len() as u64
    }

    fn test_extended<E: Embedding, const W: usize>(
        &mut self,
        bits: &GraphBits,
        embeddings: &[E],
        vertices: usize,
        last: &DfsEdge,
    ) -> u64 {
        let labels = (bits.edge_label_index(last.edge_label), bits.label_index(last.to_label));
        let (Some(edge_label), Some(label)) = labels else { return 0 };
        let with_label: Words<W> = bits.with_label(label);
        let mut tested = 0;
        for embedding in embeddings {
            let near: Words<W> = bits.neighbors(embedding.get(last.from as usize) as usize, edge_label);
            if last.is_forward() {
                let used = used(embedding, vertices);
                let mut open = (near & with_label).without(&used);
                while let Some(vertex) = open.pop() {
                    let mut used = used;
                    used.insert(vertex);
                    tested += 1;
                    if self.test::<E, W>(bits, &embedding.with(last.to as usize, vertex as u32), &used) {
                        return tested;
                    }
                }
            } else if near.contains(embedding.get(last.to as usize) as usize) {
                tested += 1;
                if self.test::<E, W>(bits, embedding, &used(embedding, vertices)) {
                    return tested;
                }
            }
        }
        tested
    }

    // HOT: runs for every embedding that is tested. True if no query is open.
    #[inline(always)]
    fn test<E: Embedding, const W: usize>(&mut self, bits: &GraphBits, embedding: &E, used: &Words<W>) -> bool {
        let mut at = 0;
        while let Some(&ForwardQuery { child, from, edge_label, label }) = self.forward.get(at) {
            let near: Words<W> = bits.neighbors(embedding.get(from as usize) as usize, edge_label);
            if (near & bits.with_label(label)).without(used).is_empty() {
                at += 1;
            } else {
                self.found.push(child);
                self.forward.swap_remove(at);
            }
        }
        let mut at = 0;
        while let Some(&BackwardQuery { child, from, to, edge_label }) = self.backward.get(at) {
            let near: Words<W> = bits.neighbors(embedding.get(from as usize) as usize, edge_label);
            if near.contains(embedding.get(to as usize) as usize) {
                self.found.push(child);
                self.backward.swap_remove(at);
            } else {
                at += 1;
            }
        }
        self.is_empty()
    }
}

/// The vertices that an embedding uses.
#[inline(always)]
fn used<E: Embedding, const W: usize>(embedding: &E, vertices: usize) -> Words<W> {
    if W == 1 {
        return Words::from_word(embedding.word(vertices));
    }
    let mut used = Words::EMPTY;
    for vertex in 0..vertices {
        used.insert(embedding.get(vertex) as usize);
    }
    used
}
