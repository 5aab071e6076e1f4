//! Metrics of outputs: accuracy, balanced accuracy, areas under curves, losses and errors.
//!
//! Each metric is the mean over the tasks for which it is defined (an area under a curve needs both classes);
//! a metric that is defined for none is absent. With more than two classes, areas are means over one class
//! against the rest. Errors of numbers are in the units of the data, whatever the standardisation inside.

use crate::forward::activation::sigmoid;
use crate::task::decision::Decision;
use crate::task::loss::probabilities;
use crate::task::{Labels, Targets, Task, TaskKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Fraction of graphs whose predicted class is right.
    Accuracy,
    /// Mean recall over the classes.
    BalancedAccuracy,
    /// Area under the receiver operating characteristic.
    Auc,
    /// Area under the precision-recall curve (average precision).
    PrAuc,
    /// Mean loss per labelled cell: cross entropy, or squared error of standardised numbers.
    Loss,
    /// Root of the mean squared error.
    Rmse,
    /// Mean absolute error.
    Mae,
    /// Fraction of the variance that is explained.
    R2,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Self; 8] =
        [Self::Accuracy, Self::BalancedAccuracy, Self::Auc, Self::PrAuc, Self::Loss, Self::Rmse, Self::Mae, Self::R2];

    /// Its name in options, files and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::BalancedAccuracy => "balanced_accuracy",
            Self::Auc => "auc",
            Self::PrAuc => "pr_auc",
            Self::Loss => "loss",
            Self::Rmse => "rmse",
            Self::Mae => "mae",
            Self::R2 => "r2",
        }
    }

    /// The metric with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Its least and its largest possible value.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::Accuracy | Self::BalancedAccuracy | Self::Auc | Self::PrAuc => (0.0, 1.0),
            Self::Loss | Self::Rmse | Self::Mae => (0.0, f64::INFINITY),
            Self::R2 => (f64::NEG_INFINITY, 1.0),
        }
    }

    /// Whether more is better.
    pub const fn larger_is_better(self) -> bool {
        matches!(self, Self::Accuracy | Self::BalancedAccuracy | Self::Auc | Self::PrAuc | Self::R2)
    }
}

/// Metrics by name.
pub type Metrics = BTreeMap<String, f64>;

/// All metrics that are defined for these outputs; the most likely class is predicted.
pub fn metrics(tasks: &[Task], targets: &Targets, outputs: &[f64]) -> Metrics {
    metrics_of_decision(tasks, targets, outputs, &Decision::default())
}

/// The metrics of each task; see [`metrics_within`].
pub fn by_task_within(
    tasks: &[Task],
    targets: &Targets,
    outputs: &[f64],
    decision: &Decision,
    folds: &[u32],
) -> Vec<Metrics> {
    let one = |at: usize| {
        let (of_task, cells) = targets.only(at, outputs);
        metrics_within(&tasks[at..=at], &of_task, &cells, &decision.only(at), folds)
    };
    (0..tasks.len()).map(one).collect()
}

/// All metrics that are defined for these outputs, with these temperatures and thresholds.
pub fn metrics_of_decision(tasks: &[Task], targets: &Targets, outputs: &[f64], decision: &Decision) -> Metrics {
    metrics_within(tasks, targets, outputs, decision, &[])
}

