//! The whole state of a training, as plain data: the content of a checkpoint.
//!
//! Promise: a training that is continued from a saved and reloaded state ends in the same bytes as one that was
//! never interrupted. Everything else a trainer holds can be recomputed from this and the data.

use super::optimize::adam::AdamState;
use super::path::lambda::LambdaPath;
use einsicht_model::PathEntry;
use einsicht_model::{BeforeStep, Iterate};
use serde::{Deserialize, Serialize};

/// The state of a training between two passes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainState {
    /// Position on the path: index into the sizes, or number of finished penalties; past the end when all is done.
    pub size_at: usize,
    /// Passes at this point of the path.
    pub iteration: usize,
    /// The position on a path of penalties, once it has begun.
    pub lambdas: Option<LambdaPath>,
    /// Whether bias and network were fitted before the first pattern.
    pub prefitted: bool,
    /// The current parameters.
    pub current: Iterate,
    /// The state before the last accepted step on `B`.
    pub before: Option<BeforeStep>,
    /// The best iterate of this point so far.
    pub best: Option<BestIterate>,
    /// Early stopping: the validation loss to improve on, and the iteration that reached it.
    pub reference: Option<(f64, usize)>,
    /// Finished entries of the path.
    pub entries: Vec<PathEntry>,
    /// For each of them the outputs for the validation set, of each part of its head that folds may weigh.
    pub held_out: Vec<Vec<Vec<f64>>>,
    /// Moments of Adam, if it fits the network.
    pub adam: AdamState,
    /// Patterns that the search visited, for each point so far. A cost, not part of a model.
    pub visited: Vec<u64>,
}

impl TrainState {
    /// All but the finished entries and what belongs to them, which a pass adds to and does not change.
    pub(super) fn without_results(&mut self) -> (Self, usize) {
        let finished = (std::mem::take(&mut self.entries), std::mem::take(&mut self.held_out));
        let small = self.clone();
        (self.entries, self.held_out) = finished;
        (small, self.entries.len())
    }

    /// Returns to an earlier state of the same training.
    pub(super) fn return_to(&mut self, (small, entries): (Self, usize)) {
        let (mut finished, mut held_out) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.held_out));
        finished.truncate(entries);
        held_out.truncate(entries);
        *self = Self { entries: finished, held_out, ..small };
    }

    /// Passes so far, without those of penalties that were given up.
    pub fn passes(&self) -> usize {
        self.entries.iter().map(|entry| entry.iterations).sum::<usize>() + self.iteration
    }
}

/// The best iterate at a point of the path by its validation loss, or by its metric on the validation set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestIterate {
    /// Its validation loss.
    pub valid_loss: f64,
    /// Its metric on the validation set, where that decides.
    #[serde(default)]
    pub valid_metric: Option<f64>,
    /// Its iteration, from 1.
    pub iteration: usize,
    /// Its parameters.
    pub iterate: Iterate,
    /// The state before the step that chose its patterns.
    pub before: Option<BeforeStep>,
}
