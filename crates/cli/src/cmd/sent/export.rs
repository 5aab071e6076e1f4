//! `einsicht export`: a model as a file that needs no einsicht.

use crate::args::model_file::load;
use crate::failure::{Failure, Outcome};
use crate::io::file::{cannot_write, csv_bytes, is_stdout, write_whole};
use crate::io::output::{Output, counted};
use crate::io::output_guard::{OutputKind, guard};
use clap::{Args, ValueEnum};
use einsicht::report::export::{rdkit_python, smarts_table};
use serde_json::json;
use std::path::PathBuf;

/// Write a model as a file that others can use without einsicht.
///
/// rdkit-python: one Python file that needs RDKit and numpy alone and predicts as `einsicht predict` does, as a module
/// (`predict(list_of_smiles)`) and as a program (`python FILE molecules.csv`).
///
/// smarts-csv: a table of the subgraphs: SMARTS, number of training graphs with it, effect on each prediction.
///
/// A model whose meaning such a file cannot hold is refused with the reason: one with a graph network, with columns
/// beside the graphs, or with labels that are no elements.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht export bace.einsicht --to rdkit-python -o bace.py
  einsicht export bace.einsicht --to smarts-csv -o bace.csv")]
pub(crate) struct Export {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// What to write.
    #[arg(long, value_name = "FORM")]
    to: Form,
    /// Output file; '-' for stdout.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A Python file that predicts.
    RdkitPython,
    /// A table of SMARTS.
    SmartsCsv,
}

impl Export {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let kind = match self.to {
            Form::RdkitPython => OutputKind::Python,
            Form::SmartsCsv => OutputKind::Smarts,
        };
        guard("--output", &self.output, kind, &[&self.model], output)?;
        let model = load(&self.model)?;
        let bytes = match self.to {
            Form::RdkitPython => rdkit_python(&model).map(String::into_bytes),
            Form::SmartsCsv => {
                let rows = smarts_table(&model).map_err(|error| Failure::file(&self.model, error))?;
                Ok(csv_bytes(&rows).map_err(|problem| cannot_write(&self.output, &problem))?)
            }
        };
        write_whole(&self.output, &bytes.map_err(|error| Failure::file(&self.model, error))?)?;
        if is_stdout(&self.output) {
            return Ok(Outcome::Done);
        }
        let subgraphs = model.best().iterate.patterns.len();
        output.result(
            || format!("{} in {}\n", counted(subgraphs, "subgraph"), self.output.display()),
            || json!({ "subgraphs": subgraphs, "output": self.output }),
        )?;
        Ok(Outcome::Done)
    }
}
