//! Our reading of 366 hard SMILES strings equals RDKit's, line by line: `testdata/rdkit_smiles.tsv`.
//!
//! `python/tests/against_libraries/test_rdkit_smiles.py` checks the other half: that the file says what RDKit says.

use einsicht_data::chem::{Molecule, parse_smiles};

fn line(molecule: &Molecule) -> String {
    let atoms = molecule.atoms.iter();
    let atoms = atoms.map(|a| format!("{},{},{},{}", a.element.number(), a.charge, u8::from(a.aromatic), a.hydrogens));
    let bonds = molecule.bonds.iter().map(|b| (b.from.min(b.to), b.from.max(b.to), b.order.token()));
    let mut bonds: Vec<_> = bonds.collect();
    bonds.sort_unstable();
    let bonds = bonds.iter().map(|(from, to, order)| format!("{from},{to},{order}"));
    format!("{}\t{}", atoms.collect::<Vec<_>>().join(" "), bonds.collect::<Vec<_>>().join(" "))
}

#[test]
fn every_line_agrees_with_rdkit() {
    let text = include_str!("../../../testdata/rdkit_smiles.tsv");
    let mut lines = text.lines();
    assert!(lines.next().is_some_and(|first| first.starts_with("# RDKit 20")));
    let (mut molecules, mut rejected) = (0, 0);
    for wanted in lines {
        let (smiles, wanted) = wanted.split_once('\t').unwrap();
        match parse_smiles(smiles) {
            Ok(molecule) => {
                molecules += 1;
                assert_eq!(line(&molecule), wanted, "{smiles}");
            }
            Err(error) => {
                rejected += 1;
                assert_eq!(wanted, "!", "{smiles}: {error}");
            }
        }
    }
    assert!(molecules >= 300 && rejected >= 20, "{molecules} molecules, {rejected} rejected");
}
