//! Molecules from text: SMILES and mol blocks, as RDKit reads them. Knows no data set and no label.
//!
//! Only `smiles` and `fast_sanitizer` use the chemistry library: everything else works on our own [`Molecule`].

mod element;
mod fast_sanitizer;
mod molblock;
mod molecule;
mod smiles;

pub use element::{Element, SYMBOLS};
pub use molblock::{MolBlockError, parse_mol_block};
pub use molecule::{Atom, Bond, BondOrder, Molecule};
pub use smiles::{SmilesError, parse_smiles, parse_smiles_with};