/// The same for outputs of several models, each for the rows of one fold: the area under the receiver operating
/// characteristic compares only graphs of the same fold, since each model has its own scale. No folds: all rows are of
/// one model.
pub fn metrics_within(
    tasks: &[Task],
    targets: &Targets,
    outputs: &[f64],
    decision: &Decision,
    folds: &[u32],
) -> Metrics {
    let mut scaled = outputs.to_vec();
    decision.apply_temperature(tasks, &mut scaled);
    let outputs = &scaled[..];
    let mut sums: BTreeMap<Metric, (f64, usize)> = BTreeMap::new();
    let mut note = |metric, value: Option<f64>| {
        if let Some(value) = value {
            let entry = sums.entry(metric).or_insert((0.0, 0));
            *entry = (entry.0 + value, entry.1 + 1);
        }
    };
    let width = targets.outputs();
    let mut first = 0;
    for (at, (task, (labels, outputs_of_task))) in tasks.iter().zip(&targets.tasks).enumerate() {
        let cell = |row: usize| &outputs[row * width + first..][..*outputs_of_task];
        match (labels, &task.kind) {
            (Labels::Classes(labels), TaskKind::Classes(names)) => {
                let labelled: Vec<usize> = (0..labels.len()).filter(|&row| labels[row].is_some()).collect();
                let rows: Vec<(usize, Vec<f64>)> = (labels.iter().enumerate())
                    .filter_map(|(row, label)| label.map(|c| (c as usize, class_probabilities(cell(row)))))
                    .collect();
                let folds: Vec<u32> = labelled.iter().filter_map(|&row| folds.get(row).copied()).collect();
                classification(&rows, &folds, names.len(), |p| decision.class(at, p), &mut note);
            }
            (Labels::Numbers(labels), TaskKind::Number { mean, scale }) => {
                let rows: Vec<(f64, f64)> = (labels.iter().enumerate())
                    .filter_map(|(row, label)| label.map(|y| (y * scale + mean, cell(row)[0] * scale + mean)))
                    .collect();
                regression(&rows, &mut note);
            }
            _ => {}
        }
        first += outputs_of_task;
    }
    let weights = vec![1.0; targets.rows()];
    let cells = targets.total_weight(&weights);
    if cells > 0.0 {
        note(Metric::Loss, Some(targets.loss(outputs, &weights) / cells));
    }
    let means = sums.into_iter().map(|(metric, (sum, count))| (metric.name().to_owned(), sum / count as f64));
    means.filter(|(_, value)| value.is_finite()).collect()
}

/// Probabilities of all classes from the outputs of one task.
pub fn class_probabilities(outputs: &[f64]) -> Vec<f64> {
    if let [logit] = outputs {
        let second = sigmoid(*logit);
        return vec![1.0 - second, second];
    }
    let mut to = vec![0.0; outputs.len()];
    probabilities(outputs, &mut to);
    to
}

/// The most likely class; the first of equally likely ones.
pub fn most_likely(probabilities: &[f64]) -> usize {
    let mut best = 0;
    for (class, p) in probabilities.iter().enumerate() {
        if *p > probabilities[best] {
            best = class;
        }
    }
    best
}

fn classification(
    rows: &[(usize, Vec<f64>)],
    folds: &[u32],
    classes: usize,
    predicted: impl Fn(&[f64]) -> usize,
    note: &mut impl FnMut(Metric, Option<f64>),
) {
    if rows.is_empty() {
        return;
    }
    let (mut right, mut count) = (vec![0_usize; classes], vec![0_usize; classes]);
    for (class, p) in rows {
        count[*class] += 1;
        right[*class] += usize::from(predicted(p) == *class);
    }
    let recall = |(right, count): (&usize, &usize)| *right as f64 / *count as f64;
    note(Metric::Accuracy, Some(right.iter().sum::<usize>() as f64 / rows.len() as f64));
    let recalls: Vec<f64> = right.iter().zip(&count).filter(|(_, count)| **count > 0).map(recall).collect();
    note(Metric::BalancedAccuracy, mean(&recalls));
    // With two classes both curves are about the second.
    let judged = if classes == 2 { 1..2 } else { 0..classes };
    let (mut roc, mut precision) = (Vec::new(), Vec::new());
    for class in judged {
        let mut scored: Vec<(f64, bool)> = rows.iter().map(|(c, p)| (p[class], *c == class)).collect();
        roc.extend(if folds.is_empty() { auc_of(&mut scored.clone()) } else { auc_within(&scored, folds) });
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        precision.extend(average_precision(&scored));
    }
    note(Metric::Auc, mean(&roc));
    note(Metric::PrAuc, mean(&precision));
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().fold(0.0, |sum, v| sum + v) / values.len() as f64)
}

/// The area under the curve, of scores in any order.
fn auc_of(scored: &mut [(f64, bool)]) -> Option<f64> {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    auc(scored)
}

/// The mean of the areas of all folds that have both classes, weighted by their numbers of pairs.
fn auc_within(scored: &[(f64, bool)], folds: &[u32]) -> Option<f64> {
    let most = folds.iter().max().map_or(0, |most| *most as usize + 1);
    let mut of_fold: Vec<Vec<(f64, bool)>> = vec![Vec::new(); most];
    for (scored, &fold) in scored.iter().zip(folds) {
        of_fold[fold as usize].push(*scored);
    }
    let (mut sum, mut all) = (0.0, 0.0);
    for scored in &mut of_fold {
        let members = scored.iter().filter(|s| s.1).count();
        let pairs = (members * (scored.len() - members)) as f64;
        if let Some(area) = auc_of(scored) {
            sum += area * pairs;
            all += pairs;
        }
    }
    (all > 0.0).then(|| sum / all)
}

