//! Why a data set could not be written.

use std::io;
use std::path::PathBuf;

/// Why a data set could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum WriteError {
    #[error("cannot write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("labels of a TU folder must be whole numbers, but one of the {what} is \"{token}\"")]
    NotANumber { what: &'static str, token: String },
    #[error("every graph of a TU folder must have a target, but graph \"{id}\" has none")]
    NoTarget { id: String },
}
