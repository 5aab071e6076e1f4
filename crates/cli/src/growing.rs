//! A file that grows by whole rows and gets its name when it is complete.
//!
//! Promise: whenever the program ends, and however, `FILE.partial` holds a prefix of the whole, and `FILE` is what it was
//! before or complete. A device or a pipe is written to as it is.

use crate::failure::Failure;
use crate::file::{beside, cannot_write, is_special};
use einsicht::data::write::create_fresh;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) struct GrowingFile {
    path: PathBuf,
    /// Where the rows go until they are complete.
    part: PathBuf,
    file: File,
}

impl GrowingFile {
    /// Starts beside the file that is wanted: a bad path is told at once.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let (part, file) = if is_special(path) {
            (path.to_owned(), OpenOptions::new().write(true).open(path))
        } else {
            let part = beside(path, ".partial");
            let file = create_fresh(&part);
            (part, file)
        };
        let file = file.map_err(|problem| cannot_write(path, &problem))?;
        Ok(Self { path: path.to_owned(), part, file })
    }

    /// Appends whole rows.
    pub(crate) fn append(&mut self, rows: &[u8]) -> Result<(), Failure> {
        self.file.write_all(rows).map_err(|problem| cannot_write(&self.path, &problem))
    }

    /// What it is called until it is complete.
    pub(crate) fn part(&self) -> &Path {
        &self.part
    }

    /// Gives the complete file its name, and says it.
    pub(crate) fn finish(self) -> Result<PathBuf, Failure> {
        if self.part == self.path {
            return Ok(self.path);
        }
        let named = self.file.sync_all().and_then(|()| std::fs::rename(&self.part, &self.path));
        named.map_err(|problem| cannot_write(&self.path, &problem))?;
        Ok(self.path)
    }
}
