//! Rightmost extensions of one pattern: which edges can be added, and where.
//!
//! A [`Scan`] looks at the embeddings of a pattern graph by graph and reports each canonical extension it
//! meets to a [`Sink`], which decides what to keep.
//! An extension is named by a *slot*, a number made of the place on the rightmost path and the type
//! of the neighbour, so one dense table says what is known of it: not seen, not canonical, or which child.
//! Whether its code is the smallest is tested when it is first met, so rejected ones never store a row.
//!
//! Paper: "Expand" in Algorithm 2. Tested through the miner against the oracle.

use super::bits::GraphBits;
use super::database::Database;
use super::exist::Plan;
use super::rows::{Dead, Row};
use super::sink::{First, Sink};
use super::stats::MineStats;
use crate::ids::Label;
use crate::pattern::{Canonical, DfsEdge};

/// A slot that no embedding has shown yet.
const UNSEEN: u32 = 0;
/// A slot whose extension is another pattern's child.
const REJECTED: u32 = 1;
/// Child `c` is written as `c + FIRST_CHILD`.
const FIRST_CHILD: u32 = 2;

/// A vertex of the rightmost path from which forward edges may leave.
struct Forward {
    pattern_vertex: usize,
    /// Smaller types would give a smaller code.
    least_type: u32,
    slots: usize,
}

/// A vertex of the rightmost path to which a backward edge may lead.
struct Backward {
    pattern_vertex: usize,
    /// Smaller labels would give a smaller code.
    least_label: Label,
    slots: usize,
}

/// The rightmost extensions of one pattern at a time, with reusable working memory.
#[derive(Default)]
pub(crate) struct Scan {
    canonical: Canonical,
    /// The code of the pattern, with room for one more edge.
    code: Vec<DfsEdge>,
    vertex_labels: Vec<Label>,
    rightmost: usize,
    /// Forward edges from the rightmost vertex: all types.
    rightmost_slots: usize,
    inner: Vec<Forward>,
    backward: Vec<Backward>,
    slots: Vec<u32>,
    /// Slots that are not [`UNSEEN`]: cleared when the next pattern begins.
    touched: Vec<u32>,
    /// Last edge of each child.
    children: Vec<DfsEdge>,
    /// Whether the last edge of the pattern is a backward edge.
    closes_ring: bool,
    /// Working memory for graphs of which only a sample is known.
    pending: Vec<Pending>,
    /// By child: the last round in which an embedding showed it.
    shown: Vec<u32>,
    round: u32,
    plans: Vec<Option<Plan>>,
}

/// An extension that a sample may not show although it exists.
#[derive(Clone, Copy)]
struct Pending {
    child: usize,
    bit: Bit,
}

/// The number of an extension in [`Dead`]: pattern vertex times the number of types (or edge labels), plus the
/// type (or label). An extension that is absent stays absent when the pattern grows elsewhere, as long as its
/// number names the same: forward edges always, backward edges while the rightmost vertex stays.
#[derive(Clone, Copy)]
enum Bit {
    Forward(usize),
    Backward(usize),
}

impl Scan {
    /// Starts with a pattern.
    pub(crate) fn begin(&mut self, db: &Database, code: &[DfsEdge]) {
        for &slot in &self.touched {
            self.slots[slot as usize] = UNSEEN;
        }
        self.touched.clear();
        self.children.clear();
        self.plans.clear();
        self.shown.clear();
        self.round = 0;
        self.code.clear();
        self.code.extend_from_slice(code);
        self.inner.clear();
        self.backward.clear();
        self.vertex_labels.clear();
        self.vertex_labels.push(code[0].from_label);
        self.vertex_labels.extend(code.iter().filter(|e| e.is_forward()).map(|e| e.to_label));
        self.rightmost = self.vertex_labels.len() - 1;
        self.rightmost_slots = 0;

        let last = code[code.len() - 1];
        self.closes_ring = !last.is_forward();
        // Backward edges of one vertex are written in the order of the vertices that they reach.
        let reached = if last.is_forward() { None } else { Some(last.to) };
        let mut slots = db.num_types();
        let mut below = self.rightmost as u32;
        let mut is_parent = true;
        for edge in code.iter().rev().filter(|e| e.is_forward()) {
            if edge.to != below {
                continue;
            }
            below = edge.from;
            let pattern_vertex = edge.from as usize;
            let least_type = db.type_of(edge.edge_label, edge.to_label).expect("the pattern occurs");
            self.inner.push(Forward { pattern_vertex, least_type, slots });
            slots += db.num_types();
            if !is_parent && reached.is_none_or(|r| edge.from > r) {
                let closes_later = self.vertex_labels[self.rightmost] < edge.to_label;
                let least_label = Label(edge.edge_label.0 + u32::from(closes_later));
                self.backward.push(Backward { pattern_vertex, least_label, slots });
                slots += db.num_edge_labels();
            }
            is_parent = false;
        }
        if self.slots.len() < slots {
            self.slots.resize(slots, UNSEEN);
        }
    }

