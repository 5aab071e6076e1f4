//! The state of unfinished trainings as a file: sealed JSON, with every number written so that it reads back exactly.
//!
//! Promise: a checkpoint continues only with the parameters, data and split that made it; otherwise the first
//! difference is named. Knows nothing of when and where it is saved.

mod seal;

pub use seal::{seal, unseal};

use crate::TrainState;
use crate::side_by_side::Saved;
use einsicht_data::ClassWeight;
use einsicht_model::Member;
use einsicht_model::SourceRows;
use einsicht_model::folds::FoldResult;
use einsicht_model::params::TrainParams;
use serde::{Deserialize, Serialize};

/// Everything that the result of a training depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Fingerprint of the data set.
    pub fingerprint: String,
    /// The rows of each set of the split.
    pub rows: SourceRows,
    /// Parameters of each training: several, if there is a grid.
    pub params: Vec<TrainParams>,
    /// Weights of the classes.
    #[serde(default)]
    pub class_weight: ClassWeight,
}

/// An unfinished training, with those on resamples and permuted targets that follow it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// Data and parameters.
    pub origin: Origin,
    /// States of the folds that come before it.
    pub folds: Saved<FoldResult>,
    /// State of the training.
    pub state: TrainState,
    /// States of the trainings on resamples.
    pub bootstrap: Saved<Member>,
    /// States of the trainings with permuted targets; a result is the value of the metric.
    pub permute: Saved<Option<f64>>,
}

/// Why a checkpoint cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum CheckpointError {
    #[error("the saved state cannot be read: {reason}")]
    Unreadable { reason: String },
    #[error("the saved state belongs to another training: {what} was {saved}, now it is {now}")]
    Differs { what: String, saved: String, now: String },
}

impl Origin {
    /// Compares a saved origin with that of the training to continue; the error names the first difference.
    pub fn check(&self, now: &Self) -> Result<(), CheckpointError> {
        let differs = |what: &str, saved: String, now: String| {
            Err(CheckpointError::Differs { what: what.to_owned(), saved, now })
        };
        let points = |origin: &Self| format!("{} points", origin.params.len());
        if self.params.len() != now.params.len() {
            return differs("the grid", points(self), points(now));
        }
        for (at, (saved, wanted)) in self.params.iter().zip(&now.params).enumerate() {
            let fields = |params: &TrainParams| serde_json::to_value(params).map_err(|e| unreadable(&e));
            let (saved, wanted) = (fields(saved)?, fields(wanted)?);
            for (name, value) in wanted.as_object().into_iter().flatten() {
                if saved[name] != *value {
                    let what = if now.params.len() == 1 { name.clone() } else { format!("{name} of point {at}") };
                    return differs(&what, saved[name].to_string(), value.to_string());
                }
            }
        }
        if self.class_weight != now.class_weight {
            let word = |origin: &Self| format!("{:?}", origin.class_weight).to_lowercase();
            return differs("class_weight", word(self), word(now));
        }
        if self.fingerprint != now.fingerprint {
            return differs("the data set", self.fingerprint.clone(), now.fingerprint.clone());
        }
        for (part, saved, now) in [
            ("the training set", &self.rows.train, &now.rows.train),
            ("the validation set", &self.rows.valid, &now.rows.valid),
            ("the test set", &self.rows.test, &now.rows.test),
        ] {
            if saved != now {
                let graphs = |rows: &[u32]| format!("{} graphs", rows.len());
                let other = if saved.len() == now.len() { "other graphs".to_owned() } else { graphs(now) };
                return differs(part, graphs(saved), other);
            }
        }
        Ok(())
    }
}

impl Checkpoint {
    /// A checkpoint of this state, before anything that follows the training.
    pub fn new(origin: Origin, state: TrainState) -> Self {
        Self { origin, folds: Saved::default(), state, bootstrap: Saved::default(), permute: Saved::default() }
    }

    /// Passes so far, those of the folds included.
    pub fn passes(&self) -> usize {
        let done = self.folds.done.values().map(|fold| fold.passes).sum::<usize>();
        done + self.folds.under_way.values().map(TrainState::passes).sum::<usize>() + self.state.passes()
    }

    /// The state, if the training to continue has the same path so far, and perhaps a longer one; else the first
    /// difference.
    pub fn state_for_longer_path(mut self, now: &Origin) -> Result<TrainState, CheckpointError> {
        let gone = self.state.size_at + usize::from(self.state.iteration > 0);
        if let ([saved], [wanted]) = (&mut self.origin.params[..], &now.params[..]) {
            let begun = wanted.sizes.get(..gone);
            if begun.is_some() && saved.sizes.get(..gone) == begun {
                saved.sizes.clone_from(&wanted.sizes);
            }
            if wanted.lambdas >= gone {
                saved.lambdas = wanted.lambdas;
            }
        }
        self.origin.check(now)?;
        Ok(self.state)
    }

    /// The checkpoint as a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        Ok(seal(&serde_json::to_vec(self).map_err(|e| unreadable(&e))?))
    }

    /// Reads a checkpoint.
    pub fn from_bytes(file: &[u8]) -> Result<Self, CheckpointError> {
        serde_json::from_slice(unseal(file)?).map_err(|e| unreadable(&e))
    }
}

fn unreadable(error: &serde_json::Error) -> CheckpointError {
    CheckpointError::Unreadable { reason: error.to_string() }
}
