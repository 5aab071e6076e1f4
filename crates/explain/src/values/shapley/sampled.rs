//! Sampled Shapley values: means over random orders in which features are added, each order followed by its reverse.
//!
//! The contributions of one order sum to the output minus the base, so their means do too. An order and its reverse
//! (antithetic sampling) are one draw; the standard error is that of the mean over draws.

use super::{Attribution, Contrast};
use einsicht_data::random::Random;

/// Adds the sampled values of a contrast, times its weight, and returns the variances of what was added.
pub(super) fn add(
    contrast: &Contrast<'_>,
    weight: f64,
    orders: usize,
    mut random: Random,
    attribution: &mut Attribution,
) -> Vec<f64> {
    let q = contrast.function.quantities().len();
    let mut order = contrast.differing.to_vec();
    let (mut sums, mut squares) = (vec![0.0; attribution.values.len()], vec![0.0; attribution.values.len()]);
    let mut draw = vec![0.0; attribution.values.len()];
    for pair in 0..orders {
        random.shuffle(&mut order);
        draw.fill(0.0);
        for backwards in [false, true] {
            if backwards {
                order.reverse();
            }
            let outputs = outputs_along(contrast, &order);
            for (at, &feature) in order.iter().enumerate() {
                for k in 0..q {
                    draw[feature * q + k] += 0.5 * (outputs[(at + 1) * q + k] - outputs[at * q + k]);
                }
            }
            if pair == 0 && !backwards {
                for k in 0..q {
                    attribution.base[k] += weight * outputs[k];
                    attribution.output[k] += weight * outputs[order.len() * q + k];
                }
            }
        }
        for ((sum, square), value) in sums.iter_mut().zip(&mut squares).zip(&draw) {
            *sum += value;
            *square += value * value;
        }
    }
    let count = orders as f64;
    let mut variances = Vec::with_capacity(sums.len());
    for ((value, sum), square) in attribution.values.iter_mut().zip(&sums).zip(&squares) {
        *value += weight * sum / count;
        let variance = (square - sum * sum / count).max(0.0) / (count - 1.0);
        variances.push(weight * weight * variance / count);
    }
    variances
}

/// Outputs while the features are added one after the other, from none to all.
fn outputs_along(contrast: &Contrast<'_>, order: &[usize]) -> Vec<f64> {
    let mut row = contrast.reference.to_vec();
    let mut table = Vec::with_capacity((order.len() + 1) * row.len());
    table.extend_from_slice(&row);
    for &feature in order {
        row[feature] = contrast.row[feature];
        table.extend_from_slice(&row);
    }
    contrast.restricted.evaluate(&table, order.len() + 1)
}
