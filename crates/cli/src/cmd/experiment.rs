//! `einsicht experiment`: train, select and test on each split, over a grid of parameters.

mod compare;
pub(super) mod cross_validate;
mod saved;
mod summary;
mod trial;

use super::prepare::{TrialInputs, prepare_trials, refuse_part};
use crate::args::WeightOptions;
use crate::args::splitting::SchemeOptions;
use crate::args::training::InnerTrainOptions;
use crate::args::values::duration;
use crate::args::{General, Input};
use crate::failure::{Failure, Outcome};
use crate::io::interrupt::{Interrupts, StopReason};
use crate::io::output::Output;
use crate::io::output_guard::guard_trials;
use crate::io::progress::Progress;
use clap::builder::ArgPredicate;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use compare::{CompareOptions, Comparison, Measured};
use einsicht::data::split::seeded::Fractions;
use einsicht::data::split::{SplitPlan, USUAL_FOLDS};
use einsicht::data::{Split, SplitError, SplitFile};
use einsicht::experiment::Trials;
use einsicht::graph::stop::Stopped;
use einsicht::train::bounded_parallel;
use einsicht::train::fit::FitOptions;
use einsicht::train::grid::Point;
use einsicht::{Dataset, PreparedGrid};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use summary::ResultSummary;
use trial::{FinishedTrial, StoredTrial, StoredTrials, TrialWork};

/// Train and test on many splits, over a grid of parameters.
///
/// For each trial of the split file, trains a model at every point of the grid, picks the best one by the validation
/// set, and evaluates it on the test set. Without a split file there are five folds, as in cross-validate. With -o,
/// each finished trial is written at once, and running trials are saved at most every 5 seconds; --resume skips
/// finished trials and continues saved ones, with the same results.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  einsicht experiment MUTAG --grid grid.json
  einsicht experiment MUTAG --splits MUTAG.json
  einsicht experiment BZR --splits BZR.json --grid paper --trial 0-4 -o results
  einsicht experiment BZR --splits BZR.json --grid grid.json -o results --resume
  einsicht experiment --compare results other-results --markdown

A grid file is a JSON object with a list of values for each parameter, such as {\"max_edges\": [4, 6], \"hidden\": \
[2, 6]}.")]
pub(crate) struct Experiment {
    /// Grid of parameters: 'quick' (one point), 'paper', or a JSON file.
    #[arg(long, value_name = "quick|paper|FILE", default_value = "quick")]
    grid: String,
    /// Output folder for results and models of all trials.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Skip finished trials and continue interrupted ones.
    #[arg(long, requires = "output")]
    resume: bool,
    /// Time limit, such as 30s, 5m or 1h; if it is reached, only finished trials count (exit status 3), and --resume
    /// continues.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    #[command(flatten)]
    input: OptionalInput,
    #[command(flatten)]
    scheme: SchemeOptions,
    #[command(flatten)]
    weights: WeightOptions,
    #[command(flatten)]
    comparison: CompareOptions,
    #[command(flatten)]
    options: InnerTrainOptions,
}

/// What DATA is where it was not given: no path of a file system.
const NO_DATA: &str = "\u{1}";

/// DATA, which a comparison of stored experiments does not need.
#[derive(Clone, Debug)]
struct OptionalInput(Input);

