//! One training from start to end: saved on the way in `MODEL.partial`, stopped on request, written when done.
//!
//! Promise: a run that was stopped or killed at any moment and is resumed writes the same bytes as an uninterrupted one. The
//! checkpoint is removed only when the model is complete.

use crate::args::training::Prepared;
use crate::failure::Failure;
use crate::io::checkpoint::{CheckpointFile, Checkpointer, SaveInterval, SaveTo};
use crate::io::clock::PhaseTimes;
use crate::io::clock::profile::{MAIN, Profile};
use crate::io::file::{probe, write_whole};
use crate::io::interrupt::{Interrupts, StopReason};
use crate::io::output::{Output, counted};
use crate::io::progress::Progress;
use einsicht::Model;
use einsicht::data::ClassWeight;
use einsicht::explain::add_effects;
use einsicht::graph::stop::{self, Stopped};
use einsicht::learn::fit::{Chosen, Fit, Training};
use einsicht::learn::model::SourceRows;
use einsicht::learn::params::{CheckedParams, TrainParams};
use einsicht::learn::persist::{Checkpoint, Origin};
use einsicht::learn::task::num_outputs;
use einsicht::learn::train::{PassDone, StoppedBy, TrainError, TrainState};
use einsicht::search::{Evictions, SearchError};
use std::path::Path;

/// One training and where it is saved.
pub(crate) struct TrainingRun<'a> {
    params: &'a CheckedParams,
    output: &'a Path,
    pub(crate) checkpoint_file: CheckpointFile,
    /// What the result depends on.
    origin: Origin,
    /// Whether the graphs count differently: classes that are balanced already need no weights.
    is_weighted: bool,
    pub(crate) interrupts: Interrupts,
    /// Where the time goes.
    pub(crate) profile: Profile,
}

/// The result of a training.
pub(crate) struct Trained {
    /// The model, which is on disk; absent if a signal came, or the time was over before there was any.
    pub(crate) model: Option<Model>,
    /// Final state of the training, which the trainings that follow are saved with. Absent if nothing was trained.
    pub(crate) checkpoint: Option<Checkpoint>,
    /// Patterns visited for each size.
    pub(crate) visited: Vec<u64>,
    /// What was evicted from memory.
    pub(crate) dropped: Evictions,
    /// CPU time by phase.
    pub(crate) times: PhaseTimes,
    /// Why it ended early, if it did.
    pub(crate) stopped: Option<StopReason>,
}

impl Trained {
    /// A model that was complete already.
    pub(crate) fn earlier(model: Model) -> Self {
        let (visited, dropped, times) = (Vec::new(), Evictions::default(), PhaseTimes::default());
        Self { model: Some(model), checkpoint: None, visited, dropped, times, stopped: None }
    }
}

impl Trained {
    /// Stopped before the training of the model began.
    pub(crate) fn without_model(stopped: Option<StopReason>) -> Self {
        let (visited, dropped, times) = (Vec::new(), Evictions::default(), PhaseTimes::default());
        Self { model: None, checkpoint: None, visited, dropped, times, stopped }
    }
}

impl<'a> TrainingRun<'a> {
    /// A training with these parameters. Reports at once if the model could not be written.
    pub(crate) fn new(
        Prepared { dataset, split, params }: &'a Prepared,
        (class_weight, is_weighted): (ClassWeight, bool),
        output: &'a Path,
        (interrupts, profile): (Interrupts, Profile),
    ) -> Result<Self, Failure> {
        probe(output)?;
        let checkpoint_file = CheckpointFile::of_model(output)?;
        let origin = Origin {
            fingerprint: dataset.fingerprint().to_string(),
            rows: SourceRows::of(dataset, split),
            params: vec![params.get().clone()],
            class_weight,
        };
        Ok(Self { params, output, checkpoint_file, origin, is_weighted, interrupts, profile })
    }

    /// The checkpoint of an earlier run, if it is to be resumed and there is one.
    pub(crate) fn checkpoint(&self, resume: bool, output: &Output) -> Result<Option<Checkpoint>, Failure> {
        self.checkpoint_file.read(resume, &self.origin, output)
    }

    /// The complete model of an earlier run of the same training: then nothing is left to do.
    pub(crate) fn finished(&self, params: &TrainParams) -> Option<Model> {
        if !self.checkpoint_file.is_possible() || self.checkpoint_file.exists() {
            return None;
        }
        let model = Model::from_bytes(&std::fs::read(self.output).ok()?).ok()?;
        let mut params = params.clone().for_outputs(num_outputs(&model.tasks));
        // What folds have chosen: they would choose it again.
        if params.summary.tried().contains(&model.params.summary) {
            params.summary = model.params.summary;
        }
        let same =
            model.fingerprint == self.origin.fingerprint && model.rows == self.origin.rows && model.params == params;
        let same = same && model.graph_weights.is_some() == self.is_weighted;
        (same && model.complete).then_some(model)
    }

    /// Trains the folds that choose the model, saves on the way. `None` if there was a reason to stop.
    pub(crate) fn choose(
        &self,
        fit: &Fit<'_>,
        saved: Option<Checkpoint>,
        output: &Output,
    ) -> Result<(Option<Chosen>, Checkpoint), Failure> {
        let mut checkpoint = saved.unwrap_or_else(|| Checkpoint::new(self.origin.clone(), TrainState::default()));
        let folds = fit.num_folds();
        if folds == 0 {
            return Ok((Some(None), checkpoint));
        }
        let progress = Progress::start(output, "cross-validation");
        let on_done = |done| progress.update(format!("{done} of {} done", counted(folds, "fold")));
        let saver = Checkpointer::new(self.save_to(output), &mut checkpoint, |saved| &mut saved.folds, &on_done);
        let choose = || self.interrupts.limited(|| fit.choose(&saver)).unwrap_or(Ok(None));
        let choice = self.profile.whole("folds", choose)?;
        if choice.is_none() {
            saver.save();
        }
        drop(saver);
        Ok((choice, checkpoint))
    }

