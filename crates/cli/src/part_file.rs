//! A file of lines that appears when it is complete: a failed run never destroys an earlier result.

use crate::failure::{Failure, Problem};
use serde_json::Value;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file under another name, until it is complete.
pub(crate) struct PartFile {
    path: PathBuf,
    part: PathBuf,
    file: fs::File,
}

impl PartFile {
    /// Starts beside the file that is wanted: a bad path is told at once.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let mut part = path.as_os_str().to_owned();
        part.push(".partial");
        let part = PathBuf::from(part);
        let file = fs::File::create(&part).map_err(|problem| cannot_write(path, &problem))?;
        Ok(Self { path: path.to_owned(), part, file })
    }

    /// Writes one line a document and puts the file in its place.
    pub(crate) fn write(self, lines: impl Iterator<Item = Value>) -> Result<(), Failure> {
        let mut writer = BufWriter::new(&self.file);
        let written = lines.into_iter().try_for_each(|line| writeln!(writer, "{line}"));
        written
            .and_then(|()| writer.flush())
            .and_then(|()| fs::rename(&self.part, &self.path))
            .map_err(|problem| cannot_write(&self.path, &problem))
    }
}

/// What was not finished goes away; what was finished has another name by now.
impl Drop for PartFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.part);
    }
}

fn cannot_write(path: &Path, problem: &io::Error) -> Failure {
    let place = path.display().to_string();
    Failure::Data(Problem { error: format!("cannot write {place}: {problem}"), place: Some(place), advice: None })
}
