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
pub use plan::{PlannedSplits, Scheme, SplitPlan, USUAL_FOLDS, column_groups};

use crate::read::ReadError;
use crate::read::UnknownWord;
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

impl Part {
    /// Their names in options.
    pub const WORDS: [&str; 4] = ["train", "valid", "test", "all"];
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::WORDS[*self as usize])
    }
}

impl FromStr for Part {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let parts = [Self::Train, Self::Valid, Self::Test, Self::All];
        let refused = || UnknownWord::new("the part", &Self::WORDS, word);
        parts.into_iter().find(|part| part.to_string() == word).ok_or_else(refused)
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
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum SplitError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{}: there must be a trial {trial}, but there are {}", path.display(), trials(*len))]
    NoSuchTrial { path: PathBuf, trial: usize, len: usize },
    #[error("{}: trial {trial}, {part}: rows must be between 0 and {}, but one is {row}", path.display(), rows - 1)]
    RowOutOfRange { path: PathBuf, trial: usize, part: Part, row: u32, rows: usize },
    #[error(
        "{}: trial {trial}: a row may be in one set, once, but row {row} is in {first} and again in {second}",
        path.display()
    )]
    RowTwice { path: PathBuf, trial: usize, row: u32, first: Part, second: Part },
    #[error("the training set must have at least one graph, but has none")]
    NoTraining,
    #[error("the fractions of valid and test must be at least 0 and their sum below 1, got {valid} and {test}")]
    Fractions { valid: f64, test: f64 },
    #[error(
        "the number of folds must be at least 2{}, got {folds}",
        graphs.map_or_else(String::new, |graphs| format!(" and at most the number of graphs, {graphs}"))
    )]
    Folds { folds: usize, graphs: Option<usize> },
    #[error("the number of repeats must be at least 1, got 0")]
    Repeats,
    #[error("the similarity must be above 0 and at most 1, got {got}")]
    Similarity { got: f64 },
    #[error("scheme stratified needs a target, but the data have none")]
    NoStrata,
    #[error("the scheme group needs the group of each graph, but none is given")]
    NoGroups,
    #[error("each graph must have a group, but row {row} has no value in column {column}")]
    NoGroupOf { column: String, row: u32 },
    #[error(
        "the scheme {scheme} needs enough {} without isomorphic graphs in common for {sets} sets, \
         but there are {groups}",
        scheme.unit()
    )]
    FewGroups { scheme: Scheme, groups: usize, sets: usize },
    #[error(
        "each class must have at least {folds} graphs, one per fold, but class {class} of target {target} has {graphs}"
    )]
    SmallClass { target: String, class: String, graphs: usize, folds: usize },
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
