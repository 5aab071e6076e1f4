//! Expands one pattern over all its graphs, in two phases: which children occur in which graphs, and, only for a child
//! that is expanded itself, with which embeddings.
//!
//! Where a pattern has more embeddings in a graph than [`Expander::cap`] allows, a sample is kept: every k-th, not the
//! first ones, which are close together. Extensions of the sample occur; the others are decided by a search for a
//! single embedding (`embed/existence.rs`), so the result is exact. When a sample has become small, the embeddings are
//! enumerated anew, and often they are few: then the list is complete again.
//!
//! Why: on graphs with few labels the embedding lists explode, while an expansion only needs to know which extensions
//! occur. With counts more is kept, because a count from a list is cheaper than one from searches (`embed/images.rs`)
//! until the list is long. Tested through the miner.

use super::rightmost::{RightmostScan, SampledGraph};
use super::sink::ExtensionSink;
use crate::canon::DfsEdge;
use crate::database::Database;
use crate::embed::{
    AbsentExtensions, Embedding, EmbeddingList, EmbeddingSearch, GraphBits, GraphStatus, enumerate_embeddings,
    extend_embeddings, search_width,
};
use crate::stats::MineStats;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Up to this many embeddings per graph are always kept, in general.
const ALWAYS_KEPT: usize = 16;
/// The same in graphs that hardly branch: there embeddings stay few, and listing them all is less work than two phases.
const ALWAYS_KEPT_WHERE_FEW: usize = 64;
/// The same with counts.
const ALWAYS_KEPT_COUNTED: usize = 1024;
/// Largest size of a sample.
const MAX_SAMPLE: usize = 256;

#[derive(Clone, Copy)]
pub(crate) struct SupportedPattern<'a> {
    pub(crate) code: &'a [DfsEdge],
    pub(crate) graphs: &'a [u32],
}

/// Expands patterns over one database.
pub(crate) struct Expander {
    pub(crate) db: Database,
    bits: Vec<OnceLock<Option<Box<GraphBits>>>>,
    /// Bytes of `bits`.
    bit_bytes: AtomicUsize,
    /// Whether counts are mined.
    counted: bool,
    /// Up to this many embeddings per graph are always kept.
    always_kept: usize,
    /// Size of a sample, if the caller sets it.
    embeddings_per_graph: Option<usize>,
}

/// Working memory of [`Expander`]: two lists of embeddings in one graph.
#[derive(Default)]
pub(crate) struct EmbeddingBuffers<E>(Vec<E>, Vec<E>);

impl Expander {
    pub(crate) fn new(db: Database, counted: bool, embeddings_per_graph: Option<usize>) -> Self {
        let bits = (0..db.num_graphs()).map(|_| OnceLock::new()).collect();
        let always_kept = if counted { ALWAYS_KEPT_COUNTED } else { ALWAYS_KEPT };
        Self { db, bits, bit_bytes: AtomicUsize::new(0), counted, always_kept, embeddings_per_graph }
    }

    /// For a traversal of all patterns, which lists embeddings once: samples are taken later where that pays.
    pub(crate) fn keep_more(&mut self) {
        if !self.counted && !self.db.branches() {
            self.always_kept = ALWAYS_KEPT_WHERE_FEW;
        }
    }

    /// A graph as bit sets, built at the first call; `None` if it is too large for the searches.
    pub(crate) fn bits(&self, graph: u32) -> Option<&GraphBits> {
        let make = || {
            let bits = Box::new(GraphBits::new(&self.db, graph)?);
            self.bit_bytes.fetch_add(bits.bytes(), Ordering::Relaxed);
            Some(bits)
        };
        self.bits[graph as usize].get_or_init(make).as_deref()
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.db.bytes() + size_of_val(self.bits.as_slice()) + self.bit_bytes()
    }

    /// Memory of the bit sets that were built so far.
    pub(crate) fn bit_bytes(&self) -> usize {
        self.bit_bytes.load(Ordering::Relaxed)
    }

    /// Whether samples may be taken in every graph.
    pub(crate) fn may_sample_all(&self) -> bool {
        search_width(self.db.max_vertices()).is_some()
    }

