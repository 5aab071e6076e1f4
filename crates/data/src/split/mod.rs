//! Training, validation and test set.
//!
//! Promise: the sets of a [`Split`] are increasing and disjoint, and the training set is never empty. A split comes
//! from a file ([`SplitFile`]), from a plan ([`SplitPlan`]) or from a seed ([`seeded`]), the latter two the same in
//! every version. Positions are those of graphs in a [`Dataset`], not rows of its source; rows in files are translated,
//! so that a skipped row never shifts another.

mod cluster;
mod file;
mod joined;
mod plan;
pub mod seeded;

pub use file::{SplitFile, split_file};
pub use plan::{PlannedSplits, Scheme, SplitPlan, USUAL_FOLDS, USUAL_SIMILARITY, column_groups};

use crate::read::ReadError;
use einsicht_graph::mine::MineError;
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
    #[error("the number of folds must be at least 2{}, got {folds}", graphs.map_or_else(String::new, |graphs| format!(" and at most the number of graphs, {graphs}")))]
    Folds {
        /// Number of folds.
        folds: usize,
        /// Number of graphs, if that is known.
        graphs: Option<usize>,
    },
    /// No repeat at all.
    #[error("the number of repeats must be at least 1, got 0")]
    Repeats,
    /// A similarity that no graphs can have, or that all have.
    #[error("the similarity must be above 0 and at most 1, got {got}")]
    Similarity {
        /// The given one.
        got: f64,
    },
    /// Nothing to stratify by.
    #[error("scheme stratified needs a target, but the data have none")]
    NoStrata,
    /// Groups that nobody gave.
    #[error("the scheme group needs the group of each graph, but none is given")]
    NoGroups,
    /// A graph without a group.
    #[error("each graph must have a group, but row {row} has no value in column {column}")]
    NoGroupOf {
        /// The column.
        column: String,
        /// Row of the source.
        row: u32,
    },
    /// Fewer groups than sets, or one that is so large that some set stays empty.
    #[error("the scheme {scheme} must find enough {} that share no isomorphic graph for {sets} sets, but there are {groups}", scheme.unit())]
    FewGroups {
        /// The scheme.
        scheme: Scheme,
        /// Number of groups.
        groups: usize,
        /// Number of sets.
        sets: usize,
    },
    /// A class that cannot be in every fold.
    #[error(
        "each class must have at least {folds} graphs, one per fold, but class {class} of target {target} has {graphs}"
    )]
    SmallClass {
        /// The target.
        target: String,
        /// The class.
        class: String,
        /// Its graphs.
        graphs: usize,
        /// Number of folds.
        folds: usize,
    },
    /// Subgraphs cannot be mined.
    #[error(transparent)]
    Mine(#[from] MineError),
}

fn trials(len: usize) -> String {
    match len {
        0 => "none".to_owned(),
        1 => "only trial 0".to_owned(),
        _ => format!("only trials 0 to {}", len - 1),
    }
}
