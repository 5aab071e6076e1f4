//! Training (Algorithm 1): one serialisable state and a `step`.
//!
//! - `pass.rs`: one pass, from the search for candidates to early stopping;
//! - `select/`: the step on `B`, by hard thresholding or by the proximal operator of the group lasso;
//! - `optimize/`: the weights on fixed patterns: line search, L-BFGS, Adam;
//! - `linear_start.rs`: the linear model from which the path of the group lasso may start;
//! - `path/`: the path of sizes or of penalties, early stopping, the heads of its entries;
//! - `run.rs`: what a training holds, without the kind of its search;
//! - `purpose.rs`: what a training is for: a model, the held-out predictions of a fold, or the model that folds have chosen;
//! - `data.rs`, `iterate.rs`, `state.rs`, `event.rs`: what is read, learnt, saved and reported;
//! - `external.rs`: search and step for a network in other software; `gradients.rs`: gradients for checks by other software.
//!
//! Promise: the objective never rises from one pass to the next; equal data, parameters and seed give equal bits, whatever
//! the search did to save work; a saved state continues as if it had never been interrupted. The trainer knows neither files
//! nor clocks, nor how the search or the matcher work. Tested in `crates/learn/tests`.

mod data;
mod event;
pub mod external;
mod gradients;
mod iterate;
mod linear_start;
mod optimize;
mod pass;
mod path;
mod purpose;
mod run;
mod select;
mod state;

pub use data::{DataError, GnnData, TrainData};
pub use event::{Observer, PassDone, PassPhase};
pub use gradients::Gradients;
pub use iterate::{BeforeStep, Iterate, PairWeights, PatternWeights};
pub use optimize::adam::AdamState;
pub use path::lambda::LambdaPath;
pub use path::{Member, PathEntry, StoppedBy, choose};
pub(crate) use purpose::Purpose;
pub use state::{BestIterate, TrainState};

pub(crate) use iterate::squares as squares_of;
pub(crate) use optimize::lbfgs;
pub(crate) use optimize::objective::Objective;
pub(crate) use select::hard_threshold::{ColumnCandidate, ThresholdRules, column_candidates, threshold_step};
pub(crate) use select::shortlist::{AS_GOOD, ROUNDING, ease};

use crate::features::PatternMatcher;
use crate::model::Model;
use crate::params::{CheckedParams, NetworkOptimizer, TrainParams};
use crate::task::metrics::Metric;
use crate::task::num_outputs;
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split};
use einsicht_search::{Search, SearchError};
use run::{AnyRun, Parts, Run};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why training ended without a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The data cannot be trained on.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A required pattern that cannot be active.
    #[error("a required pattern {reason}")]
    Required {
        /// What must hold for it.
        reason: &'static str,
    },
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The path is complete.
    Finished,
    /// The observer stopped it; the state can be continued.
    Stopped,
}

/// A training in progress.
pub struct Trainer<S, P> {
    run: Run<Parts<S, P>>,
}

impl<S: Search, P: PatternMatcher> Trainer<S, P> {
    /// Starts a training. `matcher` answers for the graphs of the validation set, then those of the test set.
    pub fn new(params: &CheckedParams, data: Arc<TrainData>, search: S, matcher: P) -> Result<Self, TrainError> {
        Self::start(params, data, (search, matcher), Purpose::Model, None)
    }

    fn begin(
        params: &CheckedParams,
        data: Arc<TrainData>,
        parts: (S, P),
        purpose: Purpose,
    ) -> Result<Self, TrainError> {
        let (parts, start) = linear_start::linear_model(params, &data, parts)?;
        let mut state = TrainState::default();
        let nothing = vec![0.0; params.get().clone().for_outputs(num_outputs(&data.tasks)).hidden];
        let required = params.get().require.iter();
        state.current.patterns =
            required.map(|code| PatternWeights { code: code.clone(), weights: nothing.clone() }).collect();
        state.current.patterns.sort_by(|a, b| a.code.cmp_by_size(&b.code));
        let mut trainer = Self::resume_as(params, data, parts, purpose, state)?;
        let run = trainer.any();
        let mut random = Random::new(run.params.seed);
        run.state.current.network = run.network.random_parameters(&mut random);
        let reach = 1.0 / (run.params.hidden as f64).sqrt();
        let mut weight = || reach * (2.0 * random.unit() - 1.0);
        run.state.current.bias = (0..run.params.hidden).map(|_| weight()).collect();
        if let Some(linear) = start {
            run.state.current.start_from(&linear);
            run.find_supports()?;
        }
        Ok(trainer)
    }

