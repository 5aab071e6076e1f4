//! Prediction tasks, and targets in the form that losses and metrics read.
//!
//! Promise: [`tasks_of`] refuses targets from which nothing can be learnt, with the reason; after it every
//! class of a task occurs in the training set and every number is finite. Numbers are standardised by the
//! training set, here and nowhere else; two classes share one output (a logit).

mod check;
pub mod coverage;
pub mod decision;
pub use check::{SingleGraph, check_targets};
pub use decision::{Decision, DecisionOptions};
pub mod loss;
pub mod metrics;

use einsicht_data::{Dataset, Split, TargetValues};
use serde::{Deserialize, Serialize};

/// One task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Name for people, as a rule the column.
    pub name: String,
    /// Classes or numbers.
    pub kind: TaskKind,
}

/// The kind of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// One of these classes, at least two, by rank.
    Classes(Vec<String>),
    /// A number; the network predicts `(y - mean) / scale`.
    Number {
        /// Mean over the training set.
        mean: f64,
        /// Standard deviation over the training set, or 1 if that is 0.
        scale: f64,
    },
}

impl Task {
    /// Number of network outputs of this task.
    pub fn outputs(&self) -> usize {
        match &self.kind {
            TaskKind::Classes(names) if names.len() > 2 => names.len(),
            _ => 1,
        }
    }

    /// Whether classes are predicted.
    pub fn is_classification(&self) -> bool {
        matches!(self.kind, TaskKind::Classes(_))
    }
}

/// Number of network outputs of all tasks.
pub fn num_outputs(tasks: &[Task]) -> usize {
    tasks.iter().map(Task::outputs).sum()
}

