//! One trial of an experiment: all points of the grid on one split.
//!
//! Promise: a trial that was stopped or killed and is resumed writes the same bytes as an uninterrupted one. Its result is
//! written last, and its saved state is removed after that.

use super::saved;
use crate::args::training::WeightOptions;
use crate::cmd::predict::rows::{Detail, cells, header};
use crate::failure::{Failure, Problem};
use crate::io::checkpoint::SaveInterval;
use crate::io::file::{discard, read_whole, write_whole};
use crate::io::interrupt::Interrupts;
use crate::io::output::Output;
use einsicht::data::Split;
use einsicht::explain::add_effects;
use einsicht::graph::stop::{self, Stopped};
use einsicht::learn::experiment::{TrialResult, TrialRunner, TrialState};
use einsicht::learn::fit::Training;
use einsicht::learn::model::SourceRows;
use einsicht::learn::persist::Origin;
use einsicht::learn::train::{TrainError, TrainState};
use einsicht::search::SearchError;
use einsicht::{Dataset, Label, Model, TargetValues};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// All trials, and where they are written.
pub(super) struct Trials<'a> {
    pub(super) lab: TrialRunner<'a>,
    /// Of the data set.
    pub(super) fingerprint: String,
    pub(super) folder: Option<&'a Path>,
    pub(super) resume: bool,
    pub(super) interrupts: &'a Interrupts,
    pub(super) output: &'a Output,
    pub(super) weights: &'a WeightOptions,
    /// Whether the graphs of the test set are predicted.
    pub(super) predicts: bool,
}

/// A trial that is done.
pub(super) struct FinishedTrial {
    pub(super) stored: StoredTrial,
    /// None if an earlier run has finished it.
    pub(super) work: Option<TrialWork>,
    /// The predictions for its test set.
    pub(super) predictions: Option<TestPredictions>,
}

/// Predictions for a test set as a table.
pub(super) struct TestPredictions {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// The result of a trial as it is written, with what it depends on.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredTrial {
    #[serde(flatten)]
    pub(super) result: TrialResult,
    pub(super) origin: Origin,
}

/// What a run has spent on a trial; never in a file, since a resumed trial spends less.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct TrialWork {
    /// Patterns that its searches have visited.
    pub(super) visited: u64,
    /// Passes of its trainings.
    pub(super) passes: usize,
    /// Elapsed time.
    pub(super) seconds: f64,
}

/// Where a trial is written.
struct Files {
    result: PathBuf,
    model: PathBuf,
    partial: PathBuf,
}

