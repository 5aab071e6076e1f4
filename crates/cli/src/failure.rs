//! Why a command failed, the exit status of the program, and what a user can do about it.
//!
//! The libraries state facts; the advice, which names the program's options, is added here.

use einsicht::data::SplitError;
use einsicht::data::read::ReadError;
use einsicht::data::write::WriteError;
use einsicht::graph::mine::MineError;
use einsicht::memory::Bytes;
use einsicht::model::params::{ParamError, Spelling};
use einsicht::model::task::TargetError;
use einsicht::train::fit::FitError;
use einsicht::train::grid::GridError;
use einsicht::train::{DataError, TrainError};
use einsicht::{PlanError, SessionError};

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of stdout closed the pipe. Not an error.
    ClosedPipe,
    /// Bad data or a bad file: exit status 1.
    Data(Problem),
    /// The same, and the document on stdout already holds the error.
    Reported(Problem),
    /// Options that exclude each other or do not fit the data: exit status 2.
    Usage(Problem),
}

/// What must hold, what was found, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// What must hold and what was found, and where.
    pub(crate) error: String,
    /// File, or file:line, or option.
    pub(crate) place: Option<String>,
    /// An option that helps.
    pub(crate) advice: Option<&'static str>,
}

/// How a command ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// A limit was reached: the result is incomplete. Exit status 3.
    Incomplete,
    /// Stopped by a signal, with what was found so far. Exit status 129, 130 or 143.
    Interrupted(u8),
    /// Done, and something that was checked does not hold. Exit status 1.
    Failed,
    /// All that was checked holds, and something that is claimed was not checked. Exit status 4.
    InPart,
}

impl Failure {
    /// Something is wrong with a file.
    pub(crate) fn file(path: &std::path::Path, error: impl std::fmt::Display) -> Self {
        let place = path.display().to_string();
        Self::Data(Problem { error: format!("{place}: {error}"), place: Some(place), advice: None })
    }

    /// An option that cannot be used.
    pub(crate) fn usage(option: &str, error: impl Into<String>) -> Self {
        Self::Usage(Problem { error: error.into(), place: Some(option.to_owned()), advice: None })
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let advice = match error {
            ReadError::UnknownFormat { .. } => Some("name it with --format"),
            ReadError::IsModel { .. } => Some("name the data after the model; einsicht show describes a model"),
            ReadError::UnknownColumn { .. } | ReadError::NoTableHeader { .. } => {
                Some("--smiles names the column with the molecules, --target one to predict, --columns others to read")
            }
            ReadError::Molecules { .. } => {
                Some("--target names the column to predict, --smiles another one with the molecules")
            }
            ReadError::SameName { .. } => Some("give each column a name of its own, in the first line"),
            ReadError::SeveralSmiles { .. } => Some("--smiles names the column with the molecules"),
            ReadError::Separator { .. } => Some("quote the cells of the header, or --format tsv for tabs"),
            ReadError::SelfLoop { .. } | ReadError::DoubleEdge { .. } | ReadError::OneWayEdge { .. } => {
                Some("--repair corrects such edges and counts them")
            }
            ReadError::BadMolecule { .. } | ReadError::Feature { .. } => {
                Some("--on-bad skip skips such rows and counts them")
            }
            ReadError::WordAmongNumbers { .. } => {
                Some("write it as a number or leave the cell empty; --task classify takes every value as a class")
            }
            ReadError::NotATarget { .. } => {
                Some("--target names another column, --task takes it as classes or numbers")
            }
            ReadError::NamelessHydrogens { .. } => Some("--vertex-names names the labels"),
            _ => None,
        };
        Self::Data(Problem { error: error.to_string(), place: Some(error.place().to_string()), advice })
    }
}

impl From<SplitError> for Failure {
    fn from(error: SplitError) -> Self {
        let place = match error {
            SplitError::Read(inner) => return inner.into(),
            SplitError::NoSuchTrial { ref path, .. }
            | SplitError::RowOutOfRange { ref path, .. }
            | SplitError::RowTwice { ref path, .. } => Some(path.display().to_string()),
            _ => None,
        };
        Self::Data(Problem { error: error.to_string(), place, advice: None })
    }
}

impl From<ParamError> for Failure {
    fn from(error: ParamError) -> Self {
        Self::usage(&Spelling::Option.name(error.name()), error.message(Spelling::Option))
    }
}

impl Failure {
    /// A memory limit that is too small.
    pub(crate) fn memory(smallest: usize, got: usize) -> Self {
        let smallest = Bytes(smallest).at_least();
        Self::usage(
            "--memory",
            format!("--memory must be at least {smallest} for this data, got {}", Bytes(got).rounded()),
        )
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        if let FitError::Mine(MineError::BudgetTooSmall { smallest, got }) = error {
            return Self::memory(smallest, got);
        }
        let advice = match error {
            FitError::Train(TrainError::Data(DataError::Target(problem))) => return problem.into(),
            FitError::Train(TrainError::Required { .. }) => {
                return Self::usage("--require", format!("--require: {error}"));
            }
            FitError::Train(TrainError::Data(DataError::NoClasses { parameter })) => {
                let option = Spelling::Option.name(parameter);
                return Self::usage(
                    &option,
                    format!("{option} needs a target with classes, but the targets are numbers"),
                );
            }
            FitError::Train(TrainError::Data(DataError::NoSuchMetric { .. })) => Some("--select names another metric"),
            _ => None,
        };
        Self::Data(Problem { error: error.to_string(), place: None, advice })
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        let advice = match error {
            TargetError::NoTarget => Some(
                "--target names the column to predict; a .smi file has targets if its first line names its columns, \
                 separated by tabs",
            ),
            TargetError::OneClass { .. }
            | TargetError::NoValue { .. }
            | TargetError::AllMissing { .. }
            | TargetError::Constant { .. } => Some("--target names another column"),
            TargetError::ClassNotInTraining { .. } => Some("another --splits or --seed may spread the classes better"),
            _ => None,
        };
        Self::Data(Problem { error: error.to_string(), place: None, advice })
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        FitError::from(error).into()
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let place = match &error {
            WriteError::Io { path, .. } => Some(path.display().to_string()),
            _ => None,
        };
        Self::Data(Problem { error: error.to_string(), place, advice: None })
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Read(error) => error.into(),
            PlanError::Param(error) | PlanError::Grid(GridError::Param(error)) => error.into(),
            PlanError::Split(error) => error.into(),
            PlanError::Target(error) => error.into(),
            PlanError::Qualifier(error) => Self::usage("--qualifiers", error.to_string()),
            PlanError::Classes(error) => Self::usage("--class-weight", format!("--class-weight: {error}")),
            PlanError::Required { .. } => Self::usage("--require", format!("--require: {error}")),
            PlanError::Subgraph { list, .. } => Self::usage(&format!("--{list}"), format!("--{error}")),
            error => Self::Data(Problem { error: error.to_string(), place: None, advice: None }),
        }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Plan(error) => error.into(),
            SessionError::Fit(error) => error.into(),
            error => Self::Data(Problem { error: error.to_string(), place: None, advice: None }),
        }
    }
}
