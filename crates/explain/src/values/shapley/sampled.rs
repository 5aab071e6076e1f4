//! Sampled Shapley values: means over random orders in which features are added, each order followed by its reverse.
//!
//! The contributions of one order sum to the output minus the base, so their means do too. An order and its reverse
//! (antithetic sampling) are one draw. Each row of the baseline gets the same number of draws; the standard error takes
//! them all for draws from one distribution, so that it also holds the differences between rows and is, if anything,
//! too large.

use super::{Attribution, Contrast};
use einsicht_data::random::Random;

/// Draws over the rows of a baseline.
pub(super) struct Draws {
    /// Draws per row.
    orders: usize,
    /// Sums over all draws, and of squares, one per feature and quantity.
    sums: Vec<f64>,
    squares: Vec<f64>,
    /// All draws.
    count: usize,
    /// The variance of the result for each unit of variance of a draw.
    factor: f64,
}

impl Draws {
    /// So many draws per row of the baseline.
    pub(super) fn new(orders: usize, values: usize) -> Self {
        Self { orders, sums: vec![0.0; values], squares: vec![0.0; values], count: 0, factor: 0.0 }
    }

    /// Adds the sampled values of a contrast, times its weight.
    pub(super) fn add(
        &mut self,
        contrast: &Contrast<'_>,
        weight: f64,
        mut random: Random,
        attribution: &mut Attribution,
    ) {
        let q = contrast.function.quantities().len();
        let mut order = contrast.differing.to_vec();
        let mut draw = vec![0.0; attribution.values.len()];
        for pair in 0..self.orders {
            random.shuffle(&mut order);
            draw.fill(0.0);
            let both = outputs_both_ways(contrast, &order);
            for (backwards, outputs) in both.chunks_exact(both.len() / 2).enumerate() {
                if backwards == 1 {
                    order.reverse();
                }
                for (at, &feature) in order.iter().enumerate() {
                    for k in 0..q {
                        draw[feature * q + k] += 0.5 * (outputs[(at + 1) * q + k] - outputs[at * q + k]);
                    }
                }
                if pair == 0 && backwards == 0 {
                    for k in 0..q {
                        attribution.base[k] += weight * outputs[k];
                        attribution.output[k] += weight * outputs[order.len() * q + k];
                    }
                }
            }
            for (at, value) in draw.iter().enumerate() {
                self.sums[at] += value;
                self.squares[at] += value * value;
                attribution.values[at] += weight * value / self.orders as f64;
            }
        }
        self.count += self.orders;
        self.factor += weight * weight / self.orders as f64;
    }

    /// The standard errors of what was added, if anything was.
    pub(super) fn errors(&self) -> Option<Vec<f64>> {
        let count = self.count as f64;
        let error = |(sum, square): (&f64, &f64)| {
            let variance = (square - sum * sum / count).max(0.0) / (count - 1.0);
            (self.factor * variance).sqrt()
        };
        (self.count > 0).then(|| self.sums.iter().zip(&self.squares).map(error).collect())
    }
}

/// Outputs while the features are added one after the other, from none to all; then the same in reverse order.
fn outputs_both_ways(contrast: &Contrast<'_>, order: &[usize]) -> Vec<f64> {
    let added = |&feature: &usize| (feature, contrast.row[feature]);
    let ways = [order.iter().map(added).collect(), order.iter().rev().map(added).collect()];
    contrast.restricted.evaluate_along(contrast.reference, &ways)
}
