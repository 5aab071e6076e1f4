//! Boosted trees for numbers: each tree is fitted to what those before it leave unexplained.
//!
//! Stochastic gradient boosting of the squared error (Friedman, 2002): shallow trees, each on a random part of the rows
//! and columns, each taken with a small weight. The sum is stored as a forest: the leaves are scaled so that the *mean*
//! of the trees is the prediction, and whatever reads forests (files, predictions, attributions) reads this one.
//!
//! Promise: same rows, weights and seed give the same trees. Tested against the definition in `tests.rs`.

use super::training_set::TrainingSet;
use super::{Columns, Forest, MaxFeatures, Response, TreeParams};
use einsicht_data::random::Random;
use einsicht_graph::stop;

/// Parameters of boosting. The defaults were chosen on splits of our own, see `lab/notes/0020`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoostParams {
    /// Number of trees.
    pub trees: usize,
    /// Largest depth of a tree.
    pub max_depth: usize,
    /// Weight of each tree.
    pub learning_rate: f64,
    /// Part of the rows that a tree is fitted on.
    pub rows: f64,
    /// Part of the columns that a node considers.
    pub columns: f64,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for BoostParams {
    fn default() -> Self {
        Self { trees: 300, max_depth: 6, learning_rate: 0.06, rows: 0.6, columns: 0.2, seed: 0 }
    }
}

impl Forest {
    /// Grows boosted trees for these numbers, from a table of their rows. Rows of weight 0 are ignored.
    ///
    /// # Panics
    /// If the lists disagree in length, a weight is negative or not finite, or no row has a weight above 0.
    pub fn boost(columns: &Columns, table: &[f64], numbers: &[f64], weights: &[f64], params: &BoostParams) -> Self {
        let mut rows: Vec<u32> = (0..weights.len() as u32).filter(|&row| weights[row as usize] > 0.0).collect();
        assert!(!rows.is_empty(), "boosting needs a row with a weight above 0");
        let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |sum, value| sum + value);
        let weighted = &mut numbers.iter().zip(weights).map(|(y, w)| y * w);
        let mean = sum(weighted) / sum(&mut weights.iter().copied());
        let drawn = ((rows.len() as f64 * params.rows).ceil() as usize).clamp(1, rows.len());
        let considered = (columns.width() as f64 * params.columns).ceil() as usize;
        let tree_params = TreeParams {
            max_depth: Some(params.max_depth),
            min_leaf: 1,
            max_features: MaxFeatures::Number(considered.max(1)),
        };
        let mut random = Random::new(params.seed);
        let mut left: Vec<f64> = numbers.iter().map(|y| y - mean).collect();
        let (width, mut times) = (columns.width(), vec![0; weights.len()]);
        let mut trees = Vec::with_capacity(params.trees);
        for _ in 0..params.trees {
            times.fill(0);
            for at in 0..drawn {
                let other = at + random.index(rows.len() - at);
                rows.swap(at, other);
                times[rows[at] as usize] = 1;
            }
            let training_set = TrainingSet::new(columns, Response::Numbers(&left), weights);
            let mut tree = training_set.grow(Some(&times), &tree_params, &mut random);
            stop::work(rows.len());
            for (row, left) in left.iter_mut().enumerate() {
                *left -= params.learning_rate * tree.predict(&table[row * width..(row + 1) * width])[0];
            }
            for value in &mut tree.values {
                *value = mean + params.trees as f64 * params.learning_rate * *value;
            }
            trees.push(tree);
        }
        Self { trees, width: 1 }
    }
}
