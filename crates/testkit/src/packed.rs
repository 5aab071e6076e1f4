//! Packed tensors of model files, taken apart by code that shares nothing with the learner: the format stands in `docs/formats.md`.

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read, Write};

/// A tensor as it was before it was packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    /// Its kind, as the container writes it.
    pub dtype: &'static str,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// Unpacks the bytes of a tensor of kind `U8`; nothing if they are not a packed one.
pub fn unpacked(packed: &[u8]) -> Option<Plain> {
    let (&[how, kind, dimensions], rest) = packed.split_first_chunk::<3>()?;
    let (dtype, width) = *[("U8", 1), ("U32", 4), ("F64", 8)].get(usize::from(kind))?;
    let words = usize::from(dimensions) + usize::from(how == 2);
    let (words, stream) = rest.split_at_checked(4 * words)?;
    let words: Vec<usize> =
        words.chunks(4).map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte))).collect();
    let shape = words[..usize::from(dimensions)].to_vec();
    let mut content = Vec::new();
    ZlibDecoder::new(stream).read_to_end(&mut content).ok()?;
    let column = |bytes: &[u8], width: usize, at: usize| -> Vec<u8> {
        (0..width).map(|byte| bytes[byte * (bytes.len() / width) + at]).collect()
    };
    let data = match how {
        0 => content,
        1 => (0..content.len() / width).flat_map(|at| column(&content, width, at)).collect(),
        2 => {
            let entries = *words.last()?;
            let (table, places) = content.split_at_checked(entries * width)?;
            let of_place = if entries <= 256 { 1 } else { 2 };
            let place = |at: usize| {
                column(places, of_place, at).iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte))
            };
            (0..places.len() / of_place).flat_map(|at| column(table, width, place(at))).collect()
        }
        _ => return None,
    };
    Some(Plain { dtype, shape, data })
}

/// Packs bytes as a tensor of kind `U8`.
///
/// # Panics
/// Never: a list takes everything.
pub fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(vec![0, 0, 1], Compression::fast());
    let stream = |encoder: &mut ZlibEncoder<Vec<u8>>| {
        encoder.get_mut().extend((bytes.len() as u32).to_le_bytes());
        encoder.write_all(bytes)
    };
    stream(&mut encoder).expect("a list takes everything");
    encoder.finish().expect("a list takes everything")
}
