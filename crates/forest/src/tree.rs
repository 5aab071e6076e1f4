//! A decision tree as plain data: splits, predictions, importances.

use super::training_set::TrainingSet;
use super::{Columns, MaxFeatures, Response};
use einsicht_data::random::Random;
use serde::{Deserialize, Serialize};

/// The most splits above a leaf, so that what walks a tree may call itself. Trees that people and forests grow are far
/// from it.
pub const MAX_DEPTH: usize = 256;

/// Parameters of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeParams {
    /// Largest depth; 256 if absent or larger.
    pub max_depth: Option<usize>,
    /// Least number of rows of a leaf, at least 1. A row counts once whatever its weight, unless that is 0.
    pub min_leaf: usize,
    /// Number of columns that a node considers.
    pub max_features: MaxFeatures,
}

impl Default for TreeParams {
    fn default() -> Self {
        Self { max_depth: None, min_leaf: 1, max_features: MaxFeatures::All }
    }
}

/// The split of an inner node: rows whose value in `column` is at most `threshold` go left, others right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// The column.
    pub column: u32,
    /// Halfway between two neighbouring values of the node's rows.
    pub threshold: f64,
    /// Index of the node on the left.
    pub left: u32,
    /// Index of the node on the right.
    pub right: u32,
}

/// One node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its split; a leaf has none.
    pub split: Option<Split>,
    /// Number of training rows in the node, without those of weight 0.
    pub rows: u32,
    /// Their weight.
    pub weight: f64,
    /// Gini impurity or variance among them.
    pub impurity: f64,
}

/// A tree. Node 0 is the root; parents come before their children.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// For every node its prediction: class frequencies, or the mean.
    pub values: Vec<f64>,
    /// Numbers per prediction.
    pub width: usize,
}

impl Tree {
    /// Grows a tree. Rows of weight 0 are ignored; `random` is used only if a node considers some of the
    /// columns.
    ///
    /// # Panics
    /// If the lists disagree in length, a weight is negative or not finite, or no row has a weight above 0.
    pub fn grow(
        columns: &Columns,
        response: Response<'_>,
        weights: &[f64],
        params: &TreeParams,
        random: &mut Random,
    ) -> Self {
        TrainingSet::new(columns, response, weights).grow(None, params, random)
    }

    /// The leaf of a row.
    pub fn leaf(&self, row: &[f64]) -> usize {
        let mut at = 0;
        while let Some(split) = &self.nodes[at].split {
            at = if row[split.column as usize] <= split.threshold { split.left } else { split.right } as usize;
        }
        at
    }

    /// The prediction for a row: class frequencies, or the mean.
    pub fn predict(&self, row: &[f64]) -> &[f64] {
        self.value(self.leaf(row))
    }

    /// The prediction of a node.
    pub fn value(&self, node: usize) -> &[f64] {
        &self.values[node * self.width..(node + 1) * self.width]
    }

    /// Length of the longest path to a leaf.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(split) = &node.split {
                depth[split.left as usize] = depth[at] + 1;
                depth[split.right as usize] = depth[at] + 1;
            }
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// Decrease of impurity by each column, weighted by the rows that it splits; the numbers sum to 1 unless no
    /// split decreases it.
    pub fn importance(&self, columns: usize) -> Vec<f64> {
        let mut worth = vec![0.0; columns];
        for node in &self.nodes {
            if let Some(split) = &node.split {
                let of = |at: u32| self.nodes[at as usize].weight * self.nodes[at as usize].impurity;
                worth[split.column as usize] += node.weight * node.impurity - of(split.left) - of(split.right);
            }
        }
        normalise(&mut worth);
        worth
    }
}

/// Makes the numbers sum to 1, unless they sum to nothing.
pub(super) fn normalise(worth: &mut [f64]) {
    let total = worth.iter().fold(0.0, |sum, value| sum + value);
    if total > 0.0 {
        for value in worth {
            *value /= total;
        }
    }
}
