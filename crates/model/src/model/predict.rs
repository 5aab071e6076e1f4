//! Predictions of a model for any data set, with counts of what the model has never seen.
//!
//! Patterns are matched by the *names* of their labels, so the data set may number its labels differently. A graph with
//! labels that the model has never seen is predicted all the same (no pattern can use them) and counted; so is a graph
//! that contains no pattern at all. A graph is *foreign* if the model knows none of its vertex labels, or none of its
//! edge labels: then its prediction says nothing about it.

use crate::Model;
use crate::applicability::{TrainingRows, capped_counts};
use crate::features::{codes_by_name, dense_matrix, graphs_at, join_columns, known_labels, supports_of};
use crate::forward::mining::sums_of_matrix;
pub use crate::forward::rows_along;
use crate::forward::{ForwardPass, GivenRows, RowWalks};
use crate::heads::{Head, Table};
use crate::task::decision::Decision;
use crate::task::metrics::{Metrics, class_probabilities, metrics_of_decision};
use crate::task::{TargetError, Targets, Task, TaskKind};
use crate::{Iterate, Member, PathEntry};
use einsicht_data::Dataset;
use einsicht_graph::{DfsCode, Graph, Support};
use std::sync::Arc;

/// The prediction of one task for one graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// The predicted class and the probabilities of all.
    Class {
        /// Index of the predicted class: the most likely one, unless there is a decision threshold.
        class: usize,
        /// One per class.
        probabilities: Vec<f64>,
    },
    /// A number in the units of the training data.
    Value(f64),
}

/// Outputs of one entry of a model for some graphs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    /// Row after row: logits, or standardised numbers.
    pub outputs: Vec<f64>,
    /// Temperatures and decision thresholds.
    pub decision: Decision,
    /// Number of the entry's patterns in each graph.
    pub patterns_present: Vec<usize>,
    /// Whether each graph has a vertex or edge label that the model does not know.
    pub has_unknown_label: Vec<bool>,
    /// Number of vertices of each graph with a label that the model does not know.
    pub unknown_vertices: Vec<usize>,
    /// Whether the model knows no vertex label of the graph, or no edge label.
    pub is_foreign: Vec<bool>,
    /// Similarity of each graph to the nearest one that the model was fitted on; empty if nobody asked.
    pub applicability: Vec<f64>,
}

/// Graphs of which a model knows little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfamiliar {
    /// Graphs with a label that does not occur in the training data.
    pub unknown_labels: usize,
    /// Graphs with none of the entry's patterns.
    pub no_pattern: usize,
}

impl Unfamiliar {
    /// Counts those of a batch, too.
    pub fn add(&mut self, predictions: &Predictions) {
        self.unknown_labels += predictions.has_unknown_label.iter().filter(|unknown| **unknown).count();
        self.no_pattern += predictions.patterns_present.iter().filter(|present| **present == 0).count();
    }
}

/// Whether more than half of the graphs are foreign: then the data are of another kind than those of the training.
pub fn mostly_foreign(foreign: usize, graphs: usize) -> bool {
    2 * foreign > graphs
}

impl Model {
    /// Predicts with one entry of the path for the graphs at these positions.
    ///
    /// # Panics
    /// If there is no such entry, or a position is not one of the data set.
    pub fn predict(&self, entry: usize, dataset: &Dataset, rows: &[usize]) -> Predictions {
        self.predict_near(entry, dataset, rows, None)
    }

