use super::*;
use crate::smiles::{Drawing, DrawnAtom, sanitize};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;

fn parse(text: &str) -> Option<core::Molecule> {
    chematic_smiles::parse_template(&text.replace(r"\\", r"\")).ok()
}

fn full(parsed: &core::Molecule) -> Option<Molecule> {
    sanitize(parsed.clone(), false).ok()
}

/// Aromatic flags of atoms as a line of `testdata/rdkit_smiles.tsv` gives them.
fn flags(atoms: &str) -> Vec<bool> {
    atoms.split(' ').map(|atom| atom.split(',').nth(2) == Some("1")).collect()
}

#[test]
fn the_short_way_agrees_with_rdkit_and_with_the_full_sanitizer() {
    let text = include_str!("../../../../testdata/rdkit_smiles.tsv");
    let (mut short, mut library_errs) = (0, 0);
    for line in text.lines().skip(1) {
        let mut columns = line.split('\t');
        let (smiles, atoms) = (columns.next().unwrap(), columns.next().unwrap());
        let Some(parsed) = parse(smiles) else { continue };
        let Some(molecule) = perceive(&parsed) else { continue };
        // What RDKit rejects for its grammar alone is refused before perception.
        if atoms == "!" {
            continue;
        }
        short += 1;
        let found: Vec<bool> = molecule.atoms.iter().map(|atom| atom.aromatic).collect();
        assert_eq!(found, flags(atoms), "{smiles}");
        if full(&parsed).as_ref() != Some(&molecule) {
            library_errs += 1;
        }
    }
    // The library takes an oxygen or sulphur out of its small ring if it meets a large one first; RDKit does not.
    assert!(short >= 120, "{short}");
    assert_eq!(library_errs, 7);
}

#[test]
fn what_is_out_of_the_ordinary_is_left_to_the_full_sanitizer() {
    for text in
        ["*C", "[H]C", "[Fe]C", "CN(=O)=O", "[CH2]", "C[C-](C)C", "c1cccc1", "cc", "N->[Pt]", "OP(=O)=C", "c1cc[se]c1"]
    {
        assert!(perceive(&parse(text).unwrap()).is_none(), "{text}");
    }
}

#[test]
fn written_hydrogens_fold_unless_rdkit_might_keep_one() {
    let count = |text: &str| folded(&parse(text).unwrap()).map(|molecule| molecule.atom_count());
    assert_eq!(count("[H]OC([H])([H])[H]"), Some(2));
    for text in ["CO", "[H][H]", "[2H]C", "[H+].C", "[H]/N=C/C", "[H]*", "[H]"] {
        assert_eq!(count(text), None, "{text}");
    }
    for text in
        ["[H]OC([H])([H])[H]", "[H]c1c([H])c([H])n([H])c1", "[H][N+]([H])([H])C", "[H]C([H])C", "[H]C1=C([H])C=CC=C1"]
    {
        let parsed = parse(text).unwrap();
        if let Some(molecule) = perceive(&folded(&parsed).unwrap()) {
            assert_eq!(Some(molecule), full(&parsed), "{text}");
        }
    }
}

#[test]
fn fused_rings_share_their_electrons() {
    let aromatic = |text: &str| {
        let molecule = perceive(&parse(text).unwrap()).unwrap();
        molecule.bonds.iter().filter(|bond| bond.order == BondOrder::Aromatic).count()
    };
    assert_eq!(aromatic("C1=CC2=CC=CC=C2C=C1"), 11); // naphthalene: every bond
    assert_eq!(aromatic("C1=CC2=CC=CC=CC2=C1"), 10); // azulene: the rim
    assert_eq!(aromatic("C1=CC=CC=CC=C1"), 0);
    assert_eq!(aromatic("O=C1C=CC(=O)C=C1"), 0);
    assert_eq!(aromatic("O=C1C=CC=CN1"), 6);
    assert_eq!(aromatic("C1CC2CCC1CC2"), 0);
}

/// Fused rings drawn with single and double bonds, of carbon and nitrogen, some with oxygen outside.
fn drawing() -> impl Strategy<Value = Drawing> {
    let fusions = prop::collection::vec((any::<prop::sample::Index>(), 1..6_usize), 0..5);
    let elements = prop::collection::vec(prop::sample::select(vec![6_u8, 6, 6, 6, 7]), 60);
    (3..11_usize, fusions, elements, prop::collection::vec(0..100_u32, 120), 40..101_u32).prop_map(
        |(first, fusions, elements, dice, share)| {
            let mut pairs: Vec<(u32, u32)> = (0..first as u32).map(|at| (at, (at + 1) % first as u32)).collect();
            let mut count = first as u32;
            for (at, length) in fusions {
                let (from, to) = pairs[at.index(pairs.len())];
                let mut last = from;
                for _ in 0..length {
                    pairs.push((last, count));
                    last = count;
                    count += 1;
                }
                pairs.push((last, to));
            }
            fill(&pairs, &elements[..count as usize], &dice, share)
        },
    )
}

/// Leaves out bonds that no valence is left for, then draws double bonds where the dice allow it.
fn fill(pairs: &[(u32, u32)], elements: &[u8], dice: &[u32], share: u32) -> Drawing {
    let atom = |&number: &u8| {
        let element = Element::from_number(number).unwrap();
        DrawnAtom { element, isotope: None, charge: 0, valence: None }
    };
    let mut drawing = Drawing { atoms: elements.iter().map(atom).collect(), bonds: Vec::new() };
    let mut free: Vec<u8> = elements.iter().map(|&number| if number == 7 { 3 } else { 4 }).collect();
    for &(from, to) in pairs {
        if free[from as usize] > 0 && free[to as usize] > 0 {
            free[from as usize] -= 1;
            free[to as usize] -= 1;
            drawing.bonds.push((from, to, BondOrder::Single));
        }
    }
    let mut double = vec![false; elements.len()];
    for (bond, &roll) in drawing.bonds.iter_mut().zip(dice) {
        let ends = [bond.0 as usize, bond.1 as usize];
        if roll < share && ends.iter().all(|&end| free[end] > 0 && !double[end]) {
            bond.2 = BondOrder::Double;
            for end in ends {
                free[end] -= 1;
                double[end] = true;
            }
        }
    }
    for at in 0..elements.len() {
        if free[at] == 2 && elements[at] == 6 && dice[dice.len() - 1 - at] < 50 {
            let oxygen = Element::from_symbol("O").unwrap();
            drawing.bonds.push((at as u32, drawing.atoms.len() as u32, BondOrder::Double));
            drawing.atoms.push(DrawnAtom { element: oxygen, isotope: None, charge: 0, valence: None });
        }
    }
    drawing
}

#[test]
fn random_ring_systems_agree_with_the_full_sanitizer() {
    let (short, aromatic) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(Config { cases: 2_000, ..Config::default() });
    let outcome = runner.run(&drawing(), |drawing| {
        let parsed = drawing.to_library().map_err(|error| TestCaseError::reject(error.to_string()))?;
        if let Some(molecule) = perceive(&parsed) {
            short.set(short.get() + 1);
            aromatic.set(aromatic.get() + u32::from(molecule.atoms.iter().any(|atom| atom.aromatic)));
            prop_assert_eq!(Some(molecule), full(&parsed));
        }
        Ok(())
    });
    outcome.unwrap();
    let (short, aromatic) = (short.get(), aromatic.get());
    assert!(short > 1_000 && aromatic > 200, "{short} took the short way, {aromatic} were aromatic");
}
