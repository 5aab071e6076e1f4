//! Refits of all weights on fixed patterns: the prefit before the first pattern, polishing after each step.
//!
//! Both minimise the training objective by L-BFGS, over `b` and `theta` (prefit) or over `beta`, `b` and `theta`
//! of the active patterns (polishing: the debiasing step of hard thresholding pursuit). The active set never
//! changes here. Not in the paper.

use super::lbfgs::minimize;
use super::objective::Objective;
use einsicht_model::forward::mining;
use einsicht_model::forward::mining::sums_of_columns;
use einsicht_model::{Iterate, norm, squares};
use einsicht_search::feature::Column;

/// Makes at most `steps` steps on all weights of the iterate; `columns` are the values of its patterns, `of_pairs`
/// those of its pairs. Returns the penalised loss, which is smooth as long as no column is zero.
pub(crate) fn fit_fixed(
    objective: &mut Objective<'_>,
    (columns, of_pairs): (&[Column<'_>], &[Vec<f64>]),
    iterate: &mut Iterate,
    penalties: &[f64],
    steps: usize,
) -> f64 {
    let hidden = iterate.bias.len();
    let patterns = iterate.patterns.len();
    let decay = objective.decay();
    let mut point: Vec<f64> = iterate.patterns.iter().flat_map(|p| p.weights.iter().copied()).collect();
    point.extend_from_slice(&iterate.bias);
    // Fixed parameters, as a rule those of a graph network, come last.
    let fitted = objective.num_fitted();
    let mut whole = iterate.network.clone();
    point.extend_from_slice(&whole[..fitted]);
    let pairs_at = point.len();
    point.extend(iterate.pairs.iter().flat_map(|pair| pair.weights.iter().copied()));
    let mut sums = objective.zero_sums();
    let loss = minimize(&mut point, steps, |point, gradient| {
        let (point, pair_weights) = point.split_at(pairs_at);
        let (weights, rest) = point.split_at(patterns * hidden);
        let (bias, network) = rest.split_at(hidden);
        let pair_rows = || pair_weights.chunks_exact(hidden);
        whole[..fitted].copy_from_slice(network);
        let rows = || weights.chunks_exact(hidden);
        sums_of_columns(&mut sums, columns.iter().copied().zip(rows()));
        for (column, row) in of_pairs.iter().zip(pair_rows()) {
            mining::add_dense(&mut sums, column, row);
        }
        let data_loss = objective.data_loss(&sums, bias, &whole);
        let (delta, network_gradient) = objective.delta_and_network_gradient(&whole);
        let (gradient, pair_part) = gradient.split_at_mut(pairs_at);
        let pairs = of_pairs.iter().zip(pair_rows());
        pair_gradients(delta, pairs, decay, pair_part.chunks_exact_mut(hidden));
        let (pattern_part, rest_part) = gradient.split_at_mut(patterns * hidden);
        let (bias_part, network_part) = rest_part.split_at_mut(hidden);
        let gradients_of = pattern_part.chunks_exact_mut(hidden);
        for (((column, row), gradients), &lambda) in columns.iter().zip(rows()).zip(gradients_of).zip(penalties) {
            mining::pattern_gradient(delta, *column, gradients);
            add_penalties(gradients, row, decay, lambda);
        }
        mining::bias_gradient(delta, bias_part);
        for ((derivative, g), w) in network_part.iter_mut().zip(network_gradient).zip(network) {
            *derivative = g + decay * w;
        }
        let squares_of = |rows: std::slice::ChunksExact<'_, f64>| rows.fold(0.0, |sum, row| sum + squares(row));
        let loss = objective.with_decay(data_loss, squares_of(rows()) + squares(&whole) + squares_of(pair_rows()));
        loss + rows().zip(penalties).fold(0.0, |sum, (row, lambda)| sum + lambda * norm(row))
    });
    let of_patterns = iterate.patterns.iter_mut().map(|pattern| &mut pattern.weights);
    of_patterns.zip(point.chunks_exact(hidden)).for_each(|(weights, row)| weights.copy_from_slice(row));
    let of_pairs = iterate.pairs.iter_mut().map(|pair| &mut pair.weights);
    of_pairs.zip(point[pairs_at..].chunks_exact(hidden)).for_each(|(weights, row)| weights.copy_from_slice(row));
    let (bias, network) = point[patterns * hidden..pairs_at].split_at(hidden);
    iterate.bias.copy_from_slice(bias);
    iterate.network[..fitted].copy_from_slice(network);
    loss
}

/// Adds the derivatives of weight decay and of the group penalty to those of the loss by the weights of one pattern.
fn add_penalties(gradients: &mut [f64], weights: &[f64], decay: f64, lambda: f64) {
    let length = if lambda > 0.0 { norm(weights) } else { 0.0 };
    for (derivative, w) in gradients.iter_mut().zip(weights) {
        *derivative += decay * w;
        if length > 0.0 {
            *derivative += lambda * w / length;
        }
    }
}

/// The derivatives of the loss by the weights of pairs, each given with its column.
fn pair_gradients<'a>(
    delta: &[f64],
    pairs: impl Iterator<Item = (&'a Vec<f64>, &'a [f64])>,
    decay: f64,
    gradients: std::slice::ChunksExactMut<'_, f64>,
) {
    for ((column, row), gradients) in pairs.zip(gradients) {
        mining::dense_gradient(delta, column, gradients);
        add_penalties(gradients, row, decay, 0.0);
    }
}