    /// Trains, saves on the way, writes the model.
    pub(crate) fn train(
        &self,
        fit: &Fit<'_>,
        mut training: Training,
        mut checkpoint: Checkpoint,
        output: &Output,
    ) -> Result<Trained, Failure> {
        training.search_mut().stop_on(self.interrupts.flag());
        let mut times = PhaseTimes::default();
        let stopped = self.all_passes(&mut training, &mut checkpoint, &mut times, output)?;
        checkpoint.state.clone_from(training.state());
        let visited = training.state().visited.clone();
        // A limit that was met at the very end has cut nothing.
        let stopped = stopped.filter(|reason| *reason != StopReason::TimeLimit || !training.is_done());
        // A signal may come while the model is made of what was trained, too: then it is made again from what was saved.
        let (model, stopped) = if let Ok(model) = stop::catch(|| self.model(fit, &mut training, stopped, &mut times)) {
            (model?, stopped)
        } else {
            self.checkpoint_file.save_or_warn(&checkpoint, output);
            (None, self.interrupts.stop_reason())
        };
        let dropped = training.search_mut().evictions();
        Ok(Trained { model, checkpoint: Some(checkpoint), visited, dropped, times, stopped })
    }

    /// The model of a training that has ended, written.
    fn model(
        &self,
        fit: &Fit<'_>,
        training: &mut Training,
        stopped: Option<StopReason>,
        times: &mut PhaseTimes,
    ) -> Result<Option<Model>, Failure> {
        match stopped {
            Some(StopReason::Signal(_)) => return Ok(None),
            Some(StopReason::TimeLimit) => training.finish_early(),
            None => {}
        }
        let mut model = self.part("classes of subgraphs", times, || fit.model(training))?;
        if let Some(model) = &mut model {
            self.part("effects", times, || add_effects(model, fit.dataset()));
            self.part("writing", times, || self.write(model))?;
        }
        Ok(model)
    }

    /// Does work that comes after the passes.
    fn part<T>(&self, name: &'static str, times: &mut PhaseTimes, work: impl FnOnce() -> T) -> T {
        self.profile.part(name, || times.part(name, work))
    }

    /// Pass after pass until the end or a reason to stop, which is returned.
    fn all_passes(
        &self,
        training: &mut Training,
        checkpoint: &mut Checkpoint,
        times: &mut PhaseTimes,
        output: &Output,
    ) -> Result<Option<StopReason>, Failure> {
        let progress = Progress::start(output, "training");
        let mut interval = SaveInterval::start();
        let (mut stopped, mut full_at) = (None, None);
        while stopped.is_none() {
            let mut enter = |part| {
                times.enter(part);
                self.profile.enter(MAIN, part);
            };
            let pass = match self.interrupts.limited(|| training.step_by_phase(&mut enter)) {
                Ok(Ok(None)) => break,
                Ok(Ok(Some(pass))) => Some(pass),
                Ok(Err(TrainError::Search(SearchError::Stopped))) | Err(Stopped) => None,
                Ok(Err(error)) => return Err(error.into()),
            };
            times.end();
            self.profile.end(MAIN);
            if let Some(pass) = pass {
                show_pass(&pass, &progress, output);
                if let Some(by) = pass.stopped_by {
                    full_at = (by == StoppedBy::Patterns).then(|| path_point(&pass));
                }
                self.interrupts.passed();
            }
            stopped = self.interrupts.stop_reason();
            if stopped.is_some() || interval.is_due() {
                checkpoint.state.clone_from(training.state());
                self.checkpoint_file.save_or_warn(checkpoint, output);
            }
        }
        drop(progress);
        if let Some(point) = full_at.filter(|_| stopped.is_none()) {
            output.say(&format!(
                "the path ends at {point}: the next model would have more than {} subgraphs; --max-patterns allows more",
                self.params.get().max_patterns
            ));
        }
        Ok(stopped)
    }

    /// Writes the model.
    pub(crate) fn write(&self, model: &Model) -> Result<(), Failure> {
        let bytes = model.to_bytes().map_err(|error| Failure::file(self.output, error))?;
        write_whole(self.output, &bytes)
    }

    /// Where the trainings that follow are saved.
    pub(crate) fn save_to<'s>(&'s self, output: &'s Output) -> SaveTo<'s> {
        SaveTo { file: &self.checkpoint_file, interrupts: &self.interrupts, output, profile: &self.profile }
    }
}

/// The point of the path that a pass belongs to.
fn path_point(pass: &PassDone) -> String {
    pass.lambda.map_or_else(|| format!("size {}", pass.size), |lambda| format!("lambda {lambda:.4}"))
}

fn show_pass(pass: &PassDone, progress: &Progress, output: &Output) {
    let point = path_point(pass);
    progress.update(format!(
        "{point}, iteration {}: loss {:.4}{}, {}, {} visited",
        pass.iteration,
        pass.objective,
        pass.valid_loss.map_or_else(String::new, |loss| format!(", validation loss {loss:.4}")),
        counted(pass.patterns, "subgraph"),
        pass.search.visited
    ));
    if pass.step.is_none() {
        output.detail(&format!(
            "{point}, iteration {}: no step size lowers the loss, the active set stays",
            pass.iteration
        ));
    }
    if let Some(why) = pass.stopped_by {
        output.detail(&format!("{point} ends after {} iterations: {}", pass.iteration, why.name()));
    }
}
