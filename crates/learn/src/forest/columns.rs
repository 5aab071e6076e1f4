//! A table of numbers, column by column, each value replaced by its rank among the column's distinct values.
//!
//! Made once and shared by all trees of a forest: what a tree compares are small whole numbers.

use super::merge::Distinct;
use std::sync::OnceLock;

/// The columns of a table.
#[derive(Clone, Debug)]
pub struct Columns {
    rows: usize,
    columns: Vec<Column>,
    /// Made when first wanted; none inside if ranks are too long.
    distinct: OnceLock<Option<Distinct>>,
}

#[derive(Clone, Debug)]
pub(super) struct Column {
    /// The distinct values, increasing.
    pub(super) values: Vec<f64>,
    /// For each row the rank of its value.
    pub(super) ranks: Vec<u32>,
}

impl Columns {
    /// Takes in a table of finite numbers, one row after the other.
    ///
    /// # Panics
    /// If the table is not `rows` times `width` numbers, or one of them is not a number.
    pub fn new(table: &[f64], rows: usize, width: usize) -> Self {
        assert_eq!(table.len(), rows * width, "a table of {rows} rows and {width} columns");
        let column = |at: usize| {
            let here = || (0..rows).map(|row| table[row * width + at] + 0.0); // -0 becomes 0
            let mut values: Vec<f64> = here().collect();
            assert!(values.iter().all(|value| !value.is_nan()), "columns hold numbers only");
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            let ranks = here().map(|value| values.partition_point(|known| *known < value) as u32).collect();
            Column { values, ranks }
        };
        Self { rows, columns: (0..width).map(column).collect(), distinct: OnceLock::new() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn column(&self, at: usize) -> &Column {
        &self.columns[at]
    }

    /// The different rows; none if a column has too many values.
    pub(super) fn distinct(&self) -> Option<&Distinct> {
        self.distinct.get_or_init(|| Distinct::new(&self.columns, self.rows)).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_ranks() {
        let columns = Columns::new(&[0.5, 1.0, -2.0, 1.0, 0.5, 0.0], 3, 2);
        assert_eq!((columns.rows(), columns.width()), (3, 2));
        assert_eq!((&columns.column(0).values[..], &columns.column(0).ranks[..]), (&[-2.0, 0.5][..], &[1, 0, 1][..]));
        assert_eq!(columns.column(1).ranks, [1, 1, 0]);
        assert_eq!(Columns::new(&[0.0, -0.0], 2, 1).column(0).values.len(), 1);
    }
}
