//! Which graphs a fit uses where nobody says: splits by default, and the graphs of a fit as one training set.

use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_data::split::{Scheme, SplitError, SplitPlan};
use einsicht_data::{Dataset, Split};
use einsicht_model::params::TrainParams;

/// The split if none is given: where folds choose the model, all labelled graphs; else a fifth of them, stratified, is
/// the validation set.
pub fn usual_split(dataset: &Dataset, params: &TrainParams) -> Result<Split, SplitError> {
    let valid = if params.is_refitted() { 0.0 } else { Fractions::default().valid };
    default_split(dataset, Fractions { valid, test: 0.0 }, params.seed)
}

/// The same with a fraction of the graphs in a test set. Isomorphic graphs are in the same set.
pub fn test_split(dataset: &Dataset, params: &TrainParams, test: f64) -> Result<Split, SplitError> {
    let valid = if params.is_refitted() { 0.0 } else { Fractions::default().valid };
    let fractions = Fractions { valid, test };
    let plan = SplitPlan { fractions, seed: params.seed, ..SplitPlan::new(Scheme::Stratified) };
    plan.splits(dataset, None)?.splits.pop().ok_or(SplitError::NoTraining)
}

/// Positions of the graphs that a model is fitted on.
pub(super) fn fitted_rows(split: &Split, params: &TrainParams) -> Vec<usize> {
    if params.is_refitted() { whole_split(split).train } else { split.train.clone() }
}

/// All graphs that a model with a refit is fitted on as the training set.
pub(super) fn whole_split(split: &Split) -> Split {
    let train = [&split.train[..], &split.valid].concat();
    Split { train, valid: Vec::new(), test: split.test.clone(), skipped: split.skipped }
}
