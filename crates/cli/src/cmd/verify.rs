//! `einsicht verify`: checks the claims of a model by exhaustive search.

use crate::args::model_file::{load_before, read_defaults, read_with_targets};
use crate::args::{General, Input};
use crate::failure::{Failure, Outcome, Problem};
use crate::io::output::{Output, table};
use crate::io::progress::Progress;
use clap::Args;
use einsicht::data::read::{ReadOptions, TargetChoice, read};
use einsicht::explain::{add_effects, check_effects};
use einsicht::model::Check;
use einsicht::oracle::{
    Covered, Part, Stage, Verification, VerifyError, VerifyOptions, estimated_work, retrain, verify_with,
};
use einsicht::train::fit::FitOptions;
use einsicht::{Dataset, Model};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Subgraphs to list from which on a run says before it begins how long it may take.
const MANY: f64 = 2e7;

/// Check the claims of a model by exhaustive search.
///
/// Proved: verify enumerates every subgraph with plain code that shares nothing with the search. It checks supports,
/// classes of equivalent subgraphs, and, at the recorded step of each size, that no existing subgraph scores higher
/// than the chosen ones. Re-derived: if affordable, verify repeats the whole training by exhaustive search, folds
/// included, and compares every number in the file; otherwise it recomputes figures and decisions from the contents of
/// the file. Not checked without --retrain: bootstrap members and, for large models, the weights and out-of-fold
/// predictions from earlier passes. docs/verify.md lists every field.
///
/// The last line is "verified" (exit status 0) only where nothing that the file claims was left unchecked. Else it is
/// "verified in part" (exit status 4) and names what was not checked, or "NOT verified" (exit status 1).
///
/// Listing all subgraphs can take minutes; verify says so before it begins. --steps checks a part in less than a
/// minute.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht verify mutag.einsicht MUTAG
  einsicht verify bace.einsicht bace.csv --target Class --json
  einsicht verify large.einsicht large.csv --steps 3")]
pub(crate) struct Verify {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Train again from the parameters and rows in the file, and compare the models byte for byte.
    #[arg(long)]
    retrain: bool,
    /// Check only N of the recorded steps, each against the model's subgraphs and thousands of others; --seed decides
    /// which.
    #[arg(long, value_name = "N", conflicts_with = "retrain", value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    #[command(flatten)]
    input: Input,
}

impl Verify {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let model = load_before(&self.model, &self.input.data)?;
        let dataset = self.with_own_names(&model, read_with_targets(&model, &self.input, output)?.dataset);
        let mut verification = self.check(&model, &dataset, general, output)?;
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
        let open = self.not_checked(&verification);
        output.result(
            || {
                let verdict = match (verification.verified(), &open[..]) {
                    (false, _) => "NOT verified".to_owned(),
                    (true, []) => "verified".to_owned(),
                    (true, open) => format!("verified in part; not checked: {}", open.join("; ")),
                };
                let gradient = format!(
                    "gradient at the chosen model: subgraphs {patterns:.2e}, bias {bias:.2e}, network {network:.2e}"
                );
                let reach = self.reach(&model, &verification, general);
                format!("{}{gradient}\n{reach}{verdict}\n", table(&[], &rows, 9))
            },
            || {
                let checks: Vec<Value> = verification
                    .checks
                    .iter()
                    .map(|check| json!({ "name": check.name, "ok": check.ok, "detail": check.detail }))
                    .collect();
                json!({
                    "verified": verification.verified() && open.is_empty(),
                    "unchecked": open,
                    "part": verification.covered.as_ref().map(|part| json!({
                        "ok": verification.verified(),
                        "entries": part.entries,
                        "steps": part.steps,
                        "subgraphs": part.subgraphs,
                        "seed": general.seed,
                    })),
                    "repeated": verification.repeated,
                    "retrained": self.retrain,
                    "checks": checks,
                    "gradient": { "patterns": patterns, "bias": bias, "network": network },
                })
            },
        )?;
        Ok(match (verification.verified(), open.is_empty()) {
            (false, _) => Outcome::Failed,
            (true, false) => Outcome::InPart,
            (true, true) => Outcome::Done,
        })
    }
}

