//! From the arguments of Python to a plan; what follows from it is the library's ([`Plan::prepare`]).
//!
//! Promise: equal arguments give equal inputs, down to the numbers of labels, so that the workers of a distributed
//! training agree with it and with each other.

use crate::errors::{param, plan as plan_error, value};
use crate::graphs::Graphs;
use crate::interruptible::default_threads;
use crate::targets::{TargetIn, targets_from};
use einsicht::data::Split;
use einsicht::data::patterns::NamedPattern;
use einsicht::memory::{Bytes, usual_budget};
use einsicht::model::params::TrainSettings;
use einsicht::{FitOptions, Plan, Prepared, SplitChoice};
use pyo3::prelude::*;
use serde_json::{Map, Value};

/// What is to be trained, whatever its split and its weights.
pub(crate) fn plan_of(graphs: &Graphs, targets: &[TargetIn<'_>], settings: &str, seed: u64) -> PyResult<Plan> {
    let mut settings: Map<String, Value> = serde_json::from_str(settings).map_err(value)?;
    let [exclude, require] = ["exclude", "require"].map(|name| named(name, settings.remove(name)));
    let settings = TrainSettings::from_json(&settings).map_err(param)?;
    let mut dataset = graphs.dataset().into_owned();
    dataset.targets = targets_from(targets, dataset.len())?;
    Ok(Plan { settings, seed, exclude: exclude?, require: require?, ..Plan::of_graphs(dataset) })
}

/// Everything that a training is given, without resamples, which joblib runs. The graphs from `num_train` on are the
/// validation set; without it there is none where folds choose the model, else it is a fifth of the graphs, drawn by
/// the seed. There is one weight per graph.
pub(crate) fn prepare(
    graphs: &Graphs,
    targets: &[TargetIn<'_>],
    settings: &str,
    seed: u64,
    num_train: Option<usize>,
    weights: Option<Vec<f64>>,
) -> PyResult<Prepared> {
    let split = num_train.map_or(SplitChoice::Usual, |count| {
        let (train, valid) = ((0..count).collect(), (count..graphs.dataset().len()).collect());
        SplitChoice::Rows(Split { train, valid, ..Split::default() })
    });
    let plan = Plan { split, weights, ..plan_of(graphs, targets, settings, seed)? };
    plan.prepare().map_err(plan_error)
}

/// Threads (default: one per core) and memory limit (default: that of the program).
pub(crate) fn fit_options(threads: Option<usize>, memory: Option<&str>) -> PyResult<FitOptions> {
    let given =
        memory.map(|text| text.parse::<Bytes>().map_err(|problem| value(format!("memory {problem}, got {text}"))));
    let memory = given.transpose()?.or_else(usual_budget).map(|Bytes(bytes)| bytes);
    Ok(FitOptions { threads: threads.unwrap_or_else(default_threads), memory })
}

/// Subgraphs by the names of their labels.
fn named(name: &str, patterns: Option<Value>) -> PyResult<Vec<NamedPattern>> {
    let Some(patterns) = patterns else { return Ok(Vec::new()) };
    serde_json::from_value(patterns).map_err(|error| value(format!("{name}: {error}")))
}
