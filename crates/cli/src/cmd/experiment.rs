//! `einsicht experiment`: train, choose and test for each split, over a grid of parameters.

use crate::failure::{Failure, Outcome};
use crate::file::{read_whole, write_whole};
use crate::grid::{Point, points};
use crate::input::{Input, Unless};
use crate::interrupt::Interrupts;
use crate::model::draw;
use crate::options::General;
use crate::output::{Output, table};
use crate::progress::Progress;
use crate::training::TrainOptions;
use clap::Args;
use einsicht::data::read::{OnBad, TargetChoice};
use einsicht::data::{Split, SplitFile};
use einsicht::learn::feature::Feature;
use einsicht::learn::fit::{FitError, FitOptions, Workshop};
use einsicht::learn::model::SourceRows;
use einsicht::learn::train::{PathEntry, TrainData, choose};
use einsicht::{Dataset, Model, TrainParams};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Train, choose and test on many splits, over a grid of parameters.
///
/// For each trial of the split file every point of the grid is trained; the validation part chooses among all models
/// and the test part judges the chosen one. With -o each trial is written as soon as it is done, and --resume leaves
/// out those that are there.
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
    /// The split file.
    #[arg(long, value_name = "FILE")]
    splits: PathBuf,
    /// Parameters to choose from: 'quick' (one point), 'paper', or a JSON file.
    #[arg(long, value_name = "quick|paper|FILE", default_value = "quick")]
    grid: String,
    /// Which trials, such as 0-4 or 0,3,7 [default: all].
    #[arg(long, value_name = "LIST")]
    trials: Option<String>,
    /// Write results and models of all trials into this folder.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Leave out trials whose results are already there.
    #[arg(long, requires = "output")]
    resume: bool,
    #[command(flatten)]
    options: TrainOptions,
}

/// What all trials share.
struct Lab<'a> {
    dataset: &'a Dataset,
    points: &'a [Point],
    folder: Option<&'a Path>,
    resume: bool,
    threads: usize,
    interrupts: &'a Interrupts,
}

impl Experiment {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        // The grid of the paper is one of its network.
        let base = if self.grid == "paper" && !self.options.faithful {
            self.options.params_on(TrainParams::ein(), general.seed)
        } else {
            self.options.params(general.seed)
        };
        let params = base?;
        points(&self.grid, &params)?; // what is wrong is told before the data are read
        let unless = Unless { on_bad: OnBad::Stop, targets: TargetChoice::Usual, ..Unless::default() };
        let dataset = self.input.read(unless, output)?;
        let points = points(&self.grid, &self.options.with_patterns(params, &dataset, output)?)?;
        let splits = SplitFile::read(&self.splits)?;
        let trials = self.trials.as_deref().map_or_else(|| Ok((0..splits.len()).collect()), parse_trials)?;
        let prepared = trials
            .iter()
            .map(|&trial| Ok((trial, splits.split(trial, &dataset)?)))
            .collect::<Result<Vec<_>, Failure>>()?;
        if let Some(folder) = &self.output {
            std::fs::create_dir_all(folder).map_err(|problem| Failure::file(folder, problem))?;
        }
        let interrupts = Interrupts::listen();
        let threads = (general.num_threads() / prepared.len().max(1)).max(1);
        let folder = self.output.as_deref();
        let lab =
            Lab { dataset: &dataset, points: &points, folder, resume: self.resume, threads, interrupts: &interrupts };
        let results = {
            let progress = Progress::start(output, &format!("{} trials", prepared.len()));
            let done = AtomicUsize::new(0);
            let run = |(trial, split): &(usize, Split)| {
                let result = lab.trial(*trial, split);
                let so_far = done.fetch_add(1, Ordering::Relaxed) + 1;
                progress.tell(format!("{so_far} of {} trials done", prepared.len()));
                result
            };
            prepared.par_iter().map(run).collect::<Result<Vec<_>, Failure>>()?
        };
        if let Some(code) = interrupts.arrived() {
            return Ok(Outcome::Interrupted(code));
        }
        let results: Vec<Value> = results.into_iter().flatten().collect();
        let (mean, std) = mean_and_std(&results);
        output.result(
            || text(&results, &mean, &std),
            || json!({ "mean": mean, "std": std, "trials": results, "points": points.len() }),
        )?;
        Ok(Outcome::Done)
    }
}

