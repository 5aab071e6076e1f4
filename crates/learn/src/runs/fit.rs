//! From a data set to a trained model: search tree, search, matcher and trainer put together.
//!
//! [`start`] gives a [`Training`] that can be stepped, saved and resumed; [`fit`] runs it to its end.

use crate::features::{GraphMatcher, graphs_at};
use crate::model::Model;
use crate::params::{CheckedParams, TrainParams};
use crate::train::{DataError, Observer, TrainData, TrainError, TrainState, Trainer};
use einsicht_data::{Dataset, Split};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineError, MineParams, Tree};
use einsicht_search::{BudgetedSearch, Partition, Search, SearchOptions, SearchWorker, TreeSearch};
use std::sync::Arc;

/// A training with the pruned search within a memory limit, and the matcher.
pub type Training = Trainer<BudgetedSearch, GraphMatcher>;

/// Threads and memory. Neither changes the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitOptions {
    /// Threads of the search.
    pub threads: usize,
    /// Memory limit in bytes; what does not fit is evicted and recomputed: first embeddings, then whole subtrees.
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

/// The search tree over the training graphs and the matcher over the others, for several trainings on one split.
/// A tree that one training has grown makes the next one faster and changes nothing else. The tree and the matcher move
/// into a training and come back with [`Self::from_training`].
pub struct SearchCache {
    search: BudgetedSearch,
    matcher: GraphMatcher,
}

impl SearchCache {
    /// For the patterns, and the values of patterns, of these parameters.
    pub fn new(
        dataset: &Dataset,
        split: &Split,
        params: &TrainParams,
        options: &FitOptions,
    ) -> Result<Self, MineError> {
        Ok(Self {
            search: search_for(dataset, split, params, options)?,
            matcher: GraphMatcher::held_out(dataset, split),
        })
    }

    /// Takes tree and matcher back from a training.
    pub(crate) fn from_training(training: Training) -> Self {
        let (search, matcher) = training.into_parts();
        Self { search, matcher }
    }

    /// Starts a training, or continues from a saved state. The parameters must have the `max_edges`,
    /// `min_support` and `feature` of this cache.
    pub fn start(
        self,
        params: &CheckedParams,
        data: Arc<TrainData>,
        state: Option<TrainState>,
    ) -> Result<Training, TrainError> {
        Trainer::start(params, data, (self.search, self.matcher), state)
    }
}

/// The patterns of a training.
pub(crate) fn mine_params(params: &TrainParams, options: &FitOptions) -> MineParams {
    let FitOptions { threads, memory } = *options;
    let TrainParams { min_edges, max_edges, max_qualifiers, min_support, .. } = *params;
    let counts = params.values().counts();
    let embeddings_per_graph = None;
    MineParams { min_edges, max_edges, max_qualifiers, min_support, counts, embeddings_per_graph, memory, threads }
}

/// An estimate of the bytes that a training on this many graphs uses besides its search.
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

/// The search of a training on the training set of a split.
pub fn search_for(
    dataset: &Dataset,
    split: &Split,
    params: &TrainParams,
    options: &FitOptions,
) -> Result<BudgetedSearch, MineError> {
    search_over(graphs_at(dataset, &split.train), params, options)
}

/// The search of one partition of such a training. The memory limit is for its embeddings alone.
pub fn worker_over(
    dataset: &Dataset,
    split: &Split,
    params: &TrainParams,
    options: &FitOptions,
    partition: Partition,
) -> Result<SearchWorker, MineError> {
    let tree = Tree::new(&graphs_at(dataset, &split.train), mine_params(params, options))?;
    let search = SearchOptions { threads: options.threads, ..SearchOptions::default() };
    Ok(SearchWorker::new(TreeSearch::new(tree, search), partition))
}

/// Starts a training with another search over the training graphs, or continues from a saved state.
pub fn start_with<S: Search>(
    dataset: &Dataset,
    split: &Split,
    params: &CheckedParams,
    weights: Option<Vec<f64>>,
    search: S,
    state: Option<TrainState>,
) -> Result<Trainer<S, GraphMatcher>, FitError> {
    let data = Arc::new(TrainData::new(dataset, split, weights)?.for_params(params.get(), dataset, split)?);
    Ok(Trainer::start(params, data, (search, GraphMatcher::held_out(dataset, split)), state)?)
}

/// Starts a training, or continues from a saved state. Without weights every training graph has weight 1.
pub fn start(
    dataset: &Dataset,
    split: &Split,
    params: &CheckedParams,
    weights: Option<Vec<f64>>,
    options: &FitOptions,
    state: Option<TrainState>,
) -> Result<Training, FitError> {
    let data = Arc::new(TrainData::new(dataset, split, weights)?.for_params(params.get(), dataset, split)?);
    let cache = SearchCache::new(dataset, split, params.get(), options)?;
    Ok(cache.start(params, data, state)?)
}

/// Trains the whole path. An observer may stop it; then the model is the best so far.
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
