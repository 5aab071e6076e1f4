//! How close a graph is to what a model was trained on, in the space of the model's patterns.
//!
//! The similarity of two graphs is that of Tanimoto (Jaccard, for presences): the sum of the smaller of the two counts of each
//! pattern, divided by the sum of the larger. Promise: it is between 0 and 1; it is 1 if and only if all values are equal, and
//! two graphs without any pattern are equal. The applicability of a prediction is the similarity to the nearest training graph:
//! 1 means that the model was fitted to a graph that it cannot tell from this one, 0 that it shares nothing with any.
//!
//! ```
//! use einsicht_learn::model::applicability::TrainingRows;
//! let training = TrainingRows::new(&[1.0, 0.0, 2.0, 1.0], 2);
//! let nearest = training.nearest(&[1.0, 1.0]);
//! assert_eq!((nearest.row, nearest.similarity), (1, 2.0 / 3.0));
//! ```

use super::Model;
use einsicht_graph::Support;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Larger counts are stored as this one.
const LARGEST: u32 = 255;

/// Counts of patterns (1 where only presence is known), at most 255 each, one row per graph: from their supports.
pub(crate) fn capped_counts(supports: &[Arc<Support>], graphs: usize) -> Vec<u8> {
    let mut counts = vec![0; graphs * supports.len()];
    for (column, support) in supports.iter().enumerate() {
        for (at, &graph) in support.graphs().iter().enumerate() {
            let count = support.counts().get(at).map_or(1, |count| (*count).min(LARGEST));
            counts[graph as usize * supports.len() + column] = count as u8;
        }
    }
    counts
}

impl Model {
    /// Counts of the chosen entry's patterns in the graphs that the model was fitted on, to compare others with; nothing for other entries.
    pub fn fitted_counts(&self, entry: usize) -> Option<TrainingRows> {
        let counts: Vec<f64> = self.seen.counts.iter().map(|count| f64::from(*count)).collect();
        (entry == self.chosen && !self.picked).then(|| TrainingRows::new(&counts, self.best().iterate.patterns.len()))
    }
}

/// Tanimoto similarity of two rows of values, none of them negative.
///
/// # Panics
/// If the rows have different lengths.
pub fn similarity(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len(), "one value per pattern in both rows");
    let (mut common, mut all) = (0.0, 0.0);
    for (a, b) in one.iter().zip(other) {
        common += a.min(*b);
        all += a.max(*b);
    }
    if all > 0.0 { common / all } else { 1.0 }
}

/// The training graph that is nearest to a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Its position in the training set; the first of equally near ones.
    pub row: usize,
    /// Its similarity.
    pub similarity: f64,
}

/// Values of the patterns in the training graphs: each different row once, with the first graph that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingRows {
    width: usize,
    /// Different rows, in the order of their first graphs.
    values: Vec<f64>,
    /// Sum of each row.
    sums: Vec<f64>,
    /// The first graph of each row.
    first: Vec<usize>,
}

impl TrainingRows {
    /// Rows of `width` values, one after the other; as [`crate::model::Model::values`] hands them out.
    ///
    /// # Panics
    /// If there is not a whole number of rows, or no row.
    pub fn new(values: &[f64], width: usize) -> Self {
        assert!(width == 0 || (!values.is_empty() && values.len().is_multiple_of(width)), "whole rows");
        let mut rows = Self { width, values: Vec::new(), sums: Vec::new(), first: Vec::new() };
        let mut seen: BTreeSet<Vec<u64>> = BTreeSet::new();
        for (at, row) in values.chunks_exact(width.max(1)).enumerate() {
            if seen.insert(row.iter().map(|value| value.to_bits()).collect()) {
                rows.values.extend_from_slice(row);
                rows.sums.push(row.iter().sum());
                rows.first.push(at);
            }
        }
        rows
    }

    /// The nearest training graph of a graph with these values.
    ///
    /// # Panics
    /// If there are not as many values as in a training row.
    pub fn nearest(&self, values: &[f64]) -> Nearest {
        assert_eq!(values.len(), self.width, "one value per pattern");
        let sum: f64 = values.iter().sum();
        let mut best = Nearest { row: 0, similarity: if self.width == 0 { 1.0 } else { -1.0 } };
        for (at, row) in self.values.chunks_exact(self.width.max(1)).enumerate() {
            let (least, most) = if sum < self.sums[at] { (sum, self.sums[at]) } else { (self.sums[at], sum) };
            // No row shares more than the smaller of the two sums. With a margin for rounding.
            if most > 0.0 && least / most < best.similarity - 1e-9 {
                continue;
            }
            let found = similarity(values, row);
            if found > best.similarity {
                best = Nearest { row: self.first[at], similarity: found };
            }
        }
        best
    }

    /// The same for rows of values, one after the other.
    pub fn nearest_of_all(&self, values: &[f64], rows: usize) -> Vec<Nearest> {
        (0..rows).into_par_iter().map(|row| self.nearest(&values[row * self.width..][..self.width])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_one_for_equal_rows_only() {
        assert_eq!(similarity(&[1.0, 0.0, 3.0], &[1.0, 0.0, 3.0]), 1.0);
        assert_eq!(similarity(&[0.0, 0.0], &[0.0, 0.0]), 1.0);
        assert_eq!(similarity(&[1.0, 0.0], &[0.0, 1.0]), 0.0);
        assert_eq!(similarity(&[1.0, 1.0, 0.0], &[1.0, 0.0, 1.0]), 1.0 / 3.0);
        assert_eq!(similarity(&[2.0], &[3.0]), similarity(&[3.0], &[2.0]));
    }

    #[test]
    fn the_nearest_row_is_that_of_a_plain_search() {
        let mut random = einsicht_data::random::Random::new(7);
        for width in [1, 2, 5] {
            let mut rows =
                |count: usize| -> Vec<f64> { (0..count * width).map(|_| f64::from(random.below(4) as u32)).collect() };
            let (training, new) = (rows(60), rows(40));
            let found = TrainingRows::new(&training, width).nearest_of_all(&new, 40);
            for (values, found) in new.chunks(width).zip(found) {
                let all: Vec<f64> = training.chunks(width).map(|row| similarity(values, row)).collect();
                let best = all.iter().copied().fold(0.0, f64::max);
                let first = all.iter().position(|value| *value == best).unwrap();
                assert_eq!(found, Nearest { row: first, similarity: best });
            }
        }
    }

    #[test]
    fn without_patterns_all_graphs_are_equal() {
        assert_eq!(TrainingRows::new(&[], 0).nearest(&[]), Nearest { row: 0, similarity: 1.0 });
    }
}
