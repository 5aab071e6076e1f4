//! `einsicht demo`: the whole way from data to insight on a set that needs no download.

use super::{generate, inspect};
use crate::failure::{Failure, Outcome};
use crate::options::General;
use crate::output::Output;
use clap::Args;
use einsicht::{Summary, Synthetic};
use serde_json::json;
use std::path::PathBuf;

/// Show the whole way on made-up data: Cycle_XOR, 600 graphs with rings of two kinds.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht demo
  einsicht demo -o somewhere --seed 3")]
pub(crate) struct Demo {
    /// Write what is made into this folder.
    #[arg(short, long, value_name = "DIR", default_value = "einsicht-demo")]
    output: PathBuf,
}

impl Demo {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let folder = self.output.join("Cycle_XOR");
        let dataset = generate::write(Synthetic::CycleXor, general.seed, &folder)?;
        let summary = Summary::of(&dataset);
        output.result(|| inspect::text(&dataset, &summary), || json!({ "graphs": summary.graphs, "data": folder }))?;
        output.say(&format!("the data are in {}", folder.display()));
        output.say("to come: a model of a few subgraphs that tells the two classes apart, and a page that shows them");
        Ok(Outcome::Done)
    }
}
