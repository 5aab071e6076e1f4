//! The minimum of the penalised loss of a linear model over fixed patterns (group lasso).
//!
//! Without a network and with the `L1,2` penalty the loss is convex, so between two searches the weights are fitted to
//! the minimum: Newton steps on a diagonal approximation of the loss, each solved by block coordinate descent over the
//! columns. Promise: the penalised loss never rises, and columns that end at zero leave the active set. Whether the
//! minimum holds over all patterns of the data is for the next search to say. Not in the paper, which starts from a
//! linear model of another program. Tested in `tests/l1.rs` and by `verify`, which checks the optimality conditions
//! over all patterns.

use super::objective::Objective;
use einsicht_model::forward::mining;
use einsicht_model::forward::mining::sums_of_columns;
use einsicht_model::{Iterate, norm, squares};
use einsicht_search::feature::Column;

/// Largest violation of the optimality conditions that is accepted, for a loss that is a mean.
const TOLERANCE: f64 = 1e-10;
/// With many classes the diagonal is a poor approximation: hundreds of steps may be needed, though few usually are.
const NEWTON_STEPS: usize = 5000;
/// Rounds of block coordinate descent per Newton step, at most.
const ROUNDS: usize = 200;
const HALVINGS: usize = 30;
/// A lower bound on the curvature of each output, so that no step is unbounded.
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
        // The value was computed at this point last.
        let (gradient, curvature) = problem.gradient_and_curvature(&point);
        if problem.violation(&point, &gradient) <= TOLERANCE * total {
            break;
        }
        let target = problem.minimize_approximation(&cells, &point, &gradient, &curvature);
        let Some((next, lower)) = problem.backtrack(&point, &target, value) else { break };
        (point, value) = (next, lower);
        problem.value(&point);
    }
    for (pattern, row) in iterate.patterns.iter_mut().zip(point.chunks_exact(units)) {
        pattern.weights.copy_from_slice(row);
    }
    iterate.bias.copy_from_slice(&point[point.len() - units..]);
    let mut penalties = penalties.iter();
    iterate.patterns.retain(|pattern| penalties.next() == Some(&0.0) || is_nonzero(&pattern.weights));
    value
}

struct Problem<'a, 'o> {
    objective: &'a mut Objective<'o>,
    columns: &'a [Column<'a>],
    /// Of each pattern; required patterns have none and stay active even at zero.
    penalties: &'a [f64],
    units: usize,
    sums: Vec<f64>,
}

