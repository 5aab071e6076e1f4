//! Which predictions the page judges.
//!
//! Promise: nothing that a model was fitted on is judged by that model. A graph that the model has seen, whatever the
//! order of the file and of its vertices, has its out-of-fold prediction; without one it is counted, not scored.
//! Figures are those of `Model::evaluation`; fitted ones are apart, under that name.

use super::graphs;
use einsicht_data::Dataset;
use einsicht_model::metrics::{Metrics, metrics_of_decision};
use einsicht_model::task::Targets;
use einsicht_model::{Evaluation, Model, Sorted};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a model knows of a graph, and so where its prediction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Group {
    /// It has seen the graph, and a model that had not has predicted it.
    OutOfFold,
    /// It has never seen the graph.
    Unseen,
    /// It was fitted on the graph, and no other model has predicted it.
    Fitted,
}

impl Group {
    /// Those that are judged.
    pub(super) const JUDGED: [Self; 2] = [Self::OutOfFold, Self::Unseen];
}

/// A group with what it is in words.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ShownGroup {
    pub(super) key: Group,
    pub(super) name: &'static str,
    /// Who predicts these graphs.
    pub(super) words: String,
    pub(super) graphs: usize,
}

/// Metrics of a group of graphs.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct ShownFigures {
    pub(super) key: Group,
    /// Graphs with a target.
    pub(super) graphs: usize,
    pub(super) metrics: Metrics,
    /// Of each task, with its number of graphs; empty for fitted figures.
    pub(super) by_task: Vec<(usize, Metrics)>,
}

/// How well the training predicts, with an interval, and in words.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct ShownEstimate {
    /// By the name of the metric: value and both ends of the interval.
    pub(super) metrics: BTreeMap<String, [f64; 3]>,
    pub(super) graphs: usize,
    pub(super) folds: usize,
    pub(super) words: String,
}

/// The graphs of a data set, by what the model knows of them.
pub(super) struct Judged<'a> {
    model: &'a Model,
    dataset: &'a Dataset,
    rows: Vec<usize>,
    sorted: Sorted,
    groups: Vec<Group>,
    /// For each graph, for each task, the class index or the number.
    truth: Vec<Vec<Option<Value>>>,
}

impl<'a> Judged<'a> {
    /// Sorts the graphs; `progress` hears which part of that is done.
    pub(super) fn new(model: &'a Model, dataset: &'a Dataset, progress: &dyn Fn(f64)) -> Self {
        let rows: Vec<usize> = (0..dataset.len()).collect();
        let sorted = model.sort_by_seen_with_progress(dataset, &rows, progress);
        let mut groups = vec![Group::Unseen; rows.len()];
        for (list, group) in [(&sorted.out_of_fold, Group::OutOfFold), (&sorted.fitted, Group::Fitted)] {
            for &row in list {
                groups[row] = group;
            }
        }
        let truth = rows.iter().map(|&row| graphs::truth(model, dataset, row)).collect();
        Self { model, dataset, rows, sorted, groups, truth }
    }

    /// For each task the class index or the number of a graph.
    pub(super) fn truth(&self, row: usize) -> &[Option<Value>] {
        &self.truth[row]
    }

    pub(super) fn group(&self, row: usize) -> Group {
        self.groups[row]
    }

    pub(super) fn rows_of(&self, group: Group) -> &[usize] {
        match group {
            Group::OutOfFold => &self.sorted.out_of_fold,
            Group::Unseen => &self.sorted.unseen,
            Group::Fitted => &self.sorted.fitted,
        }
    }

    /// Whether the model itself was fitted on a graph.
    pub(super) fn is_fitted_on(&self, row: usize) -> bool {
        match self.groups[row] {
            Group::OutOfFold => self.model.params.is_refitted(),
            Group::Unseen => false,
            Group::Fitted => true,
        }
    }

    /// The outputs that are shown as predictions: out-of-fold ones where there are any, else those of the model.
    pub(super) fn outputs(&self, entry: usize, of_model: &[f64]) -> Vec<f64> {
        let width = of_model.len() / self.rows.len().max(1);
        let mut outputs = of_model.to_vec();
        let held_out = self.model.out_of_fold_outputs(entry, &self.sorted);
        for (&row, own) in self.sorted.out_of_fold.iter().zip(held_out.chunks_exact(width.max(1))) {
            outputs[row * width..(row + 1) * width].copy_from_slice(own);
        }
        outputs
    }

