//! Permutation importance: how much a metric loses when the values of one pattern are permuted among the graphs.
//!
//! Promise: a pattern whose values change nothing has importance 0; a positive importance means that the pattern helps.
//! Seeded per pattern, so the result does not depend on the number of threads. Only graphs whose value changes are
//! evaluated.

use super::FeatureTable;
use super::function::ValueFunction;
use einsicht_data::random::Random;
use einsicht_model::metrics::{Metric, metrics};
use einsicht_model::task::Targets;
use rayon::prelude::*;

/// Patterns whose permutations are evaluated together.
const BATCH: usize = 16;

/// What the importance is computed from, and how.
pub struct PermutationImportance<'a, 'm> {
    /// The model.
    pub function: &'a ValueFunction<'m>,
    /// Features of the graphs.
    pub table: &'a FeatureTable,
    /// The model's outputs for them.
    pub outputs: &'a [f64],
    /// Their true targets, parallel to the table.
    pub targets: &'a Targets,
    /// The metric whose loss is measured.
    pub metric: Metric,
    /// Permutations per pattern.
    pub repeats: usize,
    /// Seed of the permutations.
    pub seed: u64,
}

/// One column in a new order.
struct Permutation {
    column: usize,
    /// For each row the row whose value it gets.
    order: Vec<usize>,
}

impl PermutationImportance<'_, '_> {
    /// For each pattern the mean loss of the metric over the permutations; nothing where the metric is undefined.
    ///
    /// # Panics
    /// If the table has not as many rows as there are targets.
    pub fn compute(&self) -> Option<Vec<f64>> {
        let reference = self.score(self.outputs)?;
        let columns: Vec<usize> = (0..self.function.patterns()).collect();
        let mut losses = Vec::with_capacity(columns.len());
        for columns in columns.chunks(BATCH) {
            let outputs = self.permuted(&self.permutations(columns));
            for outputs in outputs.chunks_exact(self.repeats) {
                let mut loss = 0.0;
                for outputs in outputs {
                    loss += (reference - self.score(outputs)?) / self.repeats as f64;
                }
                losses.push(loss);
            }
        }
        Some(losses)
    }

    /// The metric, larger is better.
    fn score(&self, outputs: &[f64]) -> Option<f64> {
        let value = *metrics(&self.function.model().tasks, self.targets, outputs).get(self.metric.name())?;
        Some(if self.metric.larger_is_better() { value } else { -value })
    }

    /// The permutations of some columns, column after column.
    fn permutations(&self, columns: &[usize]) -> Vec<Permutation> {
        let mut permutations = Vec::with_capacity(columns.len() * self.repeats);
        for &column in columns {
            let mut random = Random::stream(self.seed, column as u64);
            for _ in 0..self.repeats {
                let mut order: Vec<usize> = (0..self.table.rows()).collect();
                random.shuffle(&mut order);
                permutations.push(Permutation { column, order });
            }
        }
        permutations
    }

    /// The outputs of all rows under each permutation.
    fn permuted(&self, permutations: &[Permutation]) -> Vec<Vec<f64>> {
        let rows = self.table.rows();
        let width = self.outputs.len() / rows.max(1);
        let mut outputs = vec![self.outputs.to_vec(); permutations.len()];
        let of_rows: Vec<(Vec<usize>, Vec<f64>)> =
            (0..rows).into_par_iter().map(|row| self.changed_outputs(permutations, row)).collect();
        for (row, (changed, found)) in of_rows.iter().enumerate() {
            for (at, found) in changed.iter().zip(found.chunks_exact(width.max(1))) {
                outputs[*at][row * width..(row + 1) * width].copy_from_slice(found);
            }
        }
        outputs
    }

    /// The permutations that change the value of a row, and its outputs under each of them.
    fn changed_outputs(&self, permutations: &[Permutation], row: usize) -> (Vec<usize>, Vec<f64>) {
        let features = self.table.row(row);
        let value = |at: usize| self.table.row(permutations[at].order[row])[permutations[at].column];
        let changed: Vec<usize> =
            (0..permutations.len()).filter(|&at| value(at) != features[permutations[at].column]).collect();
        let mut rows = Vec::with_capacity(changed.len() * features.len());
        for &at in &changed {
            let from = rows.len();
            rows.extend_from_slice(features);
            rows[from + permutations[at].column] = value(at);
        }
        let found = self.function.outputs(&rows, changed.len());
        (changed, found)
    }
}
