//! Normalization of the values of a layer over the vertices of one graph, before its ReLU.
//!
//! Sums over neighbours grow with the degree and from round to round; without normalization a graph network learns slowly and stops
//! early (`docs/decisions/`). Promise: only numbers of the graph itself are read, so `delta` stays a derivative graph by graph, nothing
//! depends on the batch, and there are no running statistics to keep. Checked against finite differences in `gin_tests.rs`.

use serde::{Deserialize, Serialize};

/// Normalization after each dense layer of a graph network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Normalization {
    /// None.
    #[default]
    None,
    /// Each unit over the vertices of a graph, less a learnt share of its mean (GraphNorm).
    Graph,
    /// Each vertex over its units (layer normalization).
    Layer,
}

/// Keeps the division finite.
const SMALL: f64 = 1e-5;

/// What the backward pass needs of a forward pass.
#[derive(Clone, Debug, Default)]
pub(super) struct NormTrace {
    /// Values of mean square 1, row after row.
    standard: Vec<f64>,
    /// Means, and factors to mean square 1: one for each unit (graph), or one for each vertex (layer).
    means: Vec<f64>,
    factors: Vec<f64>,
}

impl Normalization {
    /// Number of parameters for so many units: factors, offsets, and with `Graph` the shares of the mean.
    pub(super) const fn num_parameters(self, units: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Layer => 2 * units,
            Self::Graph => 3 * units,
        }
    }

    /// Parameters before training: factors 1, offsets 0, shares 1.
    pub(super) fn first_parameters(self, units: usize) -> Vec<f64> {
        let whole = [vec![1.0; units], vec![0.0; units], vec![1.0; units]].concat();
        whole[..self.num_parameters(units)].to_vec()
    }

    /// Normalizes the rows.
    pub(super) fn forward(self, parameters: &[f64], units: usize, rows: &mut [f64], trace: &mut NormTrace) {
        match self {
            Self::None => return,
            Self::Layer => standardise_rows(units, rows, trace),
            Self::Graph => standardise_columns(&parameters[2 * units..], rows, trace),
        }
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
        let (of_factors, rest) = gradient.split_at_mut(units);
        let (of_offsets, of_shares) = rest.split_at_mut(units);
        for (row, standard) in rows.chunks_exact_mut(units).zip(trace.standard.chunks_exact(units)) {
            for (at, derivative) in row.iter_mut().enumerate() {
                of_factors[at] += *derivative * standard[at];
                of_offsets[at] += *derivative;
                *derivative *= parameters[at];
            }
        }
        match self {
            Self::None => {}
            Self::Layer => rows_backward(units, trace, rows),
            Self::Graph => columns_backward(&parameters[2 * units..], trace, rows, of_shares),
        }
    }
}

/// Each row less its mean, over the root of its mean square.
fn standardise_rows(units: usize, rows: &[f64], trace: &mut NormTrace) {
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

fn rows_backward(units: usize, trace: &NormTrace, rows: &mut [f64]) {
    let standard = trace.standard.chunks_exact(units).zip(&trace.factors);
    for (row, (standard, factor)) in rows.chunks_exact_mut(units).zip(standard) {
        let mean = row.iter().fold(0.0, |sum, derivative| sum + derivative) / units as f64;
        let along = row.iter().zip(standard).fold(0.0, |sum, (derivative, x)| sum + derivative * x) / units as f64;
        for (derivative, x) in row.iter_mut().zip(standard) {
            *derivative = factor * (*derivative - mean - x * along);
        }
    }
}

/// Each column less a share of its mean, over the root of the mean square of that.
fn standardise_columns(shares: &[f64], rows: &[f64], trace: &mut NormTrace) {
    let units = shares.len();
    let vertices = (rows.len() / units).max(1) as f64;
    trace.means.clear();
    trace.means.resize(units, 0.0);
    add_rows(rows, &mut trace.means);
    trace.means.iter_mut().for_each(|mean| *mean /= vertices);
    trace.standard.clear();
    trace.factors.clear();
    trace.factors.resize(units, 0.0);
    for row in rows.chunks_exact(units) {
        for (at, value) in row.iter().enumerate() {
            let left = value - shares[at] * trace.means[at];
            trace.factors[at] += left * left;
            trace.standard.push(left);
        }
    }
    for factor in &mut trace.factors {
        *factor = 1.0 / (*factor / vertices + SMALL).sqrt();
    }
    for row in trace.standard.chunks_exact_mut(units) {
        for (value, factor) in row.iter_mut().zip(&trace.factors) {
            *value *= factor;
        }
    }
}

fn columns_backward(shares: &[f64], trace: &NormTrace, rows: &mut [f64], of_shares: &mut [f64]) {
    let units = shares.len();
    let vertices = (rows.len() / units).max(1) as f64;
    let mut along = vec![0.0; units];
    for (row, standard) in rows.chunks_exact(units).zip(trace.standard.chunks_exact(units)) {
        for (at, derivative) in row.iter().enumerate() {
            along[at] += derivative * standard[at];
        }
    }
    for (row, standard) in rows.chunks_exact_mut(units).zip(trace.standard.chunks_exact(units)) {
        for (at, derivative) in row.iter_mut().enumerate() {
            *derivative = trace.factors[at] * (*derivative - standard[at] * (along[at] / vertices));
        }
    }
    let mut sums = vec![0.0; units];
    add_rows(rows, &mut sums);
    for (at, sum) in sums.iter().enumerate() {
        of_shares[at] -= trace.means[at] * sum;
    }
    for row in rows.chunks_exact_mut(units) {
        for (at, derivative) in row.iter_mut().enumerate() {
            *derivative -= shares[at] * sums[at] / vertices;
        }
    }
}

/// Adds all rows, in order.
fn add_rows(rows: &[f64], sums: &mut [f64]) {
    for row in rows.chunks_exact(sums.len()) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
}
