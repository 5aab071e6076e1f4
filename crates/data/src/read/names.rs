//! Names for bare numbers: files of `label name`, and the elements.
//!
//! Each line is a label, white space, and the name, which may hold spaces; empty lines and lines that
//! start with `#` are ignored. Labels that the data do not use may be named, unnamed ones keep their token.

use super::error::ReadError;
use super::lines::Lines;
use super::options::VertexNames;
use einsicht_chem::SYMBOLS;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn read_names(path: &Path) -> Result<BTreeMap<String, String>, ReadError> {
    let mut lines = Lines::open(path)?;
    let mut names = BTreeMap::new();
    while lines.advance()? {
        let line = lines.text()?.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((label, name)) = line.split_once(char::is_whitespace) else {
            return Err(ReadError::BadName { place: lines.place(), found: line.to_owned() });
        };
        if names.insert(label.to_owned(), name.trim_start().to_owned()).is_some() {
            return Err(ReadError::SecondName { place: lines.place(), label: label.to_owned() });
        }
    }
    Ok(names)
}

/// The names of vertex labels that an option names.
pub(crate) fn read_vertex_names(names: &VertexNames) -> Result<BTreeMap<String, String>, ReadError> {
    match names {
        VertexNames::File(path) => read_names(path),
        VertexNames::AtomicNumbers => {
            Ok(SYMBOLS.iter().enumerate().map(|(number, symbol)| (number.to_string(), (*symbol).to_owned())).collect())
        }
    }
}
