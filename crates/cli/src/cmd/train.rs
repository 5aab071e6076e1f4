//! `einsicht train`: the path of models, saved on the way.

mod resampling;
pub(crate) mod run;

use super::prepare;
use super::story::Face;
use super::tables::{path_point, path_table, shares_text, test_text};
use crate::args::WeightOptions;
use crate::args::training::TrainOptions;
use crate::args::values::{duration, fraction};
use crate::args::{General, Input, ResamplingArgs};
use crate::failure::{Failure, Outcome};
use crate::io::checkpoint::CheckpointFile;
use crate::io::clock::cpu_seconds;
use crate::io::file::probe;
use crate::io::interrupt::{Interrupts, StopReason, reason_text};
use crate::io::output::{Output, counted, screen_width};
use crate::io::output_guard::{OutputKind, guard};
use clap::Args;
use einsicht::data::Dataset;
use einsicht::data::summary::Summary;
use einsicht::memory;
use einsicht::model::params::Penalty;
use einsicht::model::{PathEntry, StoppedBy};
use einsicht::report::wording::few_graphs_in_words;
use einsicht::search::Evictions;
use einsicht::train::fit::FitOptions;
use einsicht::{Model, Prepared, Resampled, Session, SplitChoice, TrainParams};
use run::SessionWatch;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  einsicht train MUTAG -o mutag.einsicht
  einsicht train bace.csv --target Class -o bace.einsicht --max-edges 8
  einsicht train bace.csv --target Class --test 0.2 -o bace.einsicht
  einsicht train BZR --splits BZR.json --trial 3 -o bzr.einsicht --json
  einsicht train BZR --preset ein --hidden 10 -o bzr.einsicht
  einsicht train ESOL.csv --preset ein --penalty l1 --set network=none -o linear";

/// Train a model that uses a few subgraphs.
///
/// Trains a path of models, from few subgraphs to many. The model file holds all of them and marks the one chosen by
/// held-out graphs. Training saves its state in MODEL.partial, at most every 5 seconds; --resume continues from there
/// and gives the same model as an uninterrupted run.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Train {
    /// Output file of the model.
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Continue an interrupted training with the same data and parameters.
    #[arg(long)]
    resume: bool,
    /// Time limit, such as 30s, 5m or 1h; if it is reached, the best model so far is written (exit status 3), and
    /// --resume continues.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    /// Fraction of the graphs to hold out as a test set, drawn by --seed and stratified; the test result is printed.
    #[arg(long, value_name = "FRACTION", conflicts_with = "splits", value_parser = fraction)]
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
        self.guard_outputs(output)?;
        let interrupts = Interrupts::listen_until(self.time_limit);
        let prepared = self.prepare(general, output)?;
        output.say(&prepared.params.get().summary_line());
        probe(&self.output)?;
        let checkpoint_file = CheckpointFile::of_model(&self.output)?;
        let options = FitOptions { threads: general.num_threads(), memory: self.options.memory() };
        let mut session = Session::new(prepared.inputs(), &options)?;
        for line in settled_lines(prepared.params.get(), session.params()) {
            output.say(&line);
        }
        if let Some(stage) = checkpoint_file.read(self.resume, &session.stage().origin, output)? {
            session = session.resume(stage)?;
        } else if let Some(model) = self.finished_model(&session, &checkpoint_file) {
            output.say(&format!("{} is already complete", self.output.display()));
            session.finish_with(model);
        }
        let watch = SessionWatch::new(&checkpoint_file, &interrupts, output);
        let stopped = watch.drive(&mut session, &self.output)?;
        let advice = checkpoint_file.advice();
        let dropped = session.evictions();
        let Some(model) = session.model() else {
            if let Some(StopReason::Signal(code)) = stopped {
                output.say(&format!("interrupted; {advice}"));
                return Ok(Outcome::Interrupted(code));
            }
            output.say(&format!("{}: there is no model yet; {advice}", reason_text(stopped)));
            return Ok(Outcome::Incomplete);
        };
        if let Some(StopReason::Signal(code)) = stopped {
            output.say(&format!("interrupted; model written to {}; {advice}", self.output.display()));
            return Ok(Outcome::Interrupted(code));
        }
        let work = Work {
            visited: session.visited(),
            times: watch.times(),
            memory: options.memory,
            dropped,
            seconds: start.elapsed().as_secs_f64(),
            is_complete: stopped.is_none(),
        };
        if let Some(few) = few_graphs_in_words(model) {
            output.say(&format!("warning: {few}"));
        }
        let shown = self.show(model, &prepared, session.resampled(), &work, output);
        if stopped.is_some() {
            output.say(&format!("{}: {}; {advice}", reason_text(stopped), proven(model)));
        } else if !matches!(shown, Err(Failure::Data(_))) {
            checkpoint_file.discard(); // a result that could not be printed can be printed by --resume
        }
        shown?;
        Ok(if stopped.is_some() { Outcome::Incomplete } else { Outcome::Done })
    }

    /// What is to be trained, with its graphs.
    fn prepare(&self, general: &General, output: &Output) -> Result<Prepared, Failure> {
        let mut plan = prepare::plan(&self.options, &self.input, general.seed)?;
        if let Some(test) = self.test {
            plan.split = SplitChoice::Test(test);
        }
        plan.class_weight = self.weights.class_weight();
        plan.resampling = self.resampling.counts();
        prepare::prepare(plan, &self.input, output)
    }

    /// The complete model of an earlier run of the same training: then nothing is left to do.
    fn finished_model(&self, session: &Session<'_>, checkpoint_file: &CheckpointFile) -> Option<Model> {
        if !self.resume || !self.resampling.is_empty() || !checkpoint_file.is_possible() || checkpoint_file.exists() {
            return None;
        }
        let model = Model::from_bytes(&std::fs::read(&self.output).ok()?).ok()?;
        session.is_finished_by(&model).then_some(model)
    }

    /// Refuses outputs that would replace something else.
    fn guard_outputs(&self, output: &Output) -> Result<(), Failure> {
        let inputs = self.input.files_and(self.options.files());
        guard("--output", &self.output, OutputKind::Model, &inputs, output)
    }

    fn face<'a>(&'a self, model: &'a Model) -> Face<'a> {
        let (entry, data_file) = (model.chosen, Some(&*self.input.data));
        Face { model, entry, task: 0, model_file: &self.output, data_file, width: screen_width() }
    }

    /// Shows the result to people or scripts.
    fn show(
        &self,
        model: &Model,
        prepared: &Prepared,
        resampled: &Resampled,
        work: &Work<'_>,
        output: &Output,
    ) -> Result<(), Failure> {
        let (names, resamples) = (prepared.dataset.names(), self.resampling.counts().bootstrap);
        output.result_in_colour(
            || {
                text(&self.face(model), &prepared.dataset, work.seconds)
                    + &resampling::text(resampled, resamples, names)
            },
            || {
                let mut document = self.document(model, prepared, work);
                resampling::add_to(&mut document, resampled, resamples, names);
                document
            },
        )
    }

    fn document(&self, model: &Model, Prepared { split, params, .. }: &Prepared, work: &Work<'_>) -> Value {
        json!({
            "model": self.output,
            "complete": work.is_complete,
            "chosen": model.chosen,
            "path": model.path_summary(work.visited),
            "metric": model.metric.name(),
            "estimate": model.estimate,
            "test": model.best().test,
            "preset": params.get().preset.name(),
            "deviations": deviations(params.get()),
            "graphs": { "train": split.train.len(), "valid": split.valid.len(), "test": split.test.len() },
            "seconds": work.seconds,
            "cpu_seconds": cpu_seconds(),
            "cpu_seconds_by_part": work.times,
            "peak_memory": memory::peak(),
            "memory": {
                "budget": work.memory,
                "dropped_embeddings": work.dropped.embeddings,
                "rederived": work.dropped.recomputed,
                "walks": work.dropped.streamed,
            },
        })
    }
}

