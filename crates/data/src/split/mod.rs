//! Which graphs are for training, which for choosing, which for the final test.
//!
//! Promise: the parts of a [`Split`] are increasing, share no graph, and the training part is never empty. A split
//! comes from a file ([`SplitFile`]) or from a seed ([`seeded`]), the latter the same for ever. Positions are
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

/// A part of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What the model is fitted to.
    Train,
    /// What sizes and parameters are chosen by.
    Valid,
    /// What is looked at once, at the end.
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

/// The graphs of each part, by position in the data set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// For fitting.
    pub train: Vec<usize>,
    /// For choosing.
    pub valid: Vec<usize>,
    /// For the final test.
    pub test: Vec<usize>,
    /// Rows that the split names, but that were left out when the data were read.
    pub skipped: usize,
}

impl Split {
    /// The graphs of a part, increasing.
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
        /// The trial that was asked for.
        trial: usize,
        /// How many there are, counted from 0.
        len: usize,
    },
    /// A row that the source does not have.
    #[error("{}: trial {trial}, {part}: rows must lie between 0 and {}, but one is {row}", path.display(), rows - 1)]
    RowOutOfRange {
        /// The file.
        path: PathBuf,
        /// The trial.
        trial: usize,
        /// The part that names it.
        part: Part,
        /// The row.
        row: u32,
        /// How many rows the source has.
        rows: usize,
    },
    /// A row that is named twice.
    #[error("{}: trial {trial}: a row may be in one part, once, but row {row} is in {first} and again in {second}", path.display())]
    RowTwice {
        /// The file.
        path: PathBuf,
        /// The trial.
        trial: usize,
        /// The row.
        row: u32,
        /// The part that names it first.
        first: Part,
        /// The part that names it again.
        second: Part,
    },
    /// Nothing to train on.
    #[error("the part train must hold at least one graph, but holds none")]
    NoTraining,
    /// Shares that leave nothing for training, or that are no shares.
    #[error("the shares of valid and test must be 0 or more and together below 1, got {valid} and {test}")]
    Shares {
        /// Share of the validation part.
        valid: f64,
        /// Share of the test part.
        test: f64,
    },
    /// Too many or too few folds.
    #[error("the number of folds must lie between 3 and the number of graphs, {graphs}, got {folds}")]
    Folds {
        /// How many folds were asked for.
        folds: usize,
        /// How many graphs there are.
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
