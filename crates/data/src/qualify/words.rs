//! What qualifiers are called: short names for files and one-line drawings, words for people.
//!
//! Promise: different values of a table have different names. `H2`, `D3`, `+1` and `Cl` are for atoms; a name of any
//! other kind is `property=value`.

use super::{AROMATIC, CHAIN, CYCLE, DEGREE, ELEMENT, Qualifiers, RING, RING_PROPERTY};
use crate::chem::{CHARGE, HYDROGENS};

/// How the words of a value are joined to the name of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phrase {
    /// `N with 2 H`.
    With,
    /// `C in a ring`.
    After,
    /// `chlorine` for `X`.
    Instead,
}

pub(crate) fn halogen_name(symbol: &str) -> Option<&'static str> {
    match symbol {
        "F" => Some("fluorine"),
        "Cl" => Some("chlorine"),
        "Br" => Some("bromine"),
        "I" => Some("iodine"),
        _ => None,
    }
}

impl Qualifiers {
    /// The short name of a value, unique in the table.
    ///
    /// # Panics
    /// This and [`Self::words`]: if there is no such bit.
    pub fn name(&self, bit: usize) -> String {
        let (property, token) = self.value(bit);
        match property {
            HYDROGENS if self.molecules => format!("H{token}"),
            DEGREE if self.molecules => format!("D{token}"),
            CHARGE if self.molecules && signed(token).is_some() => signed(token).unwrap_or_default(),
            ELEMENT if halogen_name(token).is_some() => token.to_owned(),
            RING_PROPERTY if [AROMATIC, RING, CHAIN, CYCLE].contains(&token) => token.to_owned(),
            _ => format!("{property}={token}"),
        }
    }

    /// All names, by bit.
    pub fn names(&self) -> impl Iterator<Item = String> {
        (0..self.len()).map(|bit| self.name(bit))
    }

    /// The bit of a value by its short name.
    pub fn bit_of_name(&self, name: &str) -> Option<usize> {
        (0..self.len()).find(|&bit| self.name(bit) == name)
    }

    /// A value in words, such as `2 H` or `not in a ring`.
    pub fn words(&self, bit: usize) -> String {
        let (property, token) = self.value(bit);
        match (property, token) {
            (HYDROGENS, "0") if self.molecules => "no H".to_owned(),
            (HYDROGENS, _) if self.molecules => format!("{token} H"),
            (DEGREE, "1") => "1 neighbour".to_owned(),
            (DEGREE, _) => format!("{token} neighbours"),
            (CHARGE, _) if self.molecules => format!("charge {}", signed(token).as_deref().unwrap_or(token)),
            (RING_PROPERTY, AROMATIC) => "aromatic".to_owned(),
            (RING_PROPERTY, RING) => "in a ring (not aromatic)".to_owned(),
            (RING_PROPERTY, CYCLE) => "in a ring".to_owned(),
            (RING_PROPERTY, CHAIN) => "not in a ring".to_owned(),
            (ELEMENT, _) => halogen_name(token).unwrap_or(token).to_owned(),
            _ => format!("{property} {token}"),
        }
    }

    /// How these words are joined to the name of a vertex.
    pub(crate) fn phrase(&self, bit: usize) -> Phrase {
        match self.value(bit) {
            (ELEMENT, _) => Phrase::Instead,
            (RING_PROPERTY, AROMATIC | RING | CYCLE | CHAIN) => Phrase::After,
            _ => Phrase::With,
        }
    }

    /// Property and token of a bit.
    pub(crate) fn value(&self, bit: usize) -> (&str, &str) {
        let value = &self.values[bit];
        (&value.property, &value.token)
    }

    /// The single element among these bits, with the other bits.
    pub(crate) fn element(&self, set: u64) -> Option<(&str, u64)> {
        let mut elements = Self::bits(set).filter(|&bit| self.value(bit).0 == ELEMENT);
        let bit = elements.next().filter(|_| elements.next().is_none())?;
        Some((self.value(bit).1, set & !(1 << bit)))
    }
}

/// A charge with its sign.
fn signed(token: &str) -> Option<String> {
    token.parse::<i32>().ok().map(|charge| format!("{charge:+}"))
}

#[cfg(test)]
mod tests {
    use super::super::QualifierValue;
    use super::*;

    #[test]
    fn values_have_short_names_and_words() {
        let pairs = [
            ("hydrogens", "2", "H2", "2 H"),
            ("hydrogens", "0", "H0", "no H"),
            ("degree", "3", "D3", "3 neighbours"),
            ("degree", "1", "D1", "1 neighbour"),
            ("ring", "aromatic", "aromatic", "aromatic"),
            ("ring", "ring", "ring", "in a ring (not aromatic)"),
            ("ring", "chain", "chain", "not in a ring"),
            ("charge", "1", "+1", "charge +1"),
            ("charge", "-1", "-1", "charge -1"),
            ("element", "Cl", "Cl", "chlorine"),
            ("colour", "red", "colour=red", "colour red"),
        ];
        let value = |&(property, token, ..): &(&str, &str, &str, &str)| QualifierValue {
            property: property.to_owned(),
            token: token.to_owned(),
        };
        let table = Qualifiers::from_values(pairs.iter().map(value).collect(), true).unwrap();
        for (bit, (_, _, name, words)) in pairs.iter().enumerate() {
            assert_eq!((table.name(bit).as_str(), table.words(bit).as_str()), (*name, *words));
            assert_eq!(table.bit_of_name(name), Some(bit));
        }
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(serde_json::from_str::<Qualifiers>(&text).unwrap(), table);
        let other = Qualifiers::from_values(pairs[..3].iter().map(value).collect(), false).unwrap();
        assert_eq!(other.names().collect::<Vec<_>>(), ["hydrogens=2", "hydrogens=0", "degree=3"]);
    }

    #[test]
    fn a_table_that_cannot_be_is_refused() {
        let value = |number: usize| QualifierValue { property: "p".into(), token: number.to_string() };
        assert!(Qualifiers::from_values((0..64).map(value).collect(), false).is_ok());
        assert!(Qualifiers::from_values((0..65).map(value).collect(), false).is_err());
        let twice = r#"{"values": [{"property": "p", "token": "1"}, {"property": "p", "token": "1"}]}"#;
        let error = serde_json::from_str::<Qualifiers>(twice).unwrap_err().to_string();
        assert!(error.contains("must be in the table once"), "{error}");
    }
}
