//! Decision trees, random forests and boosted trees on columns of numbers, such as presence or counts of subgraphs.
//!
//! The trees are those of Breiman and others (CART): every inner node compares one column with a threshold, and the
//! split is the one with the least impurity of the two sides (Gini impurity of classes, variance of numbers). Used
//! twice: as a surrogate that people can read, and as a head on the chosen subgraphs.
//!
//! Promise: same rows, parameters and seed give the same trees on any number of threads. Columns are sorted once; after
//! that a node costs its rows times the columns it considers. Ties go to the column of the smaller index, then to the
//! smaller threshold. Tested against the definition in `tests.rs`, and against scikit-learn.

mod boost;
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

pub use boost::BoostParams;
pub use columns::Columns;
pub use ensemble::{Forest, ForestParams};
pub use tree::{MAX_DEPTH, Node, Split, Tree, TreeParams};

/// Number of columns that a node considers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxFeatures {
    /// All of them.
    All,
    /// The square root of their number, drawn anew for every node.
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

/// The response of a tree, one entry per row.
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

    /// Numbers per prediction: one per class, or one.
    pub fn width(&self) -> usize {
        match self {
            Self::Classes { classes, .. } => *classes,
            Self::Numbers(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests;
