//! Losses and their gradients: cross entropy for classes, squared error for numbers, summed over labelled cells.
//!
//! A cell is one task of one graph. Missing labels add nothing; every graph counts with its weight. Two
//! classes share one output, the logit of the second. Promise: the loss has the same bits with and without
//! gradients, and rows are added in increasing order.
//!
//! Exponentials dominate the cost of a loss, and its gradient needs the same ones: so they are handed on as *tails*,
//! which are `exp(-|z|)` for a logit and `exp(z - most)` for each output of a task with more classes.

use crate::forward::activation::{sigmoid, sigmoid_of_tail};
use crate::task::{Labels, Targets};

impl Targets {
    /// The weighted loss of these outputs.
    pub fn loss(&self, outputs: &[f64], weights: &[f64]) -> f64 {
        self.add_up(outputs, weights, |_, _| {})
    }

    /// The loss of each row, over all its labelled cells.
    pub(crate) fn row_losses(&self, outputs: &[f64]) -> Vec<f64> {
        let mut losses = vec![0.0; self.rows()];
        self.each_cell(|row, at, width, label| losses[row] += loss_of(&outputs[at..at + width], label, |_, _| {}));
        losses
    }

    /// The weighted loss of these outputs; its gradient with respect to them goes to `gradients`.
    pub fn loss_and_gradient(&self, outputs: &[f64], weights: &[f64], gradients: &mut [f64]) -> f64 {
        let loss = self.loss_and_tails(outputs, weights, gradients);
        self.tails_to_gradient(outputs, weights, gradients);
        loss
    }

    /// The weighted loss of these outputs; `tails` is filled for [`Self::tails_to_gradient`].
    pub fn loss_and_tails(&self, outputs: &[f64], weights: &[f64], tails: &mut [f64]) -> f64 {
        tails.fill(0.0);
        self.add_up(outputs, weights, |at, tail| tails[at] = tail)
    }

    /// The same, where `first` gives the first row with the same outputs: exponentials are computed once for all of
    /// them.
    pub fn loss_and_tails_dedup(
        &self,
        outputs: &[f64],
        weights: &[f64],
        first: &[u32],
        log_sums: &mut LogSums,
        tails: &mut [f64],
    ) -> f64 {
        let LogSums { values, tails: kept } = log_sums;
        values.clear();
        values.resize(outputs.len(), f64::NAN);
        kept.resize(outputs.len(), 0.0);
        tails.fill(0.0);
        let width_of_row = outputs.len() / first.len().max(1);
        let mut total = 0.0;
        self.each_cell(|row, at, width, label| {
            let outputs = &outputs[at..at + width];
            let loss = match label {
                Label::Number(_) => loss_of(outputs, label, |_, _| {}),
                Label::Class(class) => {
                    // The first row may have no label here, so the first labelled row computes.
                    let from = at - (row - first[row] as usize) * width_of_row;
                    if values[from].is_nan() {
                        values[from] = soft_of(outputs, |output, tail| kept[from + output] = tail);
                    }
                    if width == 1 {
                        tails[at] = kept[from];
                    } else {
                        tails[at..at + width].copy_from_slice(&kept[from..from + width]);
                    }
                    values[from] - hard_of(outputs, class)
                }
            };
            total += weights[row] * loss;
        });
        total
    }

    /// Turns the tails of these outputs into the gradient of the loss with respect to them.
    pub fn tails_to_gradient(&self, outputs: &[f64], weights: &[f64], tails: &mut [f64]) {
        self.each_cell(|row, at, width, label| {
            let (weight, gradients) = (weights[row], &mut tails[at..at + width]);
            match label {
                Label::Class(class) if width == 1 => {
                    gradients[0] = weight * (sigmoid_of_tail(outputs[at], gradients[0]) - f64::from(class));
                }
                Label::Class(class) => {
                    let sum = gradients.iter().fold(0.0, |sum, tail| sum + tail);
                    for derivative in &mut *gradients {
                        *derivative /= sum;
                    }
                    gradients[class as usize] -= 1.0;
                    for derivative in gradients {
                        *derivative *= weight;
                    }
                }
                Label::Number(y) => gradients[0] = weight * 2.0 * (outputs[at] - y),
            }
        });
    }

