//! Why a data set could not be written.

use std::io;
use std::path::PathBuf;

/// Why a data set could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The file system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A label that the format cannot hold.
    #[error("labels of a TU folder must be whole numbers, but one of the {what} is \"{token}\"")]
    NotANumber {
        /// Which kind of label.
        what: &'static str,
        /// The label.
        token: String,
    },
    /// A graph without a target, in a format that has one for every graph.
    #[error("every graph of a TU folder must have a target, but graph \"{id}\" has none")]
    NoTarget {
        /// The graph.
        id: String,
    },
}
