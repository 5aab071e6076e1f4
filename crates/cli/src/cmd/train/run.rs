//! Drives a session: draws progress, saves the stage in `MODEL.partial`, stops on request, writes the model.
//!
//! Promise: a run that was stopped or killed at any moment and is resumed writes the same bytes as an uninterrupted
//! one. What is trained, and in which order, is the business of [`Session`].

use crate::cmd::tables::path_point;
use crate::failure::Failure;
use crate::io::checkpoint::{CheckpointFile, SaveInterval};
use crate::io::clock::PhaseTimes;
use crate::io::file::write_whole;
use crate::io::interrupt::{Interrupts, StopReason};
use crate::io::output::{Output, counted};
use crate::io::progress::Progress as Bar;
use einsicht::model::StoppedBy;
use einsicht::train::PassDone;
use einsicht::{AfterPass, Event, Model, Progress, Session, Stage, TrainingId, Watch};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where and how a session is saved, shown and stopped.
pub(crate) struct SessionWatch<'a> {
    pub(crate) checkpoint_file: &'a CheckpointFile,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) output: &'a Output,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// CPU time by phase.
    times: PhaseTimes,
    bar: Option<Bar>,
    /// Of the file.
    interval: Option<SaveInterval>,
    /// Of each fold or resample.
    intervals: BTreeMap<usize, SaveInterval>,
    /// Where the path has ended because there were too many subgraphs.
    full_at: Option<String>,
}

impl<'a> SessionWatch<'a> {
    pub(crate) fn new(checkpoint_file: &'a CheckpointFile, interrupts: &'a Interrupts, output: &'a Output) -> Self {
        Self { checkpoint_file, interrupts, output, state: Mutex::default() }
    }

    /// Runs a session to its end, or until there is a reason to stop, which is returned. The model is written as soon
    /// as there is one.
    pub(crate) fn drive(&self, session: &mut Session<'_>, model: &Path) -> Result<Option<StopReason>, Failure> {
        // Once the path has ended, in time or not, only a signal keeps the model from being made.
        let (mut limit, mut is_making_model) = (None, false);
        loop {
            let done = if is_making_model {
                session.advance(self)
            } else {
                self.interrupts.limited(|| session.advance(self)).unwrap_or(Ok(Progress::Stopped))
            };
            self.piece_ends();
            match done? {
                Progress::Done => return Ok(limit),
                Progress::PathEnds => {
                    self.say_full(session);
                    is_making_model = true;
                }
                Progress::Effects => {
                    is_making_model = limit.is_some();
                    self.part("writing", || write(session.model(), model))?;
                    // The training itself is complete here: that is worth saving.
                    self.checkpoint_file.save_or_warn(session.stage(), self.output);
                }
                Progress::Resampled => write(session.model(), model)?,
                Progress::Stopped => {
                    self.checkpoint_file.save_or_warn(session.stage(), self.output);
                    let reason = self.interrupts.stop_reason();
                    if matches!(reason, Some(StopReason::Signal(_)) | None) || session.model().is_some() {
                        return Ok(reason);
                    }
                    limit = reason.filter(|_| session.cut());
                    is_making_model = true;
                }
                Progress::Chosen | Progress::Pass(_) | Progress::Model => {}
            }
        }
    }

    /// CPU time by phase.
    pub(crate) fn times(&self) -> serde_json::Value {
        self.lock().times.document()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work of this program that follows the passes.
    fn part<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.enter(name);
        let done = work();
        self.piece_ends();
        done
    }

    fn enter(&self, name: &'static str) {
        self.lock().times.enter(name);
    }

    fn piece_ends(&self) {
        self.lock().times.end();
    }

    fn say_full(&self, session: &Session<'_>) {
        let mut state = self.lock();
        state.bar = None;
        if let Some(point) = state.full_at.take() {
            let most = session.params().max_patterns;
            self.output.say(&format!(
                "the path ends at {point}: the next model would have more than {most} subgraphs; --set max_patterns=N \
                 allows more"
            ));
        }
    }

    fn show_pass(&self, pass: &PassDone) {
        let (point, output) = (path_point(pass.size, pass.lambda), self.output);
        let mut state = self.lock();
        if let Some(bar) = &state.bar {
            bar.update(pass_text(pass, &point));
        }
        if let Some(by) = pass.stopped_by {
            state.full_at = (by == StoppedBy::Patterns).then(|| point.clone());
        }
        if pass.step.is_none() {
            output.detail(&format!(
                "{point}, iteration {}: no step size lowers the loss; the active set stays as it is",
                pass.iteration
            ));
        }
        if let Some(why) = pass.stopped_by {
            output.detail(&format!("{point} ends after {} iterations: {}", pass.iteration, why.name()));
        }
    }
}

impl Watch for SessionWatch<'_> {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Begin { first, .. } => {
                let bar = Bar::start(self.output, kind(first));
                let mut state = self.lock();
                state.bar = Some(bar);
                state.interval = Some(SaveInterval::start());
                state.intervals.clear();
            }
            Event::Finished { training, done, count } => {
                if let Some(bar) = &self.lock().bar {
                    bar.update(finished_text(training, done, count));
                }
            }
            Event::Phase(TrainingId::Model, phase) => self.enter(phase.name()),
            Event::Pass(pass) => {
                self.piece_ends();
                self.show_pass(pass);
            }
            Event::Part(part) => self.enter(part.name()),
            _ => {}
        }
    }

    fn passed(&self, training: TrainingId) -> AfterPass {
        let mut state = self.lock();
        let keep = match training {
            TrainingId::Model => false,
            TrainingId::Fold(at) | TrainingId::Resample(at) | TrainingId::Permuted(at) => {
                state.intervals.entry(at).or_insert_with(SaveInterval::start).is_due()
            }
        };
        let save = state.interval.get_or_insert_with(SaveInterval::start).is_due();
        drop(state);
        self.interrupts.passed();
        AfterPass { keep, save, stop: self.interrupts.stop_reason().is_some() }
    }

    fn save(&self, stage: &Stage) {
        self.checkpoint_file.save_or_warn(stage, self.output);
    }
}

fn write(model: Option<&Model>, path: &Path) -> Result<(), Failure> {
    let Some(model) = model else { return Ok(()) };
    write_whole(path, &model.to_bytes().map_err(|error| Failure::file(path, error))?)
}

/// What trainings of a kind are called.
fn kind(training: TrainingId) -> &'static str {
    match training {
        TrainingId::Model => "training",
        TrainingId::Fold(_) => "cross-validation",
        TrainingId::Resample(_) => "bootstrap",
        TrainingId::Permuted(_) => "permutations",
    }
}

fn finished_text(training: TrainingId, done: usize, count: usize) -> String {
    match training {
        TrainingId::Model => "training".to_owned(),
        TrainingId::Fold(_) => format!("{done} of {} done", counted(count, "fold")),
        TrainingId::Resample(_) => format!("{done} of {count} resamples done"),
        TrainingId::Permuted(_) => format!("{done} of {count} trainings with permuted targets done"),
    }
}

fn pass_text(pass: &PassDone, point: &str) -> String {
    format!(
        "{point}, iteration {}: loss {:.4}{}, {}, {} visited",
        pass.iteration,
        pass.objective,
        pass.valid_loss.map_or_else(String::new, |loss| format!(", validation loss {loss:.4}")),
        counted(pass.patterns, "subgraph"),
        pass.search.visited
    )
}
