//! `einsicht demo`: the whole way from data to insight on a set that needs no download.

use super::train::{self, Job, Trained};
use super::{generate, inspect};
use crate::failure::{Failure, Outcome};
use crate::options::General;
use crate::output::Output;
use clap::Args;
use einsicht::data::split::seeded::{Shares, usual};
use einsicht::learn::fit::{self, FitError, FitOptions};
use einsicht::{Summary, Synthetic, TrainParams};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Show the whole way on made-up data: Cycle_XOR, 600 graphs with rings of two kinds.
///
/// Class 1 has either 8-rings or 9-rings, class 0 both or none: no single subgraph tells them apart, and message passing
/// does not see the difference at all. A model of three subgraphs does.
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
        let start = Instant::now();
        let folder = self.output.join("Cycle_XOR");
        let dataset = generate::write(Synthetic::CycleXor, general.seed, &folder)?;
        let split = usual(&dataset, Shares { valid: 0.2, test: 0.2 }, general.seed)?;
        let params =
            TrainParams { sizes: vec![1, 2, 3, 5], max_edges: 9, seed: general.seed, ..TrainParams::default() }
                .check()?;
        let path = self.output.join("model.einsicht");
        let job = Job { dataset: &dataset, split: &split, params: &params, output: &path };
        let options = FitOptions { threads: general.num_threads(), memory: None };
        let training = fit::start(&dataset, &split, &params, None, &options, None)?;
        let Trained { model, exit_code, .. } = job.train(training, output)?;
        if let Some(code) = exit_code {
            return Ok(Outcome::Interrupted(code));
        }
        let model = model.ok_or(FitError::NoModel)?;
        let best = model.best();
        let accuracy = best.test.get("accuracy").copied();
        output.result(
            || {
                let summary = inspect::text(&dataset, &Summary::of(&dataset));
                let told = accuracy.map_or_else(String::new, |x| {
                    format!("\n{:.1} % of the graphs that were held back are classified rightly\n", 100.0 * x)
                });
                format!("{summary}\n{}{told}", train::text(&model, &path, start.elapsed().as_secs_f64()))
            },
            || {
                json!({
                    "accuracy": accuracy,
                    "patterns": best.iterate.patterns.len(),
                    "data": folder,
                    "model": path,
                    "graphs": dataset.len(),
                })
            },
        )?;
        Ok(Outcome::Done)
    }
}
