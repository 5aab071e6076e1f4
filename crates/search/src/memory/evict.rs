//! How much a search holds, and how it makes room: embeddings go first, then what was grown below nodes that no pass
//! has opened lately.
//!
//! Promise: dropping loses knowledge and never changes any: what is known of a subtree stays true of it when its nodes are
//! gone, and every number is a function of support and delta. Does not know what the memory is needed for.
//!
//! Tested over whole trainings in `tests/budgets.rs`.

use super::PrunedSearch;
use super::slots::Slots;
use einsicht_graph::mine::{NodeId, Tree};
use std::sync::Arc;

/// What a pass notes of a node: what is known of it, a look or two, its place in the queue.
const OF_NODE: usize = 128;

/// What the tree, and all that is known of it, may take.
#[derive(Debug)]
pub(super) struct Limit {
    /// Bytes.
    pub(super) most: usize,
    /// Searches that share the tree, each with knowledge of its own.
    pub(super) searches: usize,
    /// What `zeta` had reached in the last pass that was given up: it is at least that.
    pub(super) reached: f64,
}

impl Default for Limit {
    fn default() -> Self {
        Self { most: usize::MAX, searches: 1, reached: f64::NEG_INFINITY }
    }
}

impl PrunedSearch {
    /// The same with a tree that may take no more than so many bytes, with all that so many searches know of it: first its
    /// embeddings go, then questions are answered with [`super::SearchError::OutOfMemory`].
    #[must_use]
    pub(super) fn within_bytes(mut self, most: usize, searches: usize) -> Self {
        self.limit = Limit { most, searches, ..Limit::default() };
        self
    }

    /// Bytes of a tree that has not grown yet, and of all that is known of it.
    pub(super) fn held_at_first(tree: &Tree) -> usize {
        let (nodes, supports) = tree.sizes();
        tree.held(1) + nodes * OF_NODE + Slots::bytes(supports, tree.num_graphs())
    }

    /// Bytes of the tree and of all that is known of it.
    pub(super) fn held(&self) -> usize {
        self.held_by(0)
    }

    /// The same with what so many threads are about to add.
    fn held_by(&self, threads: usize) -> usize {
        let (nodes, supports) = self.tree.sizes();
        let of_slots = Slots::bytes(supports, self.tree.num_graphs());
        self.tree.held(threads) + self.limit.searches * (nodes * OF_NODE + of_slots)
    }

    /// Whether the tree may not grow on, even without embeddings.
    pub(super) fn is_full(&self) -> bool {
        let threads = self.options.threads.max(self.limit.searches);
        if self.limit.most == usize::MAX || self.held_by(threads) <= self.limit.most {
            return false;
        }
        self.tree.drop_rows();
        self.held_by(threads) > self.limit.most
    }

    /// Drops all below nodes that were last opened before this pass; gives the number of dropped nodes, or nothing if the
    /// tree is not this search's own.
    pub(super) fn close_before(&mut self, pass: u32) -> Option<usize> {
        let tree: &mut Tree = Arc::get_mut(&mut self.tree)?;
        let known = &self.known;
        let is_lately = |node: NodeId| known.get(node.index()).is_some_and(|known| known.opened_in >= pass);
        let renamed = tree.close(is_lately);
        for &id in &renamed.freed {
            self.slots.get(id).forget();
        }
        // New numbers are no larger than the old ones, so everything can move within its list.
        let mut len = 0;
        for (old, node) in renamed.left() {
            let Some(mut known) = self.known.get(old).copied() else { break };
            known.parent = tree.parent(node).unwrap_or(node).index() as u32;
            if !tree.is_expanded(node) {
                known.opened = f64::INFINITY;
            }
            self.known[node.index()] = known;
            len = node.index() + 1;
        }
        self.known.truncate(len);
        self.known.shrink_to_fit();
        self.last = self.last.iter().filter_map(|&node| renamed.name(node)).collect();
        Some(renamed.dropped())
    }
}
