//! `MODEL.partial`: the state of a training, beside the model that it will become.
//!
//! Promise: the saved state is replaced only by a whole new one. A checkpoint of another training is refused with what
//! differs. A checkpoint that cannot be saved (the disk is full) is a warning, and the training continues.

use crate::failure::{Failure, Problem};
use crate::io::file::{beside, discard, is_special, probe, read_whole, write_whole};
use crate::io::output::Output;
use einsicht::train::checkpoint::{Checkpoint, Origin};
use std::path::{Path, PathBuf};

/// Where a training is saved.
pub(crate) struct CheckpointFile {
    /// Absent where the model goes to a device or a pipe.
    path: Option<PathBuf>,
}

impl CheckpointFile {
    /// The checkpoint of a model. Reports at once if it could not be written.
    pub(crate) fn of_model(model: &Path) -> Result<Self, Failure> {
        let path = (!is_special(model)).then(|| beside(model, ".partial"));
        path.as_deref().map_or(Ok(()), probe)?;
        Ok(Self { path })
    }

    /// Whether an earlier run has left a checkpoint.
    pub(crate) fn exists(&self) -> bool {
        self.path.as_deref().is_some_and(Path::exists)
    }

    /// Whether there can be a checkpoint at all.
    pub(crate) fn is_possible(&self) -> bool {
        self.path.is_some()
    }

    /// The state to resume from, if it is to be resumed and there is one.
    pub(crate) fn read(&self, resume: bool, origin: &Origin, output: &Output) -> Result<Option<Checkpoint>, Failure> {
        let Some(path) = self.path.as_deref() else { return Ok(None) };
        let shown = path.display();
        match (resume, path.exists()) {
            (false, false) => Ok(None),
            (false, true) => {
                output.say(&format!(
                    "{shown} of an unfinished training will be replaced; --resume would continue from it"
                ));
                Ok(None)
            }
            (true, false) => {
                output.say(&format!("nothing to resume: there is no {shown}"));
                Ok(None)
            }
            (true, true) => {
                let refuse = |error| Failure::file(path, error);
                let saved = Checkpoint::from_bytes(&read_whole(path)?).map_err(refuse)?;
                saved.origin.check(origin).map_err(refuse)?;
                output.say(&format!("resuming from {shown}, after pass {}", saved.passes()));
                Ok(Some(saved))
            }
        }
    }

    fn write(&self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        let Some(path) = &self.path else { return Ok(()) };
        let bytes = checkpoint.to_bytes().map_err(|error| Failure::file(path, error))?;
        write_whole(path, &bytes)
    }

    /// Saves the state; if that fails, warns, and the training continues from what is in memory.
    pub(crate) fn save_or_warn(&self, checkpoint: &Checkpoint, output: &Output) {
        if let Err(Failure::Data(Problem { error, .. })) = self.write(checkpoint) {
            output.say(&format!("warning: {error}; the training continues"));
        }
    }

    /// Removes the checkpoint: the model is complete.
    pub(crate) fn discard(&self) {
        if let Some(path) = &self.path {
            discard(path);
        }
    }

    /// How to continue, for people.
    pub(crate) fn advice(&self) -> String {
        match &self.path {
            Some(path) if path.exists() => format!("--resume continues from {}", path.display()),
            _ => "nothing was saved".to_owned(),
        }
    }
}
