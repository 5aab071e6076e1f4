//! Early stopping: when the passes at a point of the path end, and the entry that they leave.
//!
//! Promise: of the iterates of a point the one with the lowest validation loss is kept, or the one with the best metric
//! where `stopping` says so (of a convex problem the last), and the next point starts from it (warm start). Tested in
//! `tests/training.rs` and `tests/gnn.rs`.

use super::fit_head::FittedHead;
use super::lambda::PathPoint;
use crate::run::ValidFigures;
use crate::state::BestIterate;
use crate::{AnyRun, Objective, Purpose};
use einsicht_model::params::Penalty;
use einsicht_model::task::Targets;
use einsicht_model::task::decision::Decision;
use einsicht_model::task::metrics::{Metric, Metrics, metrics_of_decision};
use einsicht_model::{PathEntry, StoppedBy};
use std::cmp::Ordering;
use std::sync::Arc;

/// The metrics of an entry, and how its outputs become decisions.
#[derive(Default)]
struct Evaluation {
    train: Metrics,
    valid: Metrics,
    test: Metrics,
    decision: Decision,
}

impl AnyRun<'_> {
    /// Ends the training with the best iterate so far; the point in progress becomes an entry if it has an iterate.
    pub(crate) fn finish_early(&mut self) {
        if self.is_done() {
            return;
        }
        self.cut_short = true;
        let point = match self.params.penalty {
            Penalty::L0 => self.params.sizes.get(self.state.size_at).map(|&size| PathPoint::Size(size)),
            Penalty::L1 => self.state.lambdas.map(|path| PathPoint::Lambda(path.lambda)),
        };
        if let (Some(point), true) = (point, self.state.best.is_some()) {
            let (data, network) = (Arc::clone(&self.data), self.network.clone());
            let mut objective =
                Objective::new(&data.train, &data.weights, &network, self.params.activation, self.decay);
            self.finish_point(point, StoppedBy::Observer, &mut objective);
        }
        self.state.size_at = self.num_points();
    }

    /// Keeps the best iterate and returns why this point is done, if it is.
    pub(crate) fn check_stopping(&mut self, figures: ValidFigures, stalled: bool, settled: bool) -> Option<StoppedBy> {
        let (state, metric) = (&mut self.state, self.metric);
        let ValidFigures { loss: valid_loss, metric: valid_metric } = figures;
        // A convex problem is solved to its minimum, not to an iterate on the way.
        let convex = self.params.is_convex();
        let keeps_last = convex || !self.purpose.stops_early();
        let rise = |best: &BestIterate| metric_rise(metric, [best.valid_metric, valid_metric]);
        let is_better = |best: &BestIterate| match rise(best) {
            Ordering::Equal => valid_loss < best.valid_loss,
            rise => rise.is_gt(),
        };
        let metric_rises = state.best.as_ref().is_some_and(|best| rise(best).is_gt());
        if keeps_last || state.best.as_ref().is_none_or(is_better) {
            let (iterate, before) = (state.current.clone(), state.before.clone());
            state.best = Some(BestIterate { valid_loss, valid_metric, iteration: state.iteration, iterate, before });
        }
        let improves = |reference: f64| valid_loss < reference - self.params.tolerance * reference.abs();
        match &mut state.reference {
            Some((reference, since)) if metric_rises => {
                (*reference, *since) = (reference.min(valid_loss), state.iteration);
            }
            Some((reference, _)) if !improves(*reference) => {}
            _ => state.reference = Some((valid_loss, state.iteration)),
        }
        let since = state.reference.map_or(state.iteration, |(_, since)| since);
        let best_at = state.best.as_ref().map_or(0, |best| best.iteration);
        if convex {
            let found = settled && (stalled || state.iteration > 1);
            let cap = state.iteration >= self.params.max_iterations;
            return if found { Some(StoppedBy::Converged) } else { cap.then_some(StoppedBy::Cap) };
        }
        if stalled {
            Some(StoppedBy::Stalled)
        } else if self.purpose.stops_early() && state.iteration - since >= self.params.patience {
            Some(if best_at > since { StoppedBy::Tolerance } else { StoppedBy::Patience })
        } else if state.iteration >= self.params.max_iterations {
            Some(StoppedBy::Cap)
        } else {
            None
        }
    }

    /// Turns the best iterate into an entry of the path; the next point starts from it.
    pub(crate) fn finish_point(&mut self, point: PathPoint, stopped_by: StoppedBy, objective: &mut Objective<'_>) {
        if stopped_by == StoppedBy::Patterns && self.go_back() {
            return;
        }
        let Some(best) = self.state.best.take() else { return };
        let mut sums = objective.zero_sums();
        self.train_sums(&best.iterate, &mut sums);
        objective.data_loss(&sums, &best.iterate.bias, &best.iterate.network);
        let judged = match self.fitted_head(&best.iterate) {
            None => {
                let held_out = self.held_out_pass(&best.iterate).outputs().to_vec();
                let (of_valid, of_test) = held_out.split_at(self.data.valid.rows() * self.data.valid.outputs());
                FittedHead {
                    head: None,
                    of_train: objective.outputs().to_vec(),
                    parts: vec![of_valid.to_vec()],
                    of_valid: of_valid.to_vec(),
                    of_test: of_test.to_vec(),
                }
            }
            Some(fitted) => fitted,
        };
        let Evaluation { train, valid, test, decision } = self.evaluate(&judged);
        let FittedHead { head, parts, .. } = judged;
        let patterns = best.iterate.patterns.len();
        if let Some(path) = &mut self.state.lambdas {
            let had = self.state.entries.last().map_or(0, |entry| entry.iterate.patterns.len());
            path.go_on(patterns.saturating_sub(had));
            if path.lambda == 0.0 {
                self.state.size_at = self.num_points(); // no pattern has a gradient
            }
        }
        self.start_next_point_from(&best);
        if !matches!(self.purpose, Purpose::Chosen(_)) {
            self.state.held_out.push(parts);
        }
        self.state.entries.push(PathEntry {
            size: point.size().map_or(patterns, |_| self.params.sizes[self.state.size_at]),
            lambda: point.lambda(),
            iterate: best.iterate,
            head,
            before: best.before,
            iterations: self.state.iteration,
            kept: best.iteration,
            stopped_by,
            train,
            valid,
            test,
            decision,
        });
        self.state.reference = None;
        self.state.iteration = 0;
        self.state.size_at += 1;
    }

    /// Warm start: the weights behind an average of Adam are no longer those of the network.
    fn start_next_point_from(&mut self, best: &BestIterate) {
        self.state.current = best.iterate.clone();
        self.state.before.clone_from(&best.before);
        self.state.adam.start_over();
    }

    /// The decision of an entry, and the metrics of all three sets.
    fn evaluate(&self, judged: &FittedHead) -> Evaluation {
        let data = &self.data;
        let (decision, of_folds) = match &self.purpose {
            Purpose::Model => {
                let wanted = self.params.decision();
                (Decision::fit(wanted, self.metric, &data.tasks, &data.valid, &judged.of_valid), None)
            }
            // The folds are judged together.
            Purpose::Fold(_) => return Evaluation::default(),
            Purpose::Chosen(choice) => {
                let point = &choice.points[self.state.size_at];
                (point.decision.clone(), Some(point.metrics.clone()))
            }
        };
        let score = |targets: &Targets, outputs: &[f64]| metrics_of_decision(&data.tasks, targets, outputs, &decision);
        let of_train = Some(&judged.of_train).filter(|outputs| !outputs.is_empty());
        let train = of_train.map_or_else(Metrics::new, |outputs| score(&data.train, outputs));
        let valid = of_folds.unwrap_or_else(|| score(&data.valid, &judged.of_valid));
        let test = if data.test.rows() == 0 { Metrics::new() } else { score(&data.test, &judged.of_test) };
        Evaluation { train, valid, test, decision }
    }
}

/// How the second of two values of a metric compares with the first; equal where one is not known.
fn metric_rise(metric: Metric, [before, now]: [Option<f64>; 2]) -> Ordering {
    let (Some(before), Some(now)) = (before, now) else { return Ordering::Equal };
    let rise = now.total_cmp(&before);
    if metric.larger_is_better() { rise } else { rise.reverse() }
}
