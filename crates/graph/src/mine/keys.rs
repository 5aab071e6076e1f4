//! What is known of each extension of a pattern: not met yet, not canonical, or which child it is.
//!
//! An extension is named by a *slot*, a number made of the place on the rightmost path and the type
//! of the neighbour, so one dense table answers. Whether its code is the smallest is tested when it is first met,
//! so rejected ones never store a row.

use super::sink::Sink;
use super::stats::MineStats;
use crate::ids::Label;
use crate::pattern::{Canonical, DfsEdge};

/// A slot that no embedding has shown yet.
const UNSEEN: u32 = 0;
/// A slot whose extension is another pattern's child.
const REJECTED: u32 = 1;
/// Child `c` is written as `c + FIRST_CHILD`.
const FIRST_CHILD: u32 = 2;

/// The extensions of one pattern at a time, with reusable working memory.
#[derive(Default)]
pub(super) struct Keys {
    canonical: Canonical,
    /// Whether `canonical` holds this pattern.
    loaded: bool,
    /// The code of the pattern, with room for one more edge.
    pub(super) code: Vec<DfsEdge>,
    pub(super) vertex_labels: Vec<Label>,
    slots: Vec<u32>,
    /// Slots that are not [`UNSEEN`]: cleared when the next pattern begins.
    touched: Vec<u32>,
    /// Last edge of each child.
    pub(super) children: Vec<DfsEdge>,
}

impl Keys {
    /// Starts with a pattern.
    pub(super) fn begin(&mut self, code: &[DfsEdge]) {
        for &slot in &self.touched {
            self.slots[slot as usize] = UNSEEN;
        }
        self.touched.clear();
        self.children.clear();
        self.loaded = false;
        self.code.clear();
        self.code.extend_from_slice(code);
        self.vertex_labels.clear();
        self.vertex_labels.push(code[0].from_label);
        self.vertex_labels.extend(code.iter().filter(|e| e.is_forward()).map(|e| e.to_label));
    }

    /// Makes room for so many slots.
    pub(super) fn reserve(&mut self, slots: usize) {
        if self.slots.len() < slots {
            self.slots.resize(slots, UNSEEN);
        }
    }

    /// What a slot stands for: a child, or nothing because its code is not the smallest.
    #[inline(always)]
    pub(super) fn child<R, S: Sink<R>>(
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
        if !std::mem::replace(&mut self.loaded, true) {
            self.canonical.load(&self.code);
        }
        self.canonical.is_minimum_with(&edge)
    }

    /// A forward edge to a new vertex.
    pub(super) fn forward(&self, from: usize, (edge_label, to_label): (Label, Label)) -> DfsEdge {
        self.edge(from as u32, self.vertex_labels.len() as u32, edge_label, to_label)
    }

    /// A backward edge.
    pub(super) fn backward(&self, from: usize, to: usize, edge_label: Label) -> DfsEdge {
        self.edge(from as u32, to as u32, edge_label, self.vertex_labels[to])
    }

    fn edge(&self, from: u32, to: u32, edge_label: Label, to_label: Label) -> DfsEdge {
        DfsEdge { from, to, from_label: self.vertex_labels[from as usize], edge_label, to_label }
    }
}
