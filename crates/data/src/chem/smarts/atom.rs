//! One atom of a SMARTS: vertex labels are taken apart, qualifiers put behind.

use crate::chem::{CHARGE, HYDROGENS};
use crate::qualify::{AROMATIC, CHAIN, CYCLE, DEGREE, ELEMENT, HALOGEN, Qualifiers, RING, RING_PROPERTY, UNCHARGED};
use einsicht_chem::Element;
use std::fmt::Write;

/// A parsed vertex label of a molecule: the inverse of `labels::token`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtomLabel {
    pub(crate) element: Element,
    pub(crate) aromatic: bool,
    pub(crate) hydrogens: Option<u8>,
    pub(crate) charge: Option<i8>,
}

/// Reads labels like `C`, `c`, `NH2`, `O-`, `nH1+`, `Ca+2`.
pub(crate) fn parse_label(token: &str) -> Option<AtomLabel> {
    let (head, charge) = match token.find(['+', '-']) {
        Some(at) if token.len() > at + 1 => (&token[..at], Some(token[at..].parse::<i8>().ok()?)),
        Some(at) => (&token[..at], Some(if token.ends_with('+') { 1 } else { -1 })),
        None => (token, None),
    };
    // The hydrogen count is `H` and digits at the end; a bare `H` or `He` is an element.
    let (symbol, hydrogens) = match head.rfind('H') {
        Some(at) if at > 0 && head.len() > at + 1 && head[at + 1..].bytes().all(|b| b.is_ascii_digit()) => {
            (&head[..at], Some(head[at + 1..].parse().ok()?))
        }
        _ => (head, None),
    };
    if let Some(element) = Element::from_symbol(symbol) {
        return Some(AtomLabel { element, aromatic: false, hydrogens, charge });
    }
    let first = symbol.chars().next().filter(char::is_ascii_lowercase)?;
    let element = Element::from_symbol(&format!("{}{}", first.to_ascii_uppercase(), &symbol[1..]))?;
    Some(AtomLabel { element, aromatic: true, hydrogens, charge })
}

/// The element that a vertex label of a molecule names.
pub fn element_of_label(name: &str) -> Option<Element> {
    parse_label(name).map(|label| label.element)
}

/// What some labels of a vocabulary say, so that the others say the opposite.
#[derive(Clone, Copy, Default)]
pub(super) struct Said {
    pub(super) aromatic: bool,
    pub(super) charge: bool,
}

/// One atom: what its label says, then its qualifiers.
pub(super) fn atom_smarts(name: &str, said: Said, set: u64, qualifiers: &Qualifiers) -> Option<String> {
    let (mut text, mut set) = (String::from("["), set);
    if name == HALOGEN && qualifiers.merges_halogens() {
        match qualifiers.element(set) {
            Some((symbol, rest)) => {
                write!(text, "#{}", Element::from_symbol(symbol)?.number()).ok()?;
                set = rest;
            }
            None => text.push_str(if said.charge { "F,Cl,Br,I;" } else { "F,Cl,Br,I" }),
        }
        text.push_str(if said.charge { UNCHARGED } else { "" });
    } else {
        label_smarts(&mut text, parse_label(name)?, said)?;
    }
    for bit in Qualifiers::bits(set) {
        text.push(';');
        qualifier_smarts(&mut text, qualifiers, bit)?;
    }
    text.push(']');
    Some(text)
}

fn label_smarts(text: &mut String, label: AtomLabel, said: Said) -> Option<()> {
    match (label.element, said.aromatic) {
        (Element::WILDCARD, _) => text.push_str("#0"),
        (element, false) => write!(text, "#{}", element.number()).ok()?,
        (element, true) => write!(text, "#{}{}", element.number(), if label.aromatic { "a" } else { "A" }).ok()?,
    }
    if let Some(hydrogens) = label.hydrogens {
        // `H` would count hydrogens that are vertices of their own too.
        write!(text, "h{hydrogens}").ok()?;
    }
    match label.charge {
        Some(charge) => write!(text, "{charge:+}").ok()?,
        None => text.push_str(if said.charge { UNCHARGED } else { "" }),
    }
    Some(())
}

