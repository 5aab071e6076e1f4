//! `einsicht cross-validate`: how well models predict graphs that they have not seen.

use super::summary::ResultSummary;
use super::trial::{FinishedTrial, StoredTrial, StoredTrials, TestPredictions, TrialWork};
use super::{planned, run_all};
use crate::args::WeightOptions;
use crate::args::splitting::SchemeOptions;
use crate::args::training::InnerTrainOptions;
use crate::args::{General, Input};
use crate::cmd::prepare::{TrialInputs, prepare_trials, refuse_part};
use crate::failure::{Failure, Outcome};
use crate::io::file::{csv_bytes, output_name, probe, write_whole};
use crate::io::interrupt::{Interrupts, StopReason, reason_text};
use crate::io::output::Output;
use crate::io::output_guard::{OutputKind, guard};
use clap::Args;
use einsicht::PreparedGrid;
use einsicht::data::Split;
use einsicht::experiment::Trials;
use einsicht::train::fit::FitOptions;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The only point of the grid.
const GRID: &str = "quick";

/// Cross-validate: estimate how well a model predicts new graphs.
///
/// Trains on all folds but one and tests on that one. The mean over the folds comes with a 95 % interval that accounts
/// for overlapping training sets. -o writes, for each graph, the prediction of a model that has not seen it. The result
/// equals that of split, followed by train and evaluate for each trial. No model is written: use train to get one.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht cross-validate MUTAG
  einsicht cross-validate bace.csv --target Class --scheme scaffold -o out.csv
  einsicht cross-validate assay.csv --target pIC50 --group series --repeats 3")]
pub(crate) struct CrossValidate {
    /// Output file of the out-of-fold predictions, as a table; '-' for stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    scheme: SchemeOptions,
    /// Number of folds; each is the test set of one trial per repeat.
    #[arg(id = "test_folds", long = "folds", value_name = "N", default_value_t = 5, help_heading = "Split options")]
    folds: usize,
    #[command(flatten)]
    weights: WeightOptions,
    #[command(flatten)]
    options: InnerTrainOptions,
}

impl CrossValidate {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let InnerTrainOptions(options) = &self.options;
        refuse_part(&self.input)?;
        if let Some(path) = &self.output {
            guard("--output", path, OutputKind::Predictions, &self.input.files_and(options.files()), output)?;
            probe(path)?;
        }
        let interrupts = Interrupts::listen_until(None);
        let plan = self.scheme.fold_plan(self.folds, general.seed)?;
        let TrialInputs { raw, prepared } = prepare_trials(&self.input, GRID, options, general.seed, output)?;
        let PreparedGrid { dataset, points, .. } = prepared;
        let splits = planned(&self.scheme, plan, (&self.input, &raw), &points)?;
        let prepared: Vec<(usize, Split)> = splits.into_iter().enumerate().collect();
        let at_once = general.num_threads().min(prepared.len()).max(1);
        let fit_options = FitOptions { threads: general.num_threads() / at_once, memory: options.memory() };
        let class_weight = self.weights.class_weight();
        let trials = StoredTrials {
            trials: Trials { dataset: &dataset, points: &points, class_weight, options: fit_options, at_once },
            fingerprint: dataset.fingerprint().to_string(),
            folder: None,
            resume: false,
            interrupts: &interrupts,
            output,
            weights: &self.weights,
            predicts: self.output.is_some(),
        };
        let Some(finished) = run_all(&trials, &prepared, at_once)?.into_iter().collect::<Option<Vec<_>>>() else {
            let reason = interrupts.stop_reason();
            let why = reason_text(reason);
            output.say(&format!("{why}: not all folds are done; experiment -o and --resume can continue"));
            return Ok(match reason {
                Some(StopReason::Signal(code)) => Outcome::Interrupted(code),
                _ => Outcome::Incomplete,
            });
        };
        let (results, work, predictions) = apart(finished);
        if let Some(path) = &self.output {
            write(path, predictions)?;
        }
        let summary = ResultSummary::new(&results, &work, &prepared, true);
        output.result(
            || summary.text() + &self.predictions_text(),
            || {
                let mut document = summary.document(start);
                document["folds"] = json!(self.folds);
                document["predictions"] = json!(self.output);
                document
            },
        )?;
        Ok(Outcome::Done)
    }

    fn predictions_text(&self) -> String {
        let line = |path: &PathBuf| format!("out-of-fold predictions written to {}\n", output_name(path));
        self.output.as_ref().map_or_else(String::new, line)
    }
}

fn apart(finished: Vec<FinishedTrial>) -> (Vec<StoredTrial>, Vec<Option<TrialWork>>, Vec<TestPredictions>) {
    let (mut stored, mut work, mut predictions) = (Vec::new(), Vec::new(), Vec::new());
    for trial in finished {
        stored.push(trial.stored);
        work.push(trial.work);
        predictions.extend(trial.predictions);
    }
    (stored, work, predictions)
}

/// Writes all predictions as one table.
fn write(path: &Path, predictions: Vec<TestPredictions>) -> Result<(), Failure> {
    let mut table: Vec<Vec<String>> = predictions.first().map(|first| first.header.clone()).into_iter().collect();
    table.extend(predictions.into_iter().flat_map(|one| one.rows));
    write_whole(path, &csv_bytes(&table).map_err(|error| Failure::file(path, error))?)
}