    /// Looks at all embeddings in one graph.
    pub(crate) fn graph<R: Row, S: Sink<R>>(
        &mut self,
        db: &Database,
        graph: u32,
        rows: &[R],
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        stats.embeddings += rows.len() as u64;
        let base = db.base(graph);
        for row in rows {
            self.row(db, base, graph, row, sink, stats);
        }
    }

    /// Looks at one graph of which only some embeddings are known: what they do not show is searched for.
    /// Takes and gives back the extensions that are known not to exist.
    pub(crate) fn sampled_graph<R: Row, S: Sink<R>>(
        &mut self,
        db: &Database,
        bits: &GraphBits,
        (graph, rows): (u32, &[R]),
        dead: Dead,
        sink: &mut S,
        stats: &mut MineStats,
    ) -> Dead {
        let mut dead = if self.closes_ring { dead } else { Dead { backward: 0, ..dead } };
        let mut pending = std::mem::take(&mut self.pending);
        pending.clear();
        self.list_pending(db, bits, &dead, &mut pending, sink, stats);
        let round = self.round + 1;
        self.round = round;
        self.shown.resize(self.children.len(), 0);
        let mut first = First { sink, shown: std::mem::take(&mut self.shown), round, left: pending.len() };
        let base = db.base(graph);
        for row in rows {
            if first.left == 0 {
                break;
            }
            stats.embeddings += 1;
            self.row(db, base, graph, row, &mut first, stats);
        }
        let First { sink, shown, left, .. } = first;
        self.shown = shown;
        for &Pending { child, bit } in pending.iter().filter(|_| left > 0) {
            if self.shown[child] == round {
                continue;
            }
            stats.searched += 1;
            if self.plan(db, child).is_some_and(|plan| plan.exists::<R>(bits)) {
                sink.hit(child, graph, &R::EMPTY, None);
            } else {
                match bit {
                    Bit::Forward(bit) if bit < 64 => dead.forward |= 1 << bit,
                    Bit::Backward(bit) if bit < 64 => dead.backward |= 1 << bit,
                    _ => {}
                }
            }
        }
        self.pending = pending;
        dead
    }

    /// Canonical extensions that the labels of the graph allow and that are not known to be absent.
    fn list_pending<R: Row, S: Sink<R>>(
        &mut self,
        db: &Database,
        bits: &GraphBits,
        dead: &Dead,
        pending: &mut Vec<Pending>,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let is_dead = |mask: u64, bit: usize| bit < 64 && mask >> bit & 1 == 1;
        for i in 0..=self.inner.len() {
            let (pattern_vertex, least_type, slots) = match i.checked_sub(1) {
                None => (self.rightmost, 0, self.rightmost_slots),
                Some(i) => (self.inner[i].pattern_vertex, self.inner[i].least_type, self.inner[i].slots),
            };
            for &ty in bits.types_next_to(self.vertex_labels[pattern_vertex]) {
                let bit = pattern_vertex * db.num_types() + ty as usize;
                if ty < least_type || is_dead(dead.forward, bit) {
                    continue;
                }
                let slot = slots + ty as usize;
                if let Some(child) = self.child(slot, sink, stats, |s| s.forward(db, pattern_vertex, ty)) {
                    pending.push(Pending { child, bit: Bit::Forward(bit) });
                }
            }
        }
        for i in 0..self.backward.len() {
            let Backward { pattern_vertex, least_label, slots } = self.backward[i];
            for &label in bits.edge_labels().iter().filter(|&&label| label >= least_label) {
                let bit = pattern_vertex * db.num_edge_labels() + label.index();
                if is_dead(dead.backward, bit) {
                    continue;
                }
                let edge = |s: &Self| {
                    s.edge(s.rightmost as u32, pattern_vertex as u32, label, s.vertex_labels[pattern_vertex])
                };
                if let Some(child) = self.child(slots + label.index(), sink, stats, edge) {
                    pending.push(Pending { child, bit: Bit::Backward(bit) });
                }
            }
        }
    }

    /// The plan of a child, made when it is first asked for.
    fn plan(&mut self, db: &Database, child: usize) -> Option<&Plan> {
        if self.plans.len() <= child {
            self.plans.resize_with(child + 1, || None);
        }
        if self.plans[child].is_none() {
            self.code.push(self.children[child]);
            self.plans[child] = Plan::new(db, &self.code);
            self.code.pop();
        }
        self.plans[child].as_ref()
    }

