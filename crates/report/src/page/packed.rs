//! Numbers and sets of numbers as short strings: most of the page are numbers, and a browser unpacks those that it
//! shows.
//!
//! Promise: a number loses less than 1 / 200 000 of the largest of its list, more than the digits that the page shows;
//! zero stays zero.

use serde::Serialize;

/// Letters of a number of a list.
const PLACES: u32 = 3;
/// The largest level of such a number, to both sides of zero.
const REACH: f64 = 131_071.0;

/// A list of numbers: the largest size of one, and three letters for each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Packed(f64, String);

impl Packed {
    /// Packs finite numbers.
    pub(super) fn new(numbers: &[f64]) -> Self {
        let scale = numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()));
        let level = |number: f64| if scale > 0.0 { (number / scale * REACH).round() } else { 0.0 };
        let letters = numbers.iter().flat_map(|&number| {
            let level = (level(number) + REACH + 1.0) as usize;
            (0..PLACES).rev().map(move |place| letter(level >> (6 * place) & 63))
        });
        Self(scale, letters.collect())
    }

    /// The numbers, as the page unpacks them.
    #[cfg(test)]
    pub(super) fn numbers(&self) -> Vec<f64> {
        let letters: Vec<f64> = self.1.bytes().map(|byte| value(byte) as f64).collect();
        let level = |of: &[f64]| of.iter().fold(0.0, |sum, letter| 64.0 * sum + letter);
        letters.chunks_exact(PLACES as usize).map(|of| (level(of) - REACH - 1.0) / REACH * self.0).collect()
    }
}

/// A set of numbers as a bit string, six per character.
pub(super) fn set(numbers: impl Iterator<Item = usize>) -> String {
    let mut groups = Vec::new();
    for number in numbers {
        if groups.len() <= number / 6 {
            groups.resize(number / 6 + 1, 0_usize);
        }
        groups[number / 6] |= 1 << (number % 6);
    }
    groups.into_iter().map(letter).collect()
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A number below 64 as a character.
pub(super) fn letter(number: usize) -> char {
    char::from(LETTERS[number])
}

#[cfg(test)]
fn value(letter: u8) -> usize {
    LETTERS.iter().position(|known| *known == letter).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_to_more_digits_than_are_shown() {
        let numbers = [0.0, 0.3, -0.3, 1e-5, -0.299_999, 0.123_456];
        let packed = Packed::new(&numbers);
        let found = packed.numbers();
        assert_eq!((found.len(), found[0], found[1], found[2]), (6, 0.0, 0.3, -0.3));
        assert!(found.iter().zip(numbers).all(|(found, number)| (found - number).abs() < 0.3 / 2e5), "{found:?}");
        assert_eq!(packed.1.len(), 18);
        assert_eq!((Packed::new(&[0.0, 0.0]).numbers(), Packed::new(&[]).numbers()), (vec![0.0, 0.0], vec![]));
        assert_eq!(Packed::new(&[-1e12]).numbers(), [-1e12]);
    }

    #[test]
    fn sets_have_a_bit_for_each_number() {
        assert_eq!(
            (set([0, 5].into_iter()), set([7].into_iter()), set([].into_iter())),
            ("h".into(), "AC".into(), String::new())
        );
    }
}
