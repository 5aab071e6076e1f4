//! The fit of heads on the chosen patterns.
//!
//! Promise: same values, targets, weights and seed give the same head on any number of threads. What a head is and how
//! it predicts is `einsicht_model::heads`. Not in the paper; measurements are in `docs/decisions/`.

mod linear;

use einsicht_model::heads::{FOREST_WEIGHTS, Forests, GrowOn, Head, HeadParams, LazyForests, Pair, Table, blend};
use einsicht_model::task::Targets;
use linear::fit_linear;

/// Fits a head; `None` if the head is the network.
///
/// The linear model has a column for each of the pairs too; forests find by themselves what two columns do together.
pub(crate) fn fit_head(
    params: &HeadParams,
    table: Table<'_>,
    pairs: Vec<Pair>,
    targets: &Targets,
    weights: &[f64],
) -> Option<Head> {
    let mut head = fit_head_without_forests(params, table, pairs, targets, weights)?;
    if head.lacks_forests() {
        head.set_forests(Forests::fit(table, targets, weights, params, GrowOn::AllThreads).into());
    }
    Some(head)
}

/// The same without its forests, which are to be set ([`Head::set_forests`]).
pub(crate) fn fit_head_without_forests(
    params: &HeadParams,
    table: Table<'_>,
    pairs: Vec<Pair>,
    targets: &Targets,
    weights: &[f64],
) -> Option<Head> {
    if !params.kind.is_fitted() {
        return None;
    }
    let linear = params.kind.has_linear().then(|| fit_linear(table, pairs, targets, weights, params.ridge));
    let forests = params.kind.has_forests().then(LazyForests::absent);
    let forest_weight =
        if linear.is_some() && forests.is_some() { FOREST_WEIGHTS[0] } else { f64::from(u8::from(forests.is_some())) };
    Some(Head { linear, forests, forest_weight })
}

/// Fits the weight of the forest on graphs with these outputs of its parts, by the loss. They must not be those of the
/// fit: a forest overfits its own. Returns its outputs for them, row after row.
pub(crate) fn weigh(head: &mut Head, parts: &[Vec<f64>], targets: &Targets) -> Vec<f64> {
    let (Some(forests), [of_linear, of_forests]) = (&head.forests, parts) else { return parts.concat() };
    let weights = vec![1.0; targets.rows()];
    let mut best = f64::INFINITY;
    for forest_weight in FOREST_WEIGHTS {
        let loss = targets.loss(&blend(of_linear, of_forests, forest_weight, &forests.widths()), &weights);
        if loss < best {
            (best, head.forest_weight) = (loss, forest_weight);
        }
    }
    blend(of_linear, of_forests, head.forest_weight, &forests.widths())
}

#[cfg(test)]
mod tests;
