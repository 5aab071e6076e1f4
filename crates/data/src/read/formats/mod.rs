//! The file formats, one file each, and the only place that chooses among them.
//!
//! A format is a [`Rows`]: it hands its graphs to a [`DatasetBuilder`] a few at a time. [`open`] starts one, for
//! reading all of a source ([`read_all`]) and for reading it in parts ([`super::Stream`]); [`target_columns`] asks for
//! its targets first. A TU folder is several files and is read whole. To add a format: see ARCHITECTURE.md.
//! Molecules share `molecules`; `smi`, `smiles_list` (no file: strings in memory) and `table` are lists of SMILES.

mod gspan;
mod jsonl;
mod molecules;
mod sdf;
mod smi;
mod smiles_list;
mod table;
mod tu;

use super::lines::Lines;
use super::options::{Format, OnBad, ReadOptions};
use super::target_columns::TargetColumns;
use super::{Place, ReadError, set_name};
use crate::dataset::features::FeatureError;
use crate::dataset::{Dataset, Origin};
use crate::read::builder::DatasetBuilder;
use std::path::Path;

pub use smiles_list::{read_smiles, read_smiles_with};

/// A source that hands its rows to a builder, a few at a time.
pub(super) trait Rows {
    /// Adds the next row, or some rows, and returns whether there may be more. What came before a failure is added.
    fn add(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<bool, ReadError>;

    /// The data set of all rows, when all are added.
    fn finish(&self, builder: DatasetBuilder<'_>) -> Result<Dataset, ReadError> {
        builder.finish()
    }
}

/// A format that has been started, and the builder that it fills.
pub(super) type Started<'a> = (Box<dyn Rows + 'a>, DatasetBuilder<'a>);

/// Detects the format from the kind of path, from its extension (below `.gz`), else from the first line with text.
pub(super) fn detect(path: &Path) -> Result<Format, ReadError> {
    if path.is_dir() {
        return Ok(Format::Tu);
    }
    if let Some(format) = Format::of_name(path) {
        return Ok(format);
    }
    let mut lines = Lines::open(path)?;
    while lines.advance()? {
        match lines.bytes().trim_ascii() {
            [] => {}
            [b't'] | [b't', b' ' | b'\t' | b'#', ..] => return Ok(Format::Gspan),
            [b'{', ..] => return Ok(Format::Jsonl),
            line if is_model(line) => return Err(ReadError::IsModel { path: path.to_owned() }),
            _ => break,
        }
    }
    Err(ReadError::UnknownFormat { path: path.to_owned() })
}

/// Whether a file starts as a model does: a safetensors file with our metadata, behind the length of its header.
fn is_model(line: &[u8]) -> bool {
    line.windows(MODEL.len()).take(9).any(|bytes| bytes == MODEL)
}

/// How the header of a model starts.
const MODEL: &[u8] = br#"{"__metadata__":{"einsicht":"#;

/// Starts to read a format that is made of lines.
pub(super) fn open(mut lines: Lines, format: Format, options: &ReadOptions) -> Result<Started<'_>, ReadError> {
    fn boxed<'a>((rows, builder): (impl Rows + 'a, DatasetBuilder<'a>)) -> Started<'a> {
        (Box::new(rows), builder)
    }
    Ok(match settled_format(format, &mut lines)? {
        Format::Gspan => boxed(gspan::start(lines, options)?),
        Format::Jsonl => boxed(jsonl::start(lines, options)?),
        Format::Csv | Format::Tsv => boxed(table::start(lines, format, options)?),
        Format::Smi => boxed(smi::start(lines, options)?),
        Format::Sdf => boxed(sdf::start(lines, options)?),
        Format::Tu => return Err(ReadError::IsFile { path: lines.path().to_owned() }),
    })
}

/// The format by which the lines are read: those of SMILES may be a table.
fn settled_format(format: Format, lines: &mut Lines) -> Result<Format, ReadError> {
    if format == Format::Smi && smi::is_table(lines)? {
        return Ok(Format::Tsv);
    }
    Ok(format)
}

/// Stops at a row with a feature that is no number, or skips it.
fn bad_feature(
    builder: &mut DatasetBuilder<'_>,
    path: &Path,
    options: &ReadOptions,
    origin: Origin,
    source: FeatureError,
) -> Result<(), ReadError> {
    if options.on_bad == OnBad::Stop {
        return Err(ReadError::Feature { place: Place::new(path, origin.line), row: origin.row, source });
    }
    builder.skip(origin, source.to_string());
    Ok(())
}

/// All rows as one data set.
pub(super) fn read_all((mut rows, mut builder): Started<'_>) -> Result<Dataset, ReadError> {
    while rows.add(&mut builder)? {}
    rows.finish(builder)
}

/// All graphs of a TU folder that the options ask for.
pub(super) fn read_folder(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let dataset = tu::read(path, options)?;
    if options.shard.is_none() {
        return Ok(dataset);
    }
    let kept: Vec<usize> = (0..dataset.len()).filter(|&at| options.takes(dataset.origins[at].row)).collect();
    Ok(dataset.subset(&kept))
}

/// The columns of a source that can be targets. Reads the header; of an SD file, which has none, all of it.
pub(super) fn target_columns(path: &Path, options: &ReadOptions) -> Result<TargetColumns, ReadError> {
    let format = options.format.map_or_else(|| detect(path), Ok)?;
    match format {
        Format::Gspan => Ok(gspan::target_columns()),
        Format::Jsonl => jsonl::target_columns(Lines::open(path)?),
        Format::Tu => tu::target_columns(path),
        Format::Csv | Format::Tsv => table::target_columns(Lines::open(path)?, format, options),
        Format::Smi => {
            let mut lines = Lines::open(path)?;
            match settled_format(format, &mut lines)? {
                Format::Tsv => table::target_columns(lines, Format::Tsv, options),
                _ => Ok(TargetColumns::default()),
            }
        }
        Format::Sdf => sdf::target_columns(path),
    }
}
