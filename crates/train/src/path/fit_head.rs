//! Fitting the head of a path entry, beside the network that chose its patterns.
//!
//! Promise: a head is fitted on the training set alone. The weight of its forest comes from graphs outside: the
//! validation set, or, once folds have chosen, their out-of-fold predictions. The test set is never seen.

use crate::heads::{fit_head, fit_head_without_forests, weigh};
use crate::{AnyRun, Purpose};
use einsicht_model::Iterate;
use einsicht_model::features::{dense_matrix, join_columns};
use einsicht_model::heads::{Head, HeadKind, HeadParams, Table};

#[derive(Default)]
pub(super) struct FittedHead {
    /// The head of the entry; nothing if that is the network, or if only its outputs are wanted.
    pub(super) head: Option<Head>,
    /// Its outputs for the training set; none if its forests were not grown.
    pub(super) of_train: Vec<f64>,
    /// The outputs of each of its parts for the validation set.
    pub(super) parts: Vec<Vec<f64>>,
    /// Its outputs for the validation set.
    pub(super) of_valid: Vec<f64>,
    /// Its outputs for the test set.
    pub(super) of_test: Vec<f64>,
}

impl AnyRun<'_> {
    /// Fits the head for these patterns; none if the network is the head.
    pub(super) fn fitted_head(&self, iterate: &Iterate) -> Option<FittedHead> {
        let ridge = self.params.ridge_of(iterate.patterns.len());
        let params = HeadParams { ridge, ..self.params.head_params() };
        if !params.kind.is_fitted() {
            return None;
        }
        let data = &self.data;
        let (rows, valid_rows) = (data.train.rows(), data.valid.rows());
        let values = self.table(iterate, 0, rows);
        let others = self.table(iterate, 1, valid_rows + data.test.rows());
        let columns = values.len().checked_div(rows).unwrap_or(0);
        let (of_valid, of_test) = others.split_at(valid_rows * columns);
        let of_valid = Table { values: of_valid, rows: valid_rows };
        let pairs = iterate.pairs_of_columns();
        let table = Table { values: &values, rows };
        if let (Purpose::Chosen(choice), false) = (&self.purpose, self.needs_outputs_now(params.kind)) {
            let mut head = fit_head_without_forests(&params, table, pairs, &data.train, &data.weights)?;
            head.set_forest_weight(choice.points[self.state.size_at].forest_weight);
            return Some(FittedHead { head: Some(head), ..FittedHead::default() });
        }
        let mut head = fit_head(&params, table, pairs, &data.train, &data.weights)?;
        let parts = head.part_outputs(of_valid);
        let mut fitted = FittedHead { parts, ..FittedHead::default() };
        match &self.purpose {
            Purpose::Model => fitted.of_valid = weigh(&mut head, &fitted.parts, &data.valid),
            Purpose::Fold(_) => return Some(fitted),
            Purpose::Chosen(choice) => head.set_forest_weight(choice.points[self.state.size_at].forest_weight),
        }
        fitted.of_test = head.outputs(Table { values: of_test, rows: data.test.rows() });
        fitted.of_train = head.outputs(Table { values: &values, rows });
        Some(FittedHead { head: Some(head), ..fitted })
    }

    /// Whether the outputs of this head are needed now. Once folds have chosen, forests of other sizes are grown for
    /// the test set alone.
    fn needs_outputs_now(&self, kind: HeadKind) -> bool {
        match &self.purpose {
            Purpose::Chosen(choice) => {
                !kind.has_forests() || choice.chosen == self.state.size_at || self.data.test.rows() > 0
            }
            Purpose::Model | Purpose::Fold(_) => true,
        }
    }

    /// The features of the head, one row per graph, in the training set (`part` 0) or in the others (1): the values of
    /// the active patterns, then the summary of the graph, then its features.
    fn table(&self, iterate: &Iterate, part: usize, rows: usize) -> Vec<f64> {
        let columns = iterate.patterns.iter().map(|p| self.values.column(&self.supports[&p.code][part]));
        let values = dense_matrix(columns, rows);
        let Some(read) = &self.data.side else { return values };
        let graphs = if part == 0 { &read.train } else { &read.held_out };
        let summary = self.params.summary.rows(graphs, read.vertex_labels, &read.encoder);
        let mut table = Vec::with_capacity(values.len() + summary.len());
        join_columns(&values, &summary, rows, &mut table);
        table
    }
}
