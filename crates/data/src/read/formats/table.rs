//! Tables of SMILES: separated by commas, semicolons or tabs, with a header and quoted cells where needed.
//!
//! A `.tsv` table has tabs; else the header says it: what it contains of the three, and of several the one that gives a
//! column with a usual name of SMILES. The SMILES column is the one that the options name, else one with a usual name
//! ([`SMILES_NAMES`]), else the only one whose first values are all molecules; several columns of molecules are
//! refused. A column with the name of an id ([`ID_NAMES`]) names the graphs. Targets are those that the options name;
//! by default the only other column, and none if there are several ([`target_columns`] lists them). An empty cell is a
//! missing value. Rows count from 0, without the header.

mod bytes;

use super::super::Place;
use super::molecules::{Chunk, LONGEST_RECORD, Row, add_rows};
use super::{Format, Lines, ReadError, ReadOptions, Rows, TargetColumns, set_name};
use crate::chem::parse_smiles;
use crate::dataset::Origin;
use crate::read::TargetChoice;
use crate::read::builder::{DatasetBuilder, TargetSlot};
use crate::read::target::TargetKind;
use crate::read::target_columns::{ChosenColumns, only_one};
use bytes::{TableBytes, TooLong};
use csv::ByteRecord;
use einsicht_graph::stop;
use std::io;
use std::path::{Path, PathBuf};

/// Names of SMILES columns, best first; case does not matter.
pub(super) const SMILES_NAMES: [&str; 8] =
    ["smiles", "canonical_smiles", "isomeric_smiles", "smile", "smi", "mol", "structure", "molecule"];
/// Names of columns that name the molecules; case does not matter.
pub(super) const ID_NAMES: [&str; 6] = ["id", "name", "mol_id", "molecule_id", "compound_id", "cid"];

/// Rows that are looked at to find the SMILES column.
const SAMPLE: usize = 10;

struct Columns {
    names: Vec<String>,
    smiles: usize,
    id: Option<usize>,
    /// All columns but the SMILES, by position: whoever names a column gets it, even one that looks like an id.
    others: Vec<usize>,
}

impl Columns {
    fn find(path: &Path, options: &ReadOptions, names: Vec<String>, sample: &[ByteRecord]) -> Result<Self, ReadError> {
        let smiles = match &options.smiles {
            Some(column) => {
                only_one(path, &names, column)?;
                names.iter().position(|name| name == column).ok_or_else(|| unknown(path, column, &names))?
            }
            None => find_smiles(path, &names, sample)?,
        };
        let id = named(&names, &ID_NAMES).filter(|&id| id != smiles);
        let others = (0..names.len()).filter(|&column| column != smiles).collect();
        Ok(Self { names, smiles, id, others })
    }

    /// Refuses the column of the molecules as a target or a feature.
    fn refuse_molecules(&self, path: &Path, options: &ReadOptions) -> Result<(), ReadError> {
        let column = &self.names[self.smiles];
        let targets = if let TargetChoice::Named(names) = &options.targets { &names[..] } else { &[] };
        if self.names.iter().filter(|name| *name == column).count() > 1
            || !targets.iter().chain(&options.features).any(|name| name == column)
        {
            return Ok(());
        }
        Err(ReadError::Molecules { path: path.to_owned(), column: column.clone() })
    }

    fn targets(&self) -> TargetColumns {
        let names = self.others.iter().map(|&column| self.names[column].clone()).collect();
        TargetColumns::with_ids(names, |at| Some(self.others[at]) == self.id)
    }
}

fn unknown(path: &Path, column: &str, names: &[String]) -> ReadError {
    ReadError::UnknownColumn { path: path.to_owned(), column: column.to_owned(), exist: names.to_vec() }
}

/// The first column with the best of these names.
fn named(names: &[String], wanted: &[&str]) -> Option<usize> {
    wanted.iter().find_map(|best| names.iter().position(|name| name.eq_ignore_ascii_case(best)))
}

/// Whether a column is called as those of SMILES are, such as `SMILES` or `Parent SMILES`.
fn is_smiles_name(name: &str) -> bool {
    let name = name.to_lowercase();
    SMILES_NAMES.contains(&name.as_str()) || name.contains("smiles")
}

