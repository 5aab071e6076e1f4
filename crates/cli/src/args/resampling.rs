//! Options for trainings that follow the first one: bootstrap resamples and permutations of the targets.

use super::values::at_least_one;
use clap::Args;
use einsicht::Resampling;

/// How often to train again, and on what.
#[derive(Args, Clone, Debug)]
pub(crate) struct ResamplingArgs {
    /// Number of bootstrap resamples to train on, for selection frequencies of subgraphs and the spread of predictions.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) bootstrap: Option<usize>,
    /// Number of trainings with permuted targets, for a permutation p-value.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) permute: Option<usize>,
}

impl ResamplingArgs {
    /// How many trainings follow.
    pub(crate) fn counts(&self) -> Resampling {
        Resampling { bootstrap: self.bootstrap.unwrap_or(0), permute: self.permute.unwrap_or(0) }
    }

    /// Whether there is no further training.
    pub(crate) fn is_empty(&self) -> bool {
        self.bootstrap.is_none() && self.permute.is_none()
    }
}
