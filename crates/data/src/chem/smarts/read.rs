//! SMARTS as a pattern, as far as a pattern can say it.
//!
//! Promise: a text that [`super::smarts_of`] has written is the pattern that it was written from. What patterns cannot
//! say is refused with its place: an aliphatic `C`, a bond that is left out (which means single or aromatic),
//! alternatives other than any halogen.
//!
//! Knows nothing of a data set: whether it has such labels and qualifiers is found out when the pattern is bound to it.

use super::atom::parse_label;
use crate::patterns::{NamedPattern, NamedVertex};
use crate::qualify::{ALIPHATIC, AROMATIC, CHAIN, CYCLE, HALOGEN, RING, UNCHARGED};
use einsicht_chem::Element;
use std::collections::BTreeMap;

/// Why a text is not a pattern in SMARTS.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a subgraph in SMARTS must be atoms like [#6], [#7;H2] or [F,Cl,Br,I] with one of the bonds - = # $ : ~ between \
     them, but {problem} at character {at} of {text}"
)]
pub struct SmartsError {
    /// The text.
    pub text: String,
    /// Where, from 1.
    pub at: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

pub(crate) fn read_smarts(text: &str) -> Result<NamedPattern, SmartsError> {
    let mut reader = Reader {
        text,
        at: 0,
        pattern: NamedPattern { vertices: Vec::new(), edges: Vec::new() },
        last: None,
        bond: None,
        branches: Vec::new(),
        rings: BTreeMap::new(),
    };
    while reader.at < text.len() {
        reader.piece()?;
    }
    match () {
        () if reader.bond.is_some() => Err(reader.refuse("an atom is missing")),
        () if !reader.branches.is_empty() => Err(reader.refuse("a parenthesis is still open")),
        () if !reader.rings.is_empty() => Err(reader.refuse("a ring is still open")),
        () => Ok(reader.pattern),
    }
}

/// The text, how far it is read, and what has been read.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    pattern: NamedPattern,
    /// The atom that the next one is bound to.
    last: Option<u32>,
    /// The bond that was read and has no second atom yet.
    bond: Option<&'static str>,
    branches: Vec<u32>,
    /// Open rings by their number: the atom, and the bond if it was written there.
    rings: BTreeMap<u32, (u32, Option<&'static str>)>,
}

impl Reader<'_> {
    fn refuse(&self, problem: &'static str) -> SmartsError {
        SmartsError { text: self.text.to_owned(), at: self.at + 1, problem }
    }

    /// Reads an atom, a bond, a parenthesis, a dot or the number of a ring.
    fn piece(&mut self) -> Result<(), SmartsError> {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().unwrap_or_default();
        if let Some(bond) = bond_name(first) {
            if self.bond.is_some() || self.last.is_none() {
                return Err(self.refuse("an atom is missing"));
            }
            self.bond = Some(bond);
        } else {
            match first {
                '[' => return self.bracket(rest),
                '%' | '0'..='9' => return self.ring(rest),
                '(' | ')' | '.' if self.bond.is_some() => return Err(self.refuse("an atom is missing")),
                '(' => {
                    let from = self.last.ok_or_else(|| self.refuse("an atom is missing"))?;
                    self.branches.push(from);
                }
                ')' => {
                    let back = self.branches.pop().ok_or_else(|| self.refuse("a parenthesis is not open"))?;
                    self.last = Some(back);
                }
                '.' => self.last = None,
                _ => return self.bare_halogen(rest),
            }
        }
        self.at += first.len_utf8();
        Ok(())
    }

    /// Halogens are never aromatic, so that they need no brackets.
    fn bare_halogen(&mut self, rest: &str) -> Result<(), SmartsError> {
        let symbol = ["Cl", "Br", "F", "I"].into_iter().find(|symbol| rest.starts_with(symbol));
        let symbol =
            symbol.ok_or_else(|| self.refuse("there is something else (an aliphatic C cannot be said, write [#6])"))?;
        self.vertex(symbol.into())?;
        self.at += symbol.len();
        Ok(())
    }

    fn bracket(&mut self, rest: &str) -> Result<(), SmartsError> {
        let end = rest.find(']').ok_or_else(|| self.refuse("a bracket is not closed"))?;
        let vertex = atom(&rest[1..end]).ok_or_else(|| {
            self.refuse("an atom says more than element (#7), H2, D3, a, R, !R, charge and any halogen (F,Cl,Br,I)")
        })?;
        self.vertex(vertex)?;
        self.at += end + 1;
        Ok(())
    }

