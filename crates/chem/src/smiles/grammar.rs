//! The grammar of SMILES, as strict as RDKit's: what the parser behind [`super::parse_smiles`] would read as something
//! else is refused.
//!
//! Promise: [`checked`] accepts no text that RDKit's grammar refuses, and gives it back in the spelling that the parser
//! knows: ring numbers as `1`, `%10` or `%(100)`, elements by symbol. A refusal says what must come, where, and what is
//! there. Valences, aromatic rings and bonds that occur twice are not looked at here. Tested in `super::tests`, and
//! against RDKit on mutated strings in `python/tests/against_libraries/test_rdkit_mutated.py`.

use crate::element::Element;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Elements that may be aromatic in brackets.
const AROMATIC: [&str; 10] = ["si", "as", "se", "te", "b", "c", "n", "o", "p", "s"];
/// What says that an atom is chiral; the longer ones first.
const CHIRALITY: [&str; 7] = ["@@", "@TH", "@AL", "@SP", "@TB", "@OH", "@"];

/// The text as the parser reads it, or what is wrong with it.
pub(super) fn checked(text: &str) -> Result<Cow<'_, str>, String> {
    let mut reader = Reader { text, at: 0, plain: String::new(), taken: 0, rings: BTreeMap::new() };
    reader.molecule()?;
    let rest = &text[reader.taken..];
    Ok(if reader.taken == 0 { Cow::Borrowed(rest) } else { Cow::Owned(reader.plain + rest) })
}

struct Reader<'a> {
    text: &'a str,
    /// Byte that comes next; all before it is ASCII, so it counts characters too.
    at: usize,
    /// The first bytes of the text, `taken` of them, in the spelling of the parser.
    plain: String,
    taken: usize,
    /// Where each ring opens that is not closed yet.
    rings: BTreeMap<u32, usize>,
}

