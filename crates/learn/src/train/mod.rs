//! Training (Algorithm 1): one serialisable state and a `step`.
//!
//! Promise: the objective never rises from one pass to the next; equal data, parameters and seed give equal
//! bits whatever the search did to save work; a saved state goes on as if nothing had happened. The trainer
//! knows neither files nor clocks, nor how the search or the matcher work.

mod data;
mod event;
pub mod external;
mod gradients;
mod iterate;
mod optimize;
mod path;
mod select;
mod state;

pub use data::{DataError, GnnData, TrainData};
pub use event::{Observer, Part, PassDone};
pub use iterate::{BeforeStep, Iterate, PatternWeights};
pub use optimize::adam::AdamState;
pub use path::lambda::LambdaPath;
pub use path::{Member, PathEntry, StoppedBy, choose};
pub use state::{BestIterate, TrainState};

use crate::features::PatternMatcher;
use crate::forward::ForwardPass;
use crate::forward::mining;
use crate::forward::network::Network;
use crate::model::{Model, Source};
use crate::params::{CheckedParams, NetworkOptimizer, Penalty, TrainParams};
use crate::task::metrics::{Metric, metrics};
use crate::task::num_outputs;
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split};
use einsicht_graph::{DfsCode, Support};
use einsicht_search::feature::{Column, Values};
use einsicht_search::{Search, SearchError};
pub(crate) use iterate::squares as squares_of;
use optimize::adam::Adam;
pub(crate) use optimize::lbfgs;
use optimize::line_search::Descent;
pub(crate) use optimize::objective::Objective;
use optimize::{convex, polish};
use path::lambda::PathPoint;
use rustc_hash::FxHashMap;
use select::PatternStep;
pub(crate) use select::hard_threshold::{ColumnCandidate, ThresholdRules, column_candidates, threshold_step};
use std::sync::Arc;

/// Why training ended without a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The data do not serve.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A required pattern that cannot be in use.
    #[error("a required pattern {reason}")]
    Required {
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All sizes are done.
    Finished,
    /// The observer ended it; the state can be continued.
    Stopped,
}

/// A training under way.
pub struct Trainer<S, P> {
    params: TrainParams,
    data: Arc<TrainData>,
    search: S,
    presence: P,
    network: Network,
    /// The same for the validation and test parts.
    held_out: Network,
    /// `Gamma`, decreasing.
    step_sizes: Vec<f64>,
    /// Weight decay for a loss that is a sum.
    decay: f64,
    metric: Metric,
    values: Values,
    /// Supports of the patterns that are never chosen.
    banned: Vec<Arc<Support>>,
    /// Supports in the training part and in the validation and test parts, by pattern. Never iterated over.
    supports: FxHashMap<DfsCode, [Arc<Support>; 2]>,
    /// Whether [`Self::finish_early`] has ended the path before its end.
    cut_short: bool,
    state: TrainState,
}

impl<S: Search, P: PatternMatcher> Trainer<S, P> {
    /// Starts a training. `presence` answers for the graphs of the validation part, then those of the test part.
    pub fn new(params: &CheckedParams, data: Arc<TrainData>, search: S, presence: P) -> Result<Self, TrainError> {
        let mut state = TrainState::default();
        let nothing = vec![0.0; params.get().clone().for_outputs(num_outputs(&data.tasks)).hidden];
        let required = params.get().require.iter();
        state.current.patterns =
            required.map(|code| PatternWeights { code: code.clone(), weights: nothing.clone() }).collect();
        state.current.patterns.sort_by(|a, b| a.code.cmp_by_size(&b.code));
        let mut trainer = Self::resume(params, data, search, presence, state)?;
        let mut random = Random::new(trainer.params.seed);
        trainer.state.current.network = trainer.network.random_parameters(&mut random);
        let reach = 1.0 / (trainer.params.hidden as f64).sqrt();
        let mut weight = || reach * (2.0 * random.unit() - 1.0);
        trainer.state.current.bias = (0..trainer.params.hidden).map(|_| weight()).collect();
        Ok(trainer)
    }