/// Why nothing can be learnt from the targets.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum TargetError {
    #[error("training needs a target, but the data set has none")]
    NoTarget,
    #[error("the {part} set must have at least one graph, but it is empty")]
    EmptyPart { part: &'static str },
    #[error("the {part} set names graph {row}, but there are {len} graphs")]
    NoSuchRow { part: &'static str, row: usize, len: usize },
    #[error("target {task} has no value in the {part} set")]
    NoValue { task: String, part: &'static str },
    #[error("target {task} must have values, but all {graphs} graphs lack one")]
    AllMissing { task: String, graphs: usize },
    #[error("target {task} must differ between graphs, but all {graphs} values are {value}")]
    Constant { task: String, value: f64, graphs: usize },
    #[error("target {task} must have at least two classes, but all graphs are of class {class}")]
    OneClass { task: String, class: String },
    #[error("class {class} of target {task} does not occur in the training set")]
    ClassNotInTraining { task: String, class: String },
    #[error("target {task} must be finite, but graph {graph} has {value}")]
    NotFinite { task: String, graph: String, value: f64 },
    #[error("the model predicts {wanted} for target {task}, but the data set holds {found}")]
    OtherKind { task: String, wanted: &'static str, found: &'static str },
}

/// The sets of a split with their names.
fn named(parts: &Split) -> [(&'static str, &[usize]); 3] {
    [("training", &parts.train), ("validation", &parts.valid), ("test", &parts.test)]
}

/// The tasks of a data set under a split. Classes that occur in none of its sets are left out.
pub fn tasks_of(dataset: &Dataset, parts: &Split) -> Result<Vec<Task>, TargetError> {
    if dataset.targets.is_empty() {
        return Err(TargetError::NoTarget);
    }
    for (part, rows) in named(parts) {
        if rows.is_empty() && part == "training" {
            return Err(TargetError::EmptyPart { part });
        }
        if let Some(&row) = rows.iter().find(|&&row| row >= dataset.len()) {
            return Err(TargetError::NoSuchRow { part, row, len: dataset.len() });
        }
    }
    dataset.targets.iter().map(|target| task_of(dataset, parts, &target.name, &target.values)).collect()
}

fn task_of(dataset: &Dataset, parts: &Split, name: &str, values: &TargetValues) -> Result<Task, TargetError> {
    let has_value = |row: &usize| match values {
        TargetValues::Classes { values, .. } => values[*row].is_some(),
        TargetValues::Numbers { values } => values[*row].is_some(),
    };
    for (part, rows) in &named(parts)[..2] {
        if !rows.is_empty() && !rows.iter().any(has_value) {
            return Err(TargetError::NoValue { task: name.to_owned(), part });
        }
    }
    let kind = match values {
        TargetValues::Classes { classes, values } => {
            let mut seen = vec![(false, false); classes.len()];
            for (part, rows) in named(parts) {
                for class in rows.iter().filter_map(|&row| values[row]) {
                    seen[class as usize].0 = true;
                    seen[class as usize].1 |= part == "training";
                }
            }
            let names: Vec<String> =
                classes.tokens().iter().zip(&seen).filter(|(_, s)| s.0).map(|(n, _)| n.clone()).collect();
            if names.len() < 2 {
                return Err(TargetError::OneClass { task: name.to_owned(), class: names.concat() });
            }
            if let Some(at) = seen.iter().position(|s| s.0 && !s.1) {
                let class = classes.tokens()[at].clone();
                return Err(TargetError::ClassNotInTraining { task: name.to_owned(), class });
            }
            TaskKind::Classes(names)
        }
        TargetValues::Numbers { values } => {
            for (_, rows) in named(parts) {
                for &row in rows {
                    if let Some(value) = values[row].filter(|v| !v.is_finite()) {
                        let graph = dataset.ids[row].clone();
                        return Err(TargetError::NotFinite { task: name.to_owned(), graph, value });
                    }
                }
            }
            let (mean, scale) = mean_and_scale(parts.train.iter().filter_map(|&row| values[row]));
            TaskKind::Number { mean, scale }
        }
    };
    Ok(Task { name: name.to_owned(), kind })
}

/// The same tasks for a training on some of the rows: classes stay, whether these rows have them or not; numbers are
/// standardised anew.
pub fn tasks_of_rows(tasks: &[Task], dataset: &Dataset, rows: &[usize]) -> Vec<Task> {
    let kind = |task: &Task| match (&task.kind, dataset.targets.iter().find(|t| t.name == task.name).map(|t| &t.values))
    {
        (TaskKind::Number { .. }, Some(TargetValues::Numbers { values })) => {
            let (mean, scale) = mean_and_scale(rows.iter().filter_map(|&row| values[row]));
            TaskKind::Number { mean, scale }
        }
        (kind, _) => kind.clone(),
    };
    tasks.iter().map(|task| Task { name: task.name.clone(), kind: kind(task) }).collect()
}

/// Outputs of a model with some tasks as those of a model with others: numbers are standardised differently.
pub fn restandardize(outputs: &mut [f64], from: &[Task], to: &[Task]) {
    let width = num_outputs(from);
    let mut first = 0;
    for (from, to) in from.iter().zip(to) {
        if let (TaskKind::Number { mean, scale }, TaskKind::Number { mean: to_mean, scale: to_scale }) =
            (&from.kind, &to.kind)
        {
            for row in outputs.chunks_exact_mut(width) {
                row[first] = (row[first] * scale + mean - to_mean) / to_scale;
            }
        }
        first += from.outputs();
    }
}

fn mean_and_scale(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().fold(0.0, |sum, v| sum + v / count);
    let variance = values.fold(0.0, |sum, v| sum + (v - mean) * (v - mean) / count);
    let scale = variance.sqrt();
    (mean, if scale > 0.0 && scale.is_finite() { scale } else { 1.0 })
}

/// Labels of one task.
#[derive(Clone, Debug, PartialEq)]
pub enum Labels {
    /// Class index of each row.
    Classes(Vec<Option<u32>>),
    /// Standardised number of each row.
    Numbers(Vec<Option<f64>>),
}

/// Targets of some rows, ready for losses.
#[derive(Clone, Debug, PartialEq)]
pub struct Targets {
    /// For each task its labels and its number of outputs.
    pub tasks: Vec<(Labels, usize)>,
    rows: usize,
}

impl Targets {
    /// The targets of these rows of a data set, by name of task and name of class. A class that the model does
    /// not know counts as missing; [`coverage::target_counts`] tells them apart.
    pub fn gather(tasks: &[Task], dataset: &Dataset, rows: &[usize]) -> Result<Self, TargetError> {
        let mut gathered = Vec::with_capacity(tasks.len());
        for task in tasks {
            let found = dataset.targets.iter().find(|t| t.name == task.name);
            let labels = match (&task.kind, found.map(|t| &t.values)) {
                (TaskKind::Classes(_), None) => Labels::Classes(vec![None; rows.len()]),
                (TaskKind::Number { .. }, None) => Labels::Numbers(vec![None; rows.len()]),
                (TaskKind::Classes(names), Some(TargetValues::Classes { classes, values })) => {
                    let rank = |name: &String| names.iter().position(|n| n == name).map(|at| at as u32);
                    let ranks: Vec<Option<u32>> = classes.tokens().iter().map(rank).collect();
                    Labels::Classes(rows.iter().map(|&row| values[row].and_then(|c| ranks[c as usize])).collect())
                }
                (TaskKind::Number { mean, scale }, Some(TargetValues::Numbers { values })) => {
                    Labels::Numbers(rows.iter().map(|&row| values[row].map(|v| (v - mean) / scale)).collect())
                }
                // A column without any value has no kind.
                (TaskKind::Classes(_), Some(TargetValues::Numbers { values }))
                    if values.iter().all(Option::is_none) =>
                {
                    Labels::Classes(vec![None; rows.len()])
                }
                (kind, Some(_)) => {
                    let (wanted, found) = match kind {
                        TaskKind::Classes(_) => ("classes", "numbers"),
                        TaskKind::Number { .. } => ("numbers", "classes"),
                    };
                    return Err(TargetError::OtherKind { task: task.name.clone(), wanted, found });
                }
            };
            gathered.push((labels, task.outputs()));
        }
        Ok(Self { tasks: gathered, rows: rows.len() })
    }

    /// From the labels of each task, with its number of outputs.
    pub fn of_labels(tasks: Vec<(Labels, usize)>, rows: usize) -> Self {
        Self { tasks, rows }
    }

    /// The targets of these rows, in this order.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn subset(&self, rows: &[usize]) -> Self {
        let pick = |labels: &Labels| match labels {
            Labels::Classes(values) => Labels::Classes(rows.iter().map(|&row| values[row]).collect()),
            Labels::Numbers(values) => Labels::Numbers(rows.iter().map(|&row| values[row]).collect()),
        };
        let tasks = self.tasks.iter().map(|(labels, outputs)| (pick(labels), *outputs)).collect();
        Self { tasks, rows: rows.len() }
    }

    /// These rows and then those of other targets of the same tasks.
    ///
    /// # Panics
    /// If the tasks are of different kinds.
    #[must_use]
    pub fn followed_by(&self, other: &Self) -> Self {
        let join = |(a, b): (&(Labels, usize), &(Labels, usize))| match (&a.0, &b.0) {
            (Labels::Classes(x), Labels::Classes(y)) => (Labels::Classes([&x[..], y].concat()), a.1),
            (Labels::Numbers(x), Labels::Numbers(y)) => (Labels::Numbers([&x[..], y].concat()), a.1),
            _ => panic!("the same tasks"),
        };
        Self { tasks: self.tasks.iter().zip(&other.tasks).map(join).collect(), rows: self.rows + other.rows }
    }

    /// The targets of one task, and its columns of these outputs.
    pub fn only(&self, task: usize, outputs: &[f64]) -> (Self, Vec<f64>) {
        let first: usize = self.tasks[..task].iter().map(|(_, outputs)| outputs).sum();
        let width = self.tasks[task].1;
        let rows = outputs.chunks_exact(self.outputs().max(1));
        let cells = rows.flat_map(|row| row[first..first + width].iter().copied()).collect();
        (Self { tasks: vec![self.tasks[task].clone()], rows: self.rows }, cells)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of network outputs per row.
    pub fn outputs(&self) -> usize {
        self.tasks.iter().map(|(_, outputs)| outputs).sum()
    }

    /// Number of tasks with a label in this row.
    pub fn labels_of_row(&self, row: usize) -> usize {
        let labelled = |labels: &Labels| match labels {
            Labels::Classes(values) => values[row].is_some(),
            Labels::Numbers(values) => values[row].is_some(),
        };
        self.tasks.iter().filter(|(labels, _)| labelled(labels)).count()
    }

    /// Labelled cells, each counted with the weight of its row.
    pub fn total_weight(&self, weights: &[f64]) -> f64 {
        (0..self.rows).fold(0.0, |sum, row| sum + weights[row] * self.labels_of_row(row) as f64)
    }
}

#[cfg(test)]
mod tests;
