//! Gauss-Legendre nodes, and how many of them are enough for the integrals of `logistic.rs`.
//!
//! With `t = 1/2 + s` and angles `a_k = w d_k` the size of a factor `1 - t + t exp(i a)` is `|cos(a/2) + 2 i s
//! sin(a/2)|`. On the ellipse around the interval from 0 to 1 with half axis `b` in the imaginary direction, `(rho -
//! 1/rho) / 4`, its logarithm is at most `b |sin a| + b^2 (1 - cos a)`, with the sign of the sine for each side of the
//! axis; so that of the product over all features but one is at most `b |sum of sin a_k| + b + b^2 sum of (1 - cos
//! a_k)`. The factor of a block of `q` features that interact is a mean of unit numbers with weights `t^i (1 - t)^(q -
//! i)`, so its size is at most that of `|t| + |1 - t|` to the power `q`, which is `(1 + 4 b^2)^(q/2)` all along the
//! ellipse. An integral by `n` nodes has an error below `32/15 rho^(2 - 2n) / (1 - rho^-2)` times the largest size on
//! the ellipse (Trefethen, Approximation Theory and Approximation Practice, Theorem 19.3). High frequencies have large
//! sizes and small coefficients, of about `exp(-pi w)`. Promise: the sum over all frequencies has an error below 1e-9.
//! Tested against exact numbers of nodes, in `logistic.rs`.

use std::f64::consts::PI;

/// Half axes of ellipses that are tried: the first, the ratio of two neighbours, and how many.
const FIRST_AXIS: f64 = 0.1;
const RATIO: f64 = 1.35;
const AXES: usize = 14;
/// The logarithm of the largest error.
const MOST_ERROR: f64 = -20.8;

/// Nodes that are enough: for odd multiples of a first frequency, `sines` has the sum of the features' sines at each,
/// `cosines` that of 1 minus their cosines; so many further features are in blocks.
pub(super) fn enough_nodes(first: f64, half_period: f64, sines: &[f64], cosines: &[f64], in_blocks: usize) -> usize {
    // The coefficient of frequency w is at most exp(-pi w) times this; a feature turns by 2 at most.
    let coefficient = 4.0 * PI / (half_period * (1.0 - libm::exp(-2.0 * PI * first)));
    let common = libm::log(2.0 * coefficient * sines.len().max(1) as f64 * 32.0 / 15.0);
    let mut fewest = f64::INFINITY;
    let mut axis = FIRST_AXIS;
    for _ in 0..AXES {
        let rho = 2.0 * axis + (4.0 * axis * axis + 1.0).sqrt();
        let mut largest = f64::NEG_INFINITY;
        for (at, (sine, cosine)) in sines.iter().zip(cosines).enumerate() {
            let of_coefficient = -PI * first * (2 * at + 1) as f64;
            largest = largest.max(of_coefficient + axis * sine.abs() + axis * axis * cosine);
        }
        let of_blocks = 0.5 * in_blocks as f64 * libm::log(1.0 + 4.0 * axis * axis);
        let wanted = largest + of_blocks + axis + common - libm::log(1.0 - 1.0 / (rho * rho)) - MOST_ERROR;
        fewest = fewest.min(1.0 + wanted / (2.0 * libm::log(rho)));
        axis *= RATIO;
    }
    if fewest.is_finite() { fewest.ceil().max(1.0) as usize } else { usize::MAX }
}

/// The lower half of the `n` Gauss-Legendre nodes of the interval from 0 to 1, with their weights: roots of the
/// Legendre polynomial, by Newton's method.
pub(super) fn lower_nodes(n: usize) -> Vec<(f64, f64)> {
    let root = |at: usize| {
        let mut x = libm::cos(PI * (at as f64 + 0.75) / (n as f64 + 0.5));
        let mut last = 1.0;
        for _ in 0..20 {
            let (value, derivative) = legendre(n, x);
            last = derivative;
            x -= value / derivative;
        }
        let weight = 1.0 / ((1.0 - x * x) * last * last);
        let is_middle = 2 * at + 1 == n;
        if is_middle { (0.5, weight / 2.0) } else { ((1.0 - x) / 2.0, weight) }
    };
    (0..n.div_ceil(2)).map(root).collect()
}

/// The Legendre polynomial of degree `n`, and its derivative.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut here) = (1.0, x);
    for k in 2..=n {
        let next = ((2 * k - 1) as f64 * x * here - (k - 1) as f64 * before) / k as f64;
        (before, here) = (here, next);
    }
    (here, n as f64 * (x * here - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_integrate_polynomials_exactly() {
        for n in [1, 2, 3, 8, 17, 50] {
            for degree in 0..2 * n {
                let integral: f64 = lower_nodes(n)
                    .iter()
                    .map(|(t, weight)| weight * (t.powi(degree as i32) + (1.0 - t).powi(degree as i32)))
                    .sum();
                assert!((integral - 1.0 / (degree + 1) as f64).abs() < 1e-13, "{n} {degree} {integral}");
            }
        }
    }
}