    /// How many embeddings of a pattern are kept in this graph, if it has at least `found` of them. No limit where a
    /// sample could not be completed by a search.
    fn cap(&self, graph: u32, found: usize) -> usize {
        if let Some(cap) = self.embeddings_per_graph {
            return if self.bits(graph).is_some() { cap } else { usize::MAX };
        }
        if found <= self.always_kept {
            return self.always_kept;
        }
        let least = self.always_kept.min(MAX_SAMPLE);
        self.bits(graph).map_or(usize::MAX, |bits| (16 * bits.num_types()).clamp(least, MAX_SAMPLE))
    }

    /// Whether most of these embeddings are in graphs with so many of them that samples would be taken. A few such
    /// graphs are carried along in full: two phases for all graphs would cost more.
    pub(crate) fn is_dense<E: Embedding>(&self, embeddings: &EmbeddingList<E>) -> bool {
        let mut in_dense = 0;
        for (position, &graph) in embeddings.graphs().iter().enumerate() {
            let len = embeddings.at(position).len();
            if embeddings.status(position).sampled {
                return true;
            }
            if len > self.embeddings_per_graph.unwrap_or(self.always_kept) && len > self.cap(graph, len) {
                in_dense += len;
            }
        }
        2 * in_dense > embeddings.len()
    }

    /// Phase 1: reports to the sink which children occur in which graphs.
    pub(crate) fn children<E: Embedding, S: ExtensionSink<E>>(
        &self,
        scan: &mut RightmostScan,
        embeddings: &mut EmbeddingList<E>,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        for position in 0..embeddings.graphs().len() {
            let (graph, status) = (embeddings.graphs()[position], embeddings.status(position));
            sink.begin_graph(status.sampled);
            // Bit sets are built only for graphs that need them.
            match status.sampled.then(|| self.bits(graph)).flatten() {
                None => scan.graph(&self.db, graph, embeddings.at(position), sink, stats),
                Some(bits) => {
                    let absent = status.absent;
                    let sampled = SampledGraph { graph, bits, embeddings: embeddings.at(position), absent };
                    let absent = scan.sampled_graph(&self.db, &sampled, sink, stats);
                    embeddings.set_status(position, GraphStatus { absent, ..status });
                }
            }
        }
    }

    /// Phase 1 for a pattern whose embeddings are not stored: they are recomputed graph by graph.
    pub(crate) fn children_of_recomputed<E: Embedding, S: ExtensionSink<E>>(
        &self,
        scan: &mut RightmostScan,
        pattern: SupportedPattern<'_>,
        buffers: &mut EmbeddingBuffers<E>,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let search = EmbeddingSearch::new(&self.db, pattern.code);
        for &graph in pattern.graphs {
            let is_sample = self.list(pattern.code, search.as_ref(), graph, buffers);
            sink.begin_graph(is_sample);
            match is_sample.then(|| self.bits(graph)).flatten() {
                None => scan.graph(&self.db, graph, &buffers.0, sink, stats),
                Some(bits) => {
                    let absent = AbsentExtensions::default();
                    let sampled = SampledGraph { graph, bits, embeddings: &buffers.0[..], absent };
                    scan.sampled_graph(&self.db, &sampled, sink, stats);
                }
            }
        }
    }

    /// Phase 2: the embeddings of a pattern, from those of the pattern without its last edge, or recomputed; `None` if
    /// they take more than `max_bytes` bytes.
    pub(crate) fn embeddings<E: Embedding>(
        &self,
        pattern: SupportedPattern<'_>,
        parent: Option<&EmbeddingList<E>>,
        max_bytes: usize,
        buffers: &mut EmbeddingBuffers<E>,
    ) -> Option<EmbeddingList<E>> {
        let SupportedPattern { code, graphs } = pattern;
        // Capacity for all graphs, and for as many embeddings per graph as the parent has: growing a list costs more.
        let about = parent.map_or(0, |parent| parent.len() * graphs.len() / parent.graphs().len().max(1));
        let mut embeddings = EmbeddingList::with_capacity(graphs.len(), about.min(max_bytes / size_of::<E>()));
        let edge = &code[code.len() - 1];
        let mut search = None;
        let mut position = 0;
        for &graph in graphs {
            let mut status = GraphStatus::default();
            if let Some(parent) = parent {
                while parent.graphs()[position] != graph {
                    position += 1;
                }
                status = parent.status(position);
                buffers.0.clear();
                extend_embeddings(&self.db, graph, parent.at(position), edge, |embedding| buffers.0.push(embedding));
                let cap = self.cap(graph, buffers.0.len().max(usize::from(status.sampled) * MAX_SAMPLE));
                if status.sampled && buffers.0.len() < (cap / 8).max(4) {
                    let search = search.get_or_insert_with(|| EmbeddingSearch::new(&self.db, code));
                    status.sampled = self.list(code, search.as_ref(), graph, buffers);
                } else {
                    status.sampled |= thin_out(&mut buffers.0, cap);
                }
            } else {
                let search = search.get_or_insert_with(|| EmbeddingSearch::new(&self.db, code));
                status.sampled = self.list(code, search.as_ref(), graph, buffers);
            }
            if embeddings.bytes() + size_of_val(buffers.0.as_slice()) > max_bytes {
                return None;
            }
            embeddings.push_graph(graph, buffers.0.drain(..), status);
        }
        Some(embeddings)
    }

