//! `einsicht report`: one HTML page about a model and a data set.

use crate::args::General;
use crate::args::Input;
use crate::args::model_file::{check, load_before, read_with_or_without_targets, tasks_named};
use crate::args::values::at_least_one;
use crate::failure::{Failure, Outcome, Problem};
use crate::io::file::{output_name, write_whole};
use crate::io::output::Output;
use crate::io::output_guard::{OutputKind, guard};
use crate::io::progress::Share;
use clap::Args;
use einsicht::data::Part;
use einsicht::explain::Provenance;
use einsicht::report::{ComparedModel, ReportError, ReportOptions, compare_report, report_with_progress};
use einsicht::{Dataset, Model};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Write an HTML page about a model and its predictions.
///
/// The page shows metrics, subgraphs, surrogate trees, and the reasons for each prediction.
///
/// With two models, the page compares them on the same graphs: which one is right more often, with an interval for the
/// difference; which subgraphs they share; and the graphs that they predict differently, with the reasons of each
/// model.
///
/// If a model has many targets, the page explains the first 12 outputs, or those of --target.
///
/// The page is one self-contained file: open it in a browser, print it, or send it.
#[derive(Args, Debug)]
#[command(
    override_usage = "einsicht report [OPTIONS] <MODEL> [MODEL] <DATA>",
    after_help = "\
Examples:
  einsicht report mutag.einsicht MUTAG -o report.html
  einsicht report bace.einsicht bace.csv -o bace.html --max-graphs 500
  einsicht report esol.einsicht new.smi -o new.html
  einsicht report small.einsicht large.einsicht bace.csv -o compared.html"
)]
pub(crate) struct Report {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Write the page to this file; '-' for stdout.
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Largest number of graphs to show one by one, evenly spaced; metrics use all graphs.
    #[arg(long, value_name = "N", default_value_t = 700)]
    max_graphs: usize,
    /// Depth of the surrogate decision tree.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = at_least_one)]
    depth: usize,
    /// Largest number of subgraphs for which Shapley values are exact; above it, they are sampled.
    #[arg(long, value_name = "N", default_value_t = 8)]
    exact_up_to: usize,
    /// Number of sampled permutations, each also reversed (antithetic).
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = at_least_one)]
    orders: usize,
    #[command(flatten)]
    input: Input,
    /// Data set, if the second argument is a model to compare with.
    #[arg(value_name = "DATA", help_heading = clap::builder::Resettable::Reset)]
    compared_on: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        if let Some(data) = &self.compared_on {
            return self.compare(&self.input.of(data), general, output);
        }
        let start = Instant::now();
        guard("--output", &self.output, OutputKind::Page, &self.input.files_and([&self.model]), output)?;
        let (model, dataset, provenance) = read(&self.model, &self.input, output)?;
        let tasks = tasks_named(&model, &self.input.target)?;
        for warning in provenance.for_comparison() {
            output.say(&format!("warning: {warning}"));
        }
        let tasks = if self.input.target.is_empty() { Vec::new() } else { tasks };
        let options = ReportOptions { tasks, ..self.options(general) };
        let page = {
            let share = Share::start(output, "explaining graphs at every size");
            let found = report_with_progress(&model, &dataset, &provenance, &options, &|part| share.set(part));
            found.map_err(|error| failure(&error))?
        };
        let warnings: Vec<&String> = provenance.for_comparison().collect();
        self.write(&page, dataset.len(), &json!(warnings), start, output)
    }

    /// The page of two models.
    fn compare(&self, input: &Input, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let paths = [&self.model, &self.input.data];
        guard("--output", &self.output, OutputKind::Page, &input.files_and(paths), output)?;
        let sides = [read(paths[0], input, output)?, read(paths[1], input, output)?];
        let names = paths.map(|path| file_name(path));
        let compared = [0, 1].map(|at| {
            let (model, dataset, provenance) = &sides[at];
            ComparedModel { name: &names[at], model, dataset, provenance }
        });
        let page = {
            let share = Share::start(output, "comparing both models");
            let found = compare_report(compared, &self.options(general), &|part| share.set(part));
            found.map_err(|error| failure(&error))?
        };
        let graphs = compared[0].dataset.len();
        let warnings: Vec<&String> = compared.iter().flat_map(|one| one.provenance.for_comparison()).collect();
        self.write(&page, graphs, &json!(warnings), start, output)
    }

    fn options(&self, general: &General) -> ReportOptions {
        ReportOptions {
            max_graphs: self.max_graphs,
            depth: self.depth,
            exact_up_to: self.exact_up_to,
            orders: self.orders,
            seed: general.seed,
            command: command_line(),
            ..ReportOptions::default()
        }
    }

    /// Writes the page and says where it is.
    fn write(
        &self,
        page: &str,
        graphs: usize,
        warnings: &Value,
        start: Instant,
        output: &Output,
    ) -> Result<Outcome, Failure> {
        write_whole(&self.output, page.as_bytes())?;
        let seconds = start.elapsed().as_secs_f64();
        output.result(
            || format!("{}\n", output_name(&self.output)),
            || {
                let (report, bytes) = (&self.output, page.len());
                json!({ "report": report, "bytes": bytes, "graphs": graphs, "warnings": warnings, "seconds": seconds })
            },
        )?;
        Ok(Outcome::Done)
    }
}

/// A model, the graphs of the asked part as it reads them, and what it knows of them.
fn read(path: &Path, input: &Input, output: &Output) -> Result<(Model, Dataset, Provenance), Failure> {
    let model = load_before(path, &input.data)?;
    // Where the model has several targets, the option names those to explain; the data are read with all.
    let input = if model.tasks.len() > 1 { input.without_targets() } else { input.clone() };
    let whole = read_with_or_without_targets(&model, &input, output)?;
    check(&model, &whole)?;
    let provenance = Provenance::of(&model, &whole);
    let part = input.part().unwrap_or(Part::All);
    if part == Part::All && !input.has_split() {
        return Ok((model, whole, provenance));
    }
    let rows = input.part_of(&model, &whole, part)?;
    Ok((model, whole.subset(&rows), provenance.of_rows(&rows)))
}

/// The name of a file without its folders.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

pub(in crate::cmd) fn failure(error: &ReportError) -> Failure {
    Failure::Data(Problem { error: error.to_string(), place: None, advice: None })
}

/// The command line, quoted for a shell.
pub(in crate::cmd) fn command_line() -> String {
    let words = std::env::args().skip(1).map(quoted);
    std::iter::once("einsicht".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word, quoted for a shell if it needs that.
pub(in crate::cmd) fn quoted(word: String) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=,:+@".contains(c));
    if is_plain { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
