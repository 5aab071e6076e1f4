//! Files of a TU folder with one item per line: labels, or rows of numbers.

use crate::dataset::interner::Interner;
use crate::read::lines::Lines;
use crate::read::number::{is_whole, parse_real, show};
use crate::read::{Place, ReadError};
use std::path::{Path, PathBuf};

pub(super) fn check_lines(path: &Path, of: &'static str, wanted: u64, lines: u64) -> Result<(), ReadError> {
    if lines == wanted { Ok(()) } else { Err(ReadError::LineCount { path: path.to_owned(), of, wanted, lines }) }
}

/// One word per line, each stored once.
pub(super) struct Words {
    path: PathBuf,
    distinct: Interner,
    lines: Vec<u32>,
}

impl Words {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), distinct: Interner::default(), lines: Vec::new() }
    }

    /// Reads labels: whole numbers, or several with commas between them.
    pub(super) fn read(path: &Path, what: &'static str) -> Result<Self, ReadError> {
        let mut read = Self::new(path);
        let mut joined = String::new();
        each_line(path, |lines, line| {
            joined.clear();
            for part in line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                if !is_whole(part) {
                    let (place, found) = (lines.place(), show(line));
                    return Err(ReadError::NotANumber { place, what, kind: "whole number", found });
                }
                if !joined.is_empty() {
                    joined.push(',');
                }
                joined.extend(part.iter().map(|&byte| char::from(byte)));
            }
            read.lines.push(read.distinct.intern(&joined));
            Ok(())
        })?;
        Ok(read)
    }

    /// Reads one number per line, `nan` if missing, and returns whether all are whole.
    pub(super) fn read_reals(path: &Path, what: &'static str) -> Result<(Self, bool), ReadError> {
        let mut read = Self::new(path);
        let mut all_whole = true;
        each_line(path, |lines, line| {
            if !is_whole(line) && !line.eq_ignore_ascii_case(b"nan") {
                all_whole &= parse_real(line, what, || lines.place())?.fract() == 0.0;
            }
            read.push(line);
            Ok(())
        })?;
        Ok((read, all_whole))
    }

    /// Reads numbers with commas between them, column by column.
    pub(super) fn read_columns(path: &Path) -> Result<Vec<Self>, ReadError> {
        let mut columns: Vec<Self> = Vec::new();
        each_line(path, |lines, line| {
            let wanted = line.split(|&byte| byte == b',').count();
            if columns.is_empty() {
                columns.extend((0..wanted).map(|_| Self::new(path)));
            }
            check_fields(lines, "attributes of a graph", columns.len(), wanted)?;
            for (column, field) in columns.iter_mut().zip(line.split(|&byte| byte == b',')) {
                let field = field.trim_ascii();
                if !field.eq_ignore_ascii_case(b"nan") {
                    parse_real(field, "an attribute of a graph", || lines.place())?;
                }
                column.push(field);
            }
            Ok(())
        })?;
        Ok(columns)
    }

    fn push(&mut self, word: &[u8]) {
        self.lines.push(self.distinct.intern(&String::from_utf8_lossy(word)));
    }

    pub(super) fn word(&self, line: usize) -> &str {
        &self.distinct.words()[self.lines[line] as usize]
    }

    pub(super) fn count(&self) -> (&Path, u64) {
        (&self.path, self.lines.len() as u64)
    }
}

/// Real numbers, the same number per line.
pub(super) struct Reals {
    path: PathBuf,
    pub(super) columns: usize,
    values: Vec<f64>,
}

impl Reals {
    pub(super) fn read(path: &Path) -> Result<Self, ReadError> {
        let mut read = Self { path: path.to_owned(), columns: 0, values: Vec::new() };
        each_line(path, |lines, line| {
            let before = read.values.len();
            for field in line.split(|&byte| byte == b',') {
                let value = parse_real(field.trim_ascii(), "an attribute of a vertex", || lines.place())?;
                read.values.push(value);
            }
            let found = read.values.len() - before;
            if before == 0 {
                read.columns = found;
            }
            check_fields(lines, "attributes of a vertex", read.columns, found)
        })?;
        Ok(read)
    }

    pub(super) fn row(&self, line: usize) -> &[f64] {
        &self.values[line * self.columns..(line + 1) * self.columns]
    }

    pub(super) fn count(&self) -> (&Path, u64) {
        (&self.path, (self.values.len() / self.columns.max(1)) as u64)
    }
}

/// Number of columns, from the first line with text.
pub(super) fn count_columns(path: &Path) -> Result<usize, ReadError> {
    let mut lines = Lines::open(path)?;
    while lines.advance()? {
        let line = lines.bytes().trim_ascii();
        if !line.is_empty() {
            return Ok(line.split(|&byte| byte == b',').count());
        }
    }
    Ok(0)
}

fn check_fields(lines: &Lines, what: &'static str, wanted: usize, found: usize) -> Result<(), ReadError> {
    if wanted == found { Ok(()) } else { Err(ReadError::FieldCount { place: lines.place(), what, wanted, found }) }
}

/// Hands every line, without white space around it, to `use_line` and counts them. Empty lines at the end of the file
/// do not count; one in the middle is handed on, to be refused.
pub(super) fn each_line(
    path: &Path,
    mut use_line: impl FnMut(&Lines, &[u8]) -> Result<(), ReadError>,
) -> Result<u64, ReadError> {
    let mut lines = Lines::open(path)?;
    let mut empty_line: Option<Place> = None;
    let mut count = 0;
    while lines.advance()? {
        let line = lines.bytes().trim_ascii();
        if line.is_empty() {
            empty_line.get_or_insert_with(|| lines.place());
            continue;
        }
        if let Some(place) = empty_line {
            return Err(ReadError::NotANumber { place, what: "each line", kind: "number", found: String::new() });
        }
        count += 1;
        use_line(&lines, line)?;
    }
    Ok(count)
}
