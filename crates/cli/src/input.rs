//! `DATA` and the options that say how to read it: one struct for all commands that read data.

use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use einsicht::Dataset;
use einsicht::data::read::{
    EdgeLabels, Format, Hydrogens, OnBad, ReadError, ReadOptions, TargetChoice, Task, VertexNames, read,
};
use einsicht::data::split::seeded::{self, Shares};
use einsicht::data::{Part, Split, SplitFile};
use std::path::PathBuf;
use std::str::FromStr;

/// Options about the data, the same for every command.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data options")]
pub(crate) struct Input {
    /// TU folder, t/v/e file, .csv, .tsv or .smi table, .sdf file or our JSON lines; files may be gzipped.
    #[arg(value_name = "DATA", help_heading = clap::builder::Resettable::Reset)]
    pub(crate) data: PathBuf,
    /// The format, if it is not to be detected.
    #[arg(long, value_name = "FORMAT", value_parser = words::<Format>(&["tu", "gspan", "csv", "tsv", "smi", "sdf", "jsonl"]))]
    format: Option<Format>,
    /// What to predict: a column. Repeat for several; '*' for all.
    #[arg(long, value_name = "COLUMN")]
    target: Vec<String>,
    /// The column with the SMILES.
    #[arg(long, value_name = "COLUMN")]
    smiles: Option<String>,
    /// Whether targets are classes or numbers.
    #[arg(long, value_name = "TASK", default_value = "auto", value_parser = words::<Task>(&["auto", "classify", "regress"]))]
    task: Task,
    /// Whether edges of different labels differ.
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = words::<EdgeLabels>(&["auto", "use", "ignore"]))]
    edge_labels: EdgeLabels,
    /// Names of vertex labels: a file with lines of label and name, or 'atomic-numbers'.
    #[arg(long, value_name = "FILE|atomic-numbers", value_parser = |word: &str| Ok::<_, String>(VertexNames::from(word)))]
    vertex_names: Option<VertexNames>,
    /// Names of edge labels: a file with lines of label and name.
    #[arg(long, value_name = "FILE")]
    edge_names: Option<PathBuf>,
    /// What becomes of hydrogens that are vertices of their own.
    #[arg(long, value_name = "HOW", value_parser = words::<Hydrogens>(&["keep", "drop"]))]
    hydrogens: Option<Hydrogens>,
    /// What becomes of a graph that cannot be read.
    #[arg(long, value_name = "HOW", value_parser = words::<OnBad>(&["stop", "skip"]))]
    on_bad: Option<OnBad>,
    /// Drop self loops and double edges, and count them, instead of refusing them.
    #[arg(long)]
    repair: bool,
    /// Which graphs are for training, choosing and testing: a JSON file of trials, in rows of the source.
    #[arg(long, value_name = "FILE")]
    split: Option<PathBuf>,
    /// Which trial of the split, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "split")]
    trial: usize,
    /// Which part of the split; without --split 20 % are 'valid', by the seed, and none is 'test'.
    #[arg(long, value_name = "PART", value_parser = words::<Part>(&["train", "valid", "test", "all"]))]
    part: Option<Part>,
}

/// What a command wants unless told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unless {
    /// What becomes of a graph that cannot be read.
    pub(crate) on_bad: OnBad,
    /// Which targets are read.
    pub(crate) targets: TargetChoice,
    /// Whether targets are classes or numbers.
    pub(crate) task: Task,
    /// Whether edges of different labels differ.
    pub(crate) edge_labels: EdgeLabels,
}

impl Unless {
    /// For whatever trains: a graph that cannot be read is no graph to learn from.
    pub(crate) fn training() -> Self {
        Self { on_bad: OnBad::Stop, targets: TargetChoice::Usual, ..Self::default() }
    }
}

impl Input {
    /// Reads the data as told, else as the command wants.
    pub(crate) fn read(&self, unless: Unless, output: &Output) -> Result<Dataset, Failure> {
        let _progress = Progress::start(output, &format!("reading {}", self.data.display()));
        let mut options = self.options(unless);
        let dataset = match read(&self.data, &options) {
            // Nobody asked for the column that cannot be a target.
            Err(ReadError::NotATarget { .. }) if self.target.is_empty() && options.targets == TargetChoice::All => {
                options.targets = TargetChoice::Usual;
                read(&self.data, &options)
            }
            outcome => outcome,
        }?;
        output.detail(&format!("read {} graphs from {}", dataset.len(), self.data.display()));
        if !dataset.skipped.is_empty() {
            output.say(&format!("skipped {} of {} rows", dataset.skipped.len(), dataset.skipped.len() + dataset.len()));
        }
        Ok(dataset)
    }

    /// Reads the part that was asked for; everything if none was.
    pub(crate) fn read_part(&self, unless: Unless, seed: u64, output: &Output) -> Result<Dataset, Failure> {
        let dataset = self.read(unless, output)?;
        if !self.asks_for_part() {
            return Ok(dataset);
        }
        let part = self.part.unwrap_or(Part::All);
        let positions = self.split_of(&dataset, seed)?.part(part);
        if positions.is_empty() {
            return Err(Failure::usage("--part", format!("the part {part} must hold a graph, but it is empty")));
        }
        output.detail(&format!("{} of {} graphs are in the part {part}", positions.len(), dataset.len()));
        Ok(dataset.subset(&positions))
    }

    /// Whether only a part of the data was asked for.
    pub(crate) fn asks_for_part(&self) -> bool {
        self.split.is_some() || self.part.is_some_and(|part| part != Part::All)
    }

    /// Whether a split was asked for.
    pub(crate) fn has_split(&self) -> bool {
        self.split.is_some()
    }

    /// The part that was asked for.
    pub(crate) fn part(&self) -> Option<Part> {
        self.part
    }

    /// The split that was asked for, else the seeded one.
    pub(crate) fn split_of(&self, dataset: &Dataset, seed: u64) -> Result<Split, Failure> {
        Ok(match &self.split {
            Some(file) => SplitFile::read(file)?.split(self.trial, dataset)?,
            None => seeded::usual(dataset, Shares::default(), seed)?,
        })
    }

    /// How to read the data, as told, else as the command wants.
    pub(crate) fn options(&self, unless: Unless) -> ReadOptions {
        let targets = match self.target.as_slice() {
            [] => unless.targets,
            [all] if all == "*" => TargetChoice::All,
            names => TargetChoice::Named(names.to_vec()),
        };
        ReadOptions {
            format: self.format,
            targets,
            smiles: self.smiles.clone(),
            task: if self.task == Task::Auto { unless.task } else { self.task },
            edge_labels: if self.edge_labels == EdgeLabels::Auto { unless.edge_labels } else { self.edge_labels },
            vertex_names: self.vertex_names.clone(),
            edge_names: self.edge_names.clone(),
            hydrogens: self.hydrogens,
            on_bad: self.on_bad.unwrap_or(unless.on_bad),
            repair: self.repair,
            ..ReadOptions::default()
        }
    }
}

/// A choice among words, which the help lists.
fn words<T: FromStr + Clone + Send + Sync + 'static>(allowed: &[&'static str]) -> impl TypedValueParser<Value = T> {
    let missing = "every word that the parser lets through is known to the library";
    PossibleValuesParser::new(allowed)
        .map(move |word| word.parse().unwrap_or_else(|_| unreachable!("{missing}: {word}")))
}