    /// Goes on from a state that [`Self::state`] gave for the same parameters and data.
    pub fn resume(
        params: &CheckedParams,
        data: Arc<TrainData>,
        search: S,
        presence: P,
        state: TrainState,
    ) -> Result<Self, TrainError> {
        let params = params.get().clone().for_outputs(num_outputs(&data.tasks));
        let metric = params.select.unwrap_or_else(|| data.usual_metric(params.head));
        let zeros = vec![0.0; data.valid.rows() * data.valid.outputs()];
        if !metrics(&data.tasks, &data.valid, &zeros).contains_key(metric.name()) {
            return Err(DataError::NoSuchMetric { metric }.into());
        }
        let total = data.train.total_weight(&data.weights);
        let [network, held_out] = data.networks(&params)?;
        let mut trainer = Self {
            // Adam fits the graph network by itself; all else then takes it as it is.
            network: network.with_gnn_fitted(params.network_optimizer == NetworkOptimizer::Gd),
            held_out,
            step_sizes: step_sizes(&params, total),
            decay: params.weight_decay * total,
            values: params.values(),
            params,
            data,
            search,
            presence,
            metric,
            banned: Vec::new(),
            supports: FxHashMap::default(),
            cut_short: false,
            state,
        };
        let TrainState { current, kept, entries, .. } = &trainer.state;
        // The last entry too: a penalty that lets in too many patterns goes back to it.
        let iterates =
            [Some(current), kept.as_ref().map(|kept| &kept.iterate), entries.last().map(|last| &last.iterate)];
        let codes = iterates.into_iter().flatten().flat_map(|iterate| &iterate.patterns).map(|p| p.code.clone());
        let mut codes: Vec<DfsCode> = codes.collect();
        codes.sort_by(DfsCode::cmp_by_size);
        codes.dedup();
        let mut known = Vec::with_capacity(codes.len());
        for code in codes {
            let support = trainer.search.lookup(&code)?;
            known.push((code, support));
        }
        trainer.note_supports(&known);
        trainer.banned = trainer.banned_supports()?;
        Ok(trainer)
    }

    /// Where the training stands: save this to go on later.
    pub fn state(&self) -> &TrainState {
        &self.state
    }

    /// The search, to tell it how to work; what it finds stays the same.
    pub fn search_mut(&mut self) -> &mut S {
        &mut self.search
    }

    /// The search and the matcher, for another training on the same graphs.
    pub fn into_parts(self) -> (S, P) {
        (self.search, self.presence)
    }

    /// The targets it trains on.
    pub fn data(&self) -> &TrainData {
        &self.data
    }

    /// The parameters it was started with.
    pub fn params(&self) -> &TrainParams {
        &self.params
    }

    /// The model of all sizes that are done; `None` if none is.
    pub fn model(&mut self, dataset: &Dataset, split: &Split) -> Result<Option<Model>, TrainError> {
        let source = Source { dataset, split, data: &self.data, params: &self.params };
        let model = Model::new(source, self.state.entries.clone(), self.metric, &mut self.search)?;
        Ok(model.map(|model| Model { complete: self.is_done() && !self.cut_short, ..model }))
    }

