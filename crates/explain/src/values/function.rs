//! The value function: the output of a model as a function of its features, whether a graph with these features exists
//! or not.
//!
//! The features of a model are its patterns and its *side inputs*, if it has any: what a graph network or a summary
//! reads of the whole graph, and each column of the data that it reads beside the graph. A *quantity* is one number
//! that a model predicts for a graph: the logit (or probability) of the second of two classes, of each of several
//! classes, or a number in the units of its target. Promise: the model is evaluated through
//! [`Model::outputs_of_values_and_rows`] only, so explanations are about the model as it is.

use super::FeatureTable;
use crate::subject::Subject;
use einsicht_graph::Support;
use einsicht_model::heads::{Head, Table};
use einsicht_model::metrics::class_probabilities;
use einsicht_model::task::TaskKind;
use einsicht_model::{Model, rows_along};
use std::ops::Range;
use std::sync::Arc;

/// The scale on which the output of a classifier is explained. Regression targets keep their own units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Before the logistic function or softmax.
    Logit,
    /// Between 0 and 1.
    Probability,
}

impl Scale {
    /// The scale on which a model adds up: probabilities where trees predict, which are means of theirs, else logits.
    /// There Shapley values are exact for any number of subgraphs (with a network: sampled above a few).
    pub fn of(model: &Model) -> Self {
        if model.params.head.has_forests() { Self::Probability } else { Self::Logit }
    }

    /// Its word in options and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Logit => "logit",
            Self::Probability => "probability",
        }
    }
}

/// One number that a model predicts for a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Index of the task.
    pub task: usize,
    /// Index of its class; absent for regression.
    pub class: Option<usize>,
    /// Name for people.
    pub name: String,
}

/// The output of one entry of a model as a function of its features.
#[derive(Clone, Debug)]
pub struct ValueFunction<'m> {
    model: &'m Model,
    entry: usize,
    scale: Scale,
    quantities: Vec<Quantity>,
    /// The columns of each side input; empty if they are no features.
    side_columns: Vec<Range<usize>>,
    /// The rows of the side inputs of each graph of the table, then of the background, if they are features.
    side_rows: Vec<f64>,
    /// Number of graphs of the table.
    graphs: usize,
    /// Instead of what predicts: its linear part alone.
    linear_alone: Option<Arc<Head>>,
}

