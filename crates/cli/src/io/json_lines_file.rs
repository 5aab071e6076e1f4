//! A file of JSON lines that appears when it is complete: a failed run never destroys an earlier result.

use crate::failure::Failure;
use crate::io::file::cannot_write;
use einsicht::data::write::Pending;
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file, under another name until it is complete.
pub(crate) struct JsonLinesFile {
    path: PathBuf,
    pending: Pending,
}

impl JsonLinesFile {
    /// Starts beside the final file: a bad path is reported at once.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let pending = Pending::create(path).map_err(|problem| cannot_write(path, &problem))?;
        Ok(Self { path: path.to_owned(), pending })
    }

    /// Writes one line per document and gives the file its name.
    pub(crate) fn write(mut self, mut lines: impl Iterator<Item = Value>) -> Result<(), Failure> {
        let mut writer = BufWriter::new(self.pending.file());
        let written = lines.try_for_each(|line| writeln!(writer, "{line}")).and_then(|()| writer.flush());
        drop(writer);
        written.and_then(|()| self.pending.commit()).map_err(|problem| cannot_write(&self.path, &problem))
    }
}