/// What separates the cells of a table with this header.
fn separator(path: &Path, header: &[u8], options: &ReadOptions) -> Result<u8, ReadError> {
    const KNOWN: [(u8, &str); 3] = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];
    let cells = |separator: u8| {
        let mut reader = csv::ReaderBuilder::new().delimiter(separator).has_headers(false).from_reader(header);
        let mut record = ByteRecord::new();
        reader.read_byte_record(&mut record).is_ok_and(|there| there).then_some(record)
    };
    let there: Vec<_> = KNOWN
        .iter()
        .filter_map(|&(byte, word)| Some((byte, word, cells(byte)?)))
        .filter(|(_, _, record)| record.len() > 1)
        .collect();
    let names_smiles = |record: &ByteRecord| {
        let names = || record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned());
        match &options.smiles {
            Some(wanted) => names().any(|name| name == *wanted),
            None => named(&names().collect::<Vec<_>>(), &SMILES_NAMES).is_some(),
        }
    };
    let of_smiles: Vec<u8> =
        there.iter().filter(|(_, _, record)| names_smiles(record)).map(|(byte, ..)| *byte).collect();
    match (&there[..], &of_smiles[..]) {
        ([], _) => Ok(b','),
        ([(byte, ..)], _) | (_, [byte]) => Ok(*byte),
        _ => {
            let words: Vec<&str> = there.iter().map(|(_, word, _)| *word).collect();
            Err(ReadError::Separator { place: Place::new(path, 1), found: words.join(" and ") })
        }
    }
}

fn find_smiles(path: &Path, names: &[String], sample: &[ByteRecord]) -> Result<usize, ReadError> {
    let is_molecule = |cell: &[u8]| std::str::from_utf8(cell).is_ok_and(|text| parse_smiles(text.trim()).is_ok());
    let holds_molecules = |column: &usize| sample.iter().all(|row| row.get(*column).is_some_and(is_molecule));
    let several = |columns: &[usize]| {
        let columns = columns.iter().map(|&column| names[column].clone()).collect();
        ReadError::SeveralSmiles { path: path.to_owned(), columns }
    };
    let is_usual = |column: &usize| is_smiles_name(&names[*column]);
    let usual: Vec<usize> =
        (0..names.len()).filter(is_usual).filter(|_| !sample.is_empty()).filter(holds_molecules).collect();
    match (&usual[..], named(names, &SMILES_NAMES)) {
        ([], None) => {}
        (&[column], _) | ([], Some(column)) => return Ok(column),
        _ => return Err(several(&usual)),
    }
    let found: Vec<usize> = (0..names.len()).filter(holds_molecules).filter(|&at| !names[at].is_empty()).collect();
    match found.first().copied() {
        // A name that is itself a molecule, over a column of molecules, is the first row and not a name.
        Some(column) if is_molecule(names[column].as_bytes()) => {
            Err(ReadError::NoTableHeader { path: path.to_owned(), found: names.join(", ") })
        }
        Some(_) if found.len() > 1 && !sample.is_empty() => Err(several(&found)),
        Some(column) if !sample.is_empty() => Ok(column),
        _ => Err(unknown(path, SMILES_NAMES[0], names)),
    }
}

/// The records of a table, with our errors.
struct Table {
    path: PathBuf,
    reader: csv::Reader<TableBytes>,
}

impl Table {
    fn new(mut lines: Lines, format: Format, options: &ReadOptions) -> Result<Self, ReadError> {
        let delimiter = if format == Format::Tsv {
            b'\t'
        } else {
            let head = lines.peek()?;
            separator(lines.path(), &head, options)?
        };
        let mut settings = csv::ReaderBuilder::new();
        settings.delimiter(delimiter).has_headers(false).flexible(true);
        let path = lines.path().to_owned();
        Ok(Self { path, reader: settings.from_reader(TableBytes::new(lines, delimiter)) })
    }

    fn next(&mut self, record: &mut ByteRecord) -> Result<bool, ReadError> {
        let before = self.reader.position().line();
        // A molecule takes some microseconds.
        stop::work(256);
        self.reader.get_mut().begin_record();
        let read = self.reader.read_byte_record(record);
        let after = self.reader.position().clone();
        if let Some(line) = self.reader.get_ref().lost_quote().filter(|line| read.is_err() || *line < after.line()) {
            return Err(ReadError::LostQuote { place: Place::new(&self.path, line) });
        }
        let there = read.map_err(|error| {
            let source = match error.into_kind() {
                csv::ErrorKind::Io(source) => source,
                other => io::Error::other(format!("{other:?}")),
            };
            if source.get_ref().and_then(|inner| inner.downcast_ref::<TooLong>()).is_some() {
                return ReadError::LongLine { place: Place::new(&self.path, before), most: LONGEST_RECORD };
            }
            self.reader.get_mut().lines.explain(before, source)
        })?;
        // Where the record starts, behind empty lines; the parser says where those start.
        let lines = record.as_slice().split(|byte| *byte == b'\n').count() as u64;
        let mut start = after;
        start.set_line(start.line().saturating_sub(lines).max(1));
        record.set_position(there.then_some(start));
        Ok(there)
    }

