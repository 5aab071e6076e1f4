//! The pattern x graph matrix as dense rows: one row per graph, one column per pattern.
//!
//! Heads, explanations and Python read it. Training does not: its mining layer reads the sparse columns
//! (`forward/mining.rs`). Rows of a graph network or of a summary are joined on the right. Matrices are flat slices,
//! row after row.

use einsicht_search::feature::Column;

/// A view of a matrix of features: one row per graph, one column per pattern.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// Row after row.
    pub values: &'a [f64],
    /// Number of rows.
    pub rows: usize,
}

impl Table<'_> {
    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.values.len().checked_div(self.rows).unwrap_or(0)
    }
}

/// The matrix of these columns; a graph outside the support of a pattern has 0.
pub fn dense_matrix<'c>(columns: impl ExactSizeIterator<Item = Column<'c>>, rows: usize) -> Vec<f64> {
    let width = columns.len();
    let mut values = vec![0.0; rows * width];
    for (at, column) in columns.enumerate() {
        for (row, value) in column.cells() {
            values[row * width + at] = value;
        }
    }
    values
}

/// Writes the columns of `left`, then those of `right`, for each of `rows` rows.
pub fn join_columns(left: &[f64], right: &[f64], rows: usize, to: &mut Vec<f64>) {
    to.clear();
    let (a, b) = (left.len() / rows.max(1), right.len() / rows.max(1));
    for row in 0..rows {
        to.extend_from_slice(&left[row * a..][..a]);
        to.extend_from_slice(&right[row * b..][..b]);
    }
}

/// The first `width` columns, and the others.
pub fn split_columns(joined: &[f64], rows: usize, width: usize) -> (Vec<f64>, Vec<f64>) {
    let all = joined.len() / rows.max(1);
    let (mut left, mut right) = (Vec::with_capacity(rows * width), Vec::with_capacity(rows * (all - width)));
    for row in joined.chunks_exact(all.max(1)) {
        left.extend_from_slice(&row[..width]);
        right.extend_from_slice(&row[width..]);
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_has_a_row_for_each_graph_and_columns_that_are_joined_can_be_split_again() {
        let columns = [Column::present_in(&[0, 2]), Column::present_in(&[2])];
        let matrix = dense_matrix(columns.into_iter(), 3);
        assert_eq!(matrix, [1.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(Table { values: &matrix, rows: 3 }.columns(), 2);
        let (right, mut joined) = ([7.0, 8.0, 9.0], Vec::new());
        join_columns(&matrix, &right, 3, &mut joined);
        assert_eq!(joined[..3], [1.0, 0.0, 7.0]);
        assert_eq!(split_columns(&joined, 3, 2), (matrix, right.to_vec()));
    }
}
