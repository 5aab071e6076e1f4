//! How well the whole procedure predicts graphs that nobody has seen, the choice included.
//!
//! The figures of the chosen model flatter it: it was chosen because they are good. So the choice is repeated on
//! bootstrap resamples of the out-of-fold predictions, and each time judged on the graphs outside the resample
//! (bootstrap bias-corrected cross-validation: Tsamardinos and others, Machine Learning 107, 2018). The estimate is the
//! mean of these; its interval is that of a normal distribution with the standard error of the chosen model's metric
//! over the resamples. Where all resamples agree, as where no held-out graph is wrong, they know of no error: then the
//! interval reaches as far as the exact one of a proportion (Clopper and Pearson), so that a few graphs do not promise
//! certainty.

use super::choice::{Errors, Figures, HeldOut, PointChoice, Rule};
use super::resampled::Resampled;
use crate::task::Labels;
use crate::task::decision::Decision;
use crate::task::metrics::{Metric, metrics_within};
use einsicht_data::random::Random;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of resamples.
const RESAMPLES: usize = 200;
/// The stream of random numbers of the resamples; it overlaps with no other.
const STREAM: u64 = 3 << 32;
/// Standard errors on either side of an interval of 95 %.
const REACH: f64 = 1.96;

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Lower end of the interval of 95 %.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How well the procedure predicts, from graphs that were held out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// By the name of the metric.
    pub metrics: BTreeMap<String, Interval>,
    /// Held-out graphs.
    pub graphs: usize,
    /// Folds.
    pub folds: usize,
}

/// How often each row is drawn.
fn drawn(seed: u64, at: usize, rows: usize) -> Vec<f64> {
    let mut random = Random::stream(seed, STREAM + at as u64);
    let mut weights = vec![0.0; rows];
    for _ in 0..rows {
        weights[random.index(rows)] += 1.0;
    }
    weights
}

/// The standard error of a point's metric over resamples.
pub(super) fn standard_error(held_out: &HeldOut<'_>, point: &PointChoice) -> f64 {
    let metric = Resampled::new(held_out, &point.outputs, &point.decision, held_out.metric);
    let (seed, rows) = (held_out.params.seed, held_out.targets.rows());
    let values: Vec<f64> = (0..RESAMPLES).filter_map(|at| metric.value(&drawn(seed, at, rows))).collect();
    deviation(&values)
}

/// Standard errors of the differences between each point and the last one: of the metric over the same resamples, of
/// the loss over the graphs.
pub(super) fn errors_against_last(held_out: &HeldOut<'_>, points: &[PointChoice]) -> Vec<Errors> {
    let scorers: Vec<Resampled<'_>> = (points.iter())
        .map(|point| Resampled::new(held_out, &point.outputs, &point.decision, held_out.metric))
        .collect();
    let losses: Vec<Vec<f64>> = points.iter().map(|point| held_out.targets.row_losses(&point.outputs)).collect();
    let (seed, rows) = (held_out.params.seed, held_out.targets.rows());
    let one = |at: usize| -> Vec<Option<f64>> {
        let weights = drawn(seed, at, rows);
        scorers.iter().map(|scorer| scorer.value(&weights)).collect()
    };
    let resamples: Vec<Vec<Option<f64>>> = (0..RESAMPLES).into_par_iter().map(one).collect();
    let of_point = |at: usize| {
        let of_resample = |values: &Vec<Option<f64>>| Some(values[at]? - (*values.last()?)?);
        let of_metric: Vec<f64> = resamples.iter().filter_map(of_resample).collect();
        let of_loss: Vec<f64> =
            losses[at].iter().zip(&losses[points.len() - 1]).map(|(here, last)| here - last).collect();
        Errors { metric: deviation(&of_metric), loss: deviation(&of_loss) / (rows as f64).sqrt() }
    };
    (0..points.len()).map(of_point).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, v| sum + v) / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let (mean, less) = (mean(values), (values.len() as f64 - 1.0).max(1.0));
    (values.iter().fold(0.0, |sum, v| sum + (v - mean) * (v - mean)) / less).sqrt()
}

