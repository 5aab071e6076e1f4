//! Progress, saved states and stopping of many trainings.
//!
//! The trainings own neither files nor clocks; a caller that saves them implements [`RunWatcher`] and returns what was
//! saved. A training that continues from a saved state ends as if it had never been interrupted.

use crate::{PassPhase, TrainState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Watches many trainings, each by its number; their results are of type `T`.
pub trait RunWatcher<T>: Sync {
    /// What an earlier run has saved of a training.
    fn known(&self, at: usize) -> EarlierRun<T>;

    /// A phase of a pass begins.
    fn entered(&self, _at: usize, _phase: PassPhase) {}

    /// A pass is finished; `Break` stops all trainings.
    fn passed(&self, at: usize, state: &TrainState) -> ControlFlow<()>;

    /// A training was stopped here, perhaps in the middle of a pass.
    fn stopped(&self, at: usize, state: &TrainState);

    /// A training is finished.
    fn done(&self, at: usize, result: &T);
}

/// What an earlier run has saved of a training.
#[derive(Clone, Debug, PartialEq)]
pub enum EarlierRun<T> {
    /// Nothing.
    Nothing,
    /// Its state.
    UnderWay(Box<TrainState>),
    /// Its result.
    Done(T),
}

/// Results and states of many trainings, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved<T> {
    /// Results, by number.
    pub done: BTreeMap<usize, T>,
    /// States of unfinished trainings.
    pub under_way: BTreeMap<usize, TrainState>,
}

impl<T> Default for Saved<T> {
    fn default() -> Self {
        Self { done: BTreeMap::new(), under_way: BTreeMap::new() }
    }
}

impl<T: Clone> Saved<T> {
    /// What is saved of one of them.
    pub fn known(&self, at: usize) -> EarlierRun<T> {
        match (self.done.get(&at), self.under_way.get(&at)) {
            (Some(result), _) => EarlierRun::Done(result.clone()),
            (None, Some(state)) => EarlierRun::UnderWay(Box::new(state.clone())),
            (None, None) => EarlierRun::Nothing,
        }
    }
}

/// Nobody watches.
impl<T> RunWatcher<T> for () {
    fn known(&self, _: usize) -> EarlierRun<T> {
        EarlierRun::Nothing
    }

    fn passed(&self, _: usize, _: &TrainState) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stopped(&self, _: usize, _: &TrainState) {}

    fn done(&self, _: usize, _: &T) {}
}
