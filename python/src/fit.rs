//! Training with the interpreter lock released: Python gets a report of every pass; Ctrl-C leaves the best model so far.

use crate::distributed::worker::PythonWorkers;
use crate::errors::value;
use crate::graphs::Graphs;
use crate::interruptible::{Caller, run_interruptible};
use crate::model::Model;
use crate::prepare::{Prepared, fit_options, prepare};
use crate::targets::TargetIn;
use einsicht::FitOptions;
use einsicht::data::ClassWeight;
use einsicht::explain::add_effects;
use einsicht::learn::fit::{Fit, FitError, sized};
use einsicht::learn::folds::FoldResult;
use einsicht::learn::model::SourceRows;
use einsicht::learn::persist::{Checkpoint, Origin};
use einsicht::learn::train::{PassDone, TrainError, TrainState};
use einsicht::learn::watch::ProgressOnly;
use einsicht::search::{DistributedSearch, Search, SearchError};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// The state of a training, to continue along a longer path (warm start). It is not saved.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct FitState {
    checkpoint: Checkpoint,
    weights: Option<Vec<f64>>,
}

/// Result of a training.
#[pyclass(frozen, get_all, module = "einsicht._core")]
pub(crate) struct Fitted {
    /// The best model; absent if the training was stopped before there was one.
    model: Option<Py<Model>>,
    /// Patterns visited for each entry of the path.
    visited: Vec<u64>,
    /// State for a warm start.
    state: Py<FitState>,
    /// The exception that stopped it, if one did.
    raised: Option<PyErr>,
}

/// How far a training has come.
enum Progress {
    /// Finished folds, and all.
    Folds(usize, usize),
    /// A pass of the training that makes the model.
    Pass(Box<PassDone>),
}

/// A training and its inputs.
struct FitJob {
    prepared: Prepared,
    weights: Option<Vec<f64>>,
    options: FitOptions,
    state: Option<TrainState>,
    workers: Option<PythonWorkers>,
    /// Shards of the graphs; without it the workers have partitions of the tree.
    shards: Option<usize>,
}

/// Why a job has no result.
type JobError = Box<dyn std::error::Error + Send + Sync>;

/// Trains a model. The graphs from `num_train` on are the validation set; without it the model is fitted on all graphs where folds choose it,
/// else a fifth of the graphs, drawn by the seed, is the validation set.
///
/// `state` continues an earlier training on the same data. With `ask`, a function from a request and a fold to the replies of all workers,
/// the searches are distributed (see `Worker`); with `shards` too, from a list of requests, one for each of at most so many shards of the graphs (see `Shard`). `memory` is a limit such as "2G", or a number of bytes. The observer gets size,
/// lambda, iteration, loss, validation loss, number of subgraphs and number of visited subgraphs after each pass of the training that makes the
/// model; the validation loss is None where folds have chosen. `on_fold` gets the number of finished folds and of all, after each of them.
#[pyfunction]
#[pyo3(signature = (graphs, targets, settings, seed, *, num_train = None, weights = None, threads = None, memory = None, observer = None, on_fold = None, state = None, ask = None, shards = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn fit(
    py: Python<'_>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    settings: &str,
    seed: u64,
    num_train: Option<usize>,
    weights: Option<Vec<f64>>,
    threads: Option<usize>,
    memory: Option<&str>,
    observer: Option<Bound<'_, PyAny>>,
    on_fold: Option<Bound<'_, PyAny>>,
    state: Option<PyRef<'_, FitState>>,
    ask: Option<Py<PyAny>>,
    shards: Option<usize>,
) -> PyResult<Fitted> {
    let prepared = prepare(graphs, &targets, settings, seed, num_train)?;
    let weights = prepared.of_train(weights);
    let Prepared { dataset, split, params } = &prepared;
    let origin = Origin {
        fingerprint: dataset.fingerprint().to_string(),
        rows: SourceRows::of(dataset, split),
        // A path that was auto may be continued by a longer one.
        params: vec![sized(split, params).get().clone()],
        class_weight: ClassWeight::None, // the weights themselves are compared
    };
    let state = state.map(|state| state.continued(weights.as_ref(), &origin)).transpose()?;
    let state = state.filter(|state| *state != TrainState::default());
    let worker_error = Arc::new(Mutex::new(None));
    let job = FitJob {
        weights: weights.clone(),
        options: fit_options(threads, memory)?,
        state,
        workers: ask.map(|ask| PythonWorkers::new(ask, &worker_error)),
        shards,
        prepared,
    };
    let on_progress = |progress: Progress| match (progress, &on_fold, &observer) {
        (Progress::Folds(done, all), Some(on_fold), _) => on_fold.call1((done, all)).map(drop),
        (Progress::Pass(pass), _, Some(observer)) => {
            let PassDone { size, lambda, iteration, objective, valid_loss, patterns, .. } = *pass;
            let progress = (size, lambda, iteration, objective, valid_loss, patterns, pass.search.visited);
            observer.call1(progress).map(drop)
        }
        _ => Ok(()),
    };
    let (outcome, raised) = run_interruptible(py, threads, |caller| job.run(&caller), on_progress)?;
    let worker_error = worker_error.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (model, state) = outcome.map_err(|error| worker_error.unwrap_or_else(|| value(error)))?;
    Ok(Fitted {
        model: model.map(|model| Py::new(py, Model::of(model))).transpose()?,
        visited: state.visited.clone(),
        state: Py::new(py, FitState { checkpoint: Checkpoint::new(origin, state), weights })?,
        raised,
    })
}

