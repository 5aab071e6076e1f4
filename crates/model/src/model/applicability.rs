//! How close a graph is to what a model was trained on, in the space of the model's patterns.
//!
//! The similarity of two graphs is that of Tanimoto (Jaccard, for presences): the sum of the smaller of the two counts
//! of each pattern, divided by the sum of the larger. Promise: it is between 0 and 1; it is 1 if and only if all values
//! are equal and not all are zero. A graph without any pattern is similar to none: that both lack everything says
//! nothing about them. The applicability of a prediction is the similarity to the nearest training graph: 1 means that
//! the model was fitted to a graph with the same counts of its patterns, 0 that it shares no pattern with any.
//!
//! ```
//! use einsicht_model::applicability::TrainingRows;
//! let training = TrainingRows::new(&[1, 0, 2, 1], 2);
//! let nearest = training.nearest(&[1, 1]);
//! assert_eq!((nearest.row, nearest.similarity), (1, 2.0 / 3.0));
//! ```

use super::Model;
use einsicht_graph::{Support, stop};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Larger counts are stored as this one.
const LARGEST: u32 = 255;

/// Counts of patterns (1 where only presence is known), at most 255 each, one row per graph: from their supports.
pub fn capped_counts(supports: &[Arc<Support>], graphs: usize) -> Vec<u8> {
    let mut counts = vec![0; graphs * supports.len()];
    for (column, support) in supports.iter().enumerate() {
        for (at, &graph) in support.graphs().iter().enumerate() {
            let count = support.counts().get(at).map_or(1, |count| count.min(LARGEST));
            counts[graph as usize * supports.len() + column] = count as u8;
        }
    }
    counts
}

impl Model {
    /// Counts of the chosen entry's patterns in the graphs that the model was fitted on, to compare others with;
    /// nothing for other entries.
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
    ratio(common(one, other), sum_of(one) + sum_of(other))
}

/// The sum of the smaller counts. The sum of the larger is what is left of both sums.
fn common(one: &[u8], other: &[u8]) -> u32 {
    one.iter().zip(other).map(|(a, b)| u32::from(*a.min(b))).sum()
}

fn ratio(common: u32, both: u32) -> f64 {
    if both > 0 { f64::from(common) / f64::from(both - common) } else { 0.0 }
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
    /// Different rows, by their sums, then by their counts.
    counts: Vec<u8>,
    /// For each different sum where its rows start, increasing; the last entry is their end.
    starts: Vec<(u32, usize)>,
    /// Of each row the sums of consecutive groups of counts; empty if there are too many counts for it.
    group_sums: Vec<GroupSums>,
    /// The first graph of each row.
    first: Vec<usize>,
}

/// Sums of the counts of a row in consecutive groups of columns. Two rows share no more of a group than the smaller of
/// its sums; patterns that contain one another are near each other, so their counts differ in the same direction as a
/// rule, and the bound is tight.
type GroupSums = [i16; GROUPS];

const GROUPS: usize = 8;
/// With more counts the sum of a group might not fit.
const MOST_GROUPED: usize = GROUPS * (i16::MAX as usize / LARGEST as usize);

fn sum_of(row: &[u8]) -> u32 {
    row.iter().map(|count| u32::from(*count)).sum()
}

fn group_sums(row: &[u8]) -> GroupSums {
    let mut sums = [0; GROUPS];
    for (sum, group) in sums.iter_mut().zip(row.chunks(row.len().div_ceil(GROUPS).max(1))) {
        *sum = group.iter().map(|count| i16::from(*count)).sum();
    }
    sums
}

/// No two rows with these sums have more in common.
#[inline]
fn most_common(one: &GroupSums, other: &GroupSums) -> u32 {
    // HOT: most rows are compared by this alone.
    let smaller: GroupSums = std::array::from_fn(|group| one[group].min(other[group]));
    smaller.iter().fold(0, |sum, count| sum + i32::from(*count)).unsigned_abs()
}

