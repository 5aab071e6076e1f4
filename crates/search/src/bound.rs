//! Gradients, scores and the upper bound that lets the search skip whole subtrees (`UB(H)`).
//!
//! Promise: for every pattern grown from `H`, the score that this file computes is at most the bound that
//! this file computes for `H`, to the last bit and without an epsilon. Growing a pattern can only shrink its
//! support and its values, so keeping just the positive, or just the negative, products of delta and value is the
//! worst case. That holds in floating point because rounded addition and rounded multiplication by a positive number
//! are monotone and the rules here are fixed: `P` and `N` are each summed over the graphs in increasing order, the
//! gradient *is* `P + N`, sums over hidden units run in index order, and there is no fused multiply-add. Every search must take its numbers from here.
//!
//! Knows nothing of DFS codes, files or networks. Tested against the definition. Paper: Theorem 1, and
//! Appendix "Lower Bound with respect to Step Length".

use crate::SearchError;
use crate::feature::{Column, LARGEST_COUNT};

/// `delta`: how the loss of each graph reacts to each hidden unit. Row-major, one row a graph, already
/// multiplied by the weight of the graph.
#[derive(Clone, Copy, Debug)]
pub struct Delta<'a> {
    values: &'a [f64],
    hidden_units: usize,
}

impl<'a> Delta<'a> {
    /// Takes a matrix whose sums cannot overflow, so that every score and bound is a finite number.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows: a bug in the caller, never bad data.
    pub fn new(values: &'a [f64], hidden_units: usize) -> Result<Self, SearchError> {
        assert!(hidden_units > 0 && values.len().is_multiple_of(hidden_units), "delta has whole rows");
        let mut total = 0.0;
        for (at, value) in values.iter().enumerate() {
            if !value.is_finite() {
                return Err(SearchError::NotFinite { graph: at / hidden_units, unit: at % hidden_units });
            }
            total += value.abs();
        }
        total *= f64::from(LARGEST_COUNT);
        if !(total * total * hidden_units as f64).is_finite() {
            return Err(SearchError::TooLarge);
        }
        Ok(Self { values, hidden_units })
    }

    /// Number of graphs.
    pub fn num_graphs(self) -> usize {
        self.values.len() / self.hidden_units
    }

    /// Number of hidden units (`K`).
    pub fn hidden_units(self) -> usize {
        self.hidden_units
    }

    /// The matrix, row after row.
    pub fn values(self) -> &'a [f64] {
        self.values
    }

    /// The deltas of one graph.
    ///
    /// # Panics
    /// If there is no such graph.
    pub fn row(self, graph: u32) -> &'a [f64] {
        &self.values[graph as usize * self.hidden_units..][..self.hidden_units]
    }
}

/// Room for the sums of one pattern, reused so that a node of the search allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// `P`: sums of the positive deltas.
    rise: Vec<f64>,
    /// `N`: sums of the negative deltas.
    fall: Vec<f64>,
}

impl Sums {
    /// The gradient of the pattern that was summed last, unit after unit.
    pub fn gradient(&self) -> impl Iterator<Item = f64> + '_ {
        self.rise.iter().zip(&self.fall).map(|(p, n)| p + n)
    }
}

/// What the search wants to know of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// `norm(grad_H)`: the score of the pattern itself while it is not active.
    pub score: f64,
    /// `UB(H)`: no pattern grown from this one has a larger score.
    pub bound: f64,
}

/// Gradient, score and subtree bound of a pattern with these values; the gradient stays in `sums`.
/// ```
/// # use einsicht_learn::{bound::{Delta, Sums, gradient_and_bound}, feature::Column};
/// let delta = Delta::new(&[3.0, -4.0, 2.0], 1).unwrap(); // graphs 0 and 2 pull up, graph 1 pulls down
/// let reach = gradient_and_bound(Column::present_in(&[0, 1, 2]), delta, &mut Sums::default());
/// assert_eq!((reach.score, reach.bound), (1.0, 5.0));
/// ```
pub fn gradient_and_bound(column: Column<'_>, delta: Delta<'_>, sums: &mut Sums) -> Reach {
    // HOT: with the number of units known to the compiler the sums stay in registers. Every version does
    // the same additions in the same order.
    match delta.hidden_units {
        1 => reach_of::<1>(column, delta, sums),
        2 => reach_of::<2>(column, delta, sums),
        3 => reach_of::<3>(column, delta, sums),
        4 => reach_of::<4>(column, delta, sums),
        5 => reach_of::<5>(column, delta, sums),
        6 => reach_of::<6>(column, delta, sums),
        8 => reach_of::<8>(column, delta, sums),
        10 => reach_of::<10>(column, delta, sums),
        12 => reach_of::<12>(column, delta, sums),
        16 => reach_of::<16>(column, delta, sums),
        _ => reach_of_any(column, delta, sums),
    }
}

