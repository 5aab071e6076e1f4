//! Training, validation and test set.
//!
//! Promise: the sets of a [`Split`] are increasing and disjoint, and the training set is never empty. A split
//! comes from a file ([`SplitFile`]) or from a seed ([`seeded`]), the latter the same in every version. Positions are
//! those of graphs in a [`Dataset`], not rows of its source; rows in files are translated, so that a
//! skipped row never shifts another.

mod file;
pub mod seeded;

pub use file::SplitFile;

use crate::read::ReadError;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

#[cfg(doc)]
use crate::Dataset;

/// A set of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Training set: the model is fitted to it.
    Train,
    /// Validation set: sizes and parameters are selected on it.
    Valid,
    /// Test set: evaluated once, at the end.
    Test,
    /// Everything that is in one of the three.
    All,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Train => "train",
            Self::Valid => "valid",
            Self::Test => "test",
            Self::All => "all",
        })
    }
}

impl FromStr for Part {
    type Err = crate::read::UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let parts = [Self::Train, Self::Valid, Self::Test, Self::All];
        parts.into_iter().find(|part| part.to_string() == word).ok_or_else(|| crate::read::UnknownWord {
            what: "the part",
            allowed: "train, valid, test, all",
            got: word.to_owned(),
        })
    }
}

/// The graphs of each set, by position in the data set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Training set.
    pub train: Vec<usize>,
    /// Validation set.
    pub valid: Vec<usize>,
    /// Test set.
    pub test: Vec<usize>,
    /// Number of rows of the split that were skipped when the data were read.
    pub skipped: usize,
}

impl Split {
    /// The graphs of a set, increasing.
    pub fn part(&self, part: Part) -> Vec<usize> {
        match part {
            Part::Train => self.train.clone(),
            Part::Valid => self.valid.clone(),
            Part::Test => self.test.clone(),
            Part::All => {
                let mut all = [&self.train[..], &self.valid, &self.test].concat();
                all.sort_unstable();
                all
            }
        }
    }
}

/// Why there is no split.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A trial that the file does not hold.
    #[error("{}: there must be a trial {trial}, but there are {}", path.display(), trials(*len))]
    NoSuchTrial {
        /// The file.
        path: PathBuf,
        /// The trial.
        trial: usize,
        /// How many there are, counted from 0.
        len: usize,
    },
    /// A row that the source does not have.
    #[error("{}: trial {trial}, {part}: rows must be between 0 and {}, but one is {row}", path.display(), rows - 1)]
    RowOutOfRange {
        /// The file.
        path: PathBuf,
        /// The trial.
        trial: usize,
        /// The set that names it.
        part: Part,
        /// The row.
        row: u32,
        /// How many rows the source has.
        rows: usize,
    },
    /// A row that is named twice.
    #[error("{}: trial {trial}: a row may be in one set, once, but row {row} is in {first} and again in {second}", path.display())]
    RowTwice {
        /// The file.
        path: PathBuf,
        /// The trial.
        trial: usize,
        /// The row.
        row: u32,
        /// The set that names it first.
        first: Part,
        /// The set that names it again.
        second: Part,
    },
    /// Nothing to train on.
    #[error("the training set must have at least one graph, but has none")]
    NoTraining,
    /// Fractions outside of their range.
    #[error("the fractions of valid and test must be at least 0 and their sum below 1, got {valid} and {test}")]
    Fractions {
        /// Fraction of the validation set.
        valid: f64,
        /// Fraction of the test set.
        test: f64,
    },
    /// Too many or too few folds.
    #[error("the number of folds must be between 3 and the number of graphs, {graphs}, got {folds}")]
    Folds {
        /// Number of folds.
        folds: usize,
        /// Number of graphs.
        graphs: usize,
    },
}

fn trials(len: usize) -> String {
    match len {
        0 => "none".to_owned(),
        1 => "only trial 0".to_owned(),
        _ => format!("only trials 0 to {}", len - 1),
    }
}
