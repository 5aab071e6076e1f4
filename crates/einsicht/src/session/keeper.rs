//! Takes results and states of trainings that run side by side into the stage of their session.

use super::Stage;
use super::watch::{AfterPass, Event, TrainingId, Watch};
use einsicht_train::watch::{EarlierRun, RunWatcher, Saved};
use einsicht_train::{PassPhase, TrainState};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Trainings of one kind, whose results are of type `T`.
pub(super) struct Keeper<'s, T> {
    stage: Mutex<&'s mut Stage>,
    /// Where the stage has them.
    place: fn(&mut Stage) -> &mut Saved<T>,
    /// Which they are, by number.
    id: fn(usize) -> TrainingId,
    count: usize,
    watch: &'s dyn Watch,
}

impl<'s, T> Keeper<'s, T> {
    /// So many trainings begin.
    pub(super) fn begin(
        stage: &'s mut Stage,
        place: fn(&mut Stage) -> &mut Saved<T>,
        id: fn(usize) -> TrainingId,
        count: usize,
        watch: &'s dyn Watch,
    ) -> Self {
        watch.event(Event::Begin { first: id(0), count });
        Self { stage: Mutex::new(stage), place, id, count, watch }
    }

    fn lock(&self) -> MutexGuard<'_, &'s mut Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone + Send> RunWatcher<T> for Keeper<'_, T> {
    fn known(&self, at: usize) -> EarlierRun<T> {
        (self.place)(&mut self.lock()).known(at)
    }

    fn entered(&self, at: usize, phase: PassPhase) {
        self.watch.event(Event::Phase((self.id)(at), phase));
    }

    fn passed(&self, at: usize, state: &TrainState) -> ControlFlow<()> {
        let AfterPass { keep, save, stop } = self.watch.passed((self.id)(at));
        if keep || save {
            let mut stage = self.lock();
            if keep {
                (self.place)(&mut stage).under_way.insert(at, state.clone());
            }
            if save {
                self.watch.save(&stage);
            }
        }
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stopped(&self, at: usize, state: &TrainState) {
        (self.place)(&mut self.lock()).under_way.insert(at, state.clone());
    }

    fn done(&self, at: usize, result: &T) {
        let mut stage = self.lock();
        let saved = (self.place)(&mut stage);
        saved.under_way.remove(&at);
        saved.done.insert(at, result.clone());
        let done = saved.done.len();
        drop(stage);
        self.watch.event(Event::Finished { training: (self.id)(at), done, count: self.count });
    }
}