impl Verify {
    /// The data with the names of labels that they have themselves. Where they have none they were read with those of
    /// the model, which would then confirm itself.
    fn with_own_names(&self, model: &Model, mut dataset: Dataset) -> Dataset {
        if model.vertex_labels.names().is_empty() && model.edge_labels.names().is_empty() {
            return dataset;
        }
        let defaults = ReadOptions {
            usual_names: [BTreeMap::new(), BTreeMap::new()],
            ..read_defaults(model, TargetChoice::Nothing)
        };
        // Stdin has no second look; data whose hydrogens are found by the names of the model cannot be read without.
        let own = if self.input.is_stdin() { None } else { read(&self.input.data, &self.input.options(defaults)).ok() };
        let (vertices, edges) =
            own.map(|own| (own.vertex_labels.names().clone(), own.edge_labels.names().clone())).unwrap_or_default();
        dataset.vertex_labels.set_names(vertices);
        dataset.edge_labels.set_names(edges);
        dataset
    }

    /// What the file claims and nothing has checked.
    fn not_checked(&self, verification: &Verification) -> Vec<String> {
        let of_part = ["that no other subgraph has a larger score", "support classes", "the whole training"];
        let of_part = verification.covered.iter().flat_map(|_| of_part.map(str::to_owned));
        let open = verification.unchecked.iter().filter(|open| !(self.retrain && open.by_retraining));
        of_part.chain(open.map(|open| open.what.clone())).collect()
    }

    /// All checks, or those of a part; says before how much there is to do, and meanwhile how far it is.
    fn check(
        &self,
        model: &Model,
        dataset: &Dataset,
        general: &General,
        output: &Output,
    ) -> Result<Verification, Failure> {
        if self.steps.is_none() {
            let sets = estimated_work(model, dataset).map_err(|error| self.refusal(&error))?;
            if sets > MANY {
                output.say(&format!(
                    "about {} will be listed, at about a million per second and thread; \
                     --steps 3 checks a part in less than a minute",
                    subgraphs(sets)
                ));
            }
        }
        let stage = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&stage);
        let status = move || stage_text(*seen.lock().unwrap_or_else(PoisonError::into_inner));
        let _progress = Progress::with_status(output, "reading the claims", status);
        let watch = |now: Stage| *stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        let part = self.steps.map(|steps| Part { steps: steps as usize, seed: general.seed });
        verify_with(model, dataset, &VerifyOptions { part, watch: &watch }).map_err(|error| self.refusal(&error))
    }

    /// What the checks were about, one sentence each.
    fn reach(&self, model: &Model, verification: &Verification, general: &General) -> String {
        let Some(Covered { entries, steps, subgraphs }) = &verification.covered else {
            return reach(verification.repeated, self.retrain);
        };
        let size = |&at: &usize| match model.entries[at].lambda {
            None => format!("size {}", model.entries[at].size),
            Some(lambda) => format!("penalty {lambda}"),
        };
        let sizes: Vec<String> = entries.iter().map(size).collect();
        let seed = general.seed;
        let of_steps = if sizes.is_empty() { String::new() } else { format!(" ({})", sizes.join(", ")) };
        format!(
            "checked: {} of {steps} recorded steps{of_steps}, each against {subgraphs} subgraphs: those of the model, \
             and others drawn by seed {seed}; figures\n",
            entries.len(),
        )
    }

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
            advice: Some("give the training data, read with the same options"),
        })
    }
}

/// A large number of subgraphs in words.
fn subgraphs(number: f64) -> String {
    match number {
        small if small < 1e9 => format!("{:.0} million subgraphs", small / 1e6),
        large if large < 1e15 => format!("{:.0} billion subgraphs", large / 1e9),
        _ => "more than a million billion subgraphs".to_owned(),
    }
}

/// What is being done, for people.
fn stage_text(stage: Option<Stage>) -> String {
    match stage {
        Some(Stage::Listed { done, graphs }) => format!("listing every subgraph: {done} of {graphs} graphs"),
        Some(Stage::Qualified { done, subgraphs }) => {
            format!("listing properties of their vertices: {done} of {subgraphs} subgraphs")
        }
        Some(Stage::Step { step, steps }) => format!("scoring every subgraph: step {step} of {steps}"),
        Some(Stage::Repeating) => "repeating the training by exhaustive search".to_owned(),
        _ => "listing every subgraph".to_owned(),
    }
}

/// What the checks of the whole were about, one sentence each.
fn reach(repeated: bool, retrained: bool) -> String {
    let proved = "proved: supports, classes, and the choice of each size by scoring every subgraph";
    let derived = match (retrained, repeated) {
        (true, _) => "re-derived: the whole file, by training again",
        (false, true) => {
            "re-derived: every training, folds included, by exhaustive search; figures, decisions and effects"
        }
        (false, false) => "re-derived: figures, decisions and effects, from the contents of the file",
    };
    format!("{proved}\n{derived}\n")
}
