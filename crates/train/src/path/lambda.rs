//! The regularization path of the group lasso: from `lambda_max`, at which no pattern is active, down.
//!
//! Promise: `log lambda` falls by `log(100) / 5` from one entry to the next, and by half as much as before once 10 or
//! more patterns have entered between two entries, or more would enter than allowed. Where that happens at the first
//! penalty already, it is larger by one step. Paper: Appendix "Discussion on `L1,2` based EIN".

use serde::{Deserialize, Serialize};

/// Patterns that enter between two entries before the path continues in smaller decreases.
const MANY: usize = 10;
/// Smaller decreases of `log lambda` are not worth a training.
const SMALLEST: f64 = 0.01;
/// How much larger than the largest gradient the first penalty may become.
const LARGEST: f64 = 1e4;

/// A point of the path: the constraint or penalty of the entry in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PathPoint {
    /// At most this many patterns (`s`).
    Size(usize),
    /// This penalty (`lambda`).
    Lambda(f64),
}

impl PathPoint {
    /// The size, on a path of sizes.
    pub(crate) fn size(self) -> Option<usize> {
        match self {
            Self::Size(size) => Some(size),
            Self::Lambda(_) => None,
        }
    }

    /// The penalty, on a path of penalties.
    pub(crate) fn lambda(self) -> Option<f64> {
        match self {
            Self::Size(_) => None,
            Self::Lambda(lambda) => Some(lambda),
        }
    }
}

/// The position on a path of penalties.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LambdaPath {
    /// `lambda_max`: the largest gradient norm of all patterns at the start.
    pub max: f64,
    /// The current penalty.
    pub lambda: f64,
    /// The penalty of the last finished entry.
    pub above: f64,
    /// The next decrease of `log lambda`.
    pub decrease: f64,
}

/// The first decrease of `log lambda`: five make a hundredth.
fn first_decrease() -> f64 {
    libm::log(100.0) / 5.0
}

impl LambdaPath {
    /// The start of the path.
    pub fn start(max: f64) -> Self {
        Self { max, lambda: max, above: max, decrease: first_decrease() }
    }

    /// Takes the next penalty, after an entry that has `more` patterns than the one before it.
    pub fn go_on(&mut self, more: usize) {
        if more >= MANY {
            self.decrease *= 0.5;
        }
        self.above = self.lambda;
        self.lambda = libm::exp(libm::log(self.above) - self.decrease);
    }

    /// Takes a penalty nearer to that of the last entry, because this one admits too many patterns; before the first
    /// entry, a larger one. Returns whether there is one worth trying.
    pub(crate) fn go_back(&mut self) -> bool {
        if self.lambda >= self.above {
            self.lambda *= libm::exp(first_decrease());
            self.above = self.lambda;
            return self.max > 0.0 && self.lambda < LARGEST * self.max;
        }
        self.decrease *= 0.5;
        let worth = self.decrease > SMALLEST;
        if worth {
            self.lambda = libm::exp(libm::log(self.above) - self.decrease);
        }
        worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_steps_make_a_hundredth_and_many_patterns_at_once_make_smaller_steps() {
        let mut path = LambdaPath::start(7.0);
        for _ in 0..5 {
            path.go_on(9);
        }
        assert!((path.lambda / 0.07 - 1.0).abs() < 1e-12);
        let before = path;
        path.go_on(10);
        assert_eq!(path.decrease, before.decrease / 2.0);
        assert!((libm::log(before.lambda / path.lambda) - path.decrease).abs() < 1e-12);
    }

    #[test]
    fn a_step_that_lets_in_too_many_is_tried_again_at_half_its_length() {
        let mut path = LambdaPath::start(7.0);
        path.go_on(0);
        let far = path.lambda;
        assert!(path.go_back() && (path.lambda - (7.0 * far).sqrt()).abs() < 1e-9);
        assert!((0..9).any(|_| !path.go_back()), "it gives up in the end");
    }

    #[test]
    fn a_first_penalty_that_lets_in_too_many_is_followed_by_a_larger_one() {
        let mut path = LambdaPath::start(7.0);
        assert!(path.go_back() && path.lambda > 7.0);
        let larger = path.lambda;
        path.go_on(0);
        assert!((path.lambda - 7.0).abs() < 1e-9 && path.above == larger);
        let mut path = LambdaPath::start(7.0);
        assert!((0..99).any(|_| !path.go_back()), "it gives up in the end");
        assert!(!LambdaPath::start(0.0).go_back());
    }

    #[test]
    fn where_nothing_has_a_gradient_the_penalty_stays_zero() {
        let mut path = LambdaPath::start(0.0);
        path.go_on(0);
        assert_eq!(path.lambda, 0.0);
    }
}
