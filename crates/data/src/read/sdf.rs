//! SD files.

use super::{Format, ReadError, ReadOptions};
use crate::dataset::Dataset;
use std::path::Path;

/// Reads an SD file.
pub(super) fn read(path: &Path, _options: &ReadOptions) -> Result<Dataset, ReadError> {
    Err(ReadError::Unsupported { path: path.to_owned(), format: Format::Sdf })
}
