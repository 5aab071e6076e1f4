//! The linear head. Pairs of columns may have a weight beside those of the columns.

use super::Table;
use crate::PairWeights;
use einsicht_graph::stop;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Two columns of a table that interact: one more column, made of the presence of both ([`PairWeights::value`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The columns.
    pub columns: [usize; 2],
    /// What is subtracted from the presence of each.
    pub means: [f64; 2],
}

impl Pair {
    /// The value for a row of the table.
    pub fn value(&self, row: &[f64]) -> f64 {
        PairWeights::value(self.means, self.columns.map(|column| row[column] > 0.0))
    }

    /// A table with the columns of pairs behind its own.
    pub fn join<'t>(pairs: &[Self], table: Table<'t>) -> Cow<'t, [f64]> {
        if pairs.is_empty() {
            return Cow::Borrowed(table.values);
        }
        let columns = table.columns();
        let mut joined = Vec::with_capacity(table.values.len() + table.rows * pairs.len());
        for row in 0..table.rows {
            let values = &table.values[row * columns..(row + 1) * columns];
            joined.extend_from_slice(values);
            joined.extend(pairs.iter().map(|pair| pair.value(values)));
        }
        Cow::Owned(joined)
    }
}

/// Weights and offsets, output after output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// For each output one weight per column, then one per pair.
    pub weights: Vec<f64>,
    /// Pairs of columns.
    pub pairs: Vec<Pair>,
    /// One per output.
    pub offsets: Vec<f64>,
}

impl Linear {
    /// Outputs for a table of features, row after row.
    pub fn outputs(&self, table: Table<'_>) -> Vec<f64> {
        let mut outputs = vec![0.0; table.rows * self.offsets.len()];
        let joined = Pair::join(&self.pairs, table);
        forward(Table { values: &joined, rows: table.rows }, &self.weights, &self.offsets, &mut outputs);
        outputs
    }
}

fn forward(table: Table<'_>, weights: &[f64], offsets: &[f64], outputs: &mut [f64]) {
    let columns = table.columns();
    for (row, outputs) in outputs.chunks_exact_mut(offsets.len()).enumerate() {
        stop::work(1 + columns * offsets.len() / 16);
        let values = &table.values[row * columns..(row + 1) * columns];
        for (at, output) in outputs.iter_mut().enumerate() {
            let products = values.iter().zip(&weights[at * columns..]).map(|(value, weight)| value * weight);
            *output = products.fold(offsets[at], |sum, product| sum + product);
        }
    }
}
