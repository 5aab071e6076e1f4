//! Packed tensors: numbers that take less room when compressed.
//!
//! A tensor of kind `u8` is always a packed one. Its bytes: *how* (0 as they are, 1 transposed, 2 a table of the different numbers), the kind of its numbers
//! (0 `u8`, 1 `u32`, 2 `f64`), the number of its dimensions, each of these as four bytes, for a table the number of its entries, and a zlib stream.
//! Transposed means: the first bytes of all numbers, then the second bytes, and so on. Of a table the stream holds the entries and then, for each number, its place in the table in one byte,
//! or in two if there are more than 256 entries, both transposed.
//!
//! Promise: what was packed comes back bit for bit; equal tensors have equal packed forms; a tensor is packed only if that makes it smaller. A stream is never unpacked beyond the length that is announced, and all streams of a file not beyond [`most_unpacked`].

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rustc_hash::FxHashMap;
use safetensors::Dtype;
use std::io::{Read, Write};

const AS_IS: u8 = 0;
const TRANSPOSED: u8 = 1;
const TABLE: u8 = 2;

/// Smaller tensors stay as they are.
const LEAST_BYTES: usize = 512;
/// Different numbers that a table may have.
const MOST_ENTRIES: usize = 1 << 16;
const MOST_DIMENSIONS: usize = 4;

/// Bytes that all streams of a file of this length may unpack to. A model that would need more is written without packing its numbers.
pub(crate) fn most_unpacked(file: usize) -> usize {
    file.saturating_mul(32).saturating_add(1 << 22)
}

/// The packed form of a tensor, if that is smaller. Bytes are always packed.
pub(crate) fn pack(dtype: Dtype, shape: &[usize], data: &[u8]) -> Option<Vec<u8>> {
    let (kind, width) = kind_of(dtype)?;
    if dtype == Dtype::U8 {
        return Some(head(AS_IS, kind, shape, &compressed(data)));
    }
    if data.len() < LEAST_BYTES {
        return None;
    }
    let plain = head(TRANSPOSED, kind, shape, &compressed(&transposed(data, width)));
    let with_table = table(data, width).map(|(entries, content)| {
        let stream = [&(entries as u32).to_le_bytes()[..], &compressed(&content)].concat();
        head(TABLE, kind, shape, &stream)
    });
    let packed = match with_table {
        Some(with_table) if with_table.len() < plain.len() => with_table,
        _ => plain,
    };
    (packed.len() < data.len()).then_some(packed)
}

/// A tensor that was unpacked.
pub(crate) struct Unpacked {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<u8>,
}

/// Unpacks a tensor to at most so many bytes; the error says what is wrong.
pub(crate) fn unpack(packed: &[u8], most: usize) -> Result<Unpacked, &'static str> {
    let short = "its packed form ends too early";
    let (&[how, kind, dimensions], mut rest) = packed.split_first_chunk::<3>().ok_or(short)?;
    let (dtype, width) = match kind {
        0 => (Dtype::U8, 1),
        1 => (Dtype::U32, 4),
        2 => (Dtype::F64, 8),
        _ => return Err("its packed form is of an unknown kind"),
    };
    if usize::from(dimensions) > MOST_DIMENSIONS {
        return Err("its packed form has too many dimensions");
    }
    let mut number = || {
        let (word, after) = rest.split_first_chunk::<4>().ok_or(short)?;
        rest = after;
        Ok::<usize, &'static str>(u32::from_le_bytes(*word) as usize)
    };
    let shape = (0..dimensions).map(|_| number()).collect::<Result<Vec<usize>, _>>()?;
    let entries = if how == TABLE { number()? } else { 0 };
    let too_long = "it would unpack to more than a model of this length may hold";
    let numbers = shape.iter().try_fold(1_usize, |all, len| all.checked_mul(*len)).ok_or(too_long)?;
    let len = numbers.checked_mul(width).filter(|len| *len <= most).ok_or(too_long)?;
    let data = match how {
        AS_IS => inflated(rest, len)?,
        TRANSPOSED => gathered(&inflated(rest, len)?, width),
        TABLE => {
            let places = place_width(entries);
            if entries > MOST_ENTRIES || entries > numbers {
                return Err("its table has more entries than numbers");
            }
            let content = inflated(rest, entries * width + numbers * places)?;
            let (table, indices) = content.split_at(entries * width);
            looked_up(&gathered(table, width), &gathered(indices, places), width, places)?
        }
        _ => return Err("it is packed in an unknown way"),
    };
    Ok(Unpacked { dtype, shape, data })
}

fn kind_of(dtype: Dtype) -> Option<(u8, usize)> {
    match dtype {
        Dtype::U8 => Some((0, 1)),
        Dtype::U32 => Some((1, 4)),
        Dtype::F64 => Some((2, 8)),
        _ => None,
    }
}

