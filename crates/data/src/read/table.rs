//! Tables of SMILES: comma- or tab-separated, with a header and quoted cells where needed.
//!
//! The SMILES column is the one asked for, else one with a usual name ([`SMILES_NAMES`]), else the first
//! whose first values are all molecules. A column with the name of an id ([`ID_NAMES`]) names the graphs.
//! Targets are those asked for; unless said, the only other column, and none if there are several
//! ([`target_columns`] lists them). An empty cell is a missing value. Rows count from 0, without the header.

use super::lines::Lines;
use super::molecules::{Row, add_row, bad_row, parse_rows};
use super::options::TargetChoice;
use super::{Format, Place, ReadError, ReadOptions, set_name};
use crate::builder::{DatasetBuilder, TargetSlot};
use crate::chem::parse_smiles;
use crate::dataset::{Dataset, Origin};
use crate::read::target::Kind;
use csv::ByteRecord;
use std::io::BufRead;
use std::path::Path;

/// Names of SMILES columns, best first; case does not matter.
pub(super) const SMILES_NAMES: [&str; 8] =
    ["smiles", "canonical_smiles", "isomeric_smiles", "smile", "smi", "mol", "structure", "molecule"];
/// Names of columns that name the molecules; case does not matter.
pub(super) const ID_NAMES: [&str; 6] = ["id", "name", "mol_id", "molecule_id", "compound_id", "cid"];

/// Rows that are looked at to find the SMILES column, and rows that are parsed side by side.
const SAMPLE: usize = 10;
const CHUNK: usize = 1024;

/// Which column is what.
struct Columns {
    names: Vec<String>,
    smiles: usize,
    id: Option<usize>,
    /// Columns that `--target '*'` means.
    others: Vec<usize>,
}

impl Columns {
    fn find(path: &Path, options: &ReadOptions, names: Vec<String>, sample: &[ByteRecord]) -> Result<Self, ReadError> {
        let smiles = match &options.smiles {
            Some(wish) => names.iter().position(|name| name == wish).ok_or_else(|| unknown(path, wish, &names))?,
            None => find_smiles(path, &names, sample)?,
        };
        let id = named(&names, &ID_NAMES).filter(|&id| id != smiles);
        let others = (0..names.len()).filter(|&column| column != smiles && Some(column) != id).collect();
        Ok(Self { names, smiles, id, others })
    }

    /// Positions of the targets that are wished for.
    fn targets(&self, path: &Path, choice: &TargetChoice) -> Result<Vec<usize>, ReadError> {
        // Whoever names a column gets it, even if it looks like an id.
        let among: Vec<usize> = match choice {
            TargetChoice::Named(_) => (0..self.names.len()).filter(|&column| column != self.smiles).collect(),
            _ => self.others.clone(),
        };
        let exist: Vec<String> = among.iter().map(|&column| self.names[column].clone()).collect();
        let usual: &[usize] = if among.len() == 1 { &[0] } else { &[] };
        Ok(choice.choose(path, &exist, usual)?.into_iter().map(|at| among[at]).collect())
    }
}

fn unknown(path: &Path, column: &str, names: &[String]) -> ReadError {
    ReadError::UnknownColumn { path: path.to_owned(), column: column.to_owned(), exist: names.to_vec() }
}

/// The first column with the best of these names.
fn named(names: &[String], wanted: &[&str]) -> Option<usize> {
    wanted.iter().find_map(|wish| names.iter().position(|name| name.eq_ignore_ascii_case(wish)))
}

fn find_smiles(path: &Path, names: &[String], sample: &[ByteRecord]) -> Result<usize, ReadError> {
    if let Some(column) = named(names, &SMILES_NAMES) {
        return Ok(column);
    }
    let is_molecule = |cell: &[u8]| std::str::from_utf8(cell).is_ok_and(|text| parse_smiles(text).is_ok());
    let holds_molecules = |column: usize| sample.iter().all(|row| row.get(column).is_some_and(is_molecule));
    let column = (0..names.len()).find(|&column| holds_molecules(column) && !names[column].is_empty());
    match column {
        // A name that is itself a molecule, over a column of molecules, is the first row and not a name.
        Some(column) if is_molecule(names[column].as_bytes()) => {
            Err(ReadError::NoTableHeader { path: path.to_owned(), found: names.join(", ") })
        }
        Some(column) if !sample.is_empty() => Ok(column),
        _ => Err(unknown(path, SMILES_NAMES[0], names)),
    }
}

/// The records of a table, with our errors.
struct Table<'a> {
    path: &'a Path,
    reader: csv::Reader<&'a mut dyn BufRead>,
}

impl<'a> Table<'a> {
    fn new(lines: &'a mut Lines, path: &'a Path, format: Format) -> Self {
        let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
        let mut settings = csv::ReaderBuilder::new();
        settings.delimiter(delimiter).has_headers(false).flexible(true);
        Self { path, reader: settings.from_reader(lines.rest()) }
    }

