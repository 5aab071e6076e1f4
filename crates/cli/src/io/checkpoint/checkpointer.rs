//! Saves the trainings that follow a training (on resamples, with permuted targets) in its `MODEL.partial`.
//!
//! Each training hands in its state at most every few seconds, and the file is written at most every few seconds, by
//! whichever thread finds that it is due: several trainings run at once.

use super::{CheckpointFile, SaveInterval};
use crate::io::clock::profile::Profile;
use crate::io::interrupt::Interrupts;
use crate::io::output::Output;
use einsicht::learn::persist::Checkpoint;
use einsicht::learn::train::{PassPhase, TrainState};
use einsicht::learn::watch::{EarlierRun, RunWatcher, Saved};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where and how the trainings are saved.
#[derive(Clone, Copy)]
pub(crate) struct SaveTo<'a> {
    pub(crate) file: &'a CheckpointFile,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) output: &'a Output,
    pub(crate) profile: &'a Profile,
}

/// Observes trainings whose results are of type `T`.
pub(crate) struct Checkpointer<'a, T> {
    save_to: SaveTo<'a>,
    /// Which of the results of the checkpoint these are.
    of: fn(&mut Checkpoint) -> &mut Saved<T>,
    /// Gets the number of finished trainings.
    on_done: &'a (dyn Fn(usize) + Sync),
    state: Mutex<State<'a>>,
}

struct State<'a> {
    checkpoint: &'a mut Checkpoint,
    /// Of the file.
    interval: SaveInterval,
    /// Of each training.
    intervals: BTreeMap<usize, SaveInterval>,
}

impl<'a, T> Checkpointer<'a, T> {
    /// Saves into this checkpoint; `on_done` gets the number of finished trainings.
    pub(crate) fn new(
        save_to: SaveTo<'a>,
        checkpoint: &'a mut Checkpoint,
        of: fn(&mut Checkpoint) -> &mut Saved<T>,
        on_done: &'a (dyn Fn(usize) + Sync),
    ) -> Self {
        let state = State { checkpoint, interval: SaveInterval::start(), intervals: BTreeMap::new() };
        Self { save_to, of, on_done, state: Mutex::new(state) }
    }

    /// Saves all, now.
    pub(crate) fn save(&self) {
        self.save_to.file.save_or_warn(self.lock().checkpoint, self.save_to.output);
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone + Send> RunWatcher<T> for Checkpointer<'_, T> {
    fn known(&self, at: usize) -> EarlierRun<T> {
        (self.of)(self.lock().checkpoint).known(at)
    }

    fn entered(&self, at: usize, phase: PassPhase) {
        self.save_to.profile.enter(at + 1, phase);
    }

    fn passed(&self, at: usize, state: &TrainState) -> ControlFlow<()> {
        let SaveTo { file, interrupts, output, profile } = self.save_to;
        profile.end(at + 1);
        let mut locked = self.lock();
        let State { checkpoint, interval, intervals } = &mut *locked;
        if intervals.entry(at).or_insert_with(SaveInterval::start).is_due() {
            (self.of)(checkpoint).under_way.insert(at, state.clone());
        }
        if interval.is_due() {
            file.save_or_warn(checkpoint, output);
        }
        drop(locked);
        interrupts.passed();
        if interrupts.stop_reason().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stopped(&self, at: usize, state: &TrainState) {
        (self.of)(self.lock().checkpoint).under_way.insert(at, state.clone());
    }

    fn done(&self, at: usize, result: &T) {
        let mut locked = self.lock();
        let saved = (self.of)(locked.checkpoint);
        saved.under_way.remove(&at);
        saved.done.insert(at, result.clone());
        let done = saved.done.len();
        drop(locked);
        (self.on_done)(done);
    }
}
