//! Tables of SMILES.

use super::{Format, ReadError, ReadOptions};
use crate::dataset::Dataset;
use std::path::Path;

/// Reads a table.
pub(super) fn read(path: &Path, format: Format, _options: &ReadOptions) -> Result<Dataset, ReadError> {
    Err(ReadError::Unsupported { path: path.to_owned(), format })
}
