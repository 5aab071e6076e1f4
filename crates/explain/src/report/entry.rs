//! One entry of the path on the page: metrics, predictions, surrogate trees, importances and attributions.

use super::ReportOptions;
use crate::provenance::Provenance;
use crate::rules::Predictions;
use crate::subject::Subject;
use crate::values::function::ValueFunction;
use crate::values::permutation::PermutationImportance;
use crate::values::shapley::{self, Baseline, ShapleyValues};
use crate::values::{FeatureTable, Scale, ShapleyOptions};
use einsicht_data::Part;
use einsicht_learn::forest::{ForestParams, Tree};
use einsicht_learn::metrics::{Metric, Metrics, metrics};
use einsicht_learn::model::Model;
use einsicht_learn::task::Targets;
use einsicht_search::feature::Values;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Permutations per pattern of the permutation importance.
const PERMUTATIONS: usize = 3;

#[derive(Serialize)]
pub(super) struct Entry {
    size: usize,
    /// Indices into the patterns of the page.
    patterns: Vec<usize>,
    /// L2 norm of each pattern's weights.
    weights: Vec<f64>,
    /// Importance of each pattern in a random forest, for each task.
    importance: Vec<Vec<f64>>,
    /// What the metric loses if the pattern is permuted; absent without truth.
    permutation: Option<Vec<f64>>,
    /// By set: `train`, `valid`, `test`, and `all` for all graphs of the data set.
    metrics: Vec<(&'static str, Metrics)>,
    /// Surrogate tree of each task, nested, with its fidelity.
    trees: Vec<(Value, f64)>,
    /// The quantities of every shown graph: probabilities, or numbers.
    predictions: Vec<f64>,
    /// The quantities of a graph without any pattern, as logits or numbers.
    base: Vec<f64>,
    /// For every shown graph, for every feature that is present, its Shapley value for each quantity.
    attributions: Vec<Vec<f64>>,
    /// Largest standard error of the attributions.
    error: f64,
}

/// What is computed for an entry.
pub(super) struct EntryRequest<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) provenance: &'a Provenance,
    /// Number of graphs that are shown.
    pub(super) shown: usize,
    /// Number of quantities that are shown.
    pub(super) kept: usize,
    pub(super) options: &'a ReportOptions,
}

