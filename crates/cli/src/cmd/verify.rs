//! `einsicht verify`: re-proves the claims of a model.

use crate::failure::{Failure, Outcome, Problem};
use crate::input::Input;
use crate::model::{load, read_with_targets};
use crate::output::{Output, table};
use crate::progress::Progress;
use clap::Args;
use einsicht::learn::verify::verify;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Re-prove the claims of a model from the data it was trained on, by exhaustive search.
///
/// Lists every subgraph with plain code that shares nothing with the search, and checks that none of them deserved a
/// place more than those of the model; also supports, groups of alike subgraphs, and predictions.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht verify mutag.einsicht MUTAG
  einsicht verify bace.einsicht bace.csv --target Class --json")]
pub(crate) struct Verify {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    input: Input,
}

impl Verify {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let dataset = read_with_targets(&model, &self.input, output)?;
        let verification = {
            let _progress = Progress::start(output, "listing and scoring every subgraph");
            verify(&model, &dataset).map_err(|error| {
                Failure::Data(Problem {
                    error: error.to_string(),
                    place: Some(self.input.data.display().to_string()),
                    advice: Some("the data must be those of the training, read with the same options"),
                })
            })?
        };
        let rows: Vec<Vec<String>> = verification
            .checks
            .iter()
            .map(|check| {
                vec![if check.ok { "ok" } else { "WRONG" }.to_owned(), check.name.clone(), check.detail.clone()]
            })
            .collect();
        let [patterns, bias, network] = verification.gradient_norms;
        output.result(
            || {
                let verdict = if verification.verified() { "verified" } else { "NOT verified" };
                let gradient = format!(
                    "gradient at the chosen model: subgraphs {patterns:.2e}, bias {bias:.2e}, network {network:.2e}"
                );
                format!("{}{gradient}\n{verdict}\n", table(&[], &rows, 9))
            },
            || {
                let checks: Vec<Value> = verification
                    .checks
                    .iter()
                    .map(|check| json!({ "name": check.name, "ok": check.ok, "detail": check.detail }))
                    .collect();
                json!({
                    "verified": verification.verified(),
                    "checks": checks,
                    "gradient": { "patterns": patterns, "bias": bias, "network": network },
                })
            },
        )?;
        Ok(if verification.verified() { Outcome::Done } else { Outcome::Failed })
    }
}
