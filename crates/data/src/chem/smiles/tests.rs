//! What the SMILES reader makes of good, hard and broken strings.

use super::*;

fn orders(text: &str) -> Vec<BondOrder> {
    parse_smiles(text).unwrap().bonds.iter().map(|b| b.order).collect()
}

fn symbols(text: &str) -> String {
    parse_smiles(text).unwrap().atoms.iter().map(|a| a.element.symbol()).collect()
}

#[test]
fn alternating_rings_become_aromatic() {
    assert_eq!(parse_smiles("C1=CC=CC=C1"), parse_smiles("c1ccccc1"));
    assert!(orders("c1ccccc1").iter().all(|&o| o == BondOrder::Aromatic));
    assert!(orders("C1=CC=C1").iter().all(|&o| o != BondOrder::Aromatic));
}

#[test]
fn doubled_backslashes_are_one() {
    assert_eq!(parse_smiles(r"C/C=C\\C"), parse_smiles(r"C/C=C\C"));
}

#[test]
fn written_hydrogens_are_counted_on_their_atom_as_rdkit_does() {
    let methane = parse_smiles("[H]C([H])([H])[H]").unwrap();
    assert_eq!((methane.atoms.len(), methane.atoms[0].hydrogens), (1, 4));
    assert_eq!(symbols("[H][H]"), "HH");
    assert_eq!(symbols("[2H]C"), "HC");
    assert_eq!(symbols("[H+]"), "H");
}

#[test]
fn a_wildcard_is_an_element_of_its_own() {
    assert_eq!(symbols("*CC"), "*CC");
}

#[test]
fn salts_are_one_molecule_of_several_components() {
    let salt = parse_smiles("[Na+].[Cl-]").unwrap();
    assert_eq!((salt.atoms.len(), salt.bonds.len()), (2, 0));
    assert_eq!((salt.atoms[0].charge, salt.atoms[1].charge), (1, -1));
}

#[test]
fn what_rdkit_rejects_is_an_error_with_its_reason() {
    for text in ["CO(C)C", "C(C)(C)(C)(C)C", "c1cccc1", "cc", "[H]C([H])([H])([H])[H]"] {
        assert!(matches!(parse_smiles(text), Err(SmilesError::Chemistry { .. })), "{text}");
    }
    for text in [
        "C(",
        "C1CC",
        "Xx",
        "[C",
        "C==C",
        "C%1",
        "C()C",
        ".C",
        "C.",
        "C..C",
        ".",
        "🧪",
        "CC)C",
        "C.(",
        "C$%(99999999999)",
    ] {
        assert!(matches!(parse_smiles(text), Err(SmilesError::Syntax { .. })), "{text}");
    }
    assert_eq!(parse_smiles("  "), Err(SmilesError::Empty));
    let error = parse_smiles("CCO(C)C").unwrap_err().to_string();
    assert!(error.contains("atom # 2 O"), "{error}");
}

/// Rungs between two rails: so many rings of four atoms in one piece, with a metal to keep it out of the ordinary.
fn ladder(rings: usize) -> String {
    let rail = |rung: usize| format!("C%({})", rung + 100);
    let there: Vec<String> = (0..rings).map(rail).collect();
    let back: Vec<String> = (0..rings).rev().map(rail).collect();
    format!("{}CC{}[Fe]", there.concat(), back.concat())
}

#[test]
fn hostile_input_is_an_error_and_not_a_crash() {
    let long = "C".repeat(MAX_LENGTH + 1);
    assert_eq!(parse_smiles(&long), Err(SmilesError::TooLong { length: MAX_LENGTH + 1 }));
    let deep = format!("{}{}", "C(".repeat(6_000), ")".repeat(6_000));
    assert!(matches!(parse_smiles(&deep), Err(SmilesError::Syntax { .. })));
    assert_eq!(
        parse_smiles(&ladder(MAX_RINGS + 1)),
        Err(SmilesError::TooMany { what: "rings in one piece", most: MAX_RINGS, got: MAX_RINGS + 1 })
    );
    assert!(matches!(parse_smiles(&format!("c1{}c1", "*".repeat(30))), Err(SmilesError::TooMany { .. })));
    assert!(matches!(parse_smiles(&format!("*{}", "C1CC1".repeat(3_000))), Err(SmilesError::TooMany { .. })));
    let bonds = format!("C{}", "1".repeat(1_000));
    assert!(parse_smiles(&bonds).is_err());
}
