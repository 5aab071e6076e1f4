//! How far scores can have moved since a subtree was last visited: the drift of delta.
//!
//! For every pattern, the change of its score and of its bound from one pass to the next is at most the sum, over the
//! graphs that contain it, of its value there times `norm2(change of delta_i)`. That sum shrinks with the support and
//! the values, so one sum at the root of a subtree serves the whole subtree. [`Drift`] adds these changes up per
//! graph over all passes; the difference of two such totals over a support covers any number of passes in between.
//!
//! Unlike the bound itself this is an argument about real numbers, so rounding needs a margin. With `u = 2^-53`, a
//! computed score or bound differs from the true one by at most `(n + K + 4) u T`, where `T` is the sum of
//! `norm2(delta_i)` over all graphs times the largest value of any pattern (each of the at most `n + 1` additions that
//! a row of a column goes through, each of the `K` of a norm and the product adds one relative error of `u`, and no
//! partial result exceeds `T`); a total over a support after `t` passes by at most `(n + K + t + 4) u` times the sum of
//! all totals and that value. [`Drift::slack`] is sixteen times the sum of these, which covers both ends of a
//! comparison and the additions of the comparison itself.

use super::support_cache::MAX_BIT_SET_GRAPHS;
use crate::bound::Delta;
use crate::feature::{Column, Values};
use einsicht_graph::Counted;
use std::sync::atomic::{AtomicU64, Ordering};

/// Changes of delta, added up.
#[derive(Debug, Default)]
pub(super) struct Drift {
    /// Per graph: the sum of `norm2(change of delta_i)` over all passes so far.
    totals: Vec<f64>,
    previous: Vec<f64>,
    /// For each four consecutive graphs: the sum of the totals of each subset of them, indexed by its bits. Empty
    /// with many graphs.
    subset_sums: Vec<[f64; 16]>,
    /// Entry `m - 1`: the change of delta in the last pass, summed over the `m` graphs that moved most.
    largest_moves: Vec<f64>,
    hidden_units: usize,
    values: Option<Values>,
    passes: u32,
    /// The largest sum of `norm2(delta_i)` of any pass.
    largest_mass: f64,
    slack: f64,
}

impl Drift {
    /// Takes the delta of a new pass, in which no value of a pattern exceeds `largest_value`. True if it cannot be
    /// compared with the previous ones, so that nothing that is known about subtrees may be used.
    pub(super) fn advance(&mut self, delta: Delta<'_>, kind: Values, largest_value: f64) -> bool {
        let values = delta.values();
        let restart = self.hidden_units != delta.hidden_units()
            || self.previous.len() != values.len()
            || self.values != Some(kind);
        if restart {
            *self = Self { hidden_units: delta.hidden_units(), values: Some(kind), ..Self::default() };
            self.totals.resize(delta.num_graphs(), 0.0);
        } else {
            self.largest_moves.clear();
            for (graph, total) in self.totals.iter_mut().enumerate() {
                let row = graph * self.hidden_units..(graph + 1) * self.hidden_units;
                let change = self.previous[row.clone()].iter().zip(&values[row]).map(|(a, b)| (b - a) * (b - a));
                let change = change.fold(0.0, |sum, square| sum + square).sqrt();
                self.largest_moves.push(change);
                *total += change;
            }
            self.largest_moves.sort_unstable_by(|a, b| b.total_cmp(a));
            let mut sum = 0.0;
            for largest in &mut self.largest_moves {
                sum += *largest;
                *largest = sum;
            }
        }
        self.previous.clear();
        self.previous.extend_from_slice(values);
        self.subset_sums.clear();
        if self.totals.len() <= MAX_BIT_SET_GRAPHS {
            self.subset_sums.extend(self.totals.chunks(4).map(sums_of_subsets));
        }
        self.passes += 1;
        let norm = |row: &[f64]| row.iter().fold(0.0, |sum, d| sum + d * d).sqrt();
        let mass = values.chunks(self.hidden_units).fold(0.0, |sum, row| sum + norm(row));
        self.largest_mass = self.largest_mass.max(mass);
        let moved = self.totals.iter().fold(0.0, |sum, total| sum + total);
        let additions = (self.totals.len() + self.hidden_units + 4) as f64 + f64::from(self.passes);
        self.slack = 16.0 * additions * 2.0_f64.powi(-53) * (self.largest_mass + moved) * largest_value;
        restart
    }

