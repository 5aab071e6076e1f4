//! From a data set to a trained model: search tree, search, matcher, folds and trainer put together.
//!
//! A [`Fit`] runs the folds that choose the model, if there are any, and then gives a [`Training`] that can be stepped,
//! saved and resumed. The effects of subgraphs, resamples and their order are the business of a session, in `einsicht`;
//! [`fit_without_effects`] is the short way here, for tests and measurements.

pub use crate::settled::{settled, settled_for, sized};
use crate::shards::{ShardError, ShardedFit};
use crate::side_by_side::Trainings;
use crate::splits::{fitted_rows, whole_split};
pub use crate::splits::{test_split, usual_split};
use crate::{DataError, Purpose, TrainData, TrainError, TrainState, Trainer};
use einsicht_data::{Dataset, Split};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineError, MineParams};
use einsicht_model::Model;
use einsicht_model::features::{GraphMatcher, graphs_at};
use einsicht_model::folds::{Choice, FoldResult, Folds};
use einsicht_model::params::{CheckedParams, ParamError, Penalty, TrainParams};
use einsicht_model::task::metrics::Metric;
use einsicht_model::task::{num_outputs, restandardize, tasks_of, tasks_of_rows};
use einsicht_search::{BudgetedSearch, Search, SearchOptions, SharedTree};
use std::borrow::Cow;
use std::sync::Arc;

/// A training with whatever search its graphs need, and the matcher.
pub type Training = Trainer<Box<dyn Search>, GraphMatcher>;

