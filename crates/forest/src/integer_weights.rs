//! Rows of classes with integer weights: equal rows of one class are merged.
//!
//! Promise: the tree of `reference.rs`, bit for bit. Sums of integers are exact in any order, so rows may be merged and
//! weights of classes packed.

use super::Columns;
use super::grow::{RowRanges, SplitPoint, partition};
use super::merge::{RowGroup, RowGroups};
use super::split_search::{NodeRows, SplitSearch, StrategyCounts};
use super::tree::{Node, Tree};
use std::ops::Range;

/// The summed weight of a tree's rows must stay below this: squares are then exact as numbers with 53 bits.
const MOST_WEIGHT: f64 = (1_u64 << 26) as f64;

/// The weights as integers, if they are integers and sums of this many draws stay exact.
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
    /// Of the current node: weights of the classes, and number of rows.
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

    /// How often each search strategy was used.
    pub(super) fn counts(&self) -> StrategyCounts {
        self.search.counts
    }
}

impl RowRanges for IntegerRows<'_> {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn push_leaf(&mut self, tree: &mut Tree, range: Range<usize>) {
        self.begin_node(range);
        let weight = f64::from(self.sums.iter().sum::<u32>());
        let mut purity = 0.0;
        for &sum in &self.sums {
            let frequency = f64::from(sum) / weight;
            purity += frequency * frequency;
            tree.values.push(frequency);
        }
        tree.nodes.push(Node { split: None, rows: self.rows, weight, impurity: (1.0 - purity).max(0.0) });
    }

    fn begin_node(&mut self, range: Range<usize>) {
        self.sums.fill(0);
        self.rows = 0;
        for item in &self.items[range] {
            self.sums[item.class as usize] += item.weight;
            self.rows += item.rows;
        }
    }

    fn best_split(&mut self, range: Range<usize>, column: usize, min_leaf: usize) -> Option<SplitPoint> {
        let here = NodeRows {
            items: &self.items[range],
            sums: &self.sums,
            weight: self.sums.iter().sum(),
            rows: self.rows,
            min_leaf: u32::try_from(min_leaf).unwrap_or(u32::MAX),
        };
        self.search.best_split(here, self.groups.distinct.ranks(column), self.columns.column(column).values.len())
    }

    fn partition(&mut self, range: Range<usize>, column: usize, last_left: u32) -> usize {
        let (start, ranks) = (range.start, self.groups.distinct.ranks(column));
        let goes_left = |item: &RowGroup| u32::from(ranks[item.distinct as usize]) <= last_left;
        start + partition(&mut self.items[range], &mut self.buffer, goes_left)
    }
}
