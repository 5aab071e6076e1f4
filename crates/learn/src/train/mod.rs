//! Training (Algorithm 1): one serialisable state and a `step`.
//!
//! - `pass.rs`: one pass, from the search for candidates to early stopping;
//! - `select/`: the step on `B`, by hard thresholding or by the proximal operator of the group lasso;
//! - `optimize/`: the weights on fixed patterns: line search, L-BFGS, Adam;
//! - `linear_start.rs`: the linear model from which the path of the group lasso may start;
//! - `path/`: the path of sizes or of penalties, early stopping, the heads of its entries;
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
pub(crate) use select::shortlist::{AS_GOOD, ease};

use crate::features::PatternMatcher;
use crate::folds::{Choice, Folds};
use crate::forward::network::Network;
use crate::forward::{ForwardPass, mining};
use crate::model::{Model, Source};
use crate::params::{CheckedParams, NetworkOptimizer, Penalty, TrainParams};
use crate::task::metrics::Metric;
use crate::task::num_outputs;
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split};
use einsicht_graph::{DfsCode, Support};
use einsicht_search::feature::Values;
use einsicht_search::{Search, SearchError};
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
    params: TrainParams,
    data: Arc<TrainData>,
    search: S,
    matcher: P,
    network: Network,
    /// The network over the validation and test sets.
    held_out: Network,
    /// `Gamma`, decreasing.
    step_sizes: Vec<f64>,
    /// Weight decay for a loss that is a sum.
    decay: f64,
    metric: Metric,
    purpose: Purpose,
    values: Values,
    /// Supports of the excluded patterns.
    banned: Vec<Arc<Support>>,
    /// Supports on the training set, and on the validation and test sets, by pattern. Never iterated over.
    supports: FxHashMap<DfsCode, [Arc<Support>; 2]>,
    /// Whether [`Self::finish_early`] has ended the path.
    cut_short: bool,
    state: TrainState,
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
        let mut random = Random::new(trainer.params.seed);
        trainer.state.current.network = trainer.network.random_parameters(&mut random);
        let reach = 1.0 / (trainer.params.hidden as f64).sqrt();
        let mut weight = || reach * (2.0 * random.unit() - 1.0);
        trainer.state.current.bias = (0..trainer.params.hidden).map(|_| weight()).collect();
        if let Some(linear) = start {
            trainer.state.current.start_from(&linear);
            trainer.find_supports()?;
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
        let mut trainer = Self {
            // Adam fits the graph network; every other optimiser then keeps it fixed.
            network: network.with_gnn_fitted(params.network_optimizer == NetworkOptimizer::Gd),
            held_out,
            step_sizes: step_sizes(&params, total),
            decay: params.weight_decay * total,
            values: params.values(),
            params,
            data,
            search,
            matcher,
            metric,
            purpose,
            banned: Vec::new(),
            supports: FxHashMap::default(),
            cut_short: false,
            state,
        };
        trainer.find_supports()?;
        trainer.banned = trainer.banned_supports()?;
        Ok(trainer)
    }

    /// The state: save it to continue later.
    pub fn state(&self) -> &TrainState {
        &self.state
    }

    /// The search, to change how it works; what it finds stays the same.
    pub fn search_mut(&mut self) -> &mut S {
        &mut self.search
    }

    /// The search and the matcher, for another training on the same graphs.
    pub fn into_parts(self) -> (S, P) {
        (self.search, self.matcher)
    }

    /// The targets.
    pub fn data(&self) -> &TrainData {
        &self.data
    }

    /// The parameters.
    pub fn params(&self) -> &TrainParams {
        &self.params
    }

    /// The model of all finished entries; `None` if there is none.
    pub fn model(&mut self, dataset: &Dataset, split: &Split) -> Result<Option<Model>, TrainError> {
        let choice = match &self.purpose {
            Purpose::Chosen(choice) => Arc::clone(choice),
            Purpose::Model | Purpose::Fold(_) => Arc::new(self.choice_of_validation(split)),
        };
        let source = Source { dataset, split, data: &self.data, params: &self.params, choice: &choice };
        let model = Model::new(source, self.state.entries.clone(), &mut self.search)?;
        Ok(model.map(|model| Model { complete: self.is_done() && !self.cut_short, ..model }))
    }

    /// What the validation set says, as the single fold of the training and validation sets.
    fn choice_of_validation(&self, split: &Split) -> Choice {
        let TrainData { tasks, train, valid, .. } = &*self.data;
        let targets = train.followed_by(valid);
        let parts = self.state.held_out.clone();
        Choice::new((tasks, &targets, self.metric), &self.params, Folds::of_validation_set(split), parts)
    }

    /// The metric that chooses among the entries.
    pub fn metric(&self) -> Metric {
        self.metric
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

    /// Weight decay of the bias for a loss that is a sum.
    fn bias_decay(&self) -> f64 {
        if self.params.decay_bias { self.decay } else { 0.0 }
    }

    /// Number of points of the path.
    fn num_points(&self) -> usize {
        match self.params.penalty {
            Penalty::L0 => self.params.sizes.len(),
            Penalty::L1 => self.params.lambdas,
        }
    }

    /// Whether the path is complete.
    pub fn is_done(&self) -> bool {
        self.state.size_at >= self.num_points()
    }

    /// Looks up the supports of all patterns of the state.
    fn find_supports(&mut self) -> Result<(), TrainError> {
        let TrainState { current, best, entries, .. } = &self.state;
        // The last entry too: a penalty that admits too many patterns returns to it.
        let iterates =
            [Some(current), best.as_ref().map(|best| &best.iterate), entries.last().map(|last| &last.iterate)];
        let codes = iterates.into_iter().flatten().flat_map(|iterate| &iterate.patterns).map(|p| p.code.clone());
        let mut codes: Vec<DfsCode> = codes.collect();
        codes.sort_by(DfsCode::cmp_by_size);
        codes.dedup();
        let mut found = Vec::with_capacity(codes.len());
        for code in codes {
            let support = self.search.lookup(&code)?;
            found.push((code, support));
        }
        self.note_supports(&found);
        Ok(())
    }

    /// Stores supports; the matcher is asked about new patterns only, all at once.
    fn note_supports(&mut self, patterns: &[(DfsCode, Arc<Support>)]) {
        let new: Vec<&(DfsCode, Arc<Support>)> =
            patterns.iter().filter(|(code, _)| !self.supports.contains_key(code)).collect();
        if new.is_empty() {
            return;
        }
        let codes: Vec<DfsCode> = new.iter().map(|(code, _)| code.clone()).collect();
        let held_out = self.matcher.supports(&codes, self.values);
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
        self.add_pairs(iterate, 0, sums);
    }

    /// Adds what pairs contribute, in the training set (`part` 0) or in the validation and test sets (1).
    fn add_pairs(&self, iterate: &Iterate, part: usize, sums: &mut [f64]) {
        for pair in &iterate.pairs {
            let column = self.pair_column(pair, part, sums.len() / self.params.hidden);
            mining::add_dense(sums, &column, &pair.weights);
        }
    }

    /// The values of each pair in the training set.
    fn pair_columns(&self, iterate: &Iterate) -> Vec<Vec<f64>> {
        iterate.pairs.iter().map(|pair| self.pair_column(pair, 0, self.data.train.rows())).collect()
    }

    fn pair_column(&self, pair: &PairWeights, part: usize, rows: usize) -> Vec<f64> {
        let graphs = [0, 1].map(|of| self.supports[&pair.codes[of]][part].graphs());
        PairWeights::column(pair.means, graphs, rows)
    }

    /// Forward pass over the validation set, then the test set.
    fn held_out_pass(&self, iterate: &Iterate) -> ForwardPass {
        let rows = self.data.valid.rows() + self.data.test.rows();
        let mut sums = vec![0.0; rows * self.params.hidden];
        let columns = iterate.patterns.iter().map(|p| self.values.column(&self.supports[&p.code][1]));
        mining::sums_of_columns(&mut sums, columns.zip(iterate.patterns.iter().map(|p| &p.weights[..])));
        self.add_pairs(iterate, 1, &mut sums);
        let mut pass = ForwardPass::new(&self.held_out, self.params.activation, rows);
        pass.run(&self.held_out, &sums, &iterate.bias, &iterate.network);
        pass
    }

    /// Mean loss per label of the validation set.
    fn valid_loss(&self) -> f64 {
        let valid = &self.data.valid;
        if valid.rows() == 0 {
            return 0.0; // nothing is held out, and nothing depends on it
        }
        let pass = self.held_out_pass(&self.state.current);
        let weights = vec![1.0; valid.rows()];
        let outputs = &pass.outputs()[..valid.rows() * valid.outputs()];
        valid.loss(outputs, &weights) / valid.total_weight(&weights)
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
