//! Rows of classes with whole weights: those that nothing tells apart are taken together.
//!
//! Promise: the tree of `reference.rs`, bit for bit. Sums of whole numbers are exact in any order, so rows may be merged and
//! weights of classes packed.

use super::Columns;
use super::grow::{RowRanges, SplitPoint, divide};
use super::merge::{RowGroup, RowGroups};
use super::split_search::{NodeRows, SplitSearch, StrategyCounts};
use super::tree::{Node, Tree};
use std::ops::Range;

/// The summed weight of a tree's rows must stay below this: squares are then exact as numbers with 53 bits.
const MOST_WEIGHT: f64 = (1_u64 << 26) as f64;

/// The weights as whole numbers, if they are some and if so many draws from them stay exact.
pub(super) fn integer_weights(weights: &[f64], draws: usize) -> Option<Vec<u32>> {
    let most = weights.iter().fold(0.0, |most: f64, &weight| most.max(weight));
    let is_whole = weights.iter().all(|weight| *weight >= 0.0 && weight.fract() == 0.0);
    (is_whole && most * (draws as f64) < MOST_WEIGHT).then(|| weights.iter().map(|weight| *weight as u32).collect())
}

pub(super) struct IntegerRows<'a> {
    columns: &'a Columns,
    groups: &'a RowGroups<'a>,
    items: Vec<RowGroup>,
    buffer: Vec<RowGroup>,
    /// Of the stretch that was opened: weights of the classes, and number of rows.
    sums: Vec<u32>,
    rows: u32,
    search: SplitSearch,
}

impl<'a> IntegerRows<'a> {
    /// # Panics
    /// If no row has a weight.
    pub(super) fn new(columns: &'a Columns, groups: &'a RowGroups<'a>, classes: usize, weights: &[u32]) -> Self {
        let items = groups.items(weights);
        assert!(!items.is_empty(), "a tree needs a row with a weight above 0");
        let search = SplitSearch::new(classes, items.len());
        Self { columns, groups, buffer: items.clone(), items, sums: vec![0; classes], rows: 0, search }
    }

    /// How columns were looked at.
    pub(super) fn counts(&self) -> StrategyCounts {
        self.search.counts
    }
}

impl RowRanges for IntegerRows<'_> {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn close(&mut self, tree: &mut Tree, stretch: Range<usize>) {
        self.open(stretch);
        let weight = f64::from(self.sums.iter().sum::<u32>());
        let mut purity = 0.0;
        for &sum in &self.sums {
            let share = f64::from(sum) / weight;
            purity += share * share;
            tree.values.push(share);
        }
        tree.nodes.push(Node { split: None, rows: self.rows, weight, impurity: (1.0 - purity).max(0.0) });
    }

    fn open(&mut self, stretch: Range<usize>) {
        self.sums.fill(0);
        self.rows = 0;
        for item in &self.items[stretch] {
            self.sums[item.class as usize] += item.weight;
            self.rows += item.rows;
        }
    }

    fn look(&mut self, stretch: Range<usize>, column: usize, min_leaf: usize) -> Option<SplitPoint> {
        let here = NodeRows {
            items: &self.items[stretch],
            sums: &self.sums,
            weight: self.sums.iter().sum(),
            rows: self.rows,
            min_leaf: u32::try_from(min_leaf).unwrap_or(u32::MAX),
        };
        self.search.look(here, self.groups.distinct.ranks(column), self.columns.column(column).values.len())
    }

    fn divide(&mut self, stretch: Range<usize>, column: usize, last_left: u32) -> usize {
        let (start, ranks) = (stretch.start, self.groups.distinct.ranks(column));
        let goes_left = |item: &RowGroup| u32::from(ranks[item.distinct as usize]) <= last_left;
        start + divide(&mut self.items[stretch], &mut self.buffer, goes_left)
    }
}
