//! `einsicht experiment`: train, select and test on each split, over a grid of parameters.

mod saved;
mod trial;

use crate::args::General;
use crate::args::Input;
use crate::args::grid;
use crate::args::training::{TrainOptions, read_training_data, refuse_part};
use crate::args::values::duration;
use crate::failure::{Failure, Outcome};
use crate::io::clock::cpu_seconds;
use crate::io::interrupt::{Interrupts, StopReason};
use crate::io::output::{Output, table};
use crate::io::output_guard::guard_trials;
use crate::io::progress::Progress;
use clap::Args;
use einsicht::data::{Split, SplitFile};
use einsicht::learn::experiment::bounded_parallel;
use einsicht::learn::experiment::{TrialResult, TrialRunner, TrialSummary};
use einsicht::learn::fit::FitOptions;
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use trial::{StoredTrial, Trials};

/// Train, select and test on many splits, over a grid of parameters.
///
/// For each trial of the split file every point of the grid is trained; the best model on the validation set is evaluated
/// on the test set. With -o each trial is written as soon as it is done, and running ones are saved at most every 5
/// seconds; --resume skips finished trials and continues saved ones, with the results of an uninterrupted experiment.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht experiment MUTAG --splits MUTAG.json
  einsicht experiment BZR --splits BZR.json --grid paper --trials 0-4 -o results
  einsicht experiment BZR --splits BZR.json --grid grid.json -o results --resume

A grid file is a JSON object with a list of values for each parameter, such as {\"max_edges\": [4, 6], \"hidden\": [2, 6]}.")]
pub(crate) struct Experiment {
    #[command(flatten)]
    input: Input,
    /// Split file.
    #[arg(long, value_name = "FILE")]
    splits: PathBuf,
    /// Grid of parameters: 'quick' (one point), 'paper', or a JSON file.
    #[arg(long, value_name = "quick|paper|FILE", default_value = "quick")]
    grid: String,
    /// Trials of the split file, such as 0-4 or 0,3,7 [default: all].
    #[arg(long, value_name = "LIST")]
    trials: Option<String>,
    /// Output folder for results and models of all trials.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Skip finished trials and continue interrupted ones.
    #[arg(long, requires = "output")]
    resume: bool,
    /// Time limit, such as 30s, 5m or 1h: only finished trials count (exit status 3); --resume continues.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    #[command(flatten)]
    options: TrainOptions,
}

impl Experiment {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let interrupts = Interrupts::listen_until(self.time_limit);
        self.check_files()?;
        let grid = grid::read(&self.grid)?;
        let mut params = self.options.params_for(&grid, general.seed)?;
        grid::points(&self.grid, &grid, &params)?; // errors are reported before the data are read
        let dataset = read_training_data(&self.input, &mut params, output)?;
        let points = grid::points(&self.grid, &grid, &self.options.with_patterns(params, &dataset, output)?)?;
        let splits = SplitFile::read(&self.splits)?;
        let trials = self.trials.as_deref().map_or_else(|| Ok((0..splits.len()).collect()), parse_trials)?;
        let prepared = trials
            .iter()
            .map(|&trial| Ok((trial, splits.split(trial, &dataset)?)))
            .collect::<Result<Vec<_>, Failure>>()?;
        if let Some(folder) = &self.output {
            std::fs::create_dir_all(folder).map_err(|problem| Failure::file(folder, problem))?;
        }
        let at_once = general.num_threads().min(prepared.len()).max(1);
        let options = FitOptions { threads: general.num_threads() / at_once, memory: self.options.memory() };
        let trials = Trials {
            lab: TrialRunner { dataset: &dataset, points: &points, options, at_once },
            fingerprint: dataset.fingerprint().to_string(),
            folder: self.output.as_deref(),
            resume: self.resume,
            interrupts: &interrupts,
            output,
        };
        let results = run_all(&trials, &prepared, at_once)?;
        let wanted = results.len();
        let results: Vec<StoredTrial> = results.into_iter().flatten().collect();
        // A signal or limit at the very end did not stop it.
        let stopped = interrupts.stop_reason().filter(|_| results.len() < wanted);
        let advice = if self.output.is_some() { "; --resume continues" } else { "" };
        if let Some(StopReason::Signal(code)) = stopped {
            output.say(&format!("interrupted: {} of {wanted} trials are done{advice}", results.len()));
            return Ok(Outcome::Interrupted(code));
        }
        let summary = TrialSummary::new(results.iter().map(|stored| &stored.result));
        output.result(
            || text(&results, &summary),
            || {
                json!({
                    "mean": summary.mean,
                    "std": summary.std,
                    "trials": results,
                    "points": points.len(),
                    "complete": stopped.is_none(),
                    "seconds": start.elapsed().as_secs_f64(),
                    "cpu_seconds": cpu_seconds(),
                })
            },
        )?;
        if stopped.is_some() {
            output.say(&format!("time limit: {} of {wanted} trials are done{advice}", results.len()));
            return Ok(Outcome::Incomplete);
        }
        Ok(Outcome::Done)
    }
}

