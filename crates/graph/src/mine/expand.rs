//! One step down the tree, in two phases: which children exist in which graphs, and, only for a child that is
//! to be expanded itself, where it sits.
//!
//! Where a pattern has more embeddings in a graph than [`Expander::cap`] allows, a sample is kept: every k-th,
//! not the first ones, which lie close together. Extensions that the sample shows exist; the others are settled by
//! a search for a single embedding (`exist.rs`), so nothing is ever lost. When a sample has thinned out, the
//! embeddings are listed anew, and often they turn out to be few: then the list is complete again.
//!
//! Why: on graphs with few labels lists of embeddings explode, while an expansion only needs to know which
//! extensions exist. In count mode all embeddings are needed, and no sample is taken.

use super::bits::{GraphBits, words_for};
use super::counts::MinImage;
use super::database::Database;
use super::exist::Plan;
use super::extend::{Scan, derive_rows, extend_rows};
use super::rows::{Dead, Known, Row, Rows};
use super::sink::Sink;
use super::stats::MineStats;
use crate::pattern::DfsEdge;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Up to so many embeddings in a graph are always kept, as a rule.
const ALWAYS_KEPT: usize = 16;
/// The same in graphs that hardly branch: there they stay few, and listing them all is less work than two phases.
const KEPT_WHERE_FEW: usize = 64;
/// Most embeddings of a sample.
const MOST_KEPT: usize = 256;

/// Expands patterns over one database.
pub(crate) struct Expander {
    pub(crate) db: Database,
    bits: Vec<OnceLock<Option<Box<GraphBits>>>>,
    /// Bytes of these.
    bit_bytes: AtomicUsize,
    /// Whether samples are allowed.
    samples: bool,
    /// Up to so many embeddings in a graph are always kept.
    always_kept: usize,
    /// Size of a sample, if the caller wants another than the usual one.
    rows_per_graph: Option<usize>,
}

/// Working memory of [`Expander`]: two lists of rows in one graph.
pub(crate) struct Buffers<R>(Vec<R>, Vec<R>);

impl<R> Default for Buffers<R> {
    fn default() -> Self {
        Self(Vec::new(), Vec::new())
    }
}

impl Expander {
    pub(crate) fn new(db: Database, samples: bool, rows_per_graph: Option<usize>) -> Self {
        let bits = (0..db.num_graphs()).map(|_| OnceLock::new()).collect();
        Self { db, bits, bit_bytes: AtomicUsize::new(0), samples, always_kept: ALWAYS_KEPT, rows_per_graph }
    }

