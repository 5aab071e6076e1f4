//! Packed tensors of model files, taken apart by code that shares nothing with `model`: the format stands in
//! `docs/formats.md`.

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
    let (&[kind, dimensions], rest) = packed.split_first_chunk::<2>()?;
    let dtype = *["U8", "U32", "F64"].get(usize::from(kind))?;
    let (words, stream) = rest.split_at_checked(4 * usize::from(dimensions))?;
    let (words, _) = words.as_chunks::<4>();
    let shape = words.iter().map(|word| u32::from_le_bytes(*word) as usize).collect();
    let mut data = Vec::new();
    ZlibDecoder::new(stream).read_to_end(&mut data).ok()?;
    Some(Plain { dtype, shape, data })
}

/// Packs bytes as a tensor of kind `U8`.
///
/// # Panics
/// Never: a list takes everything.
pub fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0, 1];
    packed.extend((bytes.len() as u32).to_le_bytes());
    let mut encoder = ZlibEncoder::new(packed, Compression::fast());
    encoder.write_all(bytes).expect("a list takes everything");
    encoder.finish().expect("a list takes everything")
}
