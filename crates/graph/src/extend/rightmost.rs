//! Rightmost extensions of one pattern: which edges can be added, and in which graphs.
//!
//! A [`RightmostScan`] goes through the embeddings of a pattern graph by graph and reports each canonical extension
//! that it meets to an [`ExtensionSink`], which decides what to keep. Only vertices of the rightmost path are extended,
//! which is enough to reach every pattern (gSpan). Which extensions are canonical is remembered in `table.rs`.
//!
//! Most neighbours of an embedding are of no use: their extension is not canonical, or the sink wants it only once per
//! graph and has it. So each vertex of the rightmost path keeps the types that are still wanted there as bits. Which
//! neighbours of an embedding are not occupied is found by `occupied.rs`.
//!
//! Paper: "Expand" in Algorithm 2. Tested through the miner against the oracle.

use super::occupied::{Occupied, SHARED_BIT, Whole, Word, WordOneLabel, all_but};
use super::sink::{ExtensionSink, FirstHitSink};
use super::table::ExtensionTable;
use crate::canon::DfsEdge;
use crate::database::{Database, TypeLabels, Vertex};
use crate::embed::{AbsentExtensions, Embedding, ExistenceScratch, ExistenceTest, GraphBits};
use crate::ids::Label;
use crate::stats::MineStats;
use crate::stop;

/// A vertex of the rightmost path from which forward edges may leave.
struct ForwardFrom {
    pattern_vertex: usize,
    /// Smaller types would give a smaller code.
    least_type: u32,
    /// First slot in the table.
    slots: usize,
    /// Types that are allowed and not yet known to be rejected, as bits (see `occupied.rs`).
    allowed: u64,
    /// Those of them that are still wanted in the current graph.
    wanted: u64,
}

/// A vertex of the rightmost path to which a backward edge may lead.
struct BackwardTo {
    pattern_vertex: usize,
    /// Smaller labels would give a smaller code.
    least_label: Label,
    /// First slot in the table.
    slots: usize,
}

/// The rightmost extensions of one pattern at a time, with reusable working memory.
#[derive(Default)]
pub(crate) struct RightmostScan {
    table: ExtensionTable,
    /// The rightmost path, from its end.
    forward: Vec<ForwardFrom>,
    backward: Vec<BackwardTo>,
    /// Whether the last edge of the pattern is a backward edge.
    closes_ring: bool,
    /// Working memory for graphs with a sample of embeddings.
    pending: Vec<PendingChild>,
    /// By child: the last round in which an embedding had it.
    hit_in: Vec<u32>,
    round: u32,
    /// By child, once it was searched for.
    existence: Vec<Option<ExistenceTest>>,
    scratch: ExistenceScratch,
}

/// An extension that may occur in a graph although no embedding of its sample has it.
#[derive(Clone, Copy)]
struct PendingChild {
    child: usize,
    bit: AbsentBit,
}

/// The number of an extension in [`AbsentExtensions`]: pattern vertex times the number of types (or edge labels), plus
/// the type (or label). An extension that is absent stays absent when the pattern grows elsewhere, as long as its
/// number means the same: forward edges always, backward edges while the rightmost vertex stays.
#[derive(Clone, Copy)]
enum AbsentBit {
    Forward(usize),
    Backward(usize),
}

/// A graph of which only a sample of the embeddings is stored.
pub(crate) struct SampledGraph<'a, E> {
    pub(crate) graph: u32,
    pub(crate) bits: &'a GraphBits,
    pub(crate) embeddings: &'a [E],
    /// Extensions that are known to be absent.
    pub(crate) absent: AbsentExtensions,
}

impl RightmostScan {
    /// Starts a pattern.
    pub(crate) fn begin(&mut self, db: &Database, code: &[DfsEdge]) {
        self.table.begin(code);
        self.existence.clear();
        self.hit_in.clear();
        self.round = 0;
        self.forward.clear();
        self.backward.clear();
        let rightmost = self.table.vertex_labels.len() - 1;
        let from_end = ForwardFrom { pattern_vertex: rightmost, least_type: 0, slots: 0, allowed: u64::MAX, wanted: 0 };
        self.forward.push(from_end);

        let last = code[code.len() - 1];
        self.closes_ring = !last.is_forward();
        // Backward edges of one vertex are in the order of the vertices that they reach.
        let reached = if last.is_forward() { None } else { Some(last.to) };
        let mut slots = db.num_types();
        let mut below = rightmost as u32;
        let mut is_parent = true;
        for edge in code.iter().rev().filter(|e| e.is_forward()) {
            if edge.to != below {
                continue;
            }
            below = edge.from;
            let pattern_vertex = edge.from as usize;
            let least_type = db.type_of(edge.edge_label, edge.to_label).expect("the pattern occurs");
            let allowed = u64::MAX << least_type.min(SHARED_BIT);
            self.forward.push(ForwardFrom { pattern_vertex, least_type, slots, allowed, wanted: 0 });
            slots += db.num_types();
            if !is_parent && reached.is_none_or(|r| edge.from > r) {
                let closes_later = self.table.vertex_labels[rightmost] < edge.to_label;
                let least_label = Label(edge.edge_label.0 + u32::from(closes_later));
                self.backward.push(BackwardTo { pattern_vertex, least_label, slots });
                slots += db.num_edge_labels();
            }
            is_parent = false;
        }
        self.table.reserve(slots);
    }

