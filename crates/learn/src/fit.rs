//! From a data set to a trained model: tree, search, matcher and trainer put together.
//!
//! [`start`] gives a [`Training`] that can be stepped, saved and resumed; [`fit`] runs it to its end.

use crate::model::Model;
use crate::params::{CheckedParams, TrainParams};
use crate::presence::Matched;
use crate::train::{DataError, Observer, TrainData, TrainError, TrainState, Trainer};
use einsicht_data::{Dataset, Split};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineError, MineParams, Tree};
use einsicht_search::{BudgetedSearch, PrunedSearch, Search, SearchOptions, SearchShard, Share};
use std::sync::Arc;

/// A training with the pruned search, within its budget, and the matcher behind it.
pub type Training = Trainer<BudgetedSearch, Matched>;

/// How the work is done. None of this changes the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitOptions {
    /// Workers of the search.
    pub threads: usize,
    /// Bytes that the training may take; what does not fit is derived again: first embeddings, then whole subtrees.
    pub memory: Option<usize>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { threads: 1, memory: None }
    }
}

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// Training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// There is nothing to mine.
    #[error(transparent)]
    Mine(#[from] MineError),
    /// Stopped before the first size had an iterate.
    #[error("training was stopped before there was a model")]
    NoModel,
}

impl From<DataError> for FitError {
    fn from(error: DataError) -> Self {
        Self::Train(error.into())
    }
}

/// Training graphs with their tree, and the other graphs with the matcher: what trainings on one split can share.
/// A tree that one training has grown makes the next one faster and changes nothing else.
pub struct Workshop {
    search: BudgetedSearch,
    presence: Matched,
}

impl Workshop {
    /// For the patterns, and the values of patterns, that these parameters ask for.
    pub fn new(
        dataset: &Dataset,
        split: &Split,
        params: &TrainParams,
        options: &FitOptions,
    ) -> Result<Self, MineError> {
        Ok(Self { search: search_for(dataset, split, params, options)?, presence: held_out(dataset, split) })
    }

    /// Takes back what a training has used.
    pub fn from_training(training: Training) -> Self {
        let (search, presence) = training.into_parts();
        Self { search, presence }
    }

    /// Starts a training, or goes on from a saved state. The parameters must have this workshop's `max_edges`,
    /// `min_support` and `feature`.
    pub fn start(
        self,
        params: &CheckedParams,
        data: Arc<TrainData>,
        state: Option<TrainState>,
    ) -> Result<Training, TrainError> {
        match state {
            None => Trainer::new(params, data, self.search, self.presence),
            Some(state) => Trainer::resume(params, data, self.search, self.presence, state),
        }
    }
}

fn graphs_at(dataset: &Dataset, rows: &[usize]) -> Vec<Graph> {
    rows.iter().map(|&row| dataset.graphs[row].clone()).collect()
}

fn held_out(dataset: &Dataset, split: &Split) -> Matched {
    Matched::new(graphs_at(dataset, &[&split.valid[..], &split.test[..]].concat()))
}

/// Which patterns a training wants.
pub(crate) fn mine_params(params: &TrainParams, options: &FitOptions) -> MineParams {
    let FitOptions { threads, memory } = *options;
    let TrainParams { max_edges, min_support, .. } = *params;
    let counts = params.values().needs_counts();
    MineParams { max_edges, min_support, counts, memory, threads, ..MineParams::default() }
}

/// Bytes that a training on so many graphs takes besides its search, about.
pub(crate) fn beside(graphs: usize, params: &TrainParams) -> usize {
    let most = params.sizes.iter().copied().max().unwrap_or(1).max(params.max_patterns);
    let columns = 8 * params.hidden + 4 * most;
    (2 << 20) + 8 * graphs * columns
}

/// The search of a training on these graphs.
pub fn search_over(
    graphs: Vec<Graph>,
    params: &TrainParams,
    options: &FitOptions,
) -> Result<BudgetedSearch, MineError> {
    let search = SearchOptions { threads: options.threads, ..SearchOptions::default() };
    let beside = beside(graphs.len(), params);
    BudgetedSearch::new(graphs, mine_params(params, options), search, beside)
}

/// The search of a training on the training part of a data set.
pub fn search_for(
    dataset: &Dataset,
    split: &Split,
    params: &TrainParams,
    options: &FitOptions,
) -> Result<BudgetedSearch, MineError> {
    search_over(graphs_at(dataset, &split.train), params, options)
}

/// The search of one shard of such a training. The budget is for its embeddings alone.
pub fn shard_over(
    dataset: &Dataset,
    split: &Split,
    params: &TrainParams,
    options: &FitOptions,
    share: Share,
) -> Result<SearchShard, MineError> {
    let tree = Tree::new(&graphs_at(dataset, &split.train), mine_params(params, options))?;
    let search = SearchOptions { threads: options.threads, ..SearchOptions::default() };
    Ok(SearchShard::new(PrunedSearch::new(tree, search), share))
}

/// Starts a training with a search of one's own over the training graphs, or goes on from a saved state.
pub fn start_with<S: Search>(
    dataset: &Dataset,
    split: &Split,
    params: &CheckedParams,
    weights: Option<Vec<f64>>,
    search: S,
    state: Option<TrainState>,
) -> Result<Trainer<S, Matched>, FitError> {
    let data = Arc::new(TrainData::new(dataset, split, weights)?.for_params(params.get(), dataset, split)?);
    let held_out = held_out(dataset, split);
    Ok(match state {
        None => Trainer::new(params, data, search, held_out)?,
        Some(state) => Trainer::resume(params, data, search, held_out, state)?,
    })
}

/// Starts a training, or goes on from a saved state. Without weights every training graph has weight 1.
pub fn start(
    dataset: &Dataset,
    split: &Split,
    params: &CheckedParams,
    weights: Option<Vec<f64>>,
    options: &FitOptions,
    state: Option<TrainState>,
) -> Result<Training, FitError> {
    let data = Arc::new(TrainData::new(dataset, split, weights)?.for_params(params.get(), dataset, split)?);
    let workshop = Workshop::new(dataset, split, params.get(), options)?;
    Ok(workshop.start(params, data, state)?)
}

/// Trains the whole path. An observer that stops it gets the best model so far.
///
/// ```
/// use einsicht_data::generate::{Synthetic, generate};
/// use einsicht_data::split::seeded::{Fractions, default_split};
/// use einsicht_learn::{fit::{FitOptions, fit}, params::TrainParams};
/// use std::ops::ControlFlow;
///
/// let cycle = generate(Synthetic::Cycle, 0).subset(&(250..350).collect::<Vec<_>>());
/// let split = default_split(&cycle, Fractions { valid: 0.2, test: 0.2 }, 0)?;
/// let params = TrainParams { sizes: vec![1], max_edges: 3, max_iterations: 2, ..TrainParams::ein() }.check()?;
/// let model = fit(&cycle, &split, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(model.best().iterate.patterns.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit(
    dataset: &Dataset,
    split: &Split,
    params: &CheckedParams,
    options: &FitOptions,
    observer: &mut Observer<'_>,
) -> Result<Model, FitError> {
    let mut training = start(dataset, split, params, None, options, None)?;
    training.run(observer)?;
    training.finish_early();
    training.model(dataset, split)?.ok_or(FitError::NoModel)
}
