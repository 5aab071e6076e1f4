//! `einsicht train`: the path of models, saved on the way.

use crate::clock::cpu_seconds;
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::interrupt::{Interrupts, Why};
use crate::job::{Job, Trained};
use crate::memory;
use crate::model::{path_table, pattern_table, rung};
use crate::options::General;
use crate::output::{Output, counted};
use crate::repeats::{Repeated, Repeats};
use crate::training::{Prepared, TrainOptions};
use crate::values::duration;
use clap::Args;
use einsicht::learn::fit::{self, FitError, FitOptions};
use einsicht::learn::names::Names;
use einsicht::learn::resample::Resampler;
use einsicht::learn::train::{PathEntry, StoppedBy};
use einsicht::{Model, TrainParams};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  einsicht train MUTAG -o mutag.einsicht
  einsicht train bace.csv --target Class -o bace.einsicht --max-edges 8
  einsicht train BZR --split BZR.json --trial 3 -o bzr.einsicht --json
  einsicht train BZR --preset ein --hidden 10 -o bzr.einsicht
  einsicht train ESOL.csv --preset ein --penalty l1 --network none -o linear.einsicht";

/// Train a model that reads a handful of subgraphs.
///
/// Trains a path of models from few subgraphs to many, keeps all of them and marks the best on the validation part.
/// What is done so far is saved in MODEL.partial, at most every 5 seconds; --resume goes on from there and ends in the
/// model of a training that was never interrupted.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Train {
    #[command(flatten)]
    input: Input,
    /// Write the model to this file.
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Go on where an interrupted training stopped. It must be the same training: what differs is named.
    #[arg(long)]
    resume: bool,
    /// Stop after this time, such as 30s, 5m or 1h: the best so far is written, the exit code is 3, and --resume goes on.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    #[command(flatten)]
    repeats: Repeats,
    #[command(flatten)]
    options: TrainOptions,
}

impl Train {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let interrupts = Interrupts::listen_until(self.time_limit);
        let Prepared { dataset, split, params } = self.options.prepare(&self.input, general.seed, output)?;
        output.say(&params.get().summary_line());
        let job = Job::new(&dataset, &split, &params, &self.output, interrupts)?;
        let saved = job.saved(self.resume, output)?;
        let options = FitOptions { threads: general.num_threads(), memory: self.options.memory() };
        if !self.repeats.is_empty() {
            Resampler::new(&dataset, &split, &params, &options)?; // a budget too small for what follows is told at once
        }
        let state = saved.as_ref().map(|saved| saved.state.clone());
        let training = fit::start(&dataset, &split, &params, None, &options, state)?;
        let earlier = if self.resume && self.repeats.is_empty() { job.finished(&training) } else { None };
        let trained = match earlier {
            Some(model) => {
                output.say(&format!("{} is already there, and complete", self.output.display()));
                Trained::before(model)
            }
            None => job.train(training, saved, output)?,
        };
        let Trained { model, mut checkpoint, visited, dropped, parts, mut why } = trained;
        if let Some(Why::Signal(code)) = why {
            output.say(&format!("interrupted; {}", job.advice()));
            return Ok(Outcome::Interrupted(code));
        }
        let Some(mut model) = model else {
            if why.is_none() {
                return Err(FitError::NoModel.into());
            }
            output.say(&format!("time limit: there is no model yet; {}", job.advice()));
            return Ok(Outcome::Incomplete);
        };
        let mut repeated = Some(Repeated::default());
        if let (None, Some(checkpoint)) = (why, &mut checkpoint) {
            let many = || Resampler::new(&dataset, &split, &params, &options);
            repeated = self.repeats.run(many, &mut model, (&job, checkpoint), output)?;
            why = job.interrupts.why().filter(|_| repeated.is_none());
        }
        if let Some(Why::Signal(code)) = why {
            output.say(&format!("interrupted; the model is in {}; {}", self.output.display(), job.advice()));
            return Ok(Outcome::Interrupted(code));
        }
        let repeated = repeated.unwrap_or_default();
        let names = Names::of(&dataset);
        let seconds = start.elapsed().as_secs_f64();
        let shown = output.result(
            || text(&model, &self.output, seconds) + &repeated.text(names),
            || {
                let mut told = json!({
                    "model": self.output,
                    "complete": why.is_none(),
                    "chosen": model.chosen,
                    "path": model.path_summary(&visited),
                    "metric": model.metric.name(),
                    "preset": params.get().preset.name(),
                    "deviations": deviations(params.get()),
                    "graphs": { "train": split.train.len(), "valid": split.valid.len(), "test": split.test.len() },
                    "seconds": seconds,
                    "cpu_seconds": cpu_seconds(),
                    "cpu_seconds_by_part": parts.document(),
                    "peak_memory": memory::peak(),
                    "memory": {
                        "budget": options.memory,
                        "dropped_embeddings": dropped.embeddings,
                        "dropped_patterns": dropped.patterns,
                        "rederived": dropped.recomputed,
                        "walks": dropped.streamed,
                    },
                });
                repeated.tell(names, &mut told);
                told
            },
        );
        if why.is_some() {
            output.say(&format!("time limit: {}; {}", proven(&model), job.advice()));
        } else if !matches!(shown, Err(Failure::Data(_))) {
            job.end(); // a result that could not be told can be told again
        }
        shown?;
        Ok(if why.is_some() { Outcome::Incomplete } else { Outcome::Done })
    }
}

/// Parameters that differ from the preset's defaults, by name.
pub(super) fn deviations(params: &TrainParams) -> Map<String, Value> {
    params.deviations().into_iter().map(|(parameter, value)| (parameter.name.to_owned(), value)).collect()
}

/// What holds of a model although the time was over.
fn proven(model: &Model) -> String {
    if model.complete {
        return "the model is complete, the trainings that were to follow are not".to_owned();
    }
    let (whole, cut): (Vec<&PathEntry>, Vec<&PathEntry>) =
        model.entries.iter().partition(|entry| entry.stopped_by != StoppedBy::Observer);
    let names = |entries: &[&PathEntry]| entries.iter().map(|entry| rung(entry)).collect::<Vec<_>>().join(", ");
    let mut parts = Vec::new();
    if !whole.is_empty() {
        parts.push(format!("{} as without a limit", names(&whole)));
    }
    if let Some(entry) = cut.last() {
        parts.push(format!("{} as far as {} iterations led", rung(entry), entry.iterations));
    }
    format!("the path is incomplete: {}", parts.join(", "))
}

/// What people see at the end.
pub(super) fn text(model: &Model, path: &Path, seconds: f64) -> String {
    let best = model.best();
    let mut text = path_table(model);
    text += &format!("\nchosen: {}, {}\n\n", rung(best), counted(best.iterate.patterns.len(), "subgraph"));
    text += &pattern_table(model, best);
    text += &format!("\nmodel in {}, {seconds:.1} s\n", path.display());
    text
}
