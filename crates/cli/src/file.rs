//! Files that appear when they are complete: a failed run never destroys the result of an earlier one.

use crate::failure::{Failure, Problem};
use einsicht::data::write::{self, Pending};
use std::fs;
use std::io;
use std::path::Path;

pub(crate) use einsicht::data::write::{beside, is_special};

/// Writes a whole file: beside its place first, then into it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write::write_whole(path, bytes).map_err(|problem| cannot_write(path, &problem))
}

/// Tells before the long work whether a file could be written; what is there stays.
pub(crate) fn probe(path: &Path) -> Result<(), Failure> {
    Pending::create(path).map(drop).map_err(|problem| cannot_write(path, &problem))
}

/// Removes a file that is of no more use, with what a crash may have left beside it.
pub(crate) fn discard(path: &Path) {
    for path in [path, &beside(path, ".writing")] {
        // Whatever hinders that, the result is there.
        let _ = fs::remove_file(path);
    }
}

/// Reads a whole file.
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
