//! `einsicht demo`: data, training, report on a synthetic set that needs no download.

use super::data::{generate, inspect};
use super::sent::report::failure;
use super::tables::{path_table, pattern_table};
use super::train::run::SessionWatch;
use crate::args::General;
use crate::failure::{Failure, Outcome};
use crate::io::checkpoint::CheckpointFile;
use crate::io::file::write_whole;
use crate::io::interrupt::{Interrupts, StopReason};
use crate::io::output::{Output, counted};
use crate::io::output_guard::{OutputKind, guard};
use crate::io::progress::Share;
use clap::Args;
use einsicht::data::split::seeded::{Fractions, default_split};
use einsicht::explain::{Provenance, Subject, effects};
use einsicht::memory::{Bytes, usual_budget};
use einsicht::model::metrics::Metric;
use einsicht::report::{ReportOptions, report_with_progress};
use einsicht::train::fit::{FitError, FitOptions};
use einsicht::{Dataset, Model, Plan, Session, SplitChoice, Summary, Synthetic};
use serde_json::json;
use std::path::PathBuf;

/// Run all steps on 600 synthetic graphs with rings of two kinds.
///
/// Class 1 has either 8-rings or 9-rings, class 0 has both or neither. No single subgraph separates the classes, and
/// message passing cannot distinguish them at all. A model of three subgraphs can.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht demo
  einsicht demo -o somewhere --seed 3")]
pub(crate) struct Demo {
    /// Output folder for data, model and report.
    #[arg(short, long, value_name = "DIR", default_value = "einsicht-demo")]
    output: PathBuf,
}

impl Demo {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let folder = self.output.join("Cycle_XOR");
        let nothing: [PathBuf; 0] = [];
        guard("--output", &self.output.join("model.einsicht"), OutputKind::Model, &nothing, output)?;
        guard("--output", &self.output.join("report.html"), OutputKind::Page, &nothing, output)?;
        let dataset = generate::write(Synthetic::CycleXor, general.seed, &folder)?;
        output.say(&format!("data written to {}; training a model on it", folder.display()));
        let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.2 }, general.seed)?;
        // The larger ring has nine edges, and a handful of subgraphs is enough.
        let sizes = vec![1, 2, 3, 5];
        let plan = Plan::of_graphs(dataset).seed(general.seed).split(SplitChoice::Rows(split));
        let plan = plan.set("preset", "ein")?.set("sizes", sizes)?.set("max_edges", 9)?;
        let prepared = plan.prepare()?;
        let path = self.output.join("model.einsicht");
        let checkpoint_file = CheckpointFile::of_model(&path)?;
        let interrupts = Interrupts::listen();
        let options = FitOptions { threads: general.num_threads(), memory: usual_budget().map(|Bytes(bytes)| bytes) };
        let mut session = Session::new(prepared.inputs(), &options)?;
        let stopped = SessionWatch::new(&checkpoint_file, &interrupts, output).drive(&mut session, &path)?;
        checkpoint_file.discard(); // a demonstration cannot be resumed
        if let Some(StopReason::Signal(code)) = stopped {
            return Ok(Outcome::Interrupted(code));
        }
        let model = session.into_model().ok_or(FitError::NoModel)?;
        let dataset = &prepared.dataset;
        let page = self.output.join("report.html");
        let command = format!("einsicht demo -o {} --seed {}", self.output.display(), general.seed);
        let options = ReportOptions { seed: general.seed, command, ..ReportOptions::default() };
        let written = {
            let (share, provenance) = (Share::start(output, "writing the report"), Provenance::of(&model, dataset));
            let page = report_with_progress(&model, dataset, &provenance, &options, &|part| share.set(part));
            page.map_err(|error| failure(&error))?
        };
        write_whole(&page, written.as_bytes())?;
        let accuracy = model.best().test.get(Metric::Accuracy.name()).copied();
        output.result_in_colour(
            || text(dataset, &model, accuracy.unwrap_or(f64::NAN)),
            || {
                json!({
                    "accuracy": accuracy,
                    "patterns": model.best().iterate.patterns.len(),
                    "graphs": dataset.len(),
                    "data": folder,
                    "model": path,
                    "report": page,
                })
            },
        )?;
        output.say(&format!("model written to {0}; show it with: einsicht show {0}", path.display()));
        output.say(&format!("report written to {}; open it in a browser", page.display()));
        Ok(Outcome::Done)
    }
}

fn text(dataset: &Dataset, model: &Model, accuracy: f64) -> String {
    let best = model.best();
    let subject = Subject { model, entry: model.chosen, dataset };
    format!(
        "{}\n{}\nchosen: {}; {:.1} % of the test set classified correctly\n\n{}",
        inspect::text(dataset, &Summary::of(dataset)),
        path_table(model),
        counted(best.iterate.patterns.len(), "subgraph"),
        100.0 * accuracy,
        pattern_table(model, best, Some(&effects(&subject, &Provenance::of(model, dataset)))),
    )
}
