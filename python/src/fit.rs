//! Training with the interpreter lock released: Python gets a report of every pass; Ctrl-C leaves the best model so
//! far.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::interruptible::{Caller, run_interruptible};
use crate::model::Model;
use crate::prepare::{fit_options, prepare};
use crate::shards::PythonShards;
use crate::targets::TargetIn;
use einsicht::train::PassDone;
use einsicht::train::shards::ShardedFit;
use einsicht::{AfterPass, Event, Session, SessionError, Stage, TrainingId, Watch};
use pyo3::prelude::*;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// The state of a training, to continue along a longer path (warm start). It is not saved.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct FitState {
    stage: Stage,
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

/// Tells the calling thread what happens; stops with it.
struct CallerWatch<'c>(&'c Caller<Progress>);

impl Watch for CallerWatch<'_> {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Finished { training: TrainingId::Fold(_), done, count } => {
                self.0.report(Progress::Folds(done, count));
            }
            Event::Pass(pass) => self.0.report(Progress::Pass(Box::new(pass.clone()))),
            _ => {}
        }
    }

    fn passed(&self, _: TrainingId) -> AfterPass {
        AfterPass { stop: self.0.is_stopped(), ..AfterPass::default() }
    }
}

/// Trains a model. The graphs from `num_train` on are the validation set; without it the model is fitted on all graphs
/// where folds choose it, else a fifth of the graphs, drawn by the seed, is the validation set.
///
/// `state` continues an earlier training on the same data. With `shards`, the graphs are on several workers, at most so
/// many (see `Shard`), and `ask` is a function from a list of requests, one for each of them, and a fold to their
/// replies. `memory` is a limit such as "2G", or a number of bytes. The observer gets size, lambda, iteration, loss,
/// validation loss, number of subgraphs and number of visited subgraphs after each pass of the training that makes the
/// model; the validation loss is None where folds have chosen. `on_fold` gets the number of finished folds and of all,
/// after each of them.
#[pyfunction]
#[pyo3(signature = (
    graphs, targets, settings, seed, *, num_train = None, weights = None, threads = None, memory = None,
    observer = None, on_fold = None, state = None, ask = None, shards = None
))]
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
    let prepared = prepare(graphs, &targets, settings, seed, num_train, weights)?;
    if state.as_ref().is_some_and(|state| state.weights != prepared.weights) {
        return Err(value("a warm start needs the same sample_weight"));
    }
    let earlier = state.map(|state| state.stage.clone());
    let options = fit_options(threads, memory)?;
    let raised_by_workers = Arc::new(Mutex::new(None));
    let over_shards = shards.zip(ask).map(|(count, ask)| {
        let workers = PythonShards::new(ask, &raised_by_workers);
        ShardedFit { count, connect: Box::new(move |fold| Box::new(workers.for_fold(fold))) }
    });
    let inputs = prepared.inputs();
    let work = |caller: Caller<Progress>| {
        let mut session = Session::new(inputs, &options)?;
        if let Some(earlier) = earlier {
            session = session.lengthen(earlier)?;
        }
        if let Some(shards) = over_shards {
            session = session.over_shards(shards);
        }
        if !session.run(&CallerWatch(&caller))? {
            // The best model so far is made in peace, unless Ctrl-C comes again.
            caller.stop.store(false, Ordering::Relaxed);
            session.cut();
            session.run(&())?;
        }
        let (visited, stage) = (session.visited().to_vec(), session.stage().clone());
        Ok::<_, SessionError>((session.into_model(), visited, stage))
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
    let (outcome, raised) = run_interruptible(py, threads, work, on_progress)?;
    let (model, visited, stage) = outcome.map_err(|error| match error {
        SessionError::Stage(error) => value(format!("a warm start needs the same training: {error}")),
        error => {
            let raised = raised_by_workers.lock().unwrap_or_else(PoisonError::into_inner).take();
            raised.unwrap_or_else(|| value(error))
        }
    })?;
    Ok(Fitted {
        model: model.map(|model| Py::new(py, Model::of(model))).transpose()?,
        visited,
        state: Py::new(py, FitState { stage, weights: prepared.weights })?,
        raised,
    })
}
