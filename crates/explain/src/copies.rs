//! Near-copies: subgraphs of a model that nearly the same graphs contain, as often.
//!
//! Of several near-copies a reader needs to see one: lists of the strongest subgraphs leave the others out. Promise: a
//! pair is listed if the Pearson correlation of the two features over the given rows is at least 0.8, and only then.

use crate::values::FeatureTable;

/// From this correlation on two subgraphs are near-copies.
const LEAST_CORRELATION: f64 = 0.8;

/// The pairs of near-copies among the first `patterns` features, each with the smaller index first, in order.
pub(crate) fn near_copies(table: &FeatureTable, rows: &[usize], patterns: usize) -> Vec<[usize; 2]> {
    // Centred columns of length 1; a column that is the same everywhere is no copy of any other.
    let column = |pattern: usize| -> Option<Vec<f64>> {
        let values: Vec<f64> = rows.iter().map(|&row| table.row(row)[pattern]).collect();
        let mean = values.iter().fold(0.0, |sum, value| sum + value) / values.len().max(1) as f64;
        let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let length = centred.iter().fold(0.0, |sum, value| sum + value * value).sqrt();
        (length > 0.0).then(|| centred.iter().map(|value| value / length).collect())
    };
    let columns: Vec<Option<Vec<f64>>> = (0..patterns).map(column).collect();
    let correlation = |[a, b]: [usize; 2]| -> Option<f64> {
        let products = columns[a].as_ref()?.iter().zip(columns[b].as_ref()?);
        Some(products.fold(0.0, |sum, (x, y)| sum + x * y))
    };
    let pairs = (0..patterns).flat_map(|a| (a + 1..patterns).map(move |b| [a, b]));
    pairs.filter(|&pair| correlation(pair).is_some_and(|found| found >= LEAST_CORRELATION)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_with_a_high_correlation() {
        // Feature 1 is twice feature 0, feature 2 nearly feature 0, feature 3 its opposite, feature 4 the same
        // everywhere.
        let of_row = |row: usize| {
            let value = (row % 4) as f64;
            [value, 2.0 * value, value + f64::from(u8::from(row == 3)), 3.0 - value, 1.0]
        };
        let table = FeatureTable::new((0..20).flat_map(of_row).collect(), 20, 5);
        let rows: Vec<usize> = (0..20).collect();
        assert_eq!(near_copies(&table, &rows, 5), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(near_copies(&table, &rows, 2), [[0, 1]]);
        // Of rows in which a feature does not vary nothing is said.
        assert!(near_copies(&table, &[0, 4, 8], 5).is_empty() && near_copies(&table, &[], 5).is_empty());
    }
}
