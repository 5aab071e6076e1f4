//! The parameters of a model at one moment of training, as plain data.

use crate::heads::Pair;
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

/// Two active patterns whose presence together counts beyond that of each: one more column, the product of both, each
/// less its mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairWeights {
    /// Canonical codes, by [`DfsCode::cmp_by_size`].
    #[serde(with = "code_tuples::list")]
    pub codes: Vec<DfsCode>,
    /// For each of the two the share of the training graphs that contain it.
    pub means: [f64; 2],
    /// One weight per hidden unit.
    pub weights: Vec<f64>,
}

impl PairWeights {
    /// The value of the pair in a graph that contains each of its patterns, or not.
    pub fn value(means: [f64; 2], present: [bool; 2]) -> f64 {
        let [first, second] = present.map(|is_present| f64::from(u8::from(is_present)));
        (first - means[0]) * (second - means[1])
    }

    /// The values of a pair, graph after graph, from the graphs that contain each of its patterns, increasing.
    pub fn column(means: [f64; 2], graphs: [&[u32]; 2], rows: usize) -> Vec<f64> {
        let mut present = vec![[false; 2]; rows];
        for (of, graphs) in graphs.into_iter().enumerate() {
            for &graph in graphs {
                present[graph as usize][of] = true;
            }
        }
        present.into_iter().map(|present| Self::value(means, present)).collect()
    }
}

/// `B`, `b` and `theta`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterate {
    /// The active patterns, by [`DfsCode::cmp_by_size`].
    pub patterns: Vec<PatternWeights>,
    /// Pairs of them that interact, in the order in which they were found.
    pub pairs: Vec<PairWeights>,
    /// Bias of the mining layer.
    pub bias: Vec<f64>,
    /// Parameters of the network, layer after layer.
    pub network: Vec<f64>,
}

impl Iterate {
    /// Whether it has no number at all, as in the metadata of a model file, where arrays hold them.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Sum of squares of the weights that decay: pattern weights, then network, then pairs.
    pub fn squares(&self) -> f64 {
        let patterns = self.patterns.iter().fold(0.0, |sum, p| sum + squares(&p.weights));
        patterns + squares(&self.network) + self.pair_squares()
    }

    /// Takes the patterns of a linear model: each hidden unit starts with the weights and the bias of one of its
    /// outputs, in turn.
    pub fn start_from(&mut self, linear: &Self) {
        let units = self.bias.len();
        let in_turn = |of_outputs: &[f64]| of_outputs.iter().copied().cycle().take(units).collect::<Vec<f64>>();
        self.bias = in_turn(&linear.bias);
        self.patterns = linear
            .patterns
            .iter()
            .map(|p| PatternWeights { code: p.code.clone(), weights: in_turn(&p.weights) })
            .collect();
    }

    /// The pairs, by the columns of their patterns.
    pub fn pairs_of_columns(&self) -> Vec<Pair> {
        let column = |code: &DfsCode| self.patterns.iter().position(|p| p.code == *code);
        let pair = |pair: &PairWeights| {
            let columns = [column(&pair.codes[0])?, column(&pair.codes[1])?];
            Some(Pair { columns, means: pair.means })
        };
        self.pairs.iter().filter_map(pair).collect()
    }

    /// The weights of each pair.
    pub fn pair_weights(&self) -> impl Iterator<Item = &[f64]> {
        self.pairs.iter().map(|pair| &pair.weights[..])
    }

    /// Sum of squares of the weights of pairs.
    pub fn pair_squares(&self) -> f64 {
        self.pairs.iter().fold(0.0, |sum, pair| sum + squares(&pair.weights))
    }

    /// Whether a pattern is one of a pair: then it stays.
    pub fn is_paired(&self, code: &DfsCode) -> bool {
        self.pairs.iter().any(|pair| pair.codes.contains(code))
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
pub fn norm(values: &[f64]) -> f64 {
    squares(values).sqrt()
}

/// Sum of squares, in order.
pub fn squares(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, v| sum + v * v)
}

/// The state before the step on `B` that chose the patterns of a model: what `verify` starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeforeStep {
    /// `s` at that step; with a penalty the number of patterns after it.
    pub size: usize,
    /// `lambda` at that step, on a path of penalties.
    pub lambda: Option<f64>,
    /// The step size that was accepted.
    pub step: f64,
    /// The parameters before the step.
    #[serde(default, skip_serializing_if = "Iterate::is_empty")]
    pub iterate: Iterate,
}
