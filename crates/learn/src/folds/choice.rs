//! The choice among the models of the path, by their predictions of graphs that they have not seen.
//!
//! At each size the weight of the forest is the one with the least out-of-fold loss, and temperature and threshold are fitted to the out-of-fold
//! predictions. The size is the smallest that is as good as the best by the metric, to a difference that nobody would notice, or with `prefer` sparse
//! the smallest whose metric is within one standard error of the best one's. All of it is repeated in `estimate.rs` on resamples, so that the estimate includes the choice.

use super::Folds;
use super::estimate::{Estimate, standard_error};
use crate::heads::{FOREST_WEIGHTS, blend_parts};
use crate::params::{Prefer, TrainParams};
use crate::task::decision::Decision;
use crate::task::metrics::{Metric, Metrics, metrics_within};
use crate::task::{Targets, Task};

/// A difference of a metric for which nobody would read more subgraphs: a fifth of a percent.
const UNNOTICED: f64 = 0.002;

/// What the folds have chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The fold of each graph.
    pub folds: Folds,
    /// The metric that chose.
    pub metric: Metric,
    /// For each point of the path.
    pub points: Vec<PointChoice>,
    /// The chosen point.
    pub chosen: usize,
    /// How well the procedure predicts.
    pub estimate: Estimate,
}

/// What the folds say about one point of the path.
#[derive(Clone, Debug, PartialEq)]
pub struct PointChoice {
    /// Weight of the forest in the head.
    pub forest_weight: f64,
    /// Temperatures and thresholds.
    pub decision: Decision,
    /// Metrics of the out-of-fold predictions.
    pub metrics: Metrics,
    /// Out-of-fold outputs of each part of the head, row after row, of the graphs that have a fold.
    pub parts: Vec<Vec<f64>>,
    /// Those of the head.
    pub outputs: Vec<f64>,
}

/// The out-of-fold predictions of all points, and what is to be predicted.
pub(super) struct HeldOut<'a> {
    pub(super) params: &'a TrainParams,
    pub(super) tasks: &'a [Task],
    /// Of the graphs that have a fold.
    pub(super) targets: &'a Targets,
    /// The fold of each of them.
    pub(super) folds: Vec<u32>,
    pub(super) metric: Metric,
    /// For each point, for each weight of the forest that is tried, the outputs.
    pub(super) outputs: Vec<Vec<Vec<f64>>>,
}

impl Choice {
    /// Chooses from the out-of-fold outputs of each part of the head, point by point; `targets` are those of all graphs.
    pub(crate) fn new(
        (tasks, targets, metric): (&[Task], &Targets, Metric),
        params: &TrainParams,
        folds: Folds,
        parts: Vec<Vec<Vec<f64>>>,
    ) -> Self {
        let rows: Vec<usize> = folds.with_fold().iter().map(|&row| row as usize).collect();
        let outputs = |parts: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            weights_of(parts.len()).iter().map(|&weight| blend_parts(parts, weight, tasks)).collect()
        };
        let held_out = HeldOut {
            params,
            tasks,
            targets: &targets.subset(&rows),
            folds: folds.of.iter().flatten().copied().collect(),
            metric,
            outputs: parts.iter().map(outputs).collect(),
        };
        let points: Vec<PointChoice> =
            parts.into_iter().enumerate().map(|(at, parts)| held_out.point(at, parts)).collect();
        let chosen = held_out.choose(&points);
        let estimate = held_out.estimate(&points, chosen, folds.count);
        Self { folds, metric, points, chosen, estimate }
    }
}

/// The weights of the forest that are tried for a head of so many parts.
fn weights_of(parts: usize) -> &'static [f64] {
    if parts == 2 { &FOREST_WEIGHTS } else { &FOREST_WEIGHTS[..1] }
}

impl HeldOut<'_> {
    fn point(&self, at: usize, parts: Vec<Vec<f64>>) -> PointChoice {
        let weights = vec![1.0; self.targets.rows()];
        let mut best = (f64::INFINITY, 0);
        for (tried, outputs) in self.outputs[at].iter().enumerate() {
            let loss = self.targets.loss(outputs, &weights);
            if loss < best.0 {
                best = (loss, tried);
            }
        }
        let outputs = self.outputs[at][best.1].clone();
        let decision = Decision::fit(self.params.decision(), self.metric, self.tasks, self.targets, &outputs);
        let metrics = metrics_within(self.tasks, self.targets, &outputs, &decision, &self.folds);
        PointChoice { forest_weight: FOREST_WEIGHTS[best.1], decision, metrics, parts, outputs }
    }

    fn choose(&self, points: &[PointChoice]) -> usize {
        let value = |at: usize| points[at].metrics.get(self.metric.name()).copied();
        let values: Vec<Option<f64>> = (0..points.len()).map(value).collect();
        match self.params.prefer {
            Prefer::Accurate => first_good(&values, self.metric),
            Prefer::Sparse => {
                let best = best_of(&values, self.metric);
                first_within(&values, best, standard_error(self, &points[best]))
            }
        }
    }
}

/// The position of the first value, which has the fewest subgraphs, that is as good as the best one to [`UNNOTICED`].
pub(super) fn first_good(values: &[Option<f64>], metric: Metric) -> usize {
    let best = best_of(values, metric);
    // Errors have a scale of their own, shares of graphs have not.
    let scale = if metric.larger_is_better() { 1.0 } else { values[best].unwrap_or(0.0).abs() };
    first_within(values, best, UNNOTICED * scale)
}

/// The first position whose value differs from that of `best` by at most `reach`.
fn first_within(values: &[Option<f64>], best: usize, reach: f64) -> usize {
    let Some(of_best) = values.get(best).copied().flatten() else { return best };
    let is_near = |value: &Option<f64>| value.is_some_and(|here| (here - of_best).abs() <= reach);
    values.iter().position(is_near).unwrap_or(best)
}

/// The position of the best value; of equally good ones the first.
fn best_of(values: &[Option<f64>], metric: Metric) -> usize {
    let mut best: Option<(usize, f64)> = None;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = *value else { continue };
        let is_better = |known: f64| if metric.larger_is_better() { value > known } else { value < known };
        if best.is_none_or(|(_, known)| is_better(known)) {
            best = Some((at, value));
        }
    }
    best.map_or(0, |(at, _)| at)
}
