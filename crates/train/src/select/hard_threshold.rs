//! The hard thresholding step on `B`: a gradient step, then only the `s` largest columns stay.
//!
//! The step knows the loss only as a function of the sums of the mining layer, so that any network can be behind
//! it. Promise: ranks are the search's own numbers (never the stepped columns, whose rounding would reorder
//! near-ties), ties go to the simpler code (`DfsCode::cmp_by_size`), and a step is taken only if it meets the
//! paper's condition. Paper: section "Optimization", and the first of the three conditions that end the
//! backtracking, in section "Convergence Analysis".

use einsicht_graph::{DfsCode, Support};
use einsicht_model::forward::mining::sums_of_columns;
use einsicht_model::squares;
use einsicht_search::bound::{score_at, stepped};
use einsicht_search::feature::Values;
use einsicht_search::{ActivePattern, SearchResult};
use std::sync::Arc;

/// A column that may be non-zero after the step: an active pattern or a candidate.
#[derive(Clone, Debug)]
pub(crate) struct ColumnCandidate {
    pub(crate) code: DfsCode,
    pub(crate) support: Arc<Support>,
    /// All zero if the pattern is not active.
    pub(crate) weights: Vec<f64>,
    /// Without weight decay.
    pub(crate) gradient: Vec<f64>,
    /// `norm(grad_H)` for a candidate; an active pattern ranks by the step size.
    pub(crate) fixed_score: Option<f64>,
    /// Whether it is required: then it stays.
    pub(crate) pinned: bool,
}

/// All columns that may be non-zero after the step, by [`DfsCode::cmp_by_size`].
pub(crate) fn column_candidates(active: Vec<ActivePattern>, found: SearchResult) -> Vec<ColumnCandidate> {
    let hidden = |gradient: &[f64]| vec![0.0; gradient.len()];
    let mut all: Vec<ColumnCandidate> = active
        .into_iter()
        .zip(found.active)
        .map(|(pattern, scored)| ColumnCandidate {
            code: pattern.code,
            support: pattern.support,
            weights: pattern.weights,
            gradient: scored.gradient,
            fixed_score: None,
            pinned: pattern.pinned,
        })
        .chain(found.candidates.into_iter().map(|candidate| ColumnCandidate {
            code: candidate.code,
            support: candidate.support,
            weights: hidden(&candidate.gradient),
            gradient: candidate.gradient,
            fixed_score: Some(candidate.score),
            pinned: false,
        }))
        .collect();
    all.sort_by(|a, b| a.code.cmp_by_size(&b.code));
    all
}

/// The parameters of the step.
pub(crate) struct ThresholdRules<'a> {
    /// `s`.
    pub(crate) size: usize,
    /// `Gamma`, decreasing.
    pub(crate) step_sizes: &'a [f64],
    /// `rho`.
    pub(crate) step_ratio: f64,
    /// `c`.
    pub(crate) sufficient_decrease: f64,
    /// Weight decay for a loss that is a sum.
    pub(crate) decay: f64,
    /// Presence or counts.
    pub(crate) values: Values,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AcceptedStep {
    /// `gamma`.
    pub(crate) step: f64,
    /// Indices of the candidates that are non-zero now, increasing.
    pub(crate) chosen: Vec<usize>,
    /// Their weights, in the same order.
    pub(crate) weights: Vec<Vec<f64>>,
}

/// Tries the step sizes in order until one decreases the loss enough; `None` if none does.
/// `loss(sums, squares of B)` is the whole loss after the step, `loss_before` the one before it.
pub(crate) fn threshold_step(
    column_candidates: &[ColumnCandidate],
    rules: &ThresholdRules<'_>,
    loss_before: f64,
    sums: &mut [f64],
    mut loss: impl FnMut(&[f64], f64) -> f64,
) -> Option<AcceptedStep> {
    let hidden = column_candidates.first()?.weights.len();
    let full_gradient_squares: Vec<f64> = column_candidates
        .iter()
        .map(|c| c.gradient.iter().zip(&c.weights).fold(0.0, |sum, (g, w)| sum + (g + rules.decay * w).powi(2)))
        .collect();
    // Allocated once: the trials below allocate nothing.
    let mut ranked: Vec<(f64, usize)> = Vec::with_capacity(column_candidates.len());
    let mut is_chosen = vec![false; column_candidates.len()];
    let mut moved = vec![0.0; column_candidates.len() * hidden];
    for &step in rules.step_sizes {
        choose(column_candidates, rules, step, &mut ranked, &mut is_chosen);
        for (at, candidate) in column_candidates.iter().enumerate().filter(|(at, _)| is_chosen[*at]) {
            for k in 0..hidden {
                moved[at * hidden + k] = stepped(candidate.weights[k], candidate.gradient[k], rules.decay, step);
            }
        }
        let new = |at: usize| &moved[at * hidden..][..hidden];
        // A column that the step puts exactly at zero is not active.
        let stays = |at: usize| is_chosen[at] && (column_candidates[at].pinned || new(at).iter().any(|w| *w != 0.0));
        let chosen = || (0..column_candidates.len()).filter(|&at| stays(at));
        sums_of_columns(sums, chosen().map(|at| (rules.values.column(&column_candidates[at].support), new(at))));
        let loss_after = loss(sums, chosen().fold(0.0, |sum, at| sum + squares(new(at))));
        let mut union_squares = 0.0;
        for (at, candidate) in column_candidates.iter().enumerate() {
            if candidate.fixed_score.is_none() || is_chosen[at] {
                union_squares += full_gradient_squares[at];
            }
        }
        let wanted = rules.sufficient_decrease * (1.0 - rules.step_ratio) * step / 2.0 * union_squares;
        if loss_before - loss_after >= wanted {
            let chosen: Vec<usize> = chosen().collect();
            let weights = chosen.iter().map(|&at| new(at).to_vec()).collect();
            return Some(AcceptedStep { step, chosen, weights });
        }
    }
    None
}

