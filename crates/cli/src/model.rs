//! Models as the program meets them: read from a file, met with data, shown to people and scripts.

use crate::failure::Failure;
use crate::file::read_whole;
use crate::input::{Input, Unless};
use crate::output::{Output, table};
use einsicht::data::read::{EdgeLabels, OnBad, TargetChoice, Task};
use einsicht::learn::metrics::Metrics;
use einsicht::learn::model::Pattern;
use einsicht::learn::params::Penalty;
use einsicht::learn::train::PathEntry;
use einsicht::{Dataset, Model};
use std::path::Path;

/// Reads a model.
pub(crate) fn load(path: &Path) -> Result<Model, Failure> {
    Model::from_bytes(&read_whole(path)?).map_err(|error| Failure::file(path, error))
}

/// How a model wants data to be read, unless told.
pub(crate) fn unless(model: &Model, targets: TargetChoice) -> Unless {
    let classes = model.tasks.iter().filter(|task| task.is_classification()).count();
    // A model without edge labels must not see any.
    let blind = model.edge_labels.tokens().iter().all(String::is_empty);
    Unless {
        on_bad: OnBad::Skip,
        targets,
        task: match classes {
            0 => Task::Regress,
            all if all == model.tasks.len() => Task::Classify,
            // Each target is judged by its values, as in training.
            _ => Task::Auto,
        },
        edge_labels: if blind { EdgeLabels::Ignore } else { EdgeLabels::Auto },
    }
}

/// Reads data with the targets of the model.
pub(crate) fn read_with_targets(model: &Model, input: &Input, output: &Output) -> Result<Dataset, Failure> {
    let named = TargetChoice::Named(model.tasks.iter().map(|task| task.name.clone()).collect());
    let mut dataset = match input.read(unless(model, named), output) {
        // A single target is meant whatever it is called.
        Err(Failure::Data(_)) if model.tasks.len() == 1 => input.read(unless(model, TargetChoice::Usual), output),
        outcome => outcome,
    }?;
    if let ([task], [target]) = (&model.tasks[..], &mut dataset.targets[..]) {
        target.name.clone_from(&task.name);
    }
    check(model, &dataset)?;
    Ok(dataset)
}

/// Refuses data that the model cannot read.
pub(crate) fn check(model: &Model, dataset: &Dataset) -> Result<(), Failure> {
    model.check_data(dataset).map_err(|error| Failure::file(&dataset.source, error))
}

/// Reads data with the targets of the model where they are there, else without any.
pub(crate) fn read_with_or_without_targets(model: &Model, input: &Input, output: &Output) -> Result<Dataset, Failure> {
    match read_with_targets(model, input, output) {
        // If it is not the targets that are wrong, reading without them fails again and says why.
        Err(Failure::Data(_)) => input.read(unless(model, TargetChoice::Nothing), output),
        outcome => outcome,
    }
}

/// The entry of the model that was asked for, else the chosen one.
pub(crate) fn entry(model: &Model, size: Option<usize>) -> Result<usize, Failure> {
    let Some(size) = size else { return Ok(model.chosen) };
    model.entry_of_size(size).ok_or_else(|| {
        let sizes: Vec<String> = model.entries.iter().map(|entry| entry.size.to_string()).collect();
        let least = model.entries.iter().map(|entry| entry.size).min().unwrap_or(0);
        let wanted = match model.params.penalty {
            Penalty::L0 => format!("one of {}", sizes.join(", ")),
            Penalty::L1 => format!("at least {least}, the fewest subgraphs of an entry"),
        };
        Failure::usage("--size", format!("--size must be {wanted}, got {size}"))
    })
}

/// What an entry was held to.
pub(crate) fn rung(entry: &PathEntry) -> String {
    entry.lambda.map_or_else(|| format!("size {}", entry.size), |lambda| format!("lambda {lambda:.4}"))
}

/// The path as a table; the chosen entry is marked.
pub(crate) fn path_table(model: &Model) -> String {
    let metric = model.metric.name();
    let number = |metrics: &Metrics| metrics.get(metric).map_or("-".to_owned(), |value| format!("{value:.3}"));
    let rows: Vec<Vec<String>> = model
        .entries
        .iter()
        .enumerate()
        .map(|(at, entry)| {
            vec![
                if at == model.chosen { "*".to_owned() } else { String::new() },
                entry.lambda.map_or_else(|| entry.size.to_string(), |lambda| format!("{lambda:.4}")),
                entry.iterate.patterns.len().to_string(),
                number(&entry.train),
                number(&entry.valid),
                number(&entry.test),
                entry.iterations.to_string(),
                entry.stopped_by.name().to_owned(),
            ]
        })
        .collect();
    let first = if model.params.penalty == Penalty::L1 { "lambda" } else { "size" };
    let header = ["", first, "subgraphs", "train", "valid", "test", "iterations", "stopped by"];
    format!("{metric}\n{}", table(&header, &rows, 1))
}

/// The patterns of an entry, the heaviest first.
pub(crate) fn pattern_table(model: &Model, entry: &PathEntry) -> String {
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for (pattern, weights) in patterns_of(model, entry) {
        let norm = weights.iter().fold(0.0, |sum, w| sum + w * w).sqrt();
        let counts =
            pattern.by_class.iter().map(|counts| counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" "));
        rows.push((
            norm,
            vec![
                model.names().draw(&pattern.code),
                pattern.code.num_edges().to_string(),
                pattern.support.to_string(),
                counts.collect::<Vec<_>>().join(" | "),
                pattern.class.size.to_string(),
                format!("{norm:.3}"),
            ],
        ));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
    table(&["subgraph", "edges", "graphs", "by class", "alike", "weight"], &rows, 1)
}

/// The patterns of an entry with their weights.
pub(crate) fn patterns_of<'m>(
    model: &'m Model,
    entry: &'m PathEntry,
) -> impl Iterator<Item = (&'m Pattern, &'m [f64])> {
    entry.iterate.patterns.iter().filter_map(|p| model.pattern(&p.code).map(|found| (found, &p.weights[..])))
}
