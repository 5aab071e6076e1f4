//! From outputs to decisions: temperature scaling and a decision threshold for each task, both fitted on the validation
//! set.
//!
//! A temperature divides the outputs of a task so that its probabilities are calibrated (minimal log loss); it never
//! changes which class is the most likely. The second of two classes is predicted if its probability reaches the
//! threshold; one half is a poor choice if one class is rare. Without them the probabilities stay as they are and the
//! most likely class is predicted. Knows nothing of graphs.

use crate::task::metrics::{Metric, class_probabilities, most_likely};
use crate::task::{Labels, Targets, Task};
use serde::{Deserialize, Serialize};

/// Temperature and threshold of each task; an empty list means that there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Divisors of the outputs; 1 for numbers.
    pub temperatures: Vec<f64>,
    /// Least probability at which the second class is predicted; one half unless there are two classes.
    pub thresholds: Vec<f64>,
}

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionOptions {
    /// Temperatures.
    pub calibrate: bool,
    /// Thresholds.
    pub threshold: bool,
}

impl Decision {
    /// Fits temperatures and thresholds on these outputs. Thresholds maximise `metric` if it depends on them, else
    /// balanced accuracy.
    pub fn fit(wanted: DecisionOptions, metric: Metric, tasks: &[Task], targets: &Targets, outputs: &[f64]) -> Self {
        let mut found = Self::default();
        if wanted.calibrate {
            found.temperatures = (0..tasks.len())
                .map(|at| if tasks[at].is_classification() { temperature(at, targets, outputs) } else { 1.0 })
                .collect();
        }
        if wanted.threshold {
            let mut outputs = outputs.to_vec();
            found.apply_temperature(tasks, &mut outputs);
            let balanced = metric != Metric::Accuracy;
            found.thresholds = (0..tasks.len()).map(|at| threshold(at, targets, &outputs, balanced)).collect();
        }
        found
    }

    pub(crate) fn apply_temperature(&self, tasks: &[Task], outputs: &mut [f64]) {
        if self.temperatures.is_empty() {
            return;
        }
        let factors: Vec<f64> = (tasks.iter().zip(&self.temperatures))
            .flat_map(|(task, temperature)| std::iter::repeat_n(*temperature, task.outputs()))
            .collect();
        for row in outputs.chunks_exact_mut(factors.len()) {
            for (output, factor) in row.iter_mut().zip(&factors) {
                *output /= factor;
            }
        }
    }

    /// The class that is predicted for a task with these probabilities.
    pub fn class(&self, task: usize, probabilities: &[f64]) -> usize {
        match (self.thresholds.get(task), probabilities) {
            (Some(threshold), [_, second]) => usize::from(second >= threshold),
            _ => most_likely(probabilities),
        }
    }

    /// The decision of one task.
    #[must_use]
    pub fn only(&self, task: usize) -> Self {
        let one = |list: &[f64]| list.get(task).copied().into_iter().collect();
        Self { temperatures: one(&self.temperatures), thresholds: one(&self.thresholds) }
    }

    /// Whether every number is in range.
    pub fn is_good(&self, tasks: usize) -> bool {
        let fits = |list: &[f64]| list.is_empty() || list.len() == tasks;
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        fits(&self.temperatures)
            && fits(&self.thresholds)
            && self.temperatures.iter().all(positive)
            && self.thresholds.iter().all(|t| (0.0..=1.0).contains(t))
    }
}

/// The temperature with the minimal log loss of one task, between e^-4 and e^4.
fn temperature(task: usize, targets: &Targets, outputs: &[f64]) -> f64 {
    let (of_task, cells) = targets.only(task, outputs);
    let weights = vec![1.0; of_task.rows()];
    if of_task.total_weight(&weights) == 0.0 {
        return 1.0;
    }
    let mut scaled = cells.clone();
    // The loss is convex in the inverse temperature, so golden section search finds its minimum.
    let mut loss = |log: f64| {
        let inverse = libm::exp(-log);
        for (to, from) in scaled.iter_mut().zip(&cells) {
            *to = from * inverse;
        }
        of_task.loss(&scaled, &weights)
    };
    let golden = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (-4.0, 4.0);
    for _ in 0..60 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if loss(left) <= loss(right) {
            high = right;
        } else {
            low = left;
        }
    }
    let found = f64::midpoint(low, high);
    // If all outputs are zero, every temperature is as good.
    if loss(found) < loss(0.0) { libm::exp(found) } else { 1.0 }
}

