//! The part of the traversal that visits single vertices and qualified patterns.
//!
//! Tested against the oracle in `tests/qualified_vs_oracle.rs`.

use super::depth_first::{Branch, DepthFirst, MineScratch, Stored};
use super::{MineControl, VisitedPattern, Visitor};
use crate::embed::{Counts, Embedding, EmbeddingList, SearchPattern, one_vertex_patterns};
use crate::extend::{ListedGraph, RefineParams, SupportedPattern};
use crate::ids::{Label, Qualifier};
use crate::stats::MineStats;
use std::sync::atomic::Ordering;

/// The embeddings of an unqualified pattern.
enum Source<'a, E> {
    List(&'a EmbeddingList<E>),
    OfParent(&'a EmbeddingList<E>),
    Nowhere,
}

/// A pattern whose refinements are visited.
struct Refined<'a, E> {
    start: Label,
    qualifiers: &'a [Qualifier],
    graphs: &'a [u32],
    /// The graphs that contain the unqualified pattern.
    unqualified: &'a [u32],
    source: &'a Source<'a, E>,
}

impl<E: Embedding> DepthFirst<'_, E> {
    /// Visits the patterns of a single vertex and what qualifies them.
    pub(super) fn single_vertices<V: Visitor>(
        &self,
        visitor: &mut V,
        stats: &mut MineStats,
        scratch: &mut MineScratch<E>,
    ) {
        if self.params.min_edges > 0 {
            return;
        }
        let mut code = Vec::new();
        for (start, embeddings) in one_vertex_patterns::<E>(&self.expander.db, self.params.min_support) {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            scratch.counter.clear();
            if self.params.counts != Counts::Off {
                let pattern = SearchPattern { start, code: &[], qualifiers: &[], extra: None };
                let counted = scratch.counter.begin(pattern, self.params.counts);
                scratch.counter.count_list(self.expander, counted, &embeddings, stats);
            }
            let graphs = embeddings.graphs();
            let (counts, images) = (scratch.counter.counts(), scratch.counter.images());
            let found = VisitedPattern { start, code: &[], qualifiers: &[], graphs, counts, images };
            if self.call_visitor(&found, visitor, stats) == MineControl::Grow && self.refines {
                let mut branch = Branch { code: &mut code, visitor, stats, scratch };
                let source = &Source::List(&embeddings);
                self.refinements(&Refined { start, qualifiers: &[], graphs, unqualified: graphs, source }, &mut branch);
            }
        }
    }

    /// Visits the pattern of a branch with qualifiers.
    pub(super) fn visit_refinements<V: Visitor>(&self, stored: &Stored<E>, branch: &mut Branch<'_, V, E>) {
        let source = match stored {
            Stored::Own(embeddings) => Source::List(embeddings),
            Stored::OfParent(_, parent) => Source::OfParent(parent),
            Stored::SupportOnly(_) => Source::Nowhere,
        };
        let start = branch.code[0].from_label;
        let graphs = stored.graphs();
        self.refinements(&Refined { start, qualifiers: &[], graphs, unqualified: graphs, source: &source }, branch);
    }

    fn refinements<V: Visitor>(&self, refined: &Refined<'_, E>, branch: &mut Branch<'_, V, E>) {
        let &Refined { start, qualifiers, graphs, unqualified, source } = refined;
        let Branch { code, stats, scratch, .. } = branch;
        let MineScratch { refiner, buffers, .. } = &mut **scratch;
        let before = stats.work();
        let pattern = SearchPattern { start, code, qualifiers, extra: None };
        let (min_support, counts) = (self.params.min_support, self.params.counts);
        let params = RefineParams { min_support, counts, graphs, unqualified, of_part: false };
        let found = refiner.refine::<E>(self.expander, &pattern, params, stats, |graphs, visit| {
            let pattern = SupportedPattern { code, graphs };
            let mut show = |graph, embeddings: &[E], is_sample| visit(ListedGraph { graph, embeddings, is_sample });
            match source {
                Source::List(list) => list.each_of(graphs, show),
                Source::OfParent(parent) => self.expander.each_extended(pattern, parent, buffers, &mut show),
                Source::Nowhere => self.expander.each_recomputed(pattern, buffers, &mut show),
            }
        });
        stats.span += stats.work() - before;
        let mut list = qualifiers.to_vec();
        for refinement in &found {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            list.push(refinement.qualifier);
            let (counts, images) = (&refinement.counts[..], &refinement.images[..]);
            let Branch { code, visitor, stats, .. } = branch;
            let visited = VisitedPattern { start, code, qualifiers: &list, graphs: &refinement.graphs, counts, images };
            let control = self.call_visitor(&visited, *visitor, stats);
            if control == MineControl::Grow && list.len() < self.params.max_qualifiers {
                let graphs = &refinement.graphs[..];
                self.refinements(&Refined { start, qualifiers: &list, graphs, unqualified, source }, branch);
            }
            list.pop();
        }
    }
}
