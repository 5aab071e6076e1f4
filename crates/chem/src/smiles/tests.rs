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
    assert_eq!(parse_smiles("[HH]").unwrap().atoms[0].hydrogens, 1);
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

#[test]
fn what_is_no_smiles_is_refused_with_what_must_come_and_where() {
    let message = |text: &str| parse_smiles(text).unwrap_err().to_string();
    let wanted = [
        ("CC(=)N", "an atom must stand at the start of a branch, but character 5 is ')'"),
        (
            "C=(O)N",
            "an atom must follow a bond, and one to a branch stands in it, as in C(=O)N, but character 3 is '('",
        ),
        ("C==C", "an atom or a ring number must follow a bond, but character 3 is '='"),
        ("CC=", "an atom or a ring number must follow a bond, but the SMILES ends after character 3"),
        ("C.", "an atom must follow a dot, but the SMILES ends after character 2"),
        ("CC(C", "the branch that opens at character 3 must be closed by a )"),
        ("CC)C", "a branch must open before it closes at character 3"),
        ("C1CC", "ring 1 must be closed by a second 1, but only opens, at character 2"),
        ("C%01", "two digits must follow %, the first of them not 0, but character 3 is '0'"),
        ("C%(x)", "one to five digits and a ) must follow %(, but character 4 is 'x'"),
        ("[Co-04]", "the number at character 5 must have at most 2 digits and no zero in front, but is 04"),
        ("[#119]", "an element must have a number up to 118, but the one at character 2 has 119"),
        ("[C:]", "a number must come next, but character 4 is ']'"),
        (
            "[C+-]",
            "brackets must hold isotope, element, chirality, hydrogens, charge and a number after a colon, in this \
             order, and be closed, but character 4 is '-'",
        ),
        ("[u]", "an element must stand in brackets, but character 2 is 'u'"),
        ("C(C.O)C", "a dot must be outside branches, but the one at character 4 is in the branch from character 2"),
        ("C~C", "a bond must be of one kind, but the one at character 2 is ~, any bond: write - = # : $ / \\ -> or <-"),
    ];
    for (text, reason) in wanted {
        assert_eq!(message(text), reason, "{text}");
    }
    for (text, part) in [
        ("CCO ethanol", "character 4 is a blank: leave out what follows, a name does not belong to it"),
        ("CCO |$a;b;c$|", "character 4 is a blank: leave out what follows, extensions of CXSMILES are not read"),
        ("C@C", "character 2 is '@': chirality stands in brackets, as in [C@H]"),
        ("CH3", "character 2 is 'H': hydrogens stand in brackets, as in [CH3]"),
        ("NaCl", "character 2 is 'a': elements other than B C N O P S F Cl Br I stand in brackets, as in [Na]"),
        ("[C", "in this order, and be closed, but the SMILES ends after character 2"),
    ] {
        assert!(message(text).ends_with(part), "{text}: {}", message(text));
    }
}

#[test]
fn ring_numbers_and_elements_may_be_spelt_as_rdkit_allows() {
    for (text, same) in
        [("C%(10)CC%10", "C1CC1"), ("C%(00001)CC1", "C1CC1"), ("[#6]", "[C]"), ("[13#6H3]O", "[13CH3]O")]
    {
        assert_eq!(parse_smiles(text), parse_smiles(same), "{text}");
    }
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