    /// The sum of all changes so far over the graphs of a column, times its values.
    pub(super) fn total(&self, column: Column<'_>) -> f64 {
        let (graphs, counts, table) = column.parts();
        let change = |graph: u32| self.totals[graph as usize];
        if counts.is_empty() {
            return sum_in_lanes(graphs.len(), |at| change(graphs[at]));
        }
        let last = table.len() - 1;
        match counts {
            Counted::Bytes(counts) => {
                let counts = &counts[..graphs.len()];
                sum_in_lanes(graphs.len(), |at| change(graphs[at]) * table[usize::from(counts[at])])
            }
            Counted::Words(counts) => {
                let counts = &counts[..graphs.len()];
                sum_in_lanes(graphs.len(), |at| change(graphs[at]) * table[(counts[at] as usize).min(last)])
            }
        }
    }

    /// The same over a bit set of graphs.
    pub(super) fn total_of_bits(&self, bits: &[AtomicU64]) -> f64 {
        // HOT. The order of additions does not matter here, since the slack covers any.
        let mut sums = [0.0; 4];
        for (word, subset_sums) in bits.iter().zip(self.subset_sums.chunks(16)) {
            let mut word = word.load(Ordering::Relaxed);
            for (at, subset) in subset_sums.iter().enumerate() {
                sums[at % 4] += subset[word as usize & 15];
                word >>= 4;
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// No score of a pattern in this number of graphs has moved by more in the last pass, times its largest value.
    pub(super) fn largest_move(&self, graphs: u32) -> f64 {
        let Some(last) = graphs.checked_sub(1) else { return f64::INFINITY };
        self.largest_moves.get(last as usize).copied().unwrap_or(f64::INFINITY)
    }

    /// What to add to a comparison so that it holds in spite of rounding.
    pub(super) fn slack(&self) -> f64 {
        self.slack
    }
}

/// The sum of so many terms.
#[inline]
fn sum_in_lanes(len: usize, term: impl Fn(usize) -> f64) -> f64 {
    // HOT. Four independent sums: one alone would wait for each addition. The order does not matter here, since the
    // slack covers any.
    let mut sums = [0.0; 4];
    let whole = len - len % 4;
    for start in (0..whole).step_by(4) {
        for lane in 0..4 {
            sums[lane] += term(start + lane);
        }
    }
    (whole..len).fold((sums[0] + sums[1]) + (sums[2] + sums[3]), |sum, at| sum + term(at))
}

/// The sums of all subsets of at most four numbers.
fn sums_of_subsets(numbers: &[f64]) -> [f64; 16] {
    let mut sums = [0.0; 16];
    for set in 1_usize..16 {
        let last = set.ilog2() as usize;
        sums[set] = sums[set & !(1 << last)] + numbers.get(last).copied().unwrap_or(0.0);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::{Sums, gradient_and_bound};
    use crate::feature::CountTransform;
    use einsicht_graph::Support;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scores_and_bounds_move_by_no_more_than_the_drift(
            steps in prop::collection::vec(prop::collection::vec(-1e2..1e2, 24), 2..8),
            scale in 1e-14..1.0_f64,
            kept in prop::collection::vec(any::<bool>(), 8),
            counts in any::<bool>(),
        ) {
            let graphs: Vec<u32> = (0..8).filter(|&g| kept[g as usize]).collect();
            let support = Support::detached(graphs.clone(), graphs.iter().map(|g| 1 + g % 3).collect());
            let values = if counts { Values::Count(CountTransform::Log1p) } else { Values::Presence };
            let column = values.column(&support);
            let mut drift = Drift::default();
            let mut sums = Sums::default();
            // Tiny steps around one point: that is where rounding matters.
            let base = &steps[0];
            let (mut first, mut before) = (None, None::<crate::bound::ScoreAndBound>);
            for step in &steps {
                let moved: Vec<f64> = base.iter().zip(step).map(|(b, s)| b + scale * s).collect();
                let delta = Delta::new(&moved, 3).unwrap();
                drift.advance(delta, values, libm::log1p(3.0));
                let now = gradient_and_bound(column, delta, &mut sums);
                let (then, stamp) = *first.get_or_insert((now, drift.total(column)));
                let margin = drift.total(column) - stamp + drift.slack();
                if !counts {
                    let bits = AtomicU64::new(graphs.iter().fold(0, |bits, graph| bits | 1 << graph));
                    prop_assert!((drift.total_of_bits(&[bits]) - drift.total(column)).abs() <= drift.slack());
                }
                prop_assert!(now.score <= then.score + margin);
                prop_assert!(now.bound <= then.bound + margin);
                // From one pass to the next the graphs that moved most bound it too, however many passes came before.
                if let Some(before) = before {
                    let largest = if graphs.is_empty() { 1.0 } else { column.largest() };
                    let most = drift.largest_move(graphs.len() as u32) * largest + drift.slack();
                    prop_assert!(graphs.is_empty() || most.is_finite());
                    prop_assert!(now.score <= before.score + most && now.bound <= before.bound + most);
                }
                before = Some(now);
            }
        }
    }
}
