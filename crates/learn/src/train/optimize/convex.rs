//! The least point of the penalised loss of a linear model over fixed patterns.
//!
//! Without a network and with the `L1,2` penalty the loss is convex, so between two searches the weights can be fitted
//! to their end: Newton steps on a diagonal model of the loss, each found by going round the columns. Promise: the
//! penalised loss never rises, and columns that end at zero are dropped. Whether all patterns of the data agree is
//! for the next search to say. Not in the paper, which takes its linear start from elsewhere.

use super::objective::Objective;
use crate::forward::mining;
use crate::forward::mining::sums_of_columns;
use crate::train::iterate::{Iterate, norm};
use einsicht_search::feature::Column;

/// Largest part of the optimality conditions that may be left, for a loss that is a mean.
const ENOUGH: f64 = 1e-10;
/// With many classes the diagonal is a poor model of the loss: hundreds of steps may be needed, though few usually are.
const NEWTON_STEPS: usize = 5000;
const ROUNDS: usize = 200;
const HALVINGS: usize = 30;
/// Outputs that are sure of themselves still have this curvature, so that no step is endless.
const LEAST_CURVATURE: f64 = 1e-6;

/// Fits all weights and returns the penalised loss; `columns` are the values of the patterns, `total` is the number of
/// labels, weighted.
pub(crate) fn fit_convex(
    objective: &mut Objective<'_>,
    columns: &[Column<'_>],
    iterate: &mut Iterate,
    penalties: &[f64],
    total: f64,
) -> f64 {
    let units = iterate.bias.len();
    let rows = objective.zero_sums().len() / units;
    // The bias is one more column, present in every graph and free of penalty and decay.
    let everywhere: Vec<u32> = (0..rows as u32).collect();
    let with_bias = columns.iter().copied().chain([Column::present_in(&everywhere)]);
    let cells: Vec<Vec<(usize, f64)>> = with_bias.map(|column| column.cells().collect()).collect();
    let mut point: Vec<f64> = iterate.patterns.iter().flat_map(|p| p.weights.iter().copied()).collect();
    point.extend_from_slice(&iterate.bias);
    let mut problem = Problem { objective, columns, penalties, units, sums: vec![0.0; rows * units] };
    let mut value = problem.value(&point);
    for _ in 0..NEWTON_STEPS {
        // The value was taken at this point last.
        let (gradient, curvature) = problem.slopes(&point);
        if problem.misfit(&point, &gradient) <= ENOUGH * total {
            break;
        }
        let aim = problem.aim(&cells, &point, &gradient, &curvature);
        let mut share = 1.0;
        let mut better = None;
        for _ in 0..HALVINGS {
            let trial: Vec<f64> = point.iter().zip(&aim).map(|(p, a)| p + share * (a - p)).collect();
            let trial = if share == 1.0 { aim.clone() } else { trial };
            let at = problem.value(&trial);
            if at < value {
                better = Some((trial, at));
                break;
            }
            share *= 0.5;
        }
        let Some((next, lower)) = better else { break };
        (point, value) = (next, lower);
        problem.value(&point);
    }
    for (pattern, row) in iterate.patterns.iter_mut().zip(point.chunks_exact(units)) {
        pattern.weights.copy_from_slice(row);
    }
    iterate.bias.copy_from_slice(&point[point.len() - units..]);
    let mut penalties = penalties.iter();
    iterate.patterns.retain(|pattern| penalties.next() == Some(&0.0) || is_used(&pattern.weights));
    value
}

struct Problem<'a, 'o> {
    objective: &'a mut Objective<'o>,
    columns: &'a [Column<'a>],
    /// Of each pattern; those without stay in use even at zero.
    penalties: &'a [f64],
    units: usize,
    sums: Vec<f64>,
}

