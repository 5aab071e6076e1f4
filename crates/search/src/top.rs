//! The s-th largest of a growing set of numbers: `zeta`.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A finite number or an infinity, in its natural order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number(pub(super) f64);

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Remembers the `size` largest numbers.
#[derive(Debug)]
pub(super) struct Top {
    size: usize,
    largest: BinaryHeap<Reverse<Number>>,
}

impl Top {
    pub(super) fn new(size: usize) -> Self {
        Self { size, largest: BinaryHeap::with_capacity(size + 1) }
    }

    pub(super) fn add(&mut self, number: f64) {
        self.largest.push(Reverse(Number(number)));
        if self.largest.len() > self.size {
            self.largest.pop();
        }
    }

    /// The `size`-th largest number so far; minus infinity while there are fewer.
    pub(super) fn threshold(&self) -> f64 {
        match self.largest.peek() {
            Some(least) if self.largest.len() == self.size => least.0.0,
            _ => f64::NEG_INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_the_third_largest_once_there_are_three() {
        let mut top = Top::new(3);
        let thresholds = [5.0, 1.0, 3.0, 4.0, 0.0].map(|number| {
            top.add(number);
            top.threshold()
        });
        assert_eq!(thresholds, [f64::NEG_INFINITY, f64::NEG_INFINITY, 1.0, 3.0, 3.0]);
    }
}