    /// For each output an upper bound of the curvature of the loss: twice the diagonal of the Hessian of its task, if
    /// needed.
    pub fn curvatures(&self, outputs: &[f64], weights: &[f64]) -> Vec<f64> {
        let mut curvatures = vec![0.0; outputs.len()];
        self.each_cell(|row, at, width, label| {
            let (weight, cell) = (weights[row], &outputs[at..at + width]);
            let bends = &mut curvatures[at..at + width];
            match label {
                Label::Class(_) if width == 1 => {
                    let p = sigmoid(cell[0]);
                    bends[0] = weight * p * (1.0 - p);
                }
                Label::Class(_) => {
                    probabilities(cell, bends);
                    // The rows of the Hessian sum to zero, so twice its diagonal dominates it.
                    for p in bends {
                        *p = weight * 2.0 * *p * (1.0 - *p);
                    }
                }
                Label::Number(_) => bends[0] = weight * 2.0,
            }
        });
        curvatures
    }

    /// The weighted loss; `keep(position of an output, its tail)` is called for the outputs of classes.
    #[inline]
    fn add_up(&self, outputs: &[f64], weights: &[f64], mut keep: impl FnMut(usize, f64)) -> f64 {
        let mut total = 0.0;
        self.each_cell(|row, at, width, label| {
            let loss = loss_of(&outputs[at..at + width], label, |output, tail| keep(at + output, tail));
            total += weights[row] * loss;
        });
        total
    }

    /// `note(row, position of the first output, number of outputs, label)` is called for each labelled cell, row by
    /// row.
    #[inline]
    fn each_cell(&self, mut note: impl FnMut(usize, usize, usize, Label)) {
        let mut at = 0;
        for row in 0..self.rows() {
            for (labels, width) in &self.tasks {
                let label = match labels {
                    Labels::Classes(values) => values[row].map(Label::Class),
                    Labels::Numbers(values) => values[row].map(Label::Number),
                };
                if let Some(label) = label {
                    note(row, at, *width, label);
                }
                at += width;
            }
        }
    }
}

/// Log-sum-exp of each cell and its tails, computed once for rows with the same outputs.
#[derive(Clone, Debug, Default)]
pub struct LogSums {
    values: Vec<f64>,
    tails: Vec<f64>,
}

#[derive(Clone, Copy)]
enum Label {
    Class(u32),
    Number(f64),
}

/// The loss of one cell; `keep(output, its tail)` is called for classes.
#[inline]
fn loss_of(outputs: &[f64], label: Label, keep: impl FnMut(usize, f64)) -> f64 {
    match label {
        Label::Class(class) => soft_of(outputs, keep) - hard_of(outputs, class),
        Label::Number(y) => (outputs[0] - y) * (outputs[0] - y),
    }
}

/// Log-sum-exp over all classes, without overflow.
#[inline]
fn soft_of(outputs: &[f64], mut keep: impl FnMut(usize, f64)) -> f64 {
    if let [z] = *outputs {
        let tail = libm::exp(-z.abs());
        keep(0, tail);
        return if z > 0.0 { z } else { 0.0 } + libm::log1p(tail);
    }
    let most = outputs.iter().fold(f64::NEG_INFINITY, |most, &z| if z > most { z } else { most });
    let mut sum = 0.0;
    for (output, z) in outputs.iter().enumerate() {
        let tail = libm::exp(z - most);
        keep(output, tail);
        sum += tail;
    }
    libm::log(sum) + most
}

/// The logarithm of the exponential of one class.
#[inline]
fn hard_of(outputs: &[f64], class: u32) -> f64 {
    if let [z] = *outputs { f64::from(class) * z } else { outputs[class as usize] }
}

