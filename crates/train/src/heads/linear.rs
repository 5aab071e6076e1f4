//! The fit of a linear head: minimises the training loss plus a ridge penalty on the weights, to convergence.

use crate::optimize::lbfgs::minimize;
use einsicht_graph::stop;
use einsicht_model::heads::{Linear, Pair, Table};
use einsicht_model::task::Targets;

/// Limit on the steps of the fit; as a rule it converges much earlier.
const STEPS: usize = 500;

/// Minimises the loss plus `ridge / 2` times the sum of squared weights, times the number of labels.
pub(super) fn fit_linear(
    table: Table<'_>,
    pairs: Vec<Pair>,
    targets: &Targets,
    graph_weights: &[f64],
    ridge: f64,
) -> Linear {
    let joined = Pair::join(&pairs, table);
    let table = Table { values: &joined, rows: table.rows };
    let (columns, outputs) = (table.columns(), targets.outputs());
    let ridge = ridge * targets.total_weight(graph_weights);
    let mut point = vec![0.0; (columns + 1) * outputs];
    let mut reached = vec![0.0; table.rows * outputs];
    let mut gradients = reached.clone();
    let transposed = TransposedRows::new(table);
    minimize(&mut point, STEPS, |point, gradient| {
        let (weights, offsets) = point.split_at(columns * outputs);
        transposed.forward(weights, offsets, &mut reached);
        let loss = targets.loss_and_gradient(&reached, graph_weights, &mut gradients);
        let (of_weights, of_offsets) = gradient.split_at_mut(columns * outputs);
        for (derivative, weight) in of_weights.iter_mut().zip(weights) {
            *derivative = ridge * weight;
        }
        of_offsets.fill(0.0);
        for (row, gradients) in gradients.chunks_exact(outputs).enumerate() {
            stop::work(1 + columns * outputs / 16);
            let values = &table.values[row * columns..(row + 1) * columns];
            for (output, &derivative) in gradients.iter().enumerate() {
                of_offsets[output] += derivative;
                for (sum, value) in of_weights[output * columns..].iter_mut().zip(values) {
                    *sum += derivative * value;
                }
            }
        }
        loss + 0.5 * ridge * weights.iter().fold(0.0, |sum, w| sum + w * w)
    });
    let offsets = point.split_off(columns * outputs);
    Linear { weights: point, pairs, offsets }
}

/// Rows in groups, transposed: for each group its first column, then its second, and so on. An output is a sequential
/// sum, so the parallelism of the processor must come from several rows.
struct TransposedRows {
    columns: usize,
    values: Vec<[f64; GROUP]>,
}

/// Rows per group: enough to hide the latency of an addition.
const GROUP: usize = 16;

impl TransposedRows {
    fn new(table: Table<'_>) -> Self {
        let columns = table.columns();
        let mut values = vec![[0.0; GROUP]; table.rows.div_ceil(GROUP) * columns];
        for row in 0..table.rows {
            let group = &mut values[row / GROUP * columns..][..columns];
            for (side, &value) in group.iter_mut().zip(&table.values[row * columns..]) {
                side[row % GROUP] = value;
            }
        }
        Self { columns, values }
    }

    /// As [`Linear::outputs`], bit for bit.
    fn forward(&self, weights: &[f64], offsets: &[f64], outputs: &mut [f64]) {
        let width = offsets.len();
        for (at, outputs) in outputs.chunks_mut(GROUP * width).enumerate() {
            stop::work(1 + self.columns * width);
            let group = &self.values[at * self.columns..(at + 1) * self.columns];
            for (output, &offset) in offsets.iter().enumerate() {
                let mut sums = [offset; GROUP];
                // HOT: half of the time of a training with many columns and several classes.
                for (side, &weight) in group.iter().zip(&weights[output * self.columns..]) {
                    for row in 0..GROUP {
                        sums[row] += side[row] * weight;
                    }
                }
                for (outputs, sum) in outputs.chunks_exact_mut(width).zip(sums) {
                    outputs[output] = sum;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::random::Random;

    #[test]
    fn transposed_rows_give_the_same_outputs_to_the_last_bit() {
        let mut random = Random::new(4);
        for (rows, columns, outputs) in [(1, 3, 1), (16, 5, 2), (37, 20, 6), (33, 0, 2)] {
            let mut numbers = |len: usize| (0..len).map(|_| random.normal() * 3.0).collect::<Vec<f64>>();
            let (values, weights, offsets) = (numbers(rows * columns), numbers(columns * outputs), numbers(outputs));
            let table = Table { values: &values, rows };
            let (mut plain, mut transposed) = (vec![0.0; rows * outputs], vec![f64::NAN; rows * outputs]);
            let linear = Linear { weights: weights.clone(), pairs: Vec::new(), offsets: offsets.clone() };
            plain.copy_from_slice(&linear.outputs(table));
            TransposedRows::new(table).forward(&weights, &offsets, &mut transposed);
            assert_eq!(plain, transposed);
        }
    }
}
