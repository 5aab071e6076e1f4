//! Confusion matrices, calibration and decided classes of what the page shows as predictions.
//!
//! Promise: classes are decided as the library decides, with temperatures and thresholds; every graph with a target is
//! counted, shown or not; graphs that were fitted on without an out-of-fold prediction are not.

use super::entry::rounded;
use super::judged::{Group, Judged};
use einsicht_model::{Model, Prediction, Predictions};
use serde::Serialize;

/// Bins of the calibration plot.
const BINS: usize = 10;

/// What a group of graphs says about one task with classes.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Diagnosis {
    pub(super) key: Group,
    /// Graphs with a class.
    pub(super) graphs: usize,
    /// For each true class the graphs by predicted class.
    pub(super) confusion: Vec<Vec<usize>>,
    /// For each bin of predicted probabilities: their number, their mean, and the part that was true.
    pub(super) bins: Vec<(usize, f64, f64)>,
}

/// Predictions of an entry for all graphs of the data set.
pub(super) struct Decided(Vec<Vec<Prediction>>);

impl Decided {
    /// From outputs of so many graphs, row after row.
    pub(super) fn new(model: &Model, entry: usize, outputs: Vec<f64>, graphs: usize) -> Self {
        let decision = model.entries[entry].decision.clone();
        let predictions = Predictions { outputs, decision, ..Predictions::default() };
        Self((0..graphs).map(|row| predictions.row(&model.tasks, row)).collect())
    }

    /// The predictions of all tasks for a graph.
    pub(super) fn of(&self, row: usize) -> &[Prediction] {
        &self.0[row]
    }

    /// The predicted class of a task for a graph; nothing for a number.
    pub(super) fn class(&self, row: usize, task: usize) -> Option<usize> {
        match self.0[row][task] {
            Prediction::Class { class, .. } => Some(class),
            Prediction::Value(_) => None,
        }
    }

    /// What each judged group with classes says about a task.
    pub(super) fn diagnoses(&self, task: usize, judged: &Judged<'_>) -> Vec<Diagnosis> {
        let all = Group::JUDGED.iter().map(|&key| self.diagnosis(task, key, judged));
        all.filter(|diagnosis| diagnosis.graphs > 0).collect()
    }

    fn diagnosis(&self, task: usize, key: Group, judged: &Judged<'_>) -> Diagnosis {
        let mut found = Diagnosis { key, graphs: 0, confusion: Vec::new(), bins: Vec::new() };
        let mut bins = vec![(0, 0.0, 0.0); BINS];
        for &row in judged.rows_of(key) {
            let Prediction::Class { class, probabilities } = &self.0[row][task] else { continue };
            let truth = judged.truth(row)[task].as_ref().and_then(serde_json::Value::as_u64);
            let Some(truth) = truth.and_then(|truth| usize::try_from(truth).ok()) else { continue };
            found.graphs += 1;
            found.confusion.resize_with(probabilities.len(), || vec![0; probabilities.len()]);
            found.confusion[truth][*class] += 1;
            // With two classes the probability of the second says all.
            let first = usize::from(probabilities.len() == 2);
            for (class, p) in probabilities.iter().enumerate().skip(first) {
                let bin = &mut bins[((BINS as f64 * p) as usize).min(BINS - 1)];
                *bin = (bin.0 + 1, bin.1 + p, bin.2 + f64::from(u8::from(class == truth)));
            }
        }
        let mean =
            |(count, sum, hits): (usize, f64, f64)| (count, rounded(sum / count as f64), rounded(hits / count as f64));
        found.bins = bins.into_iter().filter(|bin| bin.0 > 0).map(mean).collect();
        found
    }
}