    /// The figures of each group that has some, judged ones first; nothing without targets.
    pub(super) fn figures(&self, entry: usize, of_model: &[f64]) -> Vec<ShownFigures> {
        let tasks: Vec<usize> = (0..self.model.tasks.len()).collect();
        let data = (self.dataset, &self.rows[..]);
        let width = of_model.len() / self.rows.len().max(1);
        let own = |row: &usize| &of_model[row * width..(row + 1) * width];
        let of_unseen: Vec<f64> = self.sorted.unseen.iter().flat_map(own).copied().collect();
        let Ok(found) = self.model.evaluation_of_sorted(entry, &tasks, data, (&self.sorted, &of_unseen)) else {
            return Vec::new();
        };
        let judged = |key: Group, found: Evaluation| ShownFigures {
            key,
            graphs: self.with_truth(self.rows_of(key)),
            metrics: found.metrics,
            by_task: found.targets.into_iter().map(|target| (target.counts.scored, target.metrics)).collect(),
        };
        let out_of_fold = found.out_of_fold.map(|found| judged(Group::OutOfFold, found));
        let unseen = found.unseen.map(|found| judged(Group::Unseen, found));
        let all = [out_of_fold, unseen, self.fitted_figures(entry, of_model)];
        all.into_iter().flatten().filter(|figures| !figures.metrics.is_empty()).collect()
    }

    /// Metrics of the model itself on the graphs that it was fitted on.
    fn fitted_figures(&self, entry: usize, of_model: &[f64]) -> Option<ShownFigures> {
        let rows: Vec<usize> = self.rows.iter().copied().filter(|&row| self.is_fitted_on(row)).collect();
        let width = of_model.len() / self.rows.len().max(1);
        let own: Vec<f64> = rows.iter().flat_map(|&row| &of_model[row * width..(row + 1) * width]).copied().collect();
        let targets = Targets::gather(&self.model.tasks, self.dataset, &rows).ok()?;
        let decision = &self.model.entries[entry].decision;
        let metrics = metrics_of_decision(&self.model.tasks, &targets, &own, decision);
        Some(ShownFigures { key: Group::Fitted, graphs: self.with_truth(&rows), metrics, by_task: Vec::new() })
    }

    fn with_truth(&self, rows: &[usize]) -> usize {
        rows.iter().filter(|&&row| self.truth[row].iter().any(Option::is_some)).count()
    }

    /// The groups in words, those without graphs included.
    pub(super) fn in_words(&self) -> Vec<ShownGroup> {
        let shown = |key: Group, name, words: String| ShownGroup { key, name, words, graphs: self.rows_of(key).len() };
        vec![
            shown(Group::OutOfFold, held_out_name(self.model), held_out_words(self.model)),
            shown(Group::Unseen, "unseen", "graphs that the model has never seen, predicted by it".to_owned()),
            shown(
                Group::Fitted,
                "fitted only",
                "graphs that the model was fitted on and that no other model has predicted: counted, not scored"
                    .to_owned(),
            ),
        ]
    }
}

/// What held-out graphs are called: those of folds, of the validation set, or of a single fold.
pub(super) fn held_out_name(model: &Model) -> &'static str {
    match (model.seen.folds.count, model.rows.valid.is_empty()) {
        (2.., _) => "out-of-fold",
        (_, false) => "validation set",
        (_, true) => "held out",
    }
}

fn held_out_words(model: &Model) -> String {
    let count = model.seen.folds.count;
    match (count, model.params.is_refitted()) {
        (2.., _) => format!("graphs used in training, each predicted by a model that had not seen it ({count} folds)"),
        (_, true) => "graphs used in training, predicted by a model that had seen neither them nor equal ones, before \
            the final model was fitted on them too"
            .to_owned(),
        (_, false) => {
            "graphs by which the model was chosen; it was fitted neither on them nor on equal ones".to_owned()
        }
    }
}

/// The graphs that the model was fitted on, in words.
pub(super) fn fitted_on(model: &Model) -> &'static str {
    if model.params.is_refitted() && !model.rows.valid.is_empty() {
        "training and validation graphs"
    } else {
        "training graphs"
    }
}

/// The estimate, if there is one.
pub(super) fn estimate(model: &Model) -> Option<ShownEstimate> {
    let found = &model.estimate;
    let metrics = found.metrics.iter().map(|(name, figure)| (name.clone(), [figure.value, figure.low, figure.high]));
    let held_out = match (found.folds, model.rows.valid.is_empty()) {
        (folds @ 2.., _) => format!("{} graphs in {folds} folds", found.graphs),
        (_, false) => format!("the {} graphs of the validation set", found.graphs),
        (_, true) => format!("{} held-out graphs", found.graphs),
    };
    (!found.metrics.is_empty()).then(|| ShownEstimate {
        metrics: metrics.collect(),
        graphs: found.graphs,
        folds: found.folds,
        words: format!(
            "Estimated for graphs like the training graphs, from {held_out} predicted by models that had not seen \
             them. The estimate accounts for the choice of the model, which is repeated on resamples and judged on \
             the graphs outside them. Intervals are 95 % intervals."
        ),
    })
}
