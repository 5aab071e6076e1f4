//! Metrics of a model on a data set, each with the graphs that it was computed on and those that were left out.
//!
//! Promise: a graph that the model has seen is scored by the prediction of a model that had not, or it is counted and
//! not scored.

use super::seen::BLOCK;
use super::{Model, Sorted, Unfamiliar};
use crate::task::TargetError;
use crate::task::coverage::{TargetCounts, target_counts};
use crate::task::metrics::{Metrics, by_task_within, metrics_within};
use crate::task::{Labels, Targets};
use einsicht_data::Dataset;
use serde_json::{Map, Value, json};

/// The part of the work that recognises graphs, about.
const OF_SORTING: f64 = 0.3;

/// Metrics with their numbers of graphs.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Graphs that were asked for.
    pub graphs: usize,
    /// Graphs that are scored on at least one target.
    pub scored: usize,
    /// Each metric, as the mean over the targets for which it is defined.
    pub metrics: Metrics,
    /// The same for each target, in the order of the model's tasks.
    pub targets: Vec<TargetEvaluation>,
}

/// Metrics of graphs, apart by what the model knows of them.
#[derive(Clone, Debug, PartialEq)]
pub struct HonestEvaluation {
    /// Of graphs that the model has never seen; nothing if there are none.
    pub unseen: Option<Evaluation>,
    /// Of graphs that it has seen, by the predictions of models that had not; nothing if there are none.
    pub out_of_fold: Option<Evaluation>,
    /// Graphs that it was fitted on and that no other model has predicted: they are not scored.
    pub fitted: usize,
    /// Of the unseen graphs those of which the model knows little; zeros where the evaluation was given their outputs.
    pub unfamiliar: Unfamiliar,
}

impl HonestEvaluation {
    /// Both sets of figures.
    pub fn parts(&self) -> impl Iterator<Item = &Evaluation> {
        self.unseen.iter().chain(&self.out_of_fold)
    }

    /// For scripts: the metrics of unseen graphs, and those of seen ones under their name.
    pub fn document(&self) -> Value {
        let mut document = self.unseen.as_ref().map_or_else(|| json!({ "graphs": 0 }), Evaluation::document);
        let seen = self.out_of_fold.as_ref().map_or(0, |found| found.graphs) + self.fitted;
        document["seen"] = json!({
            "graphs": seen,
            "out_of_fold": self.out_of_fold.as_ref().map(Evaluation::document),
            "not_scored": self.fitted,
        });
        document
    }
}

/// Metrics of one target.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetEvaluation {
    /// Name of the target.
    pub name: String,
    /// Its metrics; empty if no graph is scored.
    pub metrics: Metrics,
    /// Graphs that are scored, and why the others are not.
    pub counts: TargetCounts,
}

impl Evaluation {
    /// For scripts: the metrics, with the graphs behind them; by target if there are several.
    pub fn document(&self) -> Value {
        if let [target] = &self.targets[..] {
            let mut document = target.document();
            document["target"] = json!(target.name);
            return document;
        }
        let mut document = json!(self.metrics);
        document["graphs"] = json!(self.scored);
        document["left_out"] = json!({ "no_known_value": self.graphs - self.scored });
        let named = self.targets.iter().map(|target| (target.name.clone(), target.document()));
        document["tasks"] = Value::Object(named.collect());
        document
    }
}

impl TargetEvaluation {
    fn document(&self) -> Value {
        let Self { metrics, counts, .. } = self;
        let mut document = json!(metrics);
        document["graphs"] = json!(counts.scored);
        let unknown: Map<String, Value> =
            counts.unknown.iter().map(|(class, graphs)| (class.clone(), json!(graphs))).collect();
        document["left_out"] = json!({
            "no_value": counts.missing,
            "unknown_class": counts.of_unknown_classes(),
            "unknown_classes": unknown,
        });
        document
    }
}

impl Model {
    /// Metrics of one entry of the path for the tasks at these positions, on the graphs at these positions. Graphs of
    /// classes that the model does not know are counted and left out; a caller that refuses them asks
    /// [`crate::task::coverage::first_unknown`].
    ///
    /// # Panics
    /// If there is no such entry, task or position.
    pub fn evaluation(
        &self,
        entry: usize,
        tasks: &[usize],
        dataset: &Dataset,
        rows: &[usize],
    ) -> Result<HonestEvaluation, TargetError> {
        self.evaluation_with_progress(entry, tasks, (dataset, rows), &|_| ())
    }

