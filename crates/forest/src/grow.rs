//! Growing one tree: the columns that a node considers, its split, and the order of the nodes.
//!
//! Gini impurity and variance are one thing here: with `S` the summed weight of each class (or the summed weighted
//! number) and `W` the weight of a side, the best split maximises the sum over both sides of `S^2 / W`. How rows are
//! kept and summed is hidden by [`RowRanges`]: `reference.rs` for any response and weights, `integer_weights.rs` for
//! classes with integer weights. Both give the same tree, bit for bit, if both can be used.

use super::tree::{MAX_DEPTH, Split, Tree, TreeParams};
use super::{Columns, Response};
use einsicht_data::random::Random;
use einsicht_graph::stop;
use std::ops::Range;

/// The rows of a tree, ordered so that each node owns a range of them.
pub(super) trait RowRanges {
    /// Length of the range of the root.
    fn len(&self) -> usize;

    /// Appends a node for a range, as a leaf.
    fn push_leaf(&mut self, tree: &mut Tree, range: Range<usize>);

    /// Prepares for split searches in this range.
    fn begin_node(&mut self, range: Range<usize>);

    /// The best split of a column in the range of the current node; `None` if no split leaves `min_leaf` rows on both
    /// sides.
    fn best_split(&mut self, range: Range<usize>, column: usize, min_leaf: usize) -> Option<SplitPoint>;

    /// Moves rows with at most this rank in a column to the front; both sides keep their order. Returns where the right
    /// side begins.
    fn partition(&mut self, range: Range<usize>, column: usize, last_left: u32) -> usize;
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SplitPoint {
    /// The sum of `S^2 / W`.
    pub(super) score: f64,
    /// The largest rank that goes left, and the smallest that goes right.
    pub(super) ranks: (u32, u32),
}

impl SplitPoint {
    /// Keeps the better split, the first of equally good ones.
    #[inline]
    pub(super) fn keep(best: &mut Option<Self>, score: f64, ranks: (u32, u32)) {
        if best.is_none_or(|best| score > best.score) {
            *best = Some(Self { score, ranks });
        }
    }
}

/// A node without a split so far.
struct Open {
    node: usize,
    depth: usize,
    range: Range<usize>,
}

pub(super) fn grow(
    columns: &Columns,
    response: Response<'_>,
    rows: &mut impl RowRanges,
    params: TreeParams,
    random: &mut Random,
) -> Tree {
    let mut tree = Tree { nodes: Vec::new(), values: Vec::new(), width: response.width() };
    let mut choice = Choice {
        max_features: params.max_features.of(columns.width()),
        min_leaf: params.min_leaf.max(1),
        order: (0..columns.width() as u32).collect(),
        spent: vec![0; columns.width().div_ceil(64)],
    };
    rows.push_leaf(&mut tree, 0..rows.len());
    // The spent columns of open nodes are on a second stack.
    let mut spent = choice.spent.clone();
    let mut open = vec![Open { node: 0, depth: 0, range: 0..rows.len() }];
    while let Some(Open { node, depth, range }) = open.pop() {
        let rest = spent.len() - choice.spent.len();
        choice.spent.copy_from_slice(&spent[rest..]);
        spent.truncate(rest);
        let is_pure = tree.nodes[node].impurity <= f64::EPSILON;
        let may_grow = depth < params.max_depth.map_or(MAX_DEPTH, |most| most.min(MAX_DEPTH));
        if is_pure || !may_grow || (tree.nodes[node].rows as usize) < 2 * choice.min_leaf {
            continue;
        }
        let Some((column, cut)) = choice.best(rows, range.clone(), random) else { continue };
        let middle = rows.partition(range.clone(), column, cut.ranks.0);
        let values = &columns.column(column).values;
        let threshold = half_way(values[cut.ranks.0 as usize], values[cut.ranks.1 as usize]);
        let left = tree.nodes.len();
        rows.push_leaf(&mut tree, range.start..middle);
        rows.push_leaf(&mut tree, middle..range.end);
        tree.nodes[node].split =
            Some(Split { column: column as u32, threshold, left: left as u32, right: left as u32 + 1 });
        for (node, range) in [(left + 1, middle..range.end), (left, range.start..middle)] {
            open.push(Open { node, depth: depth + 1, range });
            spent.extend_from_slice(&choice.spent);
        }
    }
    tree
}

/// The choice of the split of a node.
struct Choice {
    max_features: usize,
    min_leaf: usize,
    /// All columns; the front ones were drawn last.
    order: Vec<u32>,
    /// Bits of the columns that cannot be split in the node: nor can they below it.
    spent: Vec<u64>,
}

impl Choice {
    /// The best split among the columns that the node considers. Draws further columns until one can be split. Ties go
    /// to the smaller column.
    fn best(
        &mut self,
        rows: &mut impl RowRanges,
        range: Range<usize>,
        random: &mut Random,
    ) -> Option<(usize, SplitPoint)> {
        let columns = self.order.len();
        let mut best: Option<(usize, SplitPoint)> = None;
        rows.begin_node(range.clone());
        for at in 0..columns {
            if at >= self.max_features && best.is_some() {
                break;
            }
            if self.max_features < columns {
                let drawn = at + random.index(columns - at);
                self.order.swap(at, drawn);
            }
            let column = self.order[at] as usize;
            let (word, bit) = (column / 64, 1 << (column % 64));
            if self.spent[word] & bit != 0 {
                continue;
            }
            stop::work(1 + range.len());
            let Some(cut) = rows.best_split(range.clone(), column, self.min_leaf) else {
                self.spent[word] |= bit;
                continue;
            };
            let is_better =
                best.is_none_or(|(known, best)| cut.score > best.score || (cut.score == best.score && column < known));
            if is_better {
                best = Some((column, cut));
            }
        }
        best
    }
}

/// Moves the items that go left to the front and the others behind them, by a buffer as long as the items.
pub(super) fn partition<T: Copy>(items: &mut [T], buffer: &mut [T], goes_left: impl Fn(&T) -> bool) -> usize {
    let (mut left, mut right) = (0, 0);
    for at in 0..items.len() {
        let item = items[at];
        let is_left = goes_left(&item);
        // Written to both sides, so that there is no branch; the wrong one is overwritten.
        items[left] = item;
        buffer[right] = item;
        left += usize::from(is_left);
        right += usize::from(!is_left);
    }
    items[left..].copy_from_slice(&buffer[..right]);
    left
}

/// Half way between two values, and below the larger one whatever the rounding.
fn half_way(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if middle < high { middle } else { low }
}
