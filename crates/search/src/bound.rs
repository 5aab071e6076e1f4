//! Gradients, scores and the upper bound that lets the search skip whole subtrees (`UB(H)`).
//!
//! The gradient of a pattern `H` is `grad_H = sum_i delta_i psi_H(G_i)`, a vector with one entry per hidden unit.
//! Supports are anti-monotone: a pattern that contains `H` occurs in no other graphs, and its values there are no
//! larger. In the worst case it keeps just the positive, or just the negative, products of delta and value. So with
//! `P_k` and `N_k`, the sums of the positive and of the negative products, `UB(H) = sqrt(sum_k max(P_k^2, N_k^2))`
//! bounds `norm(grad)` of all patterns that contain `H`.
//!
//! Promise: for every pattern grown from `H`, the score that this file computes is at most the bound that this file
//! computes for `H`, to the last bit and without an epsilon. Rounded addition and rounded multiplication by a
//! positive number are monotone and the rules here are fixed: `P` and `N` are each summed in blocks of [`BLOCK_ROWS`]
//! consecutive rows, each block in increasing order of the graphs, and the sums of the blocks are added in that order;
//! the gradient *is* `P + N`, sums over hidden units run in index order, and there is no fused multiply-add. Every
//! search takes its numbers from here. Blocks let machines that hold parts of the graphs agree with one that holds all
//! (`crate::shards`); a training on at most one block of graphs does the additions of a single sum.
//!
//! The rows are those of the training at hand, by their positions in it: a graph of weight zero, as in a bootstrap
//! resample, keeps its row, and a fold that searches a tree over more graphs has blocks of its own rows
//! ([`Delta::with_blocks`]). A row without the pattern, or of zeros, adds nothing to any bit.
//!
//! Does not know DFS codes, files or networks. Tested against the definition. Paper: Theorem 1, and
//! Appendix "Lower Bound with respect to Step Length".

use crate::SearchError;
use crate::feature::{Column, LARGEST_COUNT};
use crate::with_units;

/// Rows of a block: `P` and `N` are summed block by block.
pub const BLOCK_ROWS: usize = 4096;

/// `delta`: the partial derivative of the loss of each graph by the input of each hidden unit. Row-major, one row per
/// graph, already multiplied by the weight of the graph.
#[derive(Clone, Copy, Debug)]
pub struct Delta<'a> {
    values: &'a [f64],
    hidden_units: usize,
    /// The first row of each block but the first, increasing. Absent: a block every [`BLOCK_ROWS`] rows.
    block_starts: Option<&'a [u32]>,
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
        Ok(Self { values, hidden_units, block_starts: None })
    }

    /// A matrix that [`Self::new`] has taken before.
    pub(crate) fn taken_before(values: &'a [f64], hidden_units: usize) -> Self {
        Self { values, hidden_units, block_starts: None }
    }

    /// Takes a matrix of which only some rows count, and the others are zero: the blocks are those of the rows that
    /// count. `block_starts` has the first row of each block but the first, increasing.
    pub(crate) fn with_blocks(
        values: &'a [f64],
        hidden_units: usize,
        block_starts: &'a [u32],
    ) -> Result<Self, SearchError> {
        Ok(Self { block_starts: Some(block_starts), ..Self::new(values, hidden_units)? })
    }

    #[inline]
    pub(crate) fn is_one_block(self) -> bool {
        match self.block_starts {
            None => self.values.len() <= BLOCK_ROWS * self.hidden_units,
            Some(starts) => starts.is_empty(),
        }
    }

    /// The first row after the block of this one.
    fn block_end(self, row: u32) -> u32 {
        match self.block_starts {
            None => (row / BLOCK_ROWS as u32 + 1).saturating_mul(BLOCK_ROWS as u32),
            Some(starts) => starts.get(starts.partition_point(|start| *start <= row)).copied().unwrap_or(u32::MAX),
        }
    }

    /// The parts of a column in each block that has some, in row order.
    pub(crate) fn blocks(self, column: Column<'_>) -> impl Iterator<Item = Column<'_>> {
        let mut rest = column;
        std::iter::from_fn(move || {
            let end = self.block_end(*rest.graphs().first()?);
            let (block, later) = rest.split_at_row(end);
            rest = later;
            Some(block)
        })
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

/// Buffers for the sums of one pattern, reused so that a visit allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// `P`: sums of the positive products of delta and value.
    positive: Vec<f64>,
    /// `N`: sums of the negative products.
    negative: Vec<f64>,
}

impl Sums {
    /// `P`, then `N`, of the pattern that was summed last.
    pub(crate) fn sides(&self) -> [&[f64]; 2] {
        [&self.positive, &self.negative]
    }

    /// The gradient of the pattern that was summed last, unit after unit.
    pub fn gradient(&self) -> impl Iterator<Item = f64> + '_ {
        self.positive.iter().zip(&self.negative).map(|(p, n)| p + n)
    }
}

