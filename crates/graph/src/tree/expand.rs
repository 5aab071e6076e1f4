//! Expands one node of a tree: finds its children with their supports, once.
//!
//! Children have an edge more or a qualifier more. Only patterns without qualifiers grow by edges, so every qualified
//! pattern is reached through its unqualified one, whose support contains all of theirs; and a search that prunes that
//! pattern never pays for its qualifiers. The embeddings of an expanded node are stored while one of its children may
//! still be expanded and the memory limit allows; else they are recomputed. Qualified patterns use those of their
//! unqualified one. Tested with the tree, against the oracle.

use super::nodes::{Children, NewNode, Node, ROOT, TreeOf, TreeScratch};
use super::{Nodes, Siblings};
use crate::canon::Step;
use crate::embed::{Counts, Embedding, EmbeddingList, SearchPattern, vertex_embeddings};
use crate::extend::{EmbeddingBuffers, ListedGraph, Parent, RefineParams, Refinement, SupportedPattern};
use crate::stats::MineStats;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

impl<E: Embedding> TreeOf<E> {
    pub(super) fn expand(&self, id: u32) -> Children {
        let node = self.nodes.get(id);
        if self.is_leaf(node) {
            return Children::default();
        }
        *node.children.get_or_init(|| self.grow(id, node))
    }

    pub(super) fn sibling_groups(&self, node: Option<u32>) -> [Siblings; 2] {
        let (Children { start, middle, end }, edges, qualifiers) = match node {
            None => (self.roots, 0, 0),
            Some(id) => (self.expand(id), self.nodes.get(id).depth, self.nodes.get(id).qualifiers),
        };
        let (edges, qualifiers) = (edges as usize, qualifiers as usize);
        let may_refine = self.refines && edges < self.params.max_qualified_edges;
        let last_edges = edges + 1 >= self.params.max_edges && !may_refine;
        // The second group of the roots are single vertices, from which only qualifiers grow.
        let last_qualifiers = if node.is_none() { !self.refines } else { qualifiers + 1 >= self.params.max_qualifiers };
        [
            Siblings { nodes: Nodes(start..middle), are_leaves: last_edges },
            Siblings { nodes: Nodes(middle..end), are_leaves: last_qualifiers },
        ]
    }

    fn grow(&self, id: u32, node: &Node<E>) -> Children {
        let mut scratch = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let mut stats = MineStats { expanded: 1, ..MineStats::default() };
        self.load(id, &mut scratch);
        let [mut own_graphs, mut base_graphs] = std::mem::take(&mut scratch.unpacked);
        let graphs = node.support.graphs(&mut own_graphs);
        let (mut children, mut embeddings) = (Vec::new(), None);
        if self.grows_edges(node) {
            embeddings = self.find_children((node, graphs), &mut scratch, &mut stats);
            children = self.frequent_children(&mut scratch, &mut stats);
        }
        let edges = children.len();
        if self.grows_qualifiers(node) {
            let of_node = (node, graphs, &mut base_graphs);
            children.extend(self.refinements(of_node, embeddings.as_ref(), &mut scratch, &mut stats));
        }
        self.note_size(&children);
        // The children that may need these embeddings.
        let qualified = children.len() - edges;
        let grows_on = self.refines && node.qualifiers as usize + 1 < self.params.max_qualifiers;
        self.store_embeddings(node, embeddings, edges + if grows_on { qualified } else { 0 });
        scratch.unpacked = [own_graphs, base_graphs];
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        *self.mined.lock().unwrap_or_else(PoisonError::into_inner) += stats;
        let qualified = children.split_off(edges);
        // Both groups together, so that their numbers are consecutive.
        let range = self.add_groups(id, node.size(), children, qualified);
        self.index_children(id, range.start..range.middle);
        range
    }

