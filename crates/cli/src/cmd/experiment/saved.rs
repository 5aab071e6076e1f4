//! A trial that is under way, as a file: which points of the grid are done, the best model so far, and where the training of
//! the next point stands.
//!
//! The file is sealed; its content is one line of JSON and then the best model as it would be written.

use crate::failure::Failure;
use crate::file::{read_whole, write_whole};
use einsicht::Model;
use einsicht::learn::metrics::Metric;
use einsicht::learn::persist::{Origin, seal, unseal};
use einsicht::learn::train::TrainState;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Where a trial stands.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    /// What it belongs to.
    pub(super) origin: Origin,
    /// What each finished point reached.
    pub(super) points: Vec<Value>,
    /// Which of them is the best.
    pub(super) best_point: usize,
    /// The metric that says so: that of the first.
    pub(super) metric: Option<Metric>,
    /// Passes of all of them.
    pub(super) passes: usize,
    /// The training of the next point, if it has begun.
    pub(super) state: Option<TrainState>,
    /// The model of the best point, if one is finished.
    #[serde(skip)]
    pub(super) best: Option<Model>,
}

impl Saved {
    /// Nothing is done yet.
    pub(super) fn start(origin: Origin) -> Self {
        Self { origin, points: Vec::new(), best_point: 0, metric: None, passes: 0, state: None, best: None }
    }

    /// Passes so far, those of the training under way included.
    pub(super) fn all_passes(&self) -> usize {
        self.passes + self.state.as_ref().map_or(0, TrainState::passes)
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut content = serde_json::to_vec(self).map_err(|error| Failure::file(path, error))?;
        content.push(b'\n');
        if let Some(model) = &self.best {
            content.extend(model.to_bytes().map_err(|error| Failure::file(path, error))?);
        }
        write_whole(path, &seal(&content))
    }

    /// Reads what was saved, if it belongs to this trial; else says what differs.
    pub(super) fn read(path: &Path, origin: &Origin) -> Result<Self, Failure> {
        let file = read_whole(path)?;
        let content = unseal(&file).map_err(|error| Failure::file(path, error))?;
        let end = content.iter().position(|byte| *byte == b'\n').unwrap_or(content.len());
        let (line, model) = content.split_at(end);
        let mut saved: Self = serde_json::from_slice(line).map_err(|error| Failure::file(path, error))?;
        saved.origin.check(origin).map_err(|error| Failure::file(path, error))?;
        if let Some(model) = model.get(1..).filter(|model| !model.is_empty()) {
            saved.best = Some(Model::from_bytes(model).map_err(|error| Failure::file(path, error))?);
        }
        Ok(saved)
    }
}
