//! The bytes of a table on their way to the parser of cells.
//!
//! All line ends become `\n`, also that of the last line, so that the parser counts lines in the same way in all files;
//! and one record may reach only so far, so that no file fills the memory. Quotes are followed, because the parser
//! takes the end of the file for the end of a quoted cell.

use super::super::Lines;
use super::super::molecules::LONGEST_RECORD;
use std::io::{self, Read};

pub(super) struct TableBytes {
    pub(super) lines: Lines,
    delimiter: u8,
    /// Bytes that the current record may still take.
    left: u64,
    cell: Cell,
    /// Line of the next byte.
    line: u64,
    /// Whether the last byte was a `\r` that ended a line: a `\n` behind it belongs to the same line end.
    returned: bool,
    ended: bool,
    lost_quote: Option<u64>,
}

/// Where in a cell the next byte stands, and the line of the quote that opened it.
#[derive(Clone, Copy)]
enum Cell {
    Start,
    Plain,
    Quoted(u64),
    /// Behind a quote, which ends the cell unless it is doubled.
    Closed(u64),
}

/// A record beyond [`LONGEST_RECORD`].
#[derive(Debug, thiserror::Error)]
#[error("a record may have at most {LONGEST_RECORD} bytes")]
pub(super) struct TooLong;

impl TableBytes {
    pub(super) fn new(lines: Lines, delimiter: u8) -> Self {
        let (cell, line, left) = (Cell::Start, 1, LONGEST_RECORD);
        Self { lines, delimiter, left, cell, line, returned: false, ended: false, lost_quote: None }
    }

    /// The next record may have [`LONGEST_RECORD`] bytes.
    pub(super) fn begin_record(&mut self) {
        self.left = LONGEST_RECORD;
    }

    /// Line of the first quote so far that opens a cell and is not closed, or is closed lines later in the middle of a
    /// cell.
    pub(super) fn lost_quote(&self) -> Option<u64> {
        self.lost_quote
    }

    /// The byte that the parser gets for this one.
    fn pass(&mut self, byte: u8) -> Option<u8> {
        let is_quoted = matches!(self.cell, Cell::Quoted(_));
        let is_second = std::mem::replace(&mut self.returned, byte == b'\r' && !is_quoted);
        if is_second && byte == b'\n' {
            return None;
        }
        let byte = if self.returned { b'\n' } else { byte };
        self.cell = match (self.cell, byte) {
            (Cell::Quoted(from), b'"') => Cell::Closed(from),
            (Cell::Quoted(from), _) | (Cell::Closed(from), b'"') => Cell::Quoted(from),
            (_, b'\n') => Cell::Start,
            (_, other) if other == self.delimiter => Cell::Start,
            (Cell::Start, b'"') => Cell::Quoted(self.line),
            // A byte order mark.
            (Cell::Start, 0xef | 0xbb | 0xbf) if self.line == 1 => Cell::Start,
            (Cell::Closed(from), other) if from < self.line && !other.is_ascii_whitespace() => {
                self.lose(from);
                Cell::Plain
            }
            _ => Cell::Plain,
        };
        self.line += u64::from(byte == b'\n');
        Some(byte)
    }

    fn lose(&mut self, quote: u64) {
        self.lost_quote.get_or_insert(quote);
    }
}

impl Read for TableBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !buffer.is_empty() {
            if let (0, Cell::Quoted(from)) = (self.left, self.cell) {
                self.lose(from);
            }
            if self.left == 0 {
                return Err(io::Error::other(TooLong));
            }
            let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
            let read = self.lines.rest().read(&mut buffer[..most])?;
            self.left -= read as u64;
            if read == 0 {
                if let Cell::Quoted(from) = self.cell {
                    self.lose(from);
                }
                self.ended = true;
                buffer[0] = b'\n';
                return Ok(1);
            }
            let mut kept = 0;
            for at in 0..read {
                if let Some(byte) = self.pass(buffer[at]) {
                    buffer[kept] = byte;
                    kept += 1;
                }
            }
            if kept > 0 {
                return Ok(kept);
            }
        }
        Ok(0)
    }
}
