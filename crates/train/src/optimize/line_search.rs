//! Gradient steps on `b` and on `theta` with a backtracking line search (Armijo).
//!
//! Promise: a step is taken only if the loss falls by at least `c gamma / 2 norm(gradient)^2`. Paper: the last
//! two of the three conditions in section "Convergence Analysis".

use super::objective::Objective;
use einsicht_model::forward::mining;
use einsicht_model::{Iterate, squares};
use einsicht_search::bound::stepped;

/// Backtracking over the step sizes `Gamma`.
pub(crate) struct LineSearch<'a> {
    /// `Gamma`, decreasing.
    pub(crate) step_sizes: &'a [f64],
    /// `c`.
    pub(crate) sufficient_decrease: f64,
}

impl LineSearch<'_> {
    /// The first step size that meets Armijo's condition, with its loss.
    fn backtrack(
        &self,
        loss_before: f64,
        gradient_squares: f64,
        mut trial: impl FnMut(f64) -> f64,
    ) -> Option<(f64, f64)> {
        if gradient_squares == 0.0 {
            return None;
        }
        self.step_sizes.iter().find_map(|&step| {
            let loss = trial(step);
            let wanted = self.sufficient_decrease * step / 2.0 * gradient_squares;
            (loss_before - loss >= wanted).then_some((step, loss))
        })
    }

    /// One step on the bias of the mining layer, from parameters at which the objective was evaluated last. Returns the
    /// loss after it and whether a step was taken.
    pub(crate) fn step_bias(
        &self,
        objective: &mut Objective<'_>,
        sums: &[f64],
        iterate: &mut Iterate,
        loss: f64,
    ) -> (f64, bool) {
        let all_squares = iterate.squares();
        let (delta, _) = objective.delta_and_network_gradient(&iterate.network);
        let mut gradient = vec![0.0; iterate.bias.len()];
        mining::bias_gradient(delta, &mut gradient);
        let mut moved = vec![0.0; gradient.len()];
        let found = self.backtrack(loss, squares(&gradient), |step| {
            for ((to, &from), &g) in moved.iter_mut().zip(&iterate.bias).zip(&gradient) {
                *to = stepped(from, g, 0.0, step);
            }
            let data_loss = objective.data_loss(sums, &moved, &iterate.network);
            objective.with_decay(data_loss, all_squares)
        });
        let Some((_, lower)) = found else { return (loss, false) };
        iterate.bias = moved;
        (lower, true)
    }

    /// Up to `steps` steps on the network. Returns the loss after them and how many were taken.
    pub(crate) fn step_network(
        &self,
        objective: &mut Objective<'_>,
        sums: &[f64],
        iterate: &mut Iterate,
        mut loss: f64,
        steps: usize,
    ) -> (f64, usize) {
        let pattern_squares = iterate.patterns.iter().fold(0.0, |sum, p| sum + squares(&p.weights));
        let pair_squares = iterate.pair_squares();
        let decay = objective.decay();
        let (mut gradient, mut moved) = (vec![0.0; iterate.network.len()], vec![0.0; iterate.network.len()]);
        objective.data_loss(sums, &iterate.bias, &iterate.network);
        for taken in 0..steps {
            // The last loss was that of the accepted network, so its activations are still in place.
            gradient.copy_from_slice(objective.network_gradient(&iterate.network));
            let mut gradient_squares = 0.0;
            for (g, w) in gradient.iter().zip(&iterate.network) {
                let full = g + decay * w;
                gradient_squares += full * full;
            }
            let found = self.backtrack(loss, gradient_squares, |step| {
                for ((to, &from), &g) in moved.iter_mut().zip(&iterate.network).zip(&gradient) {
                    *to = stepped(from, g, decay, step);
                }
                let data_loss = objective.data_loss_of_network(&moved);
                objective.with_decay(data_loss, pattern_squares + squares(&moved) + pair_squares)
            });
            let Some((_, lower)) = found else { return (loss, taken) };
            std::mem::swap(&mut iterate.network, &mut moved);
            loss = lower;
        }
        (loss, steps)
    }
}
