//! `einsicht evaluate`: metrics of a model on labelled data, each with the number of graphs behind it.
//!
//! Promise: no graph vanishes. One that is not scored is counted, with the reason, in the text and in the document.

use crate::args::Input;
use crate::failure::{Failure, Outcome, Problem};
use crate::io::model_file::{entry, load, read_with_targets};
use crate::io::output::{Output, counted, table};
use crate::io::table::folded;
use clap::{Args, ValueEnum};
use einsicht::data::Part;
use einsicht::learn::metrics::{Metric, Metrics};
use einsicht::learn::model::{Evaluation, HonestEvaluation, TargetEvaluation};
use einsicht::learn::task::coverage::{TargetCounts, first_unknown, list_classes, target_counts};
use einsicht::{Dataset, Model};
use serde_json::json;
use std::path::PathBuf;

/// Compare the predictions of a model with the targets.
///
/// The targets are found by the names that they had in training; --target names another column, or picks some of several.
/// With --split the test set is used unless --part names another; without it, all graphs. Every metric comes with the number
/// of graphs that it was computed on; graphs without a value of the target are left out and counted. Graphs that the model has
/// seen in training are recognised, in any order of their vertices: they are scored by models that had not seen them.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht evaluate bzr.einsicht BZR --split BZR.json
  einsicht evaluate bace.einsicht new.csv --target active --json
  einsicht evaluate tox21.einsicht tox21.csv --target NR-AhR --target SR-p53")]
pub(crate) struct Evaluate {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// Size of the model to use [default: the chosen one].
    #[arg(long, value_name = "S")]
    size: Option<usize>,
    /// Refuse data with classes that the model does not know, or leave such graphs out and count them.
    #[arg(long, value_name = "HOW", default_value = "stop")]
    unknown_classes: OnUnknown,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum OnUnknown {
    /// The data are refused.
    Stop,
    /// Graphs of such classes are left out and counted.
    Skip,
}

impl Evaluate {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let at = entry(&model, self.size)?;
        let (dataset, tasks) = read_with_targets(&model, &self.input, output)?;
        let rows = self.rows(&model, &dataset)?;
        self.check_classes(&model, &tasks, &dataset, &rows)?;
        let refuse = |error: String| Failure::file(&dataset.source, error);
        let found = model.evaluation(at, &tasks, &dataset, &rows).map_err(|error| refuse(error.to_string()))?;
        if found.parts().next().is_some() && found.parts().all(|part| part.metrics.is_empty()) {
            let names: Vec<&str> = tasks.iter().map(|&task| model.tasks[task].name.as_str()).collect();
            let names = names.join(", ");
            return Err(refuse(format!(
                "none of the {} has a value of the model's target {names}",
                graphs(rows.len())
            )));
        }
        let skipped = dataset.skipped.len();
        // A model of a single target may be compared with another column.
        let column = self.input.target.first().filter(|name| model.tasks.len() == 1 && **name != model.tasks[0].name);
        output.result(
            || text(&model, &found, column, skipped),
            || {
                let mut document = found.document();
                document["left_out"]["unreadable"] = json!(skipped);
                if let Some(column) = column {
                    document["column"] = json!(column);
                }
                document
            },
        )?;
        Ok(Outcome::Done)
    }

    fn rows(&self, model: &Model, dataset: &Dataset) -> Result<Vec<usize>, Failure> {
        let default = if self.input.has_split() { Part::Test } else { Part::All };
        let part = self.input.part().unwrap_or(default);
        if part == Part::All && !self.input.has_split() {
            return Ok((0..dataset.len()).collect());
        }
        self.input.part_of(model, dataset, part)
    }

    /// Refuses classes that the model does not know: they are no bad rows.
    fn check_classes(&self, model: &Model, tasks: &[usize], dataset: &Dataset, rows: &[usize]) -> Result<(), Failure> {
        if self.unknown_classes == OnUnknown::Skip {
            return Ok(());
        }
        let tasks: Vec<_> = tasks.iter().map(|&at| model.tasks[at].clone()).collect();
        let counts =
            target_counts(&tasks, dataset, rows).map_err(|error| Failure::file(&dataset.source, error.to_string()))?;
        let Some(unknown) = first_unknown(&tasks, &counts) else { return Ok(()) };
        let place = dataset.source.display().to_string();
        Err(Failure::Data(Problem {
            error: format!("{place}: {unknown}"),
            place: Some(place),
            advice: Some(
                "--target names another column; --unknown-classes skip leaves these graphs out and counts them",
            ),
        }))
    }
}

