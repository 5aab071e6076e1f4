//! The whole state of a training, as plain data: what a checkpoint holds.
//!
//! Promise: a training that is continued from a saved and reloaded state ends in the same bytes as one that was
//! never interrupted. Everything else a trainer holds can be recomputed from this and the data.

use super::iterate::{BeforeStep, Iterate};
use super::optimize::adam::AdamState;
use super::path::PathEntry;
use super::path::lambda::LambdaPath;
use serde::{Deserialize, Serialize};

/// Where a training stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainState {
    /// Position in the list of sizes, or number of finished penalties; past the end when all is done.
    pub size_at: usize,
    /// Iterations made at this size.
    pub iteration: usize,
    /// Where a path of penalties stands, once it has begun.
    pub lambdas: Option<LambdaPath>,
    /// Whether bias and network were fitted before the first pattern.
    pub prefitted: bool,
    /// The parameters now.
    pub current: Iterate,
    /// The state before the last accepted step on `B`.
    pub before: Option<BeforeStep>,
    /// The best iterate of this size so far.
    pub best: Option<BestIterate>,
    /// What the next validation loss must undercut, and since which iteration.
    pub reference: Option<(f64, usize)>,
    /// Finished sizes.
    pub entries: Vec<PathEntry>,
    /// What Adam remembers, where it fits the network.
    pub adam: AdamState,
    /// Patterns that the search looked at, for each size so far. A cost, not part of a model.
    pub visited: Vec<u64>,
}

impl TrainState {
    /// Passes behind it, those of prices that were given up left out.
    pub fn passes(&self) -> usize {
        self.entries.iter().map(|entry| entry.iterations).sum::<usize>() + self.iteration
    }
}

/// The best iterate of a size so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestIterate {
    /// Its validation loss.
    pub valid_loss: f64,
    /// When it was reached, from 1.
    pub iteration: usize,
    /// Its parameters.
    pub iterate: Iterate,
    /// The state before the step that chose its patterns.
    pub before: Option<BeforeStep>,
}
