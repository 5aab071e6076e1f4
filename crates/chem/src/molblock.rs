//! Mol blocks in, [`Molecule`] out: the part of an SD file that draws one molecule, V2000 or V3000.
//!
//! Promise: atoms, charges, hydrogens, aromatic flags and bonds are those of RDKit's `MolFromMolBlock`, and
//! what it rejects is an error. Charges come from the atom lines or from `M  CHG`; bond type 4 is aromatic; a
//! valence given for an atom fixes its hydrogens. Drawn hydrogens fold into their atom unless they are to stay.
//!
//! Does not read coordinates, stereo marks, radicals, S-groups or query features; query bonds and atom lists are
//! refused. One deviation: RDKit keeps a drawn hydrogen that alone marks a double bond as E or Z (2 of 12241 drugs);
//! here it folds like the others, since stereo chemistry is not read. Tested against RDKit in
//! `python/tests/against_libraries/test_rdkit_sdf.py`.

use crate::element::Element;
use crate::molecule::{BondOrder, Molecule};
use crate::smiles::{Drawing, DrawnAtom, SmilesError};

/// Why a mol block is not a molecule. Lines count from 1 within the block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum MolBlockError {
    #[error("{what} must follow, but the mol block ends")]
    Ends { what: &'static str },
    #[error("line {line} of the mol block: {what} must be {wanted}, but is \"{found}\"")]
    Field { line: usize, what: &'static str, wanted: &'static str, found: String },
    #[error("line {line} of the mol block: there is no atom {atom}")]
    NoSuchAtom { line: usize, atom: String },
    #[error(transparent)]
    Chemistry(#[from] SmilesError),
}

type Outcome<T> = Result<T, MolBlockError>;

/// Reads the lines of one mol block, from the title to `M  END`.
pub fn parse_mol_block(lines: &[String], keep_hydrogens: bool) -> Outcome<Molecule> {
    let counts = lines.get(3).ok_or(MolBlockError::Ends { what: "a line of counts" })?;
    // Old files name no version.
    let drawing = match counts.split_whitespace().find(|word| word.starts_with('V')) {
        Some("V3000") => v3000(lines)?,
        Some("V2000") | None => v2000(lines, counts)?,
        Some(other) => return wrong(3, "the version", "V2000 or V3000", other),
    };
    Ok(drawing.perceive(keep_hydrogens)?)
}

fn field(line: &str, from: usize, to: usize) -> &str {
    line.get(from..to.min(line.len())).unwrap_or("").trim()
}

fn wrong<T>(line: usize, what: &'static str, wanted: &'static str, found: &str) -> Outcome<T> {
    Err(MolBlockError::Field { line: line + 1, what, wanted, found: found.to_owned() })
}

fn number(line: usize, what: &'static str, found: &str) -> Outcome<usize> {
    found.parse().or_else(|_| wrong(line, what, "a whole number", found))
}

/// The atom with this symbol; letters that stand for any atom are the wildcard.
fn atom(line: usize, symbol: &str) -> Outcome<DrawnAtom> {
    let is_group = symbol.strip_prefix('R').is_some_and(|n| n == "#" || n.bytes().all(|b| b.is_ascii_digit()));
    let (element, isotope) = match symbol {
        "D" => (Element::HYDROGEN, Some(2)),
        "T" => (Element::HYDROGEN, Some(3)),
        "*" | "A" | "Q" | "X" | "M" | "L" => (Element::WILDCARD, None),
        _ if is_group => (Element::WILDCARD, None),
        _ => match Element::from_symbol(symbol) {
            Some(element) => (element, None),
            None => return wrong(line, "the atom", "an element", symbol),
        },
    };
    Ok(DrawnAtom { element, isotope, charge: 0, valence: None })
}

fn bond_order(line: usize, kind: &str) -> Outcome<BondOrder> {
    match kind {
        "1" => Ok(BondOrder::Single),
        "2" => Ok(BondOrder::Double),
        "3" => Ok(BondOrder::Triple),
        "4" => Ok(BondOrder::Aromatic),
        "9" => Ok(BondOrder::Dative),
        _ => wrong(line, "the type of a bond", "1, 2, 3, 4 or 9", kind),
    }
}

fn charge(line: usize, found: &str) -> Outcome<i8> {
    found.parse().or_else(|_| wrong(line, "a charge", "a small whole number", found))
}

/// A valence of 15 (or -1 in V3000) means none at all, 0 that nothing is said.
fn valence(line: usize, found: &str) -> Outcome<Option<u8>> {
    match found {
        "" | "0" => Ok(None),
        "15" | "-1" => Ok(Some(0)),
        _ => Ok(Some(found.parse().or_else(|_| wrong(line, "a valence", "from 0 to 15", found))?)),
    }
}

fn v2000(lines: &[String], counts: &str) -> Outcome<Drawing> {
    let num_atoms = number(3, "the number of atoms", field(counts, 0, 3))?;
    let num_bonds = number(3, "the number of bonds", field(counts, 3, 6))?;
    let mut drawing = Drawing::default();
    for at in 4..4 + num_atoms {
        let line = lines.get(at).ok_or(MolBlockError::Ends { what: "an atom" })?;
        let mut atom = atom(at, field(line, 31, 34))?;
        atom.charge = match field(line, 36, 39) {
            "" | "0" | "4" => 0,
            code => {
                4 - code
                    .parse::<i8>()
                    .ok()
                    .filter(|c| (1..8).contains(c))
                    .map_or_else(|| wrong(at, "the charge code", "from 0 to 7", code), Ok)?
            }
        };
        if !matches!(field(line, 34, 36), "" | "0") {
            // Another isotope than the usual one: a hydrogen like that stays an atom.
            atom.isotope = atom.isotope.or(Some(0));
        }
        atom.valence = valence(at, field(line, 48, 51))?;
        drawing.atoms.push(atom);
    }
    for at in 4 + num_atoms..4 + num_atoms + num_bonds {
        let line = lines.get(at).ok_or(MolBlockError::Ends { what: "a bond" })?;
        let order = bond_order(at, field(line, 6, 9))?;
        let (from, to) = (field(line, 0, 3), field(line, 3, 6));
        drawing.bonds.push((atom_at(at, from, num_atoms)?, atom_at(at, to, num_atoms)?, order));
    }
    let mut charges_cleared = false;
    for (at, line) in lines.iter().enumerate().skip(4 + num_atoms + num_bonds) {
        let property = line.get(..6).unwrap_or("");
        if line.starts_with("M  END") {
            break;
        }
        if property != "M  CHG" && property != "M  ISO" {
            continue;
        }
        let count = number(at, "the number of entries", field(line, 6, 9))?;
        for entry in 0..count {
            let from = 9 + 8 * entry;
            let index = atom_at(at, field(line, from, from + 4), num_atoms)?;
            let value = field(line, from + 4, from + 8);
            if property == "M  CHG" {
                // One such line replaces all charges of the atom lines.
                if !std::mem::replace(&mut charges_cleared, true) {
                    drawing.atoms.iter_mut().for_each(|atom| atom.charge = 0);
                }
                drawing.atoms[index as usize].charge = charge(at, value)?;
            } else {
                drawing.atoms[index as usize].isotope = Some(number(at, "an isotope", value)? as u16);
            }
        }
    }
    Ok(drawing)
}

/// The index of an atom that is numbered from 1.
fn atom_at(line: usize, found: &str, num_atoms: usize) -> Outcome<u32> {
    match found.parse::<usize>() {
        Ok(number) if (1..=num_atoms).contains(&number) => Ok(number as u32 - 1),
        _ => Err(MolBlockError::NoSuchAtom { line: line + 1, atom: found.to_owned() }),
    }
}

/// Lines of the extended format: without their prefix, continued ones joined, with the line they start at.
fn v30_lines(lines: &[String]) -> Vec<(usize, String)> {
    let mut joined: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in lines.iter().enumerate().skip(4) {
        let Some(content) = line.strip_prefix("M  V30 ") else { continue };
        let (content, continued) = content.trim_end().strip_suffix('-').map_or((content, false), |rest| (rest, true));
        match joined.last_mut() {
            Some((_, last)) if goes_on => last.push_str(content),
            _ => joined.push((at, content.to_owned())),
        }
        goes_on = continued;
    }
    joined
}

fn v3000(lines: &[String]) -> Outcome<Drawing> {
    let mut drawing = Drawing::default();
    let mut index = std::collections::BTreeMap::new();
    let mut section = "";
    for (at, line) in &v30_lines(lines) {
        let at = *at;
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("BEGIN"), Some(name)) => {
                section = match name {
                    "ATOM" => "ATOM",
                    "BOND" => "BOND",
                    _ => "",
                };
            }
            (Some("END"), _) => section = "",
            (Some(id), Some(symbol)) if section == "ATOM" => {
                let mut atom = atom(at, symbol)?;
                for word in words.skip(4) {
                    match word.split_once('=') {
                        Some(("CHG", value)) => atom.charge = charge(at, value)?,
                        Some(("MASS", value)) => atom.isotope = Some(number(at, "an isotope", value)? as u16),
                        Some(("VAL", value)) => atom.valence = valence(at, value)?,
                        _ => {}
                    }
                }
                index.insert(id.to_owned(), drawing.atoms.len() as u32);
                drawing.atoms.push(atom);
            }
            (Some(_), Some(kind)) if section == "BOND" => {
                let order = bond_order(at, kind)?;
                let mut end = || {
                    let word = words.next().unwrap_or("");
                    let missing = || MolBlockError::NoSuchAtom { line: at + 1, atom: word.to_owned() };
                    index.get(word).copied().ok_or_else(missing)
                };
                let (from, to) = (end()?, end()?);
                drawing.bonds.push((from, to, order));
            }
            _ => {}
        }
    }
    if drawing.atoms.is_empty() {
        return Err(MolBlockError::Ends { what: "an atom" });
    }
    Ok(drawing)
}

#[cfg(test)]
mod tests;