    /// The metric that chooses among the entries.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Steps until all sizes are done or the observer stops it.
    pub fn run(&mut self, observer: &mut Observer<'_>) -> Result<Ended, TrainError> {
        while let Some(pass) = self.step()? {
            if observer(&pass).is_break() {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Finished)
    }

    /// How many entries the path may have.
    fn num_points(&self) -> usize {
        match self.params.penalty {
            Penalty::L0 => self.params.sizes.len(),
            Penalty::L1 => self.params.lambdas,
        }
    }

    /// Whether the path is at its end.
    pub fn is_done(&self) -> bool {
        self.state.size_at >= self.num_points()
    }

    /// One pass of Algorithm 1; `None` when all sizes are done.
    pub fn step(&mut self) -> Result<Option<PassDone>, TrainError> {
        self.step_by_parts(&mut |_| {})
    }

    /// The same; `enter` is told when a part of the pass begins.
    pub fn step_by_parts(&mut self, enter: &mut dyn FnMut(Part)) -> Result<Option<PassDone>, TrainError> {
        if self.is_done() {
            return Ok(None);
        }
        let (data, network) = (Arc::clone(&self.data), self.network.clone());
        let mut objective = Objective::new(&data.train, &data.weights, &network, self.params.activation, self.decay);
        let mut iterate = std::mem::take(&mut self.state.current);
        enter(Part::Network);
        if !self.state.prefitted && self.params.network_optimizer == NetworkOptimizer::Adam {
            let nothing = objective.zero_sums();
            self.adam_steps(&mut objective, &nothing, &mut iterate, self.params.prefit_steps);
        } else if !self.state.prefitted {
            // Without weight decay: where the classes are balanced it would pull the network to zero, and with
            // it every gradient.
            let mut plain = Objective::new(&data.train, &data.weights, &network, self.params.activation, 0.0);
            polish::fit_fixed(&mut plain, &[], &mut iterate, &[], self.params.prefit_steps);
        }
        self.state.prefitted = true;
        let before = iterate.clone();

        // Lines 7 to 11: search, then the step on B.
        let point = self.point(&mut objective, &iterate);
        let stepped =
            point.and_then(|point| Ok((point, self.step_patterns(&mut objective, &mut iterate, point, enter)?)));
        let (point, done) = match stepped {
            Ok(done) => done,
            Err(error) => {
                self.state.current = before; // a failed search leaves a state that can be saved
                return Err(error);
            }
        };
        let PatternStep { step, stats, loss_before, settled, too_many } = done;
        let size = match point {
            PathPoint::Size(size) => size,
            PathPoint::Lambda(_) => iterate.patterns.len(),
        };
        if let Some(step) = step {
            self.state.before = Some(BeforeStep { size, lambda: point.lambda(), step, iterate: before.clone() });
        }
        enter(Part::Network);
        // Lines 12 and 13: b, then the network; then, beyond the paper, all weights together.
        let lambda = point.lambda().unwrap_or(0.0);
        let mut sums = objective.zero_sums();
        self.train_sums(&iterate, &mut sums);
        let data_loss = objective.data_loss(&sums, &iterate.bias, &iterate.network);
        let loss = objective.with_decay(data_loss, iterate.squares());
        let descent = Descent { step_sizes: &self.step_sizes, sufficient_decrease: self.params.sufficient_decrease };
        let (loss, _) = descent.step_bias(&mut objective, &sums, &mut iterate, loss);
        let penalties = iterate.penalties(lambda, &self.params.require);
        let around_selection = [loss_before, loss + iterate.penalty(&penalties)];
        let (loss, network_steps) = match self.params.network_optimizer {
            NetworkOptimizer::Gd => {
                descent.step_network(&mut objective, &sums, &mut iterate, loss, self.params.network_steps)
            }
            NetworkOptimizer::Adam => self.adam_steps(&mut objective, &sums, &mut iterate, self.params.network_steps),
        };
        let mut loss = loss + iterate.penalty(&penalties);
        if self.params.polish_steps > 0 {
            let supports: Vec<Arc<Support>> = self.train_supports(&iterate).cloned().collect();
            let columns: Vec<Column<'_>> = supports.iter().map(|s| self.values.column(s)).collect();
            if self.params.is_convex() {
                let total = data.train.total_weight(&data.weights);
                loss = convex::fit_convex(&mut objective, &columns, &mut iterate, &penalties, total);
            } else {
                loss = polish::fit_fixed(&mut objective, &columns, &mut iterate, &penalties, self.params.polish_steps);
            }
        }

        enter(Part::Judging);
        let stalled = iterate == before;
        self.state.current = iterate;
        self.state.iteration += 1;
        self.state.visited.resize(self.state.size_at + 1, 0);
        self.state.visited[self.state.size_at] += stats.visited;
        let valid_loss = self.valid_loss();
        let patterns = self.state.current.patterns.len();
        // On the way to a size, pattern after pattern, nothing is judged.
        let is_growing = matches!(point, PathPoint::Size(here) if here < self.params.sizes[self.state.size_at])
            && patterns > before.patterns.len();
        let stopped_by = match () {
            () if too_many => Some(StoppedBy::Patterns),
            () if is_growing => None,
            () => self.judge(valid_loss, stalled, settled),
        };
        let done = PassDone {
            size: point.lambda().map_or(size, |_| patterns),
            lambda: point.lambda(),
            iteration: self.state.iteration,
            objective: loss,
            around_selection,
            valid_loss,
            patterns,
            step,
            network_steps,
            search: stats,
            stopped_by,
        };
        if let Some(stopped_by) = stopped_by {
            self.finish_point(point, stopped_by, &mut objective);
        }
        Ok(Some(done))
    }

    /// Fits the network by Adam while the mining layer stands still. Returns the loss after it and the steps made.
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

    /// Remembers where patterns occur; the matcher is asked about new ones only, all at once.
    fn note_supports(&mut self, patterns: &[(DfsCode, Arc<Support>)]) {
        let new: Vec<&(DfsCode, Arc<Support>)> =
            patterns.iter().filter(|(code, _)| !self.supports.contains_key(code)).collect();
        if new.is_empty() {
            return;
        }
        let codes: Vec<DfsCode> = new.iter().map(|(code, _)| code.clone()).collect();
        let held_out = self.presence.supports(&codes, self.values);
        for ((code, support), held_out) in new.into_iter().zip(held_out) {
            self.supports.insert(code.clone(), [Arc::clone(support), held_out]);
        }
    }

    fn train_supports<'s>(&'s self, iterate: &'s Iterate) -> impl Iterator<Item = &'s Arc<Support>> {
        iterate.patterns.iter().map(|p| &self.supports[&p.code][0])
    }

    fn train_sums(&self, iterate: &Iterate, sums: &mut [f64]) {
        let supports = self.train_supports(iterate).map(|s| self.values.column(s));
        mining::sums_of_columns(sums, supports.zip(iterate.patterns.iter().map(|p| &p.weights[..])));
    }

    /// Forward pass over the validation set, then the test set.
    fn held_out_pass(&self, iterate: &Iterate) -> ForwardPass {
        let rows = self.data.valid.rows() + self.data.test.rows();
        let mut sums = vec![0.0; rows * self.params.hidden];
        let columns = iterate.patterns.iter().map(|p| self.values.column(&self.supports[&p.code][1]));
        mining::sums_of_columns(&mut sums, columns.zip(iterate.patterns.iter().map(|p| &p.weights[..])));
        let mut pass = ForwardPass::new(&self.held_out, self.params.activation, rows);
        pass.run(&self.held_out, &sums, &iterate.bias, &iterate.network);
        pass
    }

    fn valid_loss(&self) -> f64 {
        let valid = &self.data.valid;
        let pass = self.held_out_pass(&self.state.current);
        let weights = vec![1.0; valid.rows()];
        let outputs = &pass.outputs()[..valid.rows() * valid.outputs()];
        valid.loss(outputs, &weights) / valid.total_weight(&weights)
    }
}

/// `Gamma`: the first step and its successors, decreasing.
pub(crate) fn step_sizes(params: &TrainParams, total_weight: f64) -> Vec<f64> {
    let mut step = params.max_step / total_weight;
    let mut sizes = Vec::with_capacity(params.step_trials);
    for _ in 0..params.step_trials {
        sizes.push(step);
        step *= params.step_ratio;
    }
    sizes
}
