//! A linear model on the chosen patterns, fitted to the end: the loss of training plus a ridge on the weights.

use super::Table;
use crate::minimize::minimize;
use crate::task::Targets;
use serde::{Deserialize, Serialize};

/// Steps of the fit at most; as a rule it is done much earlier.
const STEPS: usize = 500;

/// Weights and offsets, output after output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// For each output one weight a pattern.
    pub weights: Vec<f64>,
    /// One an output.
    pub offsets: Vec<f64>,
}

impl Linear {
    /// Minimises the loss plus `ridge / 2` times the sum of squared weights, times the number of labels.
    pub(super) fn fit(table: Table<'_>, targets: &Targets, graph_weights: &[f64], ridge: f64) -> Self {
        let (columns, outputs) = (table.columns(), targets.outputs());
        let ridge = ridge * targets.total_weight(graph_weights);
        let mut point = vec![0.0; (columns + 1) * outputs];
        let mut reached = vec![0.0; table.rows * outputs];
        let mut slopes = reached.clone();
        minimize(&mut point, STEPS, |point, gradient| {
            let (weights, offsets) = point.split_at(columns * outputs);
            forward(table, weights, offsets, &mut reached);
            let loss = targets.loss_and_slopes(&reached, graph_weights, &mut slopes);
            let (of_weights, of_offsets) = gradient.split_at_mut(columns * outputs);
            for (slope, weight) in of_weights.iter_mut().zip(weights) {
                *slope = ridge * weight;
            }
            of_offsets.fill(0.0);
            for (row, slopes) in slopes.chunks_exact(outputs).enumerate() {
                let values = &table.values[row * columns..(row + 1) * columns];
                for (output, &slope) in slopes.iter().enumerate() {
                    of_offsets[output] += slope;
                    for (sum, value) in of_weights[output * columns..].iter_mut().zip(values) {
                        *sum += slope * value;
                    }
                }
            }
            loss + 0.5 * ridge * weights.iter().fold(0.0, |sum, w| sum + w * w)
        });
        let offsets = point.split_off(columns * outputs);
        Self { weights: point, offsets }
    }

    /// Outputs for a table of values, row after row.
    pub(super) fn outputs(&self, table: Table<'_>) -> Vec<f64> {
        let mut outputs = vec![0.0; table.rows * self.offsets.len()];
        forward(table, &self.weights, &self.offsets, &mut outputs);
        outputs
    }
}

fn forward(table: Table<'_>, weights: &[f64], offsets: &[f64], outputs: &mut [f64]) {
    let columns = table.columns();
    for (row, outputs) in outputs.chunks_exact_mut(offsets.len()).enumerate() {
        let values = &table.values[row * columns..(row + 1) * columns];
        for (at, output) in outputs.iter_mut().enumerate() {
            let products = values.iter().zip(&weights[at * columns..]).map(|(value, weight)| value * weight);
            *output = products.fold(offsets[at], |sum, product| sum + product);
        }
    }
}
