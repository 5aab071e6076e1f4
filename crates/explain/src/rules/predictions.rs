//! The predictions of a model for all graphs of a data set: what surrogate trees and forests learn.

use super::Surrogate;
use crate::values::FeatureTable;
use crate::values::function::ValueFunction;
use einsicht_data::random::Random;
use einsicht_forest::{Columns, Forest, ForestParams, Response, Tree, TreeParams};
use einsicht_model::metrics::{class_probabilities, most_likely};
use einsicht_model::task::{Task, TaskKind};

/// A leaf of a surrogate tree holds at least one in so many graphs, unless smaller leaves make the tree exact: a
/// question about one graph of thousands is no rule.
const FEWEST_OF_LEAF: usize = 100;

/// Predictions of a model, with the features that explain them.
#[derive(Clone, Debug)]
pub struct Predictions<'a> {
    features: FeatureTable,
    columns: Columns,
    outputs: Vec<f64>,
    tasks: &'a [Task],
}

impl<'a> Predictions<'a> {
    /// From the features of some graphs and the model's outputs for them.
    ///
    /// # Panics
    /// If the columns of the table are not the features of the function.
    pub fn new(function: &ValueFunction<'a>, table: &FeatureTable, outputs: Vec<f64>) -> Self {
        let features = table.first_columns(function.patterns());
        Self {
            columns: Columns::new(features.values(), features.rows(), features.width()),
            features,
            outputs,
            tasks: &function.model().tasks,
        }
    }

    /// The values of the patterns, without a side input.
    pub fn features(&self) -> &FeatureTable {
        &self.features
    }

    /// The model's outputs for one task, row by row.
    fn cell(&self, task: usize, row: usize) -> &[f64] {
        let width: usize = self.tasks.iter().map(Task::outputs).sum();
        let first: usize = self.tasks[..task].iter().map(Task::outputs).sum();
        &self.outputs[row * width + first..][..self.tasks[task].outputs()]
    }

    /// The class that the model predicts for each row.
    fn classes(&self, task: usize) -> Vec<u32> {
        let predict = |row| most_likely(&class_probabilities(self.cell(task, row))) as u32;
        (0..self.features.rows()).map(predict).collect()
    }

    /// The number that the model predicts for each row: a logit, or the target in its units.
    fn numbers(&self, task: usize) -> Vec<f64> {
        let (mean, scale) = match self.tasks[task].kind {
            TaskKind::Number { mean, scale } => (mean, scale),
            TaskKind::Classes(_) => (0.0, 1.0),
        };
        (0..self.features.rows()).map(|row| self.cell(task, row)[0] * scale + mean).collect()
    }

    /// A tree fitted to one task by greedy splits, with at most `max_depth` questions on a path. If it is not exact,
    /// its leaves have at least a hundredth of the graphs.
    ///
    /// # Panics
    /// If there is no such task or no row.
    pub fn tree(&self, task: usize, max_depth: usize) -> Surrogate {
        let (fine, least) = (self.grown(task, max_depth, 1), self.features.rows() / FEWEST_OF_LEAF);
        if fine.fidelity >= 1.0 || least <= 1 { fine } else { self.grown(task, max_depth, least) }
    }

    /// The same with leaves of at least so many graphs.
    fn grown(&self, task: usize, max_depth: usize, min_leaf: usize) -> Surrogate {
        let params = TreeParams { max_depth: Some(max_depth), min_leaf, ..TreeParams::default() };
        let weights = vec![1.0; self.features.rows()];
        let grow = |response| Tree::grow(&self.columns, response, &weights, &params, &mut Random::new(0));
        if let TaskKind::Classes(names) = &self.tasks[task].kind {
            let labels = self.classes(task);
            let mut tree = grow(Response::Classes { labels: &labels, classes: names.len() });
            join_equal_leaves(&mut tree);
            let same = |row: &usize| most_likely(tree.predict(self.features.row(*row))) as u32 == labels[*row];
            let fidelity = (0..self.features.rows()).filter(same).count() as f64 / self.features.rows() as f64;
            return Surrogate { tree, fidelity };
        }
        let numbers = self.numbers(task);
        let tree = grow(Response::Numbers(&numbers));
        let mean = numbers.iter().fold(0.0, |sum, y| sum + y / self.features.rows() as f64);
        let total = numbers.iter().fold(0.0, |sum, y| sum + (y - mean) * (y - mean));
        let residual = (0..self.features.rows()).fold(0.0, |sum, row| {
            let error = numbers[row] - tree.predict(self.features.row(row))[0];
            sum + error * error
        });
        Surrogate { tree, fidelity: if total > 0.0 { 1.0 - residual / total } else { 1.0 } }
    }

    /// A random forest fitted to one task: to the model's outputs for two classes or a number, as in the paper, and to
    /// its predicted class among several.
    ///
    /// # Panics
    /// If there is no such task or no row.
    pub fn forest(&self, task: usize, params: &ForestParams) -> Forest {
        let weights = vec![1.0; self.features.rows()];
        match &self.tasks[task].kind {
            TaskKind::Classes(names) if names.len() > 2 => {
                let labels = self.classes(task);
                Forest::grow(
                    &self.columns,
                    Response::Classes { labels: &labels, classes: names.len() },
                    &weights,
                    params,
                )
            }
            _ => Forest::grow(&self.columns, Response::Numbers(&self.numbers(task)), &weights, params),
        }
    }
}

/// Removes questions whose two answers lead to the same class.
fn join_equal_leaves(tree: &mut Tree) {
    // Children come after their parents.
    for at in (0..tree.nodes.len()).rev() {
        if let Some(split) = tree.nodes[at].split {
            let (left, right) = (split.left as usize, split.right as usize);
            let are_leaves = tree.nodes[left].split.is_none() && tree.nodes[right].split.is_none();
            if are_leaves && most_likely(tree.value(left)) == most_likely(tree.value(right)) {
                tree.nodes[at].split = None;
            }
        }
    }
}
