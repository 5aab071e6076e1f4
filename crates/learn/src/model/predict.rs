//! Predictions of a model for any data set, with warnings where it knows too little.
//!
//! Patterns are matched by the *names* of their labels, so the data set may number its labels differently. A
//! graph with labels that the model has never seen is predicted all the same (no pattern can use them) and
//! counted; so is a graph that contains no pattern at all.

use crate::features::supports_in;
use crate::forward::mining;
use crate::gnn::join;
use crate::heads::{Head, Table};
use crate::model::Model;
use crate::task::decision::Decision;
use crate::task::metrics::{Metrics, by_task, class_probabilities, metrics_of_decision};
use crate::task::{TargetError, Targets, Task, TaskKind};
use crate::train::{Iterate, Member, PathEntry};
use einsicht_data::{Dataset, Vocabulary};
use einsicht_graph::{DfsCode, DfsEdge, Graph, Label, Support};
use einsicht_search::feature::Values;
use std::sync::Arc;

/// What a model says about one task of one graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// The predicted class and the probabilities of all.
    Class {
        /// Index of the predicted class: the most likely one, unless a threshold says otherwise.
        class: usize,
        /// One a class.
        probabilities: Vec<f64>,
    },
    /// A number in the units of the training data.
    Value(f64),
}

/// Outputs of one entry of a model for some graphs.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions {
    /// Row after row: logits, or standardised numbers.
    pub outputs: Vec<f64>,
    /// How they become decisions.
    pub decision: Decision,
    /// How many of the entry's patterns each graph contains.
    pub patterns_present: Vec<usize>,
    /// Whether each graph has a vertex or edge label that the model does not know.
    pub has_unknown_label: Vec<bool>,
}

impl Model {
    /// Predicts with one entry of the path for the graphs at these positions.
    ///
    /// # Panics
    /// If there is no such entry, or a position is not one of the data set.
    pub fn predict(&self, entry: usize, dataset: &Dataset, rows: &[usize]) -> Predictions {
        let graphs: Vec<Graph> = rows.iter().map(|&row| dataset.graphs[row].clone()).collect();
        let iterate = &self.entries[entry].iterate;
        let supports = self.supports(iterate, dataset, &graphs);
        let mut patterns_present = vec![0; graphs.len()];
        for graph in supports.iter().flat_map(|support| support.graphs()) {
            patterns_present[*graph as usize] += 1;
        }
        let knows_vertex = known(&self.vertex_labels, &dataset.vertex_labels);
        let knows_edge = known(&self.edge_labels, &dataset.edge_labels);
        let unknown = |graph: &Graph| {
            graph.vertex_labels().iter().any(|l| !knows_vertex[l.index()])
                || graph.edges().iter().any(|e| !knows_edge[e.label.index()])
        };
        Predictions {
            outputs: self.outputs_of_values_and_rows(
                entry,
                &self.values(&supports, graphs.len()),
                &self.rows_beside(iterate, &self.encode(dataset, rows)),
                graphs.len(),
            ),
            decision: self.entries[entry].decision.clone(),
            patterns_present,
            has_unknown_label: graphs.iter().map(unknown).collect(),
        }
    }

    /// Metrics of one entry of the path on the graphs at these positions.
    ///
    /// # Panics
    /// If there is no such entry, or a position is not one of the data set.
    pub fn evaluate(&self, entry: usize, dataset: &Dataset, rows: &[usize]) -> Result<Metrics, TargetError> {
        let targets = Targets::gather(&self.tasks, dataset, rows)?;
        let outputs = self.predict(entry, dataset, rows).outputs;
        Ok(metrics_of_decision(&self.tasks, &targets, &outputs, &self.entries[entry].decision))
    }

    /// The same for each task by itself.
    ///
    /// # Panics
    /// If there is no such entry, or a position is not one of the data set.
    pub fn evaluate_tasks(&self, entry: usize, dataset: &Dataset, rows: &[usize]) -> Result<Vec<Metrics>, TargetError> {
        let targets = Targets::gather(&self.tasks, dataset, rows)?;
        let outputs = self.predict(entry, dataset, rows).outputs;
        Ok(by_task(&self.tasks, &targets, &outputs, &self.entries[entry].decision))
    }

