//! A look at one column of a node, where rows have classes and whole weights: the best place to cut it.
//!
//! All sums are whole numbers below 2^53, so they are exact in any order and the scores are those of the plain way, bit
//! for bit. Three ways, by what is cheapest: a column of two values needs one sum; few values are piled up by rank; many
//! are visited in the order of their ranks, one item after the other. Tested against the plain way in `tests.rs`.

use super::grow::SplitPoint;
use super::merge::RowGroup;
use super::rank_set::RankSet;

/// Ranks of a column that is piled up, at most.
const MOST_PILES: usize = 256;
/// Numbers that all piles of a column with several classes have together, at most.
const MOST_SUMS: usize = 1024;
/// From this number of items on, piles are made four times, so that an addition need not wait for the one before.
const MANY_ITEMS: usize = 64;
/// Ranks of a column whose piles are made four times, at most.
const FEW_PILES: usize = 32;

/// A node while its columns are looked at.
#[derive(Clone, Copy)]
pub(super) struct NodeRows<'a> {
    pub(super) items: &'a [RowGroup],
    /// For each class its weight in the node.
    pub(super) sums: &'a [u32],
    pub(super) weight: u32,
    pub(super) rows: u32,
    pub(super) min_leaf: u32,
}

/// How often each way was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StrategyCounts {
    pub(super) two_values: usize,
    pub(super) piles_of_two: usize,
    pub(super) piles_of_many: usize,
    pub(super) in_order: usize,
}

/// The room that looks need, used again and again.
pub(super) struct SplitSearch {
    piles: Box<[u64; MOST_SUMS]>,
    left: Vec<i64>,
    seen: RankSet,
    /// For each rank that was seen its last item, and for each item the one before it of the same rank.
    last: Vec<u32>,
    before: Vec<u32>,
    pub(super) counts: StrategyCounts,
}

/// No item.
const NONE: u32 = u32::MAX;

impl SplitSearch {
    pub(super) fn new(classes: usize, items: usize) -> Self {
        Self {
            piles: Box::new([0; MOST_SUMS]),
            left: vec![0; classes],
            seen: RankSet::default(),
            last: Vec::new(),
            before: vec![NONE; items],
            counts: StrategyCounts::default(),
        }
    }

    /// The best place to cut a column of so many values, given the rank of each different row; none if no cut leaves
    /// enough rows on both sides.
    pub(super) fn look(&mut self, here: NodeRows<'_>, ranks: &[u16], values: usize) -> Option<SplitPoint> {
        let classes = here.sums.len();
        if values < 2 {
            return None;
        }
        if here.min_leaf > 1 || values > MOST_PILES {
            self.counts.in_order += 1;
            return self.in_order(here, ranks, values);
        }
        if classes <= 2 {
            if values == 2 {
                self.counts.two_values += 1;
                return two_values(here, ranks);
            }
            if values <= 16 + 4 * here.items.len() {
                self.counts.piles_of_two += 1;
                return self.piles_of_two(here, ranks, values);
            }
        } else if values * classes <= MOST_SUMS.min(16 + 4 * here.items.len()) {
            self.counts.piles_of_many += 1;
            return self.piles_of_many(here, ranks, values);
        }
        self.counts.in_order += 1;
        self.in_order(here, ranks, values)
    }

    fn piles_of_two(&mut self, here: NodeRows<'_>, ranks: &[u16], values: usize) -> Option<SplitPoint> {
        let piles = &mut *self.piles;
        // HOT: most of the time of a forest.
        if here.items.len() >= MANY_ITEMS && values <= FEW_PILES {
            piles[..4 * FEW_PILES].fill(0);
            let mut fours = here.items.chunks_exact(4);
            for four in &mut fours {
                for (at, item) in four.iter().enumerate() {
                    let rank = usize::from(ranks[item.distinct as usize]) % FEW_PILES;
                    piles[at * FEW_PILES + rank] += pair(item);
                }
            }
            for item in fours.remainder() {
                piles[usize::from(ranks[item.distinct as usize]) % FEW_PILES] += pair(item);
            }
            for rank in 0..values {
                piles[rank] += piles[FEW_PILES + rank] + piles[2 * FEW_PILES + rank] + piles[3 * FEW_PILES + rank];
            }
        } else {
            piles[..values].fill(0);
            for item in here.items {
                piles[usize::from(ranks[item.distinct as usize]) % MOST_PILES] += pair(item);
            }
        }
        let total = whole_pair(here);
        let (mut left, mut before, mut best) = (0, None, None);
        for (rank, &pile) in piles[..values].iter().enumerate() {
            if pile == 0 {
                continue;
            }
            if let Some(before) = before {
                SplitPoint::keep(&mut best, score_of_pairs(left, total - left), (before, rank as u32));
            }
            left += pile;
            before = Some(rank as u32);
        }
        best
    }

