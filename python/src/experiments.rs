//! Many trainings: one trial of an experiment, bootstrap resamples of the training graphs, and the stability of the
//! choice.
//!
//! Python distributes the trainings over its workers. Arguments and results are text and models, so they can be sent to
//! another process or machine. Tested in `python/tests/test_experiments.py`.

pub(crate) mod significance;
pub(crate) mod splits;

use crate::errors::{grid as grid_error, plan as plan_error, value};
use crate::graphs::Graphs;
use crate::interruptible::run_detached;
use crate::model::Model;
use crate::patterns::named_code;
use crate::prepare::{fit_options, plan_of, prepare};
use crate::targets::TargetIn;
use einsicht::data::{ClassWeight, Split, SplitFile};
use einsicht::experiment::{TrialResult, TrialState, TrialSummary, Trials};
use einsicht::model::Iterate;
use einsicht::model::folds::FoldResult;
use einsicht::train::fit::{Fit, FitError};
use einsicht::train::grid::Grid;
use einsicht::train::resample::{Resampler, Stability};
use einsicht::train::side_by_side::Trainings;
use einsicht::{FitOptions, Prepared, PreparedGrid, SessionError};
use pyo3::prelude::*;
use serde_json::{Value, json};
use splits::SplitIndices;
use std::path::PathBuf;

/// Every trial of a split file, in indices of these graphs.
#[pyfunction]
pub(crate) fn read_splits(path: PathBuf, graphs: &Graphs) -> PyResult<Vec<SplitIndices>> {
    let (file, dataset) = (SplitFile::read(&path).map_err(value)?, graphs.dataset());
    let one = |trial| {
        let Split { train, valid, test, .. } = file.split(trial, &dataset).map_err(value)?;
        Ok((train, valid, test))
    };
    (0..file.len()).map(one).collect()
}

/// Trains every point of a grid on one split: the result as JSON, as in `einsicht experiment --json`, and the chosen
/// model. The grid is "quick", "paper" or JSON; `weights` are those of the training graphs of the split; the memory
/// limit is divided by `at_once`, the number of concurrent trials.
#[pyfunction]
#[pyo3(signature = (
    graphs, targets, settings, seed, *, trial, split, grid, weights = None, threads = None, memory = None, at_once = 1
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn run_trial(
    py: Python<'_>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    settings: &str,
    seed: u64,
    trial: usize,
    split: SplitIndices,
    grid: &str,
    weights: Option<Vec<f64>>,
    threads: Option<usize>,
    memory: Option<&str>,
    at_once: usize,
) -> PyResult<(String, Model)> {
    let grid = match grid {
        "quick" => Grid::single(),
        "paper" => Grid::paper(),
        lists => Grid::from_bytes(lists.as_bytes()).map_err(grid_error)?,
    };
    let prepared = plan_of(graphs, &targets, settings, seed)?.prepare_grid(&grid).map_err(plan_error)?;
    let PreparedGrid { dataset, points, .. } = prepared;
    let (train, valid, test) = split;
    if let Some(at) = [&train, &valid, &test].into_iter().flatten().find(|at| **at >= dataset.len()) {
        return Err(value(format!("there are {} graphs, but trial {trial} has index {at}", dataset.len())));
    }
    let split = Split { train, valid, test, ..Split::default() };
    let options = fit_options(threads, memory)?;
    let class_weight = ClassWeight::None; // the weights themselves are given
    let trials = Trials { dataset: &dataset, points: &points, class_weight, options, at_once };
    let (result, model) = run_detached(py, threads, || {
        let mut state = TrialState::default();
        trials.run(&split, weights.as_deref(), &mut state, (&(), &|_| {}))?;
        // A watcher that never stops it: what stops the thread is raised by `run_detached`.
        Ok::<_, SessionError>(state.result(trial, &trials)?)
    })?
    .map_err(value)?;
    Ok((json!(result).to_string(), Model::of(model)))
}

/// Means and standard deviations over the results of trials, as JSON.
#[pyfunction]
pub(crate) fn summarize(results: Vec<String>) -> PyResult<String> {
    let results = results.iter().map(|result| serde_json::from_str(result)).collect::<Result<Vec<TrialResult>, _>>();
    Ok(json!(TrialSummary::new(&results.map_err(value)?)).to_string())
}

