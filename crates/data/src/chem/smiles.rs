//! SMILES in, [`Molecule`] out: a thin adapter over the chematic crates.
//!
//! Promise: the atoms, charges, hydrogen counts, aromatic flags and bonds are those of RDKit's
//! `MolFromSmiles`, and what RDKit rejects (valences, rings that cannot be kekulized) is an error.
//! chematic parses; its port of RDKit's `removeHs` and `sanitizeMol` perceives. Added here: doubled
//! backslashes collapse to one, limits for hostile input, and a last line of defence that turns a
//! panic of the library into an error (none is known).
//!
//! Does not keep stereo chemistry, isotopes or atom maps. Tested against `testdata/rdkit_smiles.tsv`.

use super::element::Element;
use super::molecule::{Atom, Bond, BondOrder, Molecule};
use crate::read::options::Hydrogens;
use chematic_core as core;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Longest SMILES that is read, in bytes. Perception costs more than linear time.
pub const MAX_LENGTH: usize = 20_000;
/// Largest number of independent rings that is perceived.
pub const MAX_RINGS: usize = 200;

/// Why a SMILES string is not a molecule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SmilesError {
    /// Nothing but blanks.
    #[error("a molecule must have atoms, but the SMILES is empty")]
    Empty,
    /// Too long to be read in reasonable time.
    #[error("a SMILES may have at most {MAX_LENGTH} characters, got {length}")]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// Too many rings to be perceived in reasonable time.
    #[error("a molecule may have at most {MAX_RINGS} independent rings, got {rings}")]
    TooManyRings {
        /// How many it has.
        rings: usize,
    },
    /// The text does not follow the grammar.
    #[error("{reason}")]
    Syntax {
        /// What the parser found, and where.
        reason: String,
    },
    /// The text is fine, the chemistry is not: a valence is exceeded or an aromatic ring has no
    /// alternating double bonds.
    #[error("{reason}")]
    Chemistry {
        /// Which atom, and what is wrong with it.
        reason: String,
    },
    /// The library behind this adapter failed: a bug, not bad input.
    #[error("the SMILES parser failed on this string; please report it")]
    Crashed,
}

/// Reads one SMILES string.
///
/// ```
/// use einsicht_data::chem::{BondOrder, parse_smiles};
/// let phenol = parse_smiles("OC1=CC=CC=C1").unwrap();
/// assert_eq!(phenol.atoms.len(), 7);
/// assert_eq!(phenol.bonds.iter().filter(|b| b.order == BondOrder::Aromatic).count(), 6);
/// assert!(parse_smiles("CO(C)C").is_err());
/// ```
pub fn parse_smiles(text: &str) -> Result<Molecule, SmilesError> {
    parse_smiles_with(text, Hydrogens::Drop)
}

/// Reads one SMILES string; with [`Hydrogens::Keep`], hydrogens that are written as atoms stay atoms.
pub fn parse_smiles_with(text: &str, hydrogens: Hydrogens) -> Result<Molecule, SmilesError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(SmilesError::Empty);
    }
    if text.len() > MAX_LENGTH {
        return Err(SmilesError::TooLong { length: text.len() });
    }
    // Some tables escape the backslash of a directed bond; RDKit reads two as one, and so do we.
    let text = if text.contains(r"\\") { Cow::Owned(text.replace(r"\\", r"\")) } else { Cow::Borrowed(text) };
    // The template parser leaves the valence check to the sanitizer, whose verdict is RDKit's.
    guarded(|| {
        let parsed = chematic_smiles::parse_template(&text);
        perceive(parsed.map_err(|e| SmilesError::Syntax { reason: e.to_string() })?, hydrogens)
    })
}

/// Turns a panic of the library into an error.
fn guarded(work: impl FnOnce() -> Result<Molecule, SmilesError>) -> Result<Molecule, SmilesError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(SmilesError::Crashed))
}

/// Sanitizes a parsed molecule as RDKit does.
fn perceive(mut parsed: core::Molecule, hydrogens: Hydrogens) -> Result<Molecule, SmilesError> {
    let rings = (parsed.bond_count() + 1).saturating_sub(parsed.atom_count());
    if rings > MAX_RINGS {
        return Err(SmilesError::TooManyRings { rings });
    }
    // An atom H without a count of its own hydrogens is how the library marks those that must stay.
    for id in (0..parsed.atom_count() as u32).map(core::AtomIdx) {
        let atom = parsed.atom(id);
        if atom.element == core::Element::H && !atom.wildcard {
            parsed.set_hydrogen_count(id, if hydrogens == Hydrogens::Keep { None } else { Some(0) });
        }
    }
    let model = chematic_smiles::rdkit_sanitized_model(&parsed).map_err(|e| match e {
        chematic_smiles::RdkitSmilesError::Unsupported(reason) => SmilesError::Syntax { reason },
        chematic_smiles::RdkitSmilesError::Sanitization(reason) => SmilesError::Chemistry { reason },
    })?;
    let mut molecule = Molecule::default();
    let mut index = vec![u32::MAX; parsed.atom_count()];
    for (id, atom) in parsed.atoms() {
        let Some((aromatic, charge, hydrogens)) = model.atoms[id.0 as usize] else { continue };
        index[id.0 as usize] = molecule.atoms.len() as u32;
        molecule.atoms.push(Atom { element: element(atom), charge, aromatic, hydrogens });
    }
    for (id, bond) in parsed.bonds() {
        let Some(order) = model.bonds[id.0 as usize] else { continue };
        molecule.bonds.push(Bond {
            from: index[bond.atom1.0 as usize],
            to: index[bond.atom2.0 as usize],
            order: bond_order(order),
        });
    }
    Ok(molecule)
}

fn element(atom: &core::Atom) -> Element {
    if atom.wildcard {
        Element::WILDCARD
    } else {
        Element::from_number(atom.element.atomic_number()).unwrap_or(Element::WILDCARD)
    }
}

fn bond_order(order: core::BondOrder) -> BondOrder {
    match order {
        core::BondOrder::Double => BondOrder::Double,
        core::BondOrder::Triple => BondOrder::Triple,
        core::BondOrder::Quadruple => BondOrder::Quadruple,
        core::BondOrder::Aromatic => BondOrder::Aromatic,
        core::BondOrder::Dative => BondOrder::Dative,
        _ => BondOrder::Single,
    }
}

#[cfg(test)]
mod tests;
