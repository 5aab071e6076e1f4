//! The parts of a head as explanations read them: weights of the linear model, nodes of the trees, and what each part
//! counts.
//!
//! Promise: views only; predictions are computed elsewhere ([`Head::outputs`]).

use super::flat::{FlatForest, LEAF};
use super::forests::SMOOTHING;
use super::{Head, Linear, Pair, Table};

/// The linear part of a head.
#[derive(Clone, Copy, Debug)]
pub struct LinearPart<'a> {
    linear: &'a Linear,
}

impl<'a> LinearPart<'a> {
    /// The weight of each column for an output.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn weights(&self, output: usize) -> &'a [f64] {
        let of_output = self.of_output(output);
        &of_output[..of_output.len() - self.linear.pairs.len()]
    }

    /// Pairs of columns that interact, each with its weight for an output.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn pairs(&self, output: usize) -> impl Iterator<Item = (&'a Pair, f64)> + use<'a> {
        let of_output = self.of_output(output);
        let weights = &of_output[of_output.len() - self.linear.pairs.len()..];
        self.linear.pairs.iter().zip(weights.iter().copied())
    }

    /// The columns of a table, and the values of the pairs behind them: what the weights are multiplied by, row after
    /// row.
    pub fn terms(&self, table: Table<'_>) -> Vec<f64> {
        Pair::join(&self.linear.pairs, table).into_owned()
    }

    /// The weights of columns, then of pairs.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn of_output(&self, output: usize) -> &'a [f64] {
        let all = self.linear.weights.len() / self.linear.offsets.len();
        &self.linear.weights[output * all..(output + 1) * all]
    }

    /// The offset of an output.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn offset(&self, output: usize) -> f64 {
        self.linear.offsets[output]
    }
}

/// The trees of one task.
#[derive(Clone, Copy, Debug)]
pub struct ForestPart<'a> {
    forest: &'a FlatForest,
}

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TreeNode<'a> {
    /// An answer: class frequencies, or a number.
    Leaf(&'a [f64]),
    /// Rows whose value in `column` is at most `threshold` go to the node `left`, others to `right`.
    Split {
        /// The column.
        column: usize,
        /// The threshold.
        threshold: f64,
        /// Number of the node on the left.
        left: usize,
        /// Number of the node on the right.
        right: usize,
    },
}

impl<'a> ForestPart<'a> {
    /// The first node of each tree.
    pub fn roots(&self) -> &'a [u32] {
        &self.forest.roots
    }

    /// Number of nodes of all trees.
    pub fn num_nodes(&self) -> usize {
        self.forest.columns.len()
    }

    /// Numbers per answer: one per class, or one.
    pub fn width(&self) -> usize {
        self.forest.width
    }

    /// How much the probability of a class grows with its frequency in the answers: a little less than 1, since a
    /// fraction of a vote is added for each class ([`SMOOTHING`]).
    pub fn probability_per_frequency(&self) -> f64 {
        let votes = self.forest.trees() as f64;
        votes / (votes + SMOOTHING * self.forest.width as f64)
    }

    /// A node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn node(&self, node: usize) -> TreeNode<'a> {
        let next = self.forest.nexts[node] as usize;
        match self.forest.columns[node] {
            LEAF => TreeNode::Leaf(&self.forest.predictions[next * self.forest.width..][..self.forest.width]),
            column => TreeNode::Split {
                column: column as usize,
                threshold: self.forest.thresholds[node],
                left: node + 1,
                right: next,
            },
        }
    }
}

impl Head {
    /// The linear part, unless it counts nothing.
    pub fn linear_part(&self) -> Option<LinearPart<'_>> {
        self.linear.as_ref().filter(|_| self.forest_weight < 1.0).map(|linear| LinearPart { linear })
    }

    /// The trees of a task, unless they count nothing.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn forest_part(&self, task: usize) -> Option<ForestPart<'_>> {
        let forests = self.forests.as_ref().filter(|_| self.forest_weight > 0.0)?;
        Some(ForestPart { forest: &forests.tasks[task].forest })
    }
}