    /// For a walk over all patterns, which lists embeddings once: samples are taken later where that pays.
    pub(crate) fn keep_more(&mut self) {
        if !self.db.branches() {
            self.always_kept = KEPT_WHERE_FEW;
        }
    }

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
        self.db.bytes() + size_of_val(self.bits.as_slice()) + self.bit_bytes.load(Ordering::Relaxed)
    }

    /// Whether samples may be taken in every graph.
    pub(crate) fn may_sample_all(&self) -> bool {
        self.samples && words_for(self.db.max_vertices()).is_some()
    }

    /// How many embeddings of a pattern in this graph are kept, if it has at least `found` of them.
    /// No limit where a sample could not be completed by a search.
    fn cap(&self, graph: u32, found: usize) -> usize {
        if !self.samples {
            return usize::MAX;
        }
        if let Some(cap) = self.rows_per_graph {
            return if self.bits(graph).is_some() { cap } else { usize::MAX };
        }
        if found <= self.always_kept {
            return self.always_kept;
        }
        self.bits(graph).map_or(usize::MAX, |bits| (16 * bits.num_types()).clamp(self.always_kept, MOST_KEPT))
    }

    /// Whether most of these embeddings lie in graphs that hold so many of them that samples would be taken. A few such
    /// graphs are carried along in full: two phases for all graphs would cost more.
    pub(crate) fn is_dense<R: Row>(&self, rows: &Rows<R>) -> bool {
        if !self.samples {
            return false;
        }
        let mut in_dense = 0;
        for (place, &graph) in rows.graphs().iter().enumerate() {
            let len = rows.at(place).len();
            if rows.known(place).sampled {
                return true;
            }
            if len > self.rows_per_graph.unwrap_or(self.always_kept) && len > self.cap(graph, len) {
                in_dense += len;
            }
        }
        2 * in_dense > rows.len()
    }

    /// Phase 1: tells the sink which children exist in which graphs.
    pub(crate) fn children<R: Row, S: Sink<R>>(
        &self,
        scan: &mut Scan,
        rows: &mut Rows<R>,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        for place in 0..rows.graphs().len() {
            let (graph, known) = (rows.graphs()[place], rows.known(place));
            // Bit sets are made only for graphs that need them.
            match known.sampled.then(|| self.bits(graph)).flatten() {
                None => scan.graph(&self.db, graph, rows.at(place), sink, stats),
                Some(bits) => {
                    let dead = scan.sampled_graph(&self.db, bits, (graph, rows.at(place)), known.dead, sink, stats);
                    rows.set_known(place, Known { dead, ..known });
                }
            }
        }
    }

    /// Phase 1 for a pattern whose embeddings are not stored: they are listed graph by graph.
    pub(crate) fn children_of_derived<R: Row, S: Sink<R>>(
        &self,
        scan: &mut Scan,
        code: &[DfsEdge],
        graphs: &[u32],
        buffers: &mut Buffers<R>,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let plan = Plan::new(&self.db, code);
        for &graph in graphs {
            let sampled = self.list(code, plan.as_ref(), graph, buffers);
            match sampled.then(|| self.bits(graph)).flatten() {
                None => scan.graph(&self.db, graph, &buffers.0, sink, stats),
                Some(bits) => {
                    scan.sampled_graph(&self.db, bits, (graph, &buffers.0[..]), Dead::default(), sink, stats);
                }
            }
        }
    }

    /// Phase 2: the embeddings of a pattern in these graphs, from those of the pattern without its last edge, or
    /// from nothing; `None` if they take more than `most` bytes.
    pub(crate) fn rows<R: Row>(
        &self,
        code: &[DfsEdge],
        graphs: &[u32],
        parent: Option<&Rows<R>>,
        most: usize,
        buffers: &mut Buffers<R>,
    ) -> Option<Rows<R>> {
        // As many graphs as there will be, and as many rows a graph as the parent has: growing a list costs more.
        let about = parent.map_or(0, |parent| parent.len() * graphs.len() / parent.graphs().len().max(1));
        let mut rows = Rows::with_capacity(graphs.len(), about.min(most / size_of::<R>()));
        let edge = &code[code.len() - 1];
        let mut plan = None;
        let mut place = 0;
        for &graph in graphs {
            let mut known = Known::default();
            if let Some(parent) = parent {
                while parent.graphs()[place] != graph {
                    place += 1;
                }
                known = parent.known(place);
                buffers.0.clear();
                extend_rows(&self.db, graph, parent.at(place), edge, |row| buffers.0.push(row));
                let cap = self.cap(graph, buffers.0.len().max(usize::from(known.sampled) * MOST_KEPT));
                if known.sampled && buffers.0.len() < (cap / 8).max(4) {
                    let plan = plan.get_or_insert_with(|| Plan::new(&self.db, code));
                    known.sampled = self.list(code, plan.as_ref(), graph, buffers);
                } else {
                    known.sampled |= thin_out(&mut buffers.0, cap);
                }
            } else {
                let plan = plan.get_or_insert_with(|| Plan::new(&self.db, code));
                known.sampled = self.list(code, plan.as_ref(), graph, buffers);
            }
            if rows.bytes() + size_of_val(buffers.0.as_slice()) > most {
                return None;
            }
            rows.push_graph(graph, buffers.0.drain(..), known);
        }
        Some(rows)
    }

    /// The same, however many bytes they take.
    pub(crate) fn all_rows<R: Row>(
        &self,
        code: &[DfsEdge],
        graphs: &[u32],
        parent: Option<&Rows<R>>,
        buffers: &mut Buffers<R>,
    ) -> Rows<R> {
        self.rows(code, graphs, parent, usize::MAX, buffers).expect("there is no limit")
    }

    /// Counts a pattern of which nothing is stored, one graph after the other.
    pub(crate) fn count_listed<R: Row>(
        &self,
        code: &[DfsEdge],
        graphs: &[u32],
        buffers: &mut Buffers<R>,
        counts: &mut MinImage,
    ) {
        counts.clear();
        for &graph in graphs {
            derive_rows(&self.db, graph, code, &mut buffers.0, &mut buffers.1);
            counts.add(&self.db, graph, &buffers.0, code);
        }
    }

    /// Lists the embeddings in one graph into the first buffer; true if only a sample was kept.
    fn list<R: Row>(&self, code: &[DfsEdge], plan: Option<&Plan>, graph: u32, buffers: &mut Buffers<R>) -> bool {
        let cap = self.cap(graph, MOST_KEPT);
        if cap == usize::MAX {
            derive_rows(&self.db, graph, code, &mut buffers.0, &mut buffers.1);
            return false;
        }
        buffers.0.clear();
        if let (Some(plan), Some(bits)) = (plan, self.bits(graph)) {
            plan.embeddings(bits, &mut |row| {
                buffers.0.push(row);
                buffers.0.len() <= cap
            });
        }
        thin_out(&mut buffers.0, cap)
    }
}

/// Keeps every k-th row so that at most `cap` are left; true if any was dropped.
fn thin_out<R: Copy>(rows: &mut Vec<R>, cap: usize) -> bool {
    if rows.len() <= cap {
        return false;
    }
    let step = rows.len().div_ceil(cap);
    let kept = rows.len().div_ceil(step);
    for i in 0..kept {
        rows[i] = rows[i * step];
    }
    rows.truncate(kept);
    true
}
