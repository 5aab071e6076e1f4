//! A table of feature values: one row per graph, one column per feature.

/// Feature values of some graphs, row after row.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureTable {
    values: Vec<f64>,
    rows: usize,
    width: usize,
}

impl FeatureTable {
    /// A table of `rows` rows.
    ///
    /// # Panics
    /// If the number of values is not `rows` times the width.
    pub fn new(values: Vec<f64>, rows: usize, width: usize) -> Self {
        assert_eq!(values.len(), rows * width, "one value per feature in each of {rows} rows");
        Self { values, rows, width }
    }

    /// Number of graphs.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, row after row.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// The features of one graph.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..(row + 1) * self.width]
    }

    /// The rows at these positions, in this order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|&row| self.row(row).iter().copied()).collect();
        Self { values, rows: rows.len(), width: self.width }
    }

    /// The first `columns` features of every row.
    #[must_use]
    pub(crate) fn first_columns(&self, columns: usize) -> Self {
        let values = (0..self.rows).flat_map(|row| self.row(row)[..columns].iter().copied()).collect();
        Self { values, rows: self.rows, width: columns }
    }
}
