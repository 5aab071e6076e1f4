//! Packed tensors: numbers that take less room when compressed.
//!
//! A tensor of kind `u8` is a packed one, unless it is the digest. Its bytes: the kind of its numbers (0 `u8`, 1 `u32`,
//! 2 `f64`), the number of its dimensions, each of these as four bytes, and the numbers as a zlib stream.
//!
//! Promise: what was packed comes back bit for bit; equal tensors have equal packed forms; a tensor is packed only if
//! that makes it smaller. A stream is never unpacked beyond the length that is announced, and all streams of a file
//! not beyond [`most_unpacked`]. Bytes of equal weight side by side, or a table of the different numbers, would make
//! files at most 3 % smaller.

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use safetensors::Dtype;
use std::io::{Read, Write};

/// The kinds of numbers with their width in bytes, by their number.
const KINDS: [(Dtype, usize); 3] = [(Dtype::U8, 1), (Dtype::U32, 4), (Dtype::F64, 8)];
/// Smaller tensors stay as they are.
const LEAST_BYTES: usize = 512;
const MOST_DIMENSIONS: usize = 4;

/// Bytes that all streams of a file of this length may unpack to. A model that would need more is written without
/// packing its numbers.
pub(super) fn most_unpacked(file: usize) -> usize {
    file.saturating_mul(32).saturating_add(1 << 22)
}

/// The packed form of a tensor, if that is smaller. Bytes are always packed.
pub(super) fn pack(dtype: Dtype, shape: &[usize], data: &[u8]) -> Option<Vec<u8>> {
    let kind = KINDS.iter().position(|(of, _)| *of == dtype)?;
    let mut packed = vec![kind as u8, shape.len() as u8];
    packed.extend(shape.iter().flat_map(|len| (*len as u32).to_le_bytes()));
    let mut encoder = ZlibEncoder::new(packed, Compression::best());
    // Writing to a list does not fail.
    let _ = encoder.write_all(data);
    let packed = encoder.finish().unwrap_or_default();
    let is_smaller = data.len() >= LEAST_BYTES && packed.len() < data.len();
    (is_smaller || dtype == Dtype::U8).then_some(packed)
}

/// A tensor that was unpacked.
pub(super) struct Unpacked {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) data: Vec<u8>,
}

/// Unpacks a tensor to at most so many bytes; the error says what is wrong.
pub(super) fn unpack(packed: &[u8], most: usize) -> Result<Unpacked, &'static str> {
    let damaged = "its compressed form is truncated or corrupt";
    let (&[kind, dimensions], rest) = packed.split_first_chunk::<2>().ok_or(damaged)?;
    let &(dtype, width) = KINDS.get(usize::from(kind)).ok_or("it is packed in an unknown way")?;
    let dimensions = Some(usize::from(dimensions)).filter(|all| *all <= MOST_DIMENSIONS).ok_or(damaged)?;
    let (words, stream) = rest.split_at_checked(4 * dimensions).ok_or(damaged)?;
    let shape: Vec<usize> = words.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word) as usize).collect();
    let len = shape.iter().try_fold(width, |all, len| all.checked_mul(*len)).filter(|len| *len <= most);
    let len = len.ok_or("its size is beyond what a file of this length may hold")?;
    let mut decoder = ZlibDecoder::new(stream);
    // Announced lengths are not trusted with memory: the list grows with what is there.
    let mut data = Vec::with_capacity(len.min(1 << 20));
    let read = (&mut decoder).take(len as u64 + 1).read_to_end(&mut data);
    let whole = read.is_ok() && data.len() == len && decoder.total_in() == stream.len() as u64;
    if whole { Ok(Unpacked { dtype, shape, data }) } else { Err(damaged) }
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
        let whole: Vec<u8> = (0..1000_u32).flat_map(|at| (at / 9).to_le_bytes()).collect();
        for (dtype, data, shape) in [(Dtype::F64, bytes(&few), [2, 1500]), (Dtype::U32, whole, [2, 500])] {
            let packed = pack(dtype, &shape, &data).expect("smaller");
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
                // Before the stream, a flip may give another tensor; its last byte may have bits that nobody reads.
                let is_good = |back: &Unpacked| if at < 6 { back.data.len() <= data.len() } else { back.data == data };
                assert!(back.as_ref().map_or(true, is_good), "byte {at}, bit {bit}");
            }
        }
        assert!(unpack(&[&packed[..], &[0]].concat(), data.len()).is_err(), "longer");
        // A bomb: a megabyte of zeros that says it is ten bytes.
        let mut bomb = pack(Dtype::U8, &[1 << 20], &vec![0; 1 << 20]).unwrap();
        bomb[2..6].copy_from_slice(&10_u32.to_le_bytes());
        assert!(unpack(&bomb, 1 << 30).is_err());
    }
}
