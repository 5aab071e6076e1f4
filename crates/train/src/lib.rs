//! Training of the exact subgraph isomorphism network (EIN): parameters in, a model out.
//!
//! What a model is and how it predicts is [`einsicht_model`]. This page explains the training from the naive loop up,
//! and where each step is.
//!
//! # The naive loop
//!
//! List all patterns of the training graphs, then repeat:
//!
//! ```text
//! delta  = derivative of the loss by h, for each graph and hidden unit      (one backward pass)
//! grad_H = sum of delta over the graphs that contain H                      for every pattern H
//! B      = the s largest columns of  B - gamma grad                         (hard thresholding)
//! b, theta = one gradient step each
//! ```
//!
//! until the validation loss no longer falls. There may be millions of patterns, and one gradient step per pass is slow
//! to converge. Six ideas turn the loop into what runs; the first two are the paper's, and none makes the choice of
//! patterns less exact.
//!
//! 1. **Search instead of listing.** An upper bound on the gradient norm of all patterns that contain `H` prunes whole
//!    subtrees. That is the crate [`einsicht_search`]; it receives `delta` and returns the candidates of the step,
//!    exactly.
//! 2. **Line search.** `gamma` is the first of `gamma_max rho^j` that decreases the loss enough (Armijo's condition):
//!    `select/hard_threshold.rs` for `B`, `optimize/line_search.rs` for `b` and `theta`.
//! 3. **A path with warm starts.** Sizes `s` grow, each starts from the best iterate of the one before, and early
//!    stopping ends it: `path`. With the group lasso (`L1,2`) the path is one of decreasing penalties `lambda`
//!    (`path/lambda.rs`, `select/proximal.rs`).
//! 4. **Fits between selections.** Before the first pattern (*prefit*) and after each step (*polishing*) all weights
//!    are fitted on the fixed patterns by L-BFGS: `optimize/polish.rs`. Not in the paper.
//! 5. **Heads.** The chosen patterns are read by a linear model, a forest or both instead of the network:
//!    `einsicht_model::heads`, `einsicht_forest`. Not in the paper.
//! 6. **Sums in one order.** Equal input gives equal bits, whatever the threads: sums over graphs run in increasing
//!    order everywhere, and rows with equal sums are computed once (`einsicht_model::forward`).
//!
//! # Layout
//!
//! One training:
//! - `pass.rs`: one pass, from the search for candidates to early stopping;
//! - `select/`: the step on `B`, by hard thresholding or by the proximal operator of the group lasso;
//! - `optimize/`: the weights on fixed patterns: line search, L-BFGS, Adam; `heads/`: the fit of heads;
//! - `linear_start.rs`: the linear model from which the path of the group lasso may start;
//! - `path/`: the path of sizes or of penalties, early stopping, the heads of its entries;
//! - `run.rs`: what a training holds, without the kind of its search; `assemble.rs`: the model of a finished path;
//! - `purpose.rs`: what a training is for: a model, the held-out predictions of a fold, or the model that folds have
//!   chosen;
//! - `data.rs`, `state.rs`, `event.rs`: what is read, saved and reported;
//! - `external.rs`: search and step for a network in other software; `gradients.rs`: gradients for checks by other
//!   software.
//!
//! Whole trainings: one ([`fit`]), many ([`resample`], [`grid`]), graphs on several workers ([`shards`]); how large and
//! how many subgraphs may be (`settled.rs`), splits by default (`splits.rs`), what runs side by side
//! ([`side_by_side`]), what is saved ([`checkpoint`]).
//!
//! Promise: the objective never rises from one pass to the next; equal data, parameters and seed give equal bits,
//! whatever the search did to save work; a saved state continues as if it had never been interrupted. The trainer knows
//! neither files nor clocks, nor how the search or the matcher work. Tested in `crates/train/tests`.
//!
//! # Example
//!
//! ```
//! use einsicht_data::generate::{Synthetic, generate};
//! use einsicht_data::split::seeded::{Fractions, default_split};
//! use einsicht_train::fit::{Fit, FitOptions};
//! use einsicht_model::params::TrainParams;
//!
//! let cycle = generate(Synthetic::Cycle, 0).subset(&(250..350).collect::<Vec<_>>());
//! let split = default_split(&cycle, Fractions { valid: 0.2, test: 0.2 }, 0)?;
//! let params = TrainParams { sizes: vec![1, 2], max_edges: 3, max_iterations: 5, ..TrainParams::ein() }.check()?;
//!
//! // One pass after the other: the step on `B` and on `b` never raises the objective.
//! let fit = Fit::new(&cycle, &split, &params, None, &FitOptions::default())?;
//! let mut training = fit.start(None, None)?;
//! while let Some(pass) = training.step()? {
//!     assert!(pass.around_selection[1] <= pass.around_selection[0]);
//! }
//! let model = fit.model(&mut training)?.expect("a path of two sizes");
//! assert_eq!(model.entries.len(), 2);
//!
//! // The model is a file of its own, and predicts any graph.
//! let file = model.to_bytes()?;
//! let loaded = einsicht_model::Model::from_bytes(&file)?;
//! assert_eq!(loaded.predict(loaded.chosen, &cycle, &[0, 1]), model.predict(model.chosen, &cycle, &[0, 1]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assemble;
mod bounded_parallel;
pub mod checkpoint;
mod data;
mod event;
pub mod external;
pub mod fit;
mod gradients;
pub mod grid;
mod heads;
mod linear_start;
mod optimize;
mod pass;
mod path;
mod purpose;
pub mod resample;
mod run;
mod select;
mod settled;
pub mod shards;
pub mod side_by_side;
mod splits;
mod state;

