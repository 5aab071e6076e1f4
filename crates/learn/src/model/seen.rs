//! What a model has seen: the graphs that it was fitted on or chosen by, and how models that had not seen them predicted them.
//!
//! Promise: a graph is recognised whatever the order of its vertices, and no other graph is taken for it (see `Dataset::graph_hashes`). A figure of graphs that
//! the model has seen comes from out-of-fold outputs alone; graphs without them are counted, not scored.

use super::{Model, Source};
use crate::folds::Folds;
use crate::task::metrics::{Metrics, by_task_within, metrics_within};
use crate::task::{TargetError, Targets};
use einsicht_data::{Dataset, Fingerprint};
use rustc_hash::FxHashMap;

/// The graphs of the training set, then those of the validation set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenGraphs {
    /// Their hashes.
    pub hashes: Vec<Fingerprint>,
    /// The fold that each was held out in.
    pub folds: Folds,
    /// For each entry of the path the outputs of each part of its head for the graphs that have a fold, by models that had not seen them,
    /// row after row.
    pub parts: Vec<Vec<Vec<f64>>>,
    /// Those of the head.
    pub outputs: Vec<Vec<f64>>,
    /// Counts of the chosen entry's patterns in the graphs that the model was fitted on, at most 255 each, row after row.
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

/// Metrics of some graphs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Number of graphs.
    pub graphs: usize,
    /// Over all tasks.
    pub metrics: Metrics,
    /// Of each task, with the number of graphs that have a value for it.
    pub by_task: Vec<(usize, Metrics)>,
}

/// Figures of graphs, apart by what the model knows of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HonestFigures {
    /// Of graphs that the model has never seen.
    pub unseen: Figures,
    /// Of graphs that it has seen, by models that had not.
    pub out_of_fold: Figures,
    /// Number of graphs that it was fitted on and that no other model has predicted.
    pub fitted: usize,
}

impl SeenGraphs {
    /// Of the graphs of a training, for the first entries of its path.
    pub(super) fn new(source: &Source<'_>, entries: usize) -> Self {
        let rows = [&source.split.train[..], &source.split.valid].concat();
        let points = &source.choice.points[..entries];
        Self {
            hashes: source.dataset.graph_hashes(&rows),
            folds: source.choice.folds.clone(),
            parts: points.iter().map(|point| point.parts.clone()).collect(),
            outputs: points.iter().map(|point| point.outputs.clone()).collect(),
            counts: Vec::new(),
        }
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
        let mut held_out = 0;
        let mut known: FxHashMap<Fingerprint, Option<(usize, u32)>> = FxHashMap::default();
        for (hash, fold) in self.seen.hashes.iter().zip(&self.seen.folds.of) {
            let place = fold.map(|fold| (held_out, fold));
            held_out += usize::from(place.is_some());
            // Of equal graphs one that was fitted on says that all were.
            known.entry(*hash).and_modify(|known| *known = known.filter(|_| place.is_some())).or_insert(place);
        }
        let mut sorted = Sorted::default();
        for (at, hash) in dataset.graph_hashes(rows).iter().enumerate() {
            match known.get(hash) {
                None => sorted.unseen.push(at),
                Some(None) => sorted.fitted.push(at),
                Some(Some(place)) => {
                    sorted.out_of_fold.push(at);
                    sorted.held_out.push(*place);
                }
            }
        }
        sorted
    }

    /// Out-of-fold outputs of an entry for the graphs that have them, row after row.
    pub fn out_of_fold_outputs(&self, entry: usize, sorted: &Sorted) -> Vec<f64> {
        let width = crate::task::num_outputs(&self.tasks);
        let row = |place: &(usize, u32)| &self.seen.outputs[entry][place.0 * width..(place.0 + 1) * width];
        sorted.held_out.iter().flat_map(row).copied().collect()
    }

    /// Metrics of an entry on the graphs at these positions: of those that the model has never seen, and out-of-fold ones of the others.
    ///
    /// # Panics
    /// If there is no such entry, or a position is not one of the data set.
    pub fn honest_figures(
        &self,
        entry: usize,
        dataset: &Dataset,
        rows: &[usize],
    ) -> Result<HonestFigures, TargetError> {
        self.figures_of_sorted(entry, dataset, rows, &self.sort_by_seen(dataset, rows))
    }

    /// The same for graphs that are already sorted.
    ///
    /// # Panics
    /// If there is no such entry, or a position is not one of the data set.
    pub fn figures_of_sorted(
        &self,
        entry: usize,
        dataset: &Dataset,
        rows: &[usize],
        sorted: &Sorted,
    ) -> Result<HonestFigures, TargetError> {
        let at = |positions: &[usize]| -> Vec<usize> { positions.iter().map(|&at| rows[at]).collect() };
        let unseen = at(&sorted.unseen);
        let outputs = self.predict(entry, dataset, &unseen).outputs;
        let folds = sorted.folds();
        let of_seen = self.out_of_fold_outputs(entry, sorted);
        Ok(HonestFigures {
            unseen: self.figures(entry, dataset, &unseen, (&outputs, &[]))?,
            out_of_fold: self.figures(entry, dataset, &at(&sorted.out_of_fold), (&of_seen, &folds))?,
            fitted: sorted.fitted.len(),
        })
    }

    fn figures(
        &self,
        entry: usize,
        dataset: &Dataset,
        rows: &[usize],
        (outputs, folds): (&[f64], &[u32]),
    ) -> Result<Figures, TargetError> {
        let targets = Targets::gather(&self.tasks, dataset, rows)?;
        let decision = &self.entries[entry].decision;
        let counts = targets.labels_by_task();
        let by_task = by_task_within(&self.tasks, &targets, outputs, decision, folds);
        Ok(Figures {
            graphs: rows.len(),
            metrics: metrics_within(&self.tasks, &targets, outputs, decision, folds),
            by_task: counts.into_iter().zip(by_task).collect(),
        })
    }
}