    /// The same with the similarity to the nearest of these rows of [`Model::fitted_counts`].
    ///
    /// # Panics
    /// If there is no such entry, or a position is not one of the data set.
    pub fn predict_near(
        &self,
        entry: usize,
        dataset: &Dataset,
        rows: &[usize],
        fitted: Option<&TrainingRows>,
    ) -> Predictions {
        self.prepare(entry);
        let graphs = graphs_at(dataset, rows);
        let iterate = &self.entries[entry].iterate;
        let supports = self.supports(iterate, dataset, &graphs);
        let mut patterns_present = vec![0; graphs.len()];
        for graph in supports.iter().flat_map(|support| support.graphs()) {
            patterns_present[*graph as usize] += 1;
        }
        let knows_vertex = known_labels(&self.vertex_labels, &dataset.vertex_labels);
        let knows_edge = known_labels(&self.edge_labels, &dataset.edge_labels);
        let unknown_vertices =
            |graph: &Graph| graph.vertex_labels().iter().filter(|label| !knows_vertex[label.index()]).count();
        let unknown_edges = |graph: &Graph| graph.edges().iter().filter(|e| !knows_edge[e.label.index()]).count();
        let is_foreign = |graph: &Graph| {
            (graph.num_vertices() > 0 && unknown_vertices(graph) == graph.num_vertices())
                || (graph.num_edges() > 0 && unknown_edges(graph) == graph.num_edges())
        };
        let unknown = |graph: &Graph| unknown_vertices(graph) + unknown_edges(graph) > 0;
        let values = self.values(&supports, graphs.len());
        let nearest = fitted.map(|fitted| fitted.nearest_of_all(&capped_counts(&supports, graphs.len()), graphs.len()));
        Predictions {
            outputs: self.outputs_of_values_and_rows(
                entry,
                &values,
                &self.rows_beside(iterate, &self.encode(dataset, rows)),
                graphs.len(),
            ),
            decision: self.entries[entry].decision.clone(),
            patterns_present,
            has_unknown_label: graphs.iter().map(unknown).collect(),
            unknown_vertices: graphs.iter().map(unknown_vertices).collect(),
            is_foreign: graphs.iter().map(is_foreign).collect(),
            applicability: nearest.into_iter().flatten().map(|nearest| nearest.similarity).collect(),
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

    /// Outputs of other trainings, decided as this entry decides.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn decided(&self, entry: usize, outputs: Vec<f64>) -> Predictions {
        Predictions { outputs, decision: self.entries[entry].decision.clone(), ..Predictions::default() }
    }

    /// Outputs of the members (trainings on bootstrap resamples) for the graphs at these positions: for each member the
    /// outputs, row after row.
    ///
    /// # Panics
    /// If a position is not one of the data set.
    pub fn member_outputs(&self, dataset: &Dataset, rows: &[usize]) -> Vec<Vec<f64>> {
        let graphs = graphs_at(dataset, rows);
        let encoded = self.encode(dataset, rows);
        let one = |Member { iterate, head }: &Member| {
            let supports = self.supports(iterate, dataset, &graphs);
            let values = self.values(&supports, graphs.len());
            self.outputs_of(iterate, head.as_ref(), &values, &self.rows_beside(iterate, &encoded), graphs.len())
        };
        self.members.iter().map(one).collect()
    }

    /// The support of each active pattern in a list of graphs. The list uses the labels of
    /// the data set.
    pub fn supports(&self, iterate: &Iterate, dataset: &Dataset, graphs: &[Graph]) -> Vec<Arc<Support>> {
        supports_of(&self.codes_in(iterate, dataset), graphs, self.params.values())
    }

    /// Each active pattern in the labels of a data set; `None` if the data set lacks one of its labels.
    pub fn codes_in(&self, iterate: &Iterate, dataset: &Dataset) -> Vec<Option<DfsCode>> {
        codes_by_name(self.names(), iterate.patterns.iter().map(|p| &p.code), dataset)
    }

    /// The pattern x graph matrix, one row per graph: the value of each pattern, 0 if it does not occur.
    pub fn values(&self, supports: &[Arc<Support>], rows: usize) -> Vec<f64> {
        dense_matrix(supports.iter().map(|support| self.params.values().column(support)), rows)
    }

    /// The same with counts as they are, whatever function of them the model reads; 1 where it reads presence.
    pub fn counts(&self, supports: &[Arc<Support>], rows: usize) -> Vec<f64> {
        let values = self.params.values().untransformed();
        dense_matrix(supports.iter().map(|support| values.column(support)), rows)
    }

    /// What the linear part of an entry's head multiplies by its weights, one row per graph: values of patterns, what
    /// is read beside them (see [`Model::side_inputs`]), pairs ([`crate::heads::LinearPart::pairs`]). Nothing without a
    /// linear part.
    ///
    /// # Panics
    /// If there is no such entry, or the model cannot read the data (see [`Model::check_data`]).
    pub fn linear_terms(&self, entry: usize, dataset: &Dataset) -> Option<Vec<f64>> {
        let PathEntry { iterate, head, .. } = &self.entries[entry];
        let linear = head.as_ref()?.linear_part()?;
        let rows = dataset.len();
        let values = self.values(&self.supports(iterate, dataset, &dataset.graphs), rows);
        let places: Vec<usize> = (0..rows).collect();
        let beside = self.rows_beside(iterate, &self.encode(dataset, &places));
        let mut table = Vec::with_capacity(values.len() + beside.len());
        join_columns(&values, &beside, rows, &mut table);
        Some(linear.terms(Table { values: &table, rows }))
    }

    /// Outputs of one entry, by its head or its network, for any values of its patterns, row after row, for
    /// explanations that leave patterns out. Features besides the patterns are left out too: they have their training
    /// mean.
    ///
    /// # Panics
    /// If there is no such entry, or the values are not `rows` times the number of its patterns.
    pub fn outputs_of_values(&self, entry: usize, values: &[f64], rows: usize) -> Vec<f64> {
        let mean = self.side.as_ref().map_or(&[][..], |side| &side.means[entry]);
        self.outputs_of_values_and_rows(entry, values, &mean.repeat(rows), rows)
    }

    /// The same for any rows of the features besides the patterns, see [`Model::rows_beside`].
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
        assert_eq!(values.len(), rows * iterate.patterns.len(), "one value per pattern in every row");
        self.outputs_of(iterate, head.as_ref(), values, rows_beside, rows)
    }

