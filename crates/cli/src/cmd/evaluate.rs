//! `einsicht evaluate`: metrics of a model on labelled data, each with the number of graphs behind it.
//!
//! Promise: no graph vanishes. One that is not scored is counted, with the reason, in the text and in the document.
//! Beside the figures of these graphs stands what the training expected of new ones, with its interval.

use super::story::{Command, Face};
use super::tables::interval_text;

use crate::args::Input;
use crate::args::model_file::{WithTargets, entry, load_before, read_with_targets, warn_of_unfamiliar};
use crate::failure::{Failure, Outcome, Problem};
use crate::io::output::{Output, counted, screen_width};
use crate::io::progress::Share;
use crate::io::table::folded;
use clap::{Args, ValueEnum};
use einsicht::data::Part;
use einsicht::data::summary::Summary;
use einsicht::model::metrics::Metric;
use einsicht::model::task::coverage::{TargetCounts, first_unknown, list_classes, target_counts};
use einsicht::model::{Evaluation, HonestEvaluation, TargetEvaluation};
use einsicht::report::wording::metric_figure;
use einsicht::{Dataset, Model};
use serde_json::json;
use std::path::PathBuf;

/// Compare the predictions of a model with the targets.
///
/// Targets are found by the names they had in training; --target names another column, or picks some of several. With
/// --splits, evaluate uses the test set unless --part names another; otherwise it uses all graphs. Each metric comes
/// with its number of graphs; graphs without a target value are left out and counted. Training graphs are recognised,
/// in any order of their vertices, and scored by models that had not seen them. DATA may be `-` for stdin (with
/// --format).
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht evaluate bzr.einsicht BZR --splits BZR.json
  einsicht evaluate bace.einsicht new.csv --target active --json
  zcat new.csv.gz | einsicht evaluate bace.einsicht - --format csv
  einsicht evaluate tox21.einsicht tox21.csv --target NR-AhR --target SR-p53")]
