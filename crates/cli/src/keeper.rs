//! Keeps the trainings that follow a training (on resamples, with shuffled targets) in its `MODEL.partial`.
//!
//! Each training hands in its state at most every few seconds, and the file is written at most every few seconds, by
//! whoever finds that it is time: several trainings run at once.

use crate::job::Job;
use crate::output::Output;
use crate::pace::Pace;
use einsicht::learn::persist::Checkpoint;
use einsicht::learn::resample::{EarlierRun, RunWatcher, Saved};
use einsicht::learn::train::TrainState;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Watches trainings whose results are of type `T`.
pub(crate) struct Keeper<'a, T> {
    job: &'a Job<'a>,
    output: &'a Output,
    /// Which of them these are.
    of: fn(&mut Checkpoint) -> &mut Saved<T>,
    told: &'a (dyn Fn(usize) + Sync),
    kept: Mutex<Kept<'a>>,
}

struct Kept<'a> {
    checkpoint: &'a mut Checkpoint,
    /// Of the file.
    pace: Pace,
    /// Of each training.
    paces: BTreeMap<usize, Pace>,
}

impl<'a, T> Keeper<'a, T> {
    /// Keeps them in this checkpoint; `told` hears how many are done.
    pub(crate) fn new(
        job: &'a Job<'a>,
        checkpoint: &'a mut Checkpoint,
        of: fn(&mut Checkpoint) -> &mut Saved<T>,
        told: &'a (dyn Fn(usize) + Sync),
        output: &'a Output,
    ) -> Self {
        let kept = Kept { checkpoint, pace: Pace::start(), paces: BTreeMap::new() };
        Self { job, output, of, told, kept: Mutex::new(kept) }
    }

    /// Saves all, now.
    pub(crate) fn save(&self) {
        self.job.save_or_tell(self.lock().checkpoint, self.output);
    }

    fn lock(&self) -> MutexGuard<'_, Kept<'a>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone + Send> RunWatcher<T> for Keeper<'_, T> {
    fn known(&self, at: usize) -> EarlierRun<T> {
        (self.of)(self.lock().checkpoint).known(at)
    }

    fn passed(&self, at: usize, state: &TrainState) -> ControlFlow<()> {
        let mut kept = self.lock();
        let Kept { checkpoint, pace, paces } = &mut *kept;
        if paces.entry(at).or_insert_with(Pace::start).is_due() {
            (self.of)(checkpoint).under_way.insert(at, state.clone());
        }
        if pace.is_due() {
            self.job.save_or_tell(checkpoint, self.output);
        }
        drop(kept);
        self.job.interrupts.passed();
        if self.job.interrupts.why().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stopped(&self, at: usize, state: &TrainState) {
        (self.of)(self.lock().checkpoint).under_way.insert(at, state.clone());
    }

    fn done(&self, at: usize, result: &T) {
        let mut kept = self.lock();
        let saved = (self.of)(kept.checkpoint);
        saved.under_way.remove(&at);
        saved.done.insert(at, result.clone());
        let done = saved.done.len();
        drop(kept);
        (self.told)(done);
    }
}