/// Marks the `s` candidates that rank highest at this step size. Their order is that of the codes, so among
/// equal scores the earlier one wins.
fn choose(
    column_candidates: &[ColumnCandidate],
    rules: &ThresholdRules<'_>,
    step: f64,
    ranked: &mut Vec<(f64, usize)>,
    is_chosen: &mut [bool],
) {
    ranked.clear();
    ranked.extend(column_candidates.iter().enumerate().map(|(at, c)| {
        let free = || c.fixed_score.unwrap_or_else(|| score_at(&c.weights, &c.gradient, rules.decay, step));
        (if c.pinned { f64::INFINITY } else { free() }, at)
    }));
    if ranked.len() > rules.size {
        ranked.select_nth_unstable_by(rules.size - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    is_chosen.fill(false);
    for (_, at) in ranked.iter().take(rules.size) {
        is_chosen[*at] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_search::code_tuples::from_tuples;

    fn candidate(label: u32, graphs: &[u32], weight: f64, gradient: f64) -> ColumnCandidate {
        ColumnCandidate {
            code: from_tuples(&[[0, 1, 0, 0, label]]).unwrap(),
            support: Support::detached(graphs.to_vec(), vec![]),
            weights: vec![weight],
            gradient: vec![gradient],
            fixed_score: (weight == 0.0).then(|| gradient.abs()),
            pinned: false,
        }
    }

    fn rules(size: usize, step_sizes: &[f64]) -> ThresholdRules<'_> {
        ThresholdRules {
            size,
            step_sizes,
            step_ratio: 0.5,
            sufficient_decrease: 1e-4,
            decay: 0.0,
            values: Values::Presence,
        }
    }

    #[test]
    fn the_largest_columns_stay_and_ties_go_to_the_smaller_code() {
        let all = [candidate(1, &[0], 0.0, -2.0), candidate(2, &[1], 0.0, 2.0), candidate(3, &[2], 1.0, 0.5)];
        // At step 1 the scores are 2, 2 and |1 - 0.5| / 1: the two candidates win, or the first of them.
        for (size, expected) in [(2, vec![0, 1]), (1, vec![0])] {
            let step = threshold_step(&all, &rules(size, &[1.0]), 9.0, &mut [0.0; 3], |_, _| 0.0).unwrap();
            assert_eq!(step.chosen, expected);
            assert_eq!(step.weights[0], [2.0]);
        }
        // At step 1/8 the active one has 0.9375 * 8 = 7.5.
        let step = threshold_step(&all, &rules(1, &[0.125]), 9.0, &mut [0.0; 3], |_, _| 0.0).unwrap();
        assert_eq!(step.chosen, [2]);
    }

    #[test]
    fn steps_shrink_until_the_loss_falls_enough() {
        let all = [candidate(1, &[0], 0.0, -2.0)];
        let mut tried = Vec::new();
        let found = threshold_step(&all, &rules(1, &[1.0, 0.5, 0.25]), 1.0, &mut [0.0], |sums, squares| {
            tried.push((sums[0], squares));
            (sums[0] - 0.5).powi(2) * 4.0
        });
        assert_eq!(tried, [(2.0, 4.0), (1.0, 1.0), (0.5, 0.25)]);
        assert_eq!(found.unwrap().step, 0.25);
        assert_eq!(threshold_step(&all, &rules(1, &[1.0]), 1.0, &mut [0.0], |_, _| 1.0), None);
    }

    #[test]
    fn a_column_that_lands_on_zero_is_dropped() {
        let all = [candidate(1, &[0], 1.0, 2.0), candidate(2, &[0], 0.0, 0.0)];
        let step = threshold_step(&all, &rules(5, &[0.5]), 1.0, &mut [0.0], |_, _| 0.0).unwrap();
        assert!(step.chosen.is_empty());
    }

    #[test]
    fn a_loss_that_is_not_a_number_is_never_accepted() {
        let all = [candidate(1, &[0], 0.0, -2.0)];
        assert_eq!(threshold_step(&all, &rules(1, &[1.0]), 1.0, &mut [0.0], |_, _| f64::NAN), None);
    }
}
