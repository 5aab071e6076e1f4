//! Trainings that may run side by side: folds, resamples, permuted targets.
//!
//! Promise: each depends on its number alone, so any number of them may run at the same time, on several machines, or
//! continue from saved states. Knows no files and no clocks: whoever listens, saves or stops starts and steps them.

use crate::fit::{FitError, Training};
use crate::{TrainState, bounded_parallel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Trainings of one kind, by number.
pub trait Trainings: Sync {
    /// What comes of each.
    type Result: Send;

    /// How many may run at the same time.
    fn at_once(&self) -> usize;

    /// Starts the training of this number, or continues from a saved state.
    fn start_one(&self, at: usize, state: Option<TrainState>) -> Result<Training, FitError>;

    /// What has come of a training that is at its end.
    fn result_of(&self, training: &Training) -> Result<Self::Result, FitError>;

    /// Runs the trainings of these numbers, and nobody listens.
    fn train_all(&self, numbers: Range<usize>) -> Result<Vec<Self::Result>, FitError> {
        bounded_parallel(numbers.len(), self.at_once(), |at| {
            let mut training = self.start_one(numbers.start + at, None)?;
            training.run()?;
            self.result_of(&training)
        })
    }
}

/// Results and states of such trainings, as plain data.
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
