//! `einsicht report`: one HTML page about a model and a data set.

use crate::args::General;
use crate::args::Input;
use crate::failure::{Failure, Outcome, Problem};
use crate::io::file::write_whole;
use crate::io::model_file::{check, load, read_with_or_without_targets, tasks_named};
use crate::io::output::Output;
use crate::io::output_guard::{OutputKind, guard};
use crate::io::progress::Share;
use clap::Args;
use einsicht::data::Part;
use einsicht::explain::{Provenance, ReportError, ReportOptions, report_with_progress};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Write an HTML page about a model: metrics, subgraphs, surrogate trees, and attributions of every prediction.
///
/// Of a model with many targets, the page explains the first 12 outputs, or those of --target.
///
/// One file that loads nothing from anywhere: open it in a browser, print it, send it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht report mutag.einsicht MUTAG -o report.html
  einsicht report bace.einsicht bace.csv --target Class -o bace.html --max-graphs 500
  einsicht report esol.einsicht new.smi -o new.html")]
pub(crate) struct Report {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// Write the page to this file.
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Show at most N graphs one by one, evenly spaced; metrics are computed on all.
    #[arg(long, value_name = "N", default_value_t = 700)]
    max_graphs: usize,
    /// Depth of the surrogate decision tree.
    #[arg(long, value_name = "N", default_value_t = 4)]
    depth: usize,
    /// Exact Shapley values for up to N subgraphs; beyond that sampled.
    #[arg(long, value_name = "N", default_value_t = 8)]
    exact_up_to: usize,
    /// Number of random orders for sampled Shapley values, each used in both directions.
    #[arg(long, value_name = "N", default_value_t = 16)]
    orders: usize,
}

impl Report {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let start = Instant::now();
        guard("--output", &self.output, OutputKind::Page, &self.input.files_and([&self.model]))?;
        let model = load(&self.model)?;
        let tasks = tasks_named(&model, &self.input.target)?;
        // Where the model has several targets, the option names those to explain; the data are read with all.
        let input = if model.tasks.len() > 1 { self.input.without_targets() } else { self.input.clone() };
        let whole = read_with_or_without_targets(&model, &input, output)?;
        check(&model, &whole)?;
        let provenance = Provenance::of(&model, &whole);
        let part = self.input.part().unwrap_or(Part::All);
        let (dataset, provenance) = if part == Part::All && !self.input.has_split() {
            (whole, provenance)
        } else {
            let rows = self.input.part_of(&model, &whole, part)?;
            (whole.subset(&rows), provenance.of_rows(&rows))
        };
        for warning in provenance.for_comparison() {
            output.say(&format!("warning: {warning}"));
        }
        let options = ReportOptions {
            max_graphs: self.max_graphs,
            depth: self.depth,
            exact_up_to: self.exact_up_to,
            orders: self.orders,
            seed: general.seed,
            tasks: if self.input.target.is_empty() { Vec::new() } else { tasks },
            command: command_line(),
            ..ReportOptions::default()
        };
        let page = {
            let share = Share::start(output, "explaining graphs at every size");
            let found = report_with_progress(&model, &dataset, &provenance, &options, &|part| share.set(part));
            found.map_err(|error| failure(&error))?
        };
        write_whole(&self.output, page.as_bytes())?;
        let seconds = start.elapsed().as_secs_f64();
        output.result(
            || format!("{}\n", self.output.display()),
            || json!({ "report": self.output, "bytes": page.len(), "graphs": dataset.len(), "warnings": provenance.for_comparison().collect::<Vec<_>>(), "seconds": seconds }),
        )?;
        Ok(Outcome::Done)
    }
}

/// The failure of a report.
pub(super) fn failure(error: &ReportError) -> Failure {
    Failure::Data(Problem { error: error.to_string(), place: None, advice: None })
}

/// The command line, quoted for a shell.
pub(super) fn command_line() -> String {
    let words = std::env::args().skip(1).map(quoted);
    std::iter::once("einsicht".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word, quoted for a shell if it needs that.
pub(super) fn quoted(word: String) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=,:+@".contains(c));
    if is_plain { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