impl Args for OptionalInput {
    fn augment_args(command: Command) -> Command {
        Input::augment_args(command).mut_arg("data", |data| {
            data.required(false).required_unless_present("compare").default_value_if(
                "compare",
                ArgPredicate::IsPresent,
                NO_DATA,
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OptionalInput {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Input::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// How the trials of an experiment ended.
struct FinishedExperiment {
    results: Vec<StoredTrial>,
    work: Vec<Option<TrialWork>>,
    prepared: Vec<(usize, Split)>,
    /// Points of the grid.
    points: usize,
    stopped: Option<StopReason>,
}

impl Experiment {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        if let [first, second] = &self.comparison.compare[..] {
            Comparison::new(&Measured::read(first)?, &Measured::read(second)?)?.show(&self.comparison, output)?;
            return Ok(Outcome::Done);
        }
        let start = Instant::now();
        let finished = self.run_trials(general, output)?;
        let advice = if self.output.is_some() { "; --resume continues" } else { "" };
        let (done, wanted) = (finished.results.len(), finished.prepared.len());
        if let Some(StopReason::Signal(code)) = finished.stopped {
            output.say(&format!("interrupted: {done} of {wanted} trials are done{advice}"));
            return Ok(Outcome::Interrupted(code));
        }
        let is_folds = self.input.0.splits.is_none();
        let summary = ResultSummary::new(&finished.results, &finished.work, &finished.prepared, is_folds);
        output.result(
            || summary.text(),
            || {
                let mut document = summary.document(start);
                document["points"] = json!(finished.points);
                document["complete"] = json!(finished.stopped.is_none());
                document
            },
        )?;
        if let Some(reason) = finished.stopped {
            output.say(&format!("{reason}: {done} of {wanted} trials are done{advice}"));
            return Ok(Outcome::Incomplete);
        }
        Ok(Outcome::Done)
    }

    /// Trains and tests on every trial.
    fn run_trials(&self, general: &General, output: &Output) -> Result<FinishedExperiment, Failure> {
        let interrupts = Interrupts::listen_until(self.time_limit);
        self.check_files()?;
        let input = &self.input.0;
        let plan =
            self.input.0.splits.is_none().then(|| self.scheme.fold_plan(USUAL_FOLDS, general.seed)).transpose()?;
        let TrialInputs { raw, prepared } = prepare_trials(input, &self.grid, &self.options.0, general.seed, output)?;
        let PreparedGrid { dataset, points, .. } = prepared;
        let splits = match (&self.input.0.splits, plan) {
            (Some(path), _) => splits_of_file(&SplitFile::read(path)?, &dataset)?,
            (None, Some(plan)) => planned(&self.scheme, plan, (input, &raw), &points)?,
            (None, None) => Vec::new(),
        };
        let trials = input.trials()?.unwrap_or_else(|| (0..splits.len()).collect());
        let prepared = trials.iter().map(|&trial| self.pick(trial, &splits)).collect::<Result<Vec<_>, Failure>>()?;
        if let Some(folder) = &self.output {
            std::fs::create_dir_all(folder).map_err(|problem| Failure::file(folder, problem))?;
        }
        let at_once = general.num_threads().min(prepared.len()).max(1);
        let options = FitOptions { threads: general.num_threads() / at_once, memory: self.options.0.memory() };
        let class_weight = self.weights.class_weight();
        let trials = StoredTrials {
            trials: Trials { dataset: &dataset, points: &points, class_weight, options, at_once },
            fingerprint: dataset.fingerprint().to_string(),
            folder: self.output.as_deref(),
            resume: self.resume,
            interrupts: &interrupts,
            output,
            weights: &self.weights,
            predicts: false,
        };
        let finished = run_all(&trials, &prepared, at_once)?;
        let wanted = finished.len();
        let (results, work): (Vec<StoredTrial>, Vec<Option<TrialWork>>) =
            finished.into_iter().flatten().map(|trial| (trial.stored, trial.work)).unzip();
        // A signal or limit at the very end did not stop it.
        let stopped = interrupts.stop_reason().filter(|_| results.len() < wanted);
        Ok(FinishedExperiment { results, work, prepared, points: points.len(), stopped })
    }

    /// Refuses --part, options that exclude each other, and a folder whose files are inputs.
    fn check_files(&self) -> Result<(), Failure> {
        refuse_part(&self.input.0)?;
        if let (Some(_), Some(option)) = (&self.input.0.splits, self.scheme.first_given()) {
            let error = format!("{option} and --splits exclude each other: the file says which graphs are tested");
            return Err(Failure::usage(option, error));
        }
        let grid = PathBuf::from(&self.grid);
        let inputs = self.input.0.files_and([&grid].into_iter().chain(self.options.0.files()));
        self.output.iter().try_for_each(|folder| guard_trials("--output", folder, &inputs))
    }

    fn pick(&self, trial: usize, splits: &[Split]) -> Result<(usize, Split), Failure> {
        let split = splits.get(trial).cloned().ok_or_else(|| {
            let path = self.input.0.splits.clone().unwrap_or_else(|| "the scheme".into());
            SplitError::NoSuchTrial { path, trial, len: splits.len() }
        })?;
        Ok((trial, split))
    }
}

fn splits_of_file(file: &SplitFile, dataset: &Dataset) -> Result<Vec<Split>, Failure> {
    Ok((0..file.len()).map(|trial| file.split(trial, dataset)).collect::<Result<_, _>>()?)
}

/// The splits of a plan of folds. A validation set is taken from the other folds only where a model needs one.
fn planned(
    scheme: &SchemeOptions,
    mut plan: SplitPlan,
    (input, raw): (&Input, &Dataset),
    points: &[Point],
) -> Result<Vec<Split>, Failure> {
    let needs_valid = points.iter().any(|point| !point.params.get().is_refitted());
    plan.fractions.valid = if needs_valid { Fractions::default().valid } else { 0.0 };
    // Of the graphs as they are read, as `split` does it: qualifiers distinguish graphs that are isomorphic without
    // them.
    Ok(scheme.splits(&plan, input, raw)?.splits)
}

/// All trials, several at once; `None` for one that was stopped.
fn run_all(
    trials: &StoredTrials<'_>,
    prepared: &[(usize, Split)],
    at_once: usize,
) -> Result<Vec<Option<FinishedTrial>>, Failure> {
    let progress = Progress::start(trials.output, &format!("{} trials", prepared.len()));
    let done = AtomicUsize::new(0);
    let run = |at: usize| {
        let (trial, split) = &prepared[at];
        let result = trials.run(*trial, split);
        let so_far = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.update(format!("{so_far} of {} trials done", prepared.len()));
        result
    };
    // The trials stop in their middle, and each is saved once it has stopped.
    trials
        .interrupts
        .limited(|| bounded_parallel(prepared.len(), at_once, run))
        .unwrap_or_else(|Stopped| Ok(prepared.iter().map(|_| None).collect()))
}
