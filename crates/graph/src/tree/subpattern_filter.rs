//! Apriori pruning in a tree of dense graphs: a graph that lacks a known subpattern lacks the pattern.
//!
//! Promise: only graphs that lack a subpattern are ruled out, so every support is the same whatever is known, and a
//! hash collision cannot mislead: patterns are compared. See `lab/notes/0015`. Tested in
//! `tests/levelwise_vs_depth_first.rs`.

use super::nodes::{Node, ROOT, TreeOf};
use crate::bitset::{insert_bit, intersect, is_subset};
use crate::canon::{DfsEdge, Step, WlHash};
use crate::embed::{Counts, Embedding, EmbeddingList};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Whether a tree is of dense graphs is decided at patterns of at most this many edges.
const SHALLOW: u16 = 4;

impl<E: Embedding> TreeOf<E> {
    /// Enters the children of a node in the index, unless memory is short. The largest patterns are inside no other.
    pub(super) fn index_children(&self, id: u32, children: Range<u32>) {
        let grows_on = children.clone().next().is_some_and(|child| self.grows_edges(self.nodes.get(child)));
        let has_memory = self.keeps_embeddings.load(Ordering::Relaxed);
        if !grows_on || !has_memory || !self.is_dense.load(Ordering::Relaxed) {
            return;
        }
        let mut code = Vec::new();
        self.code_into(id, &mut code);
        let mut hash = WlHash::default();
        hash.load(&code);
        for child in children {
            if let Step::Edge(edge) = &self.nodes.get(child).step {
                hash.push(edge);
                self.index.insert(hash.hash(), child);
                hash.pop();
            }
        }
    }

    /// The embeddings of the parent of a node whose own will not be needed, if many of them are samples.
    pub(super) fn sampled_parent(&self, node: &Node<E>) -> Option<Arc<EmbeddingList<E>>> {
        let needs_own = self.params.counts != Counts::Off || self.refines;
        if node.depth as usize + 1 < self.params.max_edges || needs_own || node.parent == ROOT {
            return None;
        }
        let embeddings = self.nodes.get(node.parent).lock_embeddings().clone()?;
        self.is_sampled(&embeddings, node.depth - 1).then_some(embeddings)
    }

    /// Whether many of the embeddings of a node of this depth are samples.
    pub(super) fn is_sampled(&self, embeddings: &EmbeddingList<E>, depth: u16) -> bool {
        let is_sampled = self.expander.may_sample_all() && 4 * embeddings.num_sampled() > embeddings.graphs().len();
        if is_sampled && depth <= SHALLOW {
            self.is_dense.store(true, Ordering::Relaxed);
        }
        is_sampled
    }

    /// A filter for the children of a pattern of so many edges.
    pub(super) fn subpattern_filter(&self, edges: usize) -> SubpatternFilter<'_, E> {
        SubpatternFilter {
            tree: self,
            edges,
            hash: WlHash::default(),
            code: Vec::new(),
            support: Vec::new(),
            unpacked: Vec::new(),
        }
    }
}

/// Rules out graphs that lack a known subpattern of a pattern.
pub(super) struct SubpatternFilter<'a, E> {
    tree: &'a TreeOf<E>,
    /// Edges of a subpattern.
    edges: usize,
    /// The known subpattern, its code, and its support as bits.
    hash: WlHash,
    code: Vec<DfsEdge>,
    support: Vec<u64>,
    /// Its graphs, where they are packed.
    unpacked: Vec<u32>,
}

impl<E: Embedding> SubpatternFilter<'_, E> {
    /// Removes the graphs that lack a pattern without one of its edges other than the last, as far as these subpatterns
    /// are known.
    pub(super) fn filter(&mut self, pattern: &WlHash, possible: &mut [u64]) {
        let Self { tree, edges, hash, code, support, unpacked } = self;
        for edge in 0..*edges {
            let Some((subpattern, colors)) = pattern.hash_and_colors_without(edge) else { continue };
            let Some(id) = tree.index.get(subpattern) else { continue };
            let node = tree.nodes.get(id);
            support.clear();
            support.resize(possible.len(), 0);
            for &graph in node.support.graphs(unpacked) {
                insert_bit(support, graph as usize);
            }
            // Whether it is the same pattern matters only if it rules a graph out.
            if node.depth as usize != *edges || is_subset(possible, support) {
                continue;
            }
            tree.code_into(id, code);
            hash.load(code);
            if pattern.is_isomorphic_without(edge, &colors, hash, code) && !intersect(possible, support) {
                return;
            }
        }
    }
}
