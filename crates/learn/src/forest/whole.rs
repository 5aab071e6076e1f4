//! Growing one tree on classes and whole weights: what `grow.rs` does, with rows that nothing tells apart taken together.
//!
//! Promise: the tree of the plain way, bit for bit, and the same random numbers drawn. Sums of whole numbers are exact
//! in any order, so rows may be merged, sums of one side taken from those of the other, and classes packed. A column that
//! cannot be cut in a node cannot be cut below it and is not looked at again.

use super::columns::Columns;
use super::grow::{Best, half_way};
use super::look::{Here, Looker, Taken};
use super::merge::{Item, Kinds};
use super::tree::{Node, Split, Tree, TreeParams};
use einsicht_data::random::Random;

/// The summed weight of a tree's rows must stay below this: squares are then exact as numbers with 53 bits.
const MOST_WEIGHT: f64 = (1_u64 << 26) as f64;

/// The weights as whole numbers, if they are some and if so many draws from them stay exact.
pub(super) fn whole_weights(weights: &[f64], draws: usize) -> Option<Vec<u32>> {
    let most = weights.iter().fold(0.0, |most: f64, &weight| most.max(weight));
    let is_whole = weights.iter().all(|weight| *weight >= 0.0 && weight.fract() == 0.0);
    (is_whole && most * (draws as f64) < MOST_WEIGHT).then(|| weights.iter().map(|weight| *weight as u32).collect())
}

pub(super) struct WholeGrower<'a> {
    columns: &'a Columns,
    kinds: &'a Kinds<'a>,
    params: TreeParams,
    classes: usize,
    /// Each node owns a stretch of it.
    items: Vec<Item>,
    room: Vec<Item>,
    order: Vec<u32>,
    looker: Looker,
}

/// A node whose items are known and whose question is not.
struct Open {
    node: usize,
    depth: usize,
    start: usize,
    end: usize,
}

/// What open nodes know, one entry after the other: a stack beside theirs.
#[derive(Default)]
struct Known {
    /// For each class its weight.
    sums: Vec<u32>,
    /// Bits of the columns that cannot be cut.
    spent: Vec<u64>,
}

impl<'a> WholeGrower<'a> {
    /// # Panics
    /// If no row has a weight.
    pub(super) fn new(
        columns: &'a Columns,
        kinds: &'a Kinds<'a>,
        classes: usize,
        weights: &[u32],
        params: TreeParams,
    ) -> Self {
        let items = kinds.items(weights);
        assert!(!items.is_empty(), "a tree needs a row with a weight above 0");
        let looker = Looker::new(classes, items.len());
        let order = (0..columns.width() as u32).collect();
        Self { columns, kinds, params, classes, room: items.clone(), items, order, looker }
    }

    /// The tree, and how it looked at columns.
    pub(super) fn grow(mut self, random: &mut Random) -> (Tree, Taken) {
        let mut tree = Tree { nodes: Vec::new(), values: Vec::new(), width: self.classes };
        let (words, end) = (self.columns.width().div_ceil(64), self.items.len());
        let (mut sums, mut spent) = (vec![0; self.classes], vec![0; words]);
        let (mut left_sums, mut right_sums) = (sums.clone(), sums.clone());
        let rows = sum_up(&self.items, &mut sums);
        let mut known = Known { sums: sums.clone(), spent: spent.clone() };
        let mut open = vec![Open { node: close(&mut tree, &sums, rows), depth: 0, start: 0, end }];
        let min_leaf = self.params.min_leaf.max(1);
        while let Some(Open { node, depth, start, end }) = open.pop() {
            pop(&mut known.sums, &mut sums);
            pop(&mut known.spent, &mut spent);
            let Node { impurity, rows, .. } = tree.nodes[node];
            let may_grow = self.params.max_depth.is_none_or(|most| depth < most);
            if impurity <= f64::EPSILON || !may_grow || (rows as usize) < 2 * min_leaf {
                continue;
            }
            let Some(best) = self.best(start..end, &sums, rows, &mut spent, random) else { continue };
            let middle = self.divide(start, end, &best);
            // The smaller side is summed up, the other is what it leaves.
            let is_left_smaller = middle - start <= end - middle;
            let smaller = if is_left_smaller { start..middle } else { middle..end };
            let some_rows = sum_up(&self.items[smaller], &mut left_sums);
            for ((right, &left), &sum) in right_sums.iter_mut().zip(&left_sums).zip(&sums) {
                *right = sum - left;
            }
            let mut left_rows = some_rows;
            if !is_left_smaller {
                std::mem::swap(&mut left_sums, &mut right_sums);
                left_rows = rows - some_rows;
            }
            let left = close(&mut tree, &left_sums, left_rows);
            let right = close(&mut tree, &right_sums, rows - left_rows);
            let values = &self.columns.column(best.column).values;
            let threshold = half_way(values[best.ranks.0 as usize], values[best.ranks.1 as usize]);
            tree.nodes[node].split =
                Some(Split { column: best.column as u32, threshold, left: left as u32, right: right as u32 });
            for (node, start, end, sums) in [(right, middle, end, &right_sums), (left, start, middle, &left_sums)] {
                known.sums.extend_from_slice(sums);
                known.spent.extend_from_slice(&spent);
                open.push(Open { node, depth: depth + 1, start, end });
            }
        }
        (tree, self.looker.taken)
    }

