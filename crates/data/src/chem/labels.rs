//! A molecule as a labelled graph.
//!
//! A vertex label is the element symbol, `*` for the wildcard. Options add, in this order: aromatic atoms in lower case
//! (`c`, `se`), hydrogens as `H` and their number (`CH3`, `OH0`), the charge where there is one (`N+`, `Ca+2`). An edge
//! label is the word for the kind of bond. Hydrogens and charge are properties of the vertex too, whatever the label
//! says. Tested with `chem::smarts`, which parses labels.

use crate::read::builder::DatasetBuilder;
use crate::read::options::MoleculeLabels;
use einsicht_chem::Element;
use einsicht_chem::{Atom, Molecule};
use einsicht_graph::GraphError;
use std::fmt::Write;

/// Adds the atoms and bonds of a molecule to the current graph of a builder.
pub fn add_molecule(
    builder: &mut DatasetBuilder<'_>,
    molecule: &Molecule,
    labels: MoleculeLabels,
) -> Result<(), GraphError> {
    let plain = labels == MoleculeLabels::default();
    let mut word = String::new();
    for atom in &molecule.atoms {
        if plain {
            builder.vertex(atom.element.symbol())?;
        } else {
            write_token(&mut word, *atom, labels);
            builder.vertex(&word)?;
        }
    }
    for bond in &molecule.bonds {
        builder.edge(bond.from, bond.to, bond.order.token())?;
    }
    add_properties(builder, molecule);
    Ok(())
}

/// Property of the molecule readers: all hydrogens of an atom, whether they are vertices or not, as `H` counts in
/// SMARTS.
pub(crate) const HYDROGENS: &str = "hydrogens";
/// Property of the molecule readers: the formal charge, where there is one.
pub(crate) const CHARGE: &str = "charge";

/// What patterns may require of an atom beyond label and bonds.
fn add_properties(builder: &mut DatasetBuilder<'_>, molecule: &Molecule) {
    let (hydrogens, charge) = (builder.add_property(HYDROGENS), builder.add_property(CHARGE));
    let mut counts: Vec<u32> = molecule.atoms.iter().map(|atom| u32::from(atom.hydrogens)).collect();
    for bond in &molecule.bonds {
        for (here, there) in [(bond.from, bond.to), (bond.to, bond.from)] {
            let is_hydrogen = molecule.atoms[there as usize].element == Element::HYDROGEN;
            counts[here as usize] += u32::from(is_hydrogen);
        }
    }
    for (vertex, (atom, count)) in (0..).zip(molecule.atoms.iter().zip(counts)) {
        match DIGITS.get(count as usize) {
            Some(digit) => builder.property(hydrogens, vertex, digit),
            None => builder.property(hydrogens, vertex, &count.to_string()),
        }
        if atom.charge != 0 {
            builder.property(charge, vertex, &atom.charge.to_string());
        }
    }
}

const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

fn write_token(word: &mut String, atom: Atom, labels: MoleculeLabels) {
    word.clear();
    word.push_str(atom.element.symbol());
    if labels.aromatic && atom.aromatic {
        word.make_ascii_lowercase();
    }
    // Writing to a string cannot fail.
    if labels.hydrogens {
        let _ = write!(word, "H{}", atom.hydrogens);
    }
    match atom.charge {
        _ if !labels.charge => {}
        0 => {}
        1 => word.push('+'),
        -1 => word.push('-'),
        charge => {
            let _ = write!(word, "{charge:+}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chem::smarts::parse_label;

    #[test]
    fn a_label_has_what_the_options_name() {
        let atom = Atom { element: Element::from_symbol("Se").unwrap(), charge: 1, aromatic: true, hydrogens: 1 };
        let token = |charge, aromatic, hydrogens| {
            let mut word = String::new();
            write_token(&mut word, atom, MoleculeLabels { charge, aromatic, hydrogens });
            word
        };
        assert_eq!(token(false, false, false), "Se");
        assert_eq!(token(true, false, false), "Se+");
        assert_eq!(token(true, true, true), "seH1+");
    }

    #[test]
    fn every_label_can_be_parsed() {
        let all = MoleculeLabels { charge: true, aromatic: true, hydrogens: true };
        let mut word = String::new();
        for number in 0..=118 {
            for (charge, aromatic, hydrogens) in [(0, false, 0), (1, false, 12), (-1, false, 1), (-3, true, 3)] {
                let element = Element::from_number(number).unwrap();
                let aromatic = aromatic && [5, 6, 7, 8, 14, 15, 16, 33, 34, 52].contains(&number);
                write_token(&mut word, Atom { element, charge, aromatic, hydrogens }, all);
                let label = parse_label(&word).unwrap();
                assert_eq!((label.element, label.aromatic), (element, aromatic), "{word}");
                assert_eq!((label.hydrogens, label.charge.unwrap_or(0)), (Some(hydrogens), charge), "{word}");
            }
        }
    }
}