impl Problem<'_, '_> {
    fn split<'p>(&self, point: &'p [f64]) -> (&'p [f64], &'p [f64]) {
        point.split_at(self.columns.len() * self.units)
    }

    /// The penalised loss, with sums in the same order as everywhere.
    fn value(&mut self, point: &[f64]) -> f64 {
        let (weights, bias) = self.split(point);
        // A column at zero is not active: it must not change the sums.
        let all = || self.columns.iter().zip(weights.chunks_exact(self.units)).zip(self.penalties);
        let active = || all().filter(|((_, w), _)| is_nonzero(w));
        sums_of_columns(&mut self.sums, active().map(|((column, w), _)| (*column, w)));
        let squares = active().fold(0.0, |sum, ((_, w), _)| sum + squares(w));
        let penalty = active().fold(0.0, |sum, ((_, w), lambda)| sum + lambda * norm(w));
        let data_loss = self.objective.data_loss(&self.sums, bias, &[]);
        self.objective.with_decay(data_loss, squares) + penalty
    }

    /// Gradient without penalty, and the curvature by each output, at the point of the last value.
    fn gradient_and_curvature(&mut self, point: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let decay = self.objective.decay();
        let curvature = self.objective.curvatures().iter().map(|c| c.max(LEAST_CURVATURE)).collect();
        let (delta, _) = self.objective.delta_and_network_gradient(&[]);
        let mut gradient = vec![0.0; point.len()];
        let (of_patterns, of_bias) = gradient.split_at_mut(self.columns.len() * self.units);
        for (of_pattern, column) in of_patterns.chunks_exact_mut(self.units).zip(self.columns) {
            mining::pattern_gradient(delta, *column, of_pattern);
        }
        for (g, w) in of_patterns.iter_mut().zip(point) {
            *g += decay * w;
        }
        mining::bias_gradient(delta, of_bias);
        (gradient, curvature)
    }

    /// The largest violation of the optimality conditions over columns and bias.
    fn violation(&self, point: &[f64], gradient: &[f64]) -> f64 {
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

    /// The first point between `target` and `point` with a smaller value, halving the step; `None` if there is none.
    fn backtrack(&mut self, point: &[f64], target: &[f64], value: f64) -> Option<(Vec<f64>, f64)> {
        let mut step = 1.0;
        for _ in 0..HALVINGS {
            let trial: Vec<f64> = point.iter().zip(target).map(|(p, t)| p + step * (t - p)).collect();
            let trial = if step == 1.0 { target.to_vec() } else { trial };
            let at = self.value(&trial);
            if at < value {
                return Some((trial, at));
            }
            step *= 0.5;
        }
        None
    }

    /// The minimum of the approximation: the gradient, a curvature for each output, and the penalty.
    fn minimize_approximation(
        &self,
        cells: &[Vec<(usize, f64)>],
        point: &[f64],
        gradient: &[f64],
        curvature: &[f64],
    ) -> Vec<f64> {
        let units = self.units;
        let mut target = point.to_vec();
        // The change of the outputs.
        let mut shift = vec![0.0; curvature.len()];
        let of_columns: Vec<Vec<f64>> = cells.iter().map(|column| column_curvature(column, curvature, units)).collect();
        let mut derivative = vec![0.0; units];
        let mut next = vec![0.0; units];
        for _ in 0..ROUNDS {
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for (at, (column, of_column)) in cells.iter().zip(&of_columns).enumerate() {
                let (old, from) = (&target[at * units..][..units], &point[at * units..][..units]);
                derivative.copy_from_slice(&gradient[at * units..][..units]);
                for &(row, value) in column {
                    let first = row * units;
                    for k in 0..units {
                        derivative[k] += curvature[first + k] * value * shift[first + k];
                    }
                }
                if at < self.columns.len() {
                    self.step_column(self.penalties[at], of_column, &derivative, old, from, &mut next);
                } else {
                    for k in 0..units {
                        next[k] = old[k] - derivative[k] / of_column[k];
                    }
                }
                let changed: Vec<f64> = next.iter().zip(old).map(|(n, o)| n - o).collect();
                target[at * units..][..units].copy_from_slice(&next);
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
        target
    }

    /// Minimises over the weights of one pattern; `old` are its weights now, `from` those at the start of the Newton
    /// step.
    fn step_column(
        &self,
        lambda: f64,
        of_column: &[f64],
        derivative: &[f64],
        old: &[f64],
        from: &[f64],
        next: &mut [f64],
    ) {
        let decay = self.objective.decay();
        // One curvature for the whole column, so that the shrinkage has a closed form.
        let most = of_column.iter().fold(0.0_f64, |most, b| most.max(*b)) + decay;
        for k in 0..self.units {
            next[k] = old[k] - (derivative[k] + decay * (old[k] - from[k])) / most;
        }
        let length = norm(next);
        let left = if length * most > lambda { 1.0 - lambda / (length * most) } else { 0.0 };
        for n in next {
            *n *= left;
        }
    }
}

fn column_curvature(column: &[(usize, f64)], curvature: &[f64], units: usize) -> Vec<f64> {
    let mut sums = vec![0.0; units];
    for &(row, value) in column {
        for (sum, c) in sums.iter_mut().zip(&curvature[row * units..]) {
            *sum += c * value * value;
        }
    }
    sums
}

fn is_nonzero(weights: &[f64]) -> bool {
    weights.iter().any(|w| *w != 0.0)
}
