//! Lines of SMILES and a name, without a header: `.smi`.
//!
//! The SMILES ends at the first blank, the rest of the line is the name. Empty lines and lines that start with `#` do
//! not count; a first line that starts with the word `smiles` is taken for a header. There are no targets. Where the
//! first line names columns, separated by tabs, that are more than SMILES and a name, the file is a table
//! ([`is_table`]).

use super::molecules::{Chunk, LONGEST_RECORD, Row, add_rows};
use super::table::{ID_NAMES, SMILES_NAMES};
use super::{Lines, ReadError, ReadOptions, Rows, TargetColumns, set_name};
use crate::dataset::Origin;
use crate::read::builder::DatasetBuilder;

/// Whether the file is a table of tabs, by its first line.
pub(super) fn is_table(lines: &mut Lines) -> Result<bool, ReadError> {
    let head = lines.peek()?;
    let head = String::from_utf8_lossy(&head);
    let names: Vec<&str> = head.trim_start_matches('\u{feff}').split('\t').map(str::trim).collect();
    let is_one_of = |name: &str, known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    let others: Vec<&&str> = names.iter().filter(|name| !is_one_of(name, &SMILES_NAMES)).collect();
    Ok(others.len() + 1 == names.len() && others.iter().any(|name| !is_one_of(name, &ID_NAMES)))
}

/// The rows of a `.smi` file.
pub(super) struct Smi<'a> {
    lines: Lines,
    options: &'a ReadOptions,
    /// Row of the next line.
    next: u32,
}

pub(super) fn start(lines: Lines, options: &ReadOptions) -> Result<(Smi<'_>, DatasetBuilder<'_>), ReadError> {
    let path = lines.path().to_owned();
    TargetColumns::default().choose(&path, options)?;
    let lines = lines.with_longest_line(LONGEST_RECORD);
    let mut builder = DatasetBuilder::new(set_name(&path), path, options);
    builder.set_molecules();
    Ok((Smi { lines, options, next: 0 }, builder))
}

impl Rows for Smi<'_> {
    fn add(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<bool, ReadError> {
        let mut chunk = Chunk::default();
        let more = self.collect(&mut chunk);
        add_rows(builder, self.lines.path(), self.options, &[], &chunk.rows)?;
        more
    }
}

impl Smi<'_> {
    /// Collects rows until there are enough; what came before a failure is there too.
    fn collect(&mut self, chunk: &mut Chunk) -> Result<bool, ReadError> {
        while !chunk.is_full() {
            if !self.lines.advance()? {
                return Ok(false);
            }
            let line = self.lines.text()?.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (text, id) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if self.next == 0 && text.eq_ignore_ascii_case("smiles") {
                continue;
            }
            let origin = Origin { row: self.next, line: self.lines.number() };
            if self.options.takes(origin.row) {
                chunk.push(Row { origin, id: id.trim().to_owned(), text: text.to_owned(), ..Row::default() });
            }
            self.next += 1;
        }
        Ok(true)
    }
}