    /// The best question among the columns that the node looks at. Draws on until one column tells rows apart.
    fn best(
        &mut self,
        stretch: std::ops::Range<usize>,
        sums: &[u32],
        rows: u32,
        spent: &mut [u64],
        random: &mut Random,
    ) -> Option<Best> {
        let columns = self.columns.width();
        let looks = self.params.looks.of(columns);
        let min_leaf = self.params.min_leaf.max(1).min(u32::MAX as usize) as u32;
        let weight = sums.iter().sum();
        let here = Here { items: &self.items[stretch], sums, weight, rows, min_leaf };
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
            let (word, bit) = (column / 64, 1 << (column % 64));
            if spent[word] & bit != 0 {
                continue;
            }
            let values = self.columns.column(column).values.len();
            match self.looker.look(here, self.kinds.distinct.ranks(column), values) {
                None => spent[word] |= bit,
                Some((score, ranks)) => Best::keep(&mut best, Best { column, ranks, score }),
            }
        }
        best
    }

    /// Puts the items that go left first; both sides keep their order. Says where the right side begins.
    fn divide(&mut self, start: usize, end: usize, best: &Best) -> usize {
        let ranks = self.kinds.distinct.ranks(best.column);
        let (mut left, mut right) = (start, 0);
        for at in start..end {
            let item = self.items[at];
            let goes_left = u32::from(ranks[item.distinct as usize]) <= best.ranks.0;
            // Written to both sides, so that there is nothing to guess; what is wrong is written over.
            self.items[left] = item;
            self.room[right] = item;
            left += usize::from(goes_left);
            right += usize::from(!goes_left);
        }
        self.items[left..end].copy_from_slice(&self.room[..right]);
        left
    }
}

/// Takes the last numbers of a stack.
fn pop<T: Copy>(stack: &mut Vec<T>, into: &mut [T]) {
    let rest = stack.len() - into.len();
    into.copy_from_slice(&stack[rest..]);
    stack.truncate(rest);
}

/// For each class its weight; says how many rows there are.
fn sum_up(items: &[Item], sums: &mut [u32]) -> u32 {
    sums.fill(0);
    items.iter().fold(0, |rows, item| {
        sums[item.class as usize] += item.weight;
        rows + item.rows
    })
}

/// Appends a node as a leaf.
fn close(tree: &mut Tree, sums: &[u32], rows: u32) -> usize {
    let weight = f64::from(sums.iter().sum::<u32>());
    let mut purity = 0.0;
    for &sum in sums {
        let share = f64::from(sum) / weight;
        purity += share * share;
        tree.values.push(share);
    }
    tree.nodes.push(Node { split: None, rows, weight, impurity: (1.0 - purity).max(0.0) });
    tree.nodes.len() - 1
}