impl FitState {
    /// The state, if it is one of the same training, perhaps along a shorter path.
    fn continued(&self, weights: Option<&Vec<f64>>, origin: &Origin) -> PyResult<TrainState> {
        if self.weights.as_ref() != weights {
            return Err(value("a warm start needs the same sample_weight"));
        }
        let found = self.checkpoint.clone().state_for_longer_path(origin);
        found.map_err(|error| value(format!("a warm start needs the same training: {error}")))
    }
}

impl FitJob {
    /// Trains until the path ends or the caller stops it; the model is the best one so far.
    fn run(self, caller: &Caller<Progress>) -> Result<(Option<einsicht::Model>, TrainState), JobError> {
        let Self { prepared: Prepared { dataset, split, params }, weights, options, state, workers, shards } = self;
        let fit = Fit::new(&dataset, &split, &params, weights, &options)?.stopped_by(&caller.stop);
        let Some(folds) = train_folds(&fit, (workers.as_ref(), shards), caller)? else {
            return Ok((None, state.unwrap_or_default()));
        };
        let choice = fit.choice(&folds);
        let search: Box<dyn Search> = match (workers, shards) {
            (Some(workers), Some(shards)) => Box::new(fit.search_over_shards(None, shards, workers)?),
            (Some(workers), None) => Box::new(DistributedSearch::new(workers)),
            (None, _) => {
                let mut search = fit.search()?;
                search.stop_on(&caller.stop);
                Box::new(search)
            }
        };
        let mut training = fit.start_with(search, choice, state)?;
        let ran = training.run(&mut |pass| {
            caller.report(Progress::Pass(Box::new(pass.clone())));
            if caller.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match ran {
            Ok(_) | Err(TrainError::Search(SearchError::Stopped)) => {}
            Err(error) => return Err(error.into()),
        }
        let state = training.state().clone();
        // The best model so far is made in peace, unless Ctrl-C comes again.
        caller.stop.store(false, Ordering::Relaxed);
        training.finish_early();
        let mut model = fit.model(&mut training)?;
        if let Some(model) = &mut model {
            add_effects(model, &dataset);
        }
        Ok((model, state))
    }
}

/// The results of all folds; their searches are distributed if there are workers. `None` if it was stopped.
fn train_folds(
    fit: &Fit<'_>,
    (workers, shards): (Option<&PythonWorkers>, Option<usize>),
    caller: &Caller<Progress>,
) -> Result<Option<Vec<FoldResult>>, JobError> {
    let folds = fit.num_folds();
    let on_fold = |done| caller.report(Progress::Folds(done, folds));
    let Some(workers) = workers else {
        return Ok(fit.train_folds(0..folds, &ProgressOnly::new(&on_fold, &|| caller.is_stopped()))?);
    };
    let mut results = Vec::with_capacity(folds);
    for fold in 0..folds {
        let workers = workers.for_fold(fold, &caller.stop);
        let search: Box<dyn Search> = match shards {
            Some(shards) => Box::new(fit.search_over_shards(Some(fold), shards, workers)?),
            None => Box::new(DistributedSearch::new(workers)),
        };
        match fit.run_fold(fold, search) {
            Ok(result) => results.push(result),
            Err(FitError::Train(TrainError::Search(SearchError::Stopped))) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        on_fold(results.len());
    }
    Ok(Some(results))
}
