//! One metric of some outputs, evaluated again and again for other weights of the rows.
//!
//! Promise: the value is that of `task::metrics` for rows that are repeated as often as their weights say, up to
//! rounding. What does not depend on the weights is computed once: orders, right or wrong, errors. Metrics that are
//! seldom asked for take the plain way.

use super::choice::HeldOut;
use crate::task::decision::Decision;
use crate::task::metrics::{Metric, class_probabilities, metrics_within};
use crate::task::{Labels, TaskKind};

/// A metric of one set of outputs.
pub(super) enum Resampled<'a> {
    /// For each task, for each class whose curve counts: the rows by fold and decreasing score.
    Areas(Vec<Vec<Curve>>),
    /// For each task a number for each labelled row; the metric is the mean of the weighted means, or their roots.
    Means { tasks: Vec<Vec<(u32, f64)>>, root: bool },
    /// By definition.
    Plain { held_out: &'a HeldOut<'a>, outputs: &'a [f64], decision: &'a Decision, metric: Metric },
}

/// The rows of one curve: fold, score, row, whether it is a member. By fold, then by decreasing score.
pub(super) struct Curve(Vec<(u32, f64, u32, bool)>);

impl<'a> Resampled<'a> {
    pub(super) fn new(held_out: &'a HeldOut<'a>, outputs: &'a [f64], decision: &'a Decision, metric: Metric) -> Self {
        let plain = Self::Plain { held_out, outputs, decision, metric };
        let width = held_out.targets.outputs();
        let (mut areas, mut means) = (Vec::new(), Vec::new());
        let mut first = 0;
        for (at, (task, (labels, outputs_of_task))) in held_out.tasks.iter().zip(&held_out.targets.tasks).enumerate() {
            let cell = |row: usize| &outputs[row * width + first..][..*outputs_of_task];
            match (labels, &task.kind, metric) {
                (Labels::Classes(labels), TaskKind::Classes(names), Metric::Auc) => {
                    areas.push(curves(labels, names.len(), &held_out.folds, cell));
                }
                (Labels::Classes(labels), _, Metric::Accuracy) => {
                    let right = |row: usize, class: u32| {
                        let predicted = decision.class(at, &class_probabilities(cell(row)));
                        (row as u32, f64::from(u8::from(predicted == class as usize)))
                    };
                    let labelled = labels.iter().enumerate().filter_map(|(row, label)| label.map(|c| right(row, c)));
                    means.push(labelled.collect());
                }
                (Labels::Numbers(labels), TaskKind::Number { scale, .. }, Metric::Rmse | Metric::Mae) => {
                    let error = |row: usize, y: f64| {
                        let error = ((cell(row)[0] - y) * scale).abs();
                        (row as u32, if metric == Metric::Rmse { error * error } else { error })
                    };
                    let labelled = labels.iter().enumerate().filter_map(|(row, label)| label.map(|y| error(row, y)));
                    means.push(labelled.collect());
                }
                (Labels::Numbers(_), _, Metric::Auc | Metric::Accuracy)
                | (Labels::Classes(_), _, Metric::Rmse | Metric::Mae) => {}
                _ => return plain,
            }
            first += outputs_of_task;
        }
        match metric {
            Metric::Auc => Self::Areas(areas),
            _ => Self::Means { tasks: means, root: metric == Metric::Rmse },
        }
    }

    /// The metric of the rows with these weights; nothing where it is not defined.
    pub(super) fn value(&self, weights: &[f64]) -> Option<f64> {
        match self {
            Self::Areas(tasks) => {
                let area = |curves: &Vec<Curve>| mean(curves.iter().map(|curve| curve.area(weights)));
                mean(tasks.iter().map(area))
            }
            Self::Means { tasks, root } => mean(tasks.iter().map(|rows| {
                let (mut sum, mut all) = (0.0, 0.0);
                for &(row, value) in rows {
                    sum += weights[row as usize] * value;
                    all += weights[row as usize];
                }
                (all > 0.0).then(|| if *root { (sum / all).sqrt() } else { sum / all })
            })),
            Self::Plain { held_out, outputs, decision, metric } => {
                let rows: Vec<usize> =
                    (0..weights.len()).flat_map(|row| std::iter::repeat_n(row, weights[row] as usize)).collect();
                let width = held_out.targets.outputs();
                let outputs: Vec<f64> =
                    rows.iter().flat_map(|&row| &outputs[row * width..(row + 1) * width]).copied().collect();
                let folds: Vec<u32> = rows.iter().map(|&row| held_out.folds[row]).collect();
                let targets = held_out.targets.subset(&rows);
                metrics_within(held_out.tasks, &targets, &outputs, decision, &folds).get(metric.name()).copied()
            }
        }
    }
}

/// The mean of those that are there.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, count) = values.flatten().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

fn curves<'o>(labels: &[Option<u32>], classes: usize, folds: &[u32], cell: impl Fn(usize) -> &'o [f64]) -> Vec<Curve> {
    // With two classes the curve is about the second.
    let judged = if classes == 2 { 1..2 } else { 0..classes };
    let curve = |class: usize| {
        let scored = |(row, label): (usize, &Option<u32>)| {
            let label = (*label)?;
            Some((folds[row], class_probabilities(cell(row))[class], row as u32, label as usize == class))
        };
        let mut rows: Vec<(u32, f64, u32, bool)> = labels.iter().enumerate().filter_map(scored).collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.total_cmp(&a.1)));
        Curve(rows)
    };
    judged.map(curve).collect()
}

impl Curve {
    /// The area within folds; see `metrics_within`.
    fn area(&self, weights: &[f64]) -> Option<f64> {
        let (mut area, mut pairs) = (0.0, 0.0);
        for of_fold in self.0.chunk_by(|a, b| a.0 == b.0) {
            let (mut seen, mut others) = (0.0, 0.0);
            for tied in of_fold.chunk_by(|a, b| a.1 == b.1) {
                let (mut inside, mut outside) = (0.0, 0.0);
                for &(_, _, row, is_member) in tied {
                    *if is_member { &mut inside } else { &mut outside } += weights[row as usize];
                }
                area += outside * (seen + inside / 2.0);
                seen += inside;
                others += outside;
            }
            pairs += seen * others;
        }
        (pairs > 0.0).then(|| area / pairs)
    }
}
