//! `einsicht train`: the path of models, saved on the way.

mod resampling;
pub(crate) mod run;

use super::story::Face;
use super::tables::{path_point, path_table, shares_text, test_text};
use crate::args::training::{Prepared, TrainOptions, WeightOptions};
use crate::args::values::{duration, fraction};
use crate::args::{General, Input, ResamplingArgs};
use crate::failure::{Failure, Outcome};
use crate::io::clock::cpu_seconds;
use crate::io::clock::profile::Profile;
use crate::io::file::{probe, write_whole};
use crate::io::interrupt::{Interrupts, StopReason};
use crate::io::memory;
use crate::io::output::{Output, counted, screen_width};
use crate::io::output_guard::{OutputKind, guard};
use clap::Args;
use einsicht::data::Dataset;
use einsicht::data::summary::Summary;
use einsicht::learn::fit::{Chosen, Fit, FitError, FitOptions};
use einsicht::learn::names::Names;
use einsicht::learn::params::Penalty;
use einsicht::learn::resample::Resampler;
use einsicht::learn::train::{PathEntry, StoppedBy, TrainState};
use einsicht::{Model, TrainParams};
use resampling::ResamplingResult;
use run::{Trained, TrainingRun};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  einsicht train MUTAG -o mutag.einsicht
  einsicht train bace.csv --target Class -o bace.einsicht --max-edges 8
  einsicht train bace.csv --target Class --test 0.2 -o bace.einsicht
  einsicht train BZR --split BZR.json --trial 3 -o bzr.einsicht --json
  einsicht train BZR --preset ein --hidden 10 -o bzr.einsicht
  einsicht train ESOL.csv --preset ein --penalty l1 --network none -o linear";

/// Train a model that uses a few subgraphs.
///
/// Trains a path of models from few subgraphs to many, keeps all of them and marks the one that held-out graphs choose. The
/// state is saved in MODEL.partial, at most every 5 seconds; --resume continues from there and gives the same model as an
/// uninterrupted training.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Train {
    /// Output file of the model.
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Continue an interrupted training with the same data and parameters.
    #[arg(long)]
    resume: bool,
    /// Time limit, such as 30s, 5m or 1h: the best model so far is written (exit status 3); --resume continues.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    /// Write where the time goes as a trace (Chrome trace format: chrome://tracing, Perfetto), and print its parts.
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Fraction of the graphs to hold out for a test, stratified, by --seed; its figures are printed.
    #[arg(long, value_name = "FRACTION", conflicts_with = "split", value_parser = fraction)]
    test: Option<f64>,
    #[command(flatten)]
    resampling: ResamplingArgs,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    weights: WeightOptions,
    #[command(flatten)]
    options: TrainOptions,
}

