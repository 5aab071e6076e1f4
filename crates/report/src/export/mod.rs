//! Models as files that need no einsicht: a Python file that predicts with RDKit, and a table of SMARTS.
//!
//! Promise: what such a file says is what the model says; a model of which that cannot be promised is refused with the
//! reason. Text from a model alone: nothing is opened, matched or predicted here. Tested with RDKit in
//! `python/tests/against_libraries/test_rdkit_export.py`.

mod python;
mod table;

pub use python::rdkit_python;
pub use table::smarts_table;

use einsicht_data::chem::Smarts;
use einsicht_data::read::Hydrogens;
use einsicht_graph::{DfsCode, Label};
use einsicht_model::Model;

/// Why a model cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum ExportError {
    #[error(
        "the model must read molecules from SMILES or mol blocks, as RDKit does, but it was trained on labelled graphs"
    )]
    NotMolecules,
    #[error("the model must read nothing but subgraphs, but it reads the {0}, which the file would not have")]
    Beside(String),
    #[error("the model must read whole molecules, but it reads only the largest fragment of each")]
    LargestFragment,
    #[error(
        "the model must leave hydrogens to the reader of molecules, but it was trained with all of them as vertices"
    )]
    AllHydrogens,
    #[error("the model must read molecules as files are read, but its graphs were converted with {0}")]
    Converted(String),
    #[error("each subgraph must have SMARTS, but SMARTS cannot say a label or a property in: {0}")]
    NoSmarts(String),
    #[error("each subgraph must have exact SMARTS, but no bond of SMARTS is the edge label {label} in: {words}")]
    InexactBond { label: String, words: String },
    #[error(
        "each subgraph must have exact SMARTS, but labels of atoms say their {0}, and no atom of the training data has \
         one: SMARTS would match more"
    )]
    Unsaid(&'static str),
}

/// Refuses a model that reads molecules in a way that a plain RDKit script does not.
fn check_reading(model: &Model) -> Result<(), ExportError> {
    let reading = &model.reading;
    if let Some(input) = model.side_inputs().first() {
        return Err(ExportError::Beside(input.in_words()));
    }
    if reading.molecule_labels.is_none() {
        return Err(ExportError::NotMolecules);
    }
    if reading.largest_fragment {
        return Err(ExportError::LargestFragment);
    }
    if reading.all_hydrogens {
        return Err(ExportError::AllHydrogens);
    }
    match reading.keywords.keys().next() {
        Some(keyword) => Err(ExportError::Converted(keyword.clone())),
        None => Ok(()),
    }
}

/// Whether explicit hydrogens stay atoms.
fn keeps_hydrogens(model: &Model) -> bool {
    model.reading.hydrogens == Some(Hydrogens::Keep)
}

/// The SMARTS of a pattern, if it matches exactly where the model finds the pattern.
fn exact_smarts(model: &Model, code: &DfsCode) -> Result<Smarts, ExportError> {
    let (names, labels) = (model.names(), model.reading.molecule_labels.unwrap_or_default());
    let vertex_labels = || (0..names.vertex_labels.len() as u32).map(|at| names.vertex_labels.name(Label(at)));
    // A SMARTS atom says what labels say if any label of the vocabulary does.
    if labels.aromatic && !vertex_labels().any(|label| label.starts_with(|c: char| c.is_ascii_lowercase())) {
        return Err(ExportError::Unsaid("aromaticity"));
    }
    if labels.charge && !vertex_labels().any(|label| label.contains(['+', '-'])) {
        return Err(ExportError::Unsaid("charge"));
    }
    let smarts = names.smarts_with_atoms(code).ok_or_else(|| ExportError::NoSmarts(names.words(code)))?;
    let exact = ["single", "double", "triple", "quadruple", "aromatic"];
    let has_one_label = names.edge_labels.len() == 1 && names.edge_labels.name(Label(0)).is_empty();
    for edge in code.to_graph().edges().iter().filter(|_| !has_one_label) {
        let label = names.edge_labels.name(edge.label);
        if !exact.contains(&label) {
            return Err(ExportError::InexactBond { label: label.to_owned(), words: names.words(code) });
        }
    }
    Ok(smarts)
}
