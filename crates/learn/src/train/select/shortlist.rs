//! Which of the patterns with the largest gradients enter: those that promise the largest fall of the loss.
//!
//! A gradient is large where a pattern is frequent or has large counts, so the largest one may belong to a common piece of what decides (`C:C:C:C:C`
//! where it is the ring). The search gives a shortlist of the largest gradients; on it each pattern is judged by the fall of the loss that
//! one Newton step on its weights, with the bias free, promises: half of `grad_H^2 / curvature`, the statistic of Rao's score test. Of patterns that promise
//! nearly as much as the best, whole rings come before pieces of them.
//!
//! Promise: the shortlist is exact (the search's), the order of equals is that of the search. What was measured is in `docs/decisions/0022`.

use crate::train::Objective;
use einsicht_graph::DfsCode;
use einsicht_search::feature::{Column, Values};
use einsicht_search::{Candidate, SearchResult};
use std::cmp::Reverse;

/// Candidates whose statistic is at least this part of the largest are as good: among them the one that people understand best enters.
pub(crate) const AS_GOOD: f64 = 0.99;

/// Smaller is easier to understand: whole rings before pieces of them, then few qualifiers before many.
pub(crate) fn ease(code: &DfsCode) -> (Reverse<usize>, usize) {
    let rings = code.num_edges() + 1 - code.num_vertices();
    (Reverse(rings), code.qualifiers().len())
}

/// Curvatures of the loss by each output, of each graph, at one point.
pub(super) struct ScoreTest {
    curvature: Vec<f64>,
    /// Their sums over graphs, one per output.
    total: Vec<f64>,
    decay: f64,
}

impl ScoreTest {
    /// At the parameters at which the objective was evaluated last; the outputs must be the units of the mining layer.
    pub(super) fn new(objective: &Objective<'_>, units: usize) -> Self {
        let curvature = objective.curvatures();
        let total = (0..units).map(|k| curvature.iter().skip(k).step_by(units).fold(0.0, |sum, c| sum + c)).collect();
        Self { curvature, total, decay: objective.decay() }
    }

    /// Twice the fall of the loss that a step on the weights of this column promises.
    fn statistic(&self, column: Column<'_>, gradient: &[f64]) -> f64 {
        let units = gradient.len();
        let (mut first, mut second) = (vec![0.0; units], vec![0.0; units]);
        for (graph, value) in column.cells() {
            for (k, curvature) in self.curvature[graph * units..][..units].iter().enumerate() {
                first[k] += curvature * value;
                second[k] += curvature * value * value;
            }
        }
        (0..units).fold(0.0, |sum, k| {
            let with_bias_free = if self.total[k] > 0.0 { first[k] * first[k] / self.total[k] } else { 0.0 };
            let curvature = second[k] - with_bias_free + self.decay;
            if curvature > 0.0 { sum + gradient[k] * gradient[k] / curvature } else { sum }
        })
    }

    /// Leaves the `most` candidates that promise most, and of those that promise as much the ones that are easy to understand.
    pub(super) fn keep_best(&self, found: &mut SearchResult, values: Values, most: usize) {
        let statistic = |c: &Candidate| self.statistic(values.column(&c.support), &c.gradient);
        let mut ranked: Vec<(f64, Candidate)> = found.candidates.drain(..).map(|c| (statistic(&c), c)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.code.cmp_by_size(&b.1.code)));
        while found.candidates.len() < most && !ranked.is_empty() {
            let as_good = ranked.partition_point(|(statistic, _)| *statistic >= AS_GOOD * ranked[0].0);
            let easiest = (0..as_good).min_by_key(|&at| ease(&ranked[at].1.code)).unwrap_or(0);
            found.candidates.push(ranked.remove(easiest).1);
        }
    }
}
