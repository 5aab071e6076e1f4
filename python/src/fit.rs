//! Training, watched: the interpreter lock is free, Python hears of every pass, Ctrl-C leaves the best so far.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::model::Model;
use crate::targets::{TargetIn, targets_from};
use crate::watch::run_watched;
use einsicht::data::Split;
use einsicht::data::split::seeded::{Shares, usual};
use einsicht::learn::fit::{FitError, start};
use einsicht::learn::train::PassDone;
use einsicht::learn::wishes::TrainWishes;
use einsicht::{FitOptions, TrainParams};
use pyo3::prelude::*;
use std::ops::ControlFlow;

/// Trains a model. The graphs from `num_train` on are for validation; without it a fifth of the graphs is, by the seed.
/// Returns the model, how many patterns each entry looked at, and the exception that stopped the training, if one did.
#[pyfunction]
#[pyo3(signature = (graphs, targets, wishes, seed, *, num_train = None, weights = None, threads = None, observer = None))]
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
) -> PyResult<(Option<Model>, Vec<u64>, Option<PyErr>)> {
    let params = params_from(wishes, seed)?.check().map_err(value)?;
    let mut dataset = graphs.dataset().into_owned();
    dataset.targets = targets_from(&targets, dataset.len())?;
    let split = match num_train {
        None => usual(&dataset, Shares::default(), params.get().seed).map_err(value)?,
        Some(count) => {
            Split { train: (0..count).collect(), valid: (count..dataset.len()).collect(), ..Split::default() }
        }
    };
    let weights = weights.map(|weights| split.train.iter().map(|&at| weights[at]).collect::<Vec<f64>>());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = FitOptions { threads: threads.unwrap_or_else(cores), memory: None };
    let hear = |pass: PassDone| match &observer {
        None => Ok(()),
        Some(observer) => observer.call1((pass.size, pass.iteration, pass.objective, pass.valid_loss)).map(drop),
    };
    let (outcome, raised) = run_watched(
        py,
        threads,
        |watch| {
            let mut training = start(&dataset, &split, &params, weights, &options, None)?;
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
    let (model, visited) = outcome.map_err(|error: FitError| value(error))?;
    Ok((model.map(Model::of), visited, raised))
}

/// The parameters that a JSON object of wishes asks for.
fn params_from(wishes: &str, seed: u64) -> PyResult<TrainParams> {
    let wishes = serde_json::from_str(wishes).map_err(value)?;
    TrainWishes::from_json(wishes).and_then(|wishes| wishes.params(seed)).map_err(value)
}
