//! What a training is for.
//!
//! A training with a validation set makes a model: the set stops it early and chooses among the sizes. A training of a
//! cross-validation stops nothing early; it leaves the outputs for its held-out graphs. The training on all graphs
//! after it takes weights, decisions and figures from the choice of the folds.

use einsicht_model::folds::Choice;
use einsicht_model::task::metrics::Metric;
use std::sync::Arc;

/// What a training is for.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    /// A model, chosen by the validation set.
    Model,
    /// The outputs for the validation set, to choose by this metric.
    Fold(Metric),
    /// The model that folds have chosen. The validation set is empty.
    Chosen(Arc<Choice>),
}

impl Purpose {
    /// The metric, if it is known.
    pub(super) fn metric(&self) -> Option<Metric> {
        match self {
            Self::Model => None,
            Self::Fold(metric) => Some(*metric),
            Self::Chosen(choice) => Some(choice.metric),
        }
    }

    /// Whether the validation loss ends the passes at a size and picks one of its iterates.
    pub(super) fn stops_early(&self) -> bool {
        matches!(self, Self::Model)
    }
}
