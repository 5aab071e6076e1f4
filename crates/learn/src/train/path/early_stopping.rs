//! The end of a size: when it has come, and what becomes of it.
//!
//! Promise: of the iterates of a size the one with the lowest validation loss is kept (of a convex problem the last), and
//! the next size starts from it. Tested in `tests/training.rs`.

use super::fit_head::FittedHead;
use super::lambda::PathPoint;
use super::{PathEntry, StoppedBy};
use crate::features::PatternMatcher;
use crate::params::Penalty;
use crate::task::Targets;
use crate::task::decision::Decision;
use crate::task::metrics::{Metrics, metrics_of_decision};
use crate::train::Trainer;
use crate::train::optimize::objective::Objective;
use crate::train::state::BestIterate;
use einsicht_search::Search;
use std::sync::Arc;

impl<S: Search, P: PatternMatcher> Trainer<S, P> {
    /// Ends the size under way, if it has an iterate, and with it the training: the best so far is kept.
    pub fn finish_early(&mut self) {
        if self.is_done() {
            return;
        }
        self.cut_short = true;
        let point = match self.params.penalty {
            Penalty::L0 => self.params.sizes.get(self.state.size_at).map(|&size| PathPoint::Size(size)),
            Penalty::L1 => self.state.lambdas.map(|path| PathPoint::Lambda(path.lambda)),
        };
        if let (Some(point), true) = (point, self.state.kept.is_some()) {
            let (data, network) = (Arc::clone(&self.data), self.network.clone());
            let mut objective =
                Objective::new(&data.train, &data.weights, &network, self.params.activation, self.decay);
            self.finish_point(point, StoppedBy::Observer, &mut objective);
        }
        self.state.size_at = self.num_points();
    }

    /// Keeps the best iterate and says whether this size is done.
    pub(in crate::train) fn judge(&mut self, valid_loss: f64, stalled: bool, settled: bool) -> Option<StoppedBy> {
        let state = &mut self.state;
        // The least point of a convex loss is what is wanted, not a stop on the way to it.
        let convex = self.params.is_convex();
        if convex || state.kept.as_ref().is_none_or(|kept| valid_loss < kept.valid_loss) {
            let (iterate, before) = (state.current.clone(), state.before.clone());
            state.kept = Some(BestIterate { valid_loss, iteration: state.iteration, iterate, before });
        }
        let counts = |reference: f64| valid_loss < reference - self.params.tolerance * reference.abs();
        if state.reference.is_none_or(|(reference, _)| counts(reference)) {
            state.reference = Some((valid_loss, state.iteration));
        }
        let since = state.reference.map_or(state.iteration, |(_, since)| since);
        let kept_at = state.kept.as_ref().map_or(0, |kept| kept.iteration);
        if convex {
            let found = settled && (stalled || state.iteration > 1);
            let cap = state.iteration >= self.params.max_iterations;
            return if found { Some(StoppedBy::Converged) } else { cap.then_some(StoppedBy::Cap) };
        }
        if stalled {
            Some(StoppedBy::Stalled)
        } else if state.iteration - since >= self.params.patience {
            Some(if kept_at > since { StoppedBy::Tolerance } else { StoppedBy::Patience })
        } else if state.iteration >= self.params.max_iterations {
            Some(StoppedBy::Cap)
        } else {
            None
        }
    }

    /// Turns the kept iterate into an entry of the path; the next one starts from it.
    pub(in crate::train) fn finish_point(
        &mut self,
        point: PathPoint,
        stopped_by: StoppedBy,
        objective: &mut Objective<'_>,
    ) {
        if stopped_by == StoppedBy::Patterns && self.go_back() {
            return;
        }
        let Some(kept) = self.state.kept.take() else { return };
        let mut sums = objective.zero_sums();
        self.train_sums(&kept.iterate, &mut sums);
        objective.data_loss(&sums, &kept.iterate.bias, &kept.iterate.network);
        let data = Arc::clone(&self.data);
        let fitted = self.fit_head(&kept.iterate);
        let (head, of_train, held_out) = match fitted {
            None => (None, objective.outputs().to_vec(), self.held_out_pass(&kept.iterate).outputs().to_vec()),
            Some(FittedHead { head, of_train, held_out }) => (Some(head), of_train, held_out),
        };
        let (of_valid, of_test) = held_out.split_at(data.valid.rows() * data.valid.outputs());
        let decision = Decision::fit(self.params.decision(), self.metric, &data.tasks, &data.valid, of_valid);
        let judge = |targets: &Targets, outputs: &[f64]| metrics_of_decision(&data.tasks, targets, outputs, &decision);
        let (train, valid) = (judge(&data.train, &of_train), judge(&data.valid, of_valid));
        let test = if data.test.rows() == 0 { Metrics::new() } else { judge(&data.test, of_test) };
        let patterns = kept.iterate.patterns.len();
        if let Some(path) = &mut self.state.lambdas {
            let had = self.state.entries.last().map_or(0, |entry| entry.iterate.patterns.len());
            path.go_on(patterns.saturating_sub(had));
            if path.lambda == 0.0 {
                self.state.size_at = self.num_points(); // no pattern has a gradient
            }
        }
        self.state.current = kept.iterate.clone();
        self.state.before.clone_from(&kept.before);
        self.state.entries.push(PathEntry {
            size: match point {
                PathPoint::Size(size) => size,
                PathPoint::Lambda(_) => patterns,
            },
            lambda: point.lambda(),
            iterate: kept.iterate,
            head,
            before: kept.before,
            iterations: self.state.iteration,
            kept: kept.iteration,
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
}