    /// Loads the pattern of a node.
    fn load(&self, id: u32, scratch: &mut TreeScratch<E>) {
        scratch.code.clear();
        scratch.qualifiers.clear();
        for step in self.steps_back(id) {
            match step {
                Step::Vertex(label) => scratch.start = label,
                Step::Edge(edge) => scratch.code.push(edge),
                Step::Qualifier(qualifier) => scratch.qualifiers.push(qualifier),
            }
        }
        scratch.code.reverse();
        scratch.qualifiers.reverse();
        if let Some(edge) = scratch.code.first() {
            scratch.start = edge.from_label;
        }
    }

    /// The refinements of a pattern in these graphs, with a buffer for those of the unqualified one; from its
    /// embeddings if it was just expanded.
    fn refinements(
        &self,
        (node, graphs, base_graphs): (&Node<E>, &[u32], &mut Vec<u32>),
        own: Option<&EmbeddingList<E>>,
        scratch: &mut TreeScratch<E>,
        stats: &mut MineStats,
    ) -> Vec<NewNode> {
        // The unqualified pattern, and the one without its last edge.
        let mut base = node;
        while base.qualifiers > 0 {
            base = self.nodes.get(base.parent);
        }
        let stored = |node: &Node<E>| node.lock_embeddings().clone();
        let of_base = if own.is_none() { stored(base) } else { None };
        let list = own.or(of_base.as_deref());
        let of_parent = if list.is_none() && base.parent != ROOT { stored(self.nodes.get(base.parent)) } else { None };
        let TreeScratch { refiner, buffers, start, code, qualifiers, .. } = scratch;
        let pattern = SearchPattern { start: *start, code, qualifiers, extra: None };
        let params = RefineParams {
            min_support: self.params.min_support,
            counts: self.params.counts,
            graphs,
            unqualified: base.support.graphs(base_graphs),
            of_part: self.is_part,
        };
        let found = refiner.refine::<E>(&self.expander, &pattern, params, stats, |graphs, visit| {
            let pattern = SupportedPattern { code, graphs };
            match (list, &of_parent) {
                (Some(list), _) => list.each_of(graphs, |graph, embeddings, is_sample| {
                    visit(ListedGraph { graph, embeddings, is_sample });
                }),
                _ if code.is_empty() => {
                    let mut embeddings = Vec::new();
                    for &graph in graphs {
                        vertex_embeddings::<E>(&self.expander.db, graph, *start, &mut embeddings);
                        visit(ListedGraph { graph, embeddings: &embeddings, is_sample: false });
                    }
                }
                (None, Some(parent)) => {
                    self.expander.each_extended(pattern, parent, buffers, |graph, embeddings, is_sample| {
                        visit(ListedGraph { graph, embeddings, is_sample });
                    });
                }
                (None, None) => self.expander.each_recomputed(pattern, buffers, |graph, embeddings, is_sample| {
                    visit(ListedGraph { graph, embeddings, is_sample });
                }),
            }
        });
        let intern = |r: &Refinement| {
            let support = self.supports.intern_with_images(&r.graphs, &r.counts, &r.images);
            NewNode { step: Step::Qualifier(r.qualifier), support, says_nothing: !r.is_minimal }
        };
        found.iter().map(intern).collect()
    }