    /// What the members (trainings on resamples) say about the graphs at these positions: for each of them the
    /// outputs, row after row.
    ///
    /// # Panics
    /// If a position is not one of the data set.
    pub fn member_outputs(&self, dataset: &Dataset, rows: &[usize]) -> Vec<Vec<f64>> {
        let graphs: Vec<Graph> = rows.iter().map(|&row| dataset.graphs[row].clone()).collect();
        let encoded = self.encode(dataset, rows);
        let one = |Member { iterate, head }: &Member| {
            let supports = self.supports(iterate, dataset, &graphs);
            let values = self.values(&supports, graphs.len());
            self.outputs_of(iterate, head.as_ref(), &values, &self.rows_beside(iterate, &encoded), graphs.len())
        };
        self.members.iter().map(one).collect()
    }

    /// For each pattern of the parameters the graphs of the list that contain it. The list uses the labels of
    /// the data set.
    pub fn supports(&self, iterate: &Iterate, dataset: &Dataset, graphs: &[Graph]) -> Vec<Arc<Support>> {
        supports_of(&self.codes_in(iterate, dataset), graphs, self.params.values())
    }

    /// Each pattern of the parameters in the labels of a data set; `None` where the data set lacks one of its labels.
    pub fn codes_in(&self, iterate: &Iterate, dataset: &Dataset) -> Vec<Option<DfsCode>> {
        codes_by_name([&self.vertex_labels, &self.edge_labels], iterate.patterns.iter().map(|p| &p.code), dataset)
    }

    /// The value of each pattern in each of `rows` graphs, one row a graph: 0 where it does not occur.
    pub fn values(&self, supports: &[Arc<Support>], rows: usize) -> Vec<f64> {
        let mut values = vec![0.0; rows * supports.len()];
        for (pattern, support) in supports.iter().enumerate() {
            for (graph, value) in self.params.values().column(support).cells() {
                values[graph * supports.len() + pattern] = value;
            }
        }
        values
    }

    /// Outputs of one entry, by its head or its network, for any values of its patterns, one row after the other: what
    /// explanations ask when they leave patterns out. What is read besides them is left out too: it is what it is on average.
    ///
    /// # Panics
    /// If there is no such entry, or the values are not `rows` times the number of its patterns.
    pub fn outputs_of_values(&self, entry: usize, values: &[f64], rows: usize) -> Vec<f64> {
        let mean = self.gnn.as_ref().map_or(&[][..], |gnn| &gnn.means[entry]);
        self.outputs_of_values_and_rows(entry, values, &mean.repeat(rows), rows)
    }

    /// The same for any rows of what is read besides the patterns, see [`Model::rows_beside`].
    ///
    /// # Panics
    /// If there is no such entry, or the values are not `rows` times the number of its patterns, or there are not
    /// `rows` rows.
    pub fn outputs_of_values_and_rows(
        &self,
        entry: usize,
        values: &[f64],
        rows_beside: &[f64],
        rows: usize,
    ) -> Vec<f64> {
        let PathEntry { iterate, head, .. } = &self.entries[entry];
        assert_eq!(values.len(), rows * iterate.patterns.len(), "one value a pattern in every row");
        self.outputs_of(iterate, head.as_ref(), values, rows_beside, rows)
    }

    fn outputs_of(
        &self,
        iterate: &Iterate,
        head: Option<&Head>,
        values: &[f64],
        rows_beside: &[f64],
        rows: usize,
    ) -> Vec<f64> {
        match head {
            Some(head) => {
                let mut table = Vec::with_capacity(values.len() + rows_beside.len());
                join(values, rows_beside, rows, &mut table);
                head.outputs(Table { values: &table, rows })
            }
            None => self.network_outputs(iterate, values, rows_beside, rows),
        }
    }

