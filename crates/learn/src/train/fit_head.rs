//! Fitting the head of a path entry, beside the network that chose its patterns.
//!
//! Without `refit`, a head learns from the training part. With it, the head that is kept learns from the training and the
//! validation part together, while the metrics of the validation part stay those of a head that never saw it: the choice
//! among entries is honest, and no label is wasted. The test part is never seen.

use super::Trainer;
use super::iterate::Iterate;
use crate::head::{Head, Table};
use crate::presence::Presence;
use crate::search::Search;

/// A head with its outputs.
pub(super) struct FittedHead {
    /// What the model keeps.
    pub(super) head: Head,
    /// Outputs of the kept head for the training part.
    pub(super) of_train: Vec<f64>,
    /// Outputs for the validation part, by a head that never saw it, then for the test part, by the kept head.
    pub(super) held_out: Vec<f64>,
}

impl<S: Search, P: Presence> Trainer<S, P> {
    /// Fits the head for these patterns; none if the network is the head.
    pub(super) fn fit_head(&self, iterate: &Iterate) -> Option<FittedHead> {
        let data = &self.data;
        let params = self.params.head_params();
        let (rows, valid_rows) = (data.train.rows(), data.valid.rows());
        let mut values = self.table(iterate, 0, rows);
        let others = self.table(iterate, 1, valid_rows + data.test.rows());
        let outside = Table { values: &others, rows: valid_rows + data.test.rows() };
        let mut head = Head::fit(&params, Table { values: &values, rows }, &data.train, &data.weights)?;
        let mut held_out = head.outputs(outside);
        if self.params.refit {
            let columns = iterate.patterns.len();
            let (known, of_valid) = (values.len(), valid_rows * data.valid.outputs());
            values.extend_from_slice(&others[..valid_rows * columns]);
            let both = data.train.followed_by(&data.valid);
            let weights: Vec<f64> = data.weights.iter().copied().chain(vec![1.0; valid_rows]).collect();
            head = Head::fit(&params, Table { values: &values, rows: rows + valid_rows }, &both, &weights)?;
            held_out.truncate(of_valid);
            held_out.extend_from_slice(&head.outputs(outside)[of_valid..]);
            values.truncate(known);
        }
        let of_train = head.outputs(Table { values: &values, rows });
        Some(FittedHead { head, of_train, held_out })
    }

    /// Values of the patterns in use, one row a graph, in the training part (`part` 0) or in the others (1).
    fn table(&self, iterate: &Iterate, part: usize, rows: usize) -> Vec<f64> {
        let columns = iterate.patterns.len();
        let mut table = vec![0.0; rows * columns];
        for (column, pattern) in iterate.patterns.iter().enumerate() {
            for (row, value) in self.values.column(&self.supports[&pattern.code][part]).cells() {
                table[row * columns + column] = value;
            }
        }
        table
    }
}