impl Lab<'_> {
    /// Trains all points on one split; `None` if a signal came.
    fn trial(&self, trial: usize, split: &Split) -> Result<Option<Value>, Failure> {
        let key = self.key(split);
        let path = self.folder.map(|folder| folder.join(format!("trial-{trial}.json")));
        if let Some(path) = path.as_deref().filter(|path| self.resume && path.exists()) {
            let saved: Value = serde_json::from_slice(&read_whole(path)?).map_err(|e| Failure::file(path, e))?;
            if saved["key"] != key {
                return Err(Failure::file(path, "the result is one of other data, splits or parameters"));
            }
            return Ok(Some(saved));
        }
        let start = Instant::now();
        let Some((model, point, all)) = self.best(split)? else { return Ok(None) };
        let best = model.best();
        let result = json!({
            "trial": trial,
            "point": self.points[point].sets,
            "size": best.size,
            "lambda": best.lambda,
            "patterns": best.iterate.patterns.len(),
            "subgraphs": best.iterate.patterns.iter().map(|p| draw(&model, &p.code)).collect::<Vec<_>>(),
            "valid": best.valid,
            "test": best.test,
            "points": all,
            "seconds": start.elapsed().as_secs_f64(),
            "key": key,
        });
        if let (Some(path), Some(folder)) = (path, self.folder) {
            let model_path = folder.join(format!("trial-{trial}.einsicht"));
            let bytes = model.to_bytes().map_err(|error| Failure::file(&model_path, error))?;
            write_whole(&model_path, &bytes)?;
            write_whole(&path, format!("{result:#}\n").as_bytes())?;
        }
        Ok(Some(result))
    }

    /// The best model over all points, which point it is, and what each point reached.
    fn best(&self, split: &Split) -> Result<Option<(Model, usize, Vec<Value>)>, Failure> {
        let mut models: Vec<Model> = Vec::with_capacity(self.points.len());
        let mut workshop: Option<((usize, usize, Feature), Workshop)> = None;
        let mut data = TrainData::new(self.dataset, split, None).map_err(FitError::from)?;
        for point in self.points {
            data = data.for_params(point.params.get(), self.dataset, split).map_err(FitError::from)?;
        }
        let data = Arc::new(data);
        for point in self.points {
            let params = point.params.get();
            let wanted = (params.max_edges, params.min_support, params.feature);
            let options = FitOptions { threads: self.threads, memory: None };
            // Points with the same patterns share the tree that the first one has grown.
            let shop = match workshop.take() {
                Some((has, shop)) if has == wanted => shop,
                _ => Workshop::new(self.dataset, split, params, &options).map_err(FitError::from)?,
            };
            let mut training = shop.start(&point.params, Arc::clone(&data), None)?;
            while training.step()?.is_some() {
                if self.interrupts.arrived().is_some() {
                    return Ok(None);
                }
            }
            models.push(training.model(self.dataset, split)?.ok_or(FitError::NoModel)?);
            workshop = Some((wanted, Workshop::from_training(training)));
        }
        let entries: Vec<PathEntry> = models.iter().map(|model| model.best().clone()).collect();
        let all = self.points.iter().zip(&entries).map(|(point, entry)| {
            json!({
                "point": point.sets,
                "size": entry.size,
                "patterns": entry.iterate.patterns.len(),
                "valid": entry.valid,
                "test": entry.test,
            })
        });
        let all: Vec<Value> = all.collect();
        let at = choose(&entries, models[0].metric).unwrap_or(0);
        Ok(Some((models.swap_remove(at), at, all)))
    }

    /// What a result depends on.
    fn key(&self, split: &Split) -> Value {
        let params: Vec<Value> = self.points.iter().map(|point| json!(point.params.get())).collect();
        let rows = SourceRows::of(self.dataset, split);
        json!({ "data": self.dataset.fingerprint().to_string(), "params": params, "rows": rows })
    }
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

/// Means and standard deviations (n - 1) of the test metrics and of the number of patterns.
fn mean_and_std(results: &[Value]) -> (Map<String, Value>, Map<String, Value>) {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for result in results {
        for (name, value) in result["test"].as_object().into_iter().flatten() {
            values.entry(name.clone()).or_default().extend(value.as_f64());
        }
        values.entry("patterns".to_owned()).or_default().extend(result["patterns"].as_f64());
    }
    let (mut means, mut stds) = (Map::new(), Map::new());
    for (name, values) in values {
        let len = values.len() as f64;
        let mean = values.iter().sum::<f64>() / len;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        means.insert(name.clone(), json!(mean));
        stds.insert(name, if len > 1.0 { json!((squares / (len - 1.0)).sqrt()) } else { Value::Null });
    }
    (means, stds)
}

fn text(results: &[Value], mean: &Map<String, Value>, std: &Map<String, Value>) -> String {
    let number = |value: &Value| value.as_f64().map_or("-".to_owned(), |v| format!("{v:.4}"));
    let names: Vec<&String> = mean.keys().collect();
    let header: Vec<&str> = ["trial", "size"].into_iter().chain(names.iter().map(|name| name.as_str())).collect();
    let cell = |result: &Value, name: &str| match name {
        "patterns" => result["patterns"].to_string(),
        name => number(&result["test"][name]),
    };
    let mut rows: Vec<Vec<String>> = results
        .iter()
        .map(|result| {
            let first = [result["trial"].to_string(), result["size"].to_string()];
            first.into_iter().chain(names.iter().map(|name| cell(result, name))).collect()
        })
        .collect();
    for (title, values) in [("mean", mean), ("std", std)] {
        let first = [title.to_owned(), String::new()];
        rows.push(first.into_iter().chain(names.iter().map(|name| number(&values[*name]))).collect());
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

    #[test]
    fn the_deviation_divides_by_one_less() {
        let results = [json!({"patterns": 1, "test": {"auc": 0.5}}), json!({"patterns": 3, "test": {"auc": 0.7}})];
        let (mean, std) = mean_and_std(&results);
        assert_eq!(mean["patterns"], 2.0);
        assert_eq!(std["patterns"], 2.0_f64.sqrt());
        assert!((std["auc"].as_f64().unwrap() - 0.02_f64.sqrt()).abs() < 1e-12);
    }
}