impl HeldOut<'_> {
    /// The estimate, for the point that the rule has chosen.
    pub(super) fn estimate(&self, points: &[PointChoice], (chosen, rule): (usize, &Rule), folds: usize) -> Estimate {
        let rows = self.targets.rows();
        let losses: Vec<Vec<Vec<f64>>> = self
            .outputs
            .iter()
            .map(|tried| tried.iter().map(|outputs| self.targets.row_losses(outputs)).collect())
            .collect();
        let scorers_of = |at: usize| -> Vec<Resampled<'_>> {
            let one = |outputs| Resampled::new(self, outputs, &points[at].decision, self.metric);
            self.outputs[at].iter().map(|outputs| one(outputs)).collect()
        };
        let scorers: Vec<Vec<Resampled<'_>>> = (0..points.len()).map(scorers_of).collect();
        let of_chosen: Vec<(Metric, Resampled<'_>)> = (Metric::ALL.into_iter())
            .filter(|metric| points[chosen].metrics.contains_key(metric.name()))
            .map(|metric| (metric, Resampled::new(self, &points[chosen].outputs, &points[chosen].decision, metric)))
            .collect();
        let one = |at: usize| {
            let weights = drawn(self.params.seed, at, rows);
            let tried: Vec<usize> = losses.iter().map(|losses| least_loss(losses, &weights)).collect();
            let figures = |(at, &tried): (usize, &usize)| Figures {
                metric: scorers[at][tried].value(&weights),
                loss: total(&losses[at][tried], &weights) / rows as f64,
            };
            let point = rule.choose(&tried.iter().enumerate().map(figures).collect::<Vec<_>>(), self.metric);
            let outside = self.judge_outside(point, tried[point], &weights);
            let inside: Vec<Option<f64>> = of_chosen.iter().map(|(_, metric)| metric.value(&weights)).collect();
            (outside, inside)
        };
        let resamples: Vec<_> = (0..RESAMPLES).into_par_iter().map(one).collect();
        let mut metrics = BTreeMap::new();
        for (at, (metric, _)) in of_chosen.iter().enumerate() {
            let outside: Vec<f64> =
                resamples.iter().filter_map(|(outside, _)| outside.get(metric.name()).copied()).collect();
            let inside: Vec<f64> = resamples.iter().filter_map(|(_, inside)| inside[at]).collect();
            if outside.is_empty() || inside.len() < 2 {
                continue;
            }
            let (value, (least, most)) = (mean(&outside), metric.range());
            let is_agreed = (least, most) == (0.0, 1.0) && inside.iter().all(|one| *one == inside[0]);
            let reach = if is_agreed { self.unseen_errors(*metric) } else { REACH * deviation(&inside) };
            let (low, high) = ((value - reach).max(least), (value + reach).min(most));
            metrics.insert(metric.name().to_owned(), Interval { value, low, high });
        }
        Estimate { metrics, graphs: rows, folds }
    }

    /// How far a metric of which resamples show no error may be off: the largest error with which all of some
    /// independent trials still succeed one time in 40. The trials of the accuracy are the graphs; those of the other
    /// metrics at least the graphs of the rarest class: so many pairs of graphs of two classes that have no graph in
    /// common are all in the right order, and so many graphs of each class are all right.
    fn unseen_errors(&self, metric: Metric) -> f64 {
        let of_task = |(labels, _): &(Labels, usize)| {
            let Labels::Classes(classes) = labels else { return None };
            let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
            for class in classes.iter().flatten() {
                *counts.entry(*class).or_default() += 1;
            }
            if metric == Metric::Accuracy { Some(counts.values().sum()) } else { counts.values().copied().min() }
        };
        let trials = self.targets.tasks.iter().filter_map(of_task).min().unwrap_or(0).max(1);
        1.0 - libm::pow(0.025, 1.0 / trials as f64)
    }

    /// All metrics of the rows that were not drawn, decided as the drawn ones say.
    fn judge_outside(&self, point: usize, tried: usize, weights: &[f64]) -> BTreeMap<String, f64> {
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(|&row| weights[row] > 0.0);
        let width = self.targets.outputs();
        let outputs = |rows: &[usize]| -> Vec<f64> {
            rows.iter().flat_map(|&row| &self.outputs[point][tried][row * width..(row + 1) * width]).copied().collect()
        };
        let wanted = self.params.decision();
        let decision = Decision::fit(wanted, self.metric, self.tasks, &self.targets.subset(&inside), &outputs(&inside));
        let folds: Vec<u32> = outside.iter().map(|&row| self.folds[row]).collect();
        metrics_within(self.tasks, &self.targets.subset(&outside), &outputs(&outside), &decision, &folds)
    }
}

/// The weight of the forest with the least loss on these rows; of equally good ones the first.
fn least_loss(losses: &[Vec<f64>], weights: &[f64]) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (tried, losses) in losses.iter().enumerate() {
        let loss = total(losses, weights);
        if loss < best.0 {
            best = (loss, tried);
        }
    }
    best.1
}

/// The weighted sum of the losses of the rows.
fn total(losses: &[f64], weights: &[f64]) -> f64 {
    losses.iter().zip(weights).fold(0.0, |sum, (loss, weight)| sum + loss * weight)
}
