//! `einsicht train`: the path of models, saved on the way.

use crate::clock::{Parts, cpu_seconds};
use crate::failure::{Failure, Outcome};
use crate::file::{beside, read_whole, write_whole};
use crate::input::{Input, Unless};
use crate::interrupt::Interrupts;
use crate::memory;
use crate::mixing;
use crate::model::{path_json, path_table, pattern_table, rung};
use crate::options::General;
use crate::output::Output;
use crate::progress::Progress;
use crate::repeats::{Names, Repeats};
use crate::training::TrainOptions;
use clap::Args;
use einsicht::data::Split;
use einsicht::data::read::{OnBad, TargetChoice};
use einsicht::learn::fit::{self, FitError, FitOptions, Training};
use einsicht::learn::model::SourceRows;
use einsicht::learn::params::CheckedParams;
use einsicht::learn::persist::Checkpoint;
use einsicht::learn::resample::Many;
use einsicht::learn::train::{StoppedBy, TrainState};
use einsicht::{Dataset, Model};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  einsicht train MUTAG -o mutag.einsicht
  einsicht train bace.csv --target Class -o bace.einsicht --max-edges 8
  einsicht train BZR --split BZR.json --trial 3 -o bzr.einsicht --json
  einsicht train ESOL.csv --penalty l1 --network none -o linear.einsicht";

/// Train a model that reads a handful of subgraphs.
///
/// Trains a path of models from few subgraphs to many, keeps all of them and marks the best on the validation part.
/// What is done so far is saved in MODEL.partial; --resume goes on from there.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", mixing::help()))]
pub(crate) struct Train {
    #[command(flatten)]
    input: Input,
    /// Write the model to this file.
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Go on where an interrupted training stopped.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    repeats: Repeats,
    #[command(flatten)]
    options: TrainOptions,
}

impl Train {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let params = self.options.params(general.seed)?;
        params.clone().check()?; // what is wrong is told before the data are read
        let unless = Unless { on_bad: OnBad::Stop, targets: TargetChoice::Usual, ..Unless::default() };
        let dataset = self.input.read(unless, output)?;
        let params = self.options.with_patterns(params, &dataset, output)?.check()?;
        let split = self.input.split_of(&dataset, general.seed)?;
        let job = Job { dataset: &dataset, split: &split, params: &params, output: &self.output };
        let state = if self.resume { job.saved_state(output)? } else { None };
        let options = FitOptions { threads: general.num_threads(), memory: None };
        let training = fit::start(&dataset, &split, &params, None, &options, state)?;
        let Trained { model, visited, parts, exit_code } = job.train(training, output)?;
        if let Some(code) = exit_code {
            output.say(&format!("interrupted; --resume goes on from {}", job.partial().display()));
            return Ok(Outcome::Interrupted(code));
        }
        let mut model = model.ok_or(FitError::NoModel)?;
        let many = || Many::new(&dataset, &split, &params, &options);
        let Some(repeated) = self.repeats.run(many, &mut model, &self.output, output)? else {
            output.say(&format!("interrupted; the model is in {}", self.output.display()));
            return Ok(Outcome::Interrupted(130));
        };
        let names = Names::of(&dataset);
        let seconds = start.elapsed().as_secs_f64();
        output.result(
            || text(&model, &self.output, seconds) + &repeated.text(names),
            || {
                let mut told = json!({
                    "model": self.output,
                    "chosen": model.chosen,
                    "path": path_json(&model, &visited),
                    "metric": model.metric.name(),
                    "graphs": { "train": split.train.len(), "valid": split.valid.len(), "test": split.test.len() },
                    "seconds": seconds,
                    "cpu_seconds": cpu_seconds(),
                    "cpu_seconds_by_part": parts.document(),
                    "peak_memory": memory::peak(),
                });
                repeated.tell(names, &mut told);
                told
            },
        )?;
        Ok(Outcome::Done)
    }
}

/// What people see at the end.
pub(super) fn text(model: &Model, path: &Path, seconds: f64) -> String {
    let best = model.best();
    let mut text = path_table(model);
    text += &format!("\nchosen: {}, {} subgraphs\n\n", rung(best), best.iterate.patterns.len());
    text += &pattern_table(model, best);
    text += &format!("\nmodel in {}, {seconds:.1} s\n", path.display());
    text
}

