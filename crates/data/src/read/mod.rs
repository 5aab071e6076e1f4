//! Every way for graphs to get in: one function, [`read`], for all formats.
//!
//! Promise: bad input gives a [`ReadError`] that names file and line, never a panic. Each format has a file
//! here; what they share is in [`lines`] (bytes to lines) and [`crate::builder`] (words to a data set). A format
//! is a function from a path and [`ReadOptions`] to a [`Dataset`].

pub mod error;
pub mod gspan;
pub mod jsonl;
pub mod lines;
#[cfg(feature = "smiles")]
mod list;
#[cfg(feature = "smiles")]
mod molecules;
pub(crate) mod names;
pub(crate) mod number;
pub mod options;
#[cfg(feature = "smiles")]
mod sdf;
#[cfg(feature = "smiles")]
mod smi;
pub mod stream;
#[cfg(feature = "smiles")]
mod table;
pub mod target;
#[cfg(test)]
mod tests;
mod tu;

use crate::dataset::Dataset;
use lines::Lines;
use std::path::Path;
use stream::{whole, whole_folder};

pub use error::{Place, ReadError};
#[cfg(feature = "smiles")]
pub use list::read_smiles;
pub use options::{
    EdgeLabels, Format, Hydrogens, MoleculeLabels, OnBad, ReadOptions, Shard, TargetChoice, Task, UnknownWord,
    VertexNames,
};
pub use stream::Stream;

/// Reads a data set.
///
/// ```no_run
/// use einsicht_data::read::{ReadOptions, read};
/// let mutag = read("data/MUTAG".as_ref(), &ReadOptions::default())?;
/// println!("{} graphs", mutag.len());
/// # Ok::<(), einsicht_data::read::ReadError>(())
/// ```
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let format = options.format.map_or_else(|| detect(path), Ok)?;
    match format {
        #[cfg(feature = "smiles")]
        Format::Csv | Format::Tsv => whole(table::start(Lines::open(path)?, format, options)?),
        #[cfg(feature = "smiles")]
        Format::Smi => whole(smi::start(Lines::open(path)?, options)?),
        #[cfg(feature = "smiles")]
        Format::Sdf => whole(sdf::start(Lines::open(path)?, options)?),
        Format::Gspan => gspan::parse(Lines::open(path)?, options),
        Format::Tu => whole_folder(path, options),
        Format::Jsonl => jsonl::parse(Lines::open(path)?, options),
        #[cfg(not(feature = "smiles"))]
        Format::Csv | Format::Tsv | Format::Smi | Format::Sdf => {
            Err(ReadError::Unsupported { path: path.to_owned(), format })
        }
    }
}

/// Names of the columns or fields of a file that can be targets, to be offered when none was chosen; empty for
/// formats that do not name them.
pub fn target_names(path: &Path, options: &ReadOptions) -> Result<Vec<String>, ReadError> {
    match options.format.map_or_else(|| detect(path), Ok)? {
        #[cfg(feature = "smiles")]
        format @ (Format::Csv | Format::Tsv) => table::target_columns(path, format, options),
        #[cfg(feature = "smiles")]
        Format::Sdf => sdf::target_fields(path),
        _ => Ok(Vec::new()),
    }
}

/// Tells the format from the kind of path, from its extension (below `.gz`), else from the first line with text.
pub fn detect(path: &Path) -> Result<Format, ReadError> {
    if path.is_dir() {
        return Ok(Format::Tu);
    }
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("csv") => return Ok(Format::Csv),
        Some("tsv") => return Ok(Format::Tsv),
        Some("smi" | "smiles" | "ism") => return Ok(Format::Smi),
        Some("sdf" | "sd" | "mol") => return Ok(Format::Sdf),
        Some("jsonl" | "ndjson") => return Ok(Format::Jsonl),
        Some("gspan" | "tve" | "lg") => return Ok(Format::Gspan),
        _ => {}
    }
    let mut lines = Lines::open(path)?;
    while lines.advance()? {
        match lines.bytes().trim_ascii() {
            [] => {}
            [b't'] | [b't', b' ' | b'\t' | b'#', ..] => return Ok(Format::Gspan),
            [b'{', ..] => return Ok(Format::Jsonl),
            _ => break,
        }
    }
    Err(ReadError::UnknownFormat { path: path.to_owned() })
}

/// A name for people: the file name without folders and extensions.
pub fn set_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}
