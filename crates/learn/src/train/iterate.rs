//! The parameters of a model at one moment of training, as plain data.

use einsicht_graph::DfsCode;
use einsicht_search::code_tuples;
use serde::{Deserialize, Serialize};

/// One pattern with its weights (`beta_H`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternWeights {
    /// Canonical code of the pattern.
    #[serde(with = "code_tuples")]
    pub code: DfsCode,
    /// One weight per hidden unit, not all zero.
    pub weights: Vec<f64>,
}

/// `B`, `b` and `theta`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterate {
    /// The active patterns, by [`DfsCode::cmp_by_size`].
    pub patterns: Vec<PatternWeights>,
    /// Bias of the mining layer.
    pub bias: Vec<f64>,
    /// Parameters of the network, layer after layer.
    pub network: Vec<f64>,
}

impl Iterate {
    /// Sum of squares of the weights that decay: pattern weights, then network.
    pub fn squares(&self) -> f64 {
        let patterns = self.patterns.iter().fold(0.0, |sum, p| sum + squares(&p.weights));
        patterns + squares(&self.network)
    }

    /// The `L1,2` penalty: the sum of `lambda` times the norm of the weights of each pattern, in order.
    pub fn penalty(&self, penalties: &[f64]) -> f64 {
        self.patterns.iter().zip(penalties).fold(0.0, |sum, (p, lambda)| sum + lambda * norm(&p.weights))
    }

    /// The `lambda` of each pattern: 0 for required patterns.
    pub fn penalties(&self, lambda: f64, required: &[DfsCode]) -> Vec<f64> {
        self.patterns.iter().map(|p| if required.contains(&p.code) { 0.0 } else { lambda }).collect()
    }
}

/// Euclidean norm.
pub(crate) fn norm(values: &[f64]) -> f64 {
    squares(values).sqrt()
}

/// Sum of squares, in order.
pub(crate) fn squares(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, v| sum + v * v)
}

/// The state before the step on `B` that chose the patterns of a model: what `verify` starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeforeStep {
    /// `s` at that step; with a penalty the number of patterns after it.
    pub size: usize,
    /// `lambda` at that step, on a path of penalties.
    pub lambda: Option<f64>,
    /// The step size that was accepted.
    pub step: f64,
    /// The parameters before the step.
    pub iterate: Iterate,
}
