//! A trial that is under way, as a file: which points of the grid are done, the best model so far, and where the training of
//! the next point stands.
//!
//! The file is sealed; its content is one line of JSON and then the best model as it would be written.

use crate::failure::Failure;
use crate::file::{read_whole, write_whole};
use einsicht::Model;
use einsicht::learn::experiment::TrialState;
use einsicht::learn::persist::{Origin, seal, unseal};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a trial belongs to, and where it stands.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved<O, S> {
    origin: O,
    standing: S,
}

/// Saves where a trial stands.
pub(super) fn write(origin: &Origin, standing: &TrialState, path: &Path) -> Result<(), Failure> {
    let saved = Saved { origin, standing };
    let mut content = serde_json::to_vec(&saved).map_err(|error| Failure::file(path, error))?;
    content.push(b'\n');
    if let Some(model) = &standing.best {
        content.extend(model.to_bytes().map_err(|error| Failure::file(path, error))?);
    }
    write_whole(path, &seal(&content))
}

/// Reads where a trial stands, if what was saved belongs to it; else says what differs.
pub(super) fn read(path: &Path, belongs_to: &Origin) -> Result<TrialState, Failure> {
    let file = read_whole(path)?;
    let content = unseal(&file).map_err(|error| Failure::file(path, error))?;
    let end = content.iter().position(|byte| *byte == b'\n').unwrap_or(content.len());
    let (line, model) = content.split_at(end);
    let saved = serde_json::from_slice(line).map_err(|error| Failure::file(path, error))?;
    let Saved::<Origin, TrialState> { origin, mut standing } = saved;
    origin.check(belongs_to).map_err(|error| Failure::file(path, error))?;
    if let Some(model) = model.get(1..).filter(|model| !model.is_empty()) {
        standing.best = Some(Model::from_bytes(model).map_err(|error| Failure::file(path, error))?);
    }
    Ok(standing)
}
