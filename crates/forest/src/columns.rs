//! A table of numbers, column by column, each value replaced by its rank among the column's distinct values.
//!
//! Computed once for all trees of a forest: trees compare small integers.

use super::merge::DistinctRows;
use std::sync::OnceLock;

/// The columns of a table.
#[derive(Clone, Debug)]
pub struct Columns {
    rows: usize,
    all: Vec<Column>,
    /// Computed at the first use; `None` inside if a rank does not fit into 16 bits.
    distinct: OnceLock<Option<DistinctRows>>,
}

#[derive(Clone, Debug)]
pub(super) struct Column {
    /// The distinct values, increasing.
    pub(super) values: Vec<f64>,
    /// For each row the rank of its value.
    pub(super) ranks: Vec<u32>,
}

impl Columns {
    /// The columns of a table of finite numbers, given row after row.
    ///
    /// # Panics
    /// If the table is not `rows` times `width` numbers, or one of them is not a number.
    pub fn new(table: &[f64], rows: usize, width: usize) -> Self {
        assert_eq!(table.len(), rows * width, "a table of {rows} rows and {width} columns");
        let mut index = Index::new(rows);
        let column = |at: usize| index.column((0..rows).map(|row| table[row * width + at] + 0.0)); // -0 becomes 0
        Self { rows, all: (0..width).map(column).collect(), distinct: OnceLock::new() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.all.len()
    }

    pub(super) fn column(&self, at: usize) -> &Column {
        &self.all[at]
    }

    /// The distinct rows; `None` if a column has too many values.
    pub(super) fn distinct(&self) -> Option<&DistinctRows> {
        self.distinct.get_or_init(|| DistinctRows::new(&self.all, self.rows)).as_ref()
    }
}

/// A hash table from the bits of a value to its index among the distinct values.
struct Index {
    /// Indices into the list of distinct values, by hash; [`FREE`] if there is none. At most half of them are used.
    indices: Vec<u32>,
    shift: u32,
}

const FREE: u32 = u32::MAX;

impl Index {
    fn new(rows: usize) -> Self {
        let bits = (2 * rows).next_power_of_two().trailing_zeros().max(1);
        Self { indices: vec![FREE; 1 << bits], shift: 64 - bits }
    }

    fn column(&mut self, numbers: impl Iterator<Item = f64>) -> Column {
        let mut seen: Vec<f64> = Vec::new();
        let mut ranks: Vec<u32> = numbers.map(|number| self.index_of(number, &mut seen)).collect();
        self.indices.fill(FREE);
        assert!(seen.iter().all(|value| !value.is_nan()), "columns hold numbers only");
        let mut order: Vec<u32> = (0..seen.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| seen[a as usize].total_cmp(&seen[b as usize]));
        let mut rank_of = vec![0; seen.len()];
        for (rank, &index) in order.iter().enumerate() {
            rank_of[index as usize] = rank as u32;
        }
        for rank in &mut ranks {
            *rank = rank_of[*rank as usize];
        }
        Column { values: order.iter().map(|&index| seen[index as usize]).collect(), ranks }
    }

    /// The index of a number among those seen; a new one is added.
    fn index_of(&mut self, number: f64, seen: &mut Vec<f64>) -> u32 {
        let slot = self.slot(number, seen);
        if self.indices[slot] == FREE {
            self.indices[slot] = seen.len() as u32;
            seen.push(number);
        }
        self.indices[slot]
    }

    /// The slot of a number, or the free slot for it.
    fn slot(&self, number: f64, seen: &[f64]) -> usize {
        // The golden ratio spreads any bits over the upper ones.
        let mut slot = (number.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        while self.indices[slot] != FREE && seen[self.indices[slot] as usize].to_bits() != number.to_bits() {
            slot = (slot + 1) % self.indices.len();
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_sorted_values() {
        let mut random = einsicht_data::random::Random::new(1);
        let (rows, width) = (200, 4);
        let groups = [2, 30, 500, 1_000_000];
        let table: Vec<f64> = (0..rows * width).map(|at| random.index(groups[at % width]) as f64 / 8.0 - 9.0).collect();
        let columns = Columns::new(&table, rows, width);
        for at in 0..width {
            let here: Vec<f64> = (0..rows).map(|row| table[row * width + at]).collect();
            let mut sorted = here.clone();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            assert_eq!(columns.column(at).values, sorted);
            assert!(here.iter().zip(&columns.column(at).ranks).all(|(value, &rank)| sorted[rank as usize] == *value));
        }
    }

    #[test]
    fn values_become_ranks() {
        let columns = Columns::new(&[0.5, 1.0, -2.0, 1.0, 0.5, 0.0], 3, 2);
        assert_eq!((columns.rows(), columns.width()), (3, 2));
        assert_eq!((&columns.column(0).values[..], &columns.column(0).ranks[..]), (&[-2.0, 0.5][..], &[1, 0, 1][..]));
        assert_eq!(columns.column(1).ranks, [1, 1, 0]);
        assert_eq!(Columns::new(&[0.0, -0.0], 2, 1).column(0).values.len(), 1);
    }
}
