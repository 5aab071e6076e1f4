//! Rows with equal sums of the mining layer: everything behind the sums is computed for the first of them and copied.
//!
//! Few subgraphs have few combinations, however many graphs there are. Promise: rows are merged only if their sums have
//! the same bits, so copying changes nothing, and sums over graphs still run over all rows in order. If most rows
//! differ, no further rows are compared.

/// For each row the first row with equal sums, and the hash table to find it.
#[derive(Clone, Debug)]
pub(super) struct RowDedup {
    rows: usize,
    /// Whether merging is worth its cost.
    pays: bool,
    /// For each row the first equal one; empty if rows are not merged.
    first: Vec<u32>,
    /// Hash table of first rows; its length is a power of two.
    slots: Vec<u32>,
}

/// No row.
const FREE: u32 = u32::MAX;
/// With fewer rows there is little to gain.
const FEWEST: usize = 64;

impl RowDedup {
    /// For this many rows; `wanted` is false if rows differ in more than their sums.
    pub(super) fn new(rows: usize, wanted: bool) -> Self {
        let pays = wanted && (FEWEST..FREE as usize).contains(&rows);
        Self { rows, pays, first: Vec::new(), slots: Vec::new() }
    }

    /// Finds the rows with equal sums, `width` numbers each.
    pub(super) fn find(&mut self, sums: &[f64], width: usize) {
        self.first.clear();
        if !self.pays {
            return;
        }
        let mask = (2 * self.rows).next_power_of_two() - 1;
        self.slots.clear();
        self.slots.resize(mask + 1, FREE);
        let row_of = |row: u32| &sums[row as usize * width..][..width];
        let is_same = |a: u32, b: u32| row_of(a).iter().zip(row_of(b)).all(|(a, b)| a.to_bits() == b.to_bits());
        let mut distinct = 0;
        for row in 0..self.rows as u32 {
            let mut slot = hash(row_of(row)) as usize & mask;
            while self.slots[slot] != FREE && !is_same(self.slots[slot], row) {
                slot = (slot + 1) & mask;
            }
            if self.slots[slot] == FREE {
                self.slots[slot] = row;
                distinct += 1;
            }
            self.first.push(self.slots[slot]);
            if 2 * distinct > self.rows {
                self.pays = false;
                self.first.clear();
                return;
            }
        }
    }

    /// For each row the first equal one, itself if there is none before; `None` if rows are not merged.
    pub(super) fn first(&self) -> Option<&[u32]> {
        (!self.first.is_empty()).then_some(&self.first)
    }
}

fn hash(row: &[f64]) -> u64 {
    let mix = |hash: u64, x: &f64| (hash.rotate_left(5) ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = row.iter().fold(0, mix);
    mixed ^ mixed >> 32
}

/// Fills rows of `width` numbers: `compute(row, its numbers)` for each first row, a copy for the others.
#[inline]
pub(super) fn fill_rows(
    to: &mut [f64],
    width: usize,
    first: Option<&[u32]>,
    mut compute: impl FnMut(usize, &mut [f64]),
) {
    let Some(first) = first else {
        to.chunks_exact_mut(width).enumerate().for_each(|(row, to)| compute(row, to));
        return;
    };
    for (row, &first) in first.iter().enumerate() {
        if first as usize == row {
            compute(row, &mut to[row * width..][..width]);
        } else if width == 1 {
            // HOT: a single number is not worth a call.
            to[row] = to[first as usize];
        } else {
            let (before, here) = to.split_at_mut(row * width);
            here[..width].copy_from_slice(&before[first as usize * width..][..width]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_merged_if_their_bits_are_equal() {
        let sums: Vec<f64> = (0..100).flat_map(|row| [f64::from(row % 3), if row == 7 { -0.0 } else { 0.0 }]).collect();
        let mut dedup = RowDedup::new(100, true);
        dedup.find(&sums, 2);
        let expected: Vec<u32> = (0..100).map(|row| if row == 7 { 7 } else { row % 3 }).collect();
        assert_eq!(dedup.first(), Some(&expected[..]));
        let (mut filled, mut computed) = (vec![0.0; 100], 0);
        fill_rows(&mut filled, 1, dedup.first(), |row, to| {
            computed += 1;
            to[0] = row as f64;
        });
        assert!(filled.iter().zip(expected).all(|(&filled, first)| filled == f64::from(first)));
        assert_eq!(computed, 4);
    }

    #[test]
    fn rows_are_not_merged_where_most_of_them_differ() {
        let mut dedup = RowDedup::new(100, true);
        let different: Vec<f64> = (0..100).map(f64::from).collect();
        dedup.find(&different, 1);
        assert!(dedup.first().is_none() && !dedup.pays);
        dedup.find(&[0.0; 100], 1);
        assert!(dedup.first().is_none());
        let mut unwanted = RowDedup::new(100, false);
        unwanted.find(&[0.0; 100], 1);
        assert!(unwanted.first().is_none());
    }
}