/// What a training has cost.
struct Work<'a> {
    /// Patterns visited for each size.
    visited: &'a [u64],
    /// CPU time by phase.
    times: Value,
    /// The memory limit.
    memory: Option<usize>,
    /// What it has cost.
    dropped: Evictions,
    seconds: f64,
    /// Whether nothing has stopped it.
    is_complete: bool,
}

/// Parameters that differ from the preset's defaults, by name.
pub(super) fn deviations(params: &TrainParams) -> Map<String, Value> {
    params.deviations().into_iter().map(|(parameter, value)| (parameter.name.to_owned(), value)).collect()
}

/// What was auto or a share, and what it is on these graphs.
fn settled_lines(asked: &TrainParams, settled: &TrainParams) -> Vec<String> {
    let sizes = settled.sizes.last().filter(|_| asked.sizes.is_empty() && asked.penalty == Penalty::L0);
    let sizes = sizes.map(|largest| format!("sizes auto: models of up to {largest} subgraphs"));
    let edges = (asked.max_edges == 0).then_some(settled.max_edges);
    let edges = edges.map(|largest| format!("max_edges auto: subgraphs of at most {largest} edges"));
    let support = (asked.min_support != settled.min_support)
        .then(|| format!("min_support {}: {} graphs", asked.min_support, settled.min_support));
    sizes.into_iter().chain(edges).chain(support).collect()
}

/// What holds of a model that reached the time limit.
fn proven(model: &Model) -> String {
    if model.complete {
        return "the model is complete, the resampling is not".to_owned();
    }
    let (whole, cut): (Vec<&PathEntry>, Vec<&PathEntry>) =
        model.entries.iter().partition(|entry| entry.stopped_by != StoppedBy::Observer);
    let names = |entries: &[&PathEntry]| {
        entries.iter().map(|entry| path_point(entry.size, entry.lambda)).collect::<Vec<_>>().join(", ")
    };
    let mut parts = Vec::new();
    if !whole.is_empty() {
        parts.push(format!("{} complete", names(&whole)));
    }
    if let Some(entry) = cut.last() {
        parts.push(format!("{} stopped after {} iterations", path_point(entry.size, entry.lambda), entry.iterations));
    }
    format!("the path is incomplete: {}", parts.join(", "))
}

/// The text for people: the path, then the story of the chosen model.
fn text(face: &Face<'_>, dataset: &Dataset, seconds: f64) -> String {
    let (model, best) = (face.model, face.model.best());
    let mut text = path_table(model);
    text += &format!(
        "\nchosen: {}, {}\n",
        path_point(best.size, best.lambda),
        counted(best.iterate.patterns.len(), "subgraph")
    );
    text += &test_text(model);
    text += &model.effects.as_ref().map_or_else(String::new, |effects| shares_text(effects, false));
    text += &format!("model written to {}, {seconds:.1} s\n\n", face.model_file.display());
    text + &face.story(&Summary::of(dataset))
}
