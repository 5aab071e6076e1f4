//! Chemical elements by number and symbol.
//!
//! Promise: [`Element::symbol`] and [`Element::from_symbol`] are inverse to each other. Number 0 is the
//! wildcard `*`, which stands for any atom and has its own label. Knows nothing of valences.

use crate::elements::SYMBOLS;

/// An element by its atomic number; 0 is the wildcard `*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element(u8);

impl Element {
    /// The wildcard `*`.
    pub const WILDCARD: Self = Self(0);
    /// Hydrogen.
    pub const HYDROGEN: Self = Self(1);

    /// The element with this atomic number, if there is one.
    pub fn from_number(number: u8) -> Option<Self> {
        (usize::from(number) < SYMBOLS.len()).then_some(Self(number))
    }

    /// The element with this symbol, written as usual (`Cl`), or the wildcard for `*`.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        SYMBOLS.iter().position(|s| *s == symbol).map(|number| Self(number as u8))
    }

    /// The atomic number; 0 for the wildcard.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The symbol, `*` for the wildcard.
    pub fn symbol(self) -> &'static str {
        SYMBOLS[usize::from(self.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_and_numbers_are_inverse_to_each_other() {
        for number in 0..=118 {
            let element = Element::from_number(number).unwrap();
            assert_eq!(Element::from_symbol(element.symbol()), Some(element));
            assert_eq!(element.number(), number);
        }
        assert_eq!(Element::from_number(119), None);
        assert_eq!(Element::from_symbol("CL"), None);
        assert_eq!(Element::from_number(79).unwrap().symbol(), "Au");
    }
}