/// The least that two rows with these sums together must have in common to be as similar.
fn least_common(similarity: f64, both: u32) -> u32 {
    // What they have in common is at most half of both; the guess may be off by a rounding.
    let half = both / 2;
    let guess = (similarity.max(0.0) * f64::from(both) / (1.0 + similarity.max(0.0))) as u32;
    let mut least = guess.saturating_sub(1).min(half);
    while least <= half && ratio(least, both) < similarity {
        least += 1;
    }
    least
}

impl TrainingRows {
    /// Rows of `width` counts, one after the other.
    ///
    /// # Panics
    /// If there is not a whole number of rows, or no row.
    pub fn new(counts: &[u8], width: usize) -> Self {
        assert!(width == 0 || (!counts.is_empty() && counts.len().is_multiple_of(width)), "whole rows");
        let mut rows: Vec<(u32, &[u8], usize)> =
            counts.chunks_exact(width.max(1)).enumerate().map(|(at, row)| (sum_of(row), row, at)).collect();
        rows.sort_unstable();
        rows.dedup_by_key(|(_, row, _)| *row);
        let mut starts: Vec<(u32, usize)> = rows.iter().enumerate().map(|(at, (sum, ..))| (*sum, at)).collect();
        starts.dedup_by_key(|(sum, _)| *sum);
        starts.push((u32::MAX, rows.len()));
        let grouped = rows.iter().filter(|_| width <= MOST_GROUPED);
        Self {
            width,
            counts: rows.iter().flat_map(|(_, row, _)| row.iter().copied()).collect(),
            starts,
            group_sums: grouped.map(|(_, row, _)| group_sums(row)).collect(),
            first: rows.iter().map(|(_, _, first)| *first).collect(),
        }
    }

    /// The nearest training graph of a graph with these counts.
    ///
    /// # Panics
    /// If there are not as many counts as in a training row.
    pub fn nearest(&self, counts: &[u8]) -> Nearest {
        self.nearest_and_looks(counts).0
    }

    /// The same, with the number of rows of which all counts were compared.
    fn nearest_and_looks(&self, counts: &[u8]) -> (Nearest, usize) {
        assert_eq!(counts.len(), self.width, "one count per pattern");
        let sum = sum_of(counts);
        if sum == 0 {
            return (Nearest { row: 0, similarity: 0.0 }, 0);
        }
        let middle = self.starts.partition_point(|(other, _)| *other < sum);
        if self.starts[middle].0 == sum
            && let Some(row) = self.find(counts, self.starts[middle].1..self.starts[middle + 1].1)
        {
            return (Nearest { row: self.first[row], similarity: 1.0 }, 1);
        }
        let mut search = NearestSearch {
            rows: self,
            counts,
            sum,
            group_sums: group_sums(&counts[..if self.group_sums.is_empty() { 0 } else { self.width }]),
            best: Nearest { row: 0, similarity: -1.0 },
            looks: 0,
        };
        // Two rows share at most the smaller of their sums, and division is monotone: so rows are visited from the sum
        // of this graph in both directions, the side with the higher bound first, until no row can be as near.
        let bound = |block: usize| {
            let other = self.starts[block].0;
            let (least, most) = (other.min(sum), other.max(sum));
            f64::from(least) / f64::from(most)
        };
        let blocks = self.starts.len() - 1;
        let (mut below, mut above) = ((0..middle).rev().peekable(), (middle..blocks).peekable());
        loop {
            let bounds = [below.peek().map_or(-1.0, |at| bound(*at)), above.peek().map_or(-1.0, |at| bound(*at))];
            let Some(block) = (if bounds[0] > bounds[1] { below.next() } else { above.next() }) else { break };
            if bounds[0].max(bounds[1]) < search.best.similarity {
                break;
            }
            search.visit(block);
        }
        (search.best, search.looks)
    }

