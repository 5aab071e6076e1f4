//! Whole numbers in as many bytes as they need (LEB128): seven bits a byte, the lowest first; the eighth bit says that
//! another byte follows.
//!
//! Promise: what is written reads back equal; bytes that end early or hold more than 64 bits are refused, never with a
//! panic.

/// Appends a number.
#[inline]
pub fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes the next number off the bytes.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 127);
        number |= bits << shift;
        if byte < 128 {
            return (bits << shift >> shift == bits).then_some(number);
        }
    }
    None
}

/// Takes the next number off the bytes, which must be below 2^32.
#[inline]
pub fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    take(bytes).and_then(|number| number.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_that_end_early_or_hold_too_much_are_refused() {
        let mut largest = Vec::new();
        push(&mut largest, u64::MAX);
        assert_eq!((largest.len(), take(&mut &largest[..])), (10, Some(u64::MAX)));
        assert_eq!(take_u32(&mut &[255, 255, 255, 255, 15][..]), Some(u32::MAX));
        assert_eq!(take_u32(&mut &[128, 128, 128, 128, 16][..]), None);
        largest[9] = 2;
        for refused in [&largest[..], &largest[..9], &[], &[128], &[255; 11]] {
            assert_eq!(take(&mut &*refused), None, "{refused:?}");
        }
    }

    proptest! {
        #[test]
        fn numbers_of_all_widths_read_back(numbers in prop::collection::vec((any::<u64>(), 0..64_u32), 0..20)) {
            let numbers: Vec<u64> = numbers.iter().map(|(number, shift)| number >> shift).collect();
            let mut bytes = Vec::new();
            for &number in &numbers {
                push(&mut bytes, number);
            }
            let mut rest = &bytes[..];
            for number in numbers {
                prop_assert_eq!(take(&mut rest), Some(number));
            }
            prop_assert!(rest.is_empty());
        }
    }
}