    /// The same without a limit.
    pub(crate) fn all_embeddings<E: Embedding>(
        &self,
        pattern: SupportedPattern<'_>,
        parent: Option<&EmbeddingList<E>>,
        buffers: &mut EmbeddingBuffers<E>,
    ) -> EmbeddingList<E> {
        self.embeddings(pattern, parent, usize::MAX, buffers).expect("there is no limit")
    }

    /// Shows the embeddings of a pattern, graph by graph, made from those of the pattern without its last edge, and
    /// whether they are a sample.
    pub(crate) fn each_extended<E: Embedding>(
        &self,
        pattern: SupportedPattern<'_>,
        parent: &EmbeddingList<E>,
        buffers: &mut EmbeddingBuffers<E>,
        mut visit: impl FnMut(u32, &[E], bool),
    ) {
        let edge = &pattern.code[pattern.code.len() - 1];
        parent.each_of(pattern.graphs, |graph, embeddings, is_sample| {
            buffers.0.clear();
            extend_embeddings(&self.db, graph, embeddings, edge, |embedding| buffers.0.push(embedding));
            visit(graph, &buffers.0, is_sample);
        });
    }

    /// Shows the embeddings of a pattern whose embeddings are not stored, graph by graph, and whether they are a
    /// sample.
    pub(crate) fn each_recomputed<E: Embedding>(
        &self,
        pattern: SupportedPattern<'_>,
        buffers: &mut EmbeddingBuffers<E>,
        mut visit: impl FnMut(u32, &[E], bool),
    ) {
        let search = EmbeddingSearch::new(&self.db, pattern.code);
        for &graph in pattern.graphs {
            let is_sample = self.list(pattern.code, search.as_ref(), graph, buffers);
            visit(graph, &buffers.0, is_sample);
        }
    }

    /// Lists the embeddings in one graph into the first buffer; true if only a sample was kept.
    fn list<E: Embedding>(
        &self,
        code: &[DfsEdge],
        search: Option<&EmbeddingSearch>,
        graph: u32,
        buffers: &mut EmbeddingBuffers<E>,
    ) -> bool {
        if code.len() <= 1 || self.bits(graph).is_none() {
            enumerate_embeddings(&self.db, graph, code, &mut buffers.0, &mut buffers.1);
            let cap = self.cap(graph, buffers.0.len());
            return thin_out(&mut buffers.0, cap);
        }
        let cap = self.cap(graph, MAX_SAMPLE);
        buffers.0.clear();
        if let (Some(search), Some(bits)) = (search, self.bits(graph)) {
            search.embeddings(bits, &mut |embedding| {
                buffers.0.push(embedding);
                buffers.0.len() <= cap
            });
        }
        thin_out(&mut buffers.0, cap)
    }
}

/// Keeps every k-th embedding so that at most `cap` are left; true if any was removed.
fn thin_out<E: Copy>(embeddings: &mut Vec<E>, cap: usize) -> bool {
    if embeddings.len() <= cap {
        return false;
    }
    let step = embeddings.len().div_ceil(cap);
    let kept = embeddings.len().div_ceil(step);
    for i in 0..kept {
        embeddings[i] = embeddings[i * step];
    }
    embeddings.truncate(kept);
    true
}