/// Score of a pattern and upper bound of its subtree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreAndBound {
    /// `norm(grad_H)`: the score of the pattern itself while it is not active.
    pub score: f64,
    /// `UB(H)`: no pattern grown from this one has a larger score.
    pub bound: f64,
}

/// Gradient, score and subtree bound of a pattern with these values; the gradient stays in `sums`.
/// ```
/// # use einsicht_search::{bound::{Delta, Sums, gradient_and_bound}, feature::Column};
/// let delta = Delta::new(&[3.0, -4.0, 2.0], 1).unwrap();
/// let whole = gradient_and_bound(Column::present_in(&[0, 1, 2]), delta, &mut Sums::default());
/// // A larger pattern may occur in graphs 0 and 2 only: then its score is 5, and never more.
/// assert_eq!((whole.score, whole.bound), (1.0, 5.0));
/// ```
pub fn gradient_and_bound(column: Column<'_>, delta: Delta<'_>, sums: &mut Sums) -> ScoreAndBound {
    // HOT: with the number of units known to the compiler the sums stay in registers. Every version does
    // the same additions in the same order.
    let units = delta.hidden_units;
    with_units!(
        units in [1, 2, 3, 4, 5, 6, 8, 10, 12, 16],
        K => sums_of::<K>(column, delta, sums),
        _ => sums_of_any(column, delta, sums)
    )
}

/// Values, and larger ones that bound those of the whole subtree.
#[derive(Clone, Copy)]
pub struct BoundedColumn<'a> {
    /// The values.
    pub values: Column<'a>,
    /// The larger ones.
    pub larger: Column<'a>,
}

/// [`gradient_and_bound`] of values that larger ones bound: the score of the values, the subtree bound of the larger.
pub(crate) fn gradient_and_larger_bound(column: BoundedColumn<'_>, delta: Delta<'_>, sums: &mut Sums) -> ScoreAndBound {
    let ScoreAndBound { bound, .. } = gradient_and_bound(column.larger, delta, sums);
    ScoreAndBound { bound, ..gradient_and_bound(column.values, delta, sums) }
}

fn sums_of<const K: usize>(column: Column<'_>, delta: Delta<'_>, sums: &mut Sums) -> ScoreAndBound {
    let (rows, _) = delta.values.as_chunks::<K>();
    let (mut positive, mut negative) = ([0.0; K], [0.0; K]);
    if delta.is_one_block() {
        add_block(&mut positive, &mut negative, column, rows);
    } else {
        for block in delta.blocks(column) {
            let (mut of_block, mut below) = ([0.0; K], [0.0; K]);
            add_block(&mut of_block, &mut below, block, rows);
            for k in 0..K {
                positive[k] += of_block[k];
                negative[k] += below[k];
            }
        }
    }
    sums.positive.clear();
    sums.positive.extend_from_slice(&positive);
    sums.negative.clear();
    sums.negative.extend_from_slice(&negative);
    score_and_bound(&positive, &negative)
}

#[inline(always)]
fn add_block<const K: usize>(positive: &mut [f64; K], negative: &mut [f64; K], column: Column<'_>, rows: &[[f64; K]]) {
    if let Some(graphs) = column.all_ones() {
        for &graph in graphs {
            add_fixed(positive, negative, &rows[graph as usize]);
        }
    } else {
        column.for_each(|graph, value| add_fixed(positive, negative, &rows[graph].map(|d| d * value)));
    }
}

