//! A checksum on files that only this program reads: truncated or changed content is detected before it is used.
//!
//! The file is one line, `einsicht state 6 HASH`, and then the content, whose digest is the hash. It detects
//! accidents (a torn write, a bad disk, another version), not forgeries.

use super::CheckpointError;
use einsicht_model::persist::digest;

/// The number is the version of the format of all sealed content.
const MARK: &str = "einsicht state 6 ";

/// Adds a checksum to the content.
pub fn seal(content: &[u8]) -> Vec<u8> {
    let mut file = format!("{MARK}{:032x}\n", digest([content, &[]])).into_bytes();
    file.extend_from_slice(content);
    file
}

/// The content, if the checksum agrees.
pub fn unseal(file: &[u8]) -> Result<&[u8], CheckpointError> {
    let refuse = |reason: &str| Err(CheckpointError::Unreadable { reason: reason.to_owned() });
    let Some(rest) = file.strip_prefix(MARK.as_bytes()) else {
        return refuse("it was not written by this version of the program");
    };
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let content = rest.get(end + 1..).unwrap_or_default();
    if rest[..end] != *format!("{:032x}", digest([content, &[]])).as_bytes() {
        return refuse("its content does not have the hash in its first line");
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_reads_back_and_every_change_is_noticed() {
        let file = seal(b"some state\nand more");
        assert_eq!(unseal(&file), Ok(&b"some state\nand more"[..]));
        for at in 0..file.len() {
            assert!(unseal(&file[..at]).is_err(), "cut at {at}");
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(unseal(&changed).is_err(), "changed at {at}");
        }
        assert!(unseal(&[&file[..], b"x"].concat()).is_err());
    }
}
