//! Merging of equal rows: equal in all columns, and of one class.
//!
//! A tree never separates such rows, so it may count them together. Columns of few patterns have few distinct
//! rows, whatever the number of graphs. Computed once for all trees of a forest; tested against every pair of rows.

use super::columns::Column;

/// The distinct rows of a table, in the order of their ranks.
#[derive(Clone, Debug)]
pub(super) struct DistinctRows {
    /// For each row of the table its index among the distinct ones.
    of_row: Vec<u32>,
    number: usize,
    /// For each column the rank of each distinct row.
    ranks: Vec<Vec<u16>>,
}

impl DistinctRows {
    /// The distinct rows; `None` if a column has too many values for 16-bit ranks.
    pub(super) fn new(columns: &[Column], rows: usize) -> Option<Self> {
        if columns.iter().any(|column| column.values.len() > usize::from(u16::MAX)) {
            return None;
        }
        // Radix sort: stable counting sorts from the last column to the first.
        let mut order: Vec<u32> = (0..rows as u32).collect();
        let (mut sorted, mut starts) = (order.clone(), Vec::new());
        for column in columns.iter().rev() {
            starts.clear();
            starts.resize(column.values.len() + 1, 0_u32);
            for &rank in &column.ranks {
                starts[rank as usize + 1] += 1;
            }
            for rank in 1..starts.len() {
                starts[rank] += starts[rank - 1];
            }
            for &row in &order {
                let start = &mut starts[column.ranks[row as usize] as usize];
                sorted[*start as usize] = row;
                *start += 1;
            }
            std::mem::swap(&mut order, &mut sorted);
        }
        let mut of_row = vec![0; rows];
        let mut firsts: Vec<u32> = Vec::new();
        for &row in &order {
            let is_known = firsts.last().is_some_and(|&first| {
                columns.iter().all(|column| column.ranks[first as usize] == column.ranks[row as usize])
            });
            if !is_known {
                firsts.push(row);
            }
            of_row[row as usize] = firsts.len() as u32 - 1;
        }
        let short = |column: &Column| firsts.iter().map(|&row| column.ranks[row as usize] as u16).collect();
        Some(Self { of_row, number: firsts.len(), ranks: columns.iter().map(short).collect() })
    }

    /// For each distinct row the rank of its value in a column.
    pub(super) fn ranks(&self, column: usize) -> &[u16] {
        &self.ranks[column]
    }
}

/// Groups of rows that are equal in all columns and of one class, by distinct row and then class.
#[derive(Clone, Debug)]
pub(super) struct RowGroups<'a> {
    pub(super) distinct: &'a DistinctRows,
    /// For each row its group.
    of_row: Vec<u32>,
    /// For each group its distinct row and its class.
    all: Vec<(u32, u32)>,
}

/// The rows of one group in a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RowGroup {
    /// The distinct row.
    pub(super) distinct: u32,
    pub(super) class: u32,
    /// Summed weight.
    pub(super) weight: u32,
    /// Number of rows with a weight.
    pub(super) rows: u32,
}

impl<'a> RowGroups<'a> {
    pub(super) fn new(distinct: &'a DistinctRows, labels: &[u32]) -> Self {
        let pair = |row: usize| (distinct.of_row[row], labels[row]);
        let mut groups: Vec<(u32, u32)> = (0..labels.len()).map(pair).collect();
        groups.sort_unstable();
        groups.dedup();
        let mut starts = vec![0; distinct.number + 1];
        for &(row, _) in &groups {
            starts[row as usize + 1] += 1;
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let kind = |row: usize| {
            let (start, end) = (starts[distinct.of_row[row] as usize], starts[distinct.of_row[row] as usize + 1]);
            (start + groups[start..end].partition_point(|&(_, class)| class < labels[row])) as u32
        };
        Self { distinct, of_row: (0..labels.len()).map(kind).collect(), all: groups }
    }

    /// The groups with a weight, with the weights and numbers of their rows.
    pub(super) fn items(&self, weights: &[u32]) -> Vec<RowGroup> {
        let mut items: Vec<RowGroup> =
            self.all.iter().map(|&(distinct, class)| RowGroup { distinct, class, weight: 0, rows: 0 }).collect();
        for (&kind, &weight) in self.of_row.iter().zip(weights) {
            let item = &mut items[kind as usize];
            item.weight += weight;
            item.rows += u32::from(weight > 0);
        }
        items.retain(|item| item.weight > 0);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::super::Columns;
    use super::*;
    use einsicht_data::random::Random;

    #[test]
    fn rows_are_one_kind_if_and_only_if_nothing_tells_them_apart() {
        let mut random = Random::new(3);
        let (rows, width) = (90, 2);
        let table: Vec<f64> = (0..rows * width).map(|_| random.index(3) as f64 / 2.0).collect();
        let labels: Vec<u32> = (0..rows).map(|_| random.index(3) as u32).collect();
        let weights: Vec<u32> = (0..rows).map(|_| random.index(3) as u32).collect();
        let columns = Columns::new(&table, rows, width);
        let groups = RowGroups::new(columns.distinct().unwrap(), &labels);
        let row = |at: usize| (&table[at * width..(at + 1) * width], labels[at]);
        for (one, other) in (0..rows).flat_map(|one| (0..rows).map(move |other| (one, other))) {
            assert_eq!(groups.of_row[one] == groups.of_row[other], row(one) == row(other));
        }
        let items = groups.items(&weights);
        assert!(items.len() < rows / 2 && items.is_sorted_by_key(|item| (item.distinct, item.class)));
        for item in items {
            let same = (0..rows).filter(|&at| groups.all[groups.of_row[at] as usize] == (item.distinct, item.class));
            let (weight, number) = same.fold((0, 0), |(weight, number), at| {
                assert_eq!(labels[at], item.class);
                for column in 0..width {
                    let rank = usize::from(groups.distinct.ranks(column)[item.distinct as usize]);
                    assert_eq!(columns.column(column).values[rank], table[at * width + column]);
                }
                (weight + weights[at], number + u32::from(weights[at] > 0))
            });
            assert_eq!((item.weight, item.rows), (weight, number));
        }
    }
}
