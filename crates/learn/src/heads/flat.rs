//! All trees of a forest in flat lists: what prediction and files need, and nothing else.
//!
//! Promise: [`FlatForest::check`] accepts only lists on which every way from a root ends at a leaf of its own tree, so that
//! a loaded forest can neither loop nor read outside its lists, and an answer costs no more than its nodes. Answers are those of the forest it was made from, bit for bit.

use super::Table;
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

    /// A smaller forest with the same answers, bit for bit, to every row whose values are each that of `one` or that of
    /// `other`: what both would answer alike is no longer asked.
    pub(super) fn between(&self, one: &[f64], other: &[f64]) -> Self {
        let mut narrow = Self { width: self.width, ..Self::default() };
        for &root in &self.roots {
            narrow.roots.push(narrow.columns.len() as u32);
            narrow.add_between(self, root as usize, one, other);
        }
        narrow
    }

    fn add_between(&mut self, whole: &Self, mut node: usize, one: &[f64], other: &[f64]) {
        while whole.columns[node] != LEAF {
            let (column, threshold) = (whole.columns[node] as usize, whole.thresholds[node]);
            let goes_left = one[column] <= threshold;
            if goes_left != (other[column] <= threshold) {
                let here = self.columns.len();
                self.columns.push(column as u32);
                self.nexts.push(0);
                self.thresholds.push(threshold);
                self.add_between(whole, node + 1, one, other);
                self.nexts[here] = self.columns.len() as u32;
                return self.add_between(whole, whole.nexts[node] as usize, one, other);
            }
            node = if goes_left { node + 1 } else { whole.nexts[node] as usize };
        }
        self.columns.push(LEAF);
        self.nexts.push((self.answers.len() / self.width) as u32);
        self.thresholds.push(0.0);
        let answer = whole.nexts[node] as usize * whole.width;
        self.answers.extend_from_slice(&whole.answers[answer..][..whole.width]);
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
            && self.roots.first() == Some(&0)
            && self.roots.is_sorted_by(|a, b| a < b)
            && self.roots.iter().all(|&root| (root as usize) < nodes)
            && self.thresholds.iter().chain(&self.answers).all(|number| number.is_finite());
        let tree = |at: usize| {
            let first = self.roots[at] as usize;
            let end = self.roots.get(at + 1).map_or(nodes, |&root| root as usize);
            (first..end).all(|node| {
                let next = self.nexts[node] as usize;
                match self.columns[node] {
                    LEAF => next < self.answers.len() / self.width,
                    // Children come later in the tree, so no way is longer than it.
                    column => (column as usize) < columns && next > node + 1 && next < end,
                }
            })
        };
        together && (0..self.roots.len()).all(tree)
    }

    /// The mean answers of the trees for all rows of a table, row after row, trees added in order.
    ///
    /// One tree after the other, so that its nodes stay at hand. Rows that follow each other often differ in a few columns
    /// (explanations let one player join after the other, and tables may be sorted), so a tree is asked again only if a
    /// column on its way has changed.
    pub(super) fn answers(&self, table: Table<'_>) -> Vec<f64> {
        let columns = table.columns();
        let row = |at: usize| &table.values[at * columns..(at + 1) * columns];
        let changed: Vec<u128> =
            (0..table.rows).map(|at| if at == 0 { u128::MAX } else { changed(row(at - 1), row(at)) }).collect();
        let mut answers = vec![0.0; table.rows * self.width];
        for &root in &self.roots {
            let mut way = Way { columns: u128::MAX, answer: 0 };
            for (at, (sums, &changed)) in answers.chunks_exact_mut(self.width).zip(&changed).enumerate() {
                if way.columns & changed != 0 {
                    way = self.way(root as usize, row(at));
                }
                for (sum, value) in sums.iter_mut().zip(&self.answers[way.answer..way.answer + self.width]) {
                    *sum += value;
                }
            }
        }
        for sum in &mut answers {
            *sum /= self.roots.len() as f64;
        }
        answers
    }

    fn way(&self, mut node: usize, row: &[f64]) -> Way {
        let mut columns = 0;
        while self.columns[node] != LEAF {
            let column = self.columns[node] as usize;
            columns |= bit(column);
            // Read whether wanted or not: a choice between two numbers is quicker than a guess.
            let right = self.nexts[node] as usize;
            node = if row[column] <= self.thresholds[node] { node + 1 } else { right };
        }
        Way { columns, answer: self.nexts[node] as usize * self.width }
    }
}

/// The way of a row through a tree: the columns that were asked about, and where the answer starts.
#[derive(Clone, Copy)]
struct Way {
    columns: u128,
    answer: usize,
}

/// Columns share bits if there are more than 128: then a tree may be asked again for nothing.
const fn bit(column: usize) -> u128 {
    1 << (column % 128)
}

fn changed(before: &[f64], row: &[f64]) -> u128 {
    let pairs = before.iter().zip(row).enumerate();
    pairs.fold(0, |bits, (column, (a, b))| if a.to_bits() == b.to_bits() { bits } else { bits | bit(column) })
}
