//! One trial of an experiment: all points of the grid on one split.
//!
//! Promise: a trial that was stopped or killed and is resumed writes the same bytes as an uninterrupted one. Its result
//! is written last, and its saved state is removed after that.

use super::saved;
use crate::args::WeightOptions;
use crate::cmd::predict::rows::{Detail, cells, header};
use crate::failure::{Failure, Problem};
use crate::io::checkpoint::SaveInterval;
use crate::io::file::{discard, read_whole, write_whole};
use crate::io::interrupt::{Interrupts, unwatched};
use crate::io::output::Output;
use einsicht::data::Split;
use einsicht::experiment::{TrialResult, TrialState, Trials};
use einsicht::model::SourceRows;
use einsicht::train::checkpoint::Origin;
use einsicht::{AfterPass, Dataset, Event, Label, Model, TargetValues, TrainingId, Watch};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// All trials, and where they are written.
pub(super) struct StoredTrials<'a> {
    pub(super) trials: Trials<'a>,
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

/// Counts what one trial does, and says when it is to be saved or stopped.
struct TrialWatch<'a> {
    interrupts: &'a Interrupts,
    /// Patterns visited and passes.
    work: Mutex<(u64, usize)>,
    interval: Mutex<SaveInterval>,
}

impl Watch for TrialWatch<'_> {
    fn event(&self, event: Event<'_>) {
        if let Event::Pass(pass) = event {
            let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
            *work = (work.0 + pass.search.visited, work.1 + 1);
        }
    }

    fn passed(&self, training: TrainingId) -> AfterPass {
        if training == TrainingId::Model {
            self.interrupts.passed();
        }
        let is_due = self.interval.lock().unwrap_or_else(PoisonError::into_inner).is_due();
        AfterPass { keep: is_due, save: is_due, stop: self.interrupts.stop_reason().is_some() }
    }
}

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

impl StoredTrials<'_> {
    /// Trains all points on one split; `None` if there was a reason to stop.
    pub(super) fn run(&self, trial: usize, split: &Split) -> Result<Option<FinishedTrial>, Failure> {
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
        let mut state = TrialState::default();
        if let Some(files) = files.as_ref().filter(|files| self.resume && files.partial.exists()) {
            state = saved::read(&files.partial, &origin)?;
            self.output.say(&format!("resuming trial {trial} after pass {}", state.passes()));
        }
        let start = Instant::now();
        let interval = Mutex::new(SaveInterval::start());
        let watch = TrialWatch { interrupts: self.interrupts, work: Mutex::default(), interval };
        let save = |state: &TrialState| {
            if let Some(files) = &files {
                self.save_or_warn(&origin, state, &files.partial);
            }
        };
        let weights = self.weights.of_rows(self.trials.dataset, &split.train)?;
        if !self.trials.run(split, weights.as_deref(), &mut state, (&watch, &save))? {
            unwatched(|| save(&state));
            return Ok(None);
        }
        let (visited, passes) = *watch.work.lock().unwrap_or_else(PoisonError::into_inner);
        let work = TrialWork { visited, passes, seconds: start.elapsed().as_secs_f64() };
        let (result, model) = state.result(trial, &self.trials)?;
        let stored = StoredTrial { result, origin };
        let predictions = self.predicts.then(|| TestPredictions::of(&model, self.trials.dataset, split, trial));
        if let Some(files) = files {
            let bytes = model.to_bytes().map_err(|error| Failure::file(&files.model, error))?;
            write_whole(&files.model, &bytes)?;
            write_whole(&files.result, format!("{:#}\n", json!(stored)).as_bytes())?;
            discard(&files.partial);
        }
        Ok(Some(FinishedTrial { stored, work: Some(work), predictions }))
    }

    /// Saves the state of a trial; if that fails, warns, and the work continues from what is in memory.
    fn save_or_warn(&self, origin: &Origin, state: &TrialState, partial: &Path) {
        if let Err(Failure::Data(Problem { error, .. })) = saved::write(origin, state, partial) {
            self.output.say(&format!("warning: {error}; the experiment continues"));
        }
    }

    fn origin(&self, split: &Split) -> Origin {
        Origin {
            fingerprint: self.fingerprint.clone(),
            rows: SourceRows::of(self.trials.dataset, split),
            params: self.trials.points.iter().map(|point| point.params.get().clone()).collect(),
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
