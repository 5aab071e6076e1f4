//! The table of extensions of one pattern: not met yet, not canonical, or the number of the child.
//!
//! An extension has a *slot*, a number made of its position on the rightmost path and the type of the neighbour, so one
//! dense table answers. Whether its code is minimal is tested when it is first met, so embeddings of a rejected
//! extension are never stored. Tested through the miner against the oracle.

use super::sink::ExtensionSink;
use crate::canon::{DfsEdge, MinimalityTest};
use crate::database::TypeLabels;
use crate::ids::Label;
use crate::stats::MineStats;

/// A slot whose extension was not met yet.
const UNSEEN: u32 = 0;
/// A slot whose extension is not canonical: it is another pattern's child.
const REJECTED: u32 = 1;
/// Child `c` is written as `c + FIRST_CHILD`.
const FIRST_CHILD: u32 = 2;

/// The extensions of one pattern at a time, with reusable working memory.
#[derive(Default)]
pub(super) struct ExtensionTable {
    minimality: MinimalityTest,
    /// Whether `minimality` has loaded this pattern.
    loaded: bool,
    /// The code of the pattern.
    pub(super) code: Vec<DfsEdge>,
    pub(super) vertex_labels: Vec<Label>,
    slots: Vec<u32>,
    /// Slots that are not [`UNSEEN`], reset for the next pattern.
    touched: Vec<u32>,
    /// Last edge of each child.
    pub(super) children: Vec<DfsEdge>,
}

impl ExtensionTable {
    /// Starts a pattern.
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

    /// Makes at least so many slots available.
    pub(super) fn reserve(&mut self, slots: usize) {
        if self.slots.len() < slots {
            self.slots.resize(slots, UNSEEN);
        }
    }

    /// The child of a slot; `None` if its code is not minimal.
    #[inline(always)]
    pub(super) fn child<E, S: ExtensionSink<E>>(
        &mut self,
        slot: usize,
        sink: &mut S,
        stats: &mut MineStats,
        edge: impl FnOnce(&Self) -> DfsEdge,
    ) -> Option<usize> {
        let mut state = self.slots[slot];
        if state == UNSEEN {
            let edge = edge(self);
            state = self.decide(slot, edge, stats);
            if state != REJECTED {
                sink.add_child();
            }
        }
        if state == REJECTED { None } else { Some((state - FIRST_CHILD) as usize) }
    }

    #[cold]
    #[inline(never)]
    fn decide(&mut self, slot: usize, edge: DfsEdge, stats: &mut MineStats) -> u32 {
        let state = if self.is_minimum_with(edge, stats) {
            self.children.push(edge);
            self.children.len() as u32 - 1 + FIRST_CHILD
        } else {
            stats.rejected += 1;
            REJECTED
        };
        self.slots[slot] = state;
        self.touched.push(slot as u32);
        state
    }

    fn is_minimum_with(&mut self, edge: DfsEdge, stats: &mut MineStats) -> bool {
        let first = self.code[0];
        let key = |from: Label, to: Label| (from, edge.edge_label, to);
        let least = key(edge.from_label, edge.to_label).min(key(edge.to_label, edge.from_label));
        if least < (first.from_label, first.edge_label, first.to_label) {
            return false;
        }
        stats.tested += 1;
        if !std::mem::replace(&mut self.loaded, true) {
            self.minimality.load(&self.code);
        }
        self.minimality.is_minimum_with(&edge)
    }

    /// A forward edge to a new vertex.
    pub(super) fn forward(&self, from: usize, labels: TypeLabels) -> DfsEdge {
        self.edge(from as u32, self.vertex_labels.len() as u32, labels.edge, labels.vertex)
    }

    pub(super) fn backward(&self, from: usize, to: usize, edge_label: Label) -> DfsEdge {
        self.edge(from as u32, to as u32, edge_label, self.vertex_labels[to])
    }

    fn edge(&self, from: u32, to: u32, edge_label: Label, to_label: Label) -> DfsEdge {
        DfsEdge { from, to, from_label: self.vertex_labels[from as usize], edge_label, to_label }
    }
}
