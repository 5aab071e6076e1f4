//! What a tree holds, and how it makes room: embeddings go, or whole subtrees that nobody needs just now.
//!
//! Promise: whatever is dropped comes back the same when it is asked for, except for the numbers of nodes and supports.
//! Dropping embeddings is safe while others search; dropping subtrees renames the nodes, so the tree must be one's own.

use super::{DfsEdge, NodeId, ROOT, Row, Support, Tree, TreeOf, Widths};
use crate::mine::FIXED_BYTES;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// New number of a node that was dropped.
const GONE: u32 = u32::MAX;

/// What [`Tree::close`] did to the numbers of a tree.
#[derive(Clone, Debug, Default)]
pub struct Renamed {
    names: Vec<u32>,
    /// Ids of supports that may be given out again, increasing.
    pub freed: Vec<u32>,
}

impl Renamed {
    /// The new number of a node; nothing if it was dropped.
    pub fn name(&self, node: NodeId) -> Option<NodeId> {
        Some(NodeId(self.names[node.index()])).filter(|name| name.0 != GONE)
    }

    /// All nodes that are left by their old numbers, each with the new one, increasing.
    pub fn left(&self) -> impl Iterator<Item = (usize, NodeId)> {
        let names = self.names.iter().enumerate();
        names.filter(|(_, name)| **name != GONE).map(|(old, name)| (old, NodeId(*name)))
    }

    /// Number of nodes that were dropped.
    pub fn dropped(&self) -> usize {
        self.names.iter().filter(|name| **name == GONE).count()
    }
}

impl<R: Row> TreeOf<R> {
    /// Remembers how much the largest expansion took.
    pub(super) fn note_size(&self, children: &[(DfsEdge, Arc<Support>)]) {
        self.largest.0.fetch_max(children.len() as u32, Ordering::Relaxed);
        // Twice: the lists of graphs from which supports are made keep their room too.
        let bytes = children.iter().map(|(_, support)| 2 * support.bytes()).sum();
        self.largest.1.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Bytes of everything that is held, and of what two expansions more by each of so many threads would take.
    fn held(&self, threads: usize) -> usize {
        let children = 2 * threads as u32 * self.largest.0.load(Ordering::Relaxed).max(16);
        let next = 2 * threads * self.largest.1.load(Ordering::Relaxed);
        let tables =
            self.expander.bytes() + self.supports.bytes() + self.nodes.bytes(children) + self.index.bytes(children);
        tables + self.row_bytes.load(Ordering::Relaxed) + next
    }

    /// Drops all rows, and which patterns are known, and keeps none from now on.
    fn drop_rows(&self) {
        self.keeps_rows.store(false, Ordering::Relaxed);
        self.index.clear();
        for node in self.nodes.iter() {
            if let Some(freed) = node.rows.lock().unwrap_or_else(PoisonError::into_inner).take() {
                self.row_bytes.fetch_sub(freed.bytes(), Ordering::Relaxed);
                self.dropped_rows.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Drops everything below the nodes that do not stay open. Gives the new number of each node, [`GONE`] for those that
    /// were dropped, and the ids of supports that are gone with them.
    fn close(&mut self, stays_open: impl Fn(u32) -> bool) -> (Vec<u32>, Vec<u32>) {
        let mut names = vec![GONE; self.nodes.len()];
        let mut next = 0;
        // Parents come before their children.
        for (id, node) in self.nodes.iter().enumerate() {
            let parent = node.parent;
            if parent == ROOT || names[parent as usize] != GONE && stays_open(parent) {
                names[id] = next;
                next += 1;
            }
        }
        let row_bytes = self.row_bytes.get_mut();
        self.nodes.compact(|id, node| {
            let stays = names[id as usize] != GONE;
            if node.parent != ROOT {
                node.parent = names[node.parent as usize];
            }
            if !(stays && stays_open(id)) {
                node.was_open |= node.children.take().is_some();
                let rows = node.rows.get_mut().unwrap_or_else(PoisonError::into_inner).take();
                *row_bytes -= rows.map_or(0, |rows| rows.bytes());
            } else if let Some(children) = node.children.get_mut()
                && children.start < children.end
            {
                let first = names[children.start as usize];
                *children = first..first + (children.end - children.start);
            }
            stays
        });
        *self.keeps_rows.get_mut() = true;
        self.index.rename(|node| Some(names[node as usize]).filter(|name| *name != GONE));
        (names, self.supports.forget_unused())
    }
}

impl Tree {
    /// The support with this content, as this tree numbers it.
    pub fn intern(&self, support: &Support) -> Arc<Support> {
        in_its_width!(&self.0, tree => tree.supports.intern(support.graphs(), support.counts()))
    }

    /// Number of nodes and of distinct supports.
    pub fn sizes(&self) -> (usize, usize) {
        in_its_width!(&self.0, tree => (tree.nodes.len(), tree.supports.len()))
    }

    /// No more than so many bytes of embeddings are stored from now on.
    pub fn limit_rows(&mut self, bytes: usize) {
        in_its_width!(&mut self.0, tree => tree.budget = bytes);
    }

    /// The least memory in which [`super::super::mine`] walks over the graphs of this tree.
    pub fn least_for_walks(&self) -> usize {
        FIXED_BYTES + in_its_width!(&self.0, tree => tree.expander.db.bytes())
    }

    /// Bytes of everything that the tree holds, and that so many threads are about to add, for whoever has a limit.
    pub fn held(&self, threads: usize) -> usize {
        in_its_width!(&self.0, tree => tree.held(threads))
    }

    /// Drops all that was grown below nodes that do not stay open; it is grown again when it is asked for. Says how
    /// the nodes that are left are called now, and which ids of supports nobody uses any more.
    pub fn close(&mut self, stays_open: impl Fn(NodeId) -> bool) -> Renamed {
        let (names, freed) = in_its_width!(&mut self.0, tree => tree.close(|id| stays_open(NodeId(id))));
        Renamed { names, freed }
    }

    /// Drops all embeddings and keeps none: from now on they are derived again wherever they are needed.
    pub fn drop_rows(&self) {
        in_its_width!(&self.0, tree => tree.drop_rows());
    }

    /// How many lists of embeddings were dropped, or not kept, for want of room.
    pub fn dropped_rows(&self) -> u64 {
        in_its_width!(&self.0, tree => tree.dropped_rows.load(Ordering::Relaxed))
    }

    /// Whether embeddings are kept, which they are from the start or [`Tree::close`] until [`Tree::drop_rows`].
    pub fn keeps_rows(&self) -> bool {
        in_its_width!(&self.0, tree => tree.keeps_rows.load(Ordering::Relaxed))
    }
}
