//! `einsicht convert`: any format to JSON lines.

use crate::args::General;
use crate::args::{Input, skipping};
use crate::failure::{Failure, Outcome};
use crate::io::file::is_stdout;
use crate::io::output::{self, Output};
use crate::io::output_guard::{OutputKind, guard};
use clap::Args;
use einsicht::data::read::{Format, TargetChoice};
use einsicht::data::write::{to_jsonl, write_jsonl};
use serde_json::json;
use std::path::PathBuf;

/// Convert any format to JSON lines without loss.
///
/// JSON lines keep names of labels, all targets, attributes, and the row of each graph: reading them gives the same
/// data set.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht convert MUTAG -o mutag.jsonl
  einsicht convert tox21.csv -o tox21.jsonl.gz --target NR-AhR
  einsicht convert BZR -o - --splits BZR.json --part test | head -n 3")]
pub(crate) struct Convert {
    /// Output file, gzipped if its name ends in .gz; '-' for stdout.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    input: Input,
}

impl Convert {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        guard("--output", &self.output, OutputKind::Dataset, &self.input.files(), output)?;
        if let Some(format) = Format::of_name(&self.output).filter(|format| *format != Format::Jsonl) {
            let shown = self.output.display();
            return Err(Failure::usage(
                "--output",
                format!("--output is written as JSON lines, but the name {shown} says {format}: end it in .jsonl"),
            ));
        }
        let defaults = skipping(TargetChoice::All);
        let dataset = self.input.read_part(defaults, general.seed, output)?;
        if is_stdout(&self.output) {
            output::print_with(|out| to_jsonl(&dataset, out))?;
            return Ok(Outcome::Done);
        }
        write_jsonl(&dataset, &self.output)?;
        output.result(
            || format!("{}: {} graphs in {}\n", dataset.name, dataset.len(), self.output.display()),
            || json!({ "graphs": dataset.len(), "skipped": dataset.skipped.len(), "output": self.output }),
        )?;
        Ok(Outcome::Done)
    }
}