/// Threads and memory. Neither changes the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitOptions {
    /// Threads of the search.
    pub threads: usize,
    /// Memory limit in bytes; what does not fit is evicted and recomputed: first embeddings, then the tree itself.
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
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum FitError {
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Mine(#[from] MineError),
    #[error(transparent)]
    Shards(#[from] ShardError),
    #[error("folds must choose before the training that makes the model")]
    NotChosen,
    #[error("training was stopped before there was a model")]
    NoModel,
}

impl From<DataError> for FitError {
    fn from(error: DataError) -> Self {
        Self::Train(error.into())
    }
}

/// The patterns of a training on so many graphs.
pub fn mine_params(params: &TrainParams, graphs: usize, options: &FitOptions) -> MineParams {
    let FitOptions { threads, memory } = *options;
    let TrainParams { min_edges, max_edges, max_qualifiers, min_support, .. } = *params;
    let counts = params.values().counts();
    MineParams {
        min_edges,
        max_edges,
        max_qualifiers,
        max_qualified_edges: params.qualified_edges(),
        min_support: min_support.of(graphs),
        counts,
        memory,
        threads,
        ..MineParams::default()
    }
}

/// An estimate of the bytes that a training on this many graphs uses besides its search.
pub(crate) fn beside(graphs: usize, params: &TrainParams) -> usize {
    let most = match params.penalty {
        Penalty::L0 => params.sizes.iter().copied().max().unwrap_or(1),
        Penalty::L1 => params.max_patterns,
    };
    let columns = 8 * params.hidden + 4 * most;
    let has_forests = params.penalty == Penalty::L0 && params.head.has_forests();
    // The forests of all sizes are kept: of 100 trees 13 MB each with 24576 molecules, 25 MB with 65536.
    let forest = if has_forests { 200 * params.trees * (graphs as f64).powf(2.0 / 3.0) as usize } else { 0 };
    (2 << 20) + 8 * graphs * columns + params.sizes.len() * forest
}

/// The search of a training on these graphs.
pub fn search_over(
    graphs: Vec<Graph>,
    params: &TrainParams,
    options: &FitOptions,
) -> Result<BudgetedSearch, MineError> {
    let search = SearchOptions { threads: options.threads, ..SearchOptions::default() };
    let beside = beside(graphs.len(), params);
    let mined = mine_params(params, graphs.len(), options);
    BudgetedSearch::new(graphs, mined, search, beside)
}

/// The search of the training that makes the model of a split.
pub fn search_for(
    dataset: &Dataset,
    split: &Split,
    params: &TrainParams,
    options: &FitOptions,
) -> Result<BudgetedSearch, MineError> {
    search_over(graphs_at(dataset, &fitted_rows(split, params)), params, options)
}

/// The tree that folds share, for so many of them at the same time; nothing if the memory is enough for one search at a
/// time only, or if there is one at a time anyway and it may well need all of the memory.
fn shared_tree(
    graphs: Vec<Graph>,
    params: &TrainParams,
    options: &FitOptions,
    at_once: usize,
) -> Result<Option<Arc<SharedTree>>, MineError> {
    let threads = if at_once > 1 { 1 } else { options.threads };
    let search = SearchOptions { threads, ..SearchOptions::default() };
    let beside = beside(graphs.len(), params);
    let mined = mine_params(params, graphs.len(), options);
    match SharedTree::new(graphs.clone(), mined, search, at_once, beside) {
        Ok(tree) => Ok((at_once > 1 || tree.is_likely_to_fit()).then(|| Arc::new(tree))),
        Err(MineError::BudgetTooSmall { .. }) => search_over(graphs, params, options).map(|_| None),
        Err(error) => Err(error),
    }
}

/// What folds have chosen; nothing where a validation set will.
pub type Chosen = Option<Arc<Choice>>;

/// A whole fit on one split: the folds that choose the model, then the training that makes it.
pub struct Fit<'a> {
    dataset: &'a Dataset,
    split: &'a Split,
    /// With nothing left to settle.
    params: Cow<'a, CheckedParams>,
    options: FitOptions,
    /// The targets of the training that makes the model.
    data: Arc<TrainData>,
    /// Present if folds choose.
    folding: Option<Folding>,
    /// Present if the graphs are on several workers.
    shards: Option<ShardedFit<'a>>,
}

struct Folding {
    folds: Folds,
    /// Positions of all graphs that the model is fitted on.
    rows: Vec<usize>,
    metric: Metric,
    /// The tree that all folds share; nothing if it would not fit in memory: then each fold has a tree of its own, one
    /// after the other.
    tree: Option<Arc<SharedTree>>,
}

impl<'a> Fit<'a> {
    /// A fit with these parameters. Without weights every graph has weight 1; they are those of the training set, and
    /// with a refit all graphs of the validation set have weight 1.
    pub fn new(
        dataset: &'a Dataset,
        split: &'a Split,
        params: &'a CheckedParams,
        weights: Option<Vec<f64>>,
        options: &FitOptions,
    ) -> Result<Self, FitError> {
        Self::with_tree(dataset, split, params, weights, options, None)
    }

    /// The same with the tree of another fit on the same split with the same patterns: a tree that has grown makes it
    /// faster and changes nothing else.
    pub fn with_tree(
        dataset: &'a Dataset,
        split: &'a Split,
        params: &'a CheckedParams,
        weights: Option<Vec<f64>>,
        options: &FitOptions,
        tree: Option<Arc<SharedTree>>,
    ) -> Result<Self, FitError> {
        let options = options.clone();
        let params = settled(dataset, split, params)?;
        if !params.get().is_refitted() {
            let data = Arc::new(TrainData::new(dataset, split, weights)?.for_params(params.get(), dataset, split)?);
            return Ok(Self { dataset, split, params, options, data, folding: None, shards: None });
        }
        let whole = whole_split(split);
        let tasks = tasks_of(dataset, &whole).map_err(DataError::from)?;
        let weights = weights.map(|mut weights| {
            weights.extend(split.valid.iter().map(|_| 1.0));
            weights
        });
        let (folds, graphs) = (params.get().folds, whole.train.len());
        if folds > graphs {
            return Err(DataError::TooManyFolds { folds, graphs }.into());
        }
        let data = TrainData::of_tasks(tasks, dataset, &whole, weights)?.for_params(params.get(), dataset, &whole)?;
        let folds = Folds::of_split(dataset, split, params.get());
        let held_out: Vec<usize> = folds.with_fold().iter().map(|&row| row as usize).collect();
        let metric = TrainData::metric(&data.tasks, &data.train.subset(&held_out), params.get())?;
        let at_once = options.threads.min(folds.count).max(1);
        let tree = match tree {
            Some(tree) => Some(tree),
            None => shared_tree(graphs_at(dataset, &whole.train), params.get(), &options, at_once)?,
        };
        let folding = Some(Folding { folds, rows: whole.train, metric, tree });
        Ok(Self { dataset, split, params, options, data: Arc::new(data), folding, shards: None })
    }

    /// The same with the graphs on several workers.
    #[must_use]
    pub fn over_shards(self, shards: ShardedFit<'a>) -> Self {
        Self { shards: Some(shards), ..self }
    }

    /// Number of trainings whose held-out predictions choose the model; 0 if there are none.
    pub fn num_folds(&self) -> usize {
        self.folding.as_ref().map_or(0, |folding| folding.folds.count)
    }

    /// The folds, if there are any.
    pub fn folds(&self) -> Option<&Folds> {
        self.folding.as_ref().map(|folding| &folding.folds)
    }

    /// The data set.
    pub fn dataset(&self) -> &'a Dataset {
        self.dataset
    }

    /// The parameters, with nothing left to settle.
    pub fn params(&self) -> &CheckedParams {
        &self.params
    }

    /// Threads and memory.
    pub fn options(&self) -> &FitOptions {
        &self.options
    }

    pub(crate) fn threads(&self) -> usize {
        self.options.threads
    }

    /// The tree that the folds share, if there are any.
    pub fn tree(&self) -> Option<&Arc<SharedTree>> {
        self.folding.as_ref()?.tree.as_ref()
    }

    /// The targets of the training that makes the model.
    pub fn data(&self) -> &Arc<TrainData> {
        &self.data
    }

    /// The split of the training that makes the model: all graphs that it is fitted on are its training set.
    pub fn whole_split(&self) -> Split {
        if self.folding.is_some() { whole_split(self.split) } else { self.split.clone() }
    }

    /// The split of one fold, without a test set.
    pub fn fold_split(&self, fold: usize) -> Option<Split> {
        let Folding { folds, rows, .. } = self.folding.as_ref()?;
        let at = |numbers: Vec<u32>| numbers.into_iter().map(|number| rows[number as usize]).collect();
        let (train, valid) = (at(folds.train(fold)), at(folds.held_out(fold)));
        Some(Split { train, valid, test: Vec::new(), skipped: 0 })
    }

    /// Trains all folds and chooses. Without folds there is nothing to choose yet: the validation set will.
    pub fn choose(&self) -> Result<Chosen, FitError> {
        Ok(self.choice(&self.train_all(0..self.num_folds())?))
    }

    /// What the results of all folds choose; nothing if there are no folds.
    pub fn choice(&self, results: &[FoldResult]) -> Chosen {
        let Folding { folds, metric, .. } = self.folding.as_ref()?;
        let TrainData { tasks, train, .. } = &*self.data;
        let parts = folds.gather(results, num_outputs(tasks));
        let params = self.params.get();
        Some(Arc::new(Choice::new((tasks, train, *metric), params, folds.clone(), &parts)))
    }

    fn fold_search(&self, fold: usize) -> Result<Box<dyn Search>, FitError> {
        let Folding { folds, tree, .. } = self.folding.as_ref().ok_or(FitError::NotChosen)?;
        Ok(match (&self.shards, tree) {
            (Some(shards), _) => Box::new(shards.search(self, Some(fold))?),
            (None, Some(tree)) => Box::new(tree.search_among(folds.train(fold))),
            (None, None) => {
                let rows = self.fold_split(fold).unwrap_or_default().train;
                Box::new(search_over(graphs_at(self.dataset, &rows), self.params.get(), &self.options)?)
            }
        })
    }

    /// Trains one fold with another search over the training set of [`Self::fold_split`].
    pub fn run_fold<S: Search>(&self, fold: usize, search: S) -> Result<FoldResult, FitError> {
        let mut trainer = self.start_fold(fold, search, None)?;
        trainer.run()?;
        Ok(self.fold_result(&trainer))
    }

    fn start_fold<S: Search>(
        &self,
        fold: usize,
        search: S,
        state: Option<TrainState>,
    ) -> Result<Trainer<S, GraphMatcher>, FitError> {
        let (Some(Folding { folds, metric, .. }), Some(split)) = (&self.folding, self.fold_split(fold)) else {
            return Err(FitError::NotChosen);
        };
        let weights = folds.train(fold).iter().map(|&number| self.data.weights[number as usize]).collect();
        let tasks = tasks_of_rows(&self.data.tasks, self.dataset, &split.train);
        let data = TrainData::of_tasks(tasks, self.dataset, &split, Some(weights))?;
        let data = data.for_params(self.params.get(), self.dataset, &split)?;
        let parts = (search, GraphMatcher::held_out(self.dataset, &split));
        Ok(Trainer::start(&self.params, Arc::new(data), parts, Purpose::Fold(*metric), state)?)
    }

    fn fold_result<S: Search>(&self, trainer: &Trainer<S, GraphMatcher>) -> FoldResult {
        let mut points = trainer.state().held_out.clone();
        for outputs in points.iter_mut().flatten() {
            restandardize(outputs, &trainer.data().tasks, &self.data.tasks);
        }
        FoldResult { points, passes: trainer.state().passes() }
    }

    /// Starts the training that makes the model, or continues from a saved state.
    pub fn start(&self, choice: Option<Arc<Choice>>, state: Option<TrainState>) -> Result<Training, FitError> {
        self.start_with(self.search()?, choice, state)
    }

    /// The search of the training that makes the model.
    pub fn search(&self) -> Result<Box<dyn Search>, FitError> {
        Ok(match (&self.shards, self.tree()) {
            (Some(shards), _) => Box::new(shards.search(self, None)?),
            (None, Some(tree)) => Box::new(tree.search_with(self.options.threads)),
            (None, None) => Box::new(search_for(self.dataset, self.split, self.params.get(), &self.options)?),
        })
    }

    /// The same with another search over the graphs of [`Self::whole_split`].
    pub fn start_with<S: Search>(
        &self,
        search: S,
        choice: Option<Arc<Choice>>,
        state: Option<TrainState>,
    ) -> Result<Trainer<S, GraphMatcher>, FitError> {
        if choice.is_some() != self.folding.is_some() {
            return Err(FitError::NotChosen);
        }
        let purpose = choice.map_or(Purpose::Model, Purpose::Chosen);
        let matcher = GraphMatcher::held_out(self.dataset, &self.whole_split());
        Ok(Trainer::start(&self.params, Arc::clone(&self.data), (search, matcher), purpose, state)?)
    }

    /// The model of a training; `None` if there is none yet.
    pub fn model<S: Search>(&self, training: &mut Trainer<S, GraphMatcher>) -> Result<Option<Model>, FitError> {
        Ok(training.model(self.dataset, self.split)?)
    }
}

