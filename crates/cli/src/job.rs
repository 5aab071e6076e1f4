//! One training from start to end: saved on the way in `MODEL.partial`, stopped when asked to, written when done.
//!
//! Promise: a job that was stopped or killed at any moment and is resumed writes the bytes of one that was left alone. The
//! saved state is replaced only by a whole new one, and goes away only when the model is there. A state that cannot be
//! saved on the way (the disk is full) is told, and the training goes on.

use crate::clock::Parts;
use crate::failure::{Failure, Problem};
use crate::file::{beside, discard, is_special, probe, read_whole, write_whole};
use crate::interrupt::{Interrupts, Why};
use crate::output::{Output, counted};
use crate::pace::Pace;
use crate::progress::Progress;
use einsicht::data::Split;
use einsicht::learn::fit::Training;
use einsicht::learn::model::SourceRows;
use einsicht::learn::params::CheckedParams;
use einsicht::learn::persist::{Checkpoint, Origin};
use einsicht::learn::train::{PassDone, StoppedBy, TrainError};
use einsicht::search::{Evictions, SearchError};
use einsicht::{Dataset, Model};
use std::path::{Path, PathBuf};

/// One training and where it is saved.
pub(crate) struct Job<'a> {
    dataset: &'a Dataset,
    split: &'a Split,
    params: &'a CheckedParams,
    output: &'a Path,
    /// Absent where the model goes to a device or a pipe.
    partial: Option<PathBuf>,
    /// What the result depends on.
    origin: Origin,
    pub(crate) interrupts: Interrupts,
}

/// What came of it.
pub(crate) struct Trained {
    /// The model, which is on disk; absent if a signal came, or the time was over before there was any.
    pub(crate) model: Option<Model>,
    /// Where the training stands: what the trainings that follow are saved with. Absent if nothing was trained.
    pub(crate) checkpoint: Option<Checkpoint>,
    /// Patterns looked at for each size.
    pub(crate) visited: Vec<u64>,
    /// What did not fit in memory.
    pub(crate) dropped: Evictions,
    /// Where the time went.
    pub(crate) parts: Parts,
    /// Why it ended early, if it did.
    pub(crate) why: Option<Why>,
}

impl Trained {
    /// A model that was already there.
    pub(crate) fn before(model: Model) -> Self {
        let (visited, dropped, parts) = (Vec::new(), Evictions::default(), Parts::default());
        Self { model: Some(model), checkpoint: None, visited, dropped, parts, why: None }
    }
}

impl<'a> Job<'a> {
    /// A training with these parameters. Tells at once if the model could not be written.
    pub(crate) fn new(
        dataset: &'a Dataset,
        split: &'a Split,
        params: &'a CheckedParams,
        output: &'a Path,
        interrupts: Interrupts,
    ) -> Result<Self, Failure> {
        let partial = (!is_special(output)).then(|| beside(output, ".partial"));
        probe(output)?;
        partial.as_deref().map_or(Ok(()), probe)?;
        // Once: the fingerprint goes over all data.
        let fingerprint = dataset.fingerprint().to_string();
        let rows = SourceRows::of(dataset, split);
        let origin = Origin { fingerprint, rows, params: vec![params.get().clone()] };
        Ok(Self { dataset, split, params, output, partial, origin, interrupts })
    }

    /// What an earlier run has left, if it is to be resumed and there is something.
    pub(crate) fn saved(&self, resume: bool, output: &Output) -> Result<Option<Checkpoint>, Failure> {
        let Some(partial) = self.partial.as_deref() else { return Ok(None) };
        match (resume, partial.exists()) {
            (false, false) => Ok(None),
            (false, true) => {
                let place = partial.display();
                output
                    .say(&format!("{place} of an unfinished training will be replaced; --resume would go on from it"));
                Ok(None)
            }
            (true, false) => {
                output.say(&format!("nothing to resume: there is no {}", partial.display()));
                Ok(None)
            }
            (true, true) => {
                let refuse = |error| Failure::file(partial, error);
                let saved = Checkpoint::from_bytes(&read_whole(partial)?).map_err(refuse)?;
                saved.origin.check(&self.origin).map_err(refuse)?;
                output.say(&format!("going on from {}, after pass {}", partial.display(), saved.state.passes()));
                Ok(Some(saved))
            }
        }
    }

    /// The model of an earlier run that came to its end and was for the same: then nothing is left to do.
    pub(crate) fn finished(&self, training: &Training) -> Option<Model> {
        let partial = self.partial.as_deref().filter(|partial| !partial.exists());
        let model = Model::from_bytes(&std::fs::read(partial.and(Some(self.output))?).ok()?).ok()?;
        let Origin { fingerprint, rows, .. } = &self.origin;
        let same = model.fingerprint == *fingerprint && model.rows == *rows && model.params == *training.params();
        (same && model.complete).then_some(model)
    }