impl<'m> ValueFunction<'m> {
    /// The value function of an entry, with the patterns as its features; side inputs are at their mean.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn new(model: &'m Model, entry: usize, scale: Scale) -> Self {
        assert!(entry < model.entries.len(), "entry {entry} of {}", model.entries.len());
        let mut quantities = Vec::new();
        for (task, described) in model.tasks.iter().enumerate() {
            let word = scale.name();
            match &described.kind {
                TaskKind::Classes(names) => {
                    let explained = if names.len() == 2 { 1..2 } else { 0..names.len() };
                    quantities.extend(explained.map(|class| Quantity {
                        task,
                        class: Some(class),
                        name: format!("{word} of {} = {}", described.name, names[class]),
                    }));
                }
                TaskKind::Number { .. } => {
                    quantities.push(Quantity { task, class: None, name: described.name.clone() });
                }
            }
        }
        let (side_columns, side_rows) = (Vec::new(), Vec::new());
        Self { model, entry, scale, quantities, side_columns, side_rows, graphs: 0, linear_alone: None }
    }

    /// The value function of an entry, and the features of all graphs of the data set. Side inputs are the last
    /// features: the value of one in the table is the number of the graph it belongs to, counted from 1; 0 stands for
    /// its mean.
    ///
    /// # Panics
    /// If there is no such entry, or the model cannot read the data: see [`Model::check_data`].
    pub fn of_graphs(subject: &Subject<'m>, scale: Scale) -> (Self, FeatureTable) {
        let supports = subject.model.supports(subject.iterate(), subject.dataset, &subject.dataset.graphs);
        Self::of_supports(subject, scale, &supports)
    }

    /// The same for known supports of the entry's patterns.
    pub fn of_supports(subject: &Subject<'m>, scale: Scale, supports: &[Arc<Support>]) -> (Self, FeatureTable) {
        let Subject { model, entry, dataset } = *subject;
        let mut function = Self::new(model, entry, scale);
        let iterate = subject.iterate();
        let (rows, patterns) = (dataset.len(), function.patterns());
        let values = model.values(supports, rows);
        if model.side.is_none() {
            return (function, FeatureTable::new(values, rows, patterns));
        }
        let all: Vec<usize> = (0..rows).collect();
        function.side_columns = model.side_inputs().into_iter().map(|side| side.columns).collect();
        function.side_rows = model.rows_beside(iterate, &model.encode(dataset, &all));
        function.side_rows.extend_from_slice(&model.backgrounds[entry].beside);
        function.graphs = rows;
        let mut table = Vec::with_capacity(rows * function.features());
        for row in 0..rows {
            table.extend_from_slice(&values[row * patterns..(row + 1) * patterns]);
            table.extend(function.side_columns.iter().map(|_| (row + 1) as f64));
        }
        let features = function.features();
        (function, FeatureTable::new(table, rows, features))
    }

    /// The value function of an entry, and the rows of its background with their weights, which sum to 1.
    ///
    /// # Panics
    /// If there is no such entry.
    pub(crate) fn of_background(model: &'m Model, entry: usize, scale: Scale) -> (Self, FeatureTable, Vec<f64>) {
        let mut function = Self::new(model, entry, scale);
        if model.side.is_some() {
            function.side_columns = model.side_inputs().into_iter().map(|side| side.columns).collect();
            function.side_rows.clone_from(&model.backgrounds[entry].beside);
        }
        let (rows, weights): (Vec<Vec<f64>>, Vec<f64>) = function.background().into_iter().unzip();
        let table = FeatureTable::new(rows.concat(), rows.len(), function.features());
        (function, table, weights)
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Number of features: the patterns, and the side inputs if they are features.
    pub fn features(&self) -> usize {
        self.patterns() + self.side_columns.len()
    }

    /// The feature that each column of a head's row belongs to; columns of no feature belong to one beyond the last.
    pub(crate) fn feature_of_columns(&self) -> Vec<usize> {
        let (patterns, width) = (self.patterns(), self.mean().len());
        let of_side = |column: usize| {
            let found = self.side_columns.iter().position(|columns| columns.contains(&column));
            patterns + found.unwrap_or(self.side_columns.len())
        };
        (0..patterns).chain((0..width).map(of_side)).collect()
    }

    /// The mean row of the side inputs.
    fn mean(&self) -> &'m [f64] {
        self.model.side.as_ref().map_or(&[][..], |side| &side.means[self.entry])
    }

    /// Number of features that are patterns; they come first.
    pub fn patterns(&self) -> usize {
        self.model.entries[self.entry].iterate.patterns.len()
    }

    /// The explained numbers.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// The scale of the quantities of classes.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// What predicts, unless it is the network.
    pub fn head(&self) -> Option<&'m Head> {
        self.model.entries[self.entry].head.as_ref()
    }

    /// The rows of the entry's background as features, each with its weight; weights sum to 1.
    pub fn background(&self) -> Vec<(Vec<f64>, f64)> {
        let (values, patterns) = (self.model.background_values(self.entry), self.patterns());
        let row = |(at, weight): (usize, f64)| {
            let mut row = values[at * patterns..(at + 1) * patterns].to_vec();
            row.extend(self.side_columns.iter().map(|_| (self.graphs + at + 1) as f64));
            (row, weight)
        };
        self.model.backgrounds[self.entry].weights().into_iter().enumerate().map(row).collect()
    }

    /// One row of features as a head reads it: the patterns, then the columns of the side inputs.
    pub fn columns(&self, values: &[f64]) -> Vec<f64> {
        let (mut row, side) = self.split(values, 1);
        row.extend(side);
        row
    }

    /// All quantities for any values of the features, one row after the other.
    pub fn evaluate(&self, values: &[f64], rows: usize) -> Vec<f64> {
        self.quantities_of(&self.outputs(values, rows), rows)
    }

    /// Network outputs for any values of the features, one row after the other.
    pub fn outputs(&self, values: &[f64], rows: usize) -> Vec<f64> {
        let (patterns, side) = self.split(values, rows);
        self.model.outputs_of_values_and_rows(self.entry, &patterns, &side, rows)
    }

    /// The same function for rows whose values are each that of `one` or that of `other`: the same numbers, bit for
    /// bit, but faster for a model with a head.
    pub fn restricted(&self, one: &[f64], other: &[f64]) -> RestrictedFunction<'_, 'm> {
        let head = match &self.linear_alone {
            Some(linear) => Some(Arc::clone(linear)),
            None => self.head().map(|head| Arc::new(head.between(&self.columns(one), &self.columns(other)))),
        };
        RestrictedFunction { function: self, head }
    }

    /// The same function with the linear part of its head alone, for [`Self::restricted`]; nothing if there is none.
    pub fn linear_alone(&self) -> Option<Self> {
        let linear = self.head()?.linear_alone()?;
        Some(Self { linear_alone: Some(Arc::new(linear)), ..self.clone() })
    }

    /// The values of the patterns, and the side inputs, one row after the other.
    fn split(&self, values: &[f64], rows: usize) -> (Vec<f64>, Vec<f64>) {
        let mean = self.mean();
        if self.side_columns.is_empty() {
            return (values.to_vec(), mean.repeat(rows));
        }
        let (features, patterns) = (self.features(), self.patterns());
        let mut parts = (Vec::with_capacity(rows * patterns), Vec::with_capacity(rows * mean.len()));
        for row in values.chunks_exact(features) {
            parts.0.extend_from_slice(&row[..patterns]);
            for (columns, graph) in self.side_columns.iter().zip(&row[patterns..]) {
                let of_graph = match *graph as usize {
                    0 => mean,
                    graph => &self.side_rows[(graph - 1) * mean.len()..][..mean.len()],
                };
                parts.1.extend_from_slice(&of_graph[columns.clone()]);
            }
        }
        parts
    }

    /// All quantities from network outputs.
    pub fn quantities_of(&self, outputs: &[f64], rows: usize) -> Vec<f64> {
        let width = outputs.len().checked_div(rows).unwrap_or(0);
        let mut found = Vec::with_capacity(rows * self.quantities.len());
        for row in outputs.chunks_exact(width.max(1)) {
            let mut rest = row;
            for task in &self.model.tasks {
                let (cell, after) = rest.split_at(task.outputs());
                rest = after;
                match (&task.kind, self.scale) {
                    (TaskKind::Number { mean, scale }, _) => found.push(cell[0] * scale + mean),
                    (TaskKind::Classes(_), Scale::Logit) => found.extend(cell),
                    (TaskKind::Classes(_), Scale::Probability) => {
                        let probabilities = class_probabilities(cell);
                        found.extend(if cell.len() == 1 { &probabilities[1..] } else { &probabilities[..] });
                    }
                }
            }
        }
        found
    }
}

