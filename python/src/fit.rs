//! Training, watched: the interpreter lock is free, Python hears of every pass, Ctrl-C leaves the best so far.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::model::Model;
use crate::prepare::{Prepared, prepare};
use crate::shard::PythonShards;
use crate::targets::TargetIn;
use crate::watch::run_watched;
use einsicht::FitOptions;
use einsicht::learn::fit::{FitError, search_for, start_with};
use einsicht::learn::search::{Search, ShardedSearch};
use einsicht::learn::train::PassDone;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Trains a model. The graphs from `num_train` on are for validation; without it a fifth of the graphs is, by the seed.
/// With `ask`, a function from a question to the answers of all shards, the search is theirs (see `Shard`).
/// Returns the model, how many patterns each entry looked at, and the exception that stopped the training, if one did.
#[pyfunction]
#[pyo3(signature = (graphs, targets, wishes, seed, *, num_train = None, weights = None, threads = None, observer = None, ask = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn fit(
    py: Python<'_>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    wishes: &str,
    seed: u64,
    num_train: Option<usize>,
    weights: Option<Vec<f64>>,
    threads: Option<usize>,
    observer: Option<Bound<'_, PyAny>>,
    ask: Option<Py<PyAny>>,
) -> PyResult<(Option<Model>, Vec<u64>, Option<PyErr>)> {
    let Prepared { dataset, split, params } = prepare(graphs, &targets, wishes, seed, num_train)?;
    let weights = weights.map(|weights| split.train.iter().map(|&at| weights[at]).collect::<Vec<f64>>());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = FitOptions { threads: threads.unwrap_or_else(cores), memory: None };
    let hear = |pass: PassDone| match &observer {
        None => Ok(()),
        Some(observer) => observer.call1((pass.size, pass.iteration, pass.objective, pass.valid_loss)).map(drop),
    };
    let refused = Arc::new(Mutex::new(None));
    let (outcome, raised) = run_watched(
        py,
        threads,
        |watch| {
            let search: Box<dyn Search> = match ask {
                None => Box::new(search_for(&dataset, &split, params.get(), &options)?),
                Some(ask) => Box::new(ShardedSearch::new(PythonShards { ask, raised: Arc::clone(&refused) })),
            };
            let mut training = start_with(&dataset, &split, &params, weights, search)?;
            training.run(&mut |pass| {
                watch.tell(pass.clone());
                if watch.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            training.finish_early();
            let visited = training.state().visited.clone();
            Ok((training.model(&dataset, &split)?, visited))
        },
        hear,
    )?;
    let refused = refused.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (model, visited) = outcome.map_err(|error: FitError| refused.unwrap_or_else(|| value(error)))?;
    Ok((model.map(Model::of), visited, raised))
}
