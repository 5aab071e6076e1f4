//! Chemical elements by number and symbol.
//!
//! Promise: [`Element::symbol`] and [`Element::from_symbol`] are inverse to each other. Number 0 is the
//! wildcard `*`, which stands for any atom and has its own label. Knows nothing of valences.

/// Symbols by atomic number; number 0 is the unknown atom, `*`.
#[rustfmt::skip]
pub const SYMBOLS: [&str; 119] = [
    "*",
    "H", "He",
    "Li", "Be", "B", "C", "N", "O", "F", "Ne",
    "Na", "Mg", "Al", "Si", "P", "S", "Cl", "Ar",
    "K", "Ca", "Sc", "Ti", "V", "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr",
    "Rb", "Sr", "Y", "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I", "Xe",
    "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu",
    "Hf", "Ta", "W", "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn",
    "Fr", "Ra", "Ac", "Th", "Pa", "U", "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr",
    "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og",
];

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

    #[test]
    fn well_known_elements_stand_at_their_numbers() {
        let known = [(6, "C"), (17, "Cl"), (35, "Br"), (53, "I"), (79, "Au"), (92, "U"), (118, "Og")];
        assert!(known.iter().all(|&(number, symbol)| SYMBOLS[number] == symbol));
    }
}