impl Trials<'_> {
    /// Trains all points on one split; `None` if there was a reason to stop, wherever that met it.
    pub(super) fn run(&self, trial: usize, split: &Split) -> Result<Option<FinishedTrial>, Failure> {
        stop::catch(|| self.run_or_unwind(trial, split)).unwrap_or(Ok(None))
    }

    fn run_or_unwind(&self, trial: usize, split: &Split) -> Result<Option<FinishedTrial>, Failure> {
        let origin = self.origin(split);
        let files = self.folder.map(|folder| {
            let place = |ending: &str| folder.join(format!("trial-{trial}.{ending}"));
            Files { result: place("json"), model: place("einsicht"), partial: place("partial") }
        });
        if let Some(files) = files.as_ref().filter(|files| self.resume && files.result.exists()) {
            let stored = earlier(&files.result, &origin)?;
            discard(&files.partial);
            return Ok(Some(FinishedTrial { stored, work: None, predictions: None }));
        }
        let mut standing = TrialState::default();
        if let Some(files) = files.as_ref().filter(|files| self.resume && files.partial.exists()) {
            standing = saved::read(&files.partial, &origin)?;
            self.output.say(&format!("resuming trial {trial} after pass {}", standing.all_passes()));
        }
        let partial = files.as_ref().map(|files| files.partial.as_path());
        let mut interval = SaveInterval::start();
        let (start, mut work) = (Instant::now(), TrialWork::default());
        let stop = || self.interrupts.stop_reason().is_some();
        let weights = self.weights.of_rows(self.lab.dataset, &split.train)?;
        let done = self.lab.run((split, weights.as_deref()), &mut standing, &stop, |training, standing| {
            self.finish(training, &mut work, |state, is_last| {
                if let Some(partial) = partial.filter(|_| is_last || interval.is_due()) {
                    standing.state = Some(state.clone());
                    self.save_or_warn(&origin, standing, partial);
                }
            })
        })?;
        if !done {
            return Ok(None);
        }
        work.seconds = start.elapsed().as_secs_f64();
        let (result, mut model) = standing.result(trial, self.lab.points)?;
        let stored = StoredTrial { result, origin };
        let predictions = self.predicts.then(|| TestPredictions::of(&model, self.lab.dataset, split, trial));
        if let Some(files) = files {
            add_effects(&mut model, self.lab.dataset);
            let bytes = model.to_bytes().map_err(|error| Failure::file(&files.model, error))?;
            write_whole(&files.model, &bytes)?;
            write_whole(&files.result, format!("{:#}\n", json!(stored)).as_bytes())?;
            discard(&files.partial);
        }
        Ok(Some(FinishedTrial { stored, work: Some(work), predictions }))
    }

    /// Trains to the end; `passed` gets every state and whether it is the last. Returns whether the end was reached.
    fn finish(
        &self,
        training: &mut Training,
        work: &mut TrialWork,
        mut passed: impl FnMut(&TrainState, bool),
    ) -> Result<bool, Failure> {
        training.search_mut().stop_on(self.interrupts.flag());
        loop {
            match self.interrupts.limited(|| training.step()) {
                Ok(Ok(None)) => return Ok(true),
                Ok(Ok(Some(pass))) => {
                    work.passes += 1;
                    work.visited += pass.search.visited;
                    self.interrupts.passed();
                }
                Ok(Err(TrainError::Search(SearchError::Stopped))) | Err(Stopped) => {}
                Ok(Err(error)) => return Err(error.into()),
            }
            let stop = self.interrupts.stop_reason().is_some();
            passed(training.state(), stop);
            if stop {
                return Ok(false);
            }
        }
    }

    /// Saves the state of a trial; if that fails, warns, and the work continues from what is in memory.
    fn save_or_warn(&self, origin: &Origin, standing: &TrialState, partial: &Path) {
        if let Err(Failure::Data(Problem { error, .. })) = saved::write(origin, standing, partial) {
            self.output.say(&format!("warning: {error}; the experiment continues"));
        }
    }

    fn origin(&self, split: &Split) -> Origin {
        Origin {
            fingerprint: self.fingerprint.clone(),
            rows: SourceRows::of(self.lab.dataset, split),
            params: self.lab.points.iter().map(|point| point.params.get().clone()).collect(),
            class_weight: self.weights.class_weight(),
        }
    }
}

impl TestPredictions {
    /// Of the chosen model of a trial: its predictions, the actual values, the trial and the row of the source.
    fn of(model: &Model, dataset: &Dataset, split: &Split, trial: usize) -> Self {
        let picked: Vec<usize> = (0..model.tasks.len()).collect();
        let predictions = model.predict(model.chosen, dataset, &split.test);
        let actual = dataset.targets.iter().map(|target| format!("actual {}", target.name));
        let more = actual.chain(["trial", "row"].map(str::to_owned));
        let header = header(&model.tasks, &picked, Detail::Whole).into_iter().chain(more).collect();
        let row = |(at, &graph): (usize, &usize)| {
            let mut cells = cells(&model.tasks, &picked, &dataset.ids[graph], (&predictions, at), Detail::Whole);
            cells.extend(dataset.targets.iter().map(|target| actual_value(&target.values, graph)));
            cells.extend([trial.to_string(), dataset.origins[graph].row.to_string()]);
            cells
        };
        Self { header, rows: split.test.iter().enumerate().map(row).collect() }
    }
}

/// The value of a target as the source has it; empty if it is missing.
fn actual_value(values: &TargetValues, graph: usize) -> String {
    match values {
        TargetValues::Classes { classes, values } => {
            values[graph].map_or_else(String::new, |class| classes.name(Label(class)).to_owned())
        }
        TargetValues::Numbers { values } => values[graph].map_or_else(String::new, |value| value.to_string()),
    }
}

/// The result of a finished trial of an earlier run, if it depends on the same data and parameters.
fn earlier(path: &Path, origin: &Origin) -> Result<StoredTrial, Failure> {
    let refuse = |error: &dyn std::fmt::Display| Failure::file(path, error);
    let found: StoredTrial = serde_json::from_slice(&read_whole(path)?).map_err(|e| refuse(&e))?;
    found.origin.check(origin).map_err(|e| refuse(&e))?;
    Ok(found)
}
