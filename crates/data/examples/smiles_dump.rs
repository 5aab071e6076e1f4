//! Reads SMILES, one per line, and writes what we understood, one line each: the other half of
//! `lab/scripts/rdkit_agreement.py`.
//!
//! A line is `ATOMS<tab>BONDS` with atoms `number,charge,aromatic,hydrogens` and bonds
//! `from,to,order` (from < to), each separated by blanks, or `!reason`. `--time` writes only the seconds;
//! with `--sdf` the input is an SD file.

use einsicht_data::chem::{Molecule, parse_mol_block, parse_smiles};
use std::io::{BufWriter, Read, Write};

fn line(molecule: &Molecule) -> String {
    let atoms: Vec<String> = molecule
        .atoms
        .iter()
        .map(|a| format!("{},{},{},{}", a.element.number(), a.charge, u8::from(a.aromatic), a.hydrogens))
        .collect();
    let mut bonds: Vec<(u32, u32, &str)> =
        molecule.bonds.iter().map(|b| (b.from.min(b.to), b.from.max(b.to), b.order.token())).collect();
    bonds.sort_unstable();
    let bonds: Vec<String> = bonds.iter().map(|(from, to, order)| format!("{from},{to},{order}")).collect();
    format!("{}\t{}", atoms.join(" "), bonds.join(" "))
}

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    if std::env::args().any(|a| a == "--time") {
        let start = std::time::Instant::now();
        let good = text.lines().filter(|smiles| parse_smiles(smiles).is_ok()).count();
        return writeln!(out, "{good} {:.3}", start.elapsed().as_secs_f64());
    }
    if std::env::args().any(|a| a == "--sdf") {
        for record in text.split("$$$$\n").filter(|record| !record.trim().is_empty()) {
            let lines: Vec<String> = record.lines().map(str::to_owned).collect();
            match parse_mol_block(&lines, false) {
                Ok(molecule) => writeln!(out, "{}", line(&molecule))?,
                Err(error) => writeln!(out, "!{error}")?,
            }
        }
        return Ok(());
    }
    for smiles in text.lines() {
        match parse_smiles(smiles) {
            Ok(molecule) => writeln!(out, "{}", line(&molecule))?,
            Err(error) => writeln!(out, "!{error}")?,
        }
    }
    Ok(())
}