impl Problem<'_, '_> {
    fn split<'p>(&self, point: &'p [f64]) -> (&'p [f64], &'p [f64]) {
        point.split_at(self.columns.len() * self.units)
    }

    /// The penalised loss, by the same sums as everywhere.
    fn value(&mut self, point: &[f64]) -> f64 {
        let (weights, bias) = self.split(point);
        // A column at zero is not in use: it must not touch the sums.
        let all = || self.columns.iter().zip(weights.chunks_exact(self.units)).zip(self.penalties);
        let used = || all().filter(|((_, w), _)| is_used(w));
        sums_of_columns(&mut self.sums, used().map(|((column, w), _)| (*column, w)));
        let squares = used().fold(0.0, |sum, ((_, w), _)| sum + crate::train::iterate::squares(w));
        let penalty = used().fold(0.0, |sum, ((_, w), lambda)| sum + lambda * norm(w));
        let data_loss = self.objective.data_loss(&self.sums, bias, &[]);
        self.objective.with_decay(data_loss, squares) + penalty
    }

    /// Gradient without penalty, and the curvature of each output, at the point of the last value.
    fn slopes(&mut self, point: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let decay = self.objective.decay();
        let curvature = self.objective.curvatures().iter().map(|c| c.max(LEAST_CURVATURE)).collect();
        let (delta, _) = self.objective.delta_and_network_gradient(&[]);
        let mut gradient = vec![0.0; point.len()];
        let (of_patterns, of_bias) = gradient.split_at_mut(self.columns.len() * self.units);
        for (slopes, column) in of_patterns.chunks_exact_mut(self.units).zip(self.columns) {
            mining::pattern_gradient(delta, *column, slopes);
        }
        for (slope, w) in of_patterns.iter_mut().zip(point) {
            *slope += decay * w;
        }
        mining::bias_gradient(delta, of_bias);
        (gradient, curvature)
    }

    /// How far the optimality conditions are from being met: the largest norm over columns and bias.
    fn misfit(&self, point: &[f64], gradient: &[f64]) -> f64 {
        let (weights, _) = self.split(point);
        let (of_patterns, of_bias) = self.split(gradient);
        let mut most = norm(of_bias);
        let pairs = weights.chunks_exact(self.units).zip(of_patterns.chunks_exact(self.units));
        for ((w, g), lambda) in pairs.zip(self.penalties) {
            let length = norm(w);
            let left = if length > 0.0 {
                let sum = |sum: f64, (g, w): (&f64, &f64)| sum + (g + lambda * w / length).powi(2);
                g.iter().zip(w).fold(0.0, sum).sqrt()
            } else {
                norm(g) - lambda
            };
            most = most.max(left);
        }
        most
    }

    /// The least point of the model of the loss: its gradient, a curvature for each output, and the penalty.
    fn aim(&self, cells: &[Vec<(usize, f64)>], point: &[f64], gradient: &[f64], curvature: &[f64]) -> Vec<f64> {
        let units = self.units;
        let decay = self.objective.decay();
        let mut aim = point.to_vec();
        // What the outputs change by.
        let mut shift = vec![0.0; curvature.len()];
        let free = self.columns.len();
        let bends: Vec<Vec<f64>> = cells
            .iter()
            .map(|column| {
                let mut bend = vec![0.0; units];
                for &(row, value) in column {
                    for (b, c) in bend.iter_mut().zip(&curvature[row * units..]) {
                        *b += c * value * value;
                    }
                }
                bend
            })
            .collect();
        let mut slope = vec![0.0; units];
        let mut next = vec![0.0; units];
        for _ in 0..ROUNDS {
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for (at, (column, bend)) in cells.iter().zip(&bends).enumerate() {
                let (old, from) = (&aim[at * units..][..units], &point[at * units..][..units]);
                slope.copy_from_slice(&gradient[at * units..][..units]);
                for &(row, value) in column {
                    let place = row * units;
                    for k in 0..units {
                        slope[k] += curvature[place + k] * value * shift[place + k];
                    }
                }
                if at < free {
                    // One curvature for the whole column, so that the shrinking has a closed form.
                    let most = bend.iter().fold(0.0_f64, |most, b| most.max(*b)) + decay;
                    for k in 0..units {
                        next[k] = old[k] - (slope[k] + decay * (old[k] - from[k])) / most;
                    }
                    let length = norm(&next);
                    let lambda = self.penalties[at];
                    let left = if length * most > lambda { 1.0 - lambda / (length * most) } else { 0.0 };
                    for n in &mut next {
                        *n *= left;
                    }
                } else {
                    for k in 0..units {
                        next[k] = old[k] - slope[k] / bend[k];
                    }
                }
                let changed: Vec<f64> = next.iter().zip(old).map(|(n, o)| n - o).collect();
                aim[at * units..][..units].copy_from_slice(&next);
                let change = norm(&changed);
                if change > 0.0 {
                    for &(row, value) in column {
                        for (s, c) in shift[row * units..].iter_mut().zip(&changed) {
                            *s += value * c;
                        }
                    }
                }
                moved = moved.max(change);
                size = size.max(norm(&next));
            }
            if moved <= 1e-12 * size.max(1.0) {
                break;
            }
        }
        aim
    }
}

fn is_used(weights: &[f64]) -> bool {
    weights.iter().any(|w| *w != 0.0)
}