    // HOT: runs for every embedding of every expanded pattern.
    #[inline(always)]
    fn row<R: Row, S: Sink<R>>(
        &mut self,
        db: &Database,
        base: usize,
        graph: u32,
        row: &R,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let added = self.vertex_labels.len();
        for a in db.neighbors(base + row.get(self.rightmost) as usize) {
            if row.contains(a.vertex) {
                let Some(at) = self.backward.iter().position(|b| row.get(b.pattern_vertex) == a.vertex) else {
                    continue;
                };
                let (label, backward) = (db.labels_of(a.ty).0, &self.backward[at]);
                if label >= backward.least_label {
                    let slot = backward.slots + label.index();
                    let to = backward.pattern_vertex as u32;
                    let edge = |s: &Self| s.edge(s.rightmost as u32, to, label, s.vertex_labels[to as usize]);
                    if let Some(child) = self.child(slot, sink, stats, edge) {
                        sink.hit(child, graph, row, None);
                    }
                }
            } else {
                let slot = self.rightmost_slots + a.ty as usize;
                if let Some(child) = self.child(slot, sink, stats, |s| s.forward(db, s.rightmost, a.ty)) {
                    sink.hit(child, graph, row, Some((added, a.vertex)));
                }
            }
        }
        for i in 0..self.inner.len() {
            let Forward { pattern_vertex, least_type, slots } = self.inner[i];
            // Sorted by type: the allowed ones are at the end.
            for a in db.neighbors(base + row.get(pattern_vertex) as usize).iter().rev() {
                if a.ty < least_type {
                    break;
                }
                if row.contains(a.vertex) {
                    continue;
                }
                if let Some(child) =
                    self.child(slots + a.ty as usize, sink, stats, |s| s.forward(db, pattern_vertex, a.ty))
                {
                    sink.hit(child, graph, row, Some((added, a.vertex)));
                }
            }
        }
    }

    /// Last edges of the children, in the order in which the sink met them.
    pub(crate) fn children(&self) -> &[DfsEdge] {
        &self.children
    }

    /// What a slot stands for: a child, or nothing because its code is not the smallest.
    #[inline(always)]
    fn child<R, S: Sink<R>>(
        &mut self,
        slot: usize,
        sink: &mut S,
        stats: &mut MineStats,
        edge: impl FnOnce(&Self) -> DfsEdge,
    ) -> Option<usize> {
        let mut known = self.slots[slot];
        if known == UNSEEN {
            let edge = edge(self);
            known = self.decide(slot, edge, stats);
            if known != REJECTED {
                sink.add_child();
            }
        }
        if known == REJECTED { None } else { Some((known - FIRST_CHILD) as usize) }
    }

    #[cold]
    #[inline(never)]
    fn decide(&mut self, slot: usize, edge: DfsEdge, stats: &mut MineStats) -> u32 {
        let known = if self.is_minimum_with(edge, stats) {
            self.children.push(edge);
            self.children.len() as u32 - 1 + FIRST_CHILD
        } else {
            stats.dropped += 1;
            REJECTED
        };
        self.slots[slot] = known;
        self.touched.push(slot as u32);
        known
    }

    fn is_minimum_with(&mut self, edge: DfsEdge, stats: &mut MineStats) -> bool {
        let first = self.code[0];
        let spelled = |from: Label, to: Label| (from, edge.edge_label, to);
        let least = spelled(edge.from_label, edge.to_label).min(spelled(edge.to_label, edge.from_label));
        if least < (first.from_label, first.edge_label, first.to_label) {
            return false;
        }
        stats.tested += 1;
        self.code.push(edge);
        let is_minimum = self.canonical.is_minimum(&self.code);
        self.code.pop();
        is_minimum
    }

    fn forward(&self, db: &Database, from: usize, ty: u32) -> DfsEdge {
        let (edge_label, to_label) = db.labels_of(ty);
        self.edge(from as u32, self.vertex_labels.len() as u32, edge_label, to_label)
    }

    fn edge(&self, from: u32, to: u32, edge_label: Label, to_label: Label) -> DfsEdge {
        DfsEdge { from, to, from_label: self.vertex_labels[from as usize], edge_label, to_label }
    }
}

/// Extends the embeddings in one graph by one given edge; `vertices` is the number of pattern vertices before.
pub(crate) fn extend_rows<R: Row>(db: &Database, graph: u32, rows: &[R], edge: &DfsEdge, mut keep: impl FnMut(R)) {
    let base = db.base(graph);
    let ty = db.type_of(edge.edge_label, edge.to_label);
    for row in rows {
        let adjacent = db.neighbors(base + row.get(edge.from as usize) as usize);
        // Few neighbours: a plain look at each beats a search for the first of this type.
        for a in adjacent.iter().filter(|a| Some(a.ty) == ty) {
            if edge.is_forward() {
                if !row.contains(a.vertex) {
                    keep(row.with(edge.to as usize, a.vertex));
                }
            } else if row.get(edge.to as usize) == a.vertex {
                keep(*row);
            }
        }
    }
}

/// All embeddings of a code in one graph, from nothing. `other` is working memory.
pub(crate) fn derive_rows<R: Row>(db: &Database, graph: u32, code: &[DfsEdge], rows: &mut Vec<R>, other: &mut Vec<R>) {
    rows.clear();
    let first = code[0];
    let ty = db.type_of(first.edge_label, first.to_label);
    let base = db.base(graph);
    for from in 0..db.num_vertices(graph) {
        if db.vertex_label(base + from as usize) == first.from_label {
            for a in db.neighbors(base + from as usize).iter().filter(|a| Some(a.ty) == ty) {
                rows.push(R::EMPTY.with(0, from).with(1, a.vertex));
            }
        }
    }
    for edge in &code[1..] {
        other.clear();
        extend_rows(db, graph, rows, edge, |row| other.push(row));
        std::mem::swap(rows, other);
    }
}