    /// Outputs of one entry, without features besides the patterns, for rows that differ from the one before in a
    /// single value: `first`, then a row for each (pattern, value) of a list; the rows of the next list begin with
    /// `first` again. The bits of [`Model::outputs_of_values`], in less time where a network predicts.
    ///
    /// # Panics
    /// If there is no such entry, or `first` has not one value for each of its patterns.
    pub fn outputs_along(&self, entry: usize, first: &[f64], changes: &[Vec<(usize, f64)>]) -> Vec<f64> {
        let PathEntry { iterate, head, .. } = &self.entries[entry];
        assert_eq!(first.len(), iterate.patterns.len(), "one value per pattern");
        let walks = RowWalks { first, changes };
        let weights: Vec<&[f64]> = iterate.patterns.iter().map(|p| &p.weights[..]).collect();
        let walks_alone = head.is_none() && self.side.is_none();
        match walks_alone.then(|| walks.sums(&weights, self.params.hidden)).flatten() {
            Some(sums) => self.network_outputs_of_sums(iterate, &sums, &[], walks.rows()),
            None => self.outputs_of_values(entry, &rows_along(first, changes), walks.rows()),
        }
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
                join_columns(values, rows_beside, rows, &mut table);
                head.outputs(Table { values: &table, rows })
            }
            None => self.network_outputs(iterate, values, rows_beside, rows),
        }
    }

    /// Outputs of the network, whatever the head.
    pub fn network_outputs(&self, iterate: &Iterate, values: &[f64], gnn_rows: &[f64], rows: usize) -> Vec<f64> {
        let hidden = self.params.hidden;
        let mut sums = vec![0.0; rows * hidden];
        let weights: Vec<&[f64]> = iterate.patterns.iter().map(|p| &p.weights[..]).collect();
        sums_of_matrix(&mut sums, values, &weights, hidden);
        self.network_outputs_of_sums(iterate, &sums, gnn_rows, rows)
    }

    /// The same from the sums of the mining layer.
    pub(crate) fn network_outputs_of_sums(
        &self,
        iterate: &Iterate,
        sums: &[f64],
        gnn_rows: &[f64],
        rows: usize,
    ) -> Vec<f64> {
        let network = self.network();
        let mut pass = ForwardPass::new(&network, self.params.activation, rows);
        let given = GivenRows { sums, gnn_rows, bias: &iterate.bias, theta: &iterate.network };
        pass.run_with_gnn_rows(&network, given);
        pass.outputs().to_vec()
    }
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
