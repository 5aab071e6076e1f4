//! Random forests: trees on bootstrap samples of the rows; the prediction is their mean.
//!
//! Every tree has its own random generator, so the forest does not depend on the number of threads.

use super::training_set::TrainingSet;
use super::tree::normalise;
use super::{Columns, MaxFeatures, Response, Tree, TreeParams};
use einsicht_data::random::Random;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Parameters of a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForestParams {
    /// Number of trees.
    pub trees: usize,
    /// Parameters of each tree.
    pub tree: TreeParams,
    /// Whether each tree is grown on rows drawn with replacement.
    pub bootstrap: bool,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for ForestParams {
    fn default() -> Self {
        Self {
            trees: 500,
            tree: TreeParams { max_features: MaxFeatures::Sqrt, ..TreeParams::default() },
            bootstrap: true,
            seed: 0,
        }
    }
}

/// A forest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    /// The trees.
    pub trees: Vec<Tree>,
    /// Numbers per prediction: one per class, or one.
    pub width: usize,
}

impl Forest {
    /// Grows a forest. Rows of weight 0 are ignored.
    ///
    /// # Panics
    /// If the lists disagree in length, a weight is negative or not finite, or no row has a weight above 0.
    pub fn grow(columns: &Columns, response: Response<'_>, weights: &[f64], params: &ForestParams) -> Self {
        let planting = Planting::new(columns, response, weights, params);
        let trees = (0..params.trees).into_par_iter().map(|tree| planting.grow(tree)).collect();
        Self { trees, width: response.width() }
    }

    /// The same forest, without help of other threads.
    pub fn grow_on_one_thread(
        columns: &Columns,
        response: Response<'_>,
        weights: &[f64],
        params: &ForestParams,
    ) -> Self {
        let planting = Planting::new(columns, response, weights, params);
        Self { trees: (0..params.trees).map(|tree| planting.grow(tree)).collect(), width: response.width() }
    }

    /// The mean prediction of the trees for each row of a table: class frequencies, or the mean. Trees are added in
    /// order.
    ///
    /// # Panics
    /// If the table is not `rows` rows of the columns that the forest was grown on.
    pub fn predict(&self, table: &[f64], rows: usize) -> Vec<f64> {
        let columns = table.len().checked_div(rows).unwrap_or(0);
        assert_eq!(table.len(), rows * columns, "a table of {rows} rows");
        let prediction = |row: usize| {
            let here = &table[row * columns..(row + 1) * columns];
            let mut sums = vec![0.0; self.width];
            for tree in &self.trees {
                for (sum, value) in sums.iter_mut().zip(tree.predict(here)) {
                    *sum += value;
                }
            }
            for sum in &mut sums {
                *sum /= self.trees.len() as f64;
            }
            sums
        };
        (0..rows).into_par_iter().flat_map_iter(prediction).collect()
    }

    /// Mean decrease of impurity of each column. Sums to 1 unless nothing
    /// was learnt.
    pub fn importance(&self, columns: usize) -> Vec<f64> {
        let mut worth = vec![0.0; columns];
        // Trees of a single leaf have no importances.
        for tree in self.trees.iter().filter(|tree| tree.nodes.len() > 1) {
            for (sum, value) in worth.iter_mut().zip(tree.importance(columns)) {
                *sum += value;
            }
        }
        normalise(&mut worth);
        worth
    }
}

/// What all trees of a forest are grown from.
struct Planting<'a> {
    training_set: TrainingSet<'a>,
    /// Rows with a weight.
    rows: Vec<u32>,
    all: usize,
    params: &'a ForestParams,
}

impl<'a> Planting<'a> {
    fn new(columns: &'a Columns, response: Response<'a>, weights: &'a [f64], params: &'a ForestParams) -> Self {
        let rows: Vec<u32> = (0..weights.len() as u32).filter(|&row| weights[row as usize] > 0.0).collect();
        assert!(!rows.is_empty(), "a forest needs a row with a weight above 0");
        Self { training_set: TrainingSet::new(columns, response, weights), rows, all: weights.len(), params }
    }

    fn grow(&self, tree: usize) -> Tree {
        let mut random = Random::stream(self.params.seed, tree as u64);
        let drawn = self.params.bootstrap.then(|| draw(&self.rows, self.all, &mut random));
        self.training_set.grow(drawn.as_deref(), &self.params.tree, &mut random)
    }
}

/// Number of draws of each row, with as many draws as there are rows to draw from.
fn draw(rows: &[u32], all: usize, random: &mut Random) -> Vec<u32> {
    let mut times = vec![0; all];
    for _ in rows {
        times[rows[random.index(rows.len())] as usize] += 1;
    }
    times
}
