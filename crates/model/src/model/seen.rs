//! What a model has seen: the graphs that it was fitted on or chosen by, and how models that had not seen them
//! predicted them.
//!
//! Promise: a graph is recognised whatever the order of its vertices, and no other graph is taken for it (see
//! `Dataset::row_hashes`). A figure of graphs that the model has seen comes from out-of-fold outputs alone; graphs
//! without them are counted, not scored.

use super::Model;
use crate::Predictions;
use crate::folds::Folds;
use einsicht_data::{Dataset, Fingerprint};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Graphs between two words of progress.
pub(super) const BLOCK: usize = 2048;

/// The graphs of the training set, then those of the validation set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenGraphs {
    /// Their hashes.
    #[serde(skip)]
    pub hashes: Vec<Fingerprint>,
    /// The fold that each was held out in.
    pub folds: Folds,
    /// For each entry of the path the outputs of each part of its head for the graphs that have a fold, by models that
    /// had not seen them, row after row.
    #[serde(skip)]
    pub parts: Vec<Vec<Vec<f64>>>,
    /// Those of the head.
    #[serde(skip)]
    pub outputs: Vec<Vec<f64>>,
    /// Counts of the chosen entry's patterns in the graphs that the model was fitted on, at most 255 each, row after
    /// row.
    #[serde(skip)]
    pub counts: Vec<u8>,
}

/// Some graphs, by what a model knows of them. Positions are those in the list that was asked about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sorted {
    /// Graphs that the model has never seen.
    pub unseen: Vec<usize>,
    /// Graphs that the model has seen, with an out-of-fold prediction.
    pub out_of_fold: Vec<usize>,
    /// Graphs that the model has seen, without one.
    pub fitted: Vec<usize>,
    /// For each of `out_of_fold` its row among the graphs that have a fold, and the fold.
    held_out: Vec<(usize, u32)>,
}

impl Sorted {
    /// The fold of each of the graphs with an out-of-fold prediction.
    pub fn folds(&self) -> Vec<u32> {
        self.held_out.iter().map(|place| place.1).collect()
    }
}

impl SeenGraphs {
    /// How many of the graphs that were held out are different.
    pub fn different(&self) -> usize {
        let held_out = self.hashes.iter().zip(&self.folds.of).filter(|(_, fold)| fold.is_some());
        held_out.map(|(hash, _)| *hash).collect::<FxHashSet<_>>().len()
    }
}

impl Model {
    /// Rows of the source that the model was fitted on, in the order of the fit.
    pub fn fitted_rows(&self) -> Vec<u32> {
        let valid: &[u32] = if self.params.is_refitted() { &self.rows.valid } else { &[] };
        [&self.rows.train[..], valid].concat()
    }

    /// Sorts the graphs at these positions by whether the model has seen them.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn sort_by_seen(&self, dataset: &Dataset, rows: &[usize]) -> Sorted {
        self.sort_by_seen_with_progress(dataset, rows, &|_| ())
    }

    /// The same; `progress` hears which part of the work is done, from 0 to 1.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn sort_by_seen_with_progress(&self, dataset: &Dataset, rows: &[usize], progress: &dyn Fn(f64)) -> Sorted {
        let mut held_out = 0;
        let mut known: FxHashMap<Fingerprint, Option<(usize, u32)>> = FxHashMap::default();
        for (hash, fold) in self.seen.hashes.iter().zip(&self.seen.folds.of) {
            let place = fold.map(|fold| (held_out, fold));
            held_out += usize::from(place.is_some());
            // Of equal graphs one that was fitted on says that all were.
            known.entry(*hash).and_modify(|known| *known = known.filter(|_| place.is_some())).or_insert(place);
        }
        let mut sorted = Sorted::default();
        for (block, of_block) in rows.chunks(BLOCK).enumerate() {
            for (at, hash) in dataset.row_hashes(of_block).iter().enumerate() {
                let at = block * BLOCK + at;
                match known.get(hash) {
                    None => sorted.unseen.push(at),
                    Some(None) => sorted.fitted.push(at),
                    Some(Some(place)) => {
                        sorted.out_of_fold.push(at);
                        sorted.held_out.push(*place);
                    }
                }
            }
            progress((block * BLOCK + of_block.len()) as f64 / rows.len() as f64);
        }
        sorted
    }

    /// Out-of-fold predictions of an entry for the graphs that have them.
    pub fn out_of_fold_predictions(&self, entry: usize, sorted: &Sorted) -> Predictions {
        self.decided(entry, self.out_of_fold_outputs(entry, sorted))
    }

    /// Out-of-fold outputs of an entry for the graphs that have them, row after row.
    pub fn out_of_fold_outputs(&self, entry: usize, sorted: &Sorted) -> Vec<f64> {
        let width = crate::task::num_outputs(&self.tasks);
        let row = |place: &(usize, u32)| &self.seen.outputs[entry][place.0 * width..(place.0 + 1) * width];
        sorted.held_out.iter().flat_map(row).copied().collect()
    }
}
