//! A file that is appended to by whole rows and gets its name when it is complete.
//!
//! Promise: whenever and however the program ends, `FILE.partial` holds a prefix of the whole, and `FILE` is unchanged or
//! complete. A device or a pipe is written to directly.

use crate::failure::Failure;
use crate::io::file::{beside, cannot_write, is_special};
use einsicht::data::write::create_fresh;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file, under another name until it is complete.
pub(crate) struct AppendFile {
    path: PathBuf,
    /// Where the rows go until all are written.
    partial: PathBuf,
    file: File,
}

impl AppendFile {
    /// Starts beside the final file: a bad path is reported at once.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let (partial, file) = if is_special(path) {
            (path.to_owned(), OpenOptions::new().write(true).open(path))
        } else {
            let partial = beside(path, ".partial");
            let file = create_fresh(&partial);
            (partial, file)
        };
        let file = file.map_err(|problem| cannot_write(path, &problem))?;
        Ok(Self { path: path.to_owned(), partial, file })
    }

    /// Appends whole rows.
    pub(crate) fn append(&mut self, rows: &[u8]) -> Result<(), Failure> {
        self.file.write_all(rows).map_err(|problem| cannot_write(&self.path, &problem))
    }

    /// Its name until it is complete.
    pub(crate) fn partial(&self) -> &Path {
        &self.partial
    }

    /// Gives the complete file its name, and returns it.
    pub(crate) fn finish(self) -> Result<PathBuf, Failure> {
        if self.partial == self.path {
            return Ok(self.path);
        }
        let named = self.file.sync_all().and_then(|()| std::fs::rename(&self.partial, &self.path));
        named.map_err(|problem| cannot_write(&self.path, &problem))?;
        Ok(self.path)
    }
}