impl EntryRequest<'_> {
    pub(super) fn compute(&self) -> Entry {
        let Subject { model, entry, .. } = self.subject;
        let (function, table) = ValueFunction::of_graphs(&self.subject, Scale::Logit);
        let outputs = function.outputs(table.values(), table.rows());
        let predictions = Predictions::new(&function, &table);
        let tasks: BTreeSet<usize> = function.quantities()[..self.kept].iter().map(|q| q.task).collect();
        let forest = ForestParams { trees: self.options.trees, seed: self.options.seed, ..ForestParams::default() };
        let values = self.shapley_values(&function, &table);
        let patterns = &self.subject.iterate().patterns;
        let norm = |weights: &[f64]| rounded(weights.iter().fold(0.0, |s, w| s + w * w).sqrt());
        let errors = values.distinct.iter().filter_map(|attribution| attribution.errors.as_ref()).flatten();
        let importance = |&task: &usize| {
            let importance = predictions.forest(task, &forest).importance(function.patterns());
            importance.into_iter().map(rounded).collect()
        };
        Entry {
            size: model.entries[entry].size,
            patterns: patterns
                .iter()
                .filter_map(|p| model.patterns.binary_search_by(|known| known.code.cmp_by_size(&p.code)).ok())
                .collect(),
            weights: patterns.iter().map(|pattern| norm(&pattern.weights)).collect(),
            importance: tasks.iter().map(importance).collect(),
            permutation: self.permutation_importance(&function, &table),
            metrics: self.metrics(&outputs),
            trees: tasks
                .iter()
                .map(|&task| {
                    let surrogate = predictions.tree(task, self.options.depth);
                    (nested(&surrogate.tree, 0, model.params.values()), surrogate.fidelity)
                })
                .collect(),
            predictions: self.predictions(&outputs, table.rows()),
            base: function.evaluate(&vec![0.0; table.width()], 1)[..self.kept].iter().map(|b| rounded(*b)).collect(),
            attributions: (0..self.shown).map(|row| self.attributions(&values, &table, row)).collect(),
            error: rounded(errors.fold(0.0_f64, |a, b| a.max(*b))),
        }
    }

    /// The Shapley values of the shown graphs; the baseline is the absence of subgraphs.
    fn shapley_values(&self, function: &ValueFunction<'_>, table: &FeatureTable) -> ShapleyValues {
        let ReportOptions { exact_up_to, orders, seed, .. } = *self.options;
        let options = ShapleyOptions { exact_up_to, orders, seed, interactions: false };
        let shown = table.select(&(0..self.shown).collect::<Vec<_>>());
        shapley::shapley_values(function, &shown, &Baseline::Absent, &options)
    }

    /// The Shapley values of the features that are present in a row.
    fn attributions(&self, values: &ShapleyValues, table: &FeatureTable, row: usize) -> Vec<f64> {
        let attribution = values.row(row);
        let quantities = attribution.output.len();
        let present = (0..table.width()).filter(|&feature| table.row(row)[feature] != 0.0);
        present
            .flat_map(|feature| &attribution.values[feature * quantities..][..self.kept])
            .map(|value| rounded(*value))
            .collect()
    }

    /// Probabilities or numbers of the shown graphs.
    fn predictions(&self, outputs: &[f64], rows: usize) -> Vec<f64> {
        let Subject { model, entry, .. } = self.subject;
        let function = ValueFunction::new(model, entry, Scale::Probability);
        let (probabilities, quantities) = (function.quantities_of(outputs, rows), function.quantities().len());
        let of_row = |row: usize| &probabilities[row * quantities..][..self.kept];
        (0..self.shown).flat_map(of_row).map(|value| rounded(*value)).collect()
    }

    /// Metrics of each set, and of all graphs.
    fn metrics(&self, outputs: &[f64]) -> Vec<(&'static str, Metrics)> {
        let Subject { model, entry, dataset } = self.subject;
        let of_rows = |rows: Vec<usize>| -> Metrics {
            let width = outputs.len() / dataset.len();
            let own: Vec<f64> =
                rows.iter().flat_map(|&row| &outputs[row * width..(row + 1) * width]).copied().collect();
            let targets = Targets::gather(&model.tasks, dataset, &rows).ok().filter(|_| !rows.is_empty());
            targets.map_or_else(Metrics::new, |targets| metrics(&model.tasks, &targets, &own))
        };
        let parts = [("train", Part::Train), ("valid", Part::Valid), ("test", Part::Test)];
        let mut by_part: Vec<(&'static str, Metrics)> =
            parts.iter().map(|&(name, part)| (name, of_rows(self.provenance.rows_of(part)))).collect();
        if model.has_seen_validation(entry) && !by_part[1].1.is_empty() {
            // Those before the head was refitted on the validation set.
            by_part[1].1.clone_from(&model.entries[entry].valid);
        }
        by_part.push(("all", of_rows((0..dataset.len()).collect())));
        by_part
    }

    /// The permutation importance of each pattern; nothing where no target is known.
    fn permutation_importance(&self, function: &ValueFunction<'_>, table: &FeatureTable) -> Option<Vec<f64>> {
        let Subject { model, dataset, .. } = self.subject;
        let all: Vec<usize> = (0..table.rows()).collect();
        let targets = Targets::gather(&model.tasks, dataset, &all).ok()?;
        if !all.iter().any(|&row| targets.labels_of_row(row) > 0) {
            return None;
        }
        let importance = PermutationImportance {
            function,
            table,
            targets: &targets,
            metric: permutation_metric(model),
            repeats: PERMUTATIONS,
            seed: self.options.seed,
        };
        Some(importance.compute()?.into_iter().map(rounded).collect())
    }
}

/// The metric that selected the model, or a common one instead of the loss.
pub(super) fn permutation_metric(model: &Model) -> Metric {
    match model.metric {
        Metric::Loss if model.tasks.iter().all(einsicht_learn::task::Task::is_classification) => Metric::Accuracy,
        Metric::Loss => Metric::Rmse,
        metric => metric,
    }
}

/// A tree as nested objects: rows, value, and for questions the pattern, the count that it is compared with and both answers.
fn nested(tree: &Tree, at: usize, values: Values) -> Value {
    let node = &tree.nodes[at];
    let value: Vec<f64> = tree.value(at).iter().map(|v| rounded(*v)).collect();
    match &node.split {
        None => json!({ "rows": node.rows, "value": value }),
        Some(split) => json!({
            "rows": node.rows,
            "value": value,
            "pattern": split.column,
            "count": values.count_above(split.threshold),
            "no": nested(tree, split.left as usize, values),
            "yes": nested(tree, split.right as usize, values),
        }),
    }
}

/// Four significant digits: more than the page shows.
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
