//! The digest of a model file: a file that was torn, cut or flipped is refused before anything in it is used.
//!
//! The tensor `digest` holds XXH3 with 128 bits (little-endian) over all other bytes of the file, those of the
//! container's header included. It finds accidents; it is no signature: whoever changes a file on purpose can compute
//! it again, so everything else that must hold is checked as well.

use super::ModelError;
use safetensors::SafeTensors;
use std::ops::Range;
use xxhash_rust::xxh3::Xxh3;

/// The tensor with the digest.
pub(super) const DIGEST: &str = "digest";

/// Bytes of a digest.
pub(super) const BYTES: usize = 16;

/// The digest of bytes in several pieces.
pub fn digest(pieces: [&[u8]; 2]) -> u128 {
    let mut hasher = Xxh3::new();
    for piece in pieces {
        hasher.update(piece);
    }
    hasher.digest128()
}

/// The bytes of the digest, if there is one.
fn place(file: &[u8]) -> Option<Range<usize>> {
    let (header, metadata) = SafeTensors::read_metadata(file).ok()?;
    let (start, end) = metadata.info(DIGEST)?.data_offsets;
    let tensors = 8 + header;
    (end - start == BYTES && tensors + end <= file.len()).then(|| tensors + start..tensors + end)
}

fn of_file(file: &[u8], place: &Range<usize>) -> [u8; BYTES] {
    digest([&file[..place.start], &file[place.end..]]).to_le_bytes()
}

/// Puts the right digest into a file that has a tensor for it.
pub(super) fn seal(file: &mut [u8]) {
    if let Some(place) = place(file) {
        let digest = of_file(file, &place);
        file[place].copy_from_slice(&digest);
    }
}

/// Whether the file has the digest that it holds.
pub(super) fn check(file: &[u8]) -> Result<(), ModelError> {
    match place(file) {
        Some(place) if file[place.clone()] == of_file(file, &place) => Ok(()),
        _ => Err(ModelError::Damaged),
    }
}