    /// Starts a training, or continues from a saved state.
    pub(crate) fn start(
        params: &CheckedParams,
        data: Arc<TrainData>,
        parts: (S, P),
        purpose: Purpose,
        state: Option<TrainState>,
    ) -> Result<Self, TrainError> {
        match state {
            None => Self::begin(params, data, parts, purpose),
            Some(state) => Self::resume_as(params, data, parts, purpose, state),
        }
    }

    /// Continues from a state that [`Self::state`] gave for the same parameters and data.
    pub fn resume(
        params: &CheckedParams,
        data: Arc<TrainData>,
        search: S,
        matcher: P,
        state: TrainState,
    ) -> Result<Self, TrainError> {
        Self::resume_as(params, data, (search, matcher), Purpose::Model, state)
    }

    fn resume_as(
        params: &CheckedParams,
        data: Arc<TrainData>,
        (search, matcher): (S, P),
        purpose: Purpose,
        state: TrainState,
    ) -> Result<Self, TrainError> {
        let mut params = params.get().clone().for_outputs(num_outputs(&data.tasks));
        // Without folds the validation set chooses, whatever the parameters say.
        params.refit &= !matches!(purpose, Purpose::Model);
        let metric = match purpose.metric() {
            Some(metric) => metric,
            None => TrainData::metric(&data.tasks, &data.valid, &params)?,
        };
        let total = data.train.total_weight(&data.weights);
        let [network, held_out] = data.networks(&params)?;
        let mut run = Run {
            // Adam fits the graph network; every other optimiser then keeps it fixed.
            network: network.with_gnn_fitted(params.network_optimizer == NetworkOptimizer::Gd),
            held_out,
            step_sizes: step_sizes(&params, total),
            decay: params.weight_decay * total,
            values: params.values(),
            params,
            data,
            metric,
            purpose,
            banned: Vec::new(),
            supports: FxHashMap::default(),
            cut_short: false,
            state,
            asked: Parts { search, matcher },
        };
        let any: &mut AnyRun<'_> = &mut run;
        any.find_supports()?;
        any.banned = any.banned_supports()?;
        Ok(Self { run })
    }

    /// The state: save it to continue later.
    pub fn state(&self) -> &TrainState {
        &self.run.state
    }

    /// The search, to change how it works; what it finds stays the same.
    pub fn search_mut(&mut self) -> &mut S {
        &mut self.run.asked.search
    }

    /// The search and the matcher, for another training on the same graphs.
    pub fn into_parts(self) -> (S, P) {
        (self.run.asked.search, self.run.asked.matcher)
    }

    /// The targets.
    pub fn data(&self) -> &TrainData {
        &self.run.data
    }

    /// The parameters.
    pub fn params(&self) -> &TrainParams {
        &self.run.params
    }

    /// The metric that chooses among the entries.
    pub fn metric(&self) -> Metric {
        self.run.metric
    }

    /// Runs passes until the path is complete or the observer stops it.
    pub fn run(&mut self, observer: &mut Observer<'_>) -> Result<Ended, TrainError> {
        while let Some(pass) = self.step()? {
            if observer(&pass).is_break() {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Finished)
    }

    /// One pass of Algorithm 1; `None` if the path is complete.
    pub fn step(&mut self) -> Result<Option<PassDone>, TrainError> {
        self.step_by_phase(&mut |_| {})
    }

    /// The same; `enter` is called when a phase of the pass begins. A thread that is stopped in its middle, see [`einsicht_graph::stop`], leaves the state of
    /// before the pass, and the error is [`SearchError::Stopped`].
    pub fn step_by_phase(&mut self, enter: &mut dyn FnMut(PassPhase)) -> Result<Option<PassDone>, TrainError> {
        self.any().step_by_phase(enter)
    }

    /// Whether the path is complete.
    pub fn is_done(&self) -> bool {
        let any: &AnyRun<'_> = &self.run;
        any.is_done()
    }

    /// Ends the training with the best iterate so far; the point in progress becomes an entry if it has an iterate.
    pub fn finish_early(&mut self) {
        self.any().finish_early();
    }

    /// The model of all finished entries; `None` if there is none.
    pub fn model(&mut self, dataset: &Dataset, split: &Split) -> Result<Option<Model>, TrainError> {
        self.any().model(dataset, split)
    }

    /// The training without the kind of its search.
    fn any(&mut self) -> &mut AnyRun<'_> {
        &mut self.run
    }
}

/// `Gamma`: the step sizes of the line searches, decreasing.
pub(crate) fn step_sizes(params: &TrainParams, total_weight: f64) -> Vec<f64> {
    let mut step = params.max_step / total_weight;
    let mut sizes = Vec::with_capacity(params.step_trials);
    for _ in 0..params.step_trials {
        sizes.push(step);
        step *= params.step_shrink;
    }
    sizes
}
