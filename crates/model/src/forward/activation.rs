//! Activation functions, and the sigmoid that losses use.
//!
//! Promise: the same bits on every machine, since `exp` and `tanh` are those of `libm`. Derivatives are computed from
//! the *value* of the function, which the forward pass keeps anyway.

use serde::{Deserialize, Serialize};

/// An activation function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// `1 / (1 + exp(-x))`, the paper's choice.
    #[default]
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
    /// Rectified linear unit, `max(x, 0)`.
    Relu,
    /// The identity, for a linear model.
    Identity,
}

impl Activation {
    /// The function.
    #[inline]
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Sigmoid => sigmoid(x),
            Self::Tanh => libm::tanh(x),
            Self::Identity => x,
            Self::Relu => {
                if x > 0.0 {
                    x
                } else {
                    0.0
                }
            }
        }
    }

    /// Its derivative at the point where its value is `y`.
    #[inline]
    pub fn derivative_at_value(self, y: f64) -> f64 {
        match self {
            Self::Sigmoid => y * (1.0 - y),
            Self::Tanh => 1.0 - y * y,
            Self::Identity => 1.0,
            Self::Relu => {
                if y > 0.0 {
                    1.0
                } else {
                    0.0
                }
            }
        }
    }

    /// Applies the function to every number of `from`.
    pub fn apply(self, from: &[f64], to: &mut [f64]) {
        for (y, &x) in to.iter_mut().zip(from) {
            *y = self.value(x);
        }
    }
}

/// `1 / (1 + exp(-x))` without overflow.
#[inline]
pub(crate) fn sigmoid(x: f64) -> f64 {
    sigmoid_of_tail(x, libm::exp(-x.abs()))
}

/// The same where `exp(-|x|)` is already known.
#[inline]
pub(crate) fn sigmoid_of_tail(x: f64, tail: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + tail) } else { tail / (1.0 + tail) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_agree_with_finite_differences() {
        for activation in [Activation::Sigmoid, Activation::Tanh, Activation::Relu, Activation::Identity] {
            for x in [-3.0, -0.4, 0.3, 2.5] {
                let step = 1e-6;
                let derivative = (activation.value(x + step) - activation.value(x - step)) / (2.0 * step);
                assert!((derivative - activation.derivative_at_value(activation.value(x))).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_sigmoid_of_huge_numbers_is_zero_or_one() {
        assert_eq!((sigmoid(-1e4), sigmoid(0.0), sigmoid(1e4)), (0.0, 0.5, 1.0));
    }
}
