//! `einsicht verify`: checks the claims of a model by exhaustive search.

use crate::args::{General, Input};
use crate::failure::{Failure, Outcome, Problem};
use crate::io::model_file::{load_before, read_with_targets};
use crate::io::output::{Output, table};
use crate::io::progress::Progress;
use clap::Args;
use einsicht::explain::{add_effects, check_effects};
use einsicht::model::Check;
use einsicht::train::fit::FitOptions;
use einsicht::train::verify::{VerifyError, retrain, verify};
use einsicht::{Dataset, Model};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Check the claims of a model by exhaustive search.
///
/// Proved: enumerates every subgraph with plain code that shares nothing with the search, and checks supports, classes of equivalent
/// subgraphs, and that at the recorded step of each size no subgraph of all that exist has a larger score than the chosen ones.
/// Re-derived: where that is affordable, the whole training is repeated by exhaustive search, folds included, and every number of the file
/// is compared; else figures and decisions are recomputed from what the file holds. Not proved without --retrain: bootstrap members, and
/// of large models the weights and out-of-fold predictions that earlier passes led to. docs/verify.md lists every field.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht verify mutag.einsicht MUTAG
  einsicht verify bace.einsicht bace.csv --target Class --json")]
pub(crate) struct Verify {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Train again from the parameters and rows in the file, and compare the bytes of the models.
    #[arg(long)]
    retrain: bool,
    #[command(flatten)]
    input: Input,
}

impl Verify {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let model = load_before(&self.model, &self.input.data)?;
        let dataset = read_with_targets(&model, &self.input, output)?.dataset;
        let mut verification = {
            let _progress = Progress::start(output, "enumerating and scoring every subgraph");
            verify(&model, &dataset).map_err(|error| self.refusal(&error))?
        };
        verification.checks.extend(check_effects(&model, &dataset));
        if self.retrain {
            let _progress = Progress::start(output, "training again");
            verification.checks.push(self.train_again(&model, &dataset, general)?);
        }
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
                let reach = reach(verification.repeated, self.retrain);
                format!("{}{gradient}\n{reach}{verdict}\n", table(&[], &rows, 9))
            },
            || {
                let checks: Vec<Value> = verification
                    .checks
                    .iter()
                    .map(|check| json!({ "name": check.name, "ok": check.ok, "detail": check.detail }))
                    .collect();
                json!({
                    "verified": verification.verified(),
                    "repeated": verification.repeated,
                    "retrained": self.retrain,
                    "checks": checks,
                    "gradient": { "patterns": patterns, "bias": bias, "network": network },
                })
            },
        )?;
        Ok(if verification.verified() { Outcome::Done } else { Outcome::Failed })
    }
}

impl Verify {
    /// Compares the file with that of a training from its parameters and rows.
    fn train_again(&self, model: &Model, dataset: &Dataset, general: &General) -> Result<Check, Failure> {
        let options = FitOptions { threads: general.num_threads(), ..FitOptions::default() };
        let mut again = retrain(model, dataset, &options).map_err(|error| self.refusal(&error))?;
        if model.effects.is_some() {
            add_effects(&mut again, dataset);
        }
        let bytes = |model: &Model| model.to_bytes().map_err(|error| Failure::file(&self.model, error));
        let ok = bytes(&again)? == bytes(model)?;
        let detail = "trained from the parameters and rows in the file, and compared byte by byte".to_owned();
        Ok(Check { name: "the whole file".to_owned(), ok, detail })
    }

    fn refusal(&self, error: &VerifyError) -> Failure {
        Failure::Data(Problem {
            error: error.to_string(),
            place: Some(self.input.data.display().to_string()),
            advice: Some("the data must be the training data, read with the same options"),
        })
    }
}

/// What the checks were about, one sentence each.
fn reach(repeated: bool, retrained: bool) -> String {
    let proved = "proved: supports, classes, and the choice of each size by scoring every subgraph";
    let derived = match (retrained, repeated) {
        (true, _) => "re-derived: the whole file, by training again",
        (false, true) => {
            "re-derived: every training, folds included, by exhaustive search; figures, decisions and effects"
        }
        (false, false) => "re-derived: figures, decisions and effects, from what the file holds",
    };
    let open = match (retrained, repeated) {
        (true, _) => "nothing",
        (false, true) => "bootstrap members (--retrain does)",
        (false, false) => {
            "weights and out-of-fold predictions that earlier passes led to, bootstrap members (--retrain does)"
        }
    };
    format!("{proved}\n{derived}\nnot checked: {open}\n")
}
