//! Numbers, floats, patterns and lists of rows as bytes.
//!
//! Whole numbers are written in [`leb128`]; floats as eight bytes, little endian; increasing rows as their gaps, or as
//! a bit each where they are many. Promise: what is written reads back equal, and bytes that are none are refused with
//! the reason, never with a panic.

use crate::code_tuples::from_steps;
use einsicht_graph::{DfsCode, DfsEdge, Label, Qualifier, Step, leb128};

/// Why bytes cannot be read.
pub(super) type Broken = &'static str;

const SHORT: Broken = "the message is shorter than it says";

/// Bytes that are being written.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn number(&mut self, number: u64) {
        leb128::push(&mut self.0, number);
    }

    pub(super) fn floats(&mut self, floats: &[f64]) {
        self.0.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
    }

    /// Numbers with their count.
    pub(super) fn numbers(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u64);
        for &number in numbers {
            self.number(number.into());
        }
    }

    /// Increasing rows, with their count.
    pub(super) fn rows(&mut self, rows: &[u32]) {
        self.number(rows.len() as u64);
        let bytes = rows.last().map_or(0, |last| *last as usize / 8 + 1);
        self.byte(u8::from(bytes < rows.len()));
        if bytes < rows.len() {
            self.number(bytes as u64);
            let start = self.0.len();
            self.0.resize(start + bytes, 0);
            for &row in rows {
                self.0[start + row as usize / 8] |= 1 << (row % 8);
            }
            return;
        }
        let mut next = 0;
        for &row in rows {
            self.number(u64::from(row) - next);
            next = u64::from(row) + 1;
        }
    }

    pub(super) fn step(&mut self, step: Step) {
        match step {
            Step::Vertex(label) => {
                self.byte(0);
                self.number(label.0.into());
            }
            Step::Qualifier(Qualifier { vertex, value }) => {
                self.byte(1);
                self.number(vertex.into());
                self.number(value.into());
            }
            Step::Edge(DfsEdge { from, to, from_label, edge_label, to_label }) => {
                self.byte(2);
                for number in [from, to, from_label.0, edge_label.0, to_label.0] {
                    self.number(number.into());
                }
            }
        }
    }

    pub(super) fn codes(&mut self, codes: &[DfsCode]) {
        self.number(codes.len() as u64);
        for code in codes {
            self.number(code.steps().count() as u64);
            code.steps().for_each(|step| self.step(step));
        }
    }
}