impl Experiment {
    /// Refuses --part, and a folder whose files are inputs.
    fn check_files(&self) -> Result<(), Failure> {
        refuse_part(&self.input)?;
        let inputs =
            self.input.files_and([&self.splits, &self.grid.clone().into()].into_iter().chain(self.options.files()));
        self.output.iter().try_for_each(|folder| guard_trials("--output", folder, &inputs))
    }
}

/// All trials, several at once; `None` for one that was stopped.
fn run_all(
    trials: &Trials<'_>,
    prepared: &[(usize, Split)],
    at_once: usize,
) -> Result<Vec<Option<StoredTrial>>, Failure> {
    let progress = Progress::start(trials.output, &format!("{} trials", prepared.len()));
    let done = AtomicUsize::new(0);
    let run = |at: usize| {
        let (trial, split) = &prepared[at];
        let result = trials.run(*trial, split);
        let so_far = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.update(format!("{so_far} of {} trials done", prepared.len()));
        result
    };
    bounded_parallel(prepared.len(), at_once, run)
}

fn parse_trials(text: &str) -> Result<Vec<usize>, Failure> {
    let wrong = || Failure::usage("--trials", format!("--trials must be like 0-4 or 0,3,7, got {text}"));
    let mut trials = Vec::new();
    for piece in text.split(',') {
        match piece.split_once('-') {
            None => trials.push(piece.trim().parse().map_err(|_| wrong())?),
            Some((first, last)) => {
                let first: usize = first.trim().parse().map_err(|_| wrong())?;
                let last: usize = last.trim().parse().map_err(|_| wrong())?;
                if first > last {
                    return Err(wrong());
                }
                trials.extend(first..=last);
            }
        }
    }
    Ok(trials)
}

fn text(results: &[StoredTrial], summary: &TrialSummary) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
    let names: Vec<&String> = summary.mean.keys().collect();
    let header: Vec<&str> = ["trial", "size"].into_iter().chain(names.iter().map(|name| name.as_str())).collect();
    let cell = |result: &TrialResult, name: &str| match name {
        "patterns" => result.patterns.to_string(),
        name => number(result.test.get(name).copied()),
    };
    let mut rows: Vec<Vec<String>> = results
        .iter()
        .map(|StoredTrial { result, .. }| {
            let first = [result.trial.to_string(), result.size.to_string()];
            first.into_iter().chain(names.iter().map(|name| cell(result, name))).collect()
        })
        .collect();
    let mean = |name: &String| summary.mean.get(name).copied();
    let std = |name: &String| summary.std.get(name).copied().flatten();
    for (title, values) in [("mean", &mean as &dyn Fn(&String) -> Option<f64>), ("std", &std)] {
        let first = [title.to_owned(), String::new()];
        rows.push(first.into_iter().chain(names.iter().map(|name| number(values(name)))).collect());
    }
    table(&header, &rows, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_of_trials_are_understood() {
        assert_eq!(parse_trials("0-2,7").unwrap(), [0, 1, 2, 7]);
        assert!(parse_trials("3-1").is_err() && parse_trials("a").is_err() && parse_trials("").is_err());
    }
}