    fn vertex(&mut self, vertex: NamedVertex) -> Result<(), SmartsError> {
        let new = self.pattern.vertices.len() as u32;
        if let Some(last) = self.last {
            let bond = self.bond.take().ok_or_else(|| self.refuse("a bond is left out"))?;
            self.pattern.edges.push((last, new, bond.to_owned()));
        }
        self.pattern.vertices.push(vertex);
        self.last = Some(new);
        Ok(())
    }

    /// `1`, `%12` or `%(123)`: opens a ring or closes it.
    fn ring(&mut self, rest: &str) -> Result<(), SmartsError> {
        let (digits, length) = match rest.as_bytes() {
            [b'%', b'(', ..] => {
                let end = rest.find(')').ok_or_else(|| self.refuse("a parenthesis is still open"))?;
                (&rest[2..end], end + 1)
            }
            [b'%', ..] => (rest.get(1..3).unwrap_or_default(), 3),
            _ => (&rest[..1], 1),
        };
        let number: u32 = digits.parse().map_err(|_| self.refuse("a ring has no number"))?;
        let here = self.last.ok_or_else(|| self.refuse("an atom is missing"))?;
        let bond = self.bond.take();
        if let Some((there, before)) = self.rings.remove(&number) {
            let bond = match (before, bond) {
                (Some(a), Some(b)) if a != b => return Err(self.refuse("a ring is closed by another bond")),
                (a, b) => a.or(b).ok_or_else(|| self.refuse("a bond is left out"))?,
            };
            let is_double = |&(u, v, _): &(u32, u32, String)| (u, v) == (there, here) || (u, v) == (here, there);
            if there == here || self.pattern.edges.iter().any(is_double) {
                return Err(self.refuse("a ring has fewer than three atoms"));
            }
            self.pattern.edges.push((there, here, bond.to_owned()));
        } else {
            self.rings.insert(number, (here, bond));
        }
        self.at += length;
        Ok(())
    }
}

fn bond_name(symbol: char) -> Option<&'static str> {
    match symbol {
        '-' => Some("single"),
        '=' => Some("double"),
        '#' => Some("triple"),
        '$' => Some("quadruple"),
        ':' => Some("aromatic"),
        '~' => Some(""),
        _ => None,
    }
}

/// Elements that SMARTS writes in small letters where they are aromatic: their symbols mean aliphatic atoms.
const MAY_BE_AROMATIC: [&str; 10] = ["B", "C", "N", "O", "Si", "P", "S", "As", "Se", "Te"];

/// What stands in brackets; none if a pattern cannot say it.
fn atom(content: &str) -> Option<NamedVertex> {
    let (first, others) = content.split_once(';').unwrap_or((content, ""));
    let mut qualifiers = Vec::new();
    let label = if first == "F,Cl,Br,I" {
        HALOGEN.to_owned()
    } else {
        let (element, rest) = element(first)?;
        // What follows the element at once is part of labels that say more than the element.
        let (label, rest) = label(element, rest, &mut qualifiers)?;
        add_qualifiers(rest, &mut qualifiers)?;
        label
    };
    let mut parts = others.split(';').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        if part == "A" && parts.peek() == Some(&"R") {
            parts.next();
            qualifiers.push(RING.to_owned());
        } else {
            add_qualifiers(part, &mut qualifiers)?;
        }
    }
    Some(NamedVertex { label, qualifiers })
}

fn element(text: &str) -> Option<(Element, &str)> {
    if let Some(rest) = text.strip_prefix('#') {
        let (number, rest) = digits(rest);
        return Some((Element::from_number(number?.try_into().ok()?)?, rest));
    }
    let symbol = [2, 1].into_iter().filter_map(|length| text.get(..length)).find(|symbol| {
        Element::from_symbol(symbol).is_some() && !MAY_BE_AROMATIC.contains(symbol) && !["H", "*"].contains(symbol)
    })?;
    Some((Element::from_symbol(symbol)?, &text[symbol.len()..]))
}

