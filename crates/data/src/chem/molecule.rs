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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Molecule {
    /// The atoms, in the order of the source.
    pub atoms: Vec<Atom>,
    /// The bonds, in the order of the source.
    pub bonds: Vec<Bond>,
}