pub use assemble::add_members;
pub use bounded_parallel::bounded_parallel;
pub use data::{DataError, SideData, TrainData};
pub use event::{PassDone, PassPhase};
pub use gradients::{Gradients, gradients};
pub use optimize::adam::AdamState;
pub use path::lambda::LambdaPath;
pub(crate) use purpose::Purpose;
pub use state::{BestIterate, TrainState};

pub(crate) use optimize::objective::Objective;
pub(crate) use select::hard_threshold::{ColumnCandidate, ThresholdRules, column_candidates, threshold_step};
pub use select::shortlist::{AS_GOOD, ROUNDING, ease};

use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split};
use einsicht_model::features::PatternMatcher;
use einsicht_model::params::{CheckedParams, NetworkOptimizer, TrainParams};
use einsicht_model::task::metrics::Metric;
use einsicht_model::task::num_outputs;
use einsicht_model::{Model, PatternWeights};
use einsicht_search::{Search, SearchError};
use run::{AnyRun, Parts, Run};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why training ended without a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum TrainError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error("a required pattern {reason}")]
    Required { reason: &'static str },
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
        let mut trainer = Self::with_state(params, data, parts, purpose, state)?;
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
            Some(state) => Self::with_state(params, data, parts, purpose, state),
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
        Self::with_state(params, data, (search, matcher), Purpose::Model, state)
    }

    fn with_state(
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

    /// Runs passes until the path is complete.
    pub fn run(&mut self) -> Result<(), TrainError> {
        while self.step()?.is_some() {}
        Ok(())
    }

    /// One pass of Algorithm 1; `None` if the path is complete.
    pub fn step(&mut self) -> Result<Option<PassDone>, TrainError> {
        self.step_by_phase(&mut |_| {})
    }

    /// The same; `enter` is called when a phase of the pass begins. A thread that is stopped in its middle, see
    /// [`einsicht_graph::stop`], leaves the state of before the pass, and the error is [`SearchError::Stopped`].
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

/// `J + 1`: the step sizes that a line search tries before it gives up.
const STEP_TRIALS: usize = 20;

/// `Gamma`: the step sizes of the line searches, decreasing.
pub fn step_sizes(params: &TrainParams, total_weight: f64) -> Vec<f64> {
    let first = params.max_step / total_weight;
    std::iter::successors(Some(first), |step| Some(step * params.step_shrink)).take(STEP_TRIALS).collect()
}
