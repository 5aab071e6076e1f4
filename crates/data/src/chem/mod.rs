//! Molecules: how SMILES and mol blocks become labelled graphs, and how patterns become SMARTS.
//!
//! Only `smiles` uses the chemistry library (feature `smiles`, on by default): everything else here works on our own
//! [`Molecule`] or on plain labelled graphs.

pub(crate) mod element;
#[cfg(feature = "smiles")]
mod fast_sanitizer;
mod labels;
#[cfg(feature = "smiles")]
mod molblock;
mod molecule;
mod scaffold;
mod smarts;
#[cfg(feature = "smiles")]
mod smiles;

pub use element::Element;
pub use labels::add_molecule;
pub(crate) use labels::{CHARGE, HYDROGENS};
#[cfg(feature = "smiles")]
pub use molblock::parse_mol_block;
pub use molecule::{Atom, Bond, BondOrder, Molecule};
pub use scaffold::scaffold_groups;
pub use smarts::{SmartsError, element_of_label};
pub(crate) use smarts::{has_aromatic_labels, has_charged_labels, parse_label, read_smarts, smarts_of};
#[cfg(feature = "smiles")]
pub use smiles::{SmilesError, parse_smiles, parse_smiles_with};