    /// Outputs of the network, whatever the head.
    fn network_outputs(&self, iterate: &Iterate, values: &[f64], gnn_rows: &[f64], rows: usize) -> Vec<f64> {
        let hidden = self.params.hidden;
        let mut sums = vec![0.0; rows * hidden];
        let width = iterate.patterns.len().max(1);
        for (sums, values) in sums.chunks_exact_mut(hidden).zip(values.chunks_exact(width)) {
            for (&value, pattern) in values.iter().zip(&iterate.patterns) {
                // Absent patterns are left out, as in training, so that the bits are the same.
                if value != 0.0 {
                    for (sum, weight) in sums.iter_mut().zip(&pattern.weights) {
                        *sum += value * weight;
                    }
                }
            }
        }
        let mut h = vec![0.0; sums.len()];
        mining::add_bias(&sums, &iterate.bias, &mut h);
        self.params.activation.apply(&h, &mut sums);
        let network = self.network();
        let mut workspace = network.workspace(rows);
        join(gnn_rows, &sums, rows, &mut h);
        network.feed_forward(&iterate.network, &h, None, &mut workspace);
        workspace.output().to_vec()
    }
}

/// Codes over these vertex and edge labels in the labels of a data set, by name; `None` where it lacks one of them.
pub fn codes_by_name<'a>(
    [vertex_labels, edge_labels]: [&Vocabulary; 2],
    codes: impl IntoIterator<Item = &'a DfsCode>,
    dataset: &Dataset,
) -> Vec<Option<DfsCode>> {
    let vertex = ranks(vertex_labels, &dataset.vertex_labels);
    let edge = ranks(edge_labels, &dataset.edge_labels);
    codes.into_iter().map(|code| translate(code, &vertex, &edge)).collect()
}

/// For each pattern the graphs of the list that contain it; nothing contains one that is absent.
pub fn supports_of(codes: &[Option<DfsCode>], graphs: &[Graph], values: Values) -> Vec<Arc<Support>> {
    let known: Vec<DfsCode> = codes.iter().flatten().cloned().collect();
    let mut found = supports_in(graphs, &known, values).into_iter();
    let nowhere = || Support::detached(Vec::new(), Vec::new());
    codes.iter().map(|code| code.as_ref().and_then(|_| found.next()).unwrap_or_else(nowhere)).collect()
}

impl Predictions {
    /// Predictions of all tasks for one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, tasks: &[Task], row: usize) -> Vec<Prediction> {
        let width = crate::task::num_outputs(tasks);
        let mut scaled = self.outputs[row * width..(row + 1) * width].to_vec();
        self.decision.apply_temperature(tasks, &mut scaled);
        let mut outputs = &scaled[..];
        let mut predictions = Vec::with_capacity(tasks.len());
        for (at, task) in tasks.iter().enumerate() {
            let (cell, rest) = outputs.split_at(task.outputs());
            outputs = rest;
            predictions.push(match &task.kind {
                TaskKind::Classes(_) => {
                    let probabilities = class_probabilities(cell);
                    Prediction::Class { class: self.decision.class(at, &probabilities), probabilities }
                }
                TaskKind::Number { mean, scale } => Prediction::Value(cell[0] * scale + mean),
            });
        }
        predictions
    }
}

/// For each label of `from` the label of `to` with the same token.
fn ranks(from: &Vocabulary, to: &Vocabulary) -> Vec<Option<Label>> {
    from.tokens().iter().map(|token| to.label(token)).collect()
}

/// For each label of the data whether the model knows its token.
fn known(model: &Vocabulary, data: &Vocabulary) -> Vec<bool> {
    data.tokens().iter().map(|token| model.label(token).is_some()).collect()
}

/// The same pattern with other labels; `None` if a label has no counterpart.
fn translate(code: &DfsCode, vertex: &[Option<Label>], edge: &[Option<Label>]) -> Option<DfsCode> {
    let renamed = code.edges().iter().map(|e| {
        Some(DfsEdge {
            from_label: vertex[e.from_label.index()]?,
            edge_label: edge[e.edge_label.index()]?,
            to_label: vertex[e.to_label.index()]?,
            ..*e
        })
    });
    DfsCode::new(renamed.collect::<Option<Vec<_>>>()?).ok()
}
