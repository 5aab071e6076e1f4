//! Parses numbers from bytes, with errors that name file and line.
//!
//! Ids are read digit by digit and refused beyond `u32` before anything is allocated for them.

use super::error::{Place, ReadError};

/// A whole number from 0 to 4294967295. `what` is its name in errors.
pub(crate) fn parse_index(bytes: &[u8], what: &'static str, place: impl FnOnce() -> Place) -> Result<u32, ReadError> {
    let mut value = 0_u64;
    for &byte in bytes {
        if !byte.is_ascii_digit() {
            value = u64::MAX;
            break;
        }
        value = (10 * value + u64::from(byte - b'0')).min(1 << 40);
    }
    match u32::try_from(value) {
        Ok(index) if !bytes.is_empty() => Ok(index),
        _ if bytes.iter().all(u8::is_ascii_digit) && !bytes.is_empty() => {
            Err(ReadError::TooLarge { place: place(), what, found: show(bytes) })
        }
        _ => Err(ReadError::NotANumber { place: place(), what, kind: "whole number", found: show(bytes) }),
    }
}

/// A finite real number.
pub(crate) fn parse_real(bytes: &[u8], what: &'static str, place: impl FnOnce() -> Place) -> Result<f64, ReadError> {
    let value = std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<f64>().ok());
    match value.filter(|value| value.is_finite()) {
        Some(value) => Ok(value),
        None => Err(ReadError::NotANumber { place: place(), what, kind: "finite number", found: show(bytes) }),
    }
}

/// Whether the bytes are a whole number with or without a sign, of any size.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    let digits = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"+")).unwrap_or(bytes);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// What was found, short enough for a message.
pub(crate) fn show(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MOST)]);
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn index(text: &str) -> Result<u32, String> {
        parse_index(text.as_bytes(), "the id", || Place::new(Path::new("x"), 3)).map_err(|error| error.to_string())
    }

    #[test]
    fn ids_fit_in_32_bits_or_are_refused() {
        assert_eq!(index("4294967295"), Ok(u32::MAX));
        assert_eq!(index("007"), Ok(7));
        for large in ["4294967296", "99999999999999999999999999999"] {
            assert_eq!(index(large), Err(format!("x:3: the id must be at most 4294967295, but is {large}")));
        }
        for word in ["", "-1", "1.5", "x", "99999999999999999999999999999x"] {
            assert_eq!(index(word), Err(format!("x:3: the id must be a whole number, but is \"{word}\"")));
        }
    }

    #[test]
    fn reals_are_finite() {
        let real = |text: &str| parse_real(text.as_bytes(), "x", || Place::new(Path::new("x"), 1));
        assert_eq!(real("-1.5e3").unwrap(), -1500.0);
        assert!(["inf", "nan", "1e999", "", "1,5"].iter().all(|text| real(text).is_err()));
    }
}
