//! Runs trainings side by side, and takes their results and states into the stage of their session.

use super::Stage;
use super::watch::{AfterPass, Event, TrainingId, Watch};
use einsicht_search::SearchError;
use einsicht_train::fit::FitError;
use einsicht_train::side_by_side::{Saved, Trainings};
use einsicht_train::{TrainError, TrainState, bounded_parallel};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Trainings of one kind, whose results are of type `T`.
pub(super) struct SideBySide<'s, T> {
    pub(super) stage: Mutex<&'s mut Stage>,
    /// Where the stage has them.
    pub(super) place: fn(&mut Stage) -> &mut Saved<T>,
    /// Which they are, by number.
    pub(super) id: fn(usize) -> TrainingId,
    pub(super) count: usize,
    pub(super) watch: &'s dyn Watch,
}

impl<'s, T: Clone + Send> SideBySide<'s, T> {
    /// Runs them, from what the stage has of them; `None` if they were stopped.
    pub(super) fn run(&self, trainings: &impl Trainings<Result = T>) -> Result<Option<Vec<T>>, FitError> {
        self.watch.event(Event::Begin { first: (self.id)(0), count: self.count });
        let results = bounded_parallel(self.count, trainings.at_once(), |at| self.one(trainings, at))?;
        Ok(results.into_iter().collect())
    }

    fn one(&self, trainings: &impl Trainings<Result = T>, at: usize) -> Result<Option<T>, FitError> {
        let state = {
            let mut stage = self.lock();
            let saved = (self.place)(&mut stage);
            if let Some(result) = saved.done.get(&at) {
                return Ok(Some(result.clone()));
            }
            saved.under_way.get(&at).cloned()
        };
        let id = (self.id)(at);
        let mut training = trainings.start_one(at, state)?;
        loop {
            match training.step_by_phase(&mut |phase| self.watch.event(Event::Phase(id, phase))) {
                Ok(None) => break,
                Ok(Some(_)) => {
                    if self.passed(at, training.state()) {
                        return Ok(None);
                    }
                }
                Err(TrainError::Search(SearchError::Stopped)) => {
                    (self.place)(&mut self.lock()).under_way.insert(at, training.state().clone());
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let result = trainings.result_of(&training)?;
        let mut stage = self.lock();
        let saved = (self.place)(&mut stage);
        saved.under_way.remove(&at);
        saved.done.insert(at, result.clone());
        let done = saved.done.len();
        drop(stage);
        self.watch.event(Event::Finished { training: id, done, count: self.count });
        Ok(Some(result))
    }

    /// Does what the watcher wants at the end of a pass; whether that is to stop.
    fn passed(&self, at: usize, state: &TrainState) -> bool {
        let AfterPass { keep, save, stop } = self.watch.passed((self.id)(at));
        if keep || save || stop {
            let mut stage = self.lock();
            if keep || stop {
                (self.place)(&mut stage).under_way.insert(at, state.clone());
            }
            if save {
                self.watch.save(&stage);
            }
        }
        stop
    }

    fn lock(&self) -> MutexGuard<'_, &'s mut Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
