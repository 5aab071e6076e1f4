//! Files that appear when they are complete: a failed run never destroys the result of an earlier one.

use crate::failure::{Failure, Problem};
use std::fs;
use std::path::{Path, PathBuf};

/// The path with something added to its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Writes a whole file: beside its place first, then into it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let part = beside(path, ".writing");
    fs::write(&part, bytes).and_then(|()| fs::rename(&part, path)).map_err(|problem| {
        // What could not be written whole is of no use.
        let _ = fs::remove_file(&part);
        let place = path.display().to_string();
        Failure::Data(Problem { error: format!("cannot write {place}: {problem}"), place: Some(place), advice: None })
    })
}

/// Reads a whole file.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|problem| {
        let place = path.display().to_string();
        Failure::Data(Problem { error: format!("cannot read {place}: {problem}"), place: Some(place), advice: None })
    })
}
