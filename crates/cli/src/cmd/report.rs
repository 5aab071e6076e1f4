//! `einsicht report`: one page to send to a colleague.

use crate::args::General;
use crate::args::Input;
use crate::failure::{Failure, Outcome, Problem};
use crate::io::file::write_whole;
use crate::io::model_file::{check, load, read_with_or_without_targets};
use crate::io::output::Output;
use crate::io::progress::Progress;
use clap::Args;
use einsicht::data::Part;
use einsicht::explain::kinship::Kinship;
use einsicht::explain::report::{Options, ReportError, report};
use einsicht::explain::shapley;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Write a page about a model: how good it is, which subgraphs decide, and why, for every graph.
///
/// One file that needs no network: open it in a browser, print it, send it.
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
    /// Show at most N graphs one by one.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    max_graphs: usize,
    /// Most questions on a way through the rules.
    #[arg(long, value_name = "N", default_value_t = 4)]
    depth: usize,
    /// Up to N subgraphs values are exact; beyond, they are means over random orders.
    #[arg(long, value_name = "N", default_value_t = 8)]
    exact_up_to: usize,
    /// Number of random orders, each with its reverse.
    #[arg(long, value_name = "N", default_value_t = 16)]
    orders: usize,
}

impl Report {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let model = load(&self.model)?;
        let whole = read_with_or_without_targets(&model, &self.input, output)?;
        check(&model, &whole)?;
        let mut kinship = Kinship::of(&model, &whole);
        let part = self.input.part().unwrap_or(Part::All);
        let dataset = if part == Part::All && !self.input.has_split() {
            whole
        } else {
            let rows = self.input.split_of(&whole, general.seed)?.part(part);
            kinship.parts = rows.iter().map(|&row| kinship.parts[row]).collect();
            whole.subset(&rows)
        };
        for warning in kinship.sentences() {
            output.say(&format!("warning: {warning}"));
        }
        let options = Options {
            max_graphs: self.max_graphs,
            depth: self.depth,
            shapley: shapley::Options {
                exact_up_to: self.exact_up_to,
                orders: self.orders,
                seed: general.seed,
                ..shapley::Options::default()
            },
            seed: general.seed,
            command: command_line(),
            ..Options::default()
        };
        let page = {
            let _progress = Progress::start(output, "explaining every graph at every size");
            report(&model, &dataset, &kinship, &options).map_err(|error| failure(&error))?
        };
        write_whole(&self.output, page.as_bytes())?;
        let seconds = start.elapsed().as_secs_f64();
        output.result(
            || format!("{}\n", self.output.display()),
            || json!({ "report": self.output, "bytes": page.len(), "graphs": dataset.len(), "warnings": kinship.warnings, "seconds": seconds }),
        )?;
        Ok(Outcome::Done)
    }
}

/// A page that could not be made.
pub(super) fn failure(error: &ReportError) -> Failure {
    Failure::Data(Problem { error: error.to_string(), place: None, advice: None })
}

/// What was typed, so that it can be typed again.
pub(super) fn command_line() -> String {
    let quoted = |word: String| {
        let is_plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=,:+@".contains(c));
        if is_plain { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    let words = std::env::args().skip(1).map(quoted);
    std::iter::once("einsicht".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