/// A value function between two rows; see [`ValueFunction::restricted`].
pub struct RestrictedFunction<'f, 'm> {
    function: &'f ValueFunction<'m>,
    head: Option<Arc<Head>>,
}

impl RestrictedFunction<'_, '_> {
    /// All quantities for values of the features, one row after the other.
    pub fn evaluate(&self, values: &[f64], rows: usize) -> Vec<f64> {
        let outputs = match &self.head {
            None => self.function.outputs(values, rows),
            Some(head) => {
                let (patterns, side) = self.function.split(values, rows);
                let (width, side_width) = (self.function.patterns(), side.len() / rows.max(1));
                let mut table = Vec::with_capacity(patterns.len() + side.len());
                for row in 0..rows {
                    table.extend_from_slice(&patterns[row * width..][..width]);
                    table.extend_from_slice(&side[row * side_width..][..side_width]);
                }
                head.outputs(Table { values: &table, rows })
            }
        };
        self.function.quantities_of(&outputs, rows)
    }

    /// All quantities for rows that differ from the one before in a single value, see [`Model::outputs_along`].
    pub(crate) fn evaluate_along(&self, first: &[f64], changes: &[Vec<(usize, f64)>]) -> Vec<f64> {
        let ValueFunction { model, entry, .. } = *self.function;
        let rows = changes.iter().map(|changes| 1 + changes.len()).sum();
        if self.head.is_none() && model.side.is_none() {
            return self.function.quantities_of(&model.outputs_along(entry, first, changes), rows);
        }
        self.evaluate(&rows_along(first, changes), rows)
    }
}
