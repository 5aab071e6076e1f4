//! Lines of SMILES and a name, without a header: `.smi`.
//!
//! The SMILES ends at the first blank, the rest of the line is the name. Empty lines and lines that
//! start with `#` do not count; a first line that starts with the word `smiles` is taken for a header.
//! There are no targets.

use super::lines::Lines;
use super::molecules::{Row, add_row, parse_rows};
use super::{ReadError, ReadOptions, set_name};
use crate::builder::DatasetBuilder;
use crate::dataset::{Dataset, Origin};
use std::path::Path;

const CHUNK: usize = 1024;

/// Reads a `.smi` file.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    options.targets.choose(path, &[], &[])?;
    let mut lines = Lines::open(path)?;
    let mut builder = DatasetBuilder::new(set_name(path), path, options);
    let mut rows = Vec::with_capacity(CHUNK);
    let mut next = 0;
    loop {
        let more = lines.advance()?;
        if rows.len() == CHUNK || !more {
            for (row, molecule) in rows.iter().zip(parse_rows(&rows, options)) {
                add_row(&mut builder, path, options, &[], row, &molecule)?;
            }
            rows.clear();
        }
        if !more {
            return builder.finish();
        }
        let line = lines.text()?.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (text, id) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if next == 0 && text.eq_ignore_ascii_case("smiles") {
            continue;
        }
        let origin = Origin { row: next, line: lines.number() };
        rows.push(Row { origin, id: id.trim().to_owned(), text: text.to_owned(), cells: Vec::new() });
        next += 1;
    }
}