    fn cell<'r>(&self, record: &'r ByteRecord, column: usize) -> Result<&'r str, ReadError> {
        let cell = record.get(column).unwrap_or_default();
        std::str::from_utf8(cell).map_err(|error| {
            let before: usize = record.iter().take(column).map(|cell| cell.len() + 1).sum();
            ReadError::NotUtf8 { place: Place::new(&self.path, line(record)), byte: before + error.valid_up_to() + 1 }
        })
    }

    /// Reads the header and a few rows.
    fn start(&mut self, options: &ReadOptions) -> Result<(Columns, Vec<ByteRecord>), ReadError> {
        let mut record = ByteRecord::new();
        if !self.next(&mut record)? {
            return Err(ReadError::EmptyFile { path: self.path.clone() });
        }
        let names = (0..record.len())
            .map(|column| self.cell(&record, column).map(|name| name.trim().to_owned()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut sample = Vec::new();
        while sample.len() < SAMPLE && self.next(&mut record)? {
            sample.push(record.clone());
        }
        Ok((Columns::find(&self.path, options, names, &sample)?, sample))
    }
}

fn line(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

/// Columns of a table that can be targets.
pub(super) fn target_columns(lines: Lines, format: Format, options: &ReadOptions) -> Result<TargetColumns, ReadError> {
    Ok(Table::new(lines, format, options)?.start(options)?.0.targets())
}

pub(super) struct TableRows<'a> {
    table: Table,
    options: &'a ReadOptions,
    columns: Columns,
    /// Columns of the targets, then of the features; where the targets go.
    chosen: Vec<usize>,
    slots: Vec<TargetSlot>,
    /// Rows that were read to find the columns.
    sample: std::vec::IntoIter<ByteRecord>,
    /// Row of the next record.
    next: u32,
}

pub(super) fn start(
    lines: Lines,
    format: Format,
    options: &ReadOptions,
) -> Result<(TableRows<'_>, DatasetBuilder<'_>), ReadError> {
    let mut table = Table::new(lines, format, options)?;
    let (columns, sample) = table.start(options)?;
    columns.refuse_molecules(&table.path, options)?;
    let ChosenColumns { targets, features } = columns.targets().choose(&table.path, options)?;
    let of_table = |chosen: Vec<usize>| chosen.into_iter().map(|at| columns.others[at]).collect::<Vec<usize>>();
    let (targets, features) = (of_table(targets), of_table(features));
    targets.iter().try_for_each(|&column| only_one(&table.path, &columns.names, &columns.names[column]))?;
    let mut builder = DatasetBuilder::new(set_name(&table.path), &table.path, options);
    builder.set_molecules();
    let slots = targets.iter().map(|&column| builder.add_target(&columns.names[column], TargetKind::Guess)).collect();
    builder.set_features(features.iter().map(|&column| &columns.names[column]));
    let chosen = [targets, features].concat();
    let sample = sample.into_iter();
    Ok((TableRows { table, options, columns, chosen, slots, sample, next: 0 }, builder))
}

impl Rows for TableRows<'_> {
    fn add(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<bool, ReadError> {
        let mut chunk = Chunk::default();
        let more = self.collect(&mut chunk);
        add_rows(builder, &self.table.path, self.options, &self.slots, &chunk.rows)?;
        more
    }
}

impl TableRows<'_> {
    /// Collects rows until there are enough; what came before a failure is there too.
    fn collect(&mut self, chunk: &mut Chunk) -> Result<bool, ReadError> {
        let mut record = ByteRecord::new();
        while !chunk.is_full() {
            match self.sample.next() {
                Some(first) => record = first,
                None if !self.table.next(&mut record)? => return Ok(false),
                None => {}
            }
            let origin = Origin { row: self.next, line: line(&record) };
            self.next += 1;
            if !self.options.takes(origin.row) {
                continue;
            }
            let cell = |column: usize| self.table.cell(&record, column).map(|cell| cell.trim().to_owned());
            let text = cell(self.columns.smiles)?;
            let (found, wanted) = (record.len(), self.columns.names.len());
            if found != wanted {
                chunk.push(Row { origin, text, ragged: Some((found, wanted)), ..Row::default() });
                continue;
            }
            let id = self.columns.id.map_or_else(|| Ok(String::new()), cell)?;
            let cells = self.chosen.iter().map(|&column| cell(column)).collect::<Result<_, _>>()?;
            chunk.push(Row { origin, id, text, cells, ragged: None });
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
