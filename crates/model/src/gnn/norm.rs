//! Normalization of the values of a layer of the graph network, before its ReLU.
//!
//! Sums over neighbours grow with the degree and from round to round; without normalization a graph network learns
//! slowly and stops early (`lab/notes/0011-graph-network.md`). Promise: only numbers of the vertex itself are read, so
//! `delta` stays a derivative graph by graph, nothing depends on the batch, and there are no running statistics to
//! keep. Checked against finite differences in `gin_tests.rs`.

use serde::{Deserialize, Serialize};

/// Normalization after each dense layer of a graph network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Normalization {
    /// None.
    #[default]
    None,
    /// Each vertex over its units (layer normalization).
    Layer,
}

/// Keeps the division finite.
const SMALL: f64 = 1e-5;

/// What the backward pass needs of a forward pass.
#[derive(Clone, Debug, Default)]
pub(super) struct NormTrace {
    /// Values of mean 0 and mean square 1, row after row.
    standard: Vec<f64>,
    /// For each row the factor to mean square 1.
    factors: Vec<f64>,
}

#[cfg(test)]
impl NormTrace {
    pub(super) fn standard(&self) -> &[f64] {
        &self.standard
    }
}

impl Normalization {
    /// Number of parameters for so many units: factors, then offsets.
    pub(super) const fn num_parameters(self, units: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Layer => 2 * units,
        }
    }

    /// Parameters before training: factors 1, offsets 0.
    pub(super) fn first_parameters(self, units: usize) -> Vec<f64> {
        let whole = [vec![1.0; units], vec![0.0; units]].concat();
        whole[..self.num_parameters(units)].to_vec()
    }

    pub(super) fn forward(self, parameters: &[f64], units: usize, rows: &mut [f64], trace: &mut NormTrace) {
        if self == Self::None {
            return;
        }
        standardise(units, rows, trace);
        let (factors, offsets) = parameters.split_at(units);
        for (row, standard) in rows.chunks_exact_mut(units).zip(trace.standard.chunks_exact(units)) {
            for (at, value) in row.iter_mut().enumerate() {
                *value = factors[at] * standard[at] + offsets[at];
            }
        }
    }

    /// Turns the gradient of the normalized rows into that of the rows, and adds that of the parameters to `gradient`.
    pub(super) fn backward(
        self,
        parameters: &[f64],
        units: usize,
        trace: &NormTrace,
        rows: &mut [f64],
        gradient: &mut [f64],
    ) {
        if self == Self::None {
            return;
        }
        let (of_factors, of_offsets) = gradient.split_at_mut(units);
        for (row, standard) in rows.chunks_exact_mut(units).zip(trace.standard.chunks_exact(units)) {
            for (at, derivative) in row.iter_mut().enumerate() {
                of_factors[at] += *derivative * standard[at];
                of_offsets[at] += *derivative;
                *derivative *= parameters[at];
            }
        }
        standardise_backward(units, trace, rows);
    }
}

/// Each row less its mean, over the root of its mean square.
fn standardise(units: usize, rows: &[f64], trace: &mut NormTrace) {
    trace.standard.clear();
    trace.factors.clear();
    for row in rows.chunks_exact(units) {
        let mean = row.iter().fold(0.0, |sum, value| sum + value) / units as f64;
        let square = row.iter().fold(0.0, |sum, value| sum + (value - mean) * (value - mean)) / units as f64;
        let factor = 1.0 / (square + SMALL).sqrt();
        trace.standard.extend(row.iter().map(|value| (value - mean) * factor));
        trace.factors.push(factor);
    }
}

fn standardise_backward(units: usize, trace: &NormTrace, rows: &mut [f64]) {
    let standard = trace.standard.chunks_exact(units).zip(&trace.factors);
    for (row, (standard, factor)) in rows.chunks_exact_mut(units).zip(standard) {
        let mean = row.iter().fold(0.0, |sum, derivative| sum + derivative) / units as f64;
        let along = row.iter().zip(standard).fold(0.0, |sum, (derivative, x)| sum + derivative * x) / units as f64;
        for (derivative, x) in row.iter_mut().zip(standard) {
            *derivative = factor * (*derivative - mean - x * along);
        }
    }
}