    fn piles_of_many(&mut self, here: NodeRows<'_>, ranks: &[u16], values: usize) -> Option<SplitPoint> {
        let classes = here.sums.len();
        let piles = &mut self.piles[..values * classes];
        piles.fill(0);
        for item in here.items {
            let rank = usize::from(ranks[item.distinct as usize]);
            piles[rank * classes + item.class as usize] += u64::from(item.weight);
        }
        self.left.fill(0);
        let (mut left_weight, mut before, mut best) = (0, None, None);
        let (mut squares_left, mut squares_right) = (0, squares(here.sums));
        for (rank, pile) in piles.chunks_exact(classes).enumerate() {
            let cut = score(squares_left, left_weight, squares_right, i64::from(here.weight) - left_weight);
            let at_cut = left_weight;
            for ((&weight, left), &sum) in pile.iter().zip(&mut self.left).zip(here.sums) {
                let weight = weight as i64;
                squares_left += weight * (2 * *left + weight);
                squares_right -= weight * (2 * (i64::from(sum) - *left) - weight);
                *left += weight;
                left_weight += weight;
            }
            if left_weight > at_cut {
                if let Some(before) = before {
                    SplitPoint::keep(&mut best, cut, (before, rank as u32));
                }
                before = Some(rank as u32);
            }
        }
        best
    }

    fn in_order(&mut self, here: NodeRows<'_>, ranks: &[u16], values: usize) -> Option<SplitPoint> {
        let Self { seen, last, before, left, .. } = self;
        seen.reserve(values);
        if last.len() < values {
            last.resize(values, NONE);
        }
        for (at, item) in here.items.iter().enumerate() {
            let rank = usize::from(ranks[item.distinct as usize]);
            before[at] = if seen.insert(rank) { NONE } else { last[rank] };
            last[rank] = at as u32;
        }
        left.fill(0);
        let (mut left_weight, mut left_rows, mut known, mut best) = (0, 0, None, None);
        let (mut squares_left, mut squares_right) = (0, squares(here.sums));
        seen.drain(|rank| {
            if let Some(known) = known
                && left_rows >= here.min_leaf
                && here.rows - left_rows >= here.min_leaf
            {
                let cut = score(squares_left, left_weight, squares_right, i64::from(here.weight) - left_weight);
                SplitPoint::keep(&mut best, cut, (known, rank as u32));
            }
            known = Some(rank as u32);
            let mut at = last[rank];
            while at != NONE {
                let item = &here.items[at as usize];
                let (class, weight) = (item.class as usize, i64::from(item.weight));
                squares_left += weight * (2 * left[class] + weight);
                squares_right -= weight * (2 * (i64::from(here.sums[class]) - left[class]) - weight);
                left[class] += weight;
                left_weight += weight;
                left_rows += item.rows;
                at = before[at as usize];
            }
        });
        best
    }
}

/// A column of two values: what lies above tells all.
fn two_values(here: NodeRows<'_>, ranks: &[u16]) -> Option<SplitPoint> {
    let above = |item: &RowGroup| pair(item) * u64::from(ranks[item.distinct as usize]);
    let right = here.items.iter().fold(0, |sum, item| sum + above(item));
    let left = whole_pair(here) - right;
    (left > 0 && right > 0).then(|| SplitPoint { score: score_of_pairs(left, right), ranks: (0, 1) })
}

/// The weights of two classes in one number: the first in its lower half.
#[inline]
fn pair(item: &RowGroup) -> u64 {
    u64::from(item.weight) << (32 * (item.class & 1))
}

fn whole_pair(here: NodeRows<'_>) -> u64 {
    here.sums.iter().enumerate().fold(0, |sum, (class, &weight)| sum | u64::from(weight) << (32 * class))
}

#[inline]
fn score_of_pairs(left: u64, right: u64) -> f64 {
    let side = |pair: u64| {
        let (first, second) = ((pair & u64::from(u32::MAX)) as i64, (pair >> 32) as i64);
        (first * first + second * second, first + second)
    };
    let ((squares_left, left), (squares_right, right)) = (side(left), side(right));
    score(squares_left, left, squares_right, right)
}

#[inline]
fn score(squares_left: i64, left: i64, squares_right: i64, right: i64) -> f64 {
    squares_left as f64 / left as f64 + squares_right as f64 / right as f64
}

fn squares(sums: &[u32]) -> i64 {
    sums.iter().fold(0, |squares, &sum| squares + i64::from(sum) * i64::from(sum))
}
