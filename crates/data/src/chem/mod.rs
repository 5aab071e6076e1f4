//! Molecules as labelled graphs: the words of their labels, SMARTS of patterns, scaffolds. What reads text is
//! [`einsicht_chem`].

mod labels;
mod scaffold;
mod smarts;

pub use einsicht_chem::{
    Atom, Bond, BondOrder, Element, MolBlockError, Molecule, SmilesError, parse_mol_block, parse_smiles,
    parse_smiles_with,
};
pub use labels::add_molecule;
pub(crate) use labels::{CHARGE, HYDROGENS};
pub use scaffold::scaffold_groups;
pub use smarts::{Smarts, SmartsError, element_of_label};
pub(crate) use smarts::{has_aromatic_labels, has_charged_labels, parse_label, read_smarts, smarts_of};
