//! Decision trees and random forests on columns of numbers: subgraphs present or absent, counts, anything.
//!
//! The classic trees of Breiman and others (CART): every node asks whether one column is above a threshold, and the
//! question is the one that makes the two sides purest (Gini impurity of classes, variance of numbers). Used twice: as a
//! surrogate that people can read, and as a predictor on the chosen subgraphs.
//!
//! Promise: same rows, parameters and seed give the same trees on any number of threads. Columns are sorted once;
//! after that a node costs its rows times the columns it looks at. Ties go to the column of the smaller index, then to the
//! smaller threshold. Tested against the definition, written out plainly in `tests.rs`, and against scikit-learn.

mod columns;
mod ensemble;
mod grow;
mod integer_weights;
mod merge;
mod rank_set;
mod reference;
mod split_search;
mod training_set;
mod tree;

pub use columns::Columns;
pub use ensemble::{Forest, ForestParams};
pub use tree::{Node, Split, Tree, TreeParams};

/// How many columns a node looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxFeatures {
    /// All of them.
    All,
    /// About the root of their number, drawn anew for every node.
    Sqrt,
    /// This many, drawn anew for every node.
    Number(usize),
}

impl MaxFeatures {
    fn of(self, columns: usize) -> usize {
        let wanted = match self {
            Self::All => columns,
            Self::Sqrt => columns.isqrt(),
            Self::Number(number) => number,
        };
        wanted.clamp(1, columns.max(1))
    }
}

/// What a tree is to predict, one entry a row.
#[derive(Clone, Copy, Debug)]
pub enum Response<'a> {
    /// Class indices below `classes`.
    Classes {
        /// The class of each row.
        labels: &'a [u32],
        /// Number of classes, at least one.
        classes: usize,
    },
    /// Finite numbers.
    Numbers(&'a [f64]),
}

impl Response<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { labels, .. } => labels.len(),
            Self::Numbers(values) => values.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many numbers a prediction has: one a class, or one.
    pub fn width(&self) -> usize {
        match self {
            Self::Classes { classes, .. } => *classes,
            Self::Numbers(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests;