/// The label of an atom, as the readers of molecules make it, and the rest of the text.
fn label<'a>(element: Element, text: &'a str, qualifiers: &mut Vec<String>) -> Option<(String, &'a str)> {
    let mut symbol = element.symbol().to_owned();
    let mut rest = text;
    if let Some(after) = rest.strip_prefix('a') {
        (symbol, rest) = (symbol.to_lowercase(), after);
    } else if let Some(after) = rest.strip_prefix('A') {
        qualifiers.push(ALIPHATIC.to_owned());
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('h') {
        let (count, after) = digits(after);
        symbol += &format!("H{}", count.unwrap_or(1));
        rest = after;
    }
    if rest.starts_with(['+', '-']) && !rest.starts_with(UNCHARGED) {
        let (charge, after) = charge(rest)?;
        symbol += &match charge {
            1 => "+".to_owned(),
            -1 => "-".to_owned(),
            _ => format!("{charge:+}"),
        };
        rest = after;
    }
    parse_label(&symbol).map(|_| (symbol, rest))
}

/// Adds what an atom must have, by the short names of qualifiers.
fn add_qualifiers(text: &str, qualifiers: &mut Vec<String>) -> Option<()> {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            'H' | 'D' => {
                let (count, after) = digits(&rest[1..]);
                qualifiers.push(format!("{first}{}", count.unwrap_or(1)));
                after
            }
            'a' => {
                qualifiers.push(AROMATIC.to_owned());
                &rest[1..]
            }
            'R' | '!' => {
                let (name, after) = if first == 'R' { (CYCLE, &rest[1..]) } else { (CHAIN, rest.strip_prefix("!R")?) };
                qualifiers.push(name.to_owned());
                // `R2` asks for the number of rings.
                Some(after).filter(|after| !after.starts_with(|c: char| c.is_ascii_digit()))?
            }
            '+' if rest.starts_with(UNCHARGED) => {
                qualifiers.push(UNCHARGED.to_owned());
                &rest[UNCHARGED.len()..]
            }
            '+' | '-' => {
                let (charge, after) = charge(rest)?;
                qualifiers.push(format!("{charge:+}"));
                after
            }
            '#' => {
                let (element, after) = element(rest)?;
                qualifiers.push(element.symbol().to_owned());
                after
            }
            _ => return None,
        };
    }
    Some(())
}

/// A charge: `+`, `-`, `+2`.
fn charge(text: &str) -> Option<(i64, &str)> {
    let (size, rest) = digits(&text[1..]);
    let size = i64::from(size.unwrap_or(1));
    Some((if text.starts_with('-') { -size } else { size }, rest)).filter(|_| size > 0 && !rest.starts_with(['+', '-']))
}

/// The number at the beginning, if there is one, and the rest.
fn digits(text: &str) -> (Option<u32>, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().ok(), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> String {
        serde_json::to_string(&read_smarts(text).unwrap()).unwrap()
    }

    #[test]
    fn atoms_bonds_branches_and_rings_are_read() {
        assert_eq!(lines("[#6]-[#8]"), r#"{"vertices":["C","O"],"edges":[[0,1,"single"]]}"#);
        assert_eq!(
            lines("[#6](=[#8])(-Cl)~[#7H2;D1;+]"),
            concat!(
                r#"{"vertices":["C","O","Cl",{"label":"N","qualifiers":["H2","D1","+1"]}],"#,
                r#""edges":[[0,1,"double"],[0,2,"single"],[0,3,""]]}"#
            )
        );
        assert_eq!(lines("[#6]:1:[#6]:[#7]:1"), lines("[#6]%01:[#6]:[#7]:%01"));
        assert_eq!(
            lines("[F,Cl,Br,I;!R].[#6a].[#6A;R].[#7+].[#6;A;R]"),
            concat!(
                r#"{"vertices":[{"label":"X","qualifiers":["chain"]},"c","#,
                r#"{"label":"C","qualifiers":["aliphatic","cycle"]},"N+",{"label":"C","qualifiers":["ring"]}],"#,
                r#""edges":[]}"#
            )
        );
    }

    #[test]
    fn what_a_pattern_cannot_say_is_refused_with_its_place() {
        let cases = [
            ("C-[#8]", 1, "an aliphatic C cannot be said"),
            ("[#6][#8]", 5, "a bond is left out"),
            ("[#6]-", 6, "an atom is missing"),
            ("-[#6]", 1, "an atom is missing"),
            ("[#6]--[#6]", 6, "an atom is missing"),
            ("[#6](-[#6]", 11, "a parenthesis is still open"),
            ("[#6])", 5, "a parenthesis is not open"),
            ("[#6]-1", 7, "a ring is still open"),
            ("[#6]-1-[#6]-1", 13, "fewer than three atoms"),
            ("[#6]:1:[#6]:[#6]-1", 18, "another bond"),
            ("[#6", 1, "a bracket is not closed"),
            ("[$([#6])]", 1, "an atom says more"),
            ("[C]", 1, "an atom says more"),
            ("[#6,#7]", 1, "an atom says more"),
            ("[OX2H]", 1, "an atom says more"),
            ("[#6;R2]", 1, "an atom says more"),
            ("[#999]", 1, "an atom says more"),
            ("[#7++]", 1, "an atom says more"),
            ("é", 1, "something else"),
        ];
        for (text, at, problem) in cases {
            let error = read_smarts(text).unwrap_err();
            assert!(error.at == at && error.problem.contains(problem), "{error}");
        }
    }
}
