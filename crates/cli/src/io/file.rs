//! Files that appear when they are complete: a failed run never destroys the result of an earlier one.

use crate::failure::{Failure, Problem};
use crate::io::output::print_with;
use einsicht::data::write::{self, Pending};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

pub(crate) use einsicht::data::write::{beside, is_special};

/// Whether an output is stdout. A file of this name is `./-`.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of an output, for people.
pub(crate) fn output_name(path: &Path) -> String {
    if is_stdout(path) { "stdout".to_owned() } else { path.display().to_string() }
}

/// Replaces a whole file atomically, or writes to stdout.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_stdout(path) {
        return print_with(|out| out.write_all(bytes));
    }
    write::write_whole(path, bytes).map_err(|problem| cannot_write(path, &problem))
}

/// Checks before the long work that a file can be written; an existing file stays.
pub(crate) fn probe(path: &Path) -> Result<(), Failure> {
    if is_stdout(path) {
        return Ok(());
    }
    Pending::create(path).map(drop).map_err(|problem| cannot_write(path, &problem))
}

/// Removes a file, with what a crash may have left beside it.
pub(crate) fn discard(path: &Path) {
    for path in [path, &beside(path, ".writing")] {
        // If that fails, the result is complete all the same.
        let _ = fs::remove_file(path);
    }
}

/// Rows as comma-separated lines, quoted where needed.
pub(crate) fn csv_bytes(rows: &[Vec<String>]) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows {
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|problem| {
        let place = path.display().to_string();
        Failure::Data(Problem { error: format!("cannot read {place}: {problem}"), place: Some(place), advice: None })
    })
}

/// The file could not be written.
pub(crate) fn cannot_write(path: &Path, problem: &io::Error) -> Failure {
    let place = path.display().to_string();
    Failure::Data(Problem { error: format!("cannot write {place}: {problem}"), place: Some(place), advice: None })
}
