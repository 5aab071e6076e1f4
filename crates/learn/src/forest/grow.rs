//! Growing one tree: the best question of each node, from sums over the distinct values of a column.
//!
//! Gini impurity and variance are one thing here: with `S` the summed weight of each class (or the summed weighted
//! number) and `W` the weight of a side, the best question maximises the sum over both sides of `S^2 / W`. A row adds to
//! the sums of its value's rank; a column of presences has two of them, so a look at it is one pass over the rows.

use super::tree::{Node, Split, Tree, TreeParams};
use super::{Columns, Response};
use einsicht_data::random::Random;

/// What a row adds: its weight to the sum of its class, or its weighted number to the only sum.
#[derive(Clone, Copy, Debug)]
struct Share {
    weight: f64,
    channel: u32,
    amount: f64,
    /// Weight times squared number, for the variance.
    square: f64,
}

pub(super) struct Grower<'a> {
    columns: &'a Columns,
    params: TreeParams,
    width: usize,
    /// What numbers are measured from, so that their squares lose no digits.
    origin: f64,
    is_numbers: bool,
    shares: Vec<Share>,
    /// Rows with a weight; each node owns a stretch of it, increasing.
    rows: Vec<u32>,
    room: Vec<u32>,
    order: Vec<u32>,
    buckets: Buckets,
}

/// Sums by rank for one column, emptied after use.
#[derive(Default)]
struct Buckets {
    sums: Vec<f64>,
    weights: Vec<f64>,
    counts: Vec<u32>,
    touched: Vec<u32>,
}

/// A question and what it is worth.
pub(super) struct Best {
    pub(super) column: usize,
    /// The largest rank that goes left, and the smallest that goes right.
    pub(super) ranks: (u32, u32),
    pub(super) score: f64,
}

impl Best {
    /// Keeps the better question; of equally good ones that of the smaller column.
    pub(super) fn keep(best: &mut Option<Self>, found: Self) {
        let is_better = best
            .as_ref()
            .is_none_or(|best| found.score > best.score || (found.score == best.score && found.column < best.column));
        if is_better {
            *best = Some(found);
        }
    }
}

/// A node whose rows are known and whose question is not.
struct Open {
    node: usize,
    depth: usize,
    start: usize,
    end: usize,
}

impl<'a> Grower<'a> {
    pub(super) fn new(columns: &'a Columns, response: Response<'_>, weights: &[f64], params: TreeParams) -> Self {
        assert_eq!((response.len(), weights.len()), (columns.rows(), columns.rows()), "one response and weight a row");
        assert!(weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite()), "weights are at least 0");
        let rows: Vec<u32> = (0..columns.rows() as u32).filter(|&row| weights[row as usize] > 0.0).collect();
        assert!(!rows.is_empty(), "a tree needs a row with a weight above 0");
        let mut origin = 0.0;
        if let Response::Numbers(values) = response {
            let total = rows.iter().fold(0.0, |sum, &row| sum + weights[row as usize]);
            origin = rows.iter().fold(0.0, |sum, &row| sum + weights[row as usize] / total * values[row as usize]);
        }
        let share = |row: usize| match response {
            Response::Classes { labels, .. } => {
                Share { weight: weights[row], channel: labels[row], amount: weights[row], square: 0.0 }
            }
            Response::Numbers(values) => {
                let value = values[row] - origin;
                let amount = weights[row] * value;
                Share { weight: weights[row], channel: 0, amount, square: amount * value }
            }
        };
        Self {
            columns,
            params,
            width: response.width(),
            origin,
            is_numbers: matches!(response, Response::Numbers(_)),
            shares: (0..columns.rows()).map(share).collect(),
            rows,
            room: Vec::new(),
            order: (0..columns.width() as u32).collect(),
            buckets: Buckets::default(),
        }
    }

    pub(super) fn grow(mut self, random: &mut Random) -> Tree {
        let mut tree = Tree { nodes: Vec::new(), values: Vec::new(), width: self.width };
        let mut open =
            vec![Open { node: self.close(&mut tree, 0, self.rows.len()), depth: 0, start: 0, end: self.rows.len() }];
        while let Some(Open { node, depth, start, end }) = open.pop() {
            let is_pure = tree.nodes[node].impurity <= f64::EPSILON;
            let may_grow = self.params.max_depth.is_none_or(|most| depth < most);
            let min_leaf = self.params.min_leaf.max(1);
            if is_pure || !may_grow || end - start < 2 * min_leaf {
                continue;
            }
            let Some(best) = self.best(start, end, min_leaf, random) else { continue };
            let column = self.columns.column(best.column);
            let middle = self.divide(start, end, &column.ranks, best.ranks.0);
            let (low, high) = (column.values[best.ranks.0 as usize], column.values[best.ranks.1 as usize]);
            let left = self.close(&mut tree, start, middle);
            let right = self.close(&mut tree, middle, end);
            let threshold = half_way(low, high);
            tree.nodes[node].split =
                Some(Split { column: best.column as u32, threshold, left: left as u32, right: right as u32 });
            open.push(Open { node: right, depth: depth + 1, start: middle, end });
            open.push(Open { node: left, depth: depth + 1, start, end: middle });
        }
        tree
    }

    /// Appends a node for a stretch of rows, as a leaf.
    fn close(&self, tree: &mut Tree, start: usize, end: usize) -> usize {
        let (mut sums, mut weight, mut squares) = (vec![0.0; self.width], 0.0, 0.0);
        for &row in &self.rows[start..end] {
            let share = &self.shares[row as usize];
            sums[share.channel as usize] += share.amount;
            weight += share.weight;
            squares += share.square;
        }
        for sum in &mut sums {
            *sum /= weight;
        }
        let purity = sums.iter().fold(0.0, |sum, share| sum + share * share);
        let impurity = if self.is_numbers { squares / weight - purity } else { 1.0 - purity };
        tree.nodes.push(Node { split: None, rows: (end - start) as u32, weight, impurity: impurity.max(0.0) });
        tree.values.extend(sums.iter().map(|value| value + self.origin));
        tree.nodes.len() - 1
    }

    /// The best question among the columns that the node looks at. Draws on until one column tells rows apart.
    fn best(&mut self, start: usize, end: usize, min_leaf: usize, random: &mut Random) -> Option<Best> {
        let columns = self.columns.width();
        let looks = self.params.looks.of(columns);
        let mut best: Option<Best> = None;
        for at in 0..columns {
            if at >= looks && best.is_some() {
                break;
            }
            if looks < columns {
                let drawn = at + random.index(columns - at);
                self.order.swap(at, drawn);
            }
            let column = self.order[at] as usize;
            let (rows, ranks) = (&self.rows[start..end], &self.columns.column(column).ranks);
            let found = self.buckets.look(rows, ranks, &self.shares, self.width, min_leaf);
            if let Some((score, ranks)) = found {
                Best::keep(&mut best, Best { column, ranks, score });
            }
        }
        best
    }

    /// Puts the rows whose rank is at most `last_left` first; both sides stay increasing. Says where the right side begins.
    fn divide(&mut self, start: usize, end: usize, ranks: &[u32], last_left: u32) -> usize {
        self.room.clear();
        let mut middle = start;
        for at in start..end {
            let row = self.rows[at];
            if ranks[row as usize] <= last_left {
                self.rows[middle] = row;
                middle += 1;
            } else {
                self.room.push(row);
            }
        }
        self.rows[middle..end].copy_from_slice(&self.room);
        middle
    }
}