/// The best threshold of one task, halfway between two probabilities; of equally good ones the nearest to one half.
fn threshold(task: usize, targets: &Targets, outputs: &[f64], balanced: bool) -> f64 {
    let (of_task, cells) = targets.only(task, outputs);
    let (Labels::Classes(labels), 1) = &of_task.tasks[0] else { return 0.5 };
    let mut scored: Vec<(f64, bool)> = (labels.iter().zip(&cells))
        .filter_map(|(label, z)| label.map(|class| (class_probabilities(&[*z])[1], class == 1)))
        .collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total = [false, true].map(|class| scored.iter().filter(|s| s.1 == class).count() as f64);
    if total.contains(&0.0) {
        return 0.5;
    }
    // Below the threshold the first class is predicted, from it on the second.
    let quality = |below: [f64; 2]| {
        let right = [below[0], total[1] - below[1]];
        if balanced { right[0] / total[0] + right[1] / total[1] } else { right[0] + right[1] }
    };
    let halves = scored.iter().filter(|s| s.0 < 0.5);
    let at_half = halves.fold([0.0; 2], |mut below, s| {
        below[usize::from(s.1)] += 1.0;
        below
    });
    let mut best = (quality(at_half), 0.5_f64);
    let mut below = [0.0; 2];
    for tied in scored.chunk_by(|a, b| a.0 == b.0) {
        for s in tied {
            below[usize::from(s.1)] += 1.0;
        }
        let next = scored.get((below[0] + below[1]) as usize).map_or(1.0, |s| s.0);
        let candidate = (quality(below), f64::midpoint(tied[0].0, next));
        let nearer = (candidate.1 - 0.5).abs() < (best.1 - 0.5).abs();
        if candidate.0 > best.0 || (candidate.0 == best.0 && nearer) {
            best = candidate;
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TaskKind;
    use einsicht_data::{Dataset, Target, TargetValues, Vocabulary};
    use einsicht_graph::Graph;

    fn two_classes(values: &[u32]) -> (Vec<Task>, Targets) {
        let names = vec!["no".to_owned(), "yes".to_owned()];
        let classes = Vocabulary::from_tokens(names.clone());
        let values = TargetValues::Classes { classes, values: values.iter().map(|v| Some(*v)).collect() };
        let rows: Vec<usize> = (0..values.len()).collect();
        let dataset = Dataset {
            graphs: vec![Graph::builder().build(); rows.len()],
            targets: vec![Target { name: "y".to_owned(), values }],
            ..Dataset::default()
        };
        let tasks = vec![Task { name: "y".to_owned(), kind: TaskKind::Classes(names) }];
        let targets = Targets::gather(&tasks, &dataset, &rows).unwrap();
        (tasks, targets)
    }

    #[test]
    fn outputs_that_are_too_sure_are_cooled_and_their_loss_falls() {
        let (tasks, targets) = two_classes(&[0, 1, 0, 1, 1, 0]);
        let outputs = [-9.0, 9.0, -9.0, 9.0, -9.0, 9.0];
        let wanted = DecisionOptions { calibrate: true, threshold: false };
        let found = Decision::fit(wanted, Metric::Accuracy, &tasks, &targets, &outputs);
        let mut scaled = outputs.to_vec();
        found.apply_temperature(&tasks, &mut scaled);
        // Four of six are right: the calibrated probability is two thirds, so the logit is log 2.
        assert!((scaled[1] - libm::log(2.0)).abs() < 1e-6, "{scaled:?}");
        assert!(targets.loss(&scaled, &[1.0; 6]) < targets.loss(&outputs, &[1.0; 6]));
    }

    #[test]
    fn a_rare_class_gets_a_lower_threshold() {
        let (tasks, targets) = two_classes(&[0, 0, 0, 0, 0, 0, 1, 1]);
        let outputs = [-4.0, -4.0, -4.0, -4.0, -4.0, -1.0, -1.5, -0.5];
        let wanted = DecisionOptions { calibrate: false, threshold: true };
        let found = Decision::fit(wanted, Metric::BalancedAccuracy, &tasks, &targets, &outputs);
        let threshold = found.thresholds[0];
        assert!(threshold > class_probabilities(&[-4.0])[1] && threshold < class_probabilities(&[-1.5])[1]);
        assert_eq!((found.class(0, &[0.7, 0.3]), Decision::default().class(0, &[0.7, 0.3])), (1, 0));
    }
}