/// Probability that a member of the class scores higher than a non-member, ties counted half. `scored` is in decreasing
/// order.
fn auc(scored: &[(f64, bool)]) -> Option<f64> {
    let members = scored.iter().filter(|s| s.1).count() as f64;
    let others = scored.len() as f64 - members;
    let (mut seen, mut area) = (0.0, 0.0);
    for tied in scored.chunk_by(|a, b| a.0 == b.0) {
        let inside = tied.iter().filter(|s| s.1).count() as f64;
        let outside = tied.len() as f64 - inside;
        area += outside * (seen + inside / 2.0);
        seen += inside;
    }
    (members > 0.0 && others > 0.0).then(|| area / (members * others))
}

/// Sum over thresholds of precision times gain in recall. `scored` is in decreasing order.
fn average_precision(scored: &[(f64, bool)]) -> Option<f64> {
    let members = scored.iter().filter(|s| s.1).count() as f64;
    let (mut seen, mut found, mut area) = (0.0, 0.0, 0.0);
    for tied in scored.chunk_by(|a, b| a.0 == b.0) {
        let inside = tied.iter().filter(|s| s.1).count() as f64;
        seen += tied.len() as f64;
        found += inside;
        area += found / seen * inside;
    }
    (members > 0.0).then(|| area / members)
}

fn regression(rows: &[(f64, f64)], note: &mut impl FnMut(Metric, Option<f64>)) {
    if rows.is_empty() {
        return;
    }
    let len = rows.len() as f64;
    let total = |f: &dyn Fn(&(f64, f64)) -> f64| rows.iter().fold(0.0, |sum, row| sum + f(row));
    let squares = total(&|(y, f)| (y - f) * (y - f));
    let mean = total(&|(y, _)| *y) / len;
    let variance = total(&|(y, _)| (y - mean) * (y - mean));
    note(Metric::Rmse, Some((squares / len).sqrt()));
    note(Metric::Mae, Some(total(&|(y, f)| (y - f).abs()) / len));
    note(Metric::R2, (variance > 0.0).then(|| 1.0 - squares / variance));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_count_ties_half_and_need_both_classes() {
        let scored = [(0.9, true), (0.5, true), (0.5, false), (0.1, false)];
        assert_eq!(auc(&scored), Some(0.875));
        assert_eq!(auc(&scored[..2]), None);
        // Thresholds 0.9 (precision 1, recall 1/2) and 0.5 (precision 2/3, recall 1).
        assert_eq!(average_precision(&scored), Some(0.5 + 0.5 * (2.0 / 3.0)));
    }

    #[test]
    fn areas_within_folds_compare_no_graphs_of_different_folds() {
        let scored = [(9.0, true), (8.0, false), (0.9, true), (0.5, true), (0.5, false), (0.1, false)];
        // Each fold has its own scale: the first is perfect, the second has 3.5 of 4 pairs.
        assert_eq!(auc_within(&scored, &[0, 0, 1, 1, 1, 1]), Some(4.5 / 5.0));
        assert_eq!(auc_within(&scored[..2], &[0, 1]), None);
    }

    #[test]
    fn balanced_accuracy_is_the_mean_over_classes() {
        let rows = [(0, vec![0.9, 0.1]), (0, vec![0.8, 0.2]), (0, vec![0.7, 0.3]), (1, vec![0.6, 0.4])];
        let mut found = BTreeMap::new();
        classification(&rows, &[], 2, most_likely, &mut |metric, value| {
            found.insert(metric, value);
        });
        assert_eq!(found[&Metric::Accuracy], Some(0.75));
        assert_eq!(found[&Metric::BalancedAccuracy], Some(0.5));
        assert_eq!(found[&Metric::Auc], Some(1.0));
    }

    #[test]
    fn errors_of_numbers_are_those_of_the_definition() {
        let mut found = BTreeMap::new();
        regression(&[(1.0, 2.0), (3.0, 3.0)], &mut |metric, value| {
            found.insert(metric, value);
        });
        assert_eq!(found[&Metric::Rmse], Some(0.5_f64.sqrt()));
        assert_eq!((found[&Metric::Mae], found[&Metric::R2]), (Some(0.5), Some(0.5)));
    }

    #[test]
    fn every_metric_is_found_by_its_name() {
        for metric in Metric::ALL {
            assert_eq!(Metric::from_name(metric.name()), Some(metric));
            assert_eq!(serde_json::to_value(metric).unwrap(), metric.name());
        }
    }
}
