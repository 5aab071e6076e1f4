//! The choice among the models of the path, by their predictions of graphs that they have not seen.
//!
//! At each size the weight of the forest is the one with the least out-of-fold loss, and temperature and threshold are
//! fitted to the out-of-fold predictions. A smaller model is considered only where the held-out graphs show, beyond
//! chance, that it is as good as the largest by the metric, to a difference that nobody would notice, or better by the
//! loss: with few graphs the curve over the sizes is mostly noise, and its highest point no reason to read less
//! (`lab/notes/0031`). Of those considered the smallest is taken that is as good as the best of them; with `prefer`
//! sparse the smallest of all whose metric is within one standard error of the best one's. All this is repeated in
//! `estimate.rs` on resamples, so that the estimate includes the choice.

use super::Folds;
use super::estimate::{Estimate, errors_against_last, standard_error};
use crate::heads::{FOREST_WEIGHTS, blend_parts};
use crate::params::{Prefer, TrainParams};
use crate::task::decision::Decision;
use crate::task::metrics::{Metric, Metrics, metrics_within};
use crate::task::{Targets, Task};

/// A difference of a metric for which nobody would read more subgraphs: a fifth of a percent.
const UNNOTICED: f64 = 0.002;
/// Standard errors that make a difference more than chance.
const BEYOND_CHANCE: f64 = 2.0;

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
    /// Chooses from the out-of-fold outputs of each part of the head, point by point; `targets` are those of all
    /// graphs.
    pub fn new(
        (tasks, targets, metric): (&[Task], &Targets, Metric),
        params: &TrainParams,
        folds: Folds,
        parts: &[Vec<Vec<f64>>],
    ) -> Self {
        let rows: Vec<usize> = folds.with_fold().iter().map(|&row| row as usize).collect();
        let targets = &targets.subset(&rows);
        let of_row: Vec<u32> = folds.of.iter().flatten().copied().collect();
        let outputs = |parts: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            weights_of(parts.len()).iter().map(|&weight| blend_parts(parts, weight, tasks)).collect()
        };
        let outputs = parts.iter().map(outputs).collect();
        let held_out = HeldOut { params, tasks, targets, folds: of_row, metric, outputs };
        let points: Vec<PointChoice> =
            parts.iter().enumerate().map(|(at, parts)| held_out.point(at, parts.clone())).collect();
        let figures = held_out.figures(&points);
        let rule = held_out.rule(&points, &figures);
        let chosen = rule.choose(&figures, metric);
        let estimate = held_out.estimate(&points, (chosen, &rule), folds.count);
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

    /// The figures of each point that choose.
    fn figures(&self, points: &[PointChoice]) -> Vec<Figures> {
        let rows = self.targets.rows().max(1) as f64;
        let weights = vec![1.0; self.targets.rows()];
        let of_point = |point: &PointChoice| Figures {
            metric: point.metrics.get(self.metric.name()).copied(),
            loss: self.targets.loss(&point.outputs, &weights) / rows,
        };
        points.iter().map(of_point).collect()
    }

    fn rule(&self, points: &[PointChoice], figures: &[Figures]) -> Rule {
        match self.params.prefer {
            _ if !self.params.is_refitted() => Rule::AsGood,
            Prefer::Accurate => Rule::Accurate(errors_against_last(self, points)),
            Prefer::Sparse => {
                let best = best_of(&metrics_of(figures), self.metric);
                Rule::Sparse(points.get(best).map_or(0.0, |point| standard_error(self, point)))
            }
        }
    }
}

/// What is known of one point, on all held-out graphs or on a resample of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    /// The metric that chooses, where it is defined.
    pub(super) metric: Option<f64>,
    /// The mean loss.
    pub(super) loss: f64,
}

/// Standard errors of the differences between a point and the last one, which has the most subgraphs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errors {
    pub(super) metric: f64,
    pub(super) loss: f64,
}

/// How the figures of the points choose one of them, with what chance may do to them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rule {
    /// The smallest as good as the best: a validation set that also stops the training early chooses so.
    AsGood,
    /// The smallest as good as the best of those that are shown to be no worse than the last one.
    Accurate(Vec<Errors>),
    /// The smallest within the standard error of the best point's metric.
    Sparse(f64),
}

impl Rule {
    /// The chosen point.
    pub(super) fn choose(&self, figures: &[Figures], metric: Metric) -> usize {
        let values = metrics_of(figures);
        match self {
            Self::AsGood => first_good(&values, metric),
            Self::Accurate(errors) => first_good(&considered(figures, errors, metric), metric),
            Self::Sparse(error) => first_within(&values, best_of(&values, metric), *error),
        }
    }
}

fn metrics_of(figures: &[Figures]) -> Vec<Option<f64>> {
    figures.iter().map(|figures| figures.metric).collect()
}

/// The metrics, without those of smaller models that the held-out graphs do not show to be as good as the largest one.
fn considered(figures: &[Figures], errors: &[Errors], metric: Metric) -> Vec<Option<f64>> {
    let Some(&Figures { metric: Some(of_last), loss: loss_of_last }) = figures.last() else {
        return metrics_of(figures);
    };
    let unnoticed = UNNOTICED * scale(of_last, metric);
    let gain = |value: f64| if metric.larger_is_better() { value - of_last } else { of_last - value };
    let keep = |(at, figures): (usize, &Figures)| {
        let is_last = at + 1 == errors.len();
        let is_better = loss_of_last - figures.loss > BEYOND_CHANCE * errors[at].loss;
        // An error that nobody would notice is none: then the difference counts as it was seen.
        let chance = if errors[at].metric <= unnoticed { 0.0 } else { BEYOND_CHANCE * errors[at].metric };
        let is_as_good = |value: f64| gain(value) + unnoticed >= chance;
        figures.metric.filter(|&value| is_last || is_better || is_as_good(value))
    };
    figures.iter().enumerate().map(keep).collect()
}

/// What a share of a metric is a share of: errors have a scale of their own, shares of graphs have not.
fn scale(value: f64, metric: Metric) -> f64 {
    if metric.larger_is_better() { 1.0 } else { value.abs() }
}

/// The position of the first value, which has the fewest subgraphs, that is as good as the best one to [`UNNOTICED`].
fn first_good(values: &[Option<f64>], metric: Metric) -> usize {
    let best = best_of(values, metric);
    let of_best = values.get(best).copied().flatten().unwrap_or(0.0);
    first_within(values, best, UNNOTICED * scale(of_best, metric))
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
