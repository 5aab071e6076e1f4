//! SD files: mol blocks with data fields, V2000 or V3000, each record ended by `$$$$`.
//!
//! The title line names the graph. Data fields are like the columns of a table: by default the
//! only one is the target; an absent or empty field is a missing value. The fields are found in a pass of
//! their own, because any record may bring a new one. A file that ends without `$$$$` (a `.mol`) is one
//! record more.

use super::super::options::{Hydrogens, TargetChoice};
use super::molecules::{Row, add_row};
use super::table::ID_NAMES;
use super::{Lines, ReadError, ReadOptions, Rows, TargetColumns, set_name};
use crate::chem::parse_mol_block;
use crate::dataset::Origin;
use crate::read::builder::{DatasetBuilder, TargetSlot};
use crate::read::target::TargetKind;
use crate::read::target_columns::ChosenColumns;
use std::path::Path;

/// Further lines of a block and further bytes of a field are not kept, so that a file without ends cannot
/// fill the memory. No molecule that can be read and no value of a target is that long.
const MOST_LINES: usize = 100_000;
const MOST_BYTES: usize = 100_000;

/// One record: a mol block and its data fields.
#[derive(Default)]
struct Record {
    /// Line of the file where it starts.
    line: u64,
    block: Vec<String>,
    fields: Vec<(String, String)>,
}

impl Record {
    /// Reads the next record into this one and says whether there was one.
    fn next(&mut self, lines: &mut Lines) -> Result<bool, ReadError> {
        *self = Self { line: lines.number() + 1, ..Self::default() };
        let mut in_field = false;
        loop {
            if !lines.advance()? {
                // What is left after the last record must hold more than empty lines.
                return Ok(self.block.iter().any(|line| !line.trim().is_empty()));
            }
            let line = lines.text()?;
            if line.starts_with("$$$$") {
                return Ok(true);
            }
            if let Some(name) = field_name(line) {
                self.fields.push((name.to_owned(), String::new()));
                in_field = true;
            } else if !in_field && self.fields.is_empty() {
                if self.block.len() < MOST_LINES {
                    self.block.push(line.to_owned());
                }
            } else if line.trim().is_empty() {
                in_field = false;
            } else if let (true, Some((_, value))) = (in_field, self.fields.last_mut())
                && value.len() < MOST_BYTES
            {
                if !value.is_empty() {
                    value.push('\n');
                }
                value.push_str(line.trim());
            }
        }
    }
}

/// The name in `>  <NAME>`.
fn field_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('>')?;
    let (_, name) = rest.split_once('<')?;
    Some(name.rsplit_once('>')?.0.trim())
}

/// Names of all data fields, in the order in which they first come.
fn field_names(path: &Path) -> Result<Vec<String>, ReadError> {
    let mut lines = Lines::open(path)?;
    let mut names: Vec<String> = Vec::new();
    while lines.advance()? {
        if let Some(name) = std::str::from_utf8(lines.bytes()).ok().and_then(field_name)
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Data fields that can be targets.
pub(super) fn target_columns(path: &Path) -> Result<TargetColumns, ReadError> {
    let names = field_names(path)?;
    let is_id: Vec<bool> = names.iter().map(|name| ID_NAMES.iter().any(|id| name.eq_ignore_ascii_case(id))).collect();
    Ok(TargetColumns::with_ids(names, |at| is_id[at]))
}

/// The fields of the targets and of the features.
fn chosen_fields(lines: &Lines, options: &ReadOptions) -> Result<[Vec<String>; 2], ReadError> {
    let path = lines.path();
    // Saves a pass over the file.
    if options.targets == TargetChoice::Nothing && options.features.is_empty() {
        return Ok([Vec::new(), Vec::new()]);
    }
    if !lines.is_file() {
        // Where none are named, there are none: those of an SD file are never targets by default.
        return match options.targets {
            TargetChoice::Usual if options.features.is_empty() => Ok([Vec::new(), Vec::new()]),
            _ => Err(ReadError::IsStream { path: path.to_owned() }),
        };
    }
    let columns = target_columns(path)?;
    let ChosenColumns { targets, features } = columns.choose(path, options)?;
    Ok([targets, features].map(|chosen| chosen.into_iter().map(|at| columns.names()[at].clone()).collect()))
}

/// The records of an SD file.
pub(super) struct SdfRows<'a> {
    lines: Lines,
    options: &'a ReadOptions,
    /// Data fields of the targets, then of the features; where the targets go.
    names: Vec<String>,
    slots: Vec<TargetSlot>,
    record: Record,
    /// Row of the next record.
    next: u32,
}

/// Starts to read. Targets, unless there are none, are looked for in the file first.
pub(super) fn start(lines: Lines, options: &ReadOptions) -> Result<(SdfRows<'_>, DatasetBuilder<'_>), ReadError> {
    let path = lines.path().to_owned();
    let [targets, features] = chosen_fields(&lines, options)?;
    let mut builder = DatasetBuilder::new(set_name(&path), path, options);
    builder.set_molecules();
    let slots = targets.iter().map(|name| builder.add_target(name, TargetKind::Guess)).collect();
    builder.set_features(&features);
    let names = [targets, features].concat();
    Ok((SdfRows { lines, options, names, slots, record: Record::default(), next: 0 }, builder))
}

impl Rows for SdfRows<'_> {
    fn add(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<bool, ReadError> {
        let record = &mut self.record;
        if !record.next(&mut self.lines)? {
            return Ok(false);
        }
        let origin = Origin { row: self.next, line: record.line };
        self.next += 1;
        if !self.options.takes(origin.row) {
            return Ok(true);
        }
        let title = record.block.first().map(|title| title.trim()).unwrap_or_default();
        let value = |name: &String| {
            let found = record.fields.iter().find(|(field, _)| field == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let cells = self.names.iter().map(value).collect();
        let row = Row { origin, id: title.to_owned(), text: title.to_owned(), cells, ragged: None };
        let keep_hydrogens = self.options.hydrogens == Some(Hydrogens::Keep);
        let molecule = parse_mol_block(&record.block, keep_hydrogens).map_err(|error| error.to_string());
        add_row(builder, self.lines.path(), self.options, &self.slots, &row, &molecule)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
