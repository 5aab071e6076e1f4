//! Rightmost extensions of one pattern: which edges can be added, and where.
//!
//! A [`Scan`] looks at the embeddings of a pattern graph by graph and reports each canonical extension it
//! meets to a [`Sink`], which decides what to keep. What is known of an extension is in `keys.rs`.
//!
//! Most neighbours that an embedding shows are of no use: their extension is not canonical, or was already met in this graph
//! by a sink that wants it only once. So each place of the rightmost path keeps the types that are still wanted there as bits.
//! Which neighbours an embedding leaves open is told by `used.rs`.
//!
//! Paper: "Expand" in Algorithm 2. Tested through the miner against the oracle.

use super::bits::GraphBits;
use super::contains::{Inner, Room};
use super::database::{Database, Vertex};
use super::keys::Keys;
use super::rows::{Dead, Row};
use super::sink::{First, Sink};
use super::stats::MineStats;
use super::used::{Bits, LabelledBits, SHARED_BIT, Used, Whole, all_but};
use crate::ids::Label;
use crate::pattern::DfsEdge;

/// A vertex of the rightmost path from which forward edges may leave.
struct Forward {
    pattern_vertex: usize,
    /// Smaller types would give a smaller code.
    least_type: u32,
    slots: usize,
    /// Types that are allowed and not yet known to be rejected, as bits (see `used.rs`).
    allowed: u64,
    /// Those of them that are still wanted in the graph under way.
    wanted: u64,
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
    keys: Keys,
    /// The rightmost path, from its end.
    forward: Vec<Forward>,
    backward: Vec<Backward>,
    /// Whether the last edge of the pattern is a backward edge.
    closes_ring: bool,
    /// Working memory for graphs of which only a sample is known.
    pending: Vec<Pending>,
    /// By child: the last round in which an embedding showed it.
    shown: Vec<u32>,
    round: u32,
    /// By child, once it was searched for.
    plans: Vec<Option<Inner>>,
    room: Room,
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
        self.keys.begin(code);
        self.plans.clear();
        self.shown.clear();
        self.round = 0;
        self.forward.clear();
        self.backward.clear();
        let rightmost = self.keys.vertex_labels.len() - 1;
        self.forward.push(Forward { pattern_vertex: rightmost, least_type: 0, slots: 0, allowed: u64::MAX, wanted: 0 });

