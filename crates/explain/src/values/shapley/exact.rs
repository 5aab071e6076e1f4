//! Exact Shapley values from the outputs of all coalitions.
//!
//! `phi_i = sum over S without i of |S|! (m - |S| - 1)! / m! * (v(S + i) - v(S))`. Cost: `2^m` outputs for `m` features
//! that differ from the baseline.

use super::{Attribution, Contrast};

/// Adds the Shapley values of a contrast, times its weight.
pub(super) fn add(contrast: &Contrast<'_>, weight: f64, attribution: &mut Attribution) {
    let (m, q) = (contrast.differing.len(), contrast.function.quantities().len());
    let outputs = coalitions(contrast);
    let of = |mask: usize| &outputs[mask * q..(mask + 1) * q];
    let full = (1_usize << m) - 1;
    for at in 0..q {
        attribution.base[at] += weight * of(0)[at];
        attribution.output[at] += weight * of(full)[at];
    }
    let weights = coalition_weights(m, 1);
    for (at, &feature) in contrast.differing.iter().enumerate() {
        for mask in (0..=full).filter(|mask| mask & (1 << at) == 0) {
            let scale = weight * weights[mask.count_ones() as usize];
            let (with, without) = (of(mask | 1 << at), of(mask));
            for (value, (a, b)) in attribution.values[feature * q..].iter_mut().zip(with.iter().zip(without)) {
                *value += scale * (a - b);
            }
        }
    }
    if let Some(interactions) = &mut attribution.interactions {
        add_interactions(contrast, &outputs, weight, interactions);
    }
}

/// Adds half of the interaction index of every pair off the diagonal, and subtracts it from the feature's value on it.
fn add_interactions(contrast: &Contrast<'_>, outputs: &[f64], weight: f64, interactions: &mut [f64]) {
    let (m, q, features) =
        (contrast.differing.len(), contrast.function.quantities().len(), contrast.function.features());
    let single = coalition_weights(m, 1);
    let pair = coalition_weights(m, 2);
    let masks = 1_usize << m;
    for (i, &first) in contrast.differing.iter().enumerate() {
        for mask in (0..masks).filter(|mask| mask & (1 << i) == 0) {
            let scale = weight * single[mask.count_ones() as usize];
            for at in 0..q {
                let gain = outputs[(mask | 1 << i) * q + at] - outputs[mask * q + at];
                interactions[(first * features + first) * q + at] += scale * gain;
            }
        }
        for (j, &second) in contrast.differing.iter().enumerate().filter(|&(j, _)| j != i) {
            let both = 1 << i | 1 << j;
            for mask in (0..masks).filter(|mask| mask & both == 0) {
                let scale = weight * pair[mask.count_ones() as usize] / 2.0;
                for at in 0..q {
                    let of = |mask: usize| outputs[mask * q + at];
                    let gain = of(mask | both) - of(mask | 1 << i) - of(mask | 1 << j) + of(mask);
                    interactions[(first * features + second) * q + at] += scale * gain;
                    interactions[(first * features + first) * q + at] -= scale * gain;
                }
            }
        }
    }
}

/// The weight of a coalition of each size `s` before a block of `joining` features (`j`): the probability that exactly
/// this coalition precedes the block if all orders of the `m` features are equally likely, `s! (m - s - j)! / (m - j +
/// 1)!`.
fn coalition_weights(m: usize, joining: usize) -> Vec<f64> {
    if m < joining {
        return Vec::new();
    }
    let others = m - joining;
    let mut weights = vec![1.0 / (others + 1) as f64; others + 1];
    for size in 1..=others {
        // From s - 1 to s: times s, divided by the number of features that come after.
        weights[size] = weights[size - 1] * size as f64 / (others - size + 1) as f64;
    }
    weights
}

/// Outputs of all coalitions; bit `i` of an index says whether the `i`-th feature is in the coalition.
fn coalitions(contrast: &Contrast<'_>) -> Vec<f64> {
    /// Rows per evaluation.
    const BATCH: usize = 1024;
    let masks = 1_usize << contrast.differing.len();
    let mut outputs = Vec::with_capacity(masks * contrast.function.quantities().len());
    let mut table = Vec::new();
    for start in (0..masks).step_by(BATCH) {
        let end = (start + BATCH).min(masks);
        table.clear();
        for mask in start..end {
            let from = table.len();
            table.extend_from_slice(contrast.reference);
            for (at, &feature) in contrast.differing.iter().enumerate() {
                if mask & (1 << at) != 0 {
                    table[from + feature] = contrast.row[feature];
                }
            }
        }
        outputs.extend(contrast.restricted.evaluate(&table, end - start));
    }
    outputs
}
