//! Graphs that belong together: a union-find over positions.

use std::collections::BTreeMap;

/// Positions, some of them joined.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    parent: Vec<usize>,
}

impl Joined {
    /// So many positions, each alone.
    pub(super) fn new(len: usize) -> Self {
        Self { parent: (0..len).collect() }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    pub(super) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The smaller position stays the root, so that the result does not depend on the order of the calls.
        self.parent[one.max(other)] = one.min(other);
    }

    pub(super) fn are_joined(&mut self, one: usize, other: usize) -> bool {
        self.root(one) == self.root(other)
    }

    pub(super) fn join_equal<K: Ord>(&mut self, keys: impl IntoIterator<Item = K>) {
        let mut first = BTreeMap::new();
        for (at, key) in keys.into_iter().enumerate() {
            let first = *first.entry(key).or_insert(at);
            self.join(first, at);
        }
    }

    /// The group of each position, counted from 0 in the order in which they first come.
    pub(super) fn groups(mut self) -> Vec<usize> {
        let mut numbers = BTreeMap::new();
        (0..self.parent.len())
            .map(|at| {
                let (root, next) = (self.root(at), numbers.len());
                *numbers.entry(root).or_insert(next)
            })
            .collect()
    }
}
