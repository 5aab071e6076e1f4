//! `einsicht verify`: checks the claims of a model by exhaustive search.

use crate::args::Input;
use crate::failure::{Failure, Outcome, Problem};
use crate::io::model_file::{load, read_with_targets};
use crate::io::output::{Output, table};
use crate::io::progress::Progress;
use clap::Args;
use einsicht::learn::verify::verify;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Check the claims of a model on its training data by exhaustive search.
///
/// Enumerates every subgraph with plain code that shares nothing with the search, and checks that none of them has a larger
/// score than those of the model; also supports, classes of equivalent subgraphs, and predictions.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht verify mutag.einsicht MUTAG
  einsicht verify bace.einsicht bace.csv --target Class --json")]
pub(crate) struct Verify {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    input: Input,
}

impl Verify {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let (dataset, _) = read_with_targets(&model, &self.input, output)?;
        let verification = {
            let _progress = Progress::start(output, "enumerating and scoring every subgraph");
            verify(&model, &dataset).map_err(|error| {
                Failure::Data(Problem {
                    error: error.to_string(),
                    place: Some(self.input.data.display().to_string()),
                    advice: Some("the data must be the training data, read with the same options"),
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
