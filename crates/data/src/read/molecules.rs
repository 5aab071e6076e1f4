//! Rows that should be molecules: parsed side by side, added in order.
//!
//! Promise: the data set does not depend on the number of threads. A row that is no molecule ends the
//! reading or is left out with its row, text and reason, as [`OnBad`] says. Used by tables, `.smi` and SDF.

use super::options::{Hydrogens, OnBad};
use super::{Place, ReadError, ReadOptions};
use crate::builder::{DatasetBuilder, TargetSlot};
use crate::chem::{Molecule, SmilesError, add_molecule, parse_smiles_with};
use crate::dataset::Origin;
use rayon::prelude::*;
use std::path::Path;

/// A row before it is a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) origin: Origin,
    /// What the source calls it; the row number if that is empty.
    pub(super) id: String,
    /// The SMILES, or for people what stands in its place.
    pub(super) text: String,
    /// Target cells, in the order of the targets.
    pub(super) cells: Vec<String>,
}

/// Parses SMILES on all threads of the current pool; the results are in the order of the rows.
pub(super) fn parse_rows(rows: &[Row], options: &ReadOptions) -> Vec<Result<Molecule, SmilesError>> {
    let hydrogens = options.hydrogens.unwrap_or(Hydrogens::Drop);
    if rayon::current_num_threads() < 2 {
        return rows.iter().map(|row| parse_smiles_with(&row.text, hydrogens)).collect();
    }
    rows.par_iter().with_min_len(32).map(|row| parse_smiles_with(&row.text, hydrogens)).collect()
}

/// Adds one row.
pub(super) fn add_row(
    builder: &mut DatasetBuilder<'_>,
    path: &Path,
    options: &ReadOptions,
    targets: &[TargetSlot],
    row: &Row,
    molecule: &Result<Molecule, impl ToString>,
) -> Result<(), ReadError> {
    let molecule = match molecule {
        Ok(molecule) => molecule,
        Err(error) => return bad_row(builder, path, options, row, &error.to_string()),
    };
    let number = row.origin.row.to_string();
    builder.begin(row.origin, if row.id.is_empty() { &number } else { &row.id });
    if let Err(error) = add_molecule(builder, molecule, options.molecule_labels) {
        return bad_row(builder, path, options, row, &error.to_string());
    }
    for (&target, cell) in targets.iter().zip(&row.cells) {
        builder.value(target, cell);
    }
    builder.end();
    Ok(())
}

/// Stops at a row, or leaves it out.
pub(super) fn bad_row(
    builder: &mut DatasetBuilder<'_>,
    path: &Path,
    options: &ReadOptions,
    row: &Row,
    reason: &str,
) -> Result<(), ReadError> {
    let text = shortened(&row.text);
    match options.on_bad {
        OnBad::Stop => Err(ReadError::BadMolecule {
            place: Place::new(path, row.origin.line),
            row: row.origin.row,
            text,
            reason: reason.to_owned(),
        }),
        OnBad::Skip => {
            builder.skip(row.origin, format!("\"{text}\" is not a molecule: {reason}"));
            Ok(())
        }
    }
}

/// At most 200 characters: a message is for people.
fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
