//! Rows with molecules: parsed in parallel, added in order.
//!
//! Promise: the data set does not depend on the number of threads. A row that is not a molecule ends the
//! reading or is skipped with its row, text and reason, as [`OnBad`] says. Used by tables, `.smi` and SDF.

use super::super::Place;
use super::super::options::{Hydrogens, OnBad};
use super::{ReadError, ReadOptions, bad_feature};
use crate::chem::{Molecule, SmilesError, add_molecule, parse_smiles_with};
use crate::dataset::Origin;
use crate::read::builder::{DatasetBuilder, TargetSlot};
use einsicht_graph::stop;
use rayon::prelude::*;
use std::path::Path;

/// A row before it is a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) origin: Origin,
    /// Its id in the source; the row number if that is empty.
    pub(super) id: String,
    /// The SMILES, or another text for messages.
    pub(super) text: String,
    /// Cells of the targets, in their order, then those of the features.
    pub(super) cells: Vec<String>,
    /// How many cells there are and how many there must be, where that differs.
    pub(super) ragged: Option<(usize, usize)>,
}

/// Rows that are parsed in parallel.
const CHUNK: usize = 1024;
/// Bytes of text that are kept for that, unless one row has more.
const CHUNK_BYTES: usize = 1 << 22;
/// More bytes in one row are refused, so that a file without ends cannot fill the memory. No molecule is that long.
pub(super) const LONGEST_RECORD: u64 = 1 << 24;

/// Rows to be parsed.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) rows: Vec<Row>,
    bytes: usize,
}

impl Chunk {
    pub(super) fn push(&mut self, row: Row) {
        self.bytes += row.text.len() + row.id.len() + row.cells.iter().map(String::len).sum::<usize>();
        self.rows.push(row);
    }

    /// Whether it is time to parse them.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() >= CHUNK || self.bytes >= CHUNK_BYTES
    }
}

/// Adds rows with SMILES, in their order; those before a bad one that stops are added.
pub(super) fn add_rows(
    builder: &mut DatasetBuilder<'_>,
    path: &Path,
    options: &ReadOptions,
    targets: &[TargetSlot],
    rows: &[Row],
) -> Result<(), ReadError> {
    // A chunk at a time: threads that must stop end the part of it that they have begun, and nothing is parsed behind a
    // bad row.
    for rows in rows.chunks(CHUNK) {
        for (row, molecule) in rows.iter().zip(parse_rows(rows, options)) {
            match row.ragged {
                None => add_row(builder, path, options, targets, row, &molecule)?,
                Some((found, wanted)) if options.on_bad == OnBad::Stop => {
                    let place = Place::new(path, row.origin.line);
                    return Err(ReadError::FieldCount { place, what: "cells", wanted, found });
                }
                Some((found, wanted)) => {
                    let reason = format!("there must be {wanted} cells, but there are {found}");
                    bad_row(builder, path, options, row, &reason)?;
                }
            }
        }
    }
    Ok(())
}

/// Parses SMILES on all threads of the current pool; the results are in the order of the rows.
fn parse_rows(rows: &[Row], options: &ReadOptions) -> Vec<Result<Molecule, SmilesError>> {
    let keep_hydrogens = options.hydrogens == Some(Hydrogens::Keep);
    let parse = |row: &Row| {
        // A molecule takes some microseconds.
        stop::work(256);
        parse_smiles_with(&row.text, keep_hydrogens)
    };
    if rayon::current_num_threads() < 2 {
        return rows.iter().map(parse).collect();
    }
    rows.par_iter().with_min_len(32).map(parse).collect()
}

pub(super) fn add_row(
    builder: &mut DatasetBuilder<'_>,
    path: &Path,
    options: &ReadOptions,
    targets: &[TargetSlot],
    row: &Row,
    molecule: &Result<Molecule, impl ToString>,
) -> Result<(), ReadError> {
    let molecule = match molecule {
        Ok(molecule) if options.largest_fragment => &molecule.largest_fragment(),
        Ok(molecule) => molecule,
        Err(error) => return bad_row(builder, path, options, row, &error.to_string()),
    };
    let number = row.origin.row.to_string();
    builder.begin(row.origin, if row.id.is_empty() { &number } else { &row.id });
    if let Err(error) = add_molecule(builder, molecule, options.molecule_labels.unwrap_or_default()) {
        return bad_row(builder, path, options, row, &error.to_string());
    }
    for (&target, cell) in targets.iter().zip(&row.cells) {
        builder.value(target, cell);
    }
    for (at, cell) in row.cells.iter().skip(targets.len()).enumerate() {
        if let Err(error) = builder.feature(at, cell) {
            return bad_feature(builder, path, options, row.origin, error);
        }
    }
    builder.end();
    Ok(())
}

/// Stops at a row, or skips it.
fn bad_row(
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
        OnBad::Skip | OnBad::Nan => {
            builder.skip(row.origin, format!("\"{text}\" is not a molecule: {reason}"));
            Ok(())
        }
    }
}

/// At most 200 characters, for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
