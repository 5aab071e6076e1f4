//! LIME: a local linear surrogate, fitted to the outputs of copies of a graph with some of its features removed.
//!
//! Each sample removes every present feature with probability one half; samples that remove fewer features weigh more
//! (an exponential kernel). Weighted least squares gives an intercept and one coefficient per present feature; a ridge
//! penalty far below rounding keeps the equations solvable. Seeded. A model that is linear comes out as itself.

use super::Attribution;
use super::function::ValueFunction;
use einsicht_data::random::Random;

/// How the surrogate is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimeOptions {
    /// Number of samples.
    pub samples: usize,
    /// Width of the kernel over the fraction of features removed.
    pub width: f64,
    /// Seed of the samples.
    pub seed: u64,
}

impl Default for LimeOptions {
    fn default() -> Self {
        Self { samples: 1000, width: 0.75, seed: 0 }
    }
}

/// Fits the surrogate around one row of feature values: the base is its intercept, the values are its coefficients.
///
/// # Panics
/// If the row is not one value per feature.
pub(crate) fn lime(function: &ValueFunction<'_>, row: &[f64], options: &LimeOptions) -> Attribution {
    assert_eq!(row.len(), function.features(), "one value per feature");
    let q = function.quantities().len();
    let output = function.evaluate(row, 1);
    let present: Vec<usize> = (0..row.len()).filter(|&feature| row[feature] != 0.0).collect();
    let mut attribution = Attribution { base: output.clone(), output, ..Attribution::new(row.len(), q) };
    if present.is_empty() {
        return attribution;
    }
    let coefficients = least_squares(&samples(function, row, &present, options), present.len() + 1, q);
    attribution.base.copy_from_slice(&coefficients[..q]);
    for (at, &feature) in present.iter().enumerate() {
        attribution.values[feature * q..(feature + 1) * q].copy_from_slice(&coefficients[(at + 1) * q..(at + 2) * q]);
    }
    attribution
}

/// Samples around a graph. The graph itself is the first.
struct Samples {
    /// One row per sample: a leading 1, then 1 for every present feature that is kept, 0 for those removed.
    design: Vec<f64>,
    /// The quantities of every sample.
    outputs: Vec<f64>,
    /// The kernel weight of every sample.
    weights: Vec<f64>,
}

fn samples(function: &ValueFunction<'_>, row: &[f64], present: &[usize], options: &LimeOptions) -> Samples {
    let mut random = Random::new(options.seed);
    let count = options.samples.max(1);
    let (mut design, mut table, mut weights) = (Vec::new(), Vec::new(), Vec::with_capacity(count));
    for sample in 0..count {
        let from = table.len();
        table.extend_from_slice(row);
        design.push(1.0);
        let mut removed = 0;
        for &feature in present {
            let is_kept = sample == 0 || random.below(2) == 1;
            design.push(if is_kept { 1.0 } else { 0.0 });
            if !is_kept {
                table[from + feature] = 0.0;
                removed += 1;
            }
        }
        let distance = f64::from(removed) / present.len() as f64 / options.width;
        weights.push(libm::exp(-distance * distance));
    }
    Samples { design, outputs: function.evaluate(&table, count), weights }
}

/// Weighted least squares by the normal equations: `size` coefficients for each of `q` quantities.
fn least_squares(samples: &Samples, size: usize, q: usize) -> Vec<f64> {
    let (mut left, mut right) = (vec![0.0; size * size], vec![0.0; size * q]);
    for ((x, outputs), &weight) in
        samples.design.chunks_exact(size).zip(samples.outputs.chunks_exact(q)).zip(&samples.weights)
    {
        for i in 0..size {
            for j in 0..size {
                left[i * size + j] += weight * x[i] * x[j];
            }
            for k in 0..q {
                right[i * q + k] += weight * x[i] * outputs[k];
            }
        }
    }
    let scale = (0..size).fold(0.0_f64, |most, i| most.max(left[i * size + i]));
    for i in 0..size {
        left[i * size + i] += 1e-12 * scale;
    }
    solve(&mut left, &mut right, size, q);
    right
}

/// Solves a positive definite system by its Cholesky factor; the solution replaces the right-hand side.
fn solve(left: &mut [f64], right: &mut [f64], size: usize, columns: usize) {
    for i in 0..size {
        for j in 0..=i {
            let mut sum = left[i * size + j];
            for k in 0..j {
                sum -= left[i * size + k] * left[j * size + k];
            }
            left[i * size + j] = if i == j { sum.max(f64::MIN_POSITIVE).sqrt() } else { sum / left[j * size + j] };
        }
    }
    for column in 0..columns {
        for i in 0..size {
            let mut sum = right[i * columns + column];
            for k in 0..i {
                sum -= left[i * size + k] * right[k * columns + column];
            }
            right[i * columns + column] = sum / left[i * size + i];
        }
        for i in (0..size).rev() {
            let mut sum = right[i * columns + column];
            for k in i + 1..size {
                sum -= left[k * size + i] * right[k * columns + column];
            }
            right[i * columns + column] = sum / left[i * size + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved() {
        let (mut left, mut right) = (vec![4.0, 2.0, 2.0, 3.0], vec![10.0, 8.0]);
        solve(&mut left, &mut right, 2, 1);
        assert!((right[0] - 1.75).abs() < 1e-12 && (right[1] - 1.5).abs() < 1e-12, "{right:?}");
    }
}
