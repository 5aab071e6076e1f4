//! Sums of the mining layer for rows that differ from the one before in a single value: what sampled Shapley values ask
//! for.
//!
//! Promise: the bits of [`super::mining::sums_of_matrix`] on the same rows. There patterns are added in their order, so
//! what comes before the value that changed is the same sum as in the row before; it is kept, and only the patterns
//! from there on are added again.

use einsicht_search::with_units;

/// Rows that begin with `first`; in each list of changes (pattern, value) every change gives one row more.
pub struct RowWalks<'a> {
    /// The values of the row that each list begins with.
    pub first: &'a [f64],
    /// Lists of changes, one after the other.
    pub changes: &'a [Vec<(usize, f64)>],
}

impl RowWalks<'_> {
    /// Number of rows: for each list its first row, and one per change.
    pub fn rows(&self) -> usize {
        self.changes.iter().map(|changes| 1 + changes.len()).sum()
    }

    /// The sums, row after row; `weights` are those of each pattern, in order. Nothing for a number of units that is
    /// not provided for.
    pub fn sums(&self, weights: &[&[f64]], hidden: usize) -> Option<Vec<f64>> {
        with_units!(hidden in [1, 2, 4, 6, 8, 10, 16], K => Some(self.fixed_sums::<K>(weights)), _ => None)
    }

    fn fixed_sums<const K: usize>(&self, weights: &[&[f64]]) -> Vec<f64> {
        let mut state = SumsSoFar::<K>::new(self.first, weights);
        let mut sums = Vec::with_capacity(self.rows() * K);
        for changes in self.changes {
            state.begin(self.first);
            sums.extend_from_slice(&state.add_from(0));
            for &(pattern, value) in changes {
                state.set(pattern, value);
                sums.extend_from_slice(&state.add_from(pattern));
            }
        }
        sums
    }
}

/// All rows as a matrix: `first`, then a row for each (column, value) of a list, and again `first` with the next list.
pub fn rows_along(first: &[f64], changes: &[Vec<(usize, f64)>]) -> Vec<f64> {
    let rows: usize = changes.iter().map(|changes| 1 + changes.len()).sum();
    let mut table = Vec::with_capacity(rows * first.len());
    for changes in changes {
        table.extend_from_slice(first);
        for &(column, value) in changes {
            let last = table.len() - first.len();
            table.extend_from_within(last..);
            table[last + first.len() + column] = value;
        }
    }
    table
}

/// One row, and its sums up to each of its patterns.
struct SumsSoFar<const K: usize> {
    weights: Vec<[f64; K]>,
    /// The value of each pattern times its weights.
    terms: Vec<[f64; K]>,
    /// The patterns whose values are not 0, as bits.
    present: Vec<u64>,
    /// Of each such pattern: the sum of all patterns up to it.
    up_to: Vec<[f64; K]>,
}

impl<const K: usize> SumsSoFar<K> {
    fn new(first: &[f64], weights: &[&[f64]]) -> Self {
        let fixed = |weights: &&[f64]| std::array::from_fn(|k| weights[k]);
        let width = first.len();
        Self {
            weights: weights.iter().map(fixed).collect(),
            terms: vec![[0.0; K]; width],
            present: vec![0; width.div_ceil(64)],
            up_to: vec![[0.0; K]; width],
        }
    }

    fn begin(&mut self, first: &[f64]) {
        for (pattern, &value) in first.iter().enumerate() {
            self.set(pattern, value);
        }
    }

    fn set(&mut self, pattern: usize, value: f64) {
        self.terms[pattern] = self.weights[pattern].map(|weight| value * weight);
        let (word, bit) = (&mut self.present[pattern / 64], 1 << (pattern % 64));
        *word = if value == 0.0 { *word & !bit } else { *word | bit };
    }

    /// The sum of all patterns before this one.
    fn before(&self, pattern: usize) -> [f64; K] {
        let (mut at, bit) = (pattern / 64, pattern % 64);
        let mut word = self.present.get(at).map_or(0, |word| word & ((1 << bit) - 1));
        while word == 0 && at > 0 {
            at -= 1;
            word = self.present[at];
        }
        if word == 0 { [0.0; K] } else { self.up_to[64 * at + word.ilog2() as usize] }
    }

    /// Adds this pattern and those after it; the sum of all.
    fn add_from(&mut self, pattern: usize) -> [f64; K] {
        // HOT: a million times for the effects of a network with a hundred subgraphs.
        let mut row = self.before(pattern);
        let mut keep = !0 << (pattern % 64);
        for at in pattern / 64..self.present.len() {
            let mut left = self.present[at] & keep;
            keep = !0;
            while left != 0 {
                let next = 64 * at + left.trailing_zeros() as usize;
                left &= left - 1;
                let term = &self.terms[next];
                for k in 0..K {
                    row[k] += term[k];
                }
                self.up_to[next] = row;
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forward::mining::sums_of_matrix;
    use einsicht_data::random::Random;

    #[test]
    fn a_walk_has_the_bits_of_its_rows_for_any_number_of_patterns_and_units() {
        let mut random = Random::new(5);
        let mut walked = 0;
        for patterns in [0, 1, 2, 63, 64, 65, 130] {
            for hidden in 1..18 {
                let mut number = |of: f64| (random.index(2001) as f64 - 1000.0) / of;
                let weights: Vec<Vec<f64>> =
                    (0..patterns).map(|_| (0..hidden).map(|_| number(317.0)).collect()).collect();
                let weights: Vec<&[f64]> = weights.iter().map(Vec::as_slice).collect();
                let value = |random: &mut Random| [0.0, 0.0, 1.0, 2.5, -1.0][random.index(5)];
                let first: Vec<f64> = (0..patterns).map(|_| value(&mut random)).collect();
                let mut changes: Vec<Vec<(usize, f64)>> = vec![Vec::new(), Vec::new()];
                for at in 0..3 * patterns {
                    changes[at % 2].push((random.index(patterns), value(&mut random)));
                }
                let walks = RowWalks { first: &first, changes: &changes };
                let mut wanted = vec![9.0; walks.rows() * hidden];
                sums_of_matrix(&mut wanted, &rows_along(&first, &changes), &weights, hidden);
                if let Some(found) = walks.sums(&weights, hidden) {
                    walked += 1;
                    let bits = |sums: &[f64]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<u64>>();
                    assert_eq!(bits(&found), bits(&wanted), "{patterns} patterns, {hidden} units");
                }
            }
        }
        assert_eq!(walked, 7 * 7);
    }
}