    /// Finds the supports or counts of the children of a node in these graphs; returns its embeddings if they were
    /// made.
    fn find_children(
        &self,
        (node, graphs): (&Node<E>, &[u32]),
        scratch: &mut TreeScratch<E>,
        stats: &mut MineStats,
    ) -> Option<EmbeddingList<E>> {
        let vertices = 1 + scratch.code.iter().filter(|edge| edge.is_forward()).count();
        scratch.counts.begin(vertices, self.expander.db.max_vertices());
        let is_counted = self.params.counts != Counts::Off;
        let parent = self.sampled_parent(node);
        let mut own = match parent {
            Some(_) => None,
            None => self.make_embeddings(node, SupportedPattern { code: &scratch.code, graphs }, &mut scratch.buffers),
        };
        stats.recomputed = u64::from(parent.is_none() && own.is_none());
        if let Some(embeddings) = &parent {
            self.find_filtered(graphs, (embeddings, false), scratch, stats);
            return own;
        }
        if let Some(embeddings) = own.as_ref().filter(|own| !is_counted && self.is_sampled(own, node.depth)) {
            self.find_filtered(graphs, (embeddings, true), scratch, stats);
            return own;
        }
        let TreeScratch { scan, supports, counts, buffers, code, .. } = scratch;
        scan.begin(&self.expander.db, code);
        let pattern = SupportedPattern { code, graphs };
        match (&mut own, is_counted) {
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
    fn frequent_children(&self, scratch: &mut TreeScratch<E>, stats: &mut MineStats) -> Vec<NewNode> {
        let TreeScratch { scan, supports, counts: counted, counter, code, .. } = scratch;
        let mut children = Vec::with_capacity(scan.children().len());
        let is_counted = self.params.counts != Counts::Off;
        for (c, &edge) in scan.children().iter().enumerate() {
            let graphs = if is_counted { &counted.children()[c].graphs } else { &supports.children()[c] };
            if graphs.len() < self.params.min_support {
                stats.rejected += 1;
                continue;
            }
            counter.clear();
            if is_counted {
                code.push(edge);
                let pattern = SearchPattern { start: code[0].from_label, code, qualifiers: &[], extra: None };
                let pattern = counter.begin(pattern, self.params.counts);
                counter.count_child::<E>(&self.expander, pattern, &counted.children()[c], stats);
                code.pop();
            }
            let support = self.supports.intern_with_images(graphs, counter.counts(), counter.images());
            children.push((edge, support));
        }
        children.sort_unstable_by_key(|&(edge, _)| edge);
        supports.clear();
        children
            .into_iter()
            .map(|(edge, support)| NewNode { step: Step::Edge(edge), support, says_nothing: false })
            .collect()
    }

    /// The embeddings of a node that is expanded, if they fit: from its parent's or, for one edge, from the graphs.
    fn make_embeddings(
        &self,
        node: &Node<E>,
        pattern: SupportedPattern<'_>,
        buffers: &mut EmbeddingBuffers<E>,
    ) -> Option<EmbeddingList<E>> {
        let is_root = node.parent == ROOT;
        let parent = if is_root { None } else { self.nodes.get(node.parent).lock_embeddings().clone() };
        let bytes_left = self.budget.saturating_sub(self.embedding_bytes.load(Ordering::Relaxed));
        if parent.is_none() && !is_root || !self.keeps_embeddings.load(Ordering::Relaxed) {
            return None;
        }
        let embeddings = self.expander.embeddings(pattern, parent.as_deref(), bytes_left, buffers);
        self.evicted_embeddings.fetch_add(u64::from(embeddings.is_none()), Ordering::Relaxed);
        embeddings
    }

    /// Stores the embeddings of an expanded node for its children, and frees the parent's if this was the last child
    /// that could need them.
    fn store_embeddings(&self, node: &Node<E>, embeddings: Option<EmbeddingList<E>>, children: usize) {
        let last_needed = self.params.max_edges - usize::from(!self.refines);
        let grows_on = (node.depth as usize) < last_needed && children > 0;
        if let Some(mut embeddings) = embeddings.filter(|_| grows_on && self.keeps_embeddings.load(Ordering::Relaxed)) {
            embeddings.shrink();
            self.embedding_bytes.fetch_add(embeddings.bytes(), Ordering::Relaxed);
            node.waiting.store(children as u32, Ordering::Relaxed);
            *node.lock_embeddings() = Some(Arc::new(embeddings));
        }
        if node.parent == ROOT {
            return;
        }
        // A qualified pattern whose parent is qualified too uses the embeddings of an earlier one.
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