fn sums_of_any(column: Column<'_>, delta: Delta<'_>, sums: &mut Sums) -> ScoreAndBound {
    for side in [&mut sums.positive, &mut sums.negative] {
        side.clear();
        side.resize(delta.hidden_units, 0.0);
    }
    let (mut row, mut of_block) = (vec![0.0; delta.hidden_units], vec![[0.0; 2]; delta.hidden_units]);
    for block in delta.blocks(column) {
        of_block.fill([0.0; 2]);
        for (graph, value) in block.cells() {
            for (product, d) in row.iter_mut().zip(delta.row(graph as u32)) {
                *product = d * value;
            }
            add_row(&mut of_block, &row);
        }
        for (k, [positive, negative]) in of_block.iter().enumerate() {
            sums.positive[k] += positive;
            sums.negative[k] += negative;
        }
    }
    score_and_bound(&sums.positive, &sums.negative)
}

/// Not `f64::max`: its care for NaN costs an instruction, and a [`Delta`] holds none.
#[inline]
fn add_row(sums: &mut [[f64; 2]], row: &[f64]) {
    for ([positive, negative], &d) in sums.iter_mut().zip(row) {
        *positive += if d > 0.0 { d } else { 0.0 };
        *negative += if d < 0.0 { d } else { 0.0 };
    }
}

/// The same for a number of units that the compiler knows; plain indices, which are fast even without optimisation.
#[inline(always)]
fn add_fixed<const K: usize>(positive: &mut [f64; K], negative: &mut [f64; K], row: &[f64; K]) {
    for k in 0..K {
        let d = row[k];
        positive[k] += if d > 0.0 { d } else { 0.0 };
        negative[k] += if d < 0.0 { d } else { 0.0 };
    }
}

/// Score and bound from `P` and `N`.
#[inline]
pub(crate) fn score_and_bound(positive: &[f64], negative: &[f64]) -> ScoreAndBound {
    let (mut score, mut bound) = (0.0, 0.0);
    for (&p, &n) in positive.iter().zip(negative) {
        let gradient = p + n;
        score += gradient * gradient;
        let larger = if p > -n { p } else { n };
        bound += larger * larger;
    }
    ScoreAndBound { score: score.sqrt(), bound: bound.sqrt() }
}

/// One weight after a gradient step of size `gamma` on the loss with weight decay.
/// The trainer and every score use this expression and no other.
#[inline]
pub fn stepped(weight: f64, gradient: f64, decay: f64, gamma: f64) -> f64 {
    weight - gamma * (gradient + decay * weight)
}

/// `norm(beta_H - gamma grad_H) / gamma`: the score of an active pattern if the step size is `gamma`.
pub fn score_at(weights: &[f64], gradient: &[f64], decay: f64, gamma: f64) -> f64 {
    let mut sum = 0.0;
    for (&weight, &gradient) in weights.iter().zip(gradient) {
        let moved = stepped(weight, gradient, decay, gamma);
        sum += moved * moved;
    }
    sum.sqrt() / gamma
}

