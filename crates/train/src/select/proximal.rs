//! The proximal step on `B` for the group lasso (`L1,2`): a gradient step, then the norm of every column shrinks by
//! `gamma lambda`; columns that reach zero leave the active set.
//!
//! Promise: whether a pattern enters is decided on the search's own number, its gradient norm (an active one ranks by
//! the same expression as in [`super::hard_threshold`]), never on the shrunk column; so at `lambda_max` nothing enters
//! and at the next smaller number something does. A step is taken only if the penalised loss falls by at least `c / (2
//! gamma) norm(change)^2`. Paper: Appendix "Discussion on `L1,2` based EIN".

use super::hard_threshold::{AcceptedStep, ColumnCandidate};
use einsicht_model::forward::mining::sums_of_columns;
use einsicht_model::{norm, squares};
use einsicht_search::bound::{score_at, stepped};
use einsicht_search::feature::Values;

/// The parameters of the step.
pub(crate) struct ProximalRules<'a> {
    pub(crate) lambda: f64,
    /// `Gamma`, decreasing.
    pub(crate) step_sizes: &'a [f64],
    /// `c`.
    pub(crate) sufficient_decrease: f64,
    /// Weight decay for a loss that is a sum.
    pub(crate) decay: f64,
    /// Presence or counts.
    pub(crate) values: Values,
}

/// The factor of the proximal operator; `None` if the column becomes zero.
fn shrinkage(score: f64, lambda: f64) -> Option<f64> {
    // The difference of neighbouring floats is exact, so a column above lambda stays non-zero.
    (score > lambda).then(|| (score - lambda) / score)
}

/// Tries the step sizes in order until one decreases the loss enough; `None` if none does, or if the step would
/// change nothing. `loss(sums, squares of B)` is the loss without penalty after the step, `before` the one with
/// penalty before it.
pub(crate) fn proximal_step(
    column_candidates: &[ColumnCandidate],
    rules: &ProximalRules<'_>,
    before: f64,
    sums: &mut [f64],
    mut loss: impl FnMut(&[f64], f64) -> f64,
) -> Option<AcceptedStep> {
    let hidden = column_candidates.first()?.weights.len();
    let mut moved = vec![0.0; column_candidates.len() * hidden];
    let mut is_left = vec![false; column_candidates.len()];
    for &step in rules.step_sizes {
        let mut change = 0.0;
        for (at, candidate) in column_candidates.iter().enumerate() {
            let (weights, gradient) = (&candidate.weights, &candidate.gradient);
            let score = candidate.fixed_score.unwrap_or_else(|| score_at(weights, gradient, rules.decay, step));
            let left = if candidate.pinned { Some(1.0) } else { shrinkage(score, rules.lambda) };
            is_left[at] = candidate.pinned;
            for k in 0..hidden {
                let to = left.map_or(0.0, |left| stepped(weights[k], gradient[k], rules.decay, step) * left);
                moved[at * hidden + k] = to;
                is_left[at] |= to != 0.0;
                change += (to - weights[k]) * (to - weights[k]);
            }
        }
        if change == 0.0 {
            return None;
        }
        let new = |at: usize| &moved[at * hidden..][..hidden];
        let left = || (0..column_candidates.len()).filter(|&at| is_left[at]);
        sums_of_columns(sums, left().map(|at| (rules.values.column(&column_candidates[at].support), new(at))));
        let lambda = |at: usize| if column_candidates[at].pinned { 0.0 } else { rules.lambda };
        let penalty = left().fold(0.0, |sum, at| sum + lambda(at) * norm(new(at)));
        let after = loss(sums, left().fold(0.0, |sum, at| sum + squares(new(at)))) + penalty;
        // Written so that a column that is too short to move the loss by one bit may still enter.
        if after <= before - rules.sufficient_decrease / (2.0 * step) * change {
            let chosen: Vec<usize> = left().collect();
            let weights = chosen.iter().map(|&at| new(at).to_vec()).collect();
            return Some(AcceptedStep { step, chosen, weights });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_graph::Support;
    use einsicht_search::code_tuples::from_tuples;

    fn candidate(graphs: &[u32], weight: f64, gradient: f64) -> ColumnCandidate {
        ColumnCandidate {
            code: from_tuples(&[[0, 1, 0, 0, 1]]).unwrap(),
            support: Support::detached(graphs.to_vec(), vec![]),
            weights: vec![weight],
            gradient: vec![gradient],
            fixed_score: (weight == 0.0).then(|| gradient.abs()),
            pinned: false,
        }
    }

    fn rules(lambda: f64, step_sizes: &[f64]) -> ProximalRules<'_> {
        ProximalRules { lambda, step_sizes, sufficient_decrease: 1e-4, decay: 0.0, values: Values::Presence }
    }

    #[test]
    fn columns_get_shorter_and_short_ones_are_gone() {
        let all = [candidate(&[0], 0.0, -2.0), candidate(&[1], 1.0, 0.25), candidate(&[2], 0.25, 0.0)];
        let step = proximal_step(&all, &rules(0.5, &[1.0]), 9.0, &mut [0.0; 3], |_, _| 0.0).unwrap();
        assert_eq!((step.chosen, step.weights), (vec![0, 1], vec![vec![1.5], vec![0.25]]));
    }

    #[test]
    fn steps_shrink_until_the_penalised_loss_falls_enough() {
        let all = [candidate(&[0], 0.0, -2.0)];
        let mut tried = Vec::new();
        let step = proximal_step(&all, &rules(1.0, &[1.0, 0.5, 0.25]), 1.0, &mut [0.0], |sums, _| {
            tried.push(sums[0]);
            (sums[0] - 0.5).powi(2) * 4.0
        });
        assert_eq!((tried, step.unwrap().step), (vec![1.0, 0.5], 0.5));
        assert_eq!(proximal_step(&all, &rules(1.0, &[1.0]), 1.0, &mut [0.0], |_, _| f64::NAN), None);
    }

    #[test]
    fn the_next_smaller_float_makes_the_difference() {
        let all = [candidate(&[0], 0.0, -2.0)];
        let at = |lambda: f64| proximal_step(&all, &rules(lambda, &[0.1]), 1.0, &mut [0.0], |_, _| 1.0);
        assert_eq!(at(2.0), None);
        assert_eq!(at(2.0_f64.next_down()).unwrap().chosen, [0]);
    }
}
