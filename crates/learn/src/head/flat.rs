//! All trees of a forest in flat lists: what prediction and files need, and nothing else.
//!
//! Promise: [`FlatForest::check`] accepts only lists on which every way from a root ends at a leaf, so that a loaded
//! forest can neither loop nor read outside its lists. Answers are those of the forest it was made from, bit for bit.

use crate::forest::{Forest, Tree};
use serde::{Deserialize, Serialize};

/// Stands for the column of a leaf.
pub const LEAF: u32 = u32::MAX;

/// A forest, flat. Nodes of a tree lie one after the other, each before its children, the left child right behind it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlatForest {
    /// Numbers of an answer: one a class, or one.
    pub width: usize,
    /// For each tree its first node.
    pub roots: Vec<u32>,
    /// For each node the column that it asks about, or [`LEAF`].
    pub columns: Vec<u32>,
    /// For each node the right child; for a leaf the place of its answer.
    pub nexts: Vec<u32>,
    /// For each node the threshold: values above it go right. 0 for a leaf.
    pub thresholds: Vec<f64>,
    /// The answers of all leaves, `width` numbers each.
    pub answers: Vec<f64>,
}

impl FlatForest {
    /// Flattens a forest.
    pub(super) fn new(forest: &Forest) -> Self {
        let mut flat = Self { width: forest.width, ..Self::default() };
        for tree in &forest.trees {
            flat.roots.push(flat.columns.len() as u32);
            flat.add(tree, 0);
        }
        flat
    }

    fn add(&mut self, tree: &Tree, node: usize) {
        let here = self.columns.len();
        match tree.nodes[node].split {
            None => {
                self.columns.push(LEAF);
                self.nexts.push((self.answers.len() / self.width) as u32);
                self.thresholds.push(0.0);
                self.answers.extend_from_slice(tree.value(node));
            }
            Some(split) => {
                self.columns.push(split.column);
                self.nexts.push(0);
                self.thresholds.push(split.threshold);
                self.add(tree, split.left as usize);
                self.nexts[here] = self.columns.len() as u32;
                self.add(tree, split.right as usize);
            }
        }
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.roots.len()
    }

    /// Whether the lists belong together and every way from a root ends at a leaf, for tables of so many columns.
    pub fn check(&self, columns: usize) -> bool {
        let nodes = self.columns.len();
        let together = self.nexts.len() == nodes
            && self.thresholds.len() == nodes
            && self.width > 0
            && self.answers.len().is_multiple_of(self.width)
            && !self.roots.is_empty()
            && self.roots.iter().all(|&root| (root as usize) < nodes)
            && self.thresholds.iter().chain(&self.answers).all(|number| number.is_finite());
        together
            && (0..nodes).all(|node| {
                let next = self.nexts[node] as usize;
                match self.columns[node] {
                    LEAF => next < self.answers.len() / self.width,
                    // Children come later in the list, so no way is longer than the list.
                    column => (column as usize) < columns && next > node + 1 && next < nodes,
                }
            })
    }

    /// The mean answer of the trees for one row of values, trees added in order.
    pub(super) fn answer(&self, row: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        for &root in &self.roots {
            let mut node = root as usize;
            while self.columns[node] != LEAF {
                let goes_left = row[self.columns[node] as usize] <= self.thresholds[node];
                node = if goes_left { node + 1 } else { self.nexts[node] as usize };
            }
            let answer = self.nexts[node] as usize * self.width;
            for (sum, value) in sums.iter_mut().zip(&self.answers[answer..]) {
                *sum += value;
            }
        }
        for sum in &mut sums {
            *sum /= self.roots.len() as f64;
        }
        sums
    }
}