fn reach_of<const K: usize>(column: Column<'_>, delta: Delta<'_>, sums: &mut Sums) -> Reach {
    let (mut rise, mut fall) = ([0.0; K], [0.0; K]);
    let (rows, _) = delta.values.as_chunks::<K>();
    if let Some(graphs) = column.all_ones() {
        for &graph in graphs {
            add_fixed(&mut rise, &mut fall, &rows[graph as usize]);
        }
    } else {
        for (graph, value) in column.cells() {
            add_fixed(&mut rise, &mut fall, &rows[graph].map(|d| d * value));
        }
    }
    sums.rise.clear();
    sums.rise.extend_from_slice(&rise);
    sums.fall.clear();
    sums.fall.extend_from_slice(&fall);
    reach(&rise, &fall)
}

fn reach_of_any(column: Column<'_>, delta: Delta<'_>, sums: &mut Sums) -> Reach {
    for side in [&mut sums.rise, &mut sums.fall] {
        side.clear();
        side.resize(delta.hidden_units, 0.0);
    }
    let mut row = vec![0.0; delta.hidden_units];
    for (graph, value) in column.cells() {
        for (product, d) in row.iter_mut().zip(delta.row(graph as u32)) {
            *product = d * value;
        }
        add_row(&mut sums.rise, &mut sums.fall, &row);
    }
    reach(&sums.rise, &sums.fall)
}

/// Not `f64::max`: its care for NaN costs an instruction, and a [`Delta`] holds none.
#[inline]
fn add_row(rise: &mut [f64], fall: &mut [f64], row: &[f64]) {
    for ((rise, fall), &d) in rise.iter_mut().zip(fall).zip(row) {
        *rise += if d > 0.0 { d } else { 0.0 };
        *fall += if d < 0.0 { d } else { 0.0 };
    }
}

/// The same for a number of units that the compiler knows; plain indices, which need no optimiser to be quick.
#[inline(always)]
fn add_fixed<const K: usize>(rise: &mut [f64; K], fall: &mut [f64; K], row: &[f64; K]) {
    for k in 0..K {
        let d = row[k];
        rise[k] += if d > 0.0 { d } else { 0.0 };
        fall[k] += if d < 0.0 { d } else { 0.0 };
    }
}

#[inline]
fn reach(rise: &[f64], fall: &[f64]) -> Reach {
    let (mut score, mut bound) = (0.0, 0.0);
    for (&p, &n) in rise.iter().zip(fall) {
        let gradient = p + n;
        score += gradient * gradient;
        let larger = if p > -n { p } else { n };
        bound += larger * larger;
    }
    Reach { score: score.sqrt(), bound: bound.sqrt() }
}

/// One weight after a gradient step of size `gamma` on the loss with weight decay.
/// The trainer and every score use this expression and no other.
#[inline]
pub fn stepped(weight: f64, gradient: f64, decay: f64, gamma: f64) -> f64 {
    weight - gamma * (gradient + decay * weight)
}

/// `norm(beta_H - gamma grad_H) / gamma`: where an active pattern ranks if the step size is `gamma`.
pub fn score_at(weights: &[f64], gradient: &[f64], decay: f64, gamma: f64) -> f64 {
    let mut sum = 0.0;
    for (&weight, &slope) in weights.iter().zip(gradient) {
        let moved = stepped(weight, slope, decay, gamma);
        sum += moved * moved;
    }
    sum.sqrt() / gamma
}

