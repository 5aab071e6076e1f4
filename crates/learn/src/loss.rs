//! Losses and their slopes: cross entropy for classes, squared error for numbers, summed over labelled cells.
//!
//! A cell is one task of one graph. Missing labels add nothing; every graph counts with its weight. Two
//! classes share one output, the logit of the second. Promise: the loss has the same bits with and without
//! slopes, and rows are added in increasing order.

use crate::activation::sigmoid;
use crate::task::{Labels, Targets};

impl Targets {
    /// The weighted loss of these outputs.
    pub fn loss(&self, outputs: &[f64], weights: &[f64]) -> f64 {
        self.add_up(outputs, weights, |_, _, _| {})
    }

    /// The weighted loss of these outputs; its slopes with respect to each of them go to `slopes`.
    pub fn loss_and_slopes(&self, outputs: &[f64], weights: &[f64], slopes: &mut [f64]) -> f64 {
        slopes.fill(0.0);
        self.add_up(outputs, weights, |at, outputs, label| {
            let weight = weights[at / self.outputs()];
            let slopes = &mut slopes[at..at + outputs.len()];
            match label {
                Label::Class(class) if outputs.len() == 1 => {
                    slopes[0] = weight * (sigmoid(outputs[0]) - f64::from(class));
                }
                Label::Class(class) => {
                    probabilities(outputs, slopes);
                    slopes[class as usize] -= 1.0;
                    for slope in slopes {
                        *slope *= weight;
                    }
                }
                Label::Number(y) => slopes[0] = weight * 2.0 * (outputs[0] - y),
            }
        })
    }

    /// For each output a number that bounds how fast its slope grows, the outputs of a task taken together.
    pub fn curvatures(&self, outputs: &[f64], weights: &[f64]) -> Vec<f64> {
        let mut curvatures = vec![0.0; outputs.len()];
        self.add_up(outputs, weights, |at, cell, label| {
            let weight = weights[at / self.outputs()];
            let bends = &mut curvatures[at..at + cell.len()];
            match label {
                Label::Class(_) if cell.len() == 1 => {
                    let p = sigmoid(cell[0]);
                    bends[0] = weight * p * (1.0 - p);
                }
                Label::Class(_) => {
                    probabilities(cell, bends);
                    // The rows of the true matrix sum to zero, so twice its diagonal is above it.
                    for p in bends {
                        *p = weight * 2.0 * *p * (1.0 - *p);
                    }
                }
                Label::Number(_) => bends[0] = weight * 2.0,
            }
        });
        curvatures
    }

    /// `note(position of the cell's first output, its outputs, its label)` is called for each labelled cell.
    #[inline]
    fn add_up(&self, outputs: &[f64], weights: &[f64], mut note: impl FnMut(usize, &[f64], Label)) -> f64 {
        let width = self.outputs();
        let mut total = 0.0;
        for (row, &weight) in weights.iter().enumerate() {
            let mut at = row * width;
            for (labels, outputs_of_task) in &self.tasks {
                let cell = &outputs[at..at + outputs_of_task];
                let label = match labels {
                    Labels::Classes(values) => values[row].map(Label::Class),
                    Labels::Numbers(values) => values[row].map(Label::Number),
                };
                if let Some(label) = label {
                    total += weight * loss_of(cell, label);
                    note(at, cell, label);
                }
                at += outputs_of_task;
            }
        }
        total
    }
}

#[derive(Clone, Copy)]
enum Label {
    Class(u32),
    Number(f64),
}

#[inline]
fn loss_of(outputs: &[f64], label: Label) -> f64 {
    match label {
        Label::Class(class) if outputs.len() == 1 => {
            let z = outputs[0];
            // log(1 + exp(z)) without overflow, minus z for the second class.
            let soft = if z > 0.0 { z } else { 0.0 } + libm::log1p(libm::exp(-z.abs()));
            soft - f64::from(class) * z
        }
        Label::Class(class) => {
            let most = outputs.iter().fold(f64::NEG_INFINITY, |most, &z| if z > most { z } else { most });
            let sum = outputs.iter().fold(0.0, |sum, z| sum + libm::exp(z - most));
            libm::log(sum) + most - outputs[class as usize]
        }
        Label::Number(y) => (outputs[0] - y) * (outputs[0] - y),
    }
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
    fn slopes_agree_with_finite_differences_and_missing_labels_have_none() {
        let targets = mixed();
        let weights = [1.0, 0.5, 2.0];
        let mut outputs: Vec<f64> = (0..15).map(|at| libm::sin(f64::from(at)) * 2.0).collect();
        let mut slopes = vec![f64::NAN; 15];
        let loss = targets.loss_and_slopes(&outputs, &weights, &mut slopes);
        assert_eq!(loss, targets.loss(&outputs, &weights));
        for at in 0..15 {
            let kept = outputs[at];
            outputs[at] = kept + 1e-6;
            let above = targets.loss(&outputs, &weights);
            outputs[at] = kept - 1e-6;
            let below = targets.loss(&outputs, &weights);
            outputs[at] = kept;
            assert!(((above - below) / 2e-6 - slopes[at]).abs() < 1e-8, "output {at}");
        }
        assert_eq!((slopes[10], slopes[6], slopes[14]), (0.0, 0.0, 0.0));
    }

    #[test]
    fn huge_outputs_give_finite_losses() {
        let targets = mixed();
        let outputs: Vec<f64> = (0..15).map(|at| if at % 2 == 0 { 1e5 } else { -1e5 }).collect();
        let mut slopes = vec![0.0; 15];
        assert!(targets.loss_and_slopes(&outputs, &[1.0; 3], &mut slopes).is_finite());
        assert!(slopes.iter().all(|s| s.is_finite()));
    }
}
