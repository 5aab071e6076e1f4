//! Molecules: how SMILES and mol blocks become labelled graphs, and how patterns become SMARTS.
//!
//! `smiles` is the only door to the chemistry library behind it (feature `smiles`, on by default):
//! everything else here works on our own [`Molecule`] or on plain labelled graphs.

pub mod element;
pub mod labels;
#[cfg(feature = "smiles")]
pub mod molblock;
pub mod molecule;
#[cfg(feature = "smiles")]
mod ordinary;
pub mod scaffold;
pub mod smarts;
#[cfg(feature = "smiles")]
pub mod smiles;

pub use element::Element;
pub use labels::add_molecule;
pub use molecule::{Atom, Bond, BondOrder, Molecule};
pub use scaffold::{scaffold, scaffold_groups};
pub use smarts::{element_of_label, pattern_to_smarts};
#[cfg(feature = "smiles")]
pub use smiles::{SmilesError, parse_smiles, parse_smiles_with};
