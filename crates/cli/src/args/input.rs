//! `DATA` and the options that say how to read it: one struct for all commands that read data.
//!
//! Only what was typed: [`super::read_data`] does the reading.

use crate::failure::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser};
use einsicht::data::Part;
use einsicht::data::read::{
    Coordinates, EdgeLabels, Format, Hydrogens, OnBad, ReadOptions, TargetChoice, Task, VertexNames,
};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Options about the data, the same for every command.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Data options")]
pub(crate) struct Input {
    /// Data set: TU folder, t/v/e file, .csv, .tsv or .smi table, .sdf file, or JSON lines; files may be gzipped.
    #[arg(value_name = "DATA", help_heading = clap::builder::Resettable::Reset)]
    pub(crate) data: PathBuf,
    /// File format [default: detected].
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = words::<Format>(Format::WORDS)
    )]
    format: Option<Format>,
    /// Column to predict; for predict, one of the model's targets. Repeat for several; '*' for all.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Vec<String>,
    /// Column with the SMILES [default: detected].
    #[arg(long, value_name = "COLUMN")]
    smiles: Option<String>,
    /// Numeric columns that the model reads in addition to the subgraphs: --columns logP dose. Only training needs
    /// them: the model stores their names.
    #[arg(long, value_name = "COLUMN", num_args = 1..)]
    columns: Vec<String>,
    /// Read targets as classes or as numbers; auto decides by the values.
    #[arg(
        long,
        value_name = "TASK",
        default_value = "auto",
        value_parser = words::<Task>(Task::WORDS)
    )]
    task: Task,
    /// Use or ignore edge labels; auto uses them if there are any.
    #[arg(
        long,
        value_name = "HOW",
        default_value = "auto",
        value_parser = words::<EdgeLabels>(EdgeLabels::WORDS)
    )]
    edge_labels: EdgeLabels,
    /// Names of vertex labels: a file with a label and its name on each line, or 'atomic-numbers'.
    #[arg(
        long,
        value_name = "FILE|atomic-numbers",
        value_parser = |word: &str| Ok::<_, String>(VertexNames::from(word))
    )]
    vertex_names: Option<VertexNames>,
    /// Names of edge labels: a file with a label and its name on each line.
    #[arg(long, value_name = "FILE")]
    edge_names: Option<PathBuf>,
    /// Keep or drop explicit hydrogens [default: drop in molecules, keep in labelled graphs].
    #[arg(long, value_name = "HOW", value_parser = words::<Hydrogens>(Hydrogens::WORDS))]
    hydrogens: Option<Hydrogens>,
    /// Keep only the largest fragment of each molecule; drop counter-ions, solvents and other parts of mixtures.
    #[arg(long)]
    largest_fragment: bool,
    /// What to do with vertex attributes that look like atom coordinates. Only training uses this: the model stores
    /// which attributes it reads.
    #[arg(
        long,
        value_name = "HOW",
        default_value = "leave-out",
        value_parser = words::<Coordinates>(Coordinates::WORDS)
    )]
    coordinates: Coordinates,
    /// Stop at a graph that cannot be read, or skip and count it [default: stop when training, otherwise skip].
    #[arg(long, value_name = "HOW", value_parser = words::<OnBad>(&["stop", "skip"]))]
    on_bad: Option<OnBad>,
    /// Remove self loops and parallel edges and count them, instead of refusing them.
    #[arg(long)]
    repair: bool,
    /// Split file: training, validation and test sets of one or more trials, as JSON [default: folds of all graphs
    /// choose the model; without folds, a random 20 % are the validation set].
    #[arg(long, value_name = "FILE")]
    pub(crate) splits: Option<PathBuf>,
    /// Trial of the split file, counted from 0 [default: 0]; for experiment, a list such as 0-4 or 0,3,7 [default:
    /// all].
    #[arg(long, value_name = "N")]
    trial: Option<String>,
    /// Set of the split to use; commands that train use all sets and reject this option [default: all; for evaluate
    /// with --splits: test].
    #[arg(long, value_name = "PART", value_parser = words::<Part>(&Part::WORDS))]
    part: Option<Part>,
}

/// How training reads data where the options leave it open: a graph that cannot be read is an error.
pub(crate) fn for_training() -> ReadOptions {
    ReadOptions { on_bad: OnBad::Stop, targets: TargetChoice::Usual, ..ReadOptions::default() }
}

/// How everything else does: a graph that cannot be read is skipped and counted.
pub(crate) fn skipping(targets: TargetChoice) -> ReadOptions {
    ReadOptions { on_bad: OnBad::Skip, targets, ..ReadOptions::default() }
}

impl Input {
    /// A data set that is read as it is, with all options at their defaults.
    pub(crate) fn plain(data: &Path) -> Self {
        #[derive(Parser)]
        struct Plain {
            #[command(flatten)]
            input: Input,
        }
        Plain::parse_from([OsStr::new("data"), OsStr::new("--"), data.as_os_str()]).input
    }

    /// The same options for another data set.
    pub(crate) fn of(&self, data: &Path) -> Self {
        Self { data: data.to_owned(), ..self.clone() }
    }