fn head(how: u8, kind: u8, shape: &[usize], stream: &[u8]) -> Vec<u8> {
    let mut packed = vec![how, kind, shape.len() as u8];
    packed.extend(shape.iter().flat_map(|len| (*len as u32).to_le_bytes()));
    packed.extend_from_slice(stream);
    packed
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to a list does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// The content of a stream, which must have this length and a right checksum.
fn inflated(stream: &[u8], len: usize) -> Result<Vec<u8>, &'static str> {
    let mut decoder = ZlibDecoder::new(stream);
    // Announced lengths are not trusted with memory: the list grows with what is there.
    let mut content = Vec::with_capacity(len.min(1 << 20));
    let read = (&mut decoder).take(len as u64 + 1).read_to_end(&mut content);
    let whole = read.is_ok() && content.len() == len && decoder.total_in() == stream.len() as u64;
    if whole { Ok(content) } else { Err("its packed form is damaged") }
}

/// The first bytes of all numbers, then the second ones, and so on.
fn transposed(data: &[u8], width: usize) -> Vec<u8> {
    (0..width).flat_map(|byte| data.iter().skip(byte).step_by(width)).copied().collect()
}

/// The inverse of [`transposed`].
fn gathered(planes: &[u8], width: usize) -> Vec<u8> {
    let numbers = planes.len() / width;
    (0..numbers).flat_map(|at| (0..width).map(move |byte| planes[byte * numbers + at])).collect()
}

const fn place_width(entries: usize) -> usize {
    if entries <= 256 { 1 } else { 2 }
}

/// The different numbers in the order of their first places, and all numbers by their places in this list; nothing if there are too many.
fn table(data: &[u8], width: usize) -> Option<(usize, Vec<u8>)> {
    let mut known: FxHashMap<&[u8], u16> = FxHashMap::default();
    let (mut entries, mut places) = (Vec::new(), Vec::with_capacity(data.len() / width));
    for number in data.chunks_exact(width) {
        let next = known.len();
        let place = *known.entry(number).or_insert_with(|| {
            entries.extend_from_slice(number);
            next as u16
        });
        if next == MOST_ENTRIES && known.len() > next {
            return None;
        }
        places.push(place);
    }
    let places: Vec<u8> = match place_width(known.len()) {
        1 => places.iter().map(|place| *place as u8).collect(),
        _ => transposed(&places.iter().flat_map(|place| place.to_le_bytes()).collect::<Vec<u8>>(), 2),
    };
    Some((known.len(), [transposed(&entries, width), places].concat()))
}

fn looked_up(table: &[u8], places: &[u8], width: usize, place_width: usize) -> Result<Vec<u8>, &'static str> {
    let mut data = Vec::with_capacity(places.len() / place_width * width);
    for place in places.chunks_exact(place_width) {
        let place = place.iter().rev().fold(0, |place, byte| place << 8 | usize::from(*byte));
        let number = table.get(place * width..(place + 1) * width).ok_or("it names a place outside its table")?;
        data.extend_from_slice(number);
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(numbers: &[f64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn what_is_packed_comes_back_and_what_does_not_shrink_stays() {
        let few: Vec<f64> = (0..3000).map(|at| f64::from(at * 7 % 11).sqrt()).collect();
        let many: Vec<f64> = (0..3000).map(|at| f64::from(at * 7919 % 3001)).collect();
        let whole: Vec<u8> = (0..1000_u32).flat_map(|at| (at / 9).to_le_bytes()).collect();
        for (dtype, data, how) in
            [(Dtype::F64, bytes(&few), TABLE), (Dtype::F64, bytes(&many), TRANSPOSED), (Dtype::U32, whole, TRANSPOSED)]
        {
            let shape = [2, data.len() / kind_of(dtype).unwrap().1 / 2];
            let packed = pack(dtype, &shape, &data).expect("smaller");
            assert_eq!(packed[0], how);
            let back = unpack(&packed, data.len()).unwrap();
            assert_eq!((back.dtype, &back.shape[..], &back.data), (dtype, &shape[..], &data));
            assert!(unpack(&packed, data.len() - 1).is_err(), "more than is allowed");
        }
        let mut random = einsicht_data::random::Random::new(5);
        let mixed: Vec<u8> = (0..4000).map(|_| random.index(256) as u8).collect();
        assert!(pack(Dtype::F64, &[500], &mixed).is_none());
        assert!(pack(Dtype::F64, &[2], &bytes(&[0.0, 0.0])).is_none());
    }

    #[test]
    fn every_flipped_bit_of_a_stream_and_every_cut_is_refused_or_changes_nothing() {
        let data = bytes(&[1.5, 2.5].repeat(300));
        let packed = pack(Dtype::F64, &[600], &data).unwrap();
        for at in 0..packed.len() {
            assert!(unpack(&packed[..at], data.len()).is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut flipped = packed.clone();
                flipped[at] ^= 1 << bit;
                let back = unpack(&flipped, data.len());
                // Before the stream, a flip may give another tensor; the last byte of a stream may have bits that nobody reads.
                let is_good = |back: &Unpacked| if at < 11 { back.data.len() <= data.len() } else { back.data == data };
                assert!(back.as_ref().map_or(true, is_good), "byte {at}, bit {bit}");
            }
        }
        assert!(unpack(&[&packed[..], &[0]].concat(), data.len()).is_err(), "longer");
        // A bomb: a megabyte of zeros that says it is ten bytes.
        let bomb = head(AS_IS, 0, &[10], &compressed(&vec![0; 1 << 20]));
        assert!(unpack(&bomb, 1 << 30).is_err());
    }
}
