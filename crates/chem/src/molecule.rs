//! A molecule: atoms and bonds, after perception.
//!
//! Promise: the bonds join different atoms of the molecule, each pair at most once; aromatic bonds
//! join aromatic atoms. Aromaticity is RDKit's, hydrogens that RDKit folds into their neighbour are
//! counted there. Stereo chemistry is not kept. Several components (salts) are one molecule.

use super::element::Element;

/// An atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Which element, or the wildcard.
    pub element: Element,
    /// Formal charge.
    pub charge: i8,
    /// Whether it is part of an aromatic ring.
    pub aromatic: bool,
    /// Number of hydrogens that are not atoms of the molecule, written or implied.
    pub hydrogens: u8,
}

/// What kind of bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BondOrder {
    /// One pair of electrons.
    Single,
    /// Two pairs.
    Double,
    /// Three pairs.
    Triple,
    /// Four pairs, between some metals.
    Quadruple,
    /// In an aromatic ring.
    Aromatic,
    /// Both electrons from one side, to a metal as a rule.
    Dative,
}

impl BondOrder {
    /// The label of such an edge.
    pub fn token(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Double => "double",
            Self::Triple => "triple",
            Self::Quadruple => "quadruple",
            Self::Aromatic => "aromatic",
            Self::Dative => "dative",
        }
    }

    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 6] =
        [Self::Single, Self::Double, Self::Triple, Self::Quadruple, Self::Aromatic, Self::Dative];
}

/// A bond between two atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bond {
    /// Index of one atom.
    pub from: u32,
    /// Index of the other.
    pub to: u32,
    /// Kind of bond.
    pub order: BondOrder,
}

/// Atoms and bonds.
///
/// ```
/// use einsicht_chem::parse_smiles;
/// let salt = parse_smiles("[Na+].CC(=O)[O-]").unwrap();
/// assert_eq!(salt.largest_fragment(), parse_smiles("CC(=O)[O-]").unwrap());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Molecule {
    /// The atoms, in the order of the source.
    pub atoms: Vec<Atom>,
    /// The bonds, in the order of the source.
    pub bonds: Vec<Bond>,
}

impl Molecule {
    /// The connected fragment with the most atoms; of equally large ones the first.
    #[must_use]
    pub fn largest_fragment(&self) -> Self {
        let mut fragment: Vec<usize> = (0..self.atoms.len()).collect();
        // Few bonds are far from the order of their atoms, so a few rounds are enough.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for bond in &self.bonds {
                let (from, to) = (bond.from as usize, bond.to as usize);
                let least = fragment[from].min(fragment[to]);
                changed |= fragment[from] != least || fragment[to] != least;
                fragment[from] = least;
                fragment[to] = least;
            }
        }
        let mut sizes = vec![0_usize; self.atoms.len()];
        for &first in &fragment {
            sizes[first] += 1;
        }
        let best = (0..sizes.len()).rev().max_by_key(|&first| sizes[first]).unwrap_or(0);
        let mut moved = vec![None; self.atoms.len()];
        let mut kept = Self::default();
        for (at, atom) in self.atoms.iter().enumerate().filter(|&(at, _)| fragment[at] == best) {
            moved[at] = Some(kept.atoms.len() as u32);
            kept.atoms.push(*atom);
        }
        for bond in &self.bonds {
            if let (Some(from), Some(to)) = (moved[bond.from as usize], moved[bond.to as usize]) {
                kept.bonds.push(Bond { from, to, order: bond.order });
            }
        }
        kept
    }
}
