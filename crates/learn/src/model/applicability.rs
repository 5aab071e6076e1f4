//! How close a graph is to what a model was trained on, in the space of the model's patterns.
//!
//! The similarity of two graphs is that of Tanimoto (Jaccard, for presences): the sum of the smaller of the two counts of each
//! pattern, divided by the sum of the larger. Promise: it is between 0 and 1; it is 1 if and only if all values are equal, and
//! two graphs without any pattern are equal. The applicability of a prediction is the similarity to the nearest training graph:
//! 1 means that the model was fitted to a graph that it cannot tell from this one, 0 that it shares nothing with any.
//!
//! ```
//! use einsicht_learn::model::applicability::TrainingRows;
//! let training = TrainingRows::new(&[1, 0, 2, 1], 2);
//! let nearest = training.nearest(&[1, 1]);
//! assert_eq!((nearest.row, nearest.similarity), (1, 2.0 / 3.0));
//! ```

use super::Model;
use einsicht_graph::{Support, stop};
use rayon::prelude::*;
use std::collections::BTreeMap;
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
        let width = self.best().iterate.patterns.len();
        (entry == self.chosen && !self.picked).then(|| TrainingRows::new(&self.seen.counts, width))
    }
}

/// Tanimoto similarity of two rows of counts.
///
/// # Panics
/// If the rows have different lengths.
pub fn similarity(one: &[u8], other: &[u8]) -> f64 {
    assert_eq!(one.len(), other.len(), "one count per pattern in both rows");
    let sum = |row: &[u8]| row.iter().map(|count| u32::from(*count)).sum::<u32>();
    ratio(common(one, other), sum(one) + sum(other))
}

/// The sum of the smaller counts. The sum of the larger is what is left of both sums.
fn common(one: &[u8], other: &[u8]) -> u32 {
    one.iter().zip(other).map(|(a, b)| u32::from(*a.min(b))).sum()
}

fn ratio(common: u32, both: u32) -> f64 {
    if both > 0 { f64::from(common) / f64::from(both - common) } else { 1.0 }
}

/// The training graph that is nearest to a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Its position in the training set; the first of equally near ones.
    pub row: usize,
    /// Its similarity.
    pub similarity: f64,
}

/// Counts of the patterns in the training graphs: each different row once, with the first graph that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingRows {
    width: usize,
    /// Different rows, by their sums.
    counts: Vec<u8>,
    /// Sum of each row.
    sums: Vec<u32>,
    /// The first graph of each row.
    first: Vec<usize>,
}

impl TrainingRows {
    /// Rows of `width` counts, one after the other.
    ///
    /// # Panics
    /// If there is not a whole number of rows, or no row.
    pub fn new(counts: &[u8], width: usize) -> Self {
        assert!(width == 0 || (!counts.is_empty() && counts.len().is_multiple_of(width)), "whole rows");
        let mut first: BTreeMap<&[u8], usize> = BTreeMap::new();
        for (at, row) in counts.chunks_exact(width.max(1)).enumerate() {
            first.entry(row).or_insert(at);
        }
        let sum = |row: &[u8]| row.iter().map(|count| u32::from(*count)).sum::<u32>();
        let mut rows: Vec<(u32, usize, &[u8])> = first.into_iter().map(|(row, at)| (sum(row), at, row)).collect();
        rows.sort_unstable();
        Self {
            width,
            counts: rows.iter().flat_map(|(_, _, row)| row.iter().copied()).collect(),
            sums: rows.iter().map(|(sum, ..)| *sum).collect(),
            first: rows.iter().map(|(_, first, _)| *first).collect(),
        }
    }

    /// The nearest training graph of a graph with these counts.
    ///
    /// # Panics
    /// If there are not as many counts as in a training row.
    pub fn nearest(&self, counts: &[u8]) -> Nearest {
        self.nearest_and_looks(counts).0
    }

