//! One pass of Algorithm 1: search, step on `B`, steps on `b` and on the network, early stopping.
//!
//! Promise: the objective does not rise (but for Adam's steps on the network); an error leaves a state that can be
//! saved. Beyond the paper: the prefit before the first pattern, and polishing after each step. Tested in
//! `tests/training.rs`.

use super::optimize::adam::Adam;
use super::optimize::line_search::LineSearch;
use super::optimize::{convex, polish};
use super::path::lambda::PathPoint;
use super::select::PatternStep;
use super::{AnyRun, Objective, PassDone, PassPhase, TrainError};
use einsicht_graph::{Support, stop};
use einsicht_model::params::NetworkOptimizer;
use einsicht_model::{BeforeStep, Iterate, StoppedBy};
use einsicht_search::SearchError;
use einsicht_search::feature::Column;
use std::sync::Arc;

/// The outcome of the steps on bias, network and all weights.
struct FittedWeights {
    /// The objective after them.
    loss: f64,
    /// The objective after the step on `b`.
    after_bias: f64,
    network_steps: usize,
}

impl AnyRun<'_> {
    /// One pass of Algorithm 1; `None` if the path is complete. `enter` is called when a phase of the pass begins. A
    /// thread that is stopped in its middle, see [`stop`], leaves the state of before the pass, and the error is
    /// [`SearchError::Stopped`].
    pub(super) fn step_by_phase(&mut self, enter: &mut dyn FnMut(PassPhase)) -> Result<Option<PassDone>, TrainError> {
        if self.is_done() {
            return Ok(None);
        }
        let before = self.state.without_results();
        stop::catch(|| self.whole_pass(enter)).unwrap_or_else(|stop::Stopped| {
            self.state.return_to(before);
            Err(SearchError::Stopped.into())
        })
    }

    fn whole_pass(&mut self, enter: &mut dyn FnMut(PassPhase)) -> Result<Option<PassDone>, TrainError> {
        let (data, network) = (Arc::clone(&self.data), self.network.clone());
        let mut objective = Objective::new(&data.train, &data.weights, &network, self.params.activation, self.decay);
        let mut iterate = std::mem::take(&mut self.state.current);
        enter(PassPhase::Network);
        self.prefit(&mut objective, &mut iterate);
        enter(PassPhase::Search);
        if let Err(error) = self.let_pair_enter(&mut objective, &mut iterate) {
            self.state.current = iterate; // a failed search leaves a state that can be saved
            return Err(error);
        }
        let before = iterate.clone();

        // Lines 7 to 11: search, then the step on B.
        let point = self.path_point(&mut objective, &iterate);
        let stepped =
            point.and_then(|point| Ok((point, self.step_patterns(&mut objective, &mut iterate, point, enter)?)));
        let (point, selected) = match stepped {
            Ok(stepped) => stepped,
            Err(error) => {
                self.state.current = before; // a failed search leaves a state that can be saved
                return Err(error);
            }
        };
        if let Some(step) = selected.step {
            let size = point.size().unwrap_or(iterate.patterns.len());
            self.state.before = Some(BeforeStep { size, lambda: point.lambda(), step, iterate: before.clone() });
        }

        // Lines 12 and 13: b, then the network; then, beyond the paper, all weights together.
        enter(PassPhase::Network);
        let fitted = self.fit_weights(&mut objective, &mut iterate, point);

        enter(PassPhase::Judging);
        let stalled = iterate == before;
        self.state.current = iterate;
        let done = self.finish_pass(point, selected, &fitted, (stalled, before.patterns.len()));
        if let Some(stopped_by) = done.stopped_by {
            enter(PassPhase::Heads);
            self.finish_point(point, stopped_by, &mut objective);
        }
        Ok(Some(done))
    }

    /// Fits bias and network before the first pattern, so that the first choice does not depend on the random start.
    fn prefit(&mut self, objective: &mut Objective<'_>, iterate: &mut Iterate) {
        if self.state.prefitted {
            return;
        }
        let steps = self.params.prefit_steps;
        if self.params.network_optimizer == NetworkOptimizer::Adam {
            let no_patterns = objective.zero_sums();
            self.adam_steps(objective, &no_patterns, iterate, steps);
        } else {
            // Without weight decay: where the classes are balanced it would pull the network to zero, and with
            // it every gradient.
            let data = &self.data;
            let mut plain = Objective::new(&data.train, &data.weights, &self.network, self.params.activation, 0.0);
            polish::fit_fixed(&mut plain, (&[], &[]), iterate, &[], steps);
        }
        self.state.prefitted = true;
    }

    /// Steps on `b` and on the network, then polishing, if there is any.
    fn fit_weights(&mut self, objective: &mut Objective<'_>, iterate: &mut Iterate, point: PathPoint) -> FittedWeights {
        let mut sums = objective.zero_sums();
        self.train_sums(iterate, &mut sums);
        let data_loss = objective.data_loss(&sums, &iterate.bias, &iterate.network);
        let loss = objective.with_decay(data_loss, iterate.squares());
        let search = LineSearch { step_sizes: &self.step_sizes, sufficient_decrease: self.params.armijo };
        let (loss, _) = search.step_bias(objective, &sums, iterate, loss);
        let penalties = iterate.penalties(point.lambda().unwrap_or(0.0), &self.params.require);
        let after_bias = loss + iterate.penalty(&penalties);
        let steps = self.params.network_steps;
        let (loss, network_steps) = match self.params.network_optimizer {
            NetworkOptimizer::Gd => search.step_network(objective, &sums, iterate, loss, steps),
            NetworkOptimizer::Adam => self.adam_steps(objective, &sums, iterate, steps),
        };
        let loss = loss + iterate.penalty(&penalties);
        let loss = match self.polish(objective, iterate, &penalties) {
            None => loss,
            Some(polished) => {
                self.state.adam.start_over();
                polished
            }
        };
        FittedWeights { loss, after_bias, network_steps }
    }

    /// Fits all weights on the fixed patterns and pairs, if the parameters ask for it; the penalised loss after it.
    pub(super) fn polish(
        &self,
        objective: &mut Objective<'_>,
        iterate: &mut Iterate,
        penalties: &[f64],
    ) -> Option<f64> {
        if self.params.polish_steps == 0 {
            return None;
        }
        let supports: Vec<Arc<Support>> = self.train_supports(iterate).cloned().collect();
        let columns: Vec<Column<'_>> = supports.iter().map(|s| self.values.column(s)).collect();
        if self.params.is_convex() {
            let total = self.data.train.total_weight(&self.data.weights);
            return Some(convex::fit_convex(objective, &columns, iterate, penalties, total));
        }
        let columns = (&columns[..], &self.pair_columns(iterate)[..]);
        Some(polish::fit_fixed(objective, columns, iterate, penalties, self.params.polish_steps))
    }

    /// Counts the pass, asks early stopping, and reports. `stalled` says whether no parameter has changed.
    fn finish_pass(
        &mut self,
        point: PathPoint,
        selected: PatternStep,
        fitted: &FittedWeights,
        (stalled, patterns_before): (bool, usize),
    ) -> PassDone {
        self.state.iteration += 1;
        self.state.visited.resize(self.state.size_at + 1, 0);
        self.state.visited[self.state.size_at] += selected.stats.visited;
        let figures = self.valid_figures();
        let patterns = self.state.current.patterns.len();
        // On the way to a size, pattern after pattern, there is no early stopping.
        let is_growing = matches!(point, PathPoint::Size(here) if here < self.params.sizes[self.state.size_at])
            && patterns > patterns_before;
        let stopped_by = match () {
            () if selected.too_many => Some(StoppedBy::Patterns),
            () if is_growing => None,
            () => self.check_stopping(figures, stalled, selected.settled),
        };
        PassDone {
            size: point.size().unwrap_or(patterns),
            lambda: point.lambda(),
            iteration: self.state.iteration,
            objective: fitted.loss,
            around_selection: [selected.loss_before, fitted.after_bias],
            valid_loss: (self.data.valid.rows() > 0).then_some(figures.loss),
            patterns,
            step: selected.step,
            network_steps: fitted.network_steps,
            search: selected.stats,
            stopped_by,
        }
    }

    /// Fits the network by Adam on a fixed mining layer. Returns the loss after it and the number of steps.
    fn adam_steps(
        &mut self,
        objective: &mut Objective<'_>,
        sums: &[f64],
        iterate: &mut Iterate,
        steps: usize,
    ) -> (f64, usize) {
        objective.data_loss(sums, &iterate.bias, &iterate.network);
        let mut state = std::mem::take(&mut self.state.adam);
        let adam = Adam {
            params: &self.params,
            network: &self.network,
            targets: &self.data.train,
            weights: &self.data.weights,
            hidden: objective.hidden(),
        };
        adam.run(&mut iterate.network, &mut state, steps);
        self.state.adam = state;
        let data_loss = objective.data_loss(sums, &iterate.bias, &iterate.network);
        (objective.with_decay(data_loss, iterate.squares()), steps)
    }
}
