//! Expands one node of a tree: finds its children with their supports, once.
//!
//! The embeddings of an expanded node are stored while one of its children may still be expanded and the memory limit
//! allows; else they are recomputed. Tested with the tree, against the oracle.

use super::nodes::{Node, ROOT, TreeOf, TreeScratch};
use crate::canon::DfsEdge;
use crate::embed::{Embedding, EmbeddingList};
use crate::extend::{EmbeddingBuffers, Parent, SupportedPattern};
use crate::stats::MineStats;
use crate::support::Support;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

impl<E: Embedding> TreeOf<E> {
    pub(super) fn expand(&self, id: u32) -> Range<u32> {
        let node = self.nodes.get(id);
        if node.depth as usize >= self.params.max_edges {
            return 0..0;
        }
        node.children.get_or_init(|| self.grow(id, node)).clone()
    }

    fn grow(&self, id: u32, node: &Node<E>) -> Range<u32> {
        let mut scratch = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let mut stats = MineStats { expanded: 1, ..MineStats::default() };
        self.code_into(id, &mut scratch.code);
        let embeddings = self.find_children(node, &mut scratch, &mut stats);
        let children = self.frequent_children(&mut scratch, &mut stats);
        self.note_size(&children);
        self.store_embeddings(node, embeddings, children.len());
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        *self.mined.lock().unwrap_or_else(PoisonError::into_inner) += stats;
        let range = self.add(id, node.depth + 1, children);
        self.index_children(id, range.clone());
        range
    }

    /// Finds the supports or counts of the children of a node; returns its embeddings if they were made.
    fn find_children(
        &self,
        node: &Node<E>,
        scratch: &mut TreeScratch<E>,
        stats: &mut MineStats,
    ) -> Option<EmbeddingList<E>> {
        let graphs = node.support.graphs();
        let vertices = 1 + scratch.code.iter().filter(|edge| edge.is_forward()).count();
        scratch.counts.begin(vertices, self.expander.db.max_vertices());
        let parent = self.sampled_parent(node);
        let mut own = match parent {
            Some(_) => None,
            None => self.make_embeddings(node, &scratch.code, &mut scratch.buffers),
        };
        stats.recomputed = u64::from(parent.is_none() && own.is_none() || node.was_open);
        if let Some(embeddings) = &parent {
            self.find_filtered(graphs, (embeddings, false), scratch, stats);
            return own;
        }
        if let Some(embeddings) = own.as_ref().filter(|own| !self.params.counts && self.is_sampled(own, node.depth)) {
            self.find_filtered(graphs, (embeddings, true), scratch, stats);
            return own;
        }
        let TreeScratch { scan, supports, counts, buffers, code, .. } = scratch;
        scan.begin(&self.expander.db, code);
        let pattern = SupportedPattern { code, graphs };
        match (&mut own, self.params.counts) {
            (Some(embeddings), true) => self.expander.children(scan, embeddings, counts, stats),
            (Some(embeddings), false) => self.expander.children(scan, embeddings, supports, stats),
            (None, true) => self.expander.children_of_recomputed(scan, pattern, buffers, counts, stats),
            (None, false) => self.expander.children_of_recomputed(scan, pattern, buffers, supports, stats),
        }
        own
    }

    /// Finds the supports of the children of a node, after the graphs that lack a known subpattern are ruled out.
    /// `embeddings` are those of the node if the flag is set, else of its parent.
    fn find_filtered(
        &self,
        graphs: &[u32],
        (embeddings, own): (&EmbeddingList<E>, bool),
        scratch: &mut TreeScratch<E>,
        stats: &mut MineStats,
    ) {
        let TreeScratch { scan, supports, code, child_supports, .. } = scratch;
        let pattern = Parent { code, graphs, embeddings, own };
        child_supports.begin(&self.expander, &pattern, scan, supports, stats);
        let mut filter = self.subpattern_filter(code.len());
        child_supports.filter(code, scan, |child, possible| filter.filter(child, possible));
        child_supports.decide(&self.expander, &pattern, scan, supports, stats);
    }

    /// The frequent children that were just found, in the order of their codes.
    fn frequent_children(&self, scratch: &mut TreeScratch<E>, stats: &mut MineStats) -> Vec<(DfsEdge, Arc<Support>)> {
        let TreeScratch { scan, supports, counts: counted, .. } = scratch;
        counted.finish();
        let mut children = Vec::with_capacity(scan.children().len());
        for (c, &edge) in scan.children().iter().enumerate() {
            let (graphs, counts) =
                if self.params.counts { counted.child(c) } else { (supports.children()[c].as_slice(), &[][..]) };
            if graphs.len() < self.params.min_support {
                stats.rejected += 1;
                continue;
            }
            children.push((edge, self.supports.intern(graphs, counts)));
        }
        children.sort_unstable_by_key(|&(edge, _)| edge);
        supports.clear();
        children
    }

    /// The embeddings of a node that is expanded, if they fit: from its parent's or, for one edge, from the graphs.
    fn make_embeddings(
        &self,
        node: &Node<E>,
        code: &[DfsEdge],
        buffers: &mut EmbeddingBuffers<E>,
    ) -> Option<EmbeddingList<E>> {
        let is_root = node.parent == ROOT;
        let parent = if is_root { None } else { self.nodes.get(node.parent).lock_embeddings().clone() };
        let bytes_left = self.budget.saturating_sub(self.embedding_bytes.load(Ordering::Relaxed));
        if parent.is_none() && !is_root || !self.keeps_embeddings.load(Ordering::Relaxed) {
            return None;
        }
        let pattern = SupportedPattern { code, graphs: node.support.graphs() };
        let embeddings = self.expander.embeddings(pattern, parent.as_deref(), bytes_left, buffers);
        self.evicted_embeddings.fetch_add(u64::from(embeddings.is_none()), Ordering::Relaxed);
        embeddings
    }

    /// Stores the embeddings of an expanded node for its children, and frees the parent's if this was the last child that
    /// could need them.
    fn store_embeddings(&self, node: &Node<E>, embeddings: Option<EmbeddingList<E>>, children: usize) {
        let grows_on = node.depth as usize + 1 < self.params.max_edges && children > 0;
        if let Some(mut embeddings) = embeddings.filter(|_| grows_on && self.keeps_embeddings.load(Ordering::Relaxed)) {
            embeddings.shrink();
            self.embedding_bytes.fetch_add(embeddings.bytes(), Ordering::Relaxed);
            node.waiting.store(children as u32, Ordering::Relaxed);
            *node.lock_embeddings() = Some(Arc::new(embeddings));
        }
        if node.parent == ROOT {
            return;
        }
        let parent = self.nodes.get(node.parent);
        let mut embeddings = parent.lock_embeddings();
        if embeddings.is_some()
            && parent.waiting.fetch_sub(1, Ordering::Relaxed) == 1
            && let Some(freed) = embeddings.take()
        {
            self.embedding_bytes.fetch_sub(freed.bytes(), Ordering::Relaxed);
        }
    }
}