fn graphs(number: usize) -> String {
    counted(number, "graph")
}

/// The text for people: graphs that the model has never seen, then those that it has.
fn text(model: &Model, found: &HonestEvaluation, column: Option<&String>, skipped: usize) -> String {
    let seen = found.out_of_fold.as_ref().map_or(0, |part| part.graphs) + found.fitted;
    let mut text = String::new();
    match &found.unseen {
        Some(unseen) => {
            text += &format!("{} that the model has never seen\n", graphs(unseen.graphs));
            text += &part_text(unseen, column, skipped);
        }
        None => text += &format!("the model has seen all {} in training\n", graphs(seen)),
    }
    if seen == 0 {
        return text;
    }
    if found.unseen.is_some() {
        text += &format!("\n{} that the model has seen in training\n", graphs(seen));
    }
    if let Some(part) = &found.out_of_fold {
        let folds = counted(model.seen.folds.count, "fold");
        text +=
            &format!("out of fold: {}, predicted by models that had not seen them ({folds})\n", graphs(part.graphs));
        text += &part_text(part, column, if found.unseen.is_some() { 0 } else { skipped });
    }
    if found.fitted > 0 {
        text += &format!("{} not scored: every model has been fitted on them\n", graphs(found.fitted));
    }
    text
}

fn part_text(found: &Evaluation, column: Option<&String>, skipped: usize) -> String {
    let rows = |metrics: &Metrics| -> Vec<Vec<String>> {
        metrics.iter().map(|(name, value)| vec![name.clone(), format!("{value:.4}")]).collect()
    };
    let table = table(&[], &rows(&found.metrics), 1);
    match &found.targets[..] {
        [target] => {
            let column = column.map_or_else(String::new, |column| format!(" against column {column}"));
            let head = format!("{} scored on target {}", graphs(target.counts.scored), target.name);
            format!("{head}{column}{}\n{table}", left_out(&target.counts, skipped))
        }
        targets => {
            // Of classes that the model does not know, the table below tells by target.
            let of_all =
                TargetCounts { missing: found.graphs - found.scored, scored: found.scored, unknown: Vec::new() };
            let head = format!("{} scored on at least one of {} targets", graphs(found.scored), targets.len());
            let means = format!("mean over the targets for which a metric is defined\n{table}");
            format!("{head}{}\n{means}\n{}", left_out(&of_all, skipped), target_table(targets))
        }
    }
}

/// Why graphs were left out, on a line of its own.
fn left_out(counts: &TargetCounts, skipped: usize) -> String {
    let mut reasons = Vec::new();
    if counts.missing > 0 {
        reasons.push(format!("{} without a value", graphs(counts.missing)));
    }
    if !counts.unknown.is_empty() {
        let unknown = graphs(counts.of_unknown_classes());
        reasons.push(format!("{unknown} of classes that the model does not know: {}", list_classes(&counts.unknown)));
    }
    if skipped > 0 {
        reasons.push(format!("{} that cannot be read", counted(skipped, "row")));
    }
    if reasons.is_empty() { String::new() } else { format!("\nleft out: {}", reasons.join("; ")) }
}

/// Metrics of each target, with its graphs.
fn target_table(targets: &[TargetEvaluation]) -> String {
    let has = |name: &&str| targets.iter().any(|target| target.metrics.contains_key(*name));
    let names: Vec<&str> = Metric::ALL.map(Metric::name).into_iter().filter(has).collect();
    let unknown = targets.iter().any(|target| !target.counts.unknown.is_empty());
    let cell = |metrics: &Metrics, name: &str| metrics.get(name).map_or("-".to_owned(), |value| format!("{value:.4}"));
    let row = |TargetEvaluation { name, metrics, counts }: &TargetEvaluation| {
        let mut cells = vec![name.clone(), counts.scored.to_string(), counts.missing.to_string()];
        cells.extend(unknown.then(|| counts.of_unknown_classes().to_string()));
        cells.extend(names.iter().map(|name| cell(metrics, name)));
        cells
    };
    let rows: Vec<Vec<String>> = targets.iter().map(row).collect();
    let header = ["target", "graphs", "no value"].into_iter().chain(unknown.then_some("unknown class")).chain(names);
    folded(&header.collect::<Vec<&str>>(), &rows, 1)
}
