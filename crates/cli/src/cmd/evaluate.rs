//! `einsicht evaluate`: metrics of a model on labelled data.

use crate::args::General;
use crate::args::Input;
use crate::failure::{Failure, Outcome, Problem};
use crate::io::model_file::{entry, load, read_with_targets};
use crate::io::output::{Output, table};
use clap::Args;
use einsicht::Model;
use einsicht::data::Part;
use einsicht::learn::metrics::{Metric, Metrics};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Compare the predictions of a model with the targets.
///
/// With --split the test set is used unless --part names another; without it, all graphs.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht evaluate bzr.einsicht BZR --split BZR.json
  einsicht evaluate bace.einsicht new.csv --target Class --json")]
pub(crate) struct Evaluate {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// Size of the model to use [default: the chosen one].
    #[arg(long, value_name = "S")]
    size: Option<usize>,
}

impl Evaluate {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let at = entry(&model, self.size)?;
        let dataset = read_with_targets(&model, &self.input, output)?;
        let default = if self.input.has_split() { Part::Test } else { Part::All };
        let part = self.input.part().unwrap_or(default);
        let rows = if part == Part::All && !self.input.has_split() {
            (0..dataset.len()).collect()
        } else {
            self.input.split_of(&dataset, general.seed)?.part(part)
        };
        let refuse = |error: String| Failure::Data(Problem { error, place: None, advice: None });
        if rows.is_empty() {
            return Err(Failure::usage("--part", format!("the part {part} must hold a graph, but it is empty")));
        }
        if part == Part::Valid && model.has_seen_validation(at) {
            output.say("warning: the model was refitted on its validation set; `show` has its metrics before that");
        }
        let metrics = model.evaluate(at, &dataset, &rows).map_err(|error| refuse(error.to_string()))?;
        if metrics.is_empty() {
            return Err(refuse(format!("none of the {} graphs has a value of the model's target", rows.len())));
        }
        let each = model.evaluate_tasks(at, &dataset, &rows).map_err(|error| refuse(error.to_string()))?;
        let shown: Vec<Vec<String>> =
            metrics.iter().map(|(name, value)| vec![name.clone(), format!("{value:.4}")]).collect();
        output.result(
            || format!("{} graphs\n{}{}", rows.len(), table(&[], &shown, 1), task_table(&model, &each)),
            || {
                let mut document = json!(metrics);
                if each.len() > 1 {
                    let named =
                        model.tasks.iter().zip(&each).map(|(task, metrics)| (task.name.clone(), json!(metrics)));
                    document["tasks"] = Value::Object(named.collect());
                }
                document
            },
        )?;
        Ok(Outcome::Done)
    }
}

/// Metrics of each task, where there are several.
fn task_table(model: &Model, each: &[Metrics]) -> String {
    if each.len() < 2 {
        return String::new();
    }
    let names: Vec<&str> =
        Metric::ALL.map(Metric::name).into_iter().filter(|n| each.iter().any(|m| m.contains_key(*n))).collect();
    let cell = |metrics: &Metrics, name: &str| metrics.get(name).map_or("-".to_owned(), |value| format!("{value:.4}"));
    let row = |(task, metrics): (&einsicht::learn::task::Task, &Metrics)| {
        [task.name.clone()].into_iter().chain(names.iter().map(|name| cell(metrics, name))).collect()
    };
    let rows: Vec<Vec<String>> = model.tasks.iter().zip(each).map(row).collect();
    let header: Vec<&str> = ["target"].into_iter().chain(names.iter().copied()).collect();
    format!("\n{}", table(&header, &rows, 1))
}