/// `eta_H` of an active pattern: its smallest score over all step sizes that the line search may try.
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

    /// The definition, one unit at a time: positive plus negative sum, each in graph order, block after block.
    /// `block_of` gives the block of a graph.
    fn norm_by_definition(values: &[(u32, f64)], delta: Delta<'_>, block_of: impl Fn(u32) -> usize) -> f64 {
        let part = |k: usize, keep: fn(f64, f64) -> f64| {
            let blocks = values.chunk_by(|a, b| block_of(a.0) == block_of(b.0));
            let of_block = |block: &[(u32, f64)]| {
                block.iter().fold(0.0, |sum: f64, &(graph, value)| sum + keep(delta.row(graph)[k] * value, 0.0))
            };
            blocks.map(of_block).fold(0.0, |sum, block| sum + block)
        };
        let unit = |k: usize| part(k, f64::max) + part(k, f64::min);
        (0..delta.hidden_units()).fold(0.0, |sum: f64, k| sum + unit(k) * unit(k)).sqrt()
    }

    /// Some of 40 graphs, each with at most its count above.
    fn shrunk(above: &[u32], kept: &[u32]) -> std::sync::Arc<Support> {
        let counts: Vec<u32> = above.iter().zip(kept).map(|(&count, &kept)| count.min(kept)).collect();
        let graphs: Vec<u32> = (0..40).filter(|&g| counts[g as usize] > 0).collect();
        let counts = graphs.iter().map(|&g| counts[g as usize]).collect();
        Support::detached(graphs, counts)
    }

    proptest! {
        #[test]
        fn nothing_that_occurs_in_fewer_graphs_or_less_often_exceeds_the_bound(
            hidden in 1_usize..20,
            cells in prop::collection::vec(-1e3..1e3, 800),
            often in prop::collection::vec(1_u32..9, 40),
            kept in prop::collection::vec(0_u32..9, 40),
        ) {
            let delta = Delta::new(&cells[..40 * hidden], hidden).unwrap();
            let (all, below) = (shrunk(&often, &often), shrunk(&often, &kept));
            let mut sums = Sums::default();
            let counts = [CountTransform::Identity, CountTransform::Log1p].map(Values::Count);
            for values in [Values::Presence].into_iter().chain(counts) {
                let column = values.column(&below);
                let cells: Vec<(u32, f64)> = column.cells().map(|(graph, value)| (graph as u32, value)).collect();
                let below = gradient_and_bound(column, delta, &mut sums);
                prop_assert_eq!(below.score, norm_by_definition(&cells, delta, |_| 0));
                prop_assert!(below.score <= below.bound);
                let above = gradient_and_bound(values.column(&all), delta, &mut sums);
                prop_assert!(below.score <= above.bound && below.bound <= above.bound);
            }
        }
    }

    #[test]
    fn rows_are_summed_in_blocks_and_the_bound_holds_across_them() {
        let rows = 2 * BLOCK_ROWS + 100;
        let number = |at: usize| ((at * 7919 + 13) % 1009) as f64 / 97.0 - 5.0;
        let mut sums = Sums::default();
        let mut reordered = 0;
        for hidden in [1, 3, 7] {
            let cells: Vec<f64> = (0..rows * hidden).map(number).collect();
            let delta = Delta::new(&cells, hidden).unwrap();
            // Blocks of some rows of a larger matrix, and blocks that nothing is in.
            let starts = [5, 600, 601, 5000, 8000];
            let of_some = Delta::with_blocks(&cells, hidden, &starts).unwrap();
            for step in [1, 3, 50, 5000] {
                let graphs: Vec<u32> = (0..rows as u32).step_by(step).collect();
                let counts = graphs.iter().map(|graph| 1 + graph % 3).collect();
                let fewer: Vec<u32> = graphs.iter().copied().filter(|graph| graph % 7 != 2).collect();
                let support = Support::detached(graphs, counts);
                for values in [Values::Presence, Values::Count(CountTransform::Log1p)] {
                    let cells: Vec<(u32, f64)> = values.column(&support).cells().map(|(g, v)| (g as u32, v)).collect();
                    let whole = gradient_and_bound(values.column(&support), delta, &mut sums);
                    assert_eq!(whole.score, norm_by_definition(&cells, delta, |graph| graph as usize / BLOCK_ROWS));
                    reordered += usize::from(whole.score != norm_by_definition(&cells, delta, |_| 0));
                    let some = gradient_and_bound(values.column(&support), of_some, &mut sums);
                    let block_of = |graph| starts.iter().filter(|start| **start <= graph).count();
                    assert_eq!(some.score, norm_by_definition(&cells, delta, block_of));
                    let below = gradient_and_bound(Column::present_in(&fewer), delta, &mut sums);
                    // A value of at least 1 wherever the other is 1, but for log(2).
                    let is_contained = values == Values::Presence;
                    assert!(below.score <= below.bound && (below.bound <= whole.bound || !is_contained));
                }
            }
        }
        assert!(reordered > 5, "blocks change the order of additions: {reordered}");
    }

    #[test]
    fn the_gradient_is_the_sum_of_the_positive_and_the_negative_sum() {
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
