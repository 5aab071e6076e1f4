//! SMILES in, [`Molecule`] out: a thin adapter over the chematic crates.
//!
//! Promise: the atoms, charges, hydrogen counts, aromatic flags and bonds are those of RDKit's
//! `MolFromSmiles`, and what RDKit rejects (valences, rings that cannot be kekulized) is an error.
//! chematic parses; its port of RDKit's `removeHs` and `sanitizeMol` perceives. Added here: a strict [`grammar`],
//! limits for hostile input, and a guard that turns a panic of the library into an error (none is known).
//!
//! Does not keep stereo chemistry, isotopes or atom maps. Tested against `testdata/rdkit_smiles.tsv`.

mod grammar;

use crate::element::Element;
use crate::fast_sanitizer;
use crate::molecule::{Atom, Bond, BondOrder, Molecule};
use chematic_core as core;
use einsicht_graph::stop::{self, Stopped};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Longest SMILES that is read, in bytes. Perception costs more than linear time.
pub(super) const MAX_LENGTH: usize = 20_000;
/// Largest number of independent rings of one ring system: RDKit's rules try combinations of six.
pub(super) const MAX_RINGS: usize = 40;
/// Largest number of wildcards inside a molecule: RDKit's rules try combinations of those in rings.
pub(super) const MAX_WILDCARDS: usize = 16;

/// Why a SMILES string is not a molecule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum SmilesError {
    #[error("a molecule must have atoms, but the SMILES is empty")]
    Empty,
    #[error("a SMILES may have at most {MAX_LENGTH} characters, got {length}")]
    TooLong { length: usize },
    #[error("a molecule may have at most {most} {what}, got {got}")]
    TooMany { what: &'static str, most: usize, got: usize },
    #[error("{reason}")]
    Syntax { reason: String },
    #[error("{reason}")]
    Chemistry { reason: String },
    #[error("the SMILES parser failed on this string; please report it")]
    Crashed,
}

/// Reads one SMILES string.
///
/// ```
/// use einsicht_chem::{BondOrder, parse_smiles};
/// let phenol = parse_smiles("OC1=CC=CC=C1").unwrap();
/// assert_eq!(phenol.atoms.len(), 7);
/// assert_eq!(phenol.bonds.iter().filter(|b| b.order == BondOrder::Aromatic).count(), 6);
/// assert!(parse_smiles("CO(C)C").is_err());
/// ```
pub fn parse_smiles(text: &str) -> Result<Molecule, SmilesError> {
    parse_smiles_with(text, false)
}

