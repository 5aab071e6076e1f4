//! Cross-validation: each graph is predicted by a model that has not seen it, and these predictions choose the model.
//!
//! - `mod.rs`: which graphs are held out together, and the outputs that a training leaves for them;
//! - `choice.rs`: the weight of the forest, the decision and the metrics of each model of the path, and the chosen one;
//! - `estimate.rs`: how well the whole procedure predicts, the choice included, with an interval;
//! - `resampled.rs`: metrics of resampled rows, fast.
//!
//! Promise: everything follows from the out-of-fold outputs, the targets and the seed; isomorphic graphs share a fold;
//! the choice never looks at the test set. Knows nothing of searches and trainings.

mod choice;
mod estimate;
mod resampled;

pub use choice::{Choice, PointChoice};
pub use estimate::{Estimate, Interval};

use crate::params::TrainParams;
use einsicht_data::split::seeded::{grouped_folds, strata};
use einsicht_data::{Dataset, Split};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Folds where the data are few.
const MOST_FOLDS: usize = 5;
/// Graphs of all trainings of a cross-validation together: with more graphs there are fewer folds, in the end a single
/// one.
const GRAPHS_OF_ALL_FOLDS: usize = 20_000;

/// Which fold each graph that a model is fitted on is held out in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folds {
    /// For each graph its fold, from 0; nothing if it is in the training set of all of them.
    #[serde(skip)]
    pub of: Vec<Option<u32>>,
    /// Number of folds.
    pub count: usize,
}

/// What one training of a cross-validation leaves: for each point of the path, for each part of its head, the outputs
/// for the held-out graphs, row after row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoldResult {
    /// By point, then by part.
    pub points: Vec<Vec<Vec<f64>>>,
    /// Passes of the training.
    pub passes: usize,
}

impl Folds {
    /// The folds of a split, over its training and validation set. Without a validation set, or with a number of folds
    /// above 1, see [`Self::over`]; with one fold, or so many graphs that the budget allows no more, it is the
    /// validation set; else the validation set is fold 0 and the training set makes up folds of about its size. Graphs
    /// of the training set that are isomorphic to one of the validation set share its fold.
    pub fn of_split(dataset: &Dataset, split: &Split, params: &TrainParams) -> Self {
        let rows = [&split.train[..], &split.valid].concat();
        if split.valid.is_empty() || params.folds > 1 {
            return Self::over(dataset, &rows, params);
        }
        let wanted = if params.folds == 1 { 1 } else { folds_of(rows.len()).min(rows.len() / split.valid.len()) };
        if wanted < 2 {
            return Self::of_validation_set(split);
        }
        let groups = dataset.graph_hashes(&rows);
        let (of_train, of_valid) = groups.split_at(split.train.len());
        let in_valid: BTreeSet<_> = of_valid.iter().collect();
        let others: Vec<usize> = (0..of_train.len()).filter(|&at| !in_valid.contains(&of_train[at])).collect();
        let other_rows: Vec<usize> = others.iter().map(|&at| split.train[at]).collect();
        let other_groups: Vec<_> = others.iter().map(|&at| of_train[at]).collect();
        // A single further fold is half of the training set, since all of it would leave nothing to learn from.
        let parts = (wanted - 1).max(2);
        if other_groups.iter().collect::<BTreeSet<_>>().len() < parts {
            return Self::of_validation_set(split); // some fold would be empty
        }
        let dealt = grouped_folds(&strata(dataset, &other_rows), &other_groups, parts, params.seed);
        let mut of = vec![Some(0); rows.len()];
        for (&at, fold) in others.iter().zip(dealt) {
            of[at] = (fold + 1 < wanted).then_some(fold as u32 + 1);
        }
        Self { of, count: wanted }
    }

    /// The validation set of a split as the single fold of its training and validation set.
    pub fn of_validation_set(split: &Split) -> Self {
        let train = split.train.iter().map(|_| None);
        Self { of: train.chain(split.valid.iter().map(|_| Some(0))).collect(), count: 1 }
    }

    /// Folds over the graphs at these positions, stratified by the first target. Isomorphic graphs share a fold.
    pub fn over(dataset: &Dataset, rows: &[usize], params: &TrainParams) -> Self {
        let groups = dataset.graph_hashes(rows);
        let mut distinct = groups.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let wanted = match params.folds {
            0 => folds_of(rows.len()),
            folds => folds,
        };
        // A single fold holds out as many graphs as one of several.
        let most = if distinct.len() > 1 { distinct.len() } else { rows.len() };
        let dealt = if wanted == 1 { MOST_FOLDS } else { wanted }.min(most).max(1);
        let count = wanted.min(dealt);
        let strata = strata(dataset, rows);
        let of = if distinct.len() > 1 {
            grouped_folds(&strata, &groups, dealt, params.seed)
        } else {
            // All graphs are the same graph: nothing can be learnt, and no fold could be trained.
            grouped_folds(&strata, &(0..rows.len()).collect::<Vec<_>>(), dealt, params.seed)
        };
        Self { of: of.into_iter().map(|fold| (fold < count).then_some(fold as u32)).collect(), count }
    }

    /// The graphs that a fold is trained on, by their numbers among all.
    pub fn train(&self, fold: usize) -> Vec<u32> {
        self.numbers(|of| of != Some(fold as u32))
    }

    /// The graphs that a fold holds out.
    pub fn held_out(&self, fold: usize) -> Vec<u32> {
        self.numbers(|of| of == Some(fold as u32))
    }

    /// All graphs that some fold holds out.
    pub fn with_fold(&self) -> Vec<u32> {
        self.numbers(|of| of.is_some())
    }

    fn numbers(&self, wanted: impl Fn(Option<u32>) -> bool) -> Vec<u32> {
        (0..self.of.len() as u32).filter(|&at| wanted(self.of[at as usize])).collect()
    }

    /// For each point the outputs of each part for all held-out graphs, in their order, from those of the folds.
    pub fn gather(&self, results: &[FoldResult], width: usize) -> Vec<Vec<Vec<f64>>> {
        let points = results.first().map_or(0, |result| result.points.len());
        (0..points).map(|point| self.gather_point(results, point, width)).collect()
    }

    fn gather_point(&self, results: &[FoldResult], point: usize, width: usize) -> Vec<Vec<f64>> {
        let parts = results.first().map_or(0, |result| result.points[point].len());
        let mut next = vec![0; self.count];
        let mut gathered = vec![Vec::new(); parts];
        for fold in self.of.iter().flatten().map(|&fold| fold as usize) {
            let at = next[fold];
            next[fold] += 1;
            for (part, to) in gathered.iter_mut().enumerate() {
                to.extend_from_slice(&results[fold].points[point][part][at * width..(at + 1) * width]);
            }
        }
        gathered
    }
}

/// Number of folds that the budget allows for so many graphs.
fn folds_of(graphs: usize) -> usize {
    (GRAPHS_OF_ALL_FOLDS / graphs.max(1)).clamp(1, MOST_FOLDS)
}
