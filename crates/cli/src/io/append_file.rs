//! A file that is appended to by whole rows and gets its name when it is complete.
//!
//! Promise: whenever and however the program ends, `FILE.partial` holds a prefix of the whole, and `FILE` is unchanged
//! or complete. A device or a pipe is written to directly.

use super::file::cannot_write;
use crate::failure::Failure;
use einsicht::data::write::Pending;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file, under another name until it is complete.
pub(crate) struct AppendFile(Pending);

impl AppendFile {
    /// Starts beside the final file: a bad path is reported at once.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        Pending::create_partial(path).map(Self).map_err(|problem| cannot_write(path, &problem))
    }

    /// Appends whole rows.
    pub(crate) fn append(&mut self, rows: &[u8]) -> Result<(), Failure> {
        self.0.file().write_all(rows).map_err(|problem| cannot_write(self.0.path(), &problem))
    }

    /// Its name until it is complete.
    pub(crate) fn partial(&self) -> &Path {
        self.0.temporary()
    }

    /// Gives the complete file its name, and returns it.
    pub(crate) fn finish(self) -> Result<PathBuf, Failure> {
        let path = self.0.path().to_owned();
        self.0.commit().map_err(|problem| cannot_write(&path, &problem))?;
        Ok(path)
    }
}