impl Train {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let start = Instant::now();
        self.guard_outputs()?;
        let (interrupts, profile) = (Interrupts::listen_until(self.time_limit), Profile::start());
        let prepare = || self.options.prepare(&self.input, self.test, general.seed, output);
        let prepared = profile.part("reading", prepare)?;
        let Prepared { dataset, split, params } = &prepared;
        output.say(&params.get().summary_line());
        let weights = self.weights.weights(&self.input, &prepared)?;
        let weighted = (self.weights.class_weight(), weights.is_some());
        let run = TrainingRun::new(&prepared, weighted, &self.output, (interrupts, profile))?;
        let fit_options = FitOptions { threads: general.num_threads(), memory: self.options.memory() };
        let fit = || Fit::new(dataset, split, params, weights, &fit_options);
        let fit = run.profile.part("edges and first patterns", fit)?.stopped_by(run.interrupts.flag());
        for line in settled_lines(params.get(), fit.params().get()) {
            output.say(&line);
        }
        let (mut trained, choice) = self.train(&run, &fit, output)?;
        self.write_profile(&run.profile, output)?;
        let many = || Resampler::new(&fit, choice);
        if let Some(StopReason::Signal(code)) = trained.stopped {
            output.say(&format!("interrupted; {}", run.checkpoint_file.advice()));
            return Ok(Outcome::Interrupted(code));
        }
        let Some(mut model) = trained.model.take() else {
            if trained.stopped.is_none() {
                return Err(FitError::NoModel.into());
            }
            output.say(&format!("time limit: there is no model yet; {}", run.checkpoint_file.advice()));
            return Ok(Outcome::Incomplete);
        };
        let mut resampled = Some(ResamplingResult::default());
        if let (None, Some(checkpoint)) = (trained.stopped, &mut trained.checkpoint) {
            resampled = ResamplingResult::run(&self.resampling, many, &mut model, (&run, checkpoint), output)?;
            trained.stopped = run.interrupts.stop_reason().filter(|_| resampled.is_none());
        }
        if let Some(StopReason::Signal(code)) = trained.stopped {
            let advice = run.checkpoint_file.advice();
            output.say(&format!("interrupted; model written to {}; {advice}", self.output.display()));
            return Ok(Outcome::Interrupted(code));
        }
        let resampled = resampled.unwrap_or_default();
        let (names, seconds) = (Names::of(dataset), start.elapsed().as_secs_f64());
        let shown = output.result_in_colour(
            || text(&self.face(&model), dataset, seconds) + &resampled.text(names),
            || {
                let mut document = self.document(&model, &trained, &prepared, fit_options.memory, seconds);
                resampled.add_to(names, &mut document);
                document
            },
        );
        if trained.stopped.is_some() {
            output.say(&format!("time limit: {}; {}", proven(&model), run.checkpoint_file.advice()));
        } else if !matches!(shown, Err(Failure::Data(_))) {
            run.checkpoint_file.discard(); // a result that could not be printed can be printed by --resume
        }
        shown?;
        Ok(if trained.stopped.is_some() { Outcome::Incomplete } else { Outcome::Done })
    }

    /// Refuses outputs that would replace something else.
    fn guard_outputs(&self) -> Result<(), Failure> {
        let inputs = self.input.files_and(self.options.files());
        guard("--output", &self.output, OutputKind::Model, &inputs)?;
        let Some(file) = &self.profile else { return Ok(()) };
        guard("--profile", file, OutputKind::Trace, &inputs)?;
        probe(file)
    }

    /// Writes the trace, if it is asked for, and shows its parts.
    fn write_profile(&self, profile: &Profile, output: &Output) -> Result<(), Failure> {
        let Some(file) = &self.profile else { return Ok(()) };
        write_whole(file, profile.trace().to_string().as_bytes())?;
        output.say(&format!("{}\ntrace written to {}", profile.parts(), file.display()));
        Ok(())
    }

    fn face<'a>(&'a self, model: &'a Model) -> Face<'a> {
        let (entry, data_file) = (model.chosen, Some(&*self.input.data));
        Face { model, entry, task: 0, model_file: &self.output, data_file, width: screen_width() }
    }

    /// Trains, from the checkpoint if there is one to resume; nothing is left to do if the model is complete.
    fn train(&self, run: &TrainingRun<'_>, fit: &Fit<'_>, output: &Output) -> Result<(Trained, Chosen), Failure> {
        let saved = run.checkpoint(self.resume, output)?;
        if !self.resampling.is_empty() {
            Resampler::new(fit, None)?; // reports a memory limit too small for what follows
        }
        if self.resume
            && self.resampling.is_empty()
            && let Some(model) = run.finished(fit.params().get())
        {
            output.say(&format!("{} is already complete", self.output.display()));
            return Ok((Trained::earlier(model), None));
        }
        let begun = saved.as_ref().is_some_and(|saved| saved.state != TrainState::default());
        let (choice, checkpoint) = run.choose(fit, saved, output)?;
        let Some(choice) = choice else { return Ok((Trained::without_model(run.interrupts.stop_reason()), None)) };
        let state = begun.then(|| checkpoint.state.clone());
        let training = fit.start(choice.clone(), state)?;
        Ok((run.train(fit, training, checkpoint, output)?, choice))
    }

    /// The JSON document.
    fn document(
        &self,
        model: &Model,
        trained: &Trained,
        Prepared { split, params, .. }: &Prepared,
        memory_limit: Option<usize>,
        seconds: f64,
    ) -> Value {
        let dropped = trained.dropped;
        json!({
            "model": self.output,
            "complete": trained.stopped.is_none(),
            "chosen": model.chosen,
            "path": model.path_summary(&trained.visited),
            "metric": model.metric.name(),
            "estimate": model.estimate,
            "test": model.best().test,
            "preset": params.get().preset.name(),
            "deviations": deviations(params.get()),
            "graphs": { "train": split.train.len(), "valid": split.valid.len(), "test": split.test.len() },
            "seconds": seconds,
            "cpu_seconds": cpu_seconds(),
            "cpu_seconds_by_part": trained.times.document(),
            "peak_memory": memory::peak(),
            "memory": {
                "budget": memory_limit,
                "dropped_embeddings": dropped.embeddings,
                "dropped_patterns": dropped.patterns,
                "rederived": dropped.recomputed,
                "walks": dropped.streamed,
            },
        })
    }
}

/// Parameters that differ from the preset's defaults, by name.
pub(super) fn deviations(params: &TrainParams) -> Map<String, Value> {
    params.deviations().into_iter().map(|(parameter, value)| (parameter.name.to_owned(), value)).collect()
}

/// What was auto, and what it is on these graphs.
fn settled_lines(asked: &TrainParams, settled: &TrainParams) -> Vec<String> {
    let sizes = settled.sizes.last().filter(|_| asked.sizes.is_empty() && asked.penalty == Penalty::L0);
    let sizes = sizes.map(|largest| format!("sizes auto: models of up to {largest} subgraphs"));
    let edges = (asked.max_edges == 0).then_some(settled.max_edges);
    let edges = edges.map(|largest| format!("max_edges auto: subgraphs of at most {largest} edges"));
    sizes.into_iter().chain(edges).collect()
}

/// What holds of a model that reached the time limit.
fn proven(model: &Model) -> String {
    if model.complete {
        return "the model is complete, the resampling is not".to_owned();
    }
    let (whole, cut): (Vec<&PathEntry>, Vec<&PathEntry>) =
        model.entries.iter().partition(|entry| entry.stopped_by != StoppedBy::Observer);
    let names = |entries: &[&PathEntry]| entries.iter().map(|entry| path_point(entry)).collect::<Vec<_>>().join(", ");
    let mut parts = Vec::new();
    if !whole.is_empty() {
        parts.push(format!("{} complete", names(&whole)));
    }
    if let Some(entry) = cut.last() {
        parts.push(format!("{} stopped after {} iterations", path_point(entry), entry.iterations));
    }
    format!("the path is incomplete: {}", parts.join(", "))
}

/// The text for people: the path, then the story of the chosen model.
fn text(face: &Face<'_>, dataset: &Dataset, seconds: f64) -> String {
    let (model, best) = (face.model, face.model.best());
    let mut text = path_table(model);
    text += &format!("\nchosen: {}, {}\n", path_point(best), counted(best.iterate.patterns.len(), "subgraph"));
    text += &test_text(model);
    text += &model.effects.as_ref().map_or_else(String::new, |effects| shares_text(effects, false));
    text += &format!("model written to {}, {seconds:.1} s\n\n", face.model_file.display());
    text + &face.story(&Summary::of(dataset))
}