    /// The same; `progress` hears which part of the work is done, from 0 to 1.
    ///
    /// # Panics
    /// If there is no such entry, task or position.
    pub fn evaluation_with_progress(
        &self,
        entry: usize,
        tasks: &[usize],
        (dataset, rows): (&Dataset, &[usize]),
        progress: &dyn Fn(f64),
    ) -> Result<HonestEvaluation, TargetError> {
        let sorted = self.sort_by_seen_with_progress(dataset, rows, &|part| progress(part * OF_SORTING));
        // Predictions of a graph do not depend on others, so they may come in blocks.
        let (mut outputs, mut unfamiliar) = (Vec::new(), Unfamiliar::default());
        for (block, positions) in sorted.unseen.chunks(BLOCK).enumerate() {
            let of_block: Vec<usize> = positions.iter().map(|&at| rows[at]).collect();
            let predictions = self.predict(entry, dataset, &of_block);
            unfamiliar.add(&predictions);
            outputs.extend(predictions.outputs);
            let done = (block * BLOCK + positions.len()) as f64 / sorted.unseen.len() as f64;
            progress(OF_SORTING + (1.0 - OF_SORTING) * done);
        }
        let found = self.evaluation_of_sorted(entry, tasks, (dataset, rows), (&sorted, &outputs))?;
        Ok(HonestEvaluation { unfamiliar, ..found })
    }

    /// The same for graphs that are already sorted, with the outputs of the entry for those that the model has never
    /// seen, row after row.
    ///
    /// # Panics
    /// If there is no such entry, task or position, or there are not as many outputs as unseen graphs have.
    pub fn evaluation_of_sorted(
        &self,
        entry: usize,
        tasks: &[usize],
        (dataset, rows): (&Dataset, &[usize]),
        (sorted, of_unseen): (&Sorted, &[f64]),
    ) -> Result<HonestEvaluation, TargetError> {
        let at = |positions: &[usize]| -> Vec<usize> { positions.iter().map(|&at| rows[at]).collect() };
        let (unseen, seen) = (at(&sorted.unseen), at(&sorted.out_of_fold));
        let of_seen = self.out_of_fold_outputs(entry, sorted);
        let evaluate = |rows: &[usize], outputs: &[f64], folds: &[u32]| {
            let found = || self.evaluation_of(entry, tasks, (dataset, rows), (outputs, folds));
            (!rows.is_empty()).then(found).transpose()
        };
        Ok(HonestEvaluation {
            unseen: evaluate(&unseen, of_unseen, &[])?,
            out_of_fold: evaluate(&seen, &of_seen, &sorted.folds())?,
            fitted: sorted.fitted.len(),
            unfamiliar: Unfamiliar::default(),
        })
    }

    /// Metrics of these outputs, each of a model of one fold if there are folds.
    fn evaluation_of(
        &self,
        entry: usize,
        tasks: &[usize],
        (dataset, rows): (&Dataset, &[usize]),
        (outputs, folds): (&[f64], &[u32]),
    ) -> Result<Evaluation, TargetError> {
        let targets = Targets::gather(&self.tasks, dataset, rows)?;
        let counts = target_counts(&self.tasks, dataset, rows)?;
        let decision = &self.entries[entry].decision;
        let each = by_task_within(&self.tasks, &targets, outputs, decision, folds);
        let metrics = if tasks.len() == self.tasks.len() {
            metrics_within(&self.tasks, &targets, outputs, decision, folds)
        } else {
            mean(tasks.iter().map(|&task| (&each[task], counts[task].scored)))
        };
        let has_label = |row: &usize| {
            tasks.iter().any(|&task| match &targets.tasks[task].0 {
                Labels::Classes(labels) => labels[*row].is_some(),
                Labels::Numbers(labels) => labels[*row].is_some(),
            })
        };
        let one = |&task: &usize| TargetEvaluation {
            name: self.tasks[task].name.clone(),
            metrics: each[task].clone(),
            counts: counts[task].clone(),
        };
        Ok(Evaluation {
            graphs: rows.len(),
            scored: (0..rows.len()).filter(has_label).count(),
            metrics,
            targets: tasks.iter().map(one).collect(),
        })
    }
}

/// The mean of each metric over the targets that have it; the loss is one per labelled cell.
fn mean<'m>(targets: impl Iterator<Item = (&'m Metrics, usize)>) -> Metrics {
    let mut sums: std::collections::BTreeMap<&String, (f64, f64)> = std::collections::BTreeMap::new();
    for (metrics, cells) in targets {
        for (name, value) in metrics {
            let weight = if name == "loss" { cells as f64 } else { 1.0 };
            let sum = sums.entry(name).or_default();
            *sum = (sum.0 + weight * value, sum.1 + weight);
        }
    }
    sums.into_iter().map(|(name, (sum, weight))| (name.clone(), sum / weight)).collect()
}
