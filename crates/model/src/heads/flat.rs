//! All trees of a forest in flat lists, for prediction and files.
//!
//! Beside [`Tree`], which also holds rows, impurity and answer of each inner node: importances and surrogate trees read
//! those, and files and predictions would pay for them.
//!
//! Promise: [`FlatForest::check`] accepts only lists in which every path from a root ends at a leaf of its own tree, so
//! that a loaded forest can neither loop nor read outside its lists. Predictions are those of the forest it was made
//! from, bit for bit.

use super::{Table, forest_code};
use base64::prelude::{BASE64_STANDARD_NO_PAD, Engine as _};
use einsicht_forest::{Forest, MAX_DEPTH, Tree};
use einsicht_graph::stop;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The column of a leaf.
pub(crate) const LEAF: u32 = u32::MAX;

/// A flat forest. The nodes of a tree are consecutive, each before its children, the left child right behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatForest {
    /// Numbers per prediction: one per class, or one.
    pub width: usize,
    /// For each tree its first node.
    pub roots: Vec<u32>,
    /// For each node its column, or [`LEAF`].
    pub columns: Vec<u32>,
    /// For each node the right child; for a leaf the index of its prediction.
    pub nexts: Vec<u32>,
    /// For each node the threshold: values above it go right. 0 for a leaf.
    pub thresholds: Vec<f64>,
    /// The predictions of all leaves, `width` numbers each.
    pub predictions: Vec<f64>,
}

/// In a checkpoint: the width, and the short code of model files as text, since a list of numbers takes six times as
/// much.
impl Serialize for FlatForest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.width, BASE64_STANDARD_NO_PAD.encode(forest_code::encode(self))).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FlatForest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (width, text): (usize, String) = Deserialize::deserialize(deserializer)?;
        let code = BASE64_STANDARD_NO_PAD.decode(text).map_err(D::Error::custom)?;
        forest_code::decode(&code, width).ok_or_else(|| D::Error::custom("the code of a forest must be whole"))
    }
}

/// A node that comes next, and the splits above it.
struct Place {
    node: usize,
    depth: usize,
}

impl FlatForest {
    /// Flattens a forest.
    pub fn new(forest: &Forest) -> Self {
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
                self.nexts.push((self.predictions.len() / self.width) as u32);
                self.thresholds.push(0.0);
                self.predictions.extend_from_slice(tree.value(node));
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

    /// A smaller forest with the same predictions, bit for bit, for every row whose values are each that of `one` or
    /// that of `other`: splits that send both to the same side are removed.
    pub(super) fn between(&self, one: &[f64], other: &[f64]) -> Self {
        let mut narrow = Self { width: self.width, ..Self::default() };
        for &root in &self.roots {
            stop::work(64);
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
        self.nexts.push((self.predictions.len() / self.width) as u32);
        self.thresholds.push(0.0);
        let prediction = whole.nexts[node] as usize * whole.width;
        self.predictions.extend_from_slice(&whole.predictions[prediction..][..whole.width]);
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.roots.len()
    }

    /// Whether the lists are consistent and each tree is one that could have been grown, for tables with this many
    /// columns.
    pub fn check(&self, columns: usize) -> bool {
        let nodes = self.columns.len();
        let together = self.nexts.len() == nodes
            && self.thresholds.len() == nodes
            && self.width > 0
            && self.predictions.len().is_multiple_of(self.width)
            && self.roots.first() == Some(&0)
            && self.roots.is_sorted_by(|a, b| a < b)
            && self.roots.iter().all(|&root| (root as usize) < nodes)
            && self.thresholds.iter().chain(&self.predictions).all(|number| number.is_finite());
        let tree = |at: usize| {
            let first = self.roots[at] as usize;
            let end = self.roots.get(at + 1).map_or(nodes, |&root| root as usize);
            // The right children that are still to come, and the node that comes next.
            let mut open: Vec<Place> = Vec::new();
            let mut here = Some(Place { node: first, depth: 0 });
            (first..end).all(|node| {
                let next = self.nexts[node] as usize;
                let is_next = |place: &Place| place.node == node && place.depth <= MAX_DEPTH;
                let Some(Place { depth, .. }) = here.take().filter(is_next) else { return false };
                let column = self.columns[node];
                if column == LEAF {
                    here = open.pop();
                    return next < self.predictions.len() / self.width;
                }
                here = Some(Place { node: node + 1, depth: depth + 1 });
                open.push(Place { node: next, depth: depth + 1 });
                (column as usize) < columns
            }) && here.is_none()
        };
        together && (0..self.roots.len()).all(tree)
    }

    /// The mean prediction of the trees for each row of a table, trees added in order.
    ///
    /// One tree after the other, so that its nodes stay in the cache. Consecutive rows often differ in a few columns
    /// (explanations add one player after the other, and tables may be sorted), so a tree is evaluated again only if a
    /// column on its path has changed.
    pub fn predictions(&self, table: Table<'_>) -> Vec<f64> {
        let columns = table.columns();
        let row = |at: usize| &table.values[at * columns..(at + 1) * columns];
        let changed: Vec<u128> =
            (0..table.rows).map(|at| if at == 0 { u128::MAX } else { changed(row(at - 1), row(at)) }).collect();
        let mut predictions = vec![0.0; table.rows * self.width];
        for &root in &self.roots {
            stop::work(1 + table.rows);
            let mut path = TreePath { columns: u128::MAX, prediction: 0 };
            for (at, (sums, &changed)) in predictions.chunks_exact_mut(self.width).zip(&changed).enumerate() {
                if path.columns & changed != 0 {
                    path = self.path(root as usize, row(at));
                }
                for (sum, value) in
                    sums.iter_mut().zip(&self.predictions[path.prediction..path.prediction + self.width])
                {
                    *sum += value;
                }
            }
        }
        for sum in &mut predictions {
            *sum /= self.roots.len() as f64;
        }
        predictions
    }

    fn path(&self, mut node: usize, row: &[f64]) -> TreePath {
        let mut columns = 0;
        while self.columns[node] != LEAF {
            let column = self.columns[node] as usize;
            columns |= bit(column);
            // Read in any case: a conditional move is faster than a mispredicted branch.
            let right = self.nexts[node] as usize;
            node = if row[column] <= self.thresholds[node] { node + 1 } else { right };
        }
        TreePath { columns, prediction: self.nexts[node] as usize * self.width }
    }
}

/// The path of a row through a tree: its columns, and where the prediction starts.
#[derive(Clone, Copy)]
struct TreePath {
    columns: u128,
    prediction: usize,
}

/// Columns have a bit in common if there are more than 128: then a tree may be evaluated again without need.
const fn bit(column: usize) -> u128 {
    1 << (column % 128)
}

fn changed(before: &[f64], row: &[f64]) -> u128 {
    let pairs = before.iter().zip(row).enumerate();
    pairs.fold(0, |bits, (column, (a, b))| if a.to_bits() == b.to_bits() { bits } else { bits | bit(column) })
}
