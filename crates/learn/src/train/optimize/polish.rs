//! Refits of all weights on fixed patterns: the prefit before the first pattern, polishing after each step.
//!
//! Both minimise the training objective by L-BFGS, over `b` and `theta` (prefit) or over `beta`, `b` and `theta`
//! of the active patterns (polishing: the debiasing step of hard thresholding pursuit). The active set never
//! changes here. Not in the paper.

use super::lbfgs::minimize;
use super::objective::Objective;
use crate::forward::mining;
use crate::forward::mining::sums_of_columns;
use crate::train::iterate::{Iterate, norm, squares};
use einsicht_search::feature::Column;

/// Makes at most `steps` steps on all weights of the iterate; `columns` are the values of its patterns, `of_pairs` those of its pairs.
/// Returns the penalised loss, which is smooth as long as no column is zero.
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
        for ((column, row), gradients) in of_pairs.iter().zip(pair_rows()).zip(pair_part.chunks_exact_mut(hidden)) {
            mining::dense_gradient(delta, column, gradients);
            for (derivative, w) in gradients.iter_mut().zip(row) {
                *derivative += decay * w;
            }
        }
        let (pattern_part, rest_part) = gradient.split_at_mut(patterns * hidden);
        let (bias_part, network_part) = rest_part.split_at_mut(hidden);
        let gradients_of = pattern_part.chunks_exact_mut(hidden);
        for (((column, row), gradients), &lambda) in columns.iter().zip(rows()).zip(gradients_of).zip(penalties) {
            mining::pattern_gradient(delta, *column, gradients);
            let length = if lambda > 0.0 { norm(row) } else { 0.0 };
            for (derivative, w) in gradients.iter_mut().zip(row) {
                *derivative += decay * w;
                if length > 0.0 {
                    *derivative += lambda * w / length;
                }
            }
        }
        mining::bias_gradient(delta, bias_part);
        for ((derivative, g), w) in network_part.iter_mut().zip(network_gradient).zip(network) {
            *derivative = g + decay * w;
        }
        let pattern_squares = rows().fold(0.0, |sum, row| sum + squares(row));
        let pair_squares = pair_rows().fold(0.0, |sum, row| sum + squares(row));
        let loss = objective.with_decay(data_loss, pattern_squares + squares(&whole) + pair_squares);
        loss + rows().zip(penalties).fold(0.0, |sum, (row, lambda)| sum + lambda * norm(row))
    });
    for (pattern, row) in iterate.patterns.iter_mut().zip(point.chunks_exact(hidden)) {
        pattern.weights.copy_from_slice(row);
    }
    for (pair, row) in iterate.pairs.iter_mut().zip(point[pairs_at..].chunks_exact(hidden)) {
        pair.weights.copy_from_slice(row);
    }
    let (bias, network) = point[patterns * hidden..pairs_at].split_at(hidden);
    iterate.bias.copy_from_slice(bias);
    iterate.network[..fitted].copy_from_slice(network);
    loss
}
