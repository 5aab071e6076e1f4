//! A file of JSON lines that appears when it is complete: a failed run never destroys an earlier result. Or stdout.

use crate::failure::Failure;
use crate::io::file::{cannot_write, is_stdout};
use crate::io::output::print_with;
use einsicht::data::write::Pending;
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file, under another name until it is complete.
pub(crate) struct JsonLinesFile {
    path: PathBuf,
    /// Absent for stdout.
    pending: Option<Pending>,
}

impl JsonLinesFile {
    /// Starts beside the final file: a bad path is reported at once.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let create = || Pending::create(path).map_err(|problem| cannot_write(path, &problem));
        let pending = if is_stdout(path) { None } else { Some(create()?) };
        Ok(Self { path: path.to_owned(), pending })
    }

    /// Writes one line per document and gives the file its name.
    pub(crate) fn write(mut self, mut lines: impl Iterator<Item = Value>) -> Result<(), Failure> {
        let Some(pending) = &mut self.pending else {
            return print_with(|out| lines.try_for_each(|line| writeln!(out, "{line}")));
        };
        let mut writer = BufWriter::new(pending.file());
        let written = lines.try_for_each(|line| writeln!(writer, "{line}")).and_then(|()| writer.flush());
        drop(writer);
        written
            .and_then(|()| self.pending.map_or(Ok(()), Pending::commit))
            .map_err(|problem| cannot_write(&self.path, &problem))
    }
}
