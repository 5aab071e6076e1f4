//! Reads the data that the options of [`Input`] name.
//!
//! Promise: a source is read once. Which targets to read is decided before, from its header
//! ([`einsicht::data::read::target_columns`]).

use super::Input;
use crate::failure::Failure;
use crate::io::output::{Output, counted};
use crate::io::progress::Progress;
use einsicht::data::read::{
    OnBadTarget, ReadOptions, TargetChoice, TargetColumns, Task, WholeNumbers, read, read_from, target_columns,
};
use einsicht::data::split::seeded::{self, Fractions};
use einsicht::data::{Part, Split, SplitFile};
use einsicht::explain::Provenance;
use einsicht::{Dataset, Model};
use std::path::Path;

/// Says what was decided about whole numbers, which may be classes or a scale.
fn say_whole_numbers(dataset: &Dataset, output: &Output) {
    let mut close_calls = dataset.targets.iter().filter_map(WholeNumbers::of);
    let Some(first) = close_calls.next() else { return };
    let (task, other) = if first.as_classes { ("regress", "numbers") } else { ("classify", "classes") };
    let more = match close_calls.count() {
        0 => String::new(),
        more => format!("; {} like it", counted(more, "target")),
    };
    output.say(&format!("{first}; --task {task} reads them as {other}{more}"));
}

impl Input {
    /// The columns of the data that can be targets.
    pub(crate) fn target_columns(&self, defaults: ReadOptions) -> Result<TargetColumns, Failure> {
        if self.is_stdin() {
            let error =
                "DATA must be a file here, got -: stdin cannot be read twice, for its columns and for its graphs";
            return Err(Failure::usage("DATA", error));
        }
        Ok(target_columns(&self.data, &self.options(defaults))?)
    }

    pub(crate) fn read(&self, defaults: ReadOptions, output: &Output) -> Result<Dataset, Failure> {
        let _progress = Progress::start(output, &format!("reading {}", self.data.display()));
        let options = self.options(defaults);
        let dataset = if self.is_stdin() {
            read_from(Path::new("stdin"), std::io::stdin(), &options)?
        } else {
            read(&self.data, &options)?
        };
        // The labels of a folder are classes by its format.
        if options.task == Task::Auto && !self.data.is_dir() {
            say_whole_numbers(&dataset, output);
        }
        output.detail(&format!("read {} graphs from {}", dataset.len(), self.data.display()));
        if !dataset.skipped.is_empty() {
            output.say(&format!("skipped {} of {} rows", dataset.skipped.len(), dataset.skipped.len() + dataset.len()));
        }
        Ok(dataset)
    }

    /// Reads the part of the data that `--splits` and `--part` name; by default all of it.
    pub(crate) fn read_part(&self, defaults: ReadOptions, seed: u64, output: &Output) -> Result<Dataset, Failure> {
        self.trial()?;
        let on_bad_target = self.on_bad_target(&defaults)?;
        let dataset = self.read(ReadOptions { on_bad_target, ..defaults }, output)?;
        if !self.asks_for_part() {
            return Ok(dataset);
        }
        let part = self.part().unwrap_or(Part::All);
        let positions = self.split_of(&dataset, seed)?.part(part);
        if positions.is_empty() {
            return Err(Failure::usage("--part", format!("the {part} set must have a graph, but it is empty")));
        }
        output.detail(&format!("{} of {} graphs are in the part {part}", positions.len(), dataset.len()));
        Ok(dataset.subset(&positions))
    }

    /// Where all of several columns are read only because none was named, a column that cannot be a target is not an
    /// error: then it is left out.
    fn on_bad_target(&self, defaults: &ReadOptions) -> Result<OnBadTarget, Failure> {
        let unnamed = self.target.is_empty() && defaults.targets == TargetChoice::All;
        let several = unnamed && self.target_columns(defaults.clone())?.all().len() > 1;
        Ok(if several { OnBadTarget::LeaveOut } else { OnBadTarget::Stop })
    }

    /// The graphs of a part: of the split that `--splits` names, else of the model's own split, if these are its data.
    pub(crate) fn part_of(&self, model: &Model, dataset: &Dataset, part: Part) -> Result<Vec<usize>, Failure> {
        self.trial()?;
        let rows = if self.has_split() {
            self.split_of(dataset, 0)?.part(part)
        } else {
            let provenance = Provenance::of(model, dataset);
            if provenance.parts.iter().all(Option::is_none) {
                let error = format!(
                    "--part {part} without --splits is a part of the model's own data, but these are other data"
                );
                return Err(Failure::usage("--part", error));
            }
            (0..dataset.len()).filter(|&row| part == Part::All || provenance.parts[row] == Some(part)).collect()
        };
        if !rows.is_empty() {
            return Ok(rows);
        }
        let folds = model.seen.folds.count;
        Err(Failure::usage(
            "--part",
            match (part, self.has_split()) {
                (Part::Valid, false) => format!(
                    "the model has no validation set: each graph was held out in one of {folds} folds; evaluate \
                     without --part shows the out-of-fold figures"
                ),
                _ => format!("the {part} set must have a graph, but it is empty"),
            },
        ))
    }

    /// The split that `--splits` names, else the default one of the seed.
    pub(crate) fn split_of(&self, dataset: &Dataset, seed: u64) -> Result<Split, Failure> {
        Ok(match &self.splits {
            Some(file) => SplitFile::read(file)?.split(self.trial()?, dataset)?,
            None => seeded::default_split(dataset, Fractions::default(), seed)?,
        })
    }
}
