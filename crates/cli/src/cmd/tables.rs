//! Tables about models that several commands show: the path, the subgraphs, how often each was selected.

use crate::io::output::table;
use einsicht::Model;
use einsicht::learn::metrics::Metrics;
use einsicht::learn::model::Pattern;
use einsicht::learn::names::Names;
use einsicht::learn::params::Penalty;
use einsicht::learn::resample::Stability;
use einsicht::learn::train::PathEntry;

/// The constraint of an entry of the path: its size, or its lambda.
pub(super) fn path_point(entry: &PathEntry) -> String {
    entry.lambda.map_or_else(|| format!("size {}", entry.size), |lambda| format!("lambda {lambda:.4}"))
}

/// The path as a table; the chosen entry is marked.
pub(super) fn path_table(model: &Model) -> String {
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

/// The patterns of an entry, by decreasing norm of their weights.
pub(super) fn pattern_table(model: &Model, entry: &PathEntry) -> String {
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
    table(&["subgraph", "edges", "graphs", "by class", "equivalent", "weight"], &rows, 1)
}

/// The patterns of an entry with their weights.
pub(super) fn patterns_of<'m>(
    model: &'m Model,
    entry: &'m PathEntry,
) -> impl Iterator<Item = (&'m Pattern, &'m [f64])> {
    entry.iterate.patterns.iter().filter_map(|p| model.pattern(&p.code).map(|found| (found, &p.weights[..])))
}

/// Selection frequency of each subgraph over the resamples, the most frequent first.
pub(super) fn stability_table(names: Names<'_>, stability: &[Stability], resamples: usize) -> String {
    const SHOWN: usize = 30;
    let row = |s: &Stability| {
        let frequency = format!("{:.0} %", 100.0 * s.frequency);
        vec![names.draw(&s.code), s.code.num_edges().to_string(), s.support.to_string(), frequency]
    };
    let rows: Vec<Vec<String>> = stability.iter().take(SHOWN).map(row).collect();
    let mut text = table(&["subgraph", "edges", "graphs", "selected"], &rows, 1);
    if stability.len() > SHOWN {
        text += &format!("and {} more\n", stability.len() - SHOWN);
    }
    text + &format!("{resamples} resamples\n")
}
