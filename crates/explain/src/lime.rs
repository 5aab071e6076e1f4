//! LIME: a straight line through the outputs of graphs that are like this one, with some of its patterns taken out.
//!
//! Seeded. Each draw takes out every present pattern with the chance of a coin; draws that take out less weigh more. A
//! ridge far below the rounding of the answer keeps the equations solvable. A model that *is* a straight line comes out as
//! itself.

use crate::game::Game;
use einsicht_data::random::Random;

/// How the line is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Number of draws.
    pub samples: usize,
    /// Width of the kernel over the share of patterns taken out.
    pub width: f64,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { samples: 1000, width: 0.75, seed: 0 }
    }
}

/// The line of one graph. One number a quantity each; `values` pattern after pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The output of the graph.
    pub output: Vec<f64>,
    /// What the line says when every pattern is taken out.
    pub base: Vec<f64>,
    /// What the line adds for each pattern; 0 for absent ones.
    pub values: Vec<f64>,
}

/// Finds the line around one row of values.
///
/// # Panics
/// If the row is not one value a player.
pub fn lime(game: &Game<'_>, row: &[f64], options: &Options) -> Line {
    assert_eq!(row.len(), game.players(), "one value a player");
    let q = game.quantities().len();
    let output = game.evaluate(row, 1);
    let players: Vec<usize> = (0..row.len()).filter(|&player| row[player] != 0.0).collect();
    let mut line = Line { base: output.clone(), output, values: vec![0.0; row.len() * q] };
    if players.is_empty() {
        return line;
    }
    let (design, outputs, weights) = draws(game, row, &players, options);
    // Normal equations of the weighted squares: an offset and one slope a present pattern.
    let size = players.len() + 1;
    let (mut left, mut right) = (vec![0.0; size * size], vec![0.0; size * q]);
    for (at, x) in design.chunks_exact(size).enumerate() {
        for i in 0..size {
            for j in 0..size {
                left[i * size + j] += weights[at] * x[i] * x[j];
            }
            for k in 0..q {
                right[i * q + k] += weights[at] * x[i] * outputs[at * q + k];
            }
        }
    }
    let scale = (0..size).fold(0.0_f64, |most, i| most.max(left[i * size + i]));
    for i in 0..size {
        left[i * size + i] += 1e-12 * scale;
    }
    solve(&mut left, &mut right, size, q);
    line.base.copy_from_slice(&right[..q]);
    for (at, &player) in players.iter().enumerate() {
        line.values[player * q..(player + 1) * q].copy_from_slice(&right[(at + 1) * q..(at + 2) * q]);
    }
    line
}

/// Which patterns each draw keeps (after a leading 1), the outputs, and how much the draw counts. The graph itself is one.
fn draws(game: &Game<'_>, row: &[f64], players: &[usize], options: &Options) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut random = Random::new(options.seed);
    let samples = options.samples.max(1);
    let (mut design, mut table, mut weights) = (Vec::new(), Vec::new(), Vec::with_capacity(samples));
    for sample in 0..samples {
        let from = table.len();
        table.extend_from_slice(row);
        design.push(1.0);
        let mut out = 0;
        for &player in players {
            let kept = sample == 0 || random.below(2) == 1;
            design.push(if kept { 1.0 } else { 0.0 });
            if !kept {
                table[from + player] = 0.0;
                out += 1;
            }
        }
        let distance = f64::from(out) / players.len() as f64 / options.width;
        weights.push(libm::exp(-distance * distance));
    }
    let outputs = game.evaluate(&table, samples);
    (design, outputs, weights)
}

/// Solves a positive definite system by Cholesky's factors; the answer replaces the right side.
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
