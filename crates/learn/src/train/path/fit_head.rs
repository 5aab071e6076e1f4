//! Fitting the head of a path entry, beside the network that chose its patterns.
//!
//! Without `refit`, a head is fitted on the training set. With it, the head of the model is fitted on the training and the
//! validation set together, while the validation metrics stay those of a head that used the validation set for nothing
//! but the weight of its forest: the choice
//! among entries is unbiased by the refit, and every label is used. The test set is never seen.

use crate::features::PatternMatcher;
use crate::features::{dense_matrix, join_columns};
use crate::gnn::Summary;
use crate::heads::{Head, HeadKind, Table};
use crate::train::{Iterate, Trainer};
use einsicht_search::Search;

/// A head with its outputs.
pub(super) struct FittedHead {
    /// The head of the model.
    pub(super) head: Head,
    /// Its outputs for the training set.
    pub(super) of_train: Vec<f64>,
    /// Outputs for the validation set, by a head that was not fitted on it, then for the test set, by the head of the model.
    pub(super) held_out: Vec<f64>,
}

impl<S: Search, P: PatternMatcher> Trainer<S, P> {
    /// Fits the head for these patterns; none if the network is the head.
    pub(super) fn fit_head(&self, iterate: &Iterate) -> Option<FittedHead> {
        let data = &self.data;
        let params = self.params.head_params();
        if params.kind == HeadKind::Network {
            return None;
        }
        let (rows, valid_rows) = (data.train.rows(), data.valid.rows());
        let mut values = self.table(iterate, 0, rows);
        let others = self.table(iterate, 1, valid_rows + data.test.rows());
        let columns = values.len().checked_div(rows).unwrap_or(0);
        let (of_valid, of_test) = others.split_at(valid_rows * columns);
        let mut head = Head::fit(&params, Table { values: &values, rows }, &data.train, &data.weights)?;
        let mut held_out = head.weigh(Table { values: of_valid, rows: valid_rows }, &data.valid);
        if self.params.refit {
            let known = values.len();
            values.extend_from_slice(of_valid);
            let both = data.train.followed_by(&data.valid);
            let weights: Vec<f64> = data.weights.iter().copied().chain(vec![1.0; valid_rows]).collect();
            let again = Head::fit(&params, Table { values: &values, rows: rows + valid_rows }, &both, &weights)?;
            head = Head { forest_weight: head.forest_weight, ..again };
            values.truncate(known);
        }
        held_out.extend_from_slice(&head.outputs(Table { values: of_test, rows: data.test.rows() }));
        let of_train = head.outputs(Table { values: &values, rows });
        Some(FittedHead { head, of_train, held_out })
    }

    /// The features of the head, one row per graph, in the training set (`part` 0) or in the others (1): the values of the
    /// active patterns, then the summary of the graph.
    fn table(&self, iterate: &Iterate, part: usize, rows: usize) -> Vec<f64> {
        let columns = iterate.patterns.iter().map(|p| self.values.column(&self.supports[&p.code][part]));
        let values = dense_matrix(columns, rows);
        let Some(read) = self.data.gnn.as_ref().filter(|_| self.params.summary != Summary::None) else { return values };
        let graphs = if part == 0 { &read.train } else { &read.held_out };
        let summary = self.params.summary.rows(graphs, read.vertex_labels, read.encoder.mean.len());
        let mut table = Vec::with_capacity(values.len() + summary.len());
        join_columns(&values, &summary, rows, &mut table);
        table
    }
}