    /// The same without `--target`: where it names targets of a model, it does not say which columns are read.
    pub(crate) fn without_targets(&self) -> Self {
        Self { target: Vec::new(), ..self.clone() }
    }

    /// The same with another column as the only target.
    pub(crate) fn with_target(&self, column: &str) -> Self {
        Self { target: vec![column.to_owned()], task: Task::Auto, ..self.clone() }
    }

    /// Whether the data come from stdin.
    pub(crate) fn is_stdin(&self) -> bool {
        self.data == Path::new("-")
    }

    /// Whether the source names its targets, as far as `--format` tells: stdin has no second look.
    pub(crate) fn names_targets(&self) -> bool {
        self.format.is_none_or(Format::names_targets)
    }

    /// Whether only a part of the data is to be used.
    pub(crate) fn asks_for_part(&self) -> bool {
        self.splits.is_some() || self.part.is_some_and(|part| part != Part::All)
    }

    /// Whether a split file was given.
    pub(crate) fn has_split(&self) -> bool {
        self.splits.is_some()
    }

    /// The one trial of a command that uses one.
    pub(crate) fn trial(&self) -> Result<usize, Failure> {
        match (self.trial.as_deref(), &self.splits) {
            (None, _) => Ok(0),
            (Some(text), Some(_)) => text.trim().parse().map_err(|_| {
                Failure::usage("--trial", format!("--trial must be a number here, such as 3, got {text}"))
            }),
            (Some(_), None) => Err(Failure::usage("--trial", "--trial needs --splits, the file of trials")),
        }
    }

    /// The trials of a command that uses many; none if all are wanted.
    pub(crate) fn trials(&self) -> Result<Option<Vec<usize>>, Failure> {
        self.trial.as_deref().map(trials_of).transpose()
    }

    /// The files that are read: the data, the split and the names of labels.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let names = self.vertex_names.iter().filter_map(|names| match names {
            VertexNames::File(path) => Some(path),
            VertexNames::AtomicNumbers => None,
        });
        [&self.data].into_iter().chain(&self.splits).chain(names).chain(&self.edge_names).cloned().collect()
    }

    /// The same with further files.
    pub(crate) fn files_and<'p>(&self, others: impl IntoIterator<Item = &'p PathBuf>) -> Vec<PathBuf> {
        self.files().into_iter().chain(others.into_iter().cloned()).collect()
    }

    /// The value of `--part`.
    pub(crate) fn part(&self) -> Option<Part> {
        self.part
    }

    /// How to read the data: the options, completed by the defaults of the command.
    pub(crate) fn options(&self, defaults: ReadOptions) -> ReadOptions {
        ReadOptions {
            format: self.format,
            targets: match self.target.as_slice() {
                [] => defaults.targets,
                [all] if all == "*" => TargetChoice::All,
                names => TargetChoice::Named(names.to_vec()),
            },
            smiles: self.smiles.clone(),
            features: if self.columns.is_empty() { defaults.features } else { self.columns.clone() },
            task: if self.task == Task::Auto { defaults.task } else { self.task },
            edge_labels: if self.edge_labels == EdgeLabels::Auto { defaults.edge_labels } else { self.edge_labels },
            vertex_names: self.vertex_names.clone(),
            edge_names: self.edge_names.clone(),
            hydrogens: self.hydrogens.or(defaults.hydrogens),
            largest_fragment: self.largest_fragment || defaults.largest_fragment,
            coordinates: self.coordinates,
            on_bad: self.on_bad.unwrap_or(defaults.on_bad),
            repair: self.repair,
            ..defaults
        }
    }
}

/// The trials of a list such as `0-4` or `0,3,7`.
fn trials_of(text: &str) -> Result<Vec<usize>, Failure> {
    let wrong = || Failure::usage("--trial", format!("--trial must be like 3, 0-4 or 0,3,7, got {text}"));
    let mut trials = Vec::new();
    for piece in text.split(',') {
        match piece.split_once('-') {
            None => trials.push(piece.trim().parse().map_err(|_| wrong())?),
            Some((first, last)) => {
                let first: usize = first.trim().parse().map_err(|_| wrong())?;
                let last: usize = last.trim().parse().map_err(|_| wrong())?;
                if first > last {
                    return Err(wrong());
                }
                trials.extend(first..=last);
            }
        }
    }
    Ok(trials)
}

/// A choice among words, which the help lists.
pub(super) fn words<T: FromStr + Clone + Send + Sync + 'static>(
    allowed: &[&'static str],
) -> impl TypedValueParser<Value = T> {
    let missing = "every word that the parser accepts is known to the library";
    PossibleValuesParser::new(allowed)
        .map(move |word| word.parse().unwrap_or_else(|_| unreachable!("{missing}: {word}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_of_trials_are_understood() {
        assert_eq!(trials_of("0-2,7").unwrap(), [0, 1, 2, 7]);
        assert!(trials_of("3-1").is_err() && trials_of("a").is_err() && trials_of("").is_err());
    }
}
