//! The state of an unfinished training as a file: JSON, with every number written so that it reads back exactly.
//!
//! Promise: a checkpoint continues only with the parameters, data and split that made it; otherwise the first
//! thing that differs is named.

use crate::model::SourceRows;
use crate::params::TrainParams;
use crate::train::TrainState;
use serde::{Deserialize, Serialize};

/// The format of checkpoints that this version writes and reads.
const FORMAT: u32 = 1;

/// An unfinished training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    format: u32,
    /// Parameters of the training.
    pub params: TrainParams,
    /// Fingerprint of the data set.
    pub fingerprint: String,
    /// Which rows were in which part.
    pub rows: SourceRows,
    /// Where it stands.
    pub state: TrainState,
}

/// Why a checkpoint cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Not a checkpoint, or of another version.
    #[error("the saved state cannot be read: {reason}")]
    Unreadable {
        /// What is wrong.
        reason: String,
    },
    /// Another format.
    #[error("the saved state has format {found}, but this version reads format {known}", known = FORMAT)]
    OtherFormat {
        /// Format of the file.
        found: u32,
    },
    /// Another training.
    #[error("the saved state belongs to another training: {what} was {saved}, now it is {now}")]
    Differs {
        /// What differs.
        what: String,
        /// Its value when the state was saved.
        saved: String,
        /// Its value now.
        now: String,
    },
}

impl Checkpoint {
    /// A checkpoint of this state.
    pub fn new(params: &TrainParams, fingerprint: String, rows: SourceRows, state: TrainState) -> Self {
        Self { format: FORMAT, params: params.clone(), fingerprint, rows, state }
    }

    /// The checkpoint as a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        serde_json::to_vec(self).map_err(|e| CheckpointError::Unreadable { reason: e.to_string() })
    }

    /// Reads a checkpoint.
    pub fn from_bytes(file: &[u8]) -> Result<Self, CheckpointError> {
        let found: Self =
            serde_json::from_slice(file).map_err(|e| CheckpointError::Unreadable { reason: e.to_string() })?;
        if found.format != FORMAT {
            return Err(CheckpointError::OtherFormat { found: found.format });
        }
        Ok(found)
    }

    /// The state, if it belongs to this training; else what differs.
    pub fn state_for(
        self,
        params: &TrainParams,
        fingerprint: &str,
        rows: &SourceRows,
    ) -> Result<TrainState, CheckpointError> {
        let differs =
            |what: &str, saved: String, now: String| CheckpointError::Differs { what: what.to_owned(), saved, now };
        let fields = |params: &TrainParams| {
            serde_json::to_value(params).map_err(|e| CheckpointError::Unreadable { reason: e.to_string() })
        };
        let (saved, now) = (fields(&self.params)?, fields(params)?);
        for (name, value) in now.as_object().into_iter().flatten() {
            if saved[name] != *value {
                return Err(differs(name, saved[name].to_string(), value.to_string()));
            }
        }
        if self.fingerprint != fingerprint {
            return Err(differs("the data set", self.fingerprint, fingerprint.to_owned()));
        }
        for (part, saved, now) in [
            ("the training part", &self.rows.train, &rows.train),
            ("the validation part", &self.rows.valid, &rows.valid),
            ("the test part", &self.rows.test, &rows.test),
        ] {
            if saved != now {
                let graphs = |rows: &[u32]| format!("{} graphs", rows.len());
                let other = if saved.len() == now.len() { "other graphs".to_owned() } else { graphs(now) };
                return Err(differs(part, graphs(saved), other));
            }
        }
        Ok(self.state)
    }
}
