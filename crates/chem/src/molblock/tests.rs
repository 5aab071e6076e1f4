use super::*;

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn parse(text: &str) -> Outcome<Molecule> {
    parse_mol_block(&lines(text), false)
}

fn symbols(molecule: &Molecule) -> String {
    molecule.atoms.iter().map(|a| a.element.symbol()).collect()
}

/// A V2000 atom line with everything behind the symbol as given.
fn v2000_atom(symbol: &str, rest: &str) -> String {
    format!("    0.0000    0.0000    0.0000 {symbol:<3}{rest}\n")
}

fn v2000(atoms: &[String], bonds: &str, properties: &str) -> String {
    let counts = format!("{:>3}{:>3}  0  0  0  0  0  0  0  0999 V2000\n", atoms.len(), bonds.lines().count());
    format!("title\n  program\n\n{counts}{}{bonds}{properties}M  END\n", atoms.concat())
}

#[test]
fn both_versions_read_the_same_ring() {
    let atoms: Vec<String> = (0..6).map(|_| v2000_atom("C", " 0  0")).collect();
    let old = v2000(&atoms, "  1  2  2\n  2  3  1\n  3  4  2\n  4  5  1\n  5  6  2\n  1  6  1\n", "");
    let aromatic = v2000(&atoms, "  1  2  4\n  2  3  4\n  3  4  4\n  4  5  4\n  5  6  4\n  1  6  4\n", "");
    let new = "title\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 6 6 0 0 0\n\
        M  V30 BEGIN ATOM\nM  V30 10 C 0 0 0 0\nM  V30 20 C 0 0 0 0\nM  V30 30 C 0 0 0 0\nM  V30 40 C -\n\
        M  V30 0 0 0 0\nM  V30 50 C 0 0 0 0\nM  V30 60 C 0 0 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\n\
        M  V30 1 2 10 20\nM  V30 2 1 20 30\nM  V30 3 2 30 40\nM  V30 4 1 40 50\nM  V30 5 2 50 60\n\
        M  V30 6 1 10 60\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n";
    let benzene = parse(&old).unwrap();
    assert!(benzene.bonds.iter().all(|bond| bond.order == BondOrder::Aromatic));
    assert!(benzene.atoms.iter().all(|atom| atom.aromatic && atom.hydrogens == 1));
    assert_eq!(parse(&aromatic).unwrap(), benzene);
    assert_eq!(parse(new).unwrap(), benzene);
}

#[test]
fn charges_come_from_the_atom_line_or_from_properties() {
    let atoms = [v2000_atom("N", " 0  3"), v2000_atom("O", " 0  5")];
    let charges = |text: &str| parse(text).unwrap().atoms.iter().map(|a| a.charge).collect::<Vec<_>>();
    assert_eq!(charges(&v2000(&atoms, "", "")), [1, -1]);
    assert_eq!(charges(&v2000(&atoms, "", "M  CHG  1   2   1\n")), [0, 1]);
    assert_eq!(
        charges("t\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN ATOM\nM  V30 1 Fe 0 0 0 0 CHG=2\n"),
        [2]
    );
}

#[test]
fn drawn_hydrogens_fold_unless_they_are_isotopes_or_asked_for() {
    let text = v2000(&[v2000_atom("O", ""), v2000_atom("H", ""), v2000_atom("H", "")], "  1  2  1\n  1  3  1\n", "");
    let water = parse(&text).unwrap();
    assert_eq!((symbols(&water).as_str(), water.atoms[0].hydrogens), ("O", 2));
    assert_eq!(symbols(&parse_mol_block(&lines(&text), true).unwrap()), "OHH");
    let heavy = v2000(&[v2000_atom("O", ""), v2000_atom("D", ""), v2000_atom("H", "")], "  1  2  1\n  1  3  1\n", "");
    assert_eq!(symbols(&parse(&heavy).unwrap()), "OH");
}

#[test]
fn a_given_valence_fixes_the_hydrogens() {
    let hydrogens = |rest: &str| parse(&v2000(&[v2000_atom("C", rest)], "", "")).unwrap().atoms[0].hydrogens;
    assert_eq!(hydrogens(""), 4);
    assert_eq!(hydrogens(" 0  0  0  0  0  2"), 2);
    assert_eq!(hydrogens(" 0  0  0  0  0 15"), 0);
}

#[test]
fn a_group_is_a_wildcard() {
    assert_eq!(symbols(&parse(&v2000(&[v2000_atom("R#", ""), v2000_atom("R1", "")], "", "")).unwrap()), "**");
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let carbons = [v2000_atom("C", ""), v2000_atom("C", "")];
    let cases: [(&str, String); 11] = [
        ("a line of counts must follow, but the mol block ends", "title\n".into()),
        ("line 4 of the mol block: the number of atoms must be a whole number, but is \"x\"", "t\n\n\nx\n".into()),
        ("an atom must follow, but the mol block ends", "t\n\n\n  1  0\n".into()),
        ("a bond must follow, but the mol block ends", format!("t\n\n\n  1  1\n{}", carbons[0])),
        ("line 5 of the mol block: the atom must be an element, but is \"Xx\"", v2000(&[v2000_atom("Xx", "")], "", "")),
        ("line 7 of the mol block: there is no atom 3", v2000(&carbons, "  1  3  1\n", "")),
        (
            "line 7 of the mol block: the type of a bond must be 1, 2, 3, 4 or 9, but is \"8\"",
            v2000(&carbons, "  1  2  8\n", ""),
        ),
        ("atoms 1 and 1 must be two and share one bond", v2000(&carbons, "  1  1  1\n", "")),
        ("atoms 2 and 1 must be two and share one bond", v2000(&carbons, "  1  2  1\n  2  1  1\n", "")),
        (
            "line 5 of the mol block: the charge code must be from 0 to 7, but is \"9\"",
            v2000(&[v2000_atom("C", " 0  9")], "", ""),
        ),
        ("line 7 of the mol block: there is no atom 0", v2000(&carbons, "", "M  CHG  1   0   1\n")),
    ];
    for (wanted, text) in cases {
        assert_eq!(parse(&text).unwrap_err().to_string(), wanted);
    }
    let five: String = (2..7).map(|to| format!("  1{to:>3}  1\n")).collect::<Vec<_>>().concat();
    let atoms: Vec<String> = (0..6).map(|_| v2000_atom("C", "")).collect();
    let valence = parse(&v2000(&atoms, &five, ""));
    assert!(matches!(valence, Err(MolBlockError::Chemistry(SmilesError::Chemistry { .. }))));
}

#[test]
fn lines_cut_inside_a_letter_do_not_crash() {
    assert!(parse("é\né\né\nééé\nééééééééééééééééééééééééééé").is_err());
    let atoms = "é".repeat(32);
    assert!(parse(&format!("t\n\n\n  1  0\n{atoms}\nM  CHG\nM  CHGé\n")).is_err());
}

#[test]
fn another_version_is_refused_and_none_is_the_old_one() {
    let text = v2000(&[v2000_atom("C", " 0  0")], "", "");
    assert_eq!(symbols(&parse(&text.replace(" V2000", "")).unwrap()), "C");
    let refused = parse(&text.replace("V2000", "V9000")).unwrap_err().to_string();
    assert_eq!(refused, "line 4 of the mol block: the version must be V2000 or V3000, but is \"V9000\"");
}
