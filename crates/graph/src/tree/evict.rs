//! The memory of a tree: what it holds, and eviction of embeddings or whole subtrees.
//!
//! Promise: what is evicted is recomputed the same when it is needed, except for the numbers of nodes and supports.
//! Evicting embeddings is safe while other threads search; evicting subtrees renumbers the nodes, so it needs the tree
//! exclusively.

use super::nodes::{Children, NewNode, ROOT, TreeOf};
use super::{NodeId, Tree, Widths, in_its_width};
use crate::embed::Embedding;
use crate::mine::FIXED_BYTES;
use crate::support::{Support, TreeSupport};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// New number of a node that was evicted.
const EVICTED: u32 = u32::MAX;

/// The new numbers of nodes after [`Tree::evict_subtrees`].
#[derive(Clone, Debug, Default)]
pub struct NodeRemap {
    new: Vec<u32>,
    /// Ids of supports that are free for reuse, increasing.
    pub freed_supports: Vec<u32>,
}

impl NodeRemap {
    /// The new number of a node; `None` if it was evicted.
    pub fn get(&self, node: NodeId) -> Option<NodeId> {
        Some(NodeId(self.new[node.index()])).filter(|new| new.0 != EVICTED)
    }

    /// The old and the new number of each node that was kept, increasing.
    pub fn kept(&self) -> impl Iterator<Item = (usize, NodeId)> {
        let all = self.new.iter().enumerate();
        all.filter(|(_, new)| **new != EVICTED).map(|(old, new)| (old, NodeId(*new)))
    }

    /// Number of nodes that were evicted.
    pub fn num_evicted(&self) -> usize {
        self.new.iter().filter(|new| **new == EVICTED).count()
    }
}

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

    /// Evicts everything below the nodes that are not kept open. Returns the new number of each node, [`EVICTED`] for those
    /// that were evicted, and the ids of supports that were freed with them.
    fn evict_subtrees(&mut self, keep_open: impl Fn(u32) -> bool) -> (Vec<u32>, Vec<u32>) {
        let mut new = vec![EVICTED; self.nodes.len()];
        let mut next = 0;
        // Parents come before their children.
        for (id, node) in self.nodes.iter().enumerate() {
            let parent = node.parent;
            if parent == ROOT || new[parent as usize] != EVICTED && keep_open(parent) {
                new[id] = next;
                next += 1;
            }
        }
        let embedding_bytes = self.embedding_bytes.get_mut();
        self.nodes.compact(|id, node| {
            let stays = new[id as usize] != EVICTED;
            if node.parent != ROOT {
                node.parent = new[node.parent as usize];
            }
            if !(stays && keep_open(id)) {
                node.was_open |= node.children.take().is_some();
                let embeddings = node.embeddings.get_mut().unwrap_or_else(PoisonError::into_inner).take();
                *embedding_bytes -= embeddings.map_or(0, |embeddings| embeddings.bytes());
            } else if let Some(children) = node.children.get_mut()
                && children.start < children.end
            {
                let back = children.start - new[children.start as usize];
                let Children { start, middle, end } = *children;
                *children = Children { start: start - back, middle: middle - back, end: end - back };
            }
            stays
        });
        *self.keeps_embeddings.get_mut() = true;
        self.expander.evict_bits();
        self.index.renumber(|node| Some(new[node as usize]).filter(|new| *new != EVICTED));
        (new, self.supports.remove_unused())
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

    /// Evicts all descendants of nodes that are not kept open; they are recomputed when needed. Returns the new numbers of the
    /// nodes that are kept, and the ids of supports that are free.
    pub fn evict_subtrees(&mut self, keep_open: impl Fn(NodeId) -> bool) -> NodeRemap {
        let (new, freed_supports) = in_its_width!(&mut self.0, tree => tree.evict_subtrees(|id| keep_open(NodeId(id))));
        NodeRemap { new, freed_supports }
    }

    /// Evicts all embeddings and stores none: from now on they are recomputed wherever they are needed.
    pub fn evict_embeddings(&self) {
        in_its_width!(&self.0, tree => tree.evict_embeddings());
    }

    /// Number of embedding lists that were evicted, or not stored, because of the memory limit.
    pub fn evicted_embeddings(&self) -> u64 {
        in_its_width!(&self.0, tree => tree.evicted_embeddings.load(Ordering::Relaxed))
    }

    /// Whether embeddings are stored: they are, from the start or [`Tree::evict_subtrees`] until [`Tree::evict_embeddings`].
    pub fn keeps_embeddings(&self) -> bool {
        in_its_width!(&self.0, tree => tree.keeps_embeddings.load(Ordering::Relaxed))
    }
}