impl Reader<'_> {
    fn molecule(&mut self) -> Result<(), String> {
        let mut branches = Vec::new();
        self.atom("an atom must stand at the start")?;
        while let Some(next) = self.peek() {
            let start = self.at;
            if self.skip("(") {
                branches.push(start);
                self.bond();
                self.atom("an atom must stand at the start of a branch")?;
            } else if self.skip(")") {
                branches
                    .pop()
                    .ok_or_else(|| format!("a branch must open before it closes at character {}", start + 1))?;
            } else if self.skip(".") {
                if let Some(open) = branches.last() {
                    let open = open + 1;
                    return Err(format!(
                        "a dot must be outside branches, but the one at character {} is in the branch from character \
                         {open}",
                        start + 1
                    ));
                }
                self.atom("an atom must follow a dot")?;
            } else if next.is_ascii_digit() || next == b'%' {
                self.ring()?;
            } else if self.bond() {
                match self.peek() {
                    Some(b'0'..=b'9' | b'%') => self.ring()?,
                    Some(b'(') => {
                        return Err(
                            self.refused("an atom must follow a bond, and one to a branch stands in it, as in C(=O)N")
                        );
                    }
                    _ => self.atom("an atom or a ring number must follow a bond")?,
                }
            } else {
                self.atom("an atom, a bond, a branch, a ring number or a dot must come next")?;
            }
        }
        if let Some(open) = branches.pop() {
            return Err(format!("the branch that opens at character {} must be closed by a )", open + 1));
        }
        match self.rings.first_key_value() {
            Some((number, open)) => Err(format!(
                "ring {number} must be closed by a second {number}, but only opens, at character {}",
                open + 1
            )),
            None => Ok(()),
        }
    }

    fn atom(&mut self, wanted: &str) -> Result<(), String> {
        let length = match self.rest() {
            [b'[', ..] => {
                self.at += 1;
                return self.bracket();
            }
            [b'C', b'l', ..] | [b'B', b'r', ..] => 2,
            [first, ..] if b"BCNOPSFIbcnops*".contains(first) => 1,
            _ => return Err(self.refused(wanted)),
        };
        self.at += length;
        Ok(())
    }

    /// Goes past a bond if it comes next.
    fn bond(&mut self) -> bool {
        let length = match self.rest() {
            // Some tables escape the backslash of a directed bond; RDKit reads two as one, and so do we.
            [b'\\', b'\\', ..] => {
                self.respell(self.at, 2, r"\");
                return true;
            }
            [b'-', b'>', ..] | [b'<', b'-', ..] => 2,
            [b'-' | b'=' | b'#' | b':' | b'$' | b'/' | b'\\', ..] => 1,
            _ => return false,
        };
        self.at += length;
        true
    }

    /// What stands in brackets: isotope, element, chirality, hydrogens, charge, number of the atom.
    fn bracket(&mut self) -> Result<(), String> {
        if self.is_digit() {
            self.number(9)?;
        }
        let is_hydrogen = self.element()?;
        let class = if is_hydrogen { None } else { CHIRALITY.into_iter().find(|class| self.skip(class)) };
        if class.is_some_and(|class| class.ends_with(char::is_alphabetic)) && self.is_digit() {
            self.number(2)?;
        }
        if self.skip("H") && self.is_digit() {
            self.number(2)?;
        }
        let sign = ["+", "-"].into_iter().find(|sign| self.skip(sign));
        if sign.is_some_and(|sign| !self.skip(sign)) && self.is_digit() {
            self.number(2)?;
        }
        if self.skip(":") {
            self.number(9)?;
        }
        let wanted = "brackets must hold isotope, element, chirality, hydrogens, charge and a number after a colon, in \
            this order, and be closed";
        if self.skip("]") { Ok(()) } else { Err(self.refused(wanted)) }
    }

    /// Reads an element by symbol or number; says whether it is hydrogen.
    fn element(&mut self) -> Result<bool, String> {
        if self.skip("#") {
            let start = self.at - 1;
            let number = self.number(9)?;
            let known = u8::try_from(number).ok().and_then(Element::from_number);
            let element = known.ok_or_else(|| {
                format!("an element must have a number up to 118, but the one at character {} has {number}", start + 1)
            })?;
            self.respell(start, self.at - start, element.symbol());
            return Ok(element == Element::HYDROGEN);
        }
        // A capital and a small letter may be one element or two; RDKit takes the longer one.
        let longest = if matches!(self.rest(), [_, b'a'..=b'z', ..]) { 2 } else { 1 };
        let mut symbols = (1..=longest).rev().filter_map(|length| self.text.get(self.at..self.at + length));
        let is_known = |symbol: &&str| AROMATIC.contains(symbol) || Element::from_symbol(symbol).is_some();
        let Some(symbol) = symbols.find(is_known) else {
            return Err(self.refused("an element must stand in brackets"));
        };
        self.at += symbol.len();
        Ok(symbol == "H")
    }

    /// A ring number: a digit, two after %, or up to five in %().
    fn ring(&mut self) -> Result<(), String> {
        let start = self.at;
        let number = if self.skip("%(") {
            let mut number = 0;
            while self.is_digit() && self.at - start < "%(".len() + 5 {
                number = 10 * number + self.digit();
            }
            if self.at == start + "%(".len() || !self.skip(")") {
                return Err(self.refused("one to five digits and a ) must follow %("));
            }
            // The parser knows this spelling of large numbers only.
            let plain = match number {
                0..10 => number.to_string(),
                10..100 => format!("%{number}"),
                _ => format!("%({number})"),
            };
            self.respell(start, self.at - start, &plain);
            number
        } else if self.skip("%") {
            if !matches!(self.rest(), [b'1'..=b'9', b'0'..=b'9', ..]) {
                return Err(self.refused("two digits must follow %, the first of them not 0"));
            }
            10 * self.digit() + self.digit()
        } else {
            self.digit()
        };
        if self.rings.remove(&number).is_none() {
            self.rings.insert(number, start);
        }
        Ok(())
    }

    /// Reads a number without leading zeros, of so many digits at most.
    fn number(&mut self, most: usize) -> Result<u32, String> {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return Err(self.refused("a number must come next"));
        }
        if length > most || (length > 1 && rest.starts_with('0')) {
            let found = &rest[..length];
            return Err(format!(
                "the number at character {} must have at most {most} digits and no zero in front, but is {found}",
                start + 1
            ));
        }
        Ok((0..length).fold(0, |number, _| 10 * number + self.digit()))
    }

    /// The digit that comes next.
    fn digit(&mut self) -> u32 {
        let digit = u32::from(self.text.as_bytes()[self.at] - b'0');
        self.at += 1;
        digit
    }

    fn is_digit(&self) -> bool {
        self.peek().is_some_and(|next| next.is_ascii_digit())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Goes past a word if it comes next.
    fn skip(&mut self, word: &str) -> bool {
        let is_next = self.rest().starts_with(word.as_bytes());
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    /// Goes behind so many bytes from `start` on, for which the parser gets others.
    fn respell(&mut self, start: usize, length: usize, plain: &str) {
        self.plain.push_str(&self.text[self.taken..start]);
        self.plain.push_str(plain);
        (self.at, self.taken) = (start + length, start + length);
    }

    /// That something else comes next than what must, and what to do about it where that is known.
    fn refused(&self, wanted: &str) -> String {
        let place = self.at + 1;
        let Some(found) = self.text[self.at..].chars().next() else {
            return format!("{wanted}, but the SMILES ends after character {}", self.at);
        };
        if found.is_whitespace() {
            let is_extension = self.text[self.at..].trim_start().starts_with('|');
            let what =
                if is_extension { "extensions of CXSMILES are not read" } else { "a name does not belong to it" };
            return format!(
                "a SMILES must be one word, but character {place} is a blank: leave out what follows, {what}"
            );
        }
        if found == '~' {
            return format!(
                "a bond must be of one kind, but the one at character {place} is ~, any bond: write - = # : $ / \\ -> \
                 or <-"
            );
        }
        let hint = match found {
            _ if !wanted.starts_with("an atom") => "",
            '@' => ": chirality stands in brackets, as in [C@H]",
            'H' => ": hydrogens stand in brackets, as in [CH3]",
            _ if found.is_alphabetic() => ": elements other than B C N O P S F Cl Br I stand in brackets, as in [Na]",
            _ => "",
        };
        format!("{wanted}, but character {place} is {found:?}{hint}")
    }
}