pub(crate) struct Evaluate {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Size of the model to use [default: the chosen one].
    #[arg(long, value_name = "S")]
    at_size: Option<usize>,
    /// What to do with classes that the model does not know.
    #[arg(long, value_name = "HOW", default_value = "stop")]
    unknown_classes: OnUnknown,
    #[command(flatten)]
    input: Input,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum OnUnknown {
    /// Refuse the data.
    Stop,
    /// Leave out graphs of such classes and count them.
    Skip,
}

impl Evaluate {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let model = load_before(&self.model, &self.input.data)?;
        let at = entry(&model, self.at_size)?;
        let WithTargets { dataset, tasks, column } = read_with_targets(&model, &self.input, output)?;
        let rows = self.rows(&model, &dataset)?;
        self.check_classes(&model, &tasks, &dataset, &rows)?;
        let refuse = |error: String| Failure::file(&dataset.source, error);
        let found = {
            let share = Share::start(output, "evaluating");
            let found = model.evaluation_with_progress(at, &tasks, (&dataset, &rows), &|part| share.set(part));
            found.map_err(|error| refuse(error.to_string()))?
        };
        if found.parts().next().is_some() && found.parts().all(|part| part.metrics.is_empty()) {
            let names: Vec<&str> = tasks.iter().map(|&task| model.tasks[task].name.as_str()).collect();
            let names = names.join(", ");
            return Err(refuse(format!(
                "none of the {} has a value of the model's target {names}",
                graphs(rows.len())
            )));
        }
        let skipped = dataset.skipped.len();
        let unseen = found.unseen.as_ref().map_or(0, |part| part.graphs);
        warn_of_unfamiliar(unseen, found.unfamiliar, output);
        output.result_in_colour(
            || {
                let data_file = (!self.input.is_stdin()).then_some(&*self.input.data);
                let model_file = &*self.model;
                let face =
                    Face { model: &model, entry: at, task: tasks[0], model_file, data_file, width: screen_width() };
                Shown { face, tasks: &tasks, found: &found, column: column.as_ref(), skipped }
                    .text(&Summary::of(&dataset.subset(&rows)))
            },
            || {
                let mut document = found.document();
                document["left_out"]["unreadable"] = json!(skipped);
                document["unknown_labels"] = json!(found.unfamiliar.unknown_labels);
                document["no_pattern"] = json!(found.unfamiliar.no_pattern);
                if let Some(column) = &column {
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

/// The figures of an evaluation, for people.
struct Shown<'a> {
    face: Face<'a>,
    /// Positions of the targets that are evaluated.
    tasks: &'a [usize],
    found: &'a HonestEvaluation,
    /// The column that the only target is compared with, if it has another name.
    column: Option<&'a String>,
    /// Rows that could not be read.
    skipped: usize,
}

impl Shown<'_> {
    /// What is predicted and what guessing would give, the graphs by what the model knows of them, then the figures of
    /// each side by side.
    fn text(&self, summary: &Summary) -> String {
        let Self { face, found, .. } = self;
        let patterns = face.model.entries[face.entry].iterate.patterns.len();
        let mut text = face.predicts(&format!(", by {}", counted(patterns, "subgraph")));
        let folds = counted(face.model.seen.folds.count, "fold");
        // Rows that could not be read are counted once.
        let mut skipped = self.skipped;
        if let Some(part) = &found.unseen {
            let words = format!("{} that the model has never seen", graphs(part.graphs));
            text += &face.line("unseen", &format!("{words}; {}", self.scored(part, std::mem::take(&mut skipped))));
        }
        if let Some(part) = &found.out_of_fold {
            let words = format!(
                "{} used in training, each predicted by a model that had not seen it (out of fold, {folds})",
                graphs(part.graphs)
            );
            text += &face.line("seen", &format!("{words}; {}", self.scored(part, std::mem::take(&mut skipped))));
        }
        if found.fitted > 0 {
            let words = "not scored, because every model was fitted on them";
            text += &face.line("fitted", &format!("{} used in training: {words}", graphs(found.fitted)));
        }
        // Classes that the model does not know are not scored, so that guessing them is no comparison.
        if found.parts().flat_map(|part| &part.targets).all(|target| target.counts.unknown.is_empty()) {
            text += &face.compare(self.tasks, summary);
        }
        text += &self.figures();
        text + "\n" + &face.next(&[Command::Report, Command::Explain(None)])
    }

    /// How many graphs are scored, on what, and why others are not.
    fn scored(&self, found: &Evaluation, skipped: usize) -> String {
        match &found.targets[..] {
            [target] => {
                let column = self.column.map_or_else(String::new, |column| format!(" against column {column}"));
                let head = format!("{} scored on target {}", graphs(target.counts.scored), target.name);
                format!("{head}{column}{}", left_out(&target.counts, skipped))
            }
            targets => {
                // Of classes that the model does not know, the table below tells by target.
                let of_all =
                    TargetCounts { missing: found.graphs - found.scored, scored: found.scored, unknown: Vec::new() };
                let head = format!("{} scored on at least one of {} targets", graphs(found.scored), targets.len());
                format!("{head}{}", left_out(&of_all, skipped))
            }
        }
    }

    /// Metrics of both sets of graphs and what was expected of new ones, side by side; then those of each target, if
    /// there are several.
    fn figures(&self) -> String {
        let Self { face, found, .. } = self;
        let parts: Vec<(&str, &Evaluation)> = [("unseen", &found.unseen), ("seen, out of fold", &found.out_of_fold)]
            .into_iter()
            .filter_map(|(name, part)| Some((name, part.as_ref()?)))
            .collect();
        if parts.is_empty() {
            return String::new();
        }
        let estimate = (face.entry == face.model.chosen && self.is_about_all()).then_some(&face.model.estimate.metrics);
        let estimate = estimate.filter(|estimate| !estimate.is_empty());
        let names: Vec<&str> = Metric::ALL
            .map(Metric::name)
            .into_iter()
            .filter(|name| parts.iter().any(|(_, part)| part.metrics.contains_key(*name)))
            .collect();
        let row = |name: &&str| {
            let cell = |(_, part): &(&str, &Evaluation)| number(name, part.metrics.get(*name));
            let expected =
                estimate.map(|known| known.get(*name).map_or("-".to_owned(), |interval| interval_text(name, interval)));
            [(*name).to_owned()].into_iter().chain(parts.iter().map(cell)).chain(expected).collect()
        };
        let rows: Vec<Vec<String>> = names.iter().map(row).collect();
        let several = parts[0].1.targets.len() > 1;
        let first = if several { "mean over targets" } else { "metric" };
        let expected = estimate.map(|_| "expected (95 % interval)");
        let header: Vec<&str> = [first].into_iter().chain(parts.iter().map(|part| part.0)).chain(expected).collect();
        let mut text = format!("\n{}", folded(&header, &rows, 1));
        for (name, part) in parts.iter().filter(|_| several) {
            text += &format!("\n{name}\n{}", target_table(&part.targets));
        }
        text
    }

    /// Whether all targets of the model are evaluated, as in its estimate.
    fn is_about_all(&self) -> bool {
        self.found.parts().all(|part| part.targets.len() == self.face.model.tasks.len())
    }
}

/// A metric, if it is defined.
fn number(name: &str, value: Option<&f64>) -> String {
    value.map_or("-".to_owned(), |value| match metric_figure(name, *value) {
        small if small.contains('e') => small,
        _ => format!("{value:.4}"),
    })
}

/// Why graphs were left out.
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
    if reasons.is_empty() { String::new() } else { format!("; left out: {}", reasons.join("; ")) }
}

/// Metrics of each target, with its graphs.
fn target_table(targets: &[TargetEvaluation]) -> String {
    let has = |name: &&str| targets.iter().any(|target| target.metrics.contains_key(*name));
    let names: Vec<&str> = Metric::ALL.map(Metric::name).into_iter().filter(has).collect();
    let unknown = targets.iter().any(|target| !target.counts.unknown.is_empty());
    let row = |TargetEvaluation { name, metrics, counts }: &TargetEvaluation| {
        let mut cells = vec![name.clone(), counts.scored.to_string(), counts.missing.to_string()];
        cells.extend(unknown.then(|| counts.of_unknown_classes().to_string()));
        cells.extend(names.iter().map(|name| number(name, metrics.get(*name))));
        cells
    };
    let rows: Vec<Vec<String>> = targets.iter().map(row).collect();
    let header = ["target", "graphs", "no value"].into_iter().chain(unknown.then_some("unknown class")).chain(names);
    folded(&header.collect::<Vec<&str>>(), &rows, 1)
}
