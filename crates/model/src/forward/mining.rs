//! The mining layer: `h(G) = b + sum over patterns of beta_H psi_H(G)`, or with `phi_H` in place of `psi_H`.
//!
//! The input is never stored as a matrix: each pattern adds its weights to the rows of the graphs that
//! contain it. Promise: patterns are added in the order given, `b` last, so equal weights in equal order give
//! equal bits whatever the history of the training was. Every caller gives patterns by
//! [`einsicht_graph::DfsCode::cmp_by_size`].

use einsicht_graph::stop;
use einsicht_search::feature::Column;
use einsicht_search::with_units;

/// Adds `weights`, times the value of the pattern there, to the row of every graph that contains it.
#[inline]
pub(crate) fn add_pattern(sums: &mut [f64], column: Column<'_>, weights: &[f64]) {
    // HOT: runs for every active pattern in every trial of a line search.
    stop::work(1 + column.graphs().len() * weights.len() / 16);
    let hidden = weights.len();
    with_units!(hidden in [1, 2, 4, 6, 8, 10, 16], K => add_fixed::<K>(sums, column, weights), _ => {
        for (graph, value) in column.cells() {
            for (sum, w) in sums[graph * hidden..][..hidden].iter_mut().zip(weights) {
                *sum += w * value;
            }
        }
    });
}

fn add_fixed<const K: usize>(sums: &mut [f64], column: Column<'_>, weights: &[f64]) {
    let (rows, _) = sums.as_chunks_mut::<K>();
    let mut fixed = [0.0; K];
    fixed.copy_from_slice(weights);
    if let Some(graphs) = column.all_ones() {
        for &graph in graphs {
            for (sum, w) in rows[graph as usize].iter_mut().zip(fixed) {
                *sum += w;
            }
        }
    } else {
        column.for_each(|graph, value| {
            for (sum, w) in rows[graph].iter_mut().zip(fixed) {
                *sum += w * value;
            }
        });
    }
}

/// The sums of the mining layer: all patterns added in order, from their sparse columns.
pub fn sums_of_columns<'p>(sums: &mut [f64], patterns: impl Iterator<Item = (Column<'p>, &'p [f64])>) {
    sums.fill(0.0);
    for (column, weights) in patterns {
        add_pattern(sums, column, weights);
    }
}

/// The same from a matrix of values, one row per graph; `weights` are those of each pattern, in order. A value of 0
/// adds nothing, as in a sparse column, so the bits are the same.
pub(crate) fn sums_of_matrix(sums: &mut [f64], values: &[f64], weights: &[&[f64]], hidden: usize) {
    sums.fill(0.0);
    let width = weights.len().max(1);
    // HOT: sampled Shapley values of a network ask for a million rows. The values that are not 0 are listed without a
    // branch, which would be mispredicted at every other one.
    let mut present = vec![0_u32; width];
    for (sums, values) in sums.chunks_exact_mut(hidden).zip(values.chunks_exact(width)) {
        let mut len = 0;
        for (at, &value) in values.iter().enumerate() {
            present[len] = at as u32;
            len += usize::from(value != 0.0);
        }
        let present = &present[..len];
        with_units!(hidden in [1, 2, 6, 10], K => add_present::<K>(sums, values, weights, present), _ => {
            for &at in present {
                for (sum, weight) in sums.iter_mut().zip(weights[at as usize]) {
                    *sum += values[at as usize] * weight;
                }
            }
        });
    }
}

/// Adds some patterns to one row; with a known number of units the sums stay in registers.
fn add_present<const K: usize>(sums: &mut [f64], values: &[f64], weights: &[&[f64]], present: &[u32]) {
    let mut row = [0.0; K];
    for &at in present {
        let (value, weights) = (values[at as usize], &weights[at as usize][..K]);
        for k in 0..K {
            row[k] += value * weights[k];
        }
    }
    sums.copy_from_slice(&row);
}

/// Adds a column that has a value in every row, times the weights.
pub fn add_dense(sums: &mut [f64], column: &[f64], weights: &[f64]) {
    for (sums, value) in sums.chunks_exact_mut(weights.len()).zip(column) {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += weight * value;
        }
    }
}