/// Softmax of the outputs of one task with more than two classes.
pub fn probabilities(outputs: &[f64], to: &mut [f64]) {
    let most = outputs.iter().fold(f64::NEG_INFINITY, |most, &z| if z > most { z } else { most });
    let mut sum = 0.0;
    for (p, z) in to.iter_mut().zip(outputs) {
        *p = libm::exp(z - most);
        sum += *p;
    }
    for p in to {
        *p /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Task, TaskKind};
    use einsicht_data::{Dataset, Target, TargetValues, Vocabulary};
    use einsicht_graph::Graph;

    fn mixed() -> Targets {
        let names = |n: u32| (0..n).map(|c| c.to_string()).collect::<Vec<_>>();
        let classes = |n: u32, values: [Option<u32>; 3]| TargetValues::Classes {
            classes: Vocabulary::from_tokens(names(n)),
            values: values.to_vec(),
        };
        let target = |name: &str, values| Target { name: name.to_owned(), values };
        let dataset = Dataset {
            graphs: vec![Graph::builder().build(); 3],
            targets: vec![
                target("two", classes(2, [Some(0), Some(1), None])),
                target("three", classes(3, [Some(2), None, Some(1)])),
                target("number", TargetValues::Numbers { values: vec![Some(0.5), Some(-2.0), None] }),
            ],
            ..Dataset::default()
        };
        let task = |name: &str, kind| Task { name: name.to_owned(), kind };
        let tasks = [
            task("two", TaskKind::Classes(names(2))),
            task("three", TaskKind::Classes(names(3))),
            task("number", TaskKind::Number { mean: 0.0, scale: 1.0 }),
        ];
        Targets::gather(&tasks, &dataset, &[0, 1, 2]).unwrap()
    }

    #[test]
    fn gradients_agree_with_finite_differences_and_missing_labels_have_none() {
        let targets = mixed();
        let weights = [1.0, 0.5, 2.0];
        let mut outputs: Vec<f64> = (0..15).map(|at| libm::sin(f64::from(at)) * 2.0).collect();
        let mut gradients = vec![f64::NAN; 15];
        let loss = targets.loss_and_gradient(&outputs, &weights, &mut gradients);
        assert_eq!(loss, targets.loss(&outputs, &weights));
        for at in 0..15 {
            let kept = outputs[at];
            outputs[at] = kept + 1e-6;
            let above = targets.loss(&outputs, &weights);
            outputs[at] = kept - 1e-6;
            let below = targets.loss(&outputs, &weights);
            outputs[at] = kept;
            assert!(((above - below) / 2e-6 - gradients[at]).abs() < 1e-8, "output {at}");
        }
        assert_eq!((gradients[10], gradients[6], gradients[14]), (0.0, 0.0, 0.0));
        // The tails give the very probabilities that the definition gives.
        assert_eq!(gradients[0], weights[0] * sigmoid(outputs[0]));
        let mut p = [0.0; 3];
        probabilities(&outputs[1..4], &mut p);
        assert_eq!(gradients[1..4], [weights[0] * p[0], weights[0] * p[1], weights[0] * (p[2] - 1.0)]);
    }

    /// Rows 0 and 2 are equal; row 2 has no label of the first target, and row 1 none of the second.
    #[test]
    fn equal_rows_have_the_same_loss_and_tails_as_if_each_were_computed() {
        let targets = mixed();
        let weights = [1.0, 0.5, 2.0];
        let row = |shift: f64| (0..5).map(move |at| libm::sin(f64::from(at) + shift) * 2.0);
        let outputs: Vec<f64> = row(0.0).chain(row(0.5)).chain(row(0.0)).collect();
        let (mut plain, mut tails, mut log_sums) = (vec![0.0; 15], vec![f64::NAN; 15], LogSums::default());
        let loss = targets.loss_and_tails(&outputs, &weights, &mut plain);
        for _ in 0..2 {
            assert_eq!(targets.loss_and_tails_dedup(&outputs, &weights, &[0, 1, 0], &mut log_sums, &mut tails), loss);
            assert_eq!(tails, plain);
        }
        // The last row took its three classes from the first one; they were not computed for it.
        assert!(log_sums.values[1].is_finite() && log_sums.values[11].is_nan() && tails[11] != 0.0);
    }

    #[test]
    fn huge_outputs_give_finite_losses() {
        let targets = mixed();
        let outputs: Vec<f64> = (0..15).map(|at| if at % 2 == 0 { 1e5 } else { -1e5 }).collect();
        let mut gradients = vec![0.0; 15];
        assert!(targets.loss_and_gradient(&outputs, &[1.0; 3], &mut gradients).is_finite());
        assert!(gradients.iter().all(|s| s.is_finite()));
    }
}