/// Reads one SMILES string; with `keep_hydrogens`, hydrogens that are written as atoms stay atoms.
pub fn parse_smiles_with(text: &str, keep_hydrogens: bool) -> Result<Molecule, SmilesError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(SmilesError::Empty);
    }
    if text.len() > MAX_LENGTH {
        return Err(SmilesError::TooLong { length: text.len() });
    }
    // The parser accepts more than RDKit, and reads it as something else.
    let text = grammar::checked(text).map_err(|reason| SmilesError::Syntax { reason })?;
    // The parser looks at rings at once if there is a wildcard, so that must be feasible.
    if text.contains('*') {
        let closures = text.bytes().filter(u8::is_ascii_digit).count() / 2;
        if closures > 2 * MAX_RINGS {
            return Err(SmilesError::TooMany { what: "rings beside a wildcard", most: 2 * MAX_RINGS, got: closures });
        }
    }
    // The template parser leaves the valence check to the sanitizer, whose verdict is RDKit's.
    guarded(|| {
        let parsed = chematic_smiles::parse_template(&text);
        perceive(parsed.map_err(|e| SmilesError::Syntax { reason: e.to_string() })?, keep_hydrogens)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrawnAtom {
    /// The element.
    pub element: Element,
    /// The isotope if it is not the usual one. A hydrogen that has one stays an atom.
    pub isotope: Option<u16>,
    /// Formal charge.
    pub charge: i8,
    /// All bonds it has, hydrogens included, if the drawing says so; else the usual number.
    pub valence: Option<u8>,
}

/// Atoms and bonds as drawn: hydrogens not counted, aromaticity not perceived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Drawing {
    /// The atoms.
    pub atoms: Vec<DrawnAtom>,
    /// Bonds between atoms, by index; a dative one comes from the atom that gives.
    pub bonds: Vec<(u32, u32, BondOrder)>,
}

impl Drawing {
    /// Finds hydrogens and aromaticity as RDKit does.
    pub(super) fn perceive(&self, keep_hydrogens: bool) -> Result<Molecule, SmilesError> {
        if self.atoms.len() > MAX_LENGTH {
            return Err(SmilesError::TooLong { length: self.atoms.len() });
        }
        guarded(|| perceive(self.to_library()?, keep_hydrogens))
    }

    /// The same in the types of the library.
    pub(super) fn to_library(&self) -> Result<core::Molecule, SmilesError> {
        let mut builder = core::MoleculeBuilder::with_capacity(self.atoms.len(), self.bonds.len());
        let mut used = vec![0_u8; self.atoms.len()];
        let mut aromatic = vec![false; self.atoms.len()];
        for &(from, to, order) in &self.bonds {
            for end in [from, to] {
                aromatic[end as usize] |= order == BondOrder::Aromatic;
                let electrons: u8 = match order {
                    BondOrder::Single | BondOrder::Aromatic => 1,
                    BondOrder::Double => 2,
                    BondOrder::Triple => 3,
                    BondOrder::Quadruple => 4,
                    // Drawn from the atom that gives both electrons.
                    BondOrder::Dative => u8::from(end == to),
                };
                used[end as usize] = electrons.saturating_add(used[end as usize]);
            }
        }
        for ((drawn, used), aromatic) in self.atoms.iter().zip(used).zip(aromatic) {
            let mut atom = match core::Element::from_atomic_number(drawn.element.number()) {
                Some(element) => core::Atom::new(element),
                None => core::Atom::wildcard(),
            };
            atom.charge = drawn.charge;
            atom.isotope = drawn.isotope;
            atom.aromatic = aromatic;
            atom.hydrogen_count = drawn.valence.map(|valence| valence.saturating_sub(used)).or(atom.hydrogen_count);
            builder.add_atom(atom);
        }
        for &(from, to, order) in &self.bonds {
            let order = match order {
                BondOrder::Single => core::BondOrder::Single,
                BondOrder::Double => core::BondOrder::Double,
                BondOrder::Triple => core::BondOrder::Triple,
                BondOrder::Quadruple => core::BondOrder::Quadruple,
                BondOrder::Aromatic => core::BondOrder::Aromatic,
                BondOrder::Dative => core::BondOrder::Dative,
            };
            let added = builder.add_bond(core::AtomIdx(from), core::AtomIdx(to), order);
            if from == to || added.is_err() {
                let reason = format!("atoms {} and {} must be two and share one bond", from + 1, to + 1);
                return Err(SmilesError::Chemistry { reason });
            }
        }
        Ok(builder.build())
    }
}

/// Turns a panic of the library into an error; a stop goes on.
fn guarded(work: impl FnOnce() -> Result<Molecule, SmilesError>) -> Result<Molecule, SmilesError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done,
        Err(payload) if payload.is::<Stopped>() => stop::resume(payload),
        Err(_) => Err(SmilesError::Crashed),
    }
}

/// Sanitizes a parsed molecule as RDKit does: on the fast path if it is ordinary.
fn perceive(parsed: core::Molecule, keep_hydrogens: bool) -> Result<Molecule, SmilesError> {
    let folded = if keep_hydrogens { None } else { fast_sanitizer::folded(&parsed) };
    match fast_sanitizer::perceive(folded.as_ref().unwrap_or(&parsed)) {
        Some(molecule) => Ok(molecule),
        None => sanitize(parsed, keep_hydrogens),
    }
}

/// Sanitizes any parsed molecule as RDKit does.
pub(super) fn sanitize(mut parsed: core::Molecule, keep_hydrogens: bool) -> Result<Molecule, SmilesError> {
    if let Some((_, bond)) = parsed.bonds().find(|(_, bond)| bond.atom1 == bond.atom2) {
        let reason = format!("a bond must join two different atoms, but one joins atom {} to itself", bond.atom1.0);
        return Err(SmilesError::Syntax { reason });
    }
    check_size(&parsed)?;
    // An atom H without a count of its own hydrogens is how the library marks those that must stay.
    for id in (0..parsed.atom_count() as u32).map(core::AtomIdx) {
        let atom = parsed.atom(id);
        if atom.element == core::Element::H && !atom.wildcard {
            let own = atom.hydrogen_count.unwrap_or(0);
            parsed.set_hydrogen_count(id, if keep_hydrogens && own == 0 { None } else { Some(own) });
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

/// Refuses molecules on which the full sanitizer would take exponential time.
fn check_size(parsed: &core::Molecule) -> Result<(), SmilesError> {
    let wildcards = parsed.atoms().filter(|(id, atom)| atom.wildcard && parsed.degree(*id) > 1).count();
    if wildcards > MAX_WILDCARDS {
        return Err(SmilesError::TooMany { what: "wildcards with two bonds", most: MAX_WILDCARDS, got: wildcards });
    }
    let rings = fast_sanitizer::most_rings_together(parsed);
    if rings > MAX_RINGS {
        return Err(SmilesError::TooMany { what: "rings in one piece", most: MAX_RINGS, got: rings });
    }
    Ok(())
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