    /// Trains, saves on the way, writes the model.
    pub(crate) fn train(
        &self,
        mut training: Training,
        saved: Option<Checkpoint>,
        output: &Output,
    ) -> Result<Trained, Failure> {
        training.search_mut().stop_on(self.interrupts.flag());
        let state = training.state().clone();
        let mut checkpoint = saved.unwrap_or_else(|| Checkpoint::new(self.origin.clone(), state));
        let mut pace = Pace::start();
        let (mut why, mut crowded) = (None, None);
        let mut parts = Parts::default();
        {
            let progress = Progress::start(output, "training");
            while why.is_none() {
                let pass = match training.step_by_phase(&mut |part| parts.enter(part)) {
                    Ok(None) => break,
                    Ok(Some(pass)) => Some(pass),
                    Err(TrainError::Search(SearchError::Stopped)) => None,
                    Err(error) => return Err(error.into()),
                };
                parts.end();
                if let Some(pass) = pass {
                    tell(&pass, &progress, output);
                    if let Some(by) = pass.stopped_by {
                        crowded = (by == StoppedBy::Patterns).then(|| rung(&pass));
                    }
                    self.interrupts.passed();
                }
                why = self.interrupts.why();
                if why.is_some() || pace.is_due() {
                    checkpoint.state.clone_from(training.state());
                    self.save_or_tell(&checkpoint, output);
                }
            }
        }
        checkpoint.state.clone_from(training.state());
        if let Some(rung) = crowded {
            output.say(&format!(
                "the path ends at {rung}: more than {} subgraphs want in; --max-patterns allows more",
                self.params.get().max_patterns
            ));
        }
        let visited = training.state().visited.clone();
        // A limit that was met at the very end has cut nothing.
        let why = why.filter(|why| *why != Why::TimeLimit || !training.is_done());
        let model = match why {
            Some(Why::Signal(_)) => None,
            Some(Why::TimeLimit) => {
                training.finish_early();
                training.model(self.dataset, self.split)?
            }
            None => training.model(self.dataset, self.split)?,
        };
        if let Some(model) = &model {
            self.write(model)?;
        }
        let dropped = training.search_mut().evictions();
        Ok(Trained { model, checkpoint: Some(checkpoint), visited, dropped, parts, why })
    }

    /// Writes the model.
    pub(crate) fn write(&self, model: &Model) -> Result<(), Failure> {
        let bytes = model.to_bytes().map_err(|error| Failure::file(self.output, error))?;
        write_whole(self.output, &bytes)
    }

    /// Saves where everything stands.
    fn save(&self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        let Some(partial) = &self.partial else { return Ok(()) };
        let bytes = checkpoint.to_bytes().map_err(|error| Failure::file(partial, error))?;
        write_whole(partial, &bytes)
    }

    /// The same; if that fails, it is told, and the work goes on from what is in memory.
    pub(crate) fn save_or_tell(&self, checkpoint: &Checkpoint, output: &Output) {
        if let Err(Failure::Data(Problem { error, .. })) = self.save(checkpoint) {
            output.say(&format!("warning: {error}; the training goes on"));
        }
    }

    /// All is done: what was saved is of no more use.
    pub(crate) fn end(&self) {
        if let Some(partial) = &self.partial {
            discard(partial);
        }
    }

    /// Where to go on from.
    pub(crate) fn advice(&self) -> String {
        match &self.partial {
            Some(partial) if partial.exists() => format!("--resume goes on from {}", partial.display()),
            _ => "nothing was saved".to_owned(),
        }
    }
}

fn rung(pass: &PassDone) -> String {
    pass.lambda.map_or_else(|| format!("size {}", pass.size), |lambda| format!("lambda {lambda:.4}"))
}

fn tell(pass: &PassDone, progress: &Progress, output: &Output) {
    let rung = rung(pass);
    progress.tell(format!(
        "{rung}, iteration {}: loss {:.4}, validation loss {:.4}, {}, {} looked at",
        pass.iteration,
        pass.objective,
        pass.valid_loss,
        counted(pass.patterns, "subgraph"),
        pass.search.visited
    ));
    if pass.step.is_none() {
        output.detail(&format!("{rung}, iteration {}: no step serves, the subgraphs stay", pass.iteration));
    }
    if let Some(why) = pass.stopped_by {
        output.detail(&format!("{rung} ends after {} iterations: {}", pass.iteration, why.name()));
    }
}