/// Gradient of the loss with respect to the weights of such a column.
pub fn dense_gradient(delta: &[f64], column: &[f64], gradient: &mut [f64]) {
    gradient.fill(0.0);
    for (row, value) in delta.chunks_exact(gradient.len()).zip(column) {
        for (sum, d) in gradient.iter_mut().zip(row) {
            *sum += d * value;
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

/// Gradient of the loss with respect to the weights of a pattern: the rows of `delta` of the graphs that contain it,
/// times its values, added up. For fits on fixed patterns; selection takes its gradients from
/// [`einsicht_search::bound`].
pub fn pattern_gradient(delta: &[f64], column: Column<'_>, gradient: &mut [f64]) {
    // HOT: runs for every active pattern in every step of a refit.
    let hidden = gradient.len();
    stop::work(1 + column.graphs().len() * hidden / 16);
    with_units!(hidden in [1, 2, 6, 10], K => gradient_fixed::<K>(delta, column, gradient), _ => {
        gradient.fill(0.0);
        column.for_each(|graph, value| {
            for (sum, d) in gradient.iter_mut().zip(&delta[graph * hidden..]) {
                *sum += d * value;
            }
        });
    });
}

/// The same; with a known number of units the sums stay in registers.
fn gradient_fixed<const K: usize>(delta: &[f64], column: Column<'_>, gradient: &mut [f64]) {
    let (rows, _) = delta.as_chunks::<K>();
    let mut sums = [0.0; K];
    column.for_each(|graph, value| {
        for (sum, d) in sums.iter_mut().zip(rows[graph]) {
            *sum += d * value;
        }
    });
    gradient.copy_from_slice(&sums);
}

/// Gradient of the loss with respect to `b`: all rows of `delta` added up.
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
    use einsicht_graph::Support;
    use einsicht_search::feature::{CountTransform, Values};

    #[test]
    fn each_pattern_adds_its_weights_where_it_occurs() {
        for hidden in [1, 2, 3, 6] {
            let first: Vec<f64> = (0..hidden).map(|k| 1.0 + k as f64).collect();
            let second = vec![10.0; hidden];
            let mut sums = vec![0.0; 3 * hidden];
            add_pattern(&mut sums, Column::present_in(&[0, 2]), &first);
            add_pattern(&mut sums, Column::present_in(&[2]), &second);
            let mut h = sums.clone();
            add_bias(&sums, &vec![0.5; hidden], &mut h);
            assert_eq!((h[0], h[hidden], h[2 * hidden]), (1.5, 0.5, 11.5));
        }
    }

    #[test]
    fn each_pattern_adds_its_weights_times_its_values() {
        let support = Support::detached(vec![0, 2], vec![3, 1]);
        let column = Values::Count(CountTransform::Identity).column(&support);
        for hidden in [1, 2, 3, 6] {
            let mut sums = vec![0.5; 3 * hidden];
            add_pattern(&mut sums, column, &vec![2.0; hidden]);
            assert_eq!((sums[0], sums[hidden], sums[2 * hidden]), (6.5, 0.5, 2.5));
        }
        let mut gradient = [0.0; 2];
        pattern_gradient(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], column, &mut gradient);
        assert_eq!(gradient, [8.0, 12.0]);
    }

    #[test]
    fn sums_of_a_matrix_are_those_of_its_columns_for_any_number_of_units() {
        let columns: [&[u32]; 4] = [&[0, 2], &[], &[1, 2], &[2]];
        for hidden in 1..12 {
            let weights: Vec<Vec<f64>> =
                (0..4).map(|p| (0..hidden).map(|k| 0.1 + f64::from(p) / (1.0 + k as f64)).collect()).collect();
            let weights: Vec<&[f64]> = weights.iter().map(Vec::as_slice).collect();
            let (mut sparse, mut dense) = (vec![9.0; 3 * hidden], vec![9.0; 3 * hidden]);
            let present = columns.iter().map(|graphs| Column::present_in(graphs));
            sums_of_columns(&mut sparse, present.zip(weights.iter().copied()));
            let cell = |row: u32, graphs: &[u32]| if graphs.contains(&row) { 1.0 } else { 0.0 };
            let matrix: Vec<f64> = (0..3).flat_map(|row| columns.iter().map(move |graphs| cell(row, graphs))).collect();
            sums_of_matrix(&mut dense, &matrix, &weights, hidden);
            assert_eq!(sparse, dense);
        }
    }

    #[test]
    fn gradients_add_up_the_rows_of_delta() {
        let delta = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut gradient = [0.0; 2];
        pattern_gradient(&delta, Column::present_in(&[0, 2]), &mut gradient);
        assert_eq!(gradient, [6.0, 8.0]);
        bias_gradient(&delta, &mut gradient);
        assert_eq!(gradient, [9.0, 12.0]);
    }
}
