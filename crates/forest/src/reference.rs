//! The reference: rows of any response and any weights, summed in their order.
//!
//! A row adds to the sums of its value's rank; the sums of a column are then scanned in the order of the ranks. Sums of
//! numbers and of fractional weights depend on the order of additions, so there is one: rows increase, ranks increase.
//! Regression forests and fractional weights run here; `integer_weights.rs` is tested against it.

use super::grow::{RowRanges, SplitPoint, partition};
use super::rank_set::RankSet;
use super::tree::{Node, Tree};
use super::{Columns, Response};
use std::ops::Range;

/// What a row adds to the sums: its weight to that of its class, or its weighted number to the only one.
#[derive(Clone, Copy, Debug)]
struct RowStats {
    row: u32,
    channel: u32,
    weight: f64,
    amount: f64,
    /// Weight times squared number, for the variance.
    square: f64,
}

pub(super) struct ReferenceRows<'a> {
    columns: &'a Columns,
    width: usize,
    /// Origin of the numbers, so that their squares lose no digits.
    origin: f64,
    is_numbers: bool,
    /// Rows with a weight; in each range they increase.
    rows_here: Vec<RowStats>,
    buffer: Vec<RowStats>,
    /// By rank, cleared after use: weights and numbers of rows, and `width` sums each.
    bins: Vec<(f64, u32)>,
    sums: Vec<f64>,
    seen: RankSet,
    touched: Vec<u32>,
    total: Vec<f64>,
    left: Vec<f64>,
}

impl<'a> ReferenceRows<'a> {
    /// # Panics
    /// If a weight is negative or not finite, or no row has a weight above 0.
    pub(super) fn new(columns: &'a Columns, response: Response<'_>, weights: &[f64]) -> Self {
        assert!(weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite()), "weights are at least 0");
        let rows = || (0..columns.rows()).filter(|&row| weights[row] > 0.0);
        let mut origin = 0.0;
        if let Response::Numbers(values) = response {
            let total = rows().fold(0.0, |sum, row| sum + weights[row]);
            origin = rows().fold(0.0, |sum, row| sum + weights[row] / total * values[row]);
        }
        let row = |row: usize| match response {
            Response::Classes { labels, .. } => RowStats {
                row: row as u32,
                channel: labels[row],
                weight: weights[row],
                amount: weights[row],
                square: 0.0,
            },
            Response::Numbers(values) => {
                let value = values[row] - origin;
                let amount = weights[row] * value;
                RowStats { row: row as u32, channel: 0, weight: weights[row], amount, square: amount * value }
            }
        };
        let rows_here: Vec<RowStats> = rows().map(row).collect();
        assert!(!rows_here.is_empty(), "a tree needs a row with a weight above 0");
        let width = response.width();
        let most = (0..columns.width()).map(|column| columns.column(column).values.len()).max().unwrap_or(0);
        let mut seen = RankSet::default();
        seen.reserve(most);
        Self {
            columns,
            width,
            origin,
            is_numbers: matches!(response, Response::Numbers(_)),
            buffer: rows_here.clone(),
            rows_here,
            bins: vec![(0.0, 0); most],
            sums: vec![0.0; most * width],
            seen,
            touched: Vec::new(),
            total: vec![0.0; width],
            left: vec![0.0; width],
        }
    }

    /// The best split between the ranks that occur.
    fn cut(&mut self, rows: usize, min_leaf: usize) -> Option<SplitPoint> {
        let (width, total, left) = (self.width, &mut self.total, &mut self.left);
        total.fill(0.0);
        left.fill(0.0);
        let mut weight = 0.0;
        for &rank in &self.touched {
            weight += self.bins[rank as usize].0;
            for (sum, amount) in total.iter_mut().zip(&self.sums[rank as usize * width..]) {
                *sum += amount;
            }
        }
        let (mut left_weight, mut left_rows) = (0.0, 0);
        let mut best = None;
        for pair in self.touched.windows(2) {
            let rank = pair[0] as usize;
            left_weight += self.bins[rank].0;
            left_rows += self.bins[rank].1 as usize;
            let (mut squares_left, mut squares_right) = (0.0, 0.0);
            for ((sum, amount), total) in left.iter_mut().zip(&self.sums[rank * width..]).zip(total.iter()) {
                *sum += amount;
                squares_left += *sum * *sum;
                squares_right += (total - *sum) * (total - *sum);
            }
            if left_rows >= min_leaf && rows - left_rows >= min_leaf {
                let score = squares_left / left_weight + squares_right / (weight - left_weight);
                SplitPoint::keep(&mut best, score, (pair[0], pair[1]));
            }
        }
        best
    }
}

impl RowRanges for ReferenceRows<'_> {
    fn len(&self) -> usize {
        self.rows_here.len()
    }

    fn push_leaf(&mut self, tree: &mut Tree, range: Range<usize>) {
        let (sums, mut weight, mut squares) = (&mut self.total, 0.0, 0.0);
        sums.fill(0.0);
        let rows = range.len() as u32;
        for row in &self.rows_here[range] {
            sums[row.channel as usize] += row.amount;
            weight += row.weight;
            squares += row.square;
        }
        for sum in &mut *sums {
            *sum /= weight;
        }
        let purity = sums.iter().fold(0.0, |sum, p| sum + p * p);
        let impurity = if self.is_numbers { squares / weight - purity } else { 1.0 - purity };
        tree.nodes.push(Node { split: None, rows, weight, impurity: impurity.max(0.0) });
        tree.values.extend(sums.iter().map(|value| value + self.origin));
    }

    fn begin_node(&mut self, _: Range<usize>) {}

    fn best_split(&mut self, range: Range<usize>, column: usize, min_leaf: usize) -> Option<SplitPoint> {
        let (ranks, width, rows) = (&self.columns.column(column).ranks, self.width, range.len());
        // HOT: most of the time of a forest on numbers.
        for row in &self.rows_here[range] {
            let rank = ranks[row.row as usize] as usize;
            self.seen.insert(rank);
            let bin = &mut self.bins[rank];
            bin.0 += row.weight;
            bin.1 += 1;
            self.sums[rank * width + row.channel as usize] += row.amount;
        }
        let Self { seen, touched, .. } = self;
        touched.clear();
        seen.drain(|rank| touched.push(rank as u32));
        let best = if self.touched.len() > 1 { self.cut(rows, min_leaf) } else { None };
        for &rank in &self.touched {
            let rank = rank as usize;
            self.bins[rank] = (0.0, 0);
            self.sums[rank * width..(rank + 1) * width].fill(0.0);
        }
        best
    }

    fn partition(&mut self, range: Range<usize>, column: usize, last_left: u32) -> usize {
        let (start, ranks) = (range.start, &self.columns.column(column).ranks);
        let goes_left = |row: &RowStats| ranks[row.row as usize] <= last_left;
        start + partition(&mut self.rows_here[range], &mut self.buffer, goes_left)
    }
}
