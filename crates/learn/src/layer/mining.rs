//! The mining layer: `h(G) = b + sum over patterns of beta_H psi_H(G)`.
//!
//! The input is never stored as a matrix: each pattern adds its weights to the rows of the graphs that
//! contain it. Promise: patterns are added in the order given, `b` last, so equal weights in equal order give
//! equal bits whatever the history of the training was. Every caller gives patterns by
//! [`einsicht_graph::DfsCode::cmp_by_size`].

use einsicht_graph::Support;

/// Adds `weights` to the row of every graph of the support.
#[inline]
pub fn add_pattern(sums: &mut [f64], support: &Support, weights: &[f64]) {
    // HOT: runs for every active pattern in every trial of a line search.
    match weights.len() {
        1 => add_fixed::<1>(sums, support, weights),
        2 => add_fixed::<2>(sums, support, weights),
        4 => add_fixed::<4>(sums, support, weights),
        6 => add_fixed::<6>(sums, support, weights),
        8 => add_fixed::<8>(sums, support, weights),
        10 => add_fixed::<10>(sums, support, weights),
        16 => add_fixed::<16>(sums, support, weights),
        hidden => {
            for &graph in support.graphs() {
                for (sum, w) in sums[graph as usize * hidden..][..hidden].iter_mut().zip(weights) {
                    *sum += w;
                }
            }
        }
    }
}

fn add_fixed<const K: usize>(sums: &mut [f64], support: &Support, weights: &[f64]) {
    let (rows, _) = sums.as_chunks_mut::<K>();
    let mut fixed = [0.0; K];
    fixed.copy_from_slice(weights);
    for &graph in support.graphs() {
        for (sum, w) in rows[graph as usize].iter_mut().zip(fixed) {
            *sum += w;
        }
    }
}

/// Computes `h = sums + b` for every row.
pub fn add_bias(sums: &[f64], bias: &[f64], h: &mut [f64]) {
    for (row, sums) in h.chunks_exact_mut(bias.len()).zip(sums.chunks_exact(bias.len())) {
        for ((h, sum), b) in row.iter_mut().zip(sums).zip(bias) {
            *h = sum + b;
        }
    }
}

/// Slopes of the loss with respect to a pattern's weights: the rows of `delta` of the graphs that contain it,
/// added up. For fitting on a fixed support; selection takes its gradients from [`crate::bound`].
pub fn pattern_gradient(delta: &[f64], support: &Support, gradient: &mut [f64]) {
    gradient.fill(0.0);
    let hidden = gradient.len();
    for &graph in support.graphs() {
        for (sum, d) in gradient.iter_mut().zip(&delta[graph as usize * hidden..]) {
            *sum += d;
        }
    }
}

/// Slopes of the loss with respect to `b`: all rows of `delta` added up.
pub fn bias_gradient(delta: &[f64], gradient: &mut [f64]) {
    gradient.fill(0.0);
    for row in delta.chunks_exact(gradient.len()) {
        for (sum, d) in gradient.iter_mut().zip(row) {
            *sum += d;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pattern_adds_its_weights_where_it_occurs() {
        for hidden in [1, 2, 3, 6] {
            let first: Vec<f64> = (0..hidden).map(|k| 1.0 + k as f64).collect();
            let second = vec![10.0; hidden];
            let mut sums = vec![0.0; 3 * hidden];
            add_pattern(&mut sums, &Support::detached(vec![0, 2], vec![]), &first);
            add_pattern(&mut sums, &Support::detached(vec![2], vec![]), &second);
            let mut h = sums.clone();
            add_bias(&sums, &vec![0.5; hidden], &mut h);
            assert_eq!((h[0], h[hidden], h[2 * hidden]), (1.5, 0.5, 11.5));
        }
    }

    #[test]
    fn gradients_add_up_the_rows_of_delta() {
        let delta = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut gradient = [0.0; 2];
        pattern_gradient(&delta, &Support::detached(vec![0, 2], vec![]), &mut gradient);
        assert_eq!(gradient, [6.0, 8.0]);
        bias_gradient(&delta, &mut gradient);
        assert_eq!(gradient, [9.0, 12.0]);
    }
}