/// Number of folds that choose the model of a training; 0 if its validation set does.
#[pyfunction]
#[pyo3(signature = (graphs, targets, settings, seed, *, num_train = None))]
pub(crate) fn num_folds(
    py: Python<'_>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    settings: &str,
    seed: u64,
    num_train: Option<usize>,
) -> PyResult<usize> {
    let Prepared { dataset, split, params, .. } = prepare(graphs, &targets, settings, seed, num_train, None)?;
    let options = FitOptions::default();
    run_detached(py, None, || Ok(Fit::new(&dataset, &split, &params, None, &options).map_err(value)?.num_folds()))?
}

/// Trains the folds with the numbers `first..last`: the result of each of them, as JSON.
#[pyfunction]
#[pyo3(signature = (
    graphs, targets, settings, seed, *, first, last, num_train = None, weights = None, threads = None, memory = None,
    at_once = 1
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn run_folds(
    py: Python<'_>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    settings: &str,
    seed: u64,
    first: usize,
    last: usize,
    num_train: Option<usize>,
    weights: Option<Vec<f64>>,
    threads: Option<usize>,
    memory: Option<&str>,
    at_once: usize,
) -> PyResult<Vec<String>> {
    let prepared = prepare(graphs, &targets, settings, seed, num_train, weights)?;
    let Prepared { dataset, split, params, weights, .. } = prepared;
    let options = shared_options(threads, memory, at_once)?;
    let results =
        run_detached(py, threads, || Fit::new(&dataset, &split, &params, weights, &options)?.train_all(first..last))?
            .map_err(value)?;
    results.iter().map(|result| serde_json::to_string(result).map_err(value)).collect()
}

/// Trains on the resamples with the numbers `first..last`: the model of each of them, as JSON. `folds` are the results
/// of all folds (see `run_folds`), which choose the size.
#[pyfunction]
#[pyo3(signature = (
    graphs, targets, settings, seed, folds, *, first, last, num_train = None, weights = None, threads = None,
    memory = None, at_once = 1
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn bootstrap(
    py: Python<'_>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    settings: &str,
    seed: u64,
    folds: Vec<String>,
    first: usize,
    last: usize,
    num_train: Option<usize>,
    weights: Option<Vec<f64>>,
    threads: Option<usize>,
    memory: Option<&str>,
    at_once: usize,
) -> PyResult<Vec<String>> {
    let prepared = prepare(graphs, &targets, settings, seed, num_train, weights)?;
    let Prepared { dataset, split, params, weights, .. } = prepared;
    let options = shared_options(threads, memory, at_once)?;
    let folds = folds.iter().map(|result| serde_json::from_str(result)).collect::<Result<Vec<FoldResult>, _>>();
    let folds = folds.map_err(value)?;
    let members = run_detached(py, threads, || {
        let fit = Fit::new(&dataset, &split, &params, weights, &options)?;
        if folds.len() != fit.num_folds() {
            return Err(FitError::NotChosen);
        }
        Resampler::new(&fit, fit.choice(&folds))?.train_all(first..last)
    })?
    .map_err(value)?;
    members.iter().map(|member| serde_json::to_string(&member.iterate).map_err(value)).collect()
}

/// Fraction of the resamples that chose each subgraph, as JSON; equivalent subgraphs (same support) count as one.
#[pyfunction]
#[pyo3(signature = (graphs, targets, settings, seed, members, *, num_train = None, threads = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn stability(
    py: Python<'_>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    settings: &str,
    seed: u64,
    members: Vec<String>,
    num_train: Option<usize>,
    threads: Option<usize>,
) -> PyResult<String> {
    let Prepared { dataset, split, params, .. } = prepare(graphs, &targets, settings, seed, num_train, None)?;
    let members = members.iter().map(|member| serde_json::from_str(member)).collect::<Result<Vec<Iterate>, _>>();
    let (members, options) = (members.map_err(value)?, FitOptions::default());
    let found = run_detached(py, threads, || {
        let fit = Fit::new(&dataset, &split, &params, None, &options)?;
        Resampler::new(&fit, None)?.stability(members.iter())
    })?;
    let names = dataset.names();
    let one = |one: &Stability| {
        let named = named_code(names, &one.code);
        json!({ "named": named, "support": one.support, "frequency": one.frequency })
    };
    Ok(found.map_err(value)?.iter().map(one).collect::<Value>().to_string())
}

/// Threads and memory of one of several workers, which divide the memory.
fn shared_options(threads: Option<usize>, memory: Option<&str>, at_once: usize) -> PyResult<FitOptions> {
    let options = fit_options(threads, memory)?;
    Ok(FitOptions { memory: options.memory.map(|bytes| bytes / at_once), ..options })
}
