//! A running trial as a file: finished points of the grid, the best model so far, and the state of the training of the
//! next point.
//!
//! The file has a checksum; its content is one line of JSON, then the best model as it would be written.

use crate::failure::Failure;
use crate::io::file::{read_whole, write_whole};
use einsicht::Model;
use einsicht::experiment::TrialState;
use einsicht::train::checkpoint::{Origin, seal, unseal};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// What a trial depends on, and its state.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved<O, S> {
    origin: O,
    standing: S,
}

/// Saves the state of a trial.
pub(super) fn write(origin: &Origin, standing: &TrialState, path: &Path) -> Result<(), Failure> {
    let saved = Saved { origin, standing };
    let mut content = serde_json::to_vec(&saved).map_err(|error| Failure::file(path, error))?;
    content.push(b'\n');
    if let Some(model) = &standing.best {
        content.extend(model.to_bytes().map_err(|error| Failure::file(path, error))?);
    }
    write_whole(path, &seal(&content))
}

/// Reads the state of a trial, if it was saved by the same one; else returns what differs.
pub(super) fn read(path: &Path, belongs_to: &Origin) -> Result<TrialState, Failure> {
    let file = read_whole(path)?;
    let content = unseal(&file).map_err(|error| Failure::file(path, error))?;
    let end = content.iter().position(|byte| *byte == b'\n').unwrap_or(content.len());
    let (line, model) = content.split_at(end);
    let saved = serde_json::from_slice(line).map_err(|error| Failure::file(path, error))?;
    let Saved::<Origin, TrialState> { origin, mut standing } = saved;
    origin.check(belongs_to).map_err(|error| Failure::file(path, error))?;
    if let Some(model) = model.get(1..).filter(|model| !model.is_empty()) {
        standing.best = Some(Arc::new(Model::from_bytes(model).map_err(|error| Failure::file(path, error))?));
    }
    Ok(standing)
}