/// One qualifier, if SMARTS can say it.
fn qualifier_smarts(text: &mut String, qualifiers: &Qualifiers, bit: usize) -> Option<()> {
    match qualifiers.value(bit) {
        (HYDROGENS, token) if qualifiers.is_of_molecules() => write!(text, "H{}", token.parse::<u8>().ok()?).ok()?,
        (CHARGE, token) if qualifiers.is_of_molecules() => write!(text, "{:+}", token.parse::<i8>().ok()?).ok()?,
        (DEGREE, token) => write!(text, "D{}", token.parse::<u32>().ok()?).ok()?,
        (RING_PROPERTY, AROMATIC) => text.push('a'),
        (RING_PROPERTY, RING) => text.push_str("A;R"),
        (RING_PROPERTY, CYCLE) => text.push('R'),
        (RING_PROPERTY, CHAIN) => text.push_str("!R"),
        (ELEMENT, token) => write!(text, "#{}", Element::from_symbol(token)?.number()).ok()?,
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qualify::QualifierValue;

    #[test]
    fn labels_are_taken_apart() {
        let label = |token| parse_label(token).map(|l| (l.element.symbol(), l.aromatic, l.hydrogens, l.charge));
        assert_eq!(label("Cl"), Some(("Cl", false, None, None)));
        assert_eq!(label("nH1+"), Some(("N", true, Some(1), Some(1))));
        assert_eq!(label("Ca+2"), Some(("Ca", false, None, Some(2))));
        assert_eq!(label("O-"), Some(("O", false, None, Some(-1))));
        assert_eq!(label("seH0"), Some(("Se", true, Some(0), None)));
        assert_eq!(label("He"), Some(("He", false, None, None)));
        assert_eq!(label("H"), Some(("H", false, None, None)));
        assert_eq!(label("*"), Some(("*", false, None, None)));
        for token in ["", "6", "helix", "+", "C+x", "é", "H3H"] {
            assert_eq!(label(token), None, "{token}");
        }
    }

    #[test]
    fn qualifiers_follow_the_label() {
        let pairs = [
            ("hydrogens", "2"),
            ("degree", "1"),
            ("ring", "aromatic"),
            ("ring", "ring"),
            ("ring", "chain"),
            ("charge", "-1"),
            ("element", "Cl"),
            ("element", "Br"),
            ("colour", "red"),
        ];
        let value = |(property, token): (&str, &str)| QualifierValue { property: property.into(), token: token.into() };
        let table = Qualifiers::from_values(pairs.map(value).to_vec(), true).unwrap();
        let smarts = |name, set| atom_smarts(name, Said::default(), set, &table);
        let cases = [
            ("N", 0b11, "[#7;H2;D1]"),
            ("C", 0b100, "[#6;a]"),
            ("C", 0b1000, "[#6;A;R]"),
            ("C", 0b1_0000, "[#6;!R]"),
            ("O", 0b10_0000, "[#8;-1]"),
            ("X", 0, "[F,Cl,Br,I]"),
            ("X", 0b100_0000, "[#17]"),
            ("X", 0b10_0000, "[F,Cl,Br,I;-1]"),
            ("X", 0b1010_0000, "[#35;-1]"),
            ("*", 0b10, "[#0;D1]"),
        ];
        for (name, set, wanted) in cases {
            assert_eq!(smarts(name, set).as_deref(), Some(wanted));
        }
        assert_eq!(smarts("C", 0b1_0000_0000), None);
        assert_eq!(atom_smarts("X", Said::default(), 0, &Qualifiers::default()), None);
        // Where other labels say a charge.
        let said = Said { charge: true, ..Said::default() };
        for (name, set, wanted) in [("X", 0, "[F,Cl,Br,I;+0]"), ("X", 0b100_0000, "[#17+0]"), ("N", 0b1, "[#7+0;H2]")] {
            assert_eq!(atom_smarts(name, said, set, &table).as_deref(), Some(wanted));
        }
    }
}
