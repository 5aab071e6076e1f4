//! Lines of a file, gzipped or not, with their numbers.
//!
//! Promise: whatever the bytes, reading ends with lines or with a [`ReadError`] that names file and line,
//! and memory stays below one line of at most [`LONGEST_LINE`] bytes. Gzip is recognised by its first
//! bytes, not by the name; line ends may be `\n` or `\r\n`; a byte order mark is skipped.
//! An empty file is refused here, once for all formats.

use super::error::{Place, ReadError};
use einsicht_graph::stop;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// Longer lines are refused, so that a hostile file cannot exhaust the memory.
pub(crate) const LONGEST_LINE: u64 = 1 << 28;

const BUFFER: usize = 1 << 16;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A cursor over the lines of a file: [`Lines::advance`], then look at [`Lines::bytes`] or [`Lines::text`].
pub(crate) struct Lines {
    path: PathBuf,
    input: Box<dyn BufRead>,
    gzip: bool,
    line: Vec<u8>,
    number: u64,
    longest: u64,
    is_file: bool,
}

impl Lines {
    pub(crate) fn open(path: &Path) -> Result<Self, ReadError> {
        if path.is_dir() {
            return Err(ReadError::IsFolder { path: path.to_owned() });
        }
        let file = File::open(path).map_err(|source| ReadError::Open { path: path.to_owned(), source })?;
        Ok(Self { is_file: true, ..Self::new(path, file)? })
    }

    /// Reads from any source; `path` is its name in errors.
    pub(crate) fn new(path: &Path, input: impl Read + 'static) -> Result<Self, ReadError> {
        let mut input = BufReader::with_capacity(BUFFER, input);
        // A pipe may hand out a single byte at first, so the two bytes are read, not peeked at.
        let mut magic = Vec::new();
        let read = input.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut magic);
        read.map_err(|source| ReadError::Read { place: Place::new(path, 0), source })?;
        if magic.is_empty() {
            return Err(ReadError::EmptyFile { path: path.to_owned() });
        }
        let gzip = magic == GZIP_MAGIC;
        let input = Cursor::new(magic).chain(input);
        let input: Box<dyn BufRead> =
            if gzip { Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(input))) } else { Box::new(input) };
        Ok(Self {
            path: path.to_owned(),
            input,
            gzip,
            line: Vec::new(),
            number: 0,
            longest: LONGEST_LINE,
            is_file: false,
        })
    }

    /// Whether there is a file of this path, which can be read again.
    pub(crate) fn is_file(&self) -> bool {
        self.is_file
    }

    /// Lowers or raises the limit on the length of a line.
    #[must_use]
    pub(crate) fn with_longest_line(mut self, bytes: u64) -> Self {
        self.longest = bytes;
        self
    }

    /// Moves to the next line and returns whether there is one.
    pub(crate) fn advance(&mut self) -> Result<bool, ReadError> {
        self.line.clear();
        let mut limited = (&mut self.input).take(self.longest + 1);
        let read = limited.read_until(b'\n', &mut self.line);
        self.number += 1;
        let length = read.map_err(|source| self.failed(source))?;
        stop::work(1 + length / 4);
        if length as u64 > self.longest {
            return Err(ReadError::LongLine { place: self.place(), most: self.longest });
        }
        if length == 0 {
            self.number -= 1;
            if self.number == 0 {
                return Err(ReadError::EmptyFile { path: self.path.clone() });
            }
            return Ok(false);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(true)
    }

    fn failed(&self, source: io::Error) -> ReadError {
        let place = self.place();
        match source.kind() {
            io::ErrorKind::UnexpectedEof if self.gzip => ReadError::TruncatedGzip { place },
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput if self.gzip => {
                ReadError::CorruptGzip { place, source }
            }
            _ => ReadError::Read { place, source },
        }
    }

    /// The current line without its end.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.line
    }

    /// The current line as text.
    pub(crate) fn text(&self) -> Result<&str, ReadError> {
        std::str::from_utf8(&self.line)
            .map_err(|error| ReadError::NotUtf8 { place: self.place(), byte: error.valid_up_to() + 1 })
    }

    /// Number of the current line, from 1; after the last one, how many there were.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Where the current line stands.
    pub(crate) fn place(&self) -> Place {
        Place::new(&self.path, self.number)
    }

    /// The name of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next line as it is, with its end; it stays to be read. Empty at the end.
    pub(crate) fn peek(&mut self) -> Result<Vec<u8>, ReadError> {
        let mut line = Vec::new();
        let read = (&mut self.input).take(self.longest + 1).read_until(b'\n', &mut line);
        read.map_err(|source| self.failed(source))?;
        let rest = std::mem::replace(&mut self.input, Box::new(io::empty()));
        self.input = Box::new(Cursor::new(line.clone()).chain(rest));
        Ok(line)
    }

    /// Everything from the current position on, for formats that are not made of lines (quoted tables).
    /// What goes wrong there arrives as an [`io::Error`]; [`Lines::explain`] turns it into ours.
    pub(crate) fn rest(&mut self) -> &mut dyn BufRead {
        &mut *self.input
    }

    /// The [`ReadError`] of an [`io::Error`] that came out of [`Lines::rest`] at this line.
    pub(crate) fn explain(&mut self, line: u64, source: io::Error) -> ReadError {
        self.number = line;
        self.failed(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn lines(bytes: impl Into<Vec<u8>>) -> Result<Vec<String>, ReadError> {
        let mut lines = Lines::new(Path::new("x"), Cursor::new(bytes.into()))?;
        let mut all = Vec::new();
        while lines.advance()? {
            all.push(lines.text()?.to_owned());
        }
        Ok(all)
    }

    #[test]
    fn line_ends_and_byte_order_marks_do_not_show() {
        assert_eq!(lines("\u{feff}a\r\n\nb").unwrap(), ["a", "", "b"]);
        assert_eq!(lines("a").unwrap(), ["a"]);
    }

    #[test]
    fn gzip_is_recognised_by_its_bytes_and_members_are_joined() {
        let mut two = gzip(b"a\nb");
        two.extend(gzip(b"c\n"));
        assert_eq!(lines(two).unwrap(), ["a", "bc"]);
    }

    #[test]
    fn a_file_without_bytes_is_refused_gzipped_or_not() {
        assert_eq!(lines("").unwrap_err().to_string(), "x: must not be empty, but has 0 bytes");
        assert_eq!(lines(gzip(b"")).unwrap_err().to_string(), "x: must not be empty, but has 0 bytes");
    }

    #[test]
    fn gzip_cut_anywhere_is_refused() {
        let whole = gzip(b"some\nlines\n");
        for cut in 2..whole.len() {
            assert!(matches!(lines(&whole[..cut]), Err(ReadError::TruncatedGzip { .. })), "cut at {cut}");
        }
    }

    #[test]
    fn damaged_gzip_is_refused() {
        let mut bytes = gzip(b"some\nlines\n");
        let last = bytes.len() - 6;
        bytes[last] ^= 0xff;
        assert!(matches!(lines(bytes), Err(ReadError::CorruptGzip { .. })));
    }

    #[test]
    fn text_that_is_not_utf8_is_refused_with_line_and_byte() {
        let error = lines(&b"a\nbc\xff\n"[..]).unwrap_err().to_string();
        assert_eq!(error, "x:2: text must be UTF-8, but byte 3 of this line is not");
    }
}
