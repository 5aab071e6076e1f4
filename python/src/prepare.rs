//! Inputs of a training: the data set, the split and the parameters.
//!
//! Promise: equal arguments give equal inputs, down to the numbers of labels, so that the workers of a distributed
//! training agree with it and with each other. Ranges and defaults of parameters are checked by
//! [`einsicht::model::params`].

use crate::errors::{param, value};
use crate::graphs::Graphs;
use crate::interruptible::default_threads;
use crate::targets::{TargetIn, targets_from};
use einsicht::data::patterns::BoundPatterns;
use einsicht::data::patterns::{NamedPattern, UnknownLabel};
use einsicht::data::{ClassWeight, Split};
use einsicht::graph::DfsCode;
use einsicht::memory::{Bytes, usual_budget};
use einsicht::model::params::{CheckedParams, TrainParams, TrainSettings};
use einsicht::model::task::check_targets;
use einsicht::train::fit::usual_split;
use einsicht::train::grid::Grid;
use einsicht::{Dataset, FitOptions, Inputs, Resampling};
use pyo3::prelude::*;
use serde_json::{Map, Value};

/// Inputs of a training.
pub(crate) struct Prepared {
    pub(crate) dataset: Dataset,
    pub(crate) split: Split,
    pub(crate) params: CheckedParams,
}

impl Prepared {
    /// What a session works on; weights are those of the training set.
    pub(crate) fn inputs<'a>(&'a self, weights: Option<&'a [f64]>) -> Inputs<'a> {
        let Self { dataset, split, params } = self;
        // Resampling is left to joblib.
        let (class_weight, resampling) = (ClassWeight::None, Resampling::default());
        Inputs { dataset, split, params, weights, class_weight, resampling }
    }

    /// Of one weight per graph those of the training set.
    pub(crate) fn of_train(&self, weights: Option<Vec<f64>>) -> Option<Vec<f64>> {
        let pick = |weights: Vec<f64>| self.split.train.iter().filter_map(|&at| weights.get(at).copied()).collect();
        weights.map(pick)
    }
}

/// The graphs from `num_train` on are the validation set; without it there is none where folds choose the model, else
/// it is a fifth of the graphs, drawn by the seed.
pub(crate) fn prepare(
    graphs: &Graphs,
    targets: &[TargetIn<'_>],
    settings: &str,
    seed: u64,
    num_train: Option<usize>,
) -> PyResult<Prepared> {
    let (dataset, params) = prepare_grid(graphs, targets, settings, seed, &Grid::quick())?;
    let params = params.check().map_err(param)?;
    let split = match num_train {
        None => usual_split(&dataset, params.get()).map_err(value)?,
        Some(count) => {
            Split { train: (0..count).collect(), valid: (count..dataset.len()).collect(), ..Split::default() }
        }
    };
    Ok(Prepared { dataset, split, params })
}

/// Threads (default: one per core) and memory limit (default: that of the program).
pub(crate) fn fit_options(threads: Option<usize>, memory: Option<&str>) -> PyResult<FitOptions> {
    let given =
        memory.map(|text| text.parse::<Bytes>().map_err(|problem| value(format!("memory {problem}, got {text}"))));
    let memory = given.transpose()?.or_else(usual_budget).map(|Bytes(bytes)| bytes);
    Ok(FitOptions { threads: threads.unwrap_or_else(default_threads), memory })
}

/// The data set, and the parameters from which a grid starts.
pub(crate) fn prepare_grid(
    graphs: &Graphs,
    targets: &[TargetIn<'_>],
    settings: &str,
    seed: u64,
    grid: &Grid,
) -> PyResult<(Dataset, TrainParams)> {
    let mut settings: Map<String, Value> = serde_json::from_str(settings).map_err(value)?;
    let [exclude, require] = ["exclude", "require"].map(|name| (name, settings.remove(name)));
    let settings = TrainSettings::from_json(&settings).map_err(param)?;
    let mut params = grid.base(&settings, seed).map_err(param)?;
    let mut dataset = graphs.dataset().into_owned();
    dataset.targets = targets_from(targets, dataset.len())?;
    check_targets(&dataset).map_err(value)?;
    // The table follows from the data and the parameters, so all workers of a distributed training have the same.
    let dataset = params.qualify(dataset).map_err(value)?;
    // As in the program: a subgraph with labels or qualifiers that the graphs do not have is excluded anyway, but
    // cannot be required.
    params.exclude = named(exclude, &dataset)?.codes;
    let BoundPatterns { codes, unknown } = named(require, &dataset)?;
    if unknown > 0 {
        return Err(value(format!(
            "subgraphs to require must have labels and qualifiers of the graphs, but {unknown} of them have others"
        )));
    }
    params.require = codes;
    Ok((dataset, params))
}

/// Subgraphs by the names of their labels, in the labels of a data set.
fn named((name, patterns): (&str, Option<Value>), dataset: &Dataset) -> PyResult<BoundPatterns> {
    let patterns: Vec<NamedPattern> = match patterns {
        None => Vec::new(),
        Some(patterns) => serde_json::from_value(patterns).map_err(|error| value(format!("{name}: {error}")))?,
    };
    let names = dataset.names();
    for (at, pattern) in patterns.iter().enumerate() {
        let problem = match names.bind(pattern) {
            Ok(graph) if DfsCode::minimum_of(&graph).is_none() => {
                format!("a subgraph must be connected and have at least one vertex, but number {at} does not")
            }
            // No subgraph of the graphs is meant, which would change nothing in silence.
            Err(UnknownLabel::Edge(label)) if label.is_empty() => {
                format!(
                    "the graphs have edge labels, so each edge of a subgraph must have one, but number {at} has an \
                     edge without"
                )
            }
            Err(UnknownLabel::Qualifier(word)) if ["aliphatic", "cycle"].contains(&&*word) => {
                format!(
                    "no subgraph of these graphs can require \"{word}\", but number {at} does: R needs A;R or a, and A \
                     needs molecule_labels=[\"aromatic\"]"
                )
            }
            _ => continue,
        };
        return Err(value(format!("{name}: {problem}")));
    }
    Ok(names.bind_all(&patterns))
}