        let last = code[code.len() - 1];
        self.closes_ring = !last.is_forward();
        // Backward edges of one vertex are written in the order of the vertices that they reach.
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
            self.forward.push(Forward { pattern_vertex, least_type, slots, allowed, wanted: 0 });
            slots += db.num_types();
            if !is_parent && reached.is_none_or(|r| edge.from > r) {
                let closes_later = self.keys.vertex_labels[rightmost] < edge.to_label;
                let least_label = Label(edge.edge_label.0 + u32::from(closes_later));
                self.backward.push(Backward { pattern_vertex, least_label, slots });
                slots += db.num_edge_labels();
            }
            is_parent = false;
        }
        self.keys.reserve(slots);
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
        for place in &mut self.forward {
            place.wanted = place.allowed;
        }
        match (db.fits_in_words(graph), db.types_are_labels()) {
            (true, true) => self.rows::<R, Bits, S>(db, graph, rows, sink, stats),
            (true, false) => self.rows::<R, LabelledBits, S>(db, graph, rows, sink, stats),
            (false, _) => self.rows::<R, Whole<R>, S>(db, graph, rows, sink, stats),
        }
    }

    fn rows<R: Row, U: Used<R>, S: Sink<R>>(
        &mut self,
        db: &Database,
        graph: u32,
        rows: &[R],
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let vertices = db.vertices(graph);
        let mut looked_at = 0;
        for row in rows {
            if sink.is_done() {
                break;
            }
            looked_at += 1;
            self.row::<R, U, S>(db, vertices, graph, row, sink, stats);
        }
        stats.embeddings += looked_at;
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
        self.shown.resize(self.keys.children.len(), 0);
        let mut first = First { sink, shown: std::mem::take(&mut self.shown), round, left: pending.len() };
        self.graph(db, graph, rows, &mut first, stats);
        let First { sink, shown, left, .. } = first;
        self.shown = shown;
        for &Pending { child, bit } in pending.iter().filter(|_| left > 0) {
            if self.shown[child] == round {
                continue;
            }
            stats.searched += 1;
            if self.exists(db, bits, child) {
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
        let rightmost = self.forward[0].pattern_vertex;
        for &Forward { pattern_vertex, least_type, slots, .. } in &self.forward {
            for &ty in bits.types_next_to(self.keys.vertex_labels[pattern_vertex]) {
                let bit = pattern_vertex * db.num_types() + ty as usize;
                if ty < least_type || is_dead(dead.forward, bit) {
                    continue;
                }
                let slot = slots + ty as usize;
                let edge = |keys: &Keys| keys.forward(pattern_vertex, db.labels_of(ty));
                if let Some(child) = self.keys.child(slot, sink, stats, edge) {
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
                let edge = |keys: &Keys| keys.backward(rightmost, pattern_vertex, label);
                if let Some(child) = self.keys.child(slots + label.index(), sink, stats, edge) {
                    pending.push(Pending { child, bit: Bit::Backward(bit) });
                }
            }
        }
    }

    /// Tells the sink of all canonical extensions that the labels of all graphs allow.
    pub(crate) fn list_all<R: Row, S: Sink<R>>(&mut self, db: &Database, sink: &mut S, stats: &mut MineStats) {
        let rightmost = self.forward[0].pattern_vertex;
        for &Forward { pattern_vertex, least_type, slots, .. } in &self.forward {
            for &ty in db.types_next_to(self.keys.vertex_labels[pattern_vertex]).iter().filter(|&&ty| ty >= least_type)
            {
                let edge = |keys: &Keys| keys.forward(pattern_vertex, db.labels_of(ty));
                self.keys.child(slots + ty as usize, sink, stats, edge);
            }
        }
        for &Backward { pattern_vertex, least_label, slots } in &self.backward {
            let to_label = self.keys.vertex_labels[pattern_vertex];
            for &ty in db.types_next_to(self.keys.vertex_labels[rightmost]) {
                let (label, reached) = db.labels_of(ty);
                if reached == to_label && label >= least_label {
                    let edge = |keys: &Keys| keys.backward(rightmost, pattern_vertex, label);
                    self.keys.child(slots + label.index(), sink, stats, edge);
                }
            }
        }
    }

    /// Whether a graph contains a child.
    pub(crate) fn exists(&mut self, db: &Database, bits: &GraphBits, child: usize) -> bool {
        if self.plans.len() <= child {
            self.plans.resize_with(child + 1, || None);
        }
        let Keys { code, children, .. } = &mut self.keys;
        let plan = &mut self.plans[child];
        if plan.is_none() {
            code.push(children[child]);
            *plan = Inner::new(db, code);
            code.pop();
        }
        plan.as_ref().is_some_and(|plan| plan.is_in(bits, &mut self.room))
    }

    // HOT: runs for every embedding of every expanded pattern.
    #[inline(always)]
    fn row<R: Row, U: Used<R>, S: Sink<R>>(
        &mut self,
        db: &Database,
        vertices: &[Vertex],
        graph: u32,
        row: &R,
        sink: &mut S,
        stats: &mut MineStats,
    ) {
        let Self { keys, forward, backward, .. } = self;
        let added = keys.vertex_labels.len();
        let used = U::new(row, added);
        if !backward.is_empty() {
            let rightmost = forward[0].pattern_vertex;
            let here = &vertices[row.get(rightmost) as usize];
            if used.may_close(here) {
                for &Backward { pattern_vertex, least_label, slots } in &*backward {
                    let there = row.get(pattern_vertex);
                    let Some(label) = db.edge_label(here, there).filter(|&label| label >= least_label) else {
                        continue;
                    };
                    let edge = |keys: &Keys| keys.backward(rightmost, pattern_vertex, label);
                    if let Some(child) = keys.child(slots + label.index(), sink, stats, edge) {
                        sink.hit(child, graph, row, None);
                    }
                }
            }
        }
        for place in forward {
            let here = &vertices[row.get(place.pattern_vertex) as usize];
            used.open(db, vertices, here, |a| {
                if !U::is_wanted(place.wanted, a.ty) || a.ty < place.least_type {
                    return;
                }
                let edge = |keys: &Keys| keys.forward(place.pattern_vertex, db.labels_of(a.ty));
                if let Some(child) = keys.child(place.slots + a.ty as usize, sink, stats, edge) {
                    sink.hit(child, graph, row, Some((added, a.vertex)));
                    if S::ONCE {
                        place.wanted &= all_but(a.ty);
                    }
                } else {
                    place.allowed &= all_but(a.ty);
                    place.wanted &= all_but(a.ty);
                }
            });
        }
    }

    /// Last edges of the children, in the order in which the sink met them.
    pub(crate) fn children(&self) -> &[DfsEdge] {
        &self.keys.children
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
