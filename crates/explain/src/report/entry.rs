//! One size of the path: its metrics, predictions, rules, importances and reasons.

use super::Options;
use crate::game::{Game, Scale};
use crate::kinship::Kinship;
use crate::shapley;
use crate::surrogate::{Answers, permutation};
use einsicht_data::{Dataset, Part};
use einsicht_learn::forest::{ForestParams, Tree};
use einsicht_learn::metrics::{Metric, Metrics, metrics};
use einsicht_learn::model::Model;
use einsicht_learn::task::Targets;
use einsicht_search::feature::Values;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
pub(super) struct Entry {
    size: usize,
    /// Indices into the patterns of the page.
    patterns: Vec<usize>,
    /// Length of each pattern's weights.
    weights: Vec<f64>,
    /// Share of what a forest learnt from the model, for each task.
    importance: Vec<Vec<f64>>,
    /// What the metric loses if the pattern is shuffled; absent without truth.
    permutation: Option<Vec<f64>>,
    /// By part: `train`, `valid`, `test`, and `all` for what was given.
    metrics: Vec<(&'static str, Metrics)>,
    /// Rules for each task: nested questions and how well they repeat the model.
    trees: Vec<(Value, f64)>,
    /// For every shown graph its quantities: probabilities, or numbers.
    predictions: Vec<f64>,
    /// The quantities of a graph without any pattern, as logits or numbers.
    base: Vec<f64>,
    /// For every shown graph, for every pattern of it that is present, its share of each quantity.
    shares: Vec<Vec<f64>>,
    /// Largest standard error among them.
    error: f64,
}

/// The numbers of one entry of the path.
pub(super) fn entry(
    model: &Model,
    at: usize,
    dataset: &Dataset,
    kinship: &Kinship,
    shown: usize,
    kept: usize,
    options: &Options,
) -> Entry {
    let (game, table) = Game::about(model, at, Scale::Logit, dataset);
    let iterate = &model.entries[at].iterate;
    let rows = dataset.len();
    let width = game.players();
    let outputs = game.outputs(&table, rows);
    let all: Vec<usize> = (0..rows).collect();
    let targets = Targets::gather(&model.tasks, dataset, &all)
        .ok()
        .filter(|targets| (0..rows).any(|row| targets.labels_of_row(row) > 0));
    let of_part = |wanted: &dyn Fn(Option<Part>) -> bool| -> Metrics {
        let rows: Vec<usize> = (0..rows).filter(|&row| wanted(kinship.parts[row])).collect();
        let each = outputs.len() / dataset.len();
        let outputs: Vec<f64> = rows.iter().flat_map(|&row| outputs[row * each..(row + 1) * each].to_vec()).collect();
        let targets = Targets::gather(&model.tasks, dataset, &rows);
        targets
            .ok()
            .filter(|_| !rows.is_empty())
            .map_or_else(Metrics::new, |targets| metrics(&model.tasks, &targets, &outputs))
    };
    let parts = [("train", Some(Part::Train)), ("valid", Some(Part::Valid)), ("test", Some(Part::Test))];
    let mut by_part: Vec<(&'static str, Metrics)> =
        parts.iter().map(|&(name, part)| (name, of_part(&|of| of == part))).collect();
    if model.has_seen_validation(at) && !by_part[1].1.is_empty() {
        by_part[1].1.clone_from(&model.entries[at].valid); // what was reached before the head learnt from that part
    }
    by_part.push(("all", of_part(&|_| true)));
    let answers = Answers::new(&game, &table, rows);
    let tasks: std::collections::BTreeSet<usize> = game.quantities()[..kept].iter().map(|q| q.task).collect();
    let forest = ForestParams { trees: options.trees, seed: options.seed, ..ForestParams::default() };
    let probabilities = Game::new(model, at, Scale::Probability).quantities_of(&outputs, rows);
    let quantities = game.quantities().len();
    let explained = shapley::explain(&game, &table[..shown * width], shown, &options.shapley);
    let share = |row: usize| -> Vec<f64> {
        let shares = explained.row(row);
        let present = (0..width).filter(|&p| table[row * width + p] != 0.0);
        present.flat_map(|p| shares.values[p * quantities..][..kept].iter().map(|value| rounded(*value))).collect()
    };
    let error = explained.distinct.iter().filter_map(|s| s.errors.as_ref()).flatten().fold(0.0_f64, |a, b| a.max(*b));
    Entry {
        size: model.entries[at].size,
        patterns: iterate
            .patterns
            .iter()
            .filter_map(|p| model.patterns.binary_search_by(|known| known.code.cmp_by_size(&p.code)).ok())
            .collect(),
        weights: iterate
            .patterns
            .iter()
            .map(|p| rounded(p.weights.iter().fold(0.0, |s, w| s + w * w).sqrt()))
            .collect(),
        importance: tasks
            .iter()
            .map(|&task| answers.forest(task, &forest).importance(game.patterns()).into_iter().map(rounded).collect())
            .collect(),
        permutation: targets.and_then(|targets| {
            let lost = permutation(&game, &table, &targets, metric_of(model), 3, options.seed)?;
            Some(lost.into_iter().map(rounded).collect())
        }),
        metrics: by_part,
        trees: tasks
            .iter()
            .map(|&task| {
                let surrogate = answers.tree(task, options.depth);
                (nested(&surrogate.tree, 0, model.params.values()), surrogate.fidelity)
            })
            .collect(),
        predictions: (0..shown)
            .flat_map(|row| probabilities[row * quantities..][..kept].iter().map(|p| rounded(*p)))
            .collect(),
        base: game.evaluate(&vec![0.0; width], 1)[..kept].iter().map(|b| rounded(*b)).collect(),
        shares: (0..shown).map(share).collect(),
        error: rounded(error),
    }
}

/// The metric that chose the model, unless it is a loss that says little to people.
pub(super) fn metric_of(model: &Model) -> Metric {
    match model.metric {
        Metric::Loss if model.tasks.iter().all(einsicht_learn::task::Task::is_classification) => Metric::Accuracy,
        Metric::Loss => Metric::Rmse,
        metric => metric,
    }
}

fn nested(tree: &Tree, at: usize, values: Values) -> Value {
    let node = &tree.nodes[at];
    let value: Vec<f64> = tree.value(at).iter().map(|v| rounded(*v)).collect();
    match &node.split {
        None => json!({ "n": node.rows, "v": value }),
        Some(split) => json!({
            "n": node.rows,
            "v": value,
            "p": split.column,
            // The question is whether it occurs so often.
            "k": values.count_above(split.threshold),
            "no": nested(tree, split.left as usize, values),
            "yes": nested(tree, split.right as usize, values),
        }),
    }
}

/// Four digits are more than a page shows.
pub(super) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = 3 - libm::floor(libm::log10(value.abs())) as i32;
    let shift = libm::pow(10.0, f64::from(digits.clamp(-12, 6)));
    (value * shift).round() / shift
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!([rounded(0.123_456), rounded(-12_345.6), rounded(1e-9), rounded(0.0)], [0.1235, -12350.0, 0.0, 0.0]);
    }
}