impl Buckets {
    /// The best place to cut a column: its score and the ranks on both sides of the cut.
    fn look(
        &mut self,
        rows: &[u32],
        ranks: &[u32],
        shares: &[Share],
        width: usize,
        min_leaf: usize,
    ) -> Option<(f64, (u32, u32))> {
        // HOT: most of the time of a forest.
        for &row in rows {
            let rank = ranks[row as usize] as usize;
            if rank >= self.counts.len() {
                self.counts.resize(rank + 1, 0);
                self.weights.resize(rank + 1, 0.0);
                self.sums.resize((rank + 1) * width, 0.0);
            }
            if self.counts[rank] == 0 {
                self.touched.push(rank as u32);
            }
            let share = &shares[row as usize];
            self.counts[rank] += 1;
            self.weights[rank] += share.weight;
            self.sums[rank * width + share.channel as usize] += share.amount;
        }
        self.touched.sort_unstable();
        let best = if self.touched.len() > 1 { self.cut(rows.len(), width, min_leaf) } else { None };
        for &rank in &self.touched {
            let rank = rank as usize;
            self.counts[rank] = 0;
            self.weights[rank] = 0.0;
            self.sums[rank * width..(rank + 1) * width].fill(0.0);
        }
        self.touched.clear();
        best
    }

    fn cut(&self, rows: usize, width: usize, min_leaf: usize) -> Option<(f64, (u32, u32))> {
        let mut total = vec![0.0; width];
        let mut weight = 0.0;
        for &rank in &self.touched {
            weight += self.weights[rank as usize];
            for (sum, amount) in total.iter_mut().zip(&self.sums[rank as usize * width..]) {
                *sum += amount;
            }
        }
        let (mut left, mut left_weight, mut left_rows) = (vec![0.0; width], 0.0, 0);
        let mut best = None;
        for pair in self.touched.windows(2) {
            let rank = pair[0] as usize;
            left_weight += self.weights[rank];
            left_rows += self.counts[rank] as usize;
            let (mut squares_left, mut squares_right) = (0.0, 0.0);
            for ((sum, amount), total) in left.iter_mut().zip(&self.sums[rank * width..]).zip(&total) {
                *sum += amount;
                squares_left += *sum * *sum;
                squares_right += (total - *sum) * (total - *sum);
            }
            if left_rows < min_leaf || rows - left_rows < min_leaf {
                continue;
            }
            let score = squares_left / left_weight + squares_right / (weight - left_weight);
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, (pair[0], pair[1])));
            }
        }
        best
    }
}

/// Half way between two values, and below the larger one whatever the rounding.
pub(super) fn half_way(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if middle < high { middle } else { low }
}