    /// The same, with the number of rows that were compared.
    fn nearest_and_looks(&self, counts: &[u8]) -> (Nearest, usize) {
        assert_eq!(counts.len(), self.width, "one count per pattern");
        let mut best = Nearest { row: 0, similarity: if self.width == 0 { 1.0 } else { -1.0 } };
        let sum: u32 = counts.iter().map(|count| u32::from(*count)).sum();
        // Two rows share at most the smaller of their sums, and division is monotone: so rows are visited from the sum of this graph in both
        // directions, the side with the higher bound first, until no row can be as near.
        let bound = |at: usize| {
            let (least, most) = (self.sums[at].min(sum), self.sums[at].max(sum));
            if most > 0 { f64::from(least) / f64::from(most) } else { 1.0 }
        };
        let middle = self.sums.partition_point(|other| *other < sum);
        let (mut below, mut above) = ((0..middle).rev().peekable(), (middle..self.sums.len()).peekable());
        let mut looks = 0;
        loop {
            let bounds = [below.peek().map_or(-1.0, |at| bound(*at)), above.peek().map_or(-1.0, |at| bound(*at))];
            let Some(at) = (if bounds[0] > bounds[1] { below.next() } else { above.next() }) else { break };
            if bounds[0].max(bounds[1]) < best.similarity {
                break;
            }
            looks += 1;
            let row = &self.counts[at * self.width..][..self.width];
            let found = ratio(common(counts, row), sum + self.sums[at]);
            if found > best.similarity || (found == best.similarity && self.first[at] < best.row) {
                best = Nearest { row: self.first[at], similarity: found };
            }
        }
        stop::work(looks);
        (best, looks)
    }

    /// The same for rows of counts, one after the other.
    pub fn nearest_of_all(&self, counts: &[u8], rows: usize) -> Vec<Nearest> {
        (0..rows).into_par_iter().map(|row| self.nearest(&counts[row * self.width..][..self.width])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, by sums of smaller and of larger counts.
    fn by_definition(one: &[u8], other: &[u8]) -> f64 {
        let pairs = || one.iter().zip(other);
        let (common, all) = (
            pairs().map(|(a, b)| f64::from(*a.min(b))).sum::<f64>(),
            pairs().map(|(a, b)| f64::from(*a.max(b))).sum::<f64>(),
        );
        if all > 0.0 { common / all } else { 1.0 }
    }

    #[test]
    fn similarity_is_one_for_equal_rows_only() {
        assert_eq!(similarity(&[1, 0, 3], &[1, 0, 3]), 1.0);
        assert_eq!(similarity(&[0, 0], &[0, 0]), 1.0);
        assert_eq!(similarity(&[1, 0], &[0, 1]), 0.0);
        assert_eq!(similarity(&[1, 1, 0], &[1, 0, 1]), 1.0 / 3.0);
        assert_eq!(similarity(&[2], &[3]), similarity(&[3], &[2]));
        assert_eq!(similarity(&[255; 100], &[254; 100]), 254.0 / 255.0);
    }

    #[test]
    fn the_nearest_row_is_that_of_a_plain_search_and_few_rows_are_compared() {
        let mut random = einsicht_data::random::Random::new(7);
        let (mut looks, mut ties) = (0, 0);
        for width in [1, 2, 5, 40] {
            let mut rows = |count: usize| -> Vec<u8> { (0..count * width).map(|_| random.below(4) as u8).collect() };
            let (training, new) = (rows(60), rows(40));
            let of_training = TrainingRows::new(&training, width);
            let found = of_training.nearest_of_all(&new, 40);
            for (counts, found) in new.chunks(width).zip(found) {
                let all: Vec<f64> = training.chunks(width).map(|row| by_definition(counts, row)).collect();
                let best = all.iter().copied().fold(0.0, f64::max);
                let first = all.iter().position(|value| *value == best).unwrap();
                assert_eq!(found, Nearest { row: first, similarity: best });
                ties += usize::from(all.iter().filter(|value| **value == best).count() > 1);
                looks += of_training.nearest_and_looks(counts).1;
            }
        }
        assert!(looks < 4 * 40 * 60 / 2 && ties > 10, "{looks} rows compared, {ties} ties");
    }

    #[test]
    fn without_patterns_all_graphs_are_equal() {
        assert_eq!(TrainingRows::new(&[], 0).nearest(&[]), Nearest { row: 0, similarity: 1.0 });
    }
}
