//! Tables about models that several commands show: the path, the subgraphs, how often each was selected.

pub(super) mod subgraphs;

use crate::io::output::{counted, screen_width, table, wrapped};
use einsicht::Model;
use einsicht::data::Names;
use einsicht::explain::Effects;
use einsicht::model::PathEntry;
use einsicht::model::folds::Interval;
use einsicht::model::metrics::{Metric, Metrics};
use einsicht::model::params::{Penalty, Prefer};
use einsicht::report::wording::metric_figure;
use einsicht::train::resample::Stability;
use subgraphs::SubgraphTable;

/// A point of the path: its size, or its lambda.
pub(super) fn path_point(size: usize, lambda: Option<f64>) -> String {
    lambda.map_or_else(|| format!("size {size}"), |lambda| format!("lambda {lambda:.4}"))
}

/// The columns of the graphs that each model was fitted on, which is left out where not all models have predicted them,
/// and of the test set, which is left out where there is none.
const FITTED: usize = 3;
const TEST: usize = 5;

/// The path as a table; the chosen entry is marked.
pub(super) fn path_table(model: &Model) -> String {
    let metric = model.metric.name();
    let number = |metrics: &Metrics| metrics.get(metric).map_or("-".to_owned(), |value| metric_figure(metric, *value));
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
    let mut header = vec!["", first, "subgraphs", "fitted", held_out(model), "test", "iterations", "stopped by"];
    let mut rows = rows;
    let left_out = [
        (TEST, model.entries.iter().all(|entry| entry.test.is_empty())),
        (FITTED, model.entries.iter().any(|entry| entry.train.is_empty())),
    ];
    for (column, _) in left_out.into_iter().filter(|(_, is_left_out)| *is_left_out) {
        header.remove(column);
        for row in &mut rows {
            row.remove(column);
        }
    }
    format!("{metric}\n{}", table(&header, &rows, 1))
}

/// What the figures of held-out graphs are.
fn held_out(model: &Model) -> &'static str {
    if model.seen.folds.count > 1 { "out of fold" } else { "validation" }
}

/// Which share of the predictions comes from subgraphs, where something else is read too; and what columns do.
pub(super) fn shares_text(effects: &Effects, columns: bool) -> String {
    let line = |shares| format!("predictions come {shares} (shares of Shapley values)");
    let mut text = effects.shares_in_words().map_or_else(String::new, |shares| wrapped(&line(shares), screen_width()));
    for (at, quantity) in effects.quantities.iter().enumerate().filter(|_| columns) {
        for words in effects.columns.iter().filter_map(|column| column.in_words(at)) {
            text += &wrapped(&format!("effect on {}: {words}", quantity.name), screen_width());
        }
    }
    text
}

/// The estimate for new graphs with its intervals, and what it is from.
pub(super) fn expected(model: &Model) -> String {
    let estimate = &model.estimate;
    let one = |metric: Metric| {
        let Interval { value, low, high } = estimate.metrics.get(metric.name())?;
        let [value, low, high] = [value, low, high].map(|figure| metric_figure(metric.name(), *figure));
        Some(format!("{} {value} (95 % interval {low} to {high})", metric.name()))
    };
    let others = [Metric::Auc, Metric::Accuracy, Metric::Rmse, Metric::R2].into_iter().filter(|m| *m != model.metric);
    let shown: Vec<String> = [model.metric].into_iter().chain(others).filter_map(one).take(2).collect();
    let different = model.seen.different();
    let graphs = match counted(estimate.graphs, "graph") {
        graphs if different < estimate.graphs => format!("{graphs} ({different} different)"),
        graphs => graphs,
    };
    let from = match estimate.folds {
        1 => format!("{graphs} held out"),
        folds => format!("{graphs} held out in {folds} folds"),
    };
    // The same subgraphs have another estimate where they were chosen in another way: it is that of the choice, too.
    let choice = match (model.entries.len(), model.params.prefer) {
        (1, _) => "",
        (_, Prefer::Accurate) => ", including the choice of size",
        (_, Prefer::Sparse) => ", including the choice of size (prefer sparse)",
    };
    let over = match model.tasks.len() {
        1 => String::new(),
        targets => format!("means over {targets} targets, "),
    };
    format!("{}; {over}from {from}{choice}", shown.join(", "))
}

/// A figure with both ends of its interval.
pub(super) fn interval_text(metric: &str, Interval { value, low, high }: &Interval) -> String {
    let [value, low, high] = [value, low, high].map(|figure| metric_figure(metric, *figure));
    format!("{value} ({low} to {high})")
}

/// The figures of the test set, if there is one.
pub(super) fn test_text(model: &Model) -> String {
    let (graphs, metrics) = (model.rows.test.len(), &model.best().test);
    if graphs == 0 || metrics.is_empty() {
        return String::new();
    }
    let all: Vec<String> =
        metrics.iter().map(|(name, value)| format!("{name} {}", metric_figure(name, *value))).collect();
    let line = format!("test set, {} not used in training: {}", counted(graphs, "graph"), all.join(", "));
    wrapped(&line, screen_width())
}

/// The subgraphs of an entry, with their effects if they are known.
pub(super) fn pattern_table(model: &Model, entry: &PathEntry, effects: Option<&Effects>) -> String {
    SubgraphTable { model, entry, effects, tasks: &[], most: usize::MAX, width: screen_width() }.text()
}

/// Selection frequency of each subgraph over the resamples, the most frequent first.
pub(super) fn stability_table(names: Names<'_>, stability: &[Stability], resamples: usize) -> String {
    const SHOWN: usize = 30;
    let row = |s: &Stability| {
        let frequency = format!("{:.0} %", 100.0 * s.frequency);
        vec![names.one_line(&s.code), s.code.num_edges().to_string(), s.support.to_string(), frequency]
    };
    let rows: Vec<Vec<String>> = stability.iter().take(SHOWN).map(row).collect();
    let mut text = table(&["subgraph", "edges", "graphs", "selected"], &rows, 1);
    if stability.len() > SHOWN {
        text += &format!("and {} more\n", stability.len() - SHOWN);
    }
    text + &format!("{resamples} resamples\n")
}
