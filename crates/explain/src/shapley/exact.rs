//! Exact shares from the outputs of all coalitions.

use super::{Duel, Shares};

/// Adds the shares of a duel, times its weight.
pub(super) fn add(duel: &Duel<'_>, weight: f64, shares: &mut Shares) {
    let (m, q) = (duel.players.len(), duel.game.quantities().len());
    let outputs = coalitions(duel);
    let of = |mask: usize| &outputs[mask * q..(mask + 1) * q];
    let full = (1_usize << m) - 1;
    for at in 0..q {
        shares.base[at] += weight * of(0)[at];
        shares.output[at] += weight * of(full)[at];
    }
    let order = chances(m, 1);
    for (at, &player) in duel.players.iter().enumerate() {
        for mask in (0..=full).filter(|mask| mask & (1 << at) == 0) {
            let chance = weight * order[mask.count_ones() as usize];
            let (with, without) = (of(mask | 1 << at), of(mask));
            for (value, (a, b)) in shares.values[player * q..].iter_mut().zip(with.iter().zip(without)) {
                *value += chance * (a - b);
            }
        }
    }
    if let Some(interactions) = &mut shares.interactions {
        add_interactions(duel, &outputs, weight, interactions);
    }
}

/// Adds half of the interaction index of every pair beside the diagonal, and takes it from the player's share on it.
fn add_interactions(duel: &Duel<'_>, outputs: &[f64], weight: f64, interactions: &mut [f64]) {
    let (m, q, players) = (duel.players.len(), duel.game.quantities().len(), duel.game.players());
    let single = chances(m, 1);
    let pair = chances(m, 2);
    let masks = 1_usize << m;
    for (i, &first) in duel.players.iter().enumerate() {
        for mask in (0..masks).filter(|mask| mask & (1 << i) == 0) {
            let chance = weight * single[mask.count_ones() as usize];
            for at in 0..q {
                let gain = outputs[(mask | 1 << i) * q + at] - outputs[mask * q + at];
                interactions[(first * players + first) * q + at] += chance * gain;
            }
        }
        for (j, &second) in duel.players.iter().enumerate().filter(|&(j, _)| j != i) {
            let both = 1 << i | 1 << j;
            for mask in (0..masks).filter(|mask| mask & both == 0) {
                let chance = weight * pair[mask.count_ones() as usize] / 2.0;
                for at in 0..q {
                    let of = |mask: usize| outputs[mask * q + at];
                    let gain = of(mask | both) - of(mask | 1 << i) - of(mask | 1 << j) + of(mask);
                    interactions[(first * players + second) * q + at] += chance * gain;
                    interactions[(first * players + first) * q + at] -= chance * gain;
                }
            }
        }
    }
}

/// The chance that exactly a given coalition of each size stands before `joining` given players, when all orders of `m`
/// (and the joining ones as a block) are equally likely: `s! (m - s - j)! / (m - j + 1)!`.
fn chances(m: usize, joining: usize) -> Vec<f64> {
    if m < joining {
        return Vec::new();
    }
    let places = m - joining;
    let mut chances = vec![1.0 / (places + 1) as f64; places + 1];
    for size in 1..=places {
        // From s - 1 to s: times s, divided by the number of those that come after.
        chances[size] = chances[size - 1] * size as f64 / (places - size + 1) as f64;
    }
    chances
}

/// Outputs of all coalitions; bit `i` of an index says whether the `i`-th player plays.
fn coalitions(duel: &Duel<'_>) -> Vec<f64> {
    const AT_ONCE: usize = 1024;
    let masks = 1_usize << duel.players.len();
    let mut outputs = Vec::with_capacity(masks * duel.game.quantities().len());
    let mut table = Vec::new();
    for start in (0..masks).step_by(AT_ONCE) {
        let end = (start + AT_ONCE).min(masks);
        table.clear();
        for mask in start..end {
            let from = table.len();
            table.extend_from_slice(duel.other);
            for (at, &player) in duel.players.iter().enumerate() {
                if mask & (1 << at) != 0 {
                    table[from + player] = duel.row[player];
                }
            }
        }
        outputs.extend(duel.narrow.evaluate(&table, end - start));
    }
    outputs
}