/// `eta_H` of an active pattern: its smallest rank over all step sizes that the line search may try.
/// Plus infinity if there is none.
pub fn active_score(weights: &[f64], gradient: &[f64], decay: f64, step_sizes: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    for &gamma in step_sizes {
        let score = score_at(weights, gradient, decay, gamma);
        if score < least {
            least = score;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::{CountTransform, Values};
    use einsicht_graph::Support;
    use proptest::prelude::*;

    /// The definition, one unit at a time: rise plus fall, each in graph order.
    fn norm_by_definition(values: &[(u32, f64)], delta: Delta<'_>) -> f64 {
        let part = |k: usize, keep: fn(f64, f64) -> f64| {
            values.iter().fold(0.0, |sum: f64, &(graph, value)| sum + keep(delta.row(graph)[k] * value, 0.0))
        };
        let unit = |k: usize| part(k, f64::max) + part(k, f64::min);
        (0..delta.hidden_units()).fold(0.0, |sum: f64, k| sum + unit(k) * unit(k)).sqrt()
    }

    /// Some of 40 graphs, each at most as often as before.
    fn shrunk(above: &[u32], kept: &[u32]) -> std::sync::Arc<Support> {
        let counts: Vec<u32> = above.iter().zip(kept).map(|(&count, &kept)| count.min(kept)).collect();
        let graphs: Vec<u32> = (0..40).filter(|&g| counts[g as usize] > 0).collect();
        let counts = graphs.iter().map(|&g| counts[g as usize]).collect();
        Support::detached(graphs, counts)
    }

    proptest! {
        #[test]
        fn nothing_that_occurs_in_fewer_graphs_or_less_often_beats_the_bound(
            hidden in 1_usize..20,
            cells in prop::collection::vec(-1e3..1e3, 800),
            often in prop::collection::vec(1_u32..9, 40),
            kept in prop::collection::vec(0_u32..9, 40),
        ) {
            let delta = Delta::new(&cells[..40 * hidden], hidden).unwrap();
            let (all, below) = (shrunk(&often, &often), shrunk(&often, &kept));
            let mut sums = Sums::default();
            for values in [Values::Presence, Values::Count(CountTransform::Identity), Values::Count(CountTransform::Log1p)] {
                let column = values.column(&below);
                let cells: Vec<(u32, f64)> = column.cells().map(|(graph, value)| (graph as u32, value)).collect();
                let below = gradient_and_bound(column, delta, &mut sums);
                prop_assert_eq!(below.score, norm_by_definition(&cells, delta));
                prop_assert!(below.score <= below.bound);
                let above = gradient_and_bound(values.column(&all), delta, &mut sums);
                prop_assert!(below.score <= above.bound && below.bound <= above.bound);
            }
        }
    }

    #[test]
    fn the_gradient_is_the_sum_of_rise_and_fall() {
        let delta = Delta::new(&[1.0, -2.0, -3.0, 5.0], 2).unwrap();
        let mut sums = Sums::default();
        gradient_and_bound(Column::present_in(&[0, 1]), delta, &mut sums);
        assert_eq!(sums.gradient().collect::<Vec<_>>(), [-2.0, 3.0]);
    }

    #[test]
    fn a_delta_that_is_not_finite_or_could_overflow_is_refused() {
        assert_eq!(
            Delta::new(&[0.0, 1.0, f64::NAN, 1.0], 2).unwrap_err(),
            SearchError::NotFinite { graph: 1, unit: 0 }
        );
        assert_eq!(Delta::new(&[1e200, 1e200], 1).unwrap_err(), SearchError::TooLarge);
    }

    #[test]
    fn the_score_of_an_active_pattern_is_the_least_over_all_step_sizes() {
        // beta = 1, gradient = 2: |1 - 2 gamma| / gamma is 0 at one half, 2 at one quarter, 1 at one.
        assert_eq!(active_score(&[1.0], &[2.0], 0.0, &[1.0, 0.25]), 1.0);
        assert_eq!(active_score(&[1.0], &[2.0], 0.0, &[1.0, 0.5]), 0.0);
        // With decay 2 the gradient is 4.
        assert_eq!(score_at(&[1.0], &[2.0], 2.0, 1.0), 3.0);
    }
}
