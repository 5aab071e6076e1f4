//! What a training starts from: the data set, the split and the parameters.
//!
//! Promise: equal arguments give equal starts, down to the numbers of labels, so that the shards of a training that is spread
//! over several places agree with it and with each other.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::targets::{TargetIn, targets_from};
use einsicht::Dataset;
use einsicht::data::Split;
use einsicht::data::split::seeded::{Shares, usual};
use einsicht::learn::params::CheckedParams;
use einsicht::learn::wishes::TrainWishes;
use pyo3::prelude::*;

/// What a training starts from.
pub(crate) struct Prepared {
    pub(crate) dataset: Dataset,
    pub(crate) split: Split,
    pub(crate) params: CheckedParams,
}

/// The graphs from `num_train` on are for validation; without it a fifth of the graphs is, by the seed.
pub(crate) fn prepare(
    graphs: &Graphs,
    targets: &[TargetIn<'_>],
    wishes: &str,
    seed: u64,
    num_train: Option<usize>,
) -> PyResult<Prepared> {
    let wishes = serde_json::from_str(wishes).map_err(value)?;
    let params = TrainWishes::from_json(wishes).and_then(|wishes| wishes.params(seed)).map_err(value)?;
    let params = params.check().map_err(value)?;
    let mut dataset = graphs.dataset().into_owned();
    dataset.targets = targets_from(targets, dataset.len())?;
    let split = match num_train {
        None => usual(&dataset, Shares::default(), params.get().seed).map_err(value)?,
        Some(count) => {
            Split { train: (0..count).collect(), valid: (count..dataset.len()).collect(), ..Split::default() }
        }
    };
    Ok(Prepared { dataset, split, params })
}
