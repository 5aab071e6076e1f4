//! `einsicht stability`: selection frequency of each subgraph over bootstrap resamples.

use super::tables::stability_table;
use crate::args::General;
use crate::args::Input;
use crate::args::training::{TrainOptions, WeightOptions, prepare};
use crate::args::values::at_least_one;
use crate::failure::{Failure, Outcome};
use crate::io::interrupt::Interrupts;
use crate::io::output::Output;
use crate::io::progress::Progress;
use clap::Args;
use einsicht::Prepared;
use einsicht::learn::fit::{Fit, FitOptions};
use einsicht::learn::names::Names;
use einsicht::learn::resample::Resampler;
use einsicht::learn::watch::ProgressOnly;
use serde_json::json;
use std::time::Instant;

/// Estimate selection frequencies of subgraphs by the bootstrap.
///
/// Each resample draws as many training graphs as there are, with replacement, and trains on them; equivalent subgraphs
/// (those with the same support) count as one.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht stability MUTAG --bootstrap 20
  einsicht stability bace.csv --target Class --sizes 5,10 --json")]
pub(crate) struct Stability {
    /// Number of bootstrap resamples.
    #[arg(long, value_name = "N", default_value = "20", value_parser = at_least_one)]
    bootstrap: usize,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    weights: WeightOptions,
    #[command(flatten)]
    options: TrainOptions,
}

impl Stability {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let begin = Instant::now();
        let mut plan = self.options.plan(&self.input, general.seed)?;
        plan.class_weight = self.weights.class_weight();
        let Prepared { dataset, split, params, weights, .. } = prepare(&plan, &self.input, output)?;
        let options = FitOptions { threads: general.num_threads(), memory: self.options.memory() };
        let interrupts = Interrupts::listen();
        let fit = Fit::new(&dataset, &split, &params, weights, &options)?.stopped_by(interrupts.flag());
        let stop = || interrupts.signal_code().is_some();
        let Some(choice) = fit.choose(&ProgressOnly::new(&|_| {}, &stop))? else {
            return Ok(Outcome::Interrupted(interrupts.signal_code().unwrap_or(130)));
        };
        let many = Resampler::new(&fit, choice)?;
        let members = {
            let progress = Progress::start(output, "resamples");
            let on_done = |done| progress.update(format!("{done} of {} resamples done", self.bootstrap));
            many.bootstrap(0..self.bootstrap, &ProgressOnly::new(&on_done, &stop))?
        };
        let Some(members) = members else {
            return Ok(Outcome::Interrupted(interrupts.signal_code().unwrap_or(130)));
        };
        let stability = many.stability(members.iter().map(|member| &member.iterate))?;
        let names = Names::of(&dataset);
        output.result(
            || stability_table(names, &stability, self.bootstrap),
            || {
                json!({
                    "patterns": stability.iter().map(|s| s.named(names)).collect::<Vec<_>>(),
                    "resamples": self.bootstrap,
                    "seconds": begin.elapsed().as_secs_f64(),
                })
            },
        )?;
        Ok(Outcome::Done)
    }
}
