//! The forest head: for each task a random forest of classes, or boosted trees of a number.

use super::flat::FlatForest;
use super::{HeadParams, Table, push_logits};
use crate::task::{Labels, Targets};
use einsicht_forest::{BoostParams, Columns, Forest, ForestParams, Response};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Boosted trees in place of one tree of a random forest: they are far smaller.
const BOOSTED_FOR_ONE: usize = 3;
/// Additive smoothing: so much of a vote for each class keeps every logarithm finite.
pub(super) const SMOOTHING: f64 = 0.5;
/// Rows that one worker evaluates together.
const TOGETHER: usize = 256;

/// One forest per task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forests {
    /// In the order of the tasks.
    pub tasks: Vec<TaskForest>,
}

/// The forest of one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskForest {
    /// Predicts class frequencies, or the mean.
    pub forest: FlatForest,
    /// Whether it predicts classes.
    pub is_classes: bool,
}

/// The threads that grow forests; the trees are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowOn {
    /// All of them.
    AllThreads,
    /// The calling one.
    OneThread,
}

impl Forests {
    /// Grows the forests of a head.
    pub fn fit(table: Table<'_>, targets: &Targets, weights: &[f64], head: &HeadParams, on: GrowOn) -> Self {
        let columns = Columns::new(table.values, table.rows, table.columns());
        let &HeadParams { trees, seed, .. } = head;
        let params = ForestParams { trees, seed, ..ForestParams::default() };
        let tasks = targets.tasks.iter().map(|(labels, outputs)| match labels {
            Labels::Classes(labels) => {
                let known: Vec<u32> = labels.iter().map(|label| label.unwrap_or(0)).collect();
                let response = Response::Classes { labels: &known, classes: (*outputs).max(2) };
                let weights = masked(weights, labels);
                let forest = match on {
                    GrowOn::AllThreads => Forest::grow(&columns, response, &weights, &params),
                    GrowOn::OneThread => Forest::grow_on_one_thread(&columns, response, &weights, &params),
                };
                TaskForest { forest: FlatForest::new(&forest), is_classes: true }
            }
            Labels::Numbers(numbers) => {
                let known: Vec<f64> = numbers.iter().map(|number| number.unwrap_or(0.0)).collect();
                let weights = masked(weights, numbers);
                let boost = BoostParams { trees: BOOSTED_FOR_ONE * trees, seed, ..BoostParams::default() };
                let forest = Forest::boost(&columns, table.values, &known, &weights, &boost);
                TaskForest { forest: FlatForest::new(&forest), is_classes: false }
            }
        });
        Self { tasks: tasks.collect() }
    }

    /// For each task its number of outputs, and whether they are classes.
    pub fn widths(&self) -> Vec<(usize, bool)> {
        let outputs = |task: &TaskForest| if task.is_classes && task.forest.width > 2 { task.forest.width } else { 1 };
        self.tasks.iter().map(|task| (outputs(task), task.is_classes)).collect()
    }

    /// Outputs for a table of features, row after row. In a large table each distinct row is evaluated once, in sorted
    /// order.
    pub(super) fn outputs(&self, table: Table<'_>) -> Vec<f64> {
        if table.rows <= 2 * TOGETHER {
            return self.outputs_in_parts(table);
        }
        let columns = table.columns();
        let row = |at: u32| &table.values[at as usize * columns..(at as usize + 1) * columns];
        let compare = |a: &u32, b: &u32| {
            let pairs = row(*a).iter().zip(row(*b));
            pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let mut order: Vec<u32> = (0..table.rows as u32).collect();
        order.sort_unstable_by(compare);
        let (mut distinct_of, mut distinct) = (vec![0; table.rows], Vec::new());
        let mut rows: usize = 0;
        for (at, &here) in order.iter().enumerate() {
            if at == 0 || compare(&order[at - 1], &here).is_ne() {
                distinct.extend_from_slice(row(here));
                rows += 1;
            }
            distinct_of[here as usize] = rows - 1;
        }
        let outputs = self.outputs_in_parts(Table { values: &distinct, rows });
        let width = outputs.len() / rows;
        distinct_of.iter().flat_map(|at| &outputs[at * width..(at + 1) * width]).copied().collect()
    }

    fn outputs_in_parts(&self, table: Table<'_>) -> Vec<f64> {
        let columns = table.columns();
        let part = |start: usize| {
            let rows = TOGETHER.min(table.rows - start);
            self.outputs_of(Table { values: &table.values[start * columns..(start + rows) * columns], rows })
        };
        (0..table.rows.div_ceil(TOGETHER)).into_par_iter().flat_map_iter(|at| part(at * TOGETHER)).collect()
    }

    fn outputs_of(&self, table: Table<'_>) -> Vec<f64> {
        let predictions: Vec<Vec<f64>> = self.tasks.iter().map(|task| task.forest.predictions(table)).collect();
        let mut outputs = Vec::new();
        let mut smoothed = Vec::new();
        for row in 0..table.rows {
            for (task, predictions) in self.tasks.iter().zip(&predictions) {
                let prediction = &predictions[row * task.forest.width..(row + 1) * task.forest.width];
                if task.is_classes {
                    let votes = task.forest.trees() as f64;
                    let total = votes + SMOOTHING * prediction.len() as f64;
                    smoothed.clear();
                    smoothed.extend(prediction.iter().map(|frequency| (frequency * votes + SMOOTHING) / total));
                    push_logits(&smoothed, &mut outputs);
                } else {
                    outputs.push(prediction[0]);
                }
            }
        }
        outputs
    }
}

/// The weights, with 0 where there is no label. If no labelled graph has a weight, all of them count the same: a
/// forest cannot grow on nothing.
fn masked<T>(weights: &[f64], labels: &[Option<T>]) -> Vec<f64> {
    let labelled = || weights.iter().zip(labels).map(|(&weight, label)| label.as_ref().map(|_| weight));
    let is_known = labelled().flatten().any(|weight| weight > 0.0);
    labelled().map(|weight| weight.map_or(0.0, |weight| if is_known { weight } else { 1.0 })).collect()
}