    /// The next record, or the line and cause of a failure.
    fn next(&mut self, record: &mut ByteRecord) -> Result<bool, (u64, std::io::Error)> {
        let line = self.reader.position().line();
        self.reader.read_byte_record(record).map_err(|error| {
            let source = match error.into_kind() {
                csv::ErrorKind::Io(source) => source,
                other => std::io::Error::other(format!("{other:?}")),
            };
            (line, source)
        })
    }

    fn cell<'r>(&self, record: &'r ByteRecord, column: usize) -> Result<&'r str, ReadError> {
        let cell = record.get(column).unwrap_or_default();
        std::str::from_utf8(cell).map_err(|error| {
            let before: usize = record.iter().take(column).map(|cell| cell.len() + 1).sum();
            ReadError::NotUtf8 { place: Place::new(self.path, line(record)), byte: before + error.valid_up_to() + 1 }
        })
    }
}

fn line(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

/// Columns of a table that can be targets: what to offer when none was chosen.
pub(super) fn target_columns(path: &Path, format: Format, options: &ReadOptions) -> Result<Vec<String>, ReadError> {
    let mut lines = Lines::open(path)?;
    let outcome = {
        let mut table = Table::new(&mut lines, path, format);
        start(&mut table, options)
    };
    let (columns, _) = settle(&mut lines, outcome)?;
    Ok(columns.others.iter().map(|&column| columns.names[column].clone()).collect())
}

/// What can end a pass over a table: our errors, and failures below that still lack their file.
enum Failure {
    Ours(ReadError),
    Below(u64, std::io::Error),
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::Ours(error)
    }
}

impl From<(u64, std::io::Error)> for Failure {
    fn from((line, source): (u64, std::io::Error)) -> Self {
        Self::Below(line, source)
    }
}

fn settle<T>(lines: &mut Lines, outcome: Result<T, Failure>) -> Result<T, ReadError> {
    outcome.map_err(|failure| match failure {
        Failure::Ours(error) => error,
        Failure::Below(line, source) => lines.explain(line, source),
    })
}

/// Reads the header and a few rows.
fn start(table: &mut Table<'_>, options: &ReadOptions) -> Result<(Columns, Vec<ByteRecord>), Failure> {
    let mut record = ByteRecord::new();
    if !table.next(&mut record)? {
        return Err(ReadError::EmptyFile { path: table.path.to_owned() }.into());
    }
    let names = (0..record.len())
        .map(|column| table.cell(&record, column).map(|name| name.trim().to_owned()))
        .collect::<Result<Vec<_>, _>>()?;
    let mut sample = Vec::new();
    while sample.len() < SAMPLE && table.next(&mut record)? {
        sample.push(record.clone());
    }
    Ok((Columns::find(table.path, options, names, &sample)?, sample))
}

/// Reads a table.
pub(super) fn read(path: &Path, format: Format, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let mut lines = Lines::open(path)?;
    let mut builder = DatasetBuilder::new(set_name(path), path, options);
    let outcome = {
        let mut table = Table::new(&mut lines, path, format);
        read_rows(&mut table, options, &mut builder)
    };
    settle(&mut lines, outcome)?;
    builder.finish()
}

fn read_rows(table: &mut Table<'_>, options: &ReadOptions, builder: &mut DatasetBuilder<'_>) -> Result<(), Failure> {
    let path = table.path;
    let (columns, sample) = start(table, options)?;
    let chosen = columns.targets(path, &options.targets)?;
    let slots: Vec<TargetSlot> =
        chosen.iter().map(|&column| builder.add_target(&columns.names[column], Kind::Guess)).collect();
    let mut sample = sample.into_iter();
    let mut record = ByteRecord::new();
    let mut rows: Vec<Row> = Vec::with_capacity(CHUNK);
    let mut next = 0;
    loop {
        let more = match sample.next() {
            Some(first) => {
                record = first;
                true
            }
            None => table.next(&mut record)?,
        };
        let ragged = more && record.len() != columns.names.len();
        if rows.len() == CHUNK || !more || ragged {
            for (row, molecule) in rows.iter().zip(parse_rows(&rows, options)) {
                add_row(builder, path, options, &slots, row, &molecule)?;
            }
            rows.clear();
        }
        if !more {
            return Ok(());
        }
        let cell = |column: usize| table.cell(&record, column).map(|cell| cell.trim().to_owned());
        let origin = Origin { row: next, line: line(&record) };
        next += 1;
        let text = cell(columns.smiles)?;
        if ragged {
            let error = ReadError::FieldCount {
                place: Place::new(path, origin.line),
                what: "cells",
                wanted: columns.names.len(),
                found: record.len(),
            };
            if options.on_bad == super::OnBad::Stop {
                return Err(error.into());
            }
            let reason = format!("there must be {} cells, but there are {}", columns.names.len(), record.len());
            bad_row(builder, path, options, &Row { origin, text, ..Row::default() }, &reason)?;
            continue;
        }
        let id = columns.id.map_or_else(|| Ok(String::new()), cell)?;
        let cells = chosen.iter().map(|&column| cell(column)).collect::<Result<_, _>>()?;
        rows.push(Row { origin, id, text, cells });
    }
}

#[cfg(test)]
mod tests;