    /// The row with these counts among some, if it is there.
    fn find(&self, counts: &[u8], rows: Range<usize>) -> Option<usize> {
        let (mut from, mut to) = (rows.start, rows.end);
        while from < to {
            let middle = from.midpoint(to);
            match self.row(middle).cmp(counts) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => to = middle,
            }
        }
        None
    }

    fn row(&self, at: usize) -> &[u8] {
        &self.counts[at * self.width..][..self.width]
    }

    /// The same for rows of counts, one after the other.
    pub(crate) fn nearest_of_all(&self, counts: &[u8], rows: usize) -> Vec<Nearest> {
        (0..rows).into_par_iter().map(|row| self.nearest(&counts[row * self.width..][..self.width])).collect()
    }
}

/// A search for the nearest of the training graphs.
struct NearestSearch<'a> {
    rows: &'a TrainingRows,
    counts: &'a [u8],
    sum: u32,
    group_sums: GroupSums,
    best: Nearest,
    /// Rows of which all counts were compared.
    looks: usize,
}

impl NearestSearch<'_> {
    /// Compares the rows of one sum.
    fn visit(&mut self, block: usize) {
        let (sum, start) = self.rows.starts[block];
        let end = self.rows.starts[block + 1].1;
        let both = self.sum + sum;
        stop::work(1 + (end - start) / 4);
        let mut least = least_common(self.best.similarity, both);
        for at in start..end {
            let groups = self.rows.group_sums.get(at);
            if groups.is_some_and(|groups| most_common(groups, &self.group_sums) < least) {
                continue;
            }
            self.looks += 1;
            let found = ratio(common(self.counts, self.rows.row(at)), both);
            let Nearest { row, similarity } = self.best;
            if found > similarity || (found == similarity && self.rows.first[at] < row) {
                self.best = Nearest { row: self.rows.first[at], similarity: found };
                least = least_common(found, both);
            }
        }
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
        if all > 0.0 { common / all } else { 0.0 }
    }

    #[test]
    fn similarity_is_one_for_equal_rows_only() {
        assert_eq!(similarity(&[1, 0, 3], &[1, 0, 3]), 1.0);
        assert_eq!(similarity(&[0, 0], &[0, 0]), 0.0);
        assert_eq!(similarity(&[1, 0], &[0, 1]), 0.0);
        assert_eq!(similarity(&[1, 1, 0], &[1, 0, 1]), 1.0 / 3.0);
        assert_eq!(similarity(&[2], &[3]), similarity(&[3], &[2]));
        assert_eq!(similarity(&[255; 100], &[254; 100]), 254.0 / 255.0);
    }

    #[test]
    fn what_rows_must_have_in_common_is_the_least_that_is_as_similar() {
        for both in [1, 2, 3, 10, 37, 1000] {
            for similarity in (0..=both / 2).map(|common| ratio(common, both)).chain([-1.0, 0.0, 0.3, 1.0]) {
                let least = (0..=both / 2).find(|common| ratio(*common, both) >= similarity).unwrap_or(both / 2 + 1);
                assert_eq!(least_common(similarity, both), least, "{similarity} {both}");
            }
        }
    }

    #[test]
    fn the_nearest_row_is_that_of_a_plain_search_and_few_rows_are_compared() {
        let mut random = einsicht_data::random::Random::new(7);
        let (mut looks, mut ties) = (0, 0);
        for width in [1, 2, 5, 40, MOST_GROUPED, MOST_GROUPED + 1] {
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
                // Random rows of a thousand counts have nearly the same sums, of all groups too.
                looks += if width <= 40 { of_training.nearest_and_looks(counts).1 } else { 0 };
            }
        }
        assert!(looks < 4 * 40 * 60 / 2 && ties > 10, "{looks} rows compared, {ties} ties");
    }

    #[test]
    fn a_graph_without_patterns_is_similar_to_none() {
        assert_eq!(TrainingRows::new(&[], 0).nearest(&[]), Nearest { row: 0, similarity: 0.0 });
        assert_eq!(TrainingRows::new(&[1, 2, 0, 0], 2).nearest(&[0, 0]), Nearest { row: 0, similarity: 0.0 });
    }
}
