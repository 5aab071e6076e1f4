//! Training, watched: the interpreter lock is free, Python hears of every pass, Ctrl-C leaves the best so far.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::model::Model;
use crate::prepare::{Prepared, fit_options, prepare};
use crate::targets::TargetIn;
use crate::watch::{Watch, run_watched};
use crate::worker::PythonWorkers;
use einsicht::FitOptions;
use einsicht::learn::fit::{FitError, search_for, start_with};
use einsicht::learn::model::SourceRows;
use einsicht::learn::persist::{Checkpoint, Origin};
use einsicht::learn::train::{PassDone, TrainError, TrainState};
use einsicht::search::{DistributedSearch, Search, SearchError};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a training stands, to go on along a longer path. Lives as long as the process: it is not saved.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct State {
    checkpoint: Checkpoint,
    weights: Option<Vec<f64>>,
}

/// What came of a training.
#[pyclass(frozen, get_all, module = "einsicht._core")]
pub(crate) struct Fitted {
    /// The best so far; absent if the training was stopped before there was one.
    model: Option<Py<Model>>,
    /// Patterns looked at for each entry of the path.
    visited: Vec<u64>,
    /// Where it stands.
    state: Py<State>,
    /// The exception that stopped it, if one did.
    raised: Option<PyErr>,
}

/// A training about to begin.
struct Job {
    prepared: Prepared,
    weights: Option<Vec<f64>>,
    options: FitOptions,
    state: Option<TrainState>,
    workers: Option<PythonWorkers>,
}

/// Trains a model. The graphs from `num_train` on are for validation; without it a fifth of the graphs is, by the seed.
/// `state` goes on from an earlier training on the same data. With `ask`, a function from a request to the replies of all
/// workers, the search is distributed (see `Worker`). `memory` is a budget like "2G" or a number of bytes. The observer gets size, lambda, iteration, loss, validation loss, subgraphs
/// and how many were looked at, after each pass.
#[pyfunction]
#[pyo3(signature = (graphs, targets, settings, seed, *, num_train = None, weights = None, threads = None, memory = None, observer = None, state = None, ask = None))]
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
    state: Option<PyRef<'_, State>>,
    ask: Option<Py<PyAny>>,
) -> PyResult<Fitted> {
    let prepared = prepare(graphs, &targets, settings, seed, num_train)?;
    let Prepared { dataset, split, params } = &prepared;
    let pick = |weights: Vec<f64>| split.train.iter().filter_map(|&at| weights.get(at).copied()).collect::<Vec<f64>>();
    let weights = weights.map(pick);
    let origin = Origin {
        fingerprint: dataset.fingerprint().to_string(),
        rows: SourceRows::of(dataset, split),
        params: vec![params.get().clone()],
    };
    let state = match state {
        None => None,
        Some(state) if state.weights != weights => return Err(value("a warm start needs the same sample_weight")),
        Some(state) => {
            let found = state.checkpoint.clone().state_for_longer_path(&origin);
            Some(found.map_err(|error| value(format!("a warm start needs the same training: {error}")))?)
        }
    };
    let refused = Arc::new(Mutex::new(None));
    let job = Job {
        weights: weights.clone(),
        options: fit_options(threads, memory)?,
        state,
        workers: ask.map(|ask| PythonWorkers { ask, raised: Arc::clone(&refused) }),
        prepared,
    };
    let hear = |pass: PassDone| match &observer {
        None => Ok(()),
        Some(observer) => {
            let PassDone { size, lambda, iteration, objective, valid_loss, patterns, .. } = pass;
            let news = (size, lambda, iteration, objective, valid_loss, patterns, pass.search.visited);
            observer.call1(news).map(drop)
        }
    };
    let (outcome, raised) = run_watched(py, threads, |watch| job.run(&watch), hear)?;
    let refused = refused.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (model, state) = outcome.map_err(|error| refused.unwrap_or_else(|| value(error)))?;
    Ok(Fitted {
        model: model.map(|model| Py::new(py, Model::of(model))).transpose()?,
        visited: state.visited.clone(),
        state: Py::new(py, State { checkpoint: Checkpoint::new(origin, state), weights })?,
        raised,
    })
}

impl Job {
    /// Trains until the path ends or somebody stops it; then the best so far is the model.
    fn run(self, watch: &Watch<PassDone>) -> Result<(Option<einsicht::Model>, TrainState), FitError> {
        let Self { prepared: Prepared { dataset, split, params }, weights, options, state, workers } = self;
        let search: Box<dyn Search> = if let Some(workers) = workers {
            Box::new(DistributedSearch::new(workers))
        } else {
            let mut search = search_for(&dataset, &split, params.get(), &options)?;
            search.stop_on(&watch.stop);
            Box::new(search)
        };
        let mut training = start_with(&dataset, &split, &params, weights, search, state)?;
        let ran = training.run(&mut |pass| {
            watch.tell(pass.clone());
            if watch.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match ran {
            Ok(_) | Err(TrainError::Search(SearchError::Stopped)) => {}
            Err(error) => return Err(error.into()),
        }
        let state = training.state().clone();
        training.finish_early();
        Ok((training.model(&dataset, &split)?, state))
    }
}