/// The folds.
impl Trainings for Fit<'_> {
    type Result = FoldResult;

    fn at_once(&self) -> usize {
        let is_parallel = self.tree().is_some() && self.shards.is_none();
        if is_parallel { self.options.threads } else { 1 }
    }

    fn start_one(&self, fold: usize, state: Option<TrainState>) -> Result<Training, FitError> {
        self.start_fold(fold, self.fold_search(fold)?, state)
    }

    fn result_of(&self, training: &Training) -> Result<FoldResult, FitError> {
        Ok(self.fold_result(training))
    }
}

/// Trains the whole path.
///
/// ```
/// use einsicht_data::generate::{Synthetic, generate};
/// use einsicht_data::split::seeded::{Fractions, default_split};
/// use einsicht_train::fit::{FitOptions, fit_without_effects};
/// use einsicht_model::params::TrainParams;
///
/// let cycle = generate(Synthetic::Cycle, 0).subset(&(250..350).collect::<Vec<_>>());
/// let split = default_split(&cycle, Fractions { valid: 0.2, test: 0.2 }, 0)?;
/// let params = TrainParams { sizes: vec![1], max_edges: 3, max_iterations: 2, ..TrainParams::ein() }.check()?;
/// let model = fit_without_effects(&cycle, &split, &params, &FitOptions::default())?;
/// assert_eq!(model.best().iterate.patterns.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_without_effects(
    dataset: &Dataset,
    split: &Split,
    params: &CheckedParams,
    options: &FitOptions,
) -> Result<Model, FitError> {
    let fit = Fit::new(dataset, split, params, None, options)?;
    let mut training = fit.start(fit.choose()?, None)?;
    training.run()?;
    fit.model(&mut training)?.ok_or(FitError::NoModel)
}
