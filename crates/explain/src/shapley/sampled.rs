//! Shares as means over random orders in which the players join, each order followed by its reverse.
//!
//! Every order hands out exactly the output minus the base, so the means do too. A pair of opposite orders is one draw;
//! the standard error comes from the spread of the draws.

use super::{Duel, Shares};
use einsicht_data::random::Random;

/// Adds the shares of a duel, times its weight, and returns the variances of what was added.
pub(super) fn add(duel: &Duel<'_>, weight: f64, orders: usize, mut random: Random, shares: &mut Shares) -> Vec<f64> {
    let q = duel.game.quantities().len();
    let mut order = duel.players.to_vec();
    let (mut sums, mut squares) = (vec![0.0; shares.values.len()], vec![0.0; shares.values.len()]);
    let mut draw = vec![0.0; shares.values.len()];
    for pair in 0..orders {
        random.shuffle(&mut order);
        draw.fill(0.0);
        for backwards in [false, true] {
            if backwards {
                order.reverse();
            }
            let outputs = joining(duel, &order);
            for (at, &player) in order.iter().enumerate() {
                for k in 0..q {
                    draw[player * q + k] += 0.5 * (outputs[(at + 1) * q + k] - outputs[at * q + k]);
                }
            }
            if pair == 0 && !backwards {
                for k in 0..q {
                    shares.base[k] += weight * outputs[k];
                    shares.output[k] += weight * outputs[order.len() * q + k];
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
    for ((value, sum), square) in shares.values.iter_mut().zip(&sums).zip(&squares) {
        *value += weight * sum / count;
        let variance = (square - sum * sum / count).max(0.0) / (count - 1.0);
        variances.push(weight * weight * variance / count);
    }
    variances
}

/// Outputs while the players join one after the other, from nobody to all.
fn joining(duel: &Duel<'_>, order: &[usize]) -> Vec<f64> {
    let mut row = duel.other.to_vec();
    let mut table = Vec::with_capacity((order.len() + 1) * row.len());
    table.extend_from_slice(&row);
    for &player in order {
        row[player] = duel.row[player];
        table.extend_from_slice(&row);
    }
    duel.narrow.evaluate(&table, order.len() + 1)
}
