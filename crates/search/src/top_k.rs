//! The `k` largest of a growing set of numbers. The smallest of them, once there are `k`, is `zeta` of a top-`k`
//! search.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A score or bound, ordered by size. Never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OrderedScore(pub(crate) f64);

impl Eq for OrderedScore {}

impl PartialOrd for OrderedScore {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedScore {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The `k` largest scores so far.
#[derive(Debug)]
pub(crate) struct TopK {
    k: usize,
    largest: BinaryHeap<Reverse<OrderedScore>>,
}

impl TopK {
    pub(crate) fn new(k: usize) -> Self {
        Self { k, largest: BinaryHeap::with_capacity(k + 1) }
    }

    pub(crate) fn add(&mut self, score: f64) {
        self.largest.push(Reverse(OrderedScore(score)));
        if self.largest.len() > self.k {
            self.largest.pop();
        }
    }

    /// The `k`-th largest score so far; minus infinity while there are fewer.
    pub(crate) fn threshold(&self) -> f64 {
        match self.largest.peek() {
            Some(least) if self.largest.len() == self.k => least.0.0,
            _ => f64::NEG_INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_the_third_largest_once_there_are_three() {
        let mut top = TopK::new(3);
        let thresholds = [5.0, 1.0, 3.0, 4.0, 0.0].map(|score| {
            top.add(score);
            top.threshold()
        });
        assert_eq!(thresholds, [f64::NEG_INFINITY, f64::NEG_INFINITY, 1.0, 3.0, 3.0]);
    }
}
