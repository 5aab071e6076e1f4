//! `einsicht stability`: selection frequency of each subgraph over bootstrap resamples.

use super::prepare;
use super::tables::stability_table;
use crate::args::General;
use crate::args::Input;
use crate::args::WeightOptions;
use crate::args::training::TrainOptions;
use crate::args::values::at_least_one;
use crate::failure::{Failure, Outcome};
use crate::io::interrupt::Interrupts;
use crate::io::output::Output;
use crate::io::progress::Progress;
use clap::Args;
use einsicht::{AfterPass, Event, FitOptions, Resampling, Session, TrainingId, Watch};
use serde_json::json;
use std::time::Instant;

/// Estimate selection frequencies of subgraphs by the bootstrap.
///
/// Each resample draws from the training graphs, with replacement, as many as there are, and trains on them. Equivalent
/// subgraphs (those with the same support) count as one.
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
        let mut plan = prepare::plan(&self.options, &self.input, general.seed)?;
        plan.class_weight = self.weights.class_weight();
        plan.resampling = Resampling { bootstrap: self.bootstrap, permute: 0 };
        let prepared = prepare::prepare(plan, &self.input, output)?;
        let options = FitOptions { threads: general.num_threads(), memory: self.options.memory() };
        let interrupts = Interrupts::listen();
        let mut session = Session::new(prepared.inputs(), &options)?.without_model();
        let watch = Resamples { bar: Progress::start(output, "resamples"), interrupts: &interrupts };
        if !session.run(&watch)? {
            return Ok(Outcome::Interrupted(interrupts.signal_code().unwrap_or(130)));
        }
        drop(watch);
        let stability = &session.resampled().stability;
        let names = prepared.dataset.names();
        output.result(
            || stability_table(names, stability, self.bootstrap),
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

/// Draws how many resamples are done; stops on a signal.
struct Resamples<'a> {
    bar: Progress,
    interrupts: &'a Interrupts,
}

impl Watch for Resamples<'_> {
    fn event(&self, event: Event<'_>) {
        if let Event::Finished { training: TrainingId::Resample(_), done, count } = event {
            self.bar.update(format!("{done} of {count} resamples done"));
        }
    }

    fn passed(&self, _: TrainingId) -> AfterPass {
        AfterPass { stop: self.interrupts.signal_code().is_some(), ..AfterPass::default() }
    }
}
