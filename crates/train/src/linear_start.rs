//! The linear model from which the path of the group lasso may start: the paper's initial `B` and `b`.
//!
//! A linear model with the same penalty over the same patterns, fitted to its minimum for each `lambda` of a path; the
//! validation set chooses among those with patterns by the loss. The paper takes it from another program and does not
//! say how a vector of weights becomes `K` columns: here every hidden unit starts with all of it
//! ([`Iterate::start_from`]), and the random network tells the units apart. Tested in `tests/l1.rs`.

use super::{Purpose, TrainData, TrainError, Trainer};
use einsicht_model::Iterate;
use einsicht_model::features::PatternMatcher;
use einsicht_model::gnn::Gnn;
use einsicht_model::heads::HeadKind;
use einsicht_model::params::{CheckedParams, L1Start, NetworkKind, TrainParams};
use einsicht_model::task::metrics::Metric;
use einsicht_search::Search;
use std::sync::Arc;

/// Values of lambda of the linear model: down to a hundredth of the largest.
const LAMBDAS: usize = 6;

/// The linear model to start from, if the parameters ask for one, and what trained it.
pub(super) fn linear_model<S: Search, P: PatternMatcher>(
    params: &CheckedParams,
    data: &Arc<TrainData>,
    parts: (S, P),
) -> Result<((S, P), Option<Iterate>), TrainError> {
    let Some(linear) = params_of(params.get()) else { return Ok((parts, None)) };
    let mut trainer = Trainer::start(&linear, Arc::clone(data), parts, Purpose::Model, None)?;
    while trainer.step()?.is_some() {}
    let loss =
        |entry: &einsicht_model::PathEntry| entry.valid.get(Metric::Loss.name()).copied().unwrap_or(f64::INFINITY);
    let with_patterns = trainer.state().entries.iter().filter(|entry| !entry.iterate.patterns.is_empty());
    let best = with_patterns.min_by(|a, b| loss(a).total_cmp(&loss(b)));
    let found = best.map(|entry| entry.iterate.clone());
    Ok((trainer.into_parts(), found))
}

/// The parameters of the linear model.
fn params_of(params: &TrainParams) -> Option<CheckedParams> {
    let linear = TrainParams {
        network: NetworkKind::None,
        gnn: Gnn::None,
        head: HeadKind::Network,
        l1_start: L1Start::Zero,
        lambdas: LAMBDAS,
        weight_decay: 0.0,
        polish_steps: 1,
        ..params.clone()
    };
    (params.l1_start == L1Start::Linear).then(|| linear.check().ok()).flatten()
}
