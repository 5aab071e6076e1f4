//! The memory of a tree: what it holds, and eviction of embeddings.
//!
//! Promise: what is evicted is recomputed the same when it is needed. Evicting is safe while other threads search.

use super::nodes::{NewNode, TreeOf};
use super::{Tree, Widths, in_its_width};
use crate::embed::Embedding;
use crate::mine::FIXED_BYTES;
use crate::support::{Support, TreeSupport};
use std::sync::atomic::Ordering;

impl<E: Embedding> TreeOf<E> {
    /// Remembers the size of the largest expansion.
    pub(super) fn note_size(&self, children: &[NewNode]) {
        self.largest.0.fetch_max(children.len() as u32, Ordering::Relaxed);
        // Twice: the lists of graphs from which supports are made keep their capacity too.
        let bytes = children.iter().map(|child| 2 * child.support.bytes()).sum();
        self.largest.1.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Memory held, and of two more expansions by each of so many threads.
    fn bytes_held(&self, threads: usize) -> usize {
        let children = 2 * threads as u32 * self.largest.0.load(Ordering::Relaxed).max(16);
        let next = 2 * threads * self.largest.1.load(Ordering::Relaxed);
        let tables =
            self.expander.bytes() + self.supports.bytes() + self.nodes.bytes(children) + self.index.bytes(children);
        tables + self.embedding_bytes.load(Ordering::Relaxed) + next
    }

    /// Evicts all embeddings and the index, and stores none from now on.
    fn evict_embeddings(&self) {
        self.keeps_embeddings.store(false, Ordering::Relaxed);
        self.index.clear();
        for node in self.nodes.iter() {
            if let Some(freed) = node.lock_embeddings().take() {
                self.embedding_bytes.fetch_sub(freed.bytes(), Ordering::Relaxed);
                self.evicted_embeddings.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

impl Tree {
    /// The support with this content in the table of this tree.
    pub fn intern(&self, support: &Support) -> TreeSupport {
        let (counts, images) = (support.counts().to_vec(), support.images().to_vec());
        in_its_width!(&self.0, tree => tree.supports.intern_with_images(support.graphs(), &counts, &images))
    }

    /// Number of nodes and of distinct supports.
    pub fn sizes(&self) -> (usize, usize) {
        in_its_width!(&self.0, tree => (tree.nodes.len(), tree.supports.len()))
    }

    /// Limits the memory of embeddings from now on, in bytes.
    pub fn limit_embeddings(&mut self, bytes: usize) {
        in_its_width!(&mut self.0, tree => tree.budget = bytes);
    }

    /// The smallest memory limit with which [`crate::mine::mine`] traverses the graphs of this tree.
    pub fn min_mine_memory(&self) -> usize {
        FIXED_BYTES + in_its_width!(&self.0, tree => tree.expander.db.bytes())
    }

    /// Memory that the tree holds, with what so many threads are about to add, in bytes.
    pub fn bytes_held(&self, threads: usize) -> usize {
        in_its_width!(&self.0, tree => tree.bytes_held(threads))
    }

    /// Evicts all embeddings and stores none: from now on they are recomputed wherever they are needed.
    pub fn evict_embeddings(&self) {
        in_its_width!(&self.0, tree => tree.evict_embeddings());
    }

    /// Number of embedding lists that were evicted, or not stored, because of the memory limit.
    pub fn evicted_embeddings(&self) -> u64 {
        in_its_width!(&self.0, tree => tree.evicted_embeddings.load(Ordering::Relaxed))
    }

    /// Whether embeddings are stored: they are, from the start until [`Tree::evict_embeddings`].
    pub fn keeps_embeddings(&self) -> bool {
        in_its_width!(&self.0, tree => tree.keeps_embeddings.load(Ordering::Relaxed))
    }
}
