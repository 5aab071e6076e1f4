//! Reading graphs with their targets: one function, [`read`], for all formats.
//!
//! Promise: bad input gives a [`ReadError`] that names file and line, never a panic. Each format is a file in
//! `formats/`, whose `mod.rs` chooses among them; they share `lines` (bytes to lines) and [`crate::DatasetBuilder`]
//! (words to a data set). [`target_columns`] tells what can be read before anything is read.

pub(crate) mod builder;
mod error;
mod formats;
pub(crate) mod lines;
pub(crate) mod names;
pub(crate) mod number;
pub(crate) mod options;
mod stream;
pub(crate) mod target;
mod target_columns;
#[cfg(test)]
mod tests;

use crate::dataset::Dataset;
use lines::Lines;
use std::io::{Cursor, Read};
use std::path::Path;

pub use crate::reading::{Reading, ReadingDifference, ReadingError};
pub use error::{Place, ReadError};
pub use formats::{read_smiles, read_smiles_with};
pub use options::{
    Coordinates, EdgeLabels, Format, Hydrogens, MoleculeLabels, OnBad, OnBadTarget, ReadOptions, Shard, TargetChoice,
    Task, UnknownWord, VertexNames,
};
pub use stream::Stream;
pub use target::{WholeNumbers, target_of_values};
pub use target_columns::TargetColumns;

/// Reads a data set.
///
/// ```no_run
/// use einsicht_data::read::{ReadOptions, read};
/// let mutag = read("data/MUTAG".as_ref(), &ReadOptions::default())?;
/// println!("{} graphs", mutag.len());
/// # Ok::<(), einsicht_data::read::ReadError>(())
/// ```
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    match options.format.map_or_else(|| formats::detect(path), Ok)? {
        format if format.is_folder() => formats::read_folder(path, options),
        format => formats::read_all(formats::open(Lines::open(path)?, format, options)?),
    }
}

/// Reads a data set from any source, such as bytes in memory; `path` is its name in errors. The options must name the
/// format, which cannot be that of a folder.
///
/// ```
/// use einsicht_data::read::{Format, ReadOptions, read_from};
/// let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
/// let dataset = read_from("memory".as_ref(), &b"t # 0\nv 0 C\nv 1 O\ne 0 1 double\n"[..], &options)?;
/// assert_eq!(dataset.vertex_labels.tokens(), ["C", "O"]);
/// # Ok::<(), einsicht_data::read::ReadError>(())
/// ```
pub fn read_from(path: &Path, input: impl Read + 'static, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let Some(format) = options.format else { return Err(ReadError::UnknownFormat { path: path.to_owned() }) };
    formats::read_all(formats::open(Lines::new(path, input)?, format, options)?)
}

/// The data set that [`crate::write::to_jsonl`] wrote. The bytes are in memory already, so that a line may have any
/// length.
pub fn from_jsonl(name: &Path, bytes: Vec<u8>) -> Result<Dataset, ReadError> {
    let lines = Lines::new(name, Cursor::new(bytes))?.with_longest_line(u64::MAX - 1);
    formats::read_all(formats::open(lines, Format::Jsonl, &ReadOptions::default())?)
}

/// The columns of a source that can be targets, from its header alone (an SD file has none, and is read through).
///
/// With them a caller decides what to ask for, and reads once.
pub fn target_columns(path: &Path, options: &ReadOptions) -> Result<TargetColumns, ReadError> {
    formats::target_columns(path, options)
}

/// A name for people: the file name without folders and extensions.
fn set_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}