/// Bytes that are being read.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    pub(super) fn byte(&mut self) -> Result<u8, Broken> {
        let (&byte, rest) = self.0.split_first().ok_or(SHORT)?;
        self.0 = rest;
        Ok(byte)
    }

    pub(super) fn number(&mut self) -> Result<u64, Broken> {
        leb128::take(&mut self.0).ok_or("a number ends early or has too many bytes")
    }

    pub(super) fn small(&mut self) -> Result<u32, Broken> {
        u32::try_from(self.number()?).map_err(|_| "a number is too large")
    }

    /// The length of a list whose items have at least one byte each.
    pub(super) fn len(&mut self) -> Result<usize, Broken> {
        let len = usize::try_from(self.number()?).map_err(|_| SHORT)?;
        if len <= self.0.len() { Ok(len) } else { Err(SHORT) }
    }

    pub(super) fn floats(&mut self, count: usize) -> Result<Vec<f64>, Broken> {
        let bytes = count.checked_mul(8).ok_or(SHORT)?;
        let (floats, rest) = self.0.split_at_checked(bytes).ok_or(SHORT)?;
        self.0 = rest;
        Ok(floats.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    pub(super) fn numbers(&mut self) -> Result<Vec<u32>, Broken> {
        let len = self.len()?;
        (0..len).map(|_| self.small()).collect()
    }

    pub(super) fn rows(&mut self) -> Result<Vec<u32>, Broken> {
        let len = self.number()?;
        if self.byte()? != 0 {
            let bytes = self.len()?;
            let (bits, rest) = self.0.split_at(bytes);
            self.0 = rest;
            let of_byte = |(at, byte): (usize, &u8)| {
                let byte = *byte;
                (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| 8 * at as u32 + bit)
            };
            let rows: Vec<u32> = bits.iter().enumerate().flat_map(of_byte).collect();
            return if rows.len() as u64 == len {
                Ok(rows)
            } else {
                Err("there are more rows, or fewer, than it says")
            };
        }
        let len = usize::try_from(len).ok().filter(|len| *len <= self.0.len()).ok_or(SHORT)?;
        let mut rows = Vec::with_capacity(len);
        let mut next: u64 = 0;
        for _ in 0..len {
            let row = next.checked_add(self.number()?).ok_or("a row is too large")?;
            rows.push(u32::try_from(row).map_err(|_| "a row is too large")?);
            next = row + 1;
        }
        Ok(rows)
    }

    pub(super) fn step(&mut self) -> Result<Step, Broken> {
        Ok(match self.byte()? {
            0 => Step::Vertex(Label(self.small()?)),
            1 => Step::Qualifier(Qualifier { vertex: self.small()?, value: self.small()? }),
            2 => {
                let (from, to) = (self.small()?, self.small()?);
                let (from_label, edge_label, to_label) =
                    (Label(self.small()?), Label(self.small()?), Label(self.small()?));
                Step::Edge(DfsEdge { from, to, from_label, edge_label, to_label })
            }
            _ => return Err("there is no such step"),
        })
    }

    pub(super) fn codes(&mut self) -> Result<Vec<DfsCode>, Broken> {
        let len = self.len()?;
        let mut codes = Vec::with_capacity(len);
        for _ in 0..len {
            let steps = self.len()?;
            let steps: Vec<Step> = (0..steps).map(|_| self.step()).collect::<Result<_, _>>()?;
            codes.push(from_steps(steps).map_err(|_| "a pattern is no DFS code")?);
        }
        Ok(codes)
    }

    /// Checks that nothing is left.
    pub(super) fn end(&self) -> Result<(), Broken> {
        if self.0.is_empty() { Ok(()) } else { Err("the message is longer than it says") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_tuples::from_tuples;

    #[test]
    fn all_kinds_of_values_read_back_and_cut_messages_are_refused() {
        let codes = [
            from_tuples(&[[0, 0, 7, 0, 7], [0, 0, 63, 1, 0]]).unwrap(),
            from_tuples(&[[0, 1, 0, 300, 1], [1, 2, 1, 3, 0], [2, 0, 0, 1, 0]]).unwrap(),
        ];
        let many: Vec<u32> = (0..100).filter(|row| row % 3 != 1).collect();
        let mut written = Writer::default();
        for number in [0, 127, 128, u64::MAX] {
            written.number(number);
        }
        written.floats(&[0.5, -0.0, f64::NEG_INFINITY]);
        written.numbers(&[3, 0, u32::MAX]);
        written.rows(&[0, 1, 5, u32::MAX]);
        written.rows(&[]);
        written.rows(&many);
        written.codes(&codes);
        let mut reader = Reader(&written.0);
        assert_eq!([(); 4].map(|()| reader.number().unwrap()), [0, 127, 128, u64::MAX]);
        assert_eq!(reader.floats(3).unwrap().iter().map(|x| x.to_bits()).collect::<Vec<_>>()[1], (-0.0_f64).to_bits());
        assert_eq!(reader.numbers().unwrap(), [3, 0, u32::MAX]);
        assert_eq!(reader.rows().unwrap(), [0, 1, 5, u32::MAX]);
        assert!(reader.rows().unwrap().is_empty());
        assert_eq!(reader.rows().unwrap(), many);
        assert_eq!(reader.codes().unwrap(), codes);
        assert_eq!(reader.end(), Ok(()));
        for cut in 0..written.0.len() {
            let mut reader = Reader(&written.0[..cut]);
            let all = (0..4).try_for_each(|_| reader.number().map(drop)).and_then(|()| {
                reader.floats(3)?;
                reader.numbers()?;
                (0..3).try_for_each(|_| reader.rows().map(drop))?;
                reader.codes().map(drop)
            });
            assert!(all.is_err(), "{cut}");
        }
        assert!(Reader(&[255; 11]).number().is_err() && Reader(&[1, 3]).codes().is_err());
        assert!(Reader(&[1]).end().is_err() && Reader(&[9]).step().is_err());
        assert!(Reader(&[2, 0, 255, 255, 255, 255, 15, 5]).rows().is_err() && Reader(&[2, 1, 1, 7]).rows().is_err());
    }
}
