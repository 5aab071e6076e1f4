//! Which of the patterns with the largest gradients enter: those that promise the largest fall of the loss.
//!
//! A gradient is large where a pattern is frequent or has large counts, so the largest one may belong to a common piece
//! of what decides (`C:C:C:C:C` where it is the ring). The search gives a shortlist of the largest gradients; on it
//! each pattern is judged by the fall of the loss that one Newton step on its weights, with the bias free, promises:
//! half of `grad_H^2 / curvature`, the statistic of Rao's score test. Of patterns that promise nearly as much as the
//! best, whole rings come before pieces of them.
//!
//! Where several enter in one pass, each is judged by what it promises beside those that enter before it: by the fall
//! of the same quadratic model of the loss, with their weights free too. So a near-copy of one that enters promises
//! nothing. This is a Cholesky factorization with the entrants as pivots.
//!
//! Promise: the shortlist is exact (the search's), the order of equals is that of the search. Tested against the
//! quadratic model solved from the start. What was measured is in `lab/notes/0022` and `0034`.

use crate::Objective;
use einsicht_graph::DfsCode;
use einsicht_search::feature::{Column, Values};
use einsicht_search::{Candidate, SearchResult};
use std::cmp::Reverse;

/// Candidates whose statistic is at least this part of the largest are as good: among them the one that people
/// understand best enters.
pub const AS_GOOD: f64 = 0.99;
/// A curvature of which no more than this part is left, beside those that enter together, is rounding.
pub const ROUNDING: f64 = 1e-9;

/// Smaller is easier to understand: whole rings before pieces of them, then few qualifiers before many.
pub fn ease(code: &DfsCode) -> (Reverse<usize>, usize) {
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

/// A candidate beside those that enter before it; all numbers but the promise are one per output.
struct Judged {
    candidate: Candidate,
    /// Twice the fall of the loss that a step on its weights promises.
    promise: f64,
    /// Curvature times value, summed over graphs.
    first: Vec<f64>,
    /// The curvature by its weight alone, with the bias free.
    alone: Vec<f64>,
    /// What is left of that beside the entrants, and of the gradient.
    curvature: Vec<f64>,
    gradient: Vec<f64>,
    /// Its row of the Cholesky factor: what it shares with each entrant.
    shared: Vec<Vec<f64>>,
}

impl Judged {
    fn judge(&mut self) {
        let left = self.gradient.iter().zip(&self.curvature).zip(&self.alone);
        self.promise =
            left.fold(
                0.0,
                |sum, ((gradient, &curvature), alone)| {
                    if curvature > ROUNDING * alone { sum + gradient * gradient / curvature } else { sum }
                },
            );
    }
}

impl ScoreTest {
    /// At the parameters at which the objective was evaluated last; the outputs must be the units of the mining layer.
    pub(super) fn new(objective: &Objective<'_>, units: usize) -> Self {
        Self::with(objective.curvatures(), objective.decay(), units)
    }

    fn with(curvature: Vec<f64>, decay: f64, units: usize) -> Self {
        let total = (0..units).map(|k| curvature.iter().skip(k).step_by(units).fold(0.0, |sum, c| sum + c)).collect();
        Self { curvature, total, decay }
    }

    /// The product of two sums over graphs that a free bias takes away from a sum of products.
    fn of_bias(&self, k: usize, one: f64, other: f64) -> f64 {
        if self.total[k] > 0.0 { one * other / self.total[k] } else { 0.0 }
    }

    /// The candidate alone.
    fn judged(&self, column: Column<'_>, candidate: Candidate) -> Judged {
        let units = candidate.gradient.len();
        let (mut first, mut second) = (vec![0.0; units], vec![0.0; units]);
        for (graph, value) in column.cells() {
            for (k, curvature) in self.curvature[graph * units..][..units].iter().enumerate() {
                first[k] += curvature * value;
                second[k] += curvature * value * value;
            }
        }
        let alone: Vec<f64> =
            (0..units).map(|k| second[k] - self.of_bias(k, first[k], first[k]) + self.decay).collect();
        let (curvature, gradient, shared) = (alone.clone(), candidate.gradient.clone(), Vec::new());
        let mut judged = Judged { candidate, promise: 0.0, first, alone, curvature, gradient, shared };
        judged.judge();
        judged
    }

    /// Takes away from a candidate what an entrant, whose values are given graph by graph, promises already.
    fn beside(&self, judged: &mut Judged, column: Column<'_>, entrant: &Judged, values: &[f64]) {
        let units = judged.gradient.len();
        let mut products = vec![0.0; units];
        for (graph, value) in column.cells() {
            for (k, curvature) in self.curvature[graph * units..][..units].iter().enumerate() {
                products[k] += curvature * value * values[graph];
            }
        }
        let mut shared = vec![0.0; units];
        for k in 0..units {
            if entrant.curvature[k] > ROUNDING * entrant.alone[k] {
                let common = products[k] - self.of_bias(k, judged.first[k], entrant.first[k]);
                let earlier = judged.shared.iter().zip(&entrant.shared);
                let left = earlier.fold(common, |left, (one, other)| left - one[k] * other[k]);
                shared[k] = left / entrant.curvature[k].sqrt();
                judged.gradient[k] -= shared[k] * entrant.gradient[k] / entrant.curvature[k].sqrt();
                judged.curvature[k] -= shared[k] * shared[k];
            }
        }
        judged.shared.push(shared);
        judged.judge();
    }

    /// Leaves the `most` candidates that promise most together, and of those that promise as much the ones that are
    /// easy to understand.
    pub(super) fn keep_best(&self, found: &mut SearchResult, values: Values, most: usize) {
        let candidates = found.candidates.drain(..);
        let mut judged: Vec<Judged> = candidates.map(|c| self.judged(values.column(&c.support.clone()), c)).collect();
        while found.candidates.len() < most && !judged.is_empty() {
            judged.sort_by(|a, b| {
                b.promise.total_cmp(&a.promise).then_with(|| a.candidate.code.cmp_by_size(&b.candidate.code))
            });
            let largest = judged[0].promise;
            if largest == 0.0 && !found.candidates.is_empty() {
                break;
            }
            let as_good = judged.partition_point(|j| j.promise >= AS_GOOD * largest);
            if !found.candidates.is_empty() {
                // Which of two is better by rounding depends on how it is computed; the first one is a plain quotient.
                judged[..as_good].sort_by(|a, b| a.candidate.code.cmp_by_size(&b.candidate.code));
            }
            let easiest = (0..as_good).min_by_key(|&at| ease(&judged[at].candidate.code)).unwrap_or(0);
            let entrant = judged.remove(easiest);
            if found.candidates.len() + 1 < most {
                self.let_enter(&mut judged, &entrant, values);
            }
            found.candidates.push(entrant.candidate);
        }
    }

    fn let_enter(&self, judged: &mut [Judged], entrant: &Judged, values: Values) {
        let mut of_entrant = vec![0.0; self.curvature.len() / entrant.gradient.len()];
        for (graph, value) in values.column(&entrant.candidate.support).cells() {
            of_entrant[graph] = value;
        }
        for other in judged {
            let support = other.candidate.support.clone();
            self.beside(other, values.column(&support), entrant, &of_entrant);
        }
    }
}

#[cfg(test)]
#[path = "shortlist_tests.rs"]
mod tests;