/// One training and where it is saved.
pub(super) struct Job<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) split: &'a Split,
    pub(super) params: &'a CheckedParams,
    pub(super) output: &'a Path,
}

/// What came of it.
pub(super) struct Trained {
    /// Absent if interrupted.
    pub(super) model: Option<Model>,
    /// Patterns looked at for each size.
    pub(super) visited: Vec<u64>,
    /// Where the time went.
    pub(super) parts: Parts,
    /// The exit code that an interrupting signal asks for.
    pub(super) exit_code: Option<u8>,
}

impl Job<'_> {
    pub(super) fn partial(&self) -> PathBuf {
        beside(self.output, ".partial")
    }

    /// Trains, saves on the way, writes the model.
    pub(super) fn train(&self, mut training: Training, output: &Output) -> Result<Trained, Failure> {
        let interrupts = Interrupts::listen();
        // Before the long work, so that a bad path is told at once.
        self.save(training.state())?;
        let (mut exit_code, mut crowded) = (None, None);
        let mut parts = Parts::default();
        {
            let progress = Progress::start(output, "training");
            while let Some(pass) = training.step_by_parts(&mut |part| parts.enter(part))? {
                parts.end();
                let rung = match pass.lambda {
                    None => format!("size {}", pass.size),
                    Some(lambda) => format!("lambda {lambda:.4}"),
                };
                progress.tell(format!(
                    "{rung}, iteration {}: loss {:.4}, validation loss {:.4}, {} subgraphs, {} looked at",
                    pass.iteration, pass.objective, pass.valid_loss, pass.patterns, pass.search.visited
                ));
                if pass.step.is_none() {
                    output.detail(&format!("{rung}, iteration {}: no step serves, the subgraphs stay", pass.iteration));
                }
                if let Some(why) = pass.stopped_by {
                    output.detail(&format!("{rung} ends after {} iterations: {}", pass.iteration, why.name()));
                    crowded = (why == StoppedBy::Patterns).then_some(rung);
                    self.save(training.state())?;
                }
                exit_code = interrupts.arrived();
                if exit_code.is_some() {
                    self.save(training.state())?;
                    break;
                }
            }
        }
        if let Some(rung) = crowded {
            output.say(&format!(
                "the path ends at {rung}: more than {} subgraphs want in; --max-patterns allows more",
                self.params.get().max_patterns
            ));
        }
        let visited = training.state().visited.clone();
        if exit_code.is_some() {
            return Ok(Trained { model: None, visited, parts, exit_code });
        }
        let model = training.model(self.dataset, self.split)?;
        if let Some(model) = &model {
            let bytes = model.to_bytes().map_err(|error| Failure::file(self.output, error))?;
            write_whole(self.output, &bytes)?;
            // The model is there; the state is of no more use.
            let _ = std::fs::remove_file(self.partial());
        }
        Ok(Trained { model, visited, parts, exit_code })
    }

    fn rows(&self) -> SourceRows {
        SourceRows::of(self.dataset, self.split)
    }

    fn save(&self, state: &TrainState) -> Result<(), Failure> {
        let fingerprint = self.dataset.fingerprint().to_string();
        let checkpoint = Checkpoint::new(self.params.get(), fingerprint, self.rows(), state.clone());
        let partial = self.partial();
        let bytes = checkpoint.to_bytes().map_err(|error| Failure::file(&partial, error))?;
        write_whole(&partial, &bytes)
    }

    /// The state of an interrupted training, if there is one.
    fn saved_state(&self, output: &Output) -> Result<Option<TrainState>, Failure> {
        let partial = self.partial();
        if !partial.exists() {
            output.say(&format!("nothing to resume: there is no {}", partial.display()));
            return Ok(None);
        }
        let refuse = |error| Failure::file(&partial, error);
        let checkpoint = Checkpoint::from_bytes(&read_whole(&partial)?).map_err(refuse)?;
        let fingerprint = self.dataset.fingerprint().to_string();
        Ok(Some(checkpoint.state_for(self.params.get(), &fingerprint, &self.rows()).map_err(refuse)?))
    }
}