    /// Scans all embeddings in one graph.
    pub(crate) fn graph<E: Embedding, S: ExtensionSink<E>>(
        &mut self,
        db: &Database,
        graph: u32,
        embeddings: &[E],
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        for from in &mut self.forward {
            from.wanted = from.allowed;
        }
        match (db.fits_in_words(graph), db.types_are_labels()) {
            (true, true) => self.embeddings::<E, WordOneLabel, S>(db, graph, embeddings, sink, stats),
            (true, false) => self.embeddings::<E, Word, S>(db, graph, embeddings, sink, stats),
            (false, _) => self.embeddings::<E, Whole<E>, S>(db, graph, embeddings, sink, stats),
        }
    }

    fn embeddings<E: Embedding, O: Occupied<E>, S: ExtensionSink<E>>(
        &mut self,
        db: &Database,
        graph: u32,
        embeddings: &[E],
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let vertices = db.vertices(graph);
        let mut scanned = 0;
        'all: for some in embeddings.chunks(stop::CHUNK) {
            stop::work(1 + some.len());
            for embedding in some {
                if sink.is_done() {
                    break 'all;
                }
                scanned += 1;
                self.embedding::<E, O, S>(db, vertices, graph, embedding, sink, stats);
            }
        }
        stats.embeddings += scanned;
    }

    /// Scans one graph of which only a sample of the embeddings is stored: extensions that no embedding has are
    /// searched for. Returns the extensions that are known to be absent afterwards.
    pub(crate) fn sampled_graph<E: Embedding, S: ExtensionSink<E>>(
        &mut self,
        db: &Database,
        sampled: &SampledGraph<'_, E>,
        sink: &mut S,
        stats: &mut MineStats,
    ) -> AbsentExtensions {
        let &SampledGraph { graph, bits, embeddings, absent } = sampled;
        let mut absent = if self.closes_ring { absent } else { AbsentExtensions { backward: 0, ..absent } };
        let mut pending = std::mem::take(&mut self.pending);
        pending.clear();
        self.list_pending::<E, S>(db, (bits, &absent), &mut pending, sink, stats);
        let round = self.round + 1;
        self.round = round;
        self.hit_in.resize(self.table.children.len(), 0);
        let hit_in = std::mem::take(&mut self.hit_in);
        let mut first_hits = FirstHitSink { sink, hit_in, round, left: pending.len() };
        self.graph(db, graph, embeddings, &mut first_hits, stats);
        let FirstHitSink { sink, hit_in, left, .. } = first_hits;
        self.hit_in = hit_in;
        for &PendingChild { child, bit } in pending.iter().filter(|_| left > 0) {
            if self.hit_in[child] == round {
                continue;
            }
            stats.searched += 1;
            if self.exists(db, bits, child) {
                sink.hit(child, graph, &E::EMPTY, None);
            } else {
                match bit {
                    AbsentBit::Forward(bit) if bit < 64 => absent.forward |= 1 << bit,
                    AbsentBit::Backward(bit) if bit < 64 => absent.backward |= 1 << bit,
                    _ => {}
                }
            }
        }
        self.pending = pending;
        absent
    }

    /// Canonical extensions that the labels of the graph allow and that are not known to be absent.
    fn list_pending<E: Embedding, S: ExtensionSink<E>>(
        &mut self,
        db: &Database,
        (bits, absent): (&GraphBits, &AbsentExtensions),
        pending: &mut Vec<PendingChild>,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let is_absent = |mask: u64, bit: usize| bit < 64 && mask >> bit & 1 == 1;
        let rightmost = self.forward[0].pattern_vertex;
        for &ForwardFrom { pattern_vertex, least_type, slots, .. } in &self.forward {
            for &ty in bits.types_next_to(self.table.vertex_labels[pattern_vertex]) {
                let bit = pattern_vertex * db.num_types() + ty as usize;
                if ty < least_type || is_absent(absent.forward, bit) {
                    continue;
                }
                let edge = |table: &ExtensionTable| table.forward(pattern_vertex, db.labels_of(ty));
                if let Some(child) = self.table.child(slots + ty as usize, sink, stats, edge) {
                    pending.push(PendingChild { child, bit: AbsentBit::Forward(bit) });
                }
            }
        }
        for &BackwardTo { pattern_vertex, least_label, slots } in &self.backward {
            for &label in bits.edge_labels().iter().filter(|&&label| label >= least_label) {
                let bit = pattern_vertex * db.num_edge_labels() + label.index();
                if is_absent(absent.backward, bit) {
                    continue;
                }
                let edge = |table: &ExtensionTable| table.backward(rightmost, pattern_vertex, label);
                if let Some(child) = self.table.child(slots + label.index(), sink, stats, edge) {
                    pending.push(PendingChild { child, bit: AbsentBit::Backward(bit) });
                }
            }
        }
    }

    /// Reports to the sink all canonical extensions that the labels of all graphs allow.
    pub(crate) fn list_all<E: Embedding, S: ExtensionSink<E>>(
        &mut self,
        db: &Database,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let rightmost = self.forward[0].pattern_vertex;
        for &ForwardFrom { pattern_vertex, least_type, slots, .. } in &self.forward {
            let types = db.types_next_to(self.table.vertex_labels[pattern_vertex]);
            for &ty in types.iter().filter(|&&ty| ty >= least_type) {
                let edge = |table: &ExtensionTable| table.forward(pattern_vertex, db.labels_of(ty));
                self.table.child(slots + ty as usize, sink, stats, edge);
            }
        }
        for &BackwardTo { pattern_vertex, least_label, slots } in &self.backward {
            let to_label = self.table.vertex_labels[pattern_vertex];
            for &ty in db.types_next_to(self.table.vertex_labels[rightmost]) {
                let TypeLabels { edge: label, vertex: reached } = db.labels_of(ty);
                if reached == to_label && label >= least_label {
                    let edge = |table: &ExtensionTable| table.backward(rightmost, pattern_vertex, label);
                    self.table.child(slots + label.index(), sink, stats, edge);
                }
            }
        }
    }

    /// Whether a graph contains a child.
    pub(crate) fn exists(&mut self, db: &Database, bits: &GraphBits, child: usize) -> bool {
        if self.existence.len() <= child {
            self.existence.resize_with(child + 1, || None);
        }
        let ExtensionTable { code, children, .. } = &mut self.table;
        let test = &mut self.existence[child];
        if test.is_none() {
            code.push(children[child]);
            *test = ExistenceTest::new(db, code);
            code.pop();
        }
        test.as_ref().is_some_and(|test| test.is_in(bits, &mut self.scratch))
    }

    // HOT: runs for every embedding of every expanded pattern, so its arguments stay in registers.
    #[inline(always)]
    fn embedding<E: Embedding, O: Occupied<E>, S: ExtensionSink<E>>(
        &mut self,
        db: &Database,
        vertices: &[Vertex],
        graph: u32,
        embedding: &E,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let Self { table, forward, backward, .. } = self;
        let added = table.vertex_labels.len();
        let occupied = O::new(embedding, added);
        if !backward.is_empty() {
            let rightmost = forward[0].pattern_vertex;
            let here = &vertices[embedding.get(rightmost) as usize];
            if occupied.may_close(here) {
                for &BackwardTo { pattern_vertex, least_label, slots } in &*backward {
                    let there = embedding.get(pattern_vertex);
                    let Some(label) = db.edge_label(here, there).filter(|&label| label >= least_label) else {
                        continue;
                    };
                    let edge = |table: &ExtensionTable| table.backward(rightmost, pattern_vertex, label);
                    if let Some(child) = table.child(slots + label.index(), sink, stats, edge) {
                        sink.hit(child, graph, embedding, None);
                    }
                }
            }
        }
        for from in forward {
            let here = &vertices[embedding.get(from.pattern_vertex) as usize];
            occupied.open(db, vertices, here, |a| {
                if !O::is_wanted(from.wanted, a.ty) || a.ty < from.least_type {
                    return;
                }
                let edge = |table: &ExtensionTable| table.forward(from.pattern_vertex, db.labels_of(a.ty));
                if let Some(child) = table.child(from.slots + a.ty as usize, sink, stats, edge) {
                    sink.hit(child, graph, embedding, Some((added, a.vertex)));
                    if S::ONCE {
                        from.wanted &= all_but(a.ty);
                    }
                } else {
                    from.allowed &= all_but(a.ty);
                    from.wanted &= all_but(a.ty);
                }
            });
        }
    }

    /// Last edges of the children, in the order in which the sink met them.
    pub(crate) fn children(&self) -> &[DfsEdge] {
        &self.table.children
    }
}
