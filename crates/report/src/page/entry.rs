//! One entry of the path on the page: metrics, predictions, surrogate trees, importances and attributions.

use super::ReportOptions;
use super::diagnostics::{Decided, Diagnosis};
use super::judged::{Judged, ShownFigures};
use super::packed::Packed;
use super::swarm::{self, Swarm};
use crate::story::{effects_in_words, leaders, strongest};
use crate::wording::pairs_in_words;
use einsicht_explain::Predictions;
use einsicht_explain::Provenance;
use einsicht_explain::ShapleyValues;
use einsicht_explain::Subject;
use einsicht_explain::ValueFunction;
use einsicht_explain::shapley_values;
use einsicht_explain::{Absences, FeatureTable, Scale, ShapleyBaseline, ShapleyOptions};
use einsicht_explain::{Attribution, PermutationImportance};
use einsicht_explain::{EffectSample, FEWEST_FOR_INTERVAL, RowValues, effects_and_values};
use einsicht_forest::{ForestParams, Tree};
use einsicht_graph::Support;
use einsicht_model::Model;
use einsicht_model::effects::Effects;
use einsicht_model::metrics::{Metric, Metrics};
use einsicht_model::task::Targets;
use einsicht_search::feature::Values;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Graphs that are explained one by one at other sizes than the selected one, over all quantities, and the least for
/// many of them: they are most of the page.
const EXPLAINED_ELSEWHERE: usize = 96;
const LEAST_EXPLAINED: usize = 40;
/// The least of graphs that effects come from there; there are eleven other sizes, so they would take most of the time.
const LEAST_FOR_EFFECTS: usize = 64;
/// Trees of the forest of importances there.
const TREES_ELSEWHERE: usize = 100;
/// Graphs that importances are computed on at most, evenly spaced, at the selected size and at others: forests and
/// permutations take as long as all the rest.
const MOST_FOR_IMPORTANCE: usize = 4000;
const IMPORTANCE_ELSEWHERE: usize = 500;
/// Permutations per pattern of the permutation importance.
const PERMUTATIONS: usize = 3;

#[derive(Serialize)]
pub(super) struct Entry {
    size: usize,
    /// Indices into the patterns of the page.
    patterns: Vec<usize>,
    /// For each pattern and each shown quantity its effect, if it is known, and the ends of its 95 % interval.
    effects: Vec<Vec<Option<f64>>>,
    intervals: Vec<Vec<Option<[f64; 2]>>>,
    /// The fraction of the graphs with the pattern in which it raises the quantity.
    raises: Vec<Vec<Option<f64>>>,
    /// Patterns that nearly all graphs have: their effects compare graphs with more of them than the mean with the
    /// others.
    by_amount: Vec<usize>,
    /// For each shown quantity the patterns that lead: those with the strongest effects, and how many near-copies of
    /// them are left out.
    leaders: Vec<(Vec<usize>, usize)>,
    /// Which graphs the effects are about, in words.
    effects_of: String,
    /// The share of each group of features in the predictions, as a mean over all outputs of the model.
    shares: Vec<(String, f64)>,
    /// The same as a sentence, if there is more than one group.
    shares_text: Option<String>,
    /// For each shown quantity what the columns beside the graphs do, as a sentence.
    columns_text: Vec<Option<String>>,
    /// Sentences about pairs of subgraphs that interact.
    pairs_text: Vec<String>,
    /// Importance of each pattern in a random forest, for each task.
    importance: Vec<Vec<f64>>,
    /// Trees of that forest.
    pub(super) importance_trees: usize,
    /// Graphs that importances, of both kinds, are computed on.
    pub(super) importance_graphs: usize,
    /// What the metric loses if the pattern is permuted; absent without truth.
    permutation: Option<Vec<f64>>,
    /// Metrics of graphs of the data set: out-of-fold, unseen and, under that name, fitted ones.
    pub(super) figures: Vec<ShownFigures>,
    /// Metrics of all held-out predictions of the training, whatever the data set: they chose the size.
    pub(super) held_out: Metrics,
    /// For each shown task with classes what the judged groups say.
    pub(super) diagnoses: Vec<Vec<Diagnosis>>,
    /// What raises and lowers each shown quantity most, as a sentence.
    stories: Vec<Option<String>>,
    /// For each task surrogate trees of growing depth, nested, with their fidelity and depth.
    trees: Vec<Vec<(Value, f64, usize)>>,
    /// The quantities of every shown graph, probabilities or numbers: out-of-fold ones where there are any, else those
    /// of the model.
    pub(super) predictions: Vec<f64>,
    /// For every shown graph and each shown task the predicted class by the same outputs; nothing for numbers.
    pub(super) classes: Vec<Option<usize>>,
    /// The mean quantities of the background: probabilities, logits or numbers.
    base: Vec<f64>,
    /// Which of the shown graphs are explained; nothing if all are.
    pub(super) explained: Option<Vec<usize>>,
    /// For each shown quantity its strongest subgraphs in the explained graphs.
    swarms: Vec<Vec<Swarm>>,
    /// Every so many of the explained graphs have a dot in a swarm.
    swarm_stride: usize,
    /// For every explained graph, for every feature that is present, its Shapley value for each quantity.
    pub(super) attributions: Vec<Packed>,
    /// For every explained graph the Shapley values of the subgraphs that are absent.
    absences: Vec<ShownAbsences>,
    /// Largest standard error of the attributions; 0 if they are exact.
    error: f64,
}

/// What the absence of subgraphs contributes to the outputs of a graph.
#[derive(Serialize)]
struct ShownAbsences {
    /// Those that matter, as indices of patterns in the entry.
    subgraphs: Vec<usize>,
    others: usize,
    /// The values of the first ones for each quantity, then the sum of the others for each.
    values: Packed,
}

pub(super) struct EntryRequest<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) provenance: &'a Provenance,
    pub(super) judged: &'a Judged<'a>,
    /// The rows of the graphs that are shown.
    pub(super) shown: &'a [usize],
    /// The quantities that are shown.
    pub(super) kept: &'a [usize],
    /// The supports of all patterns of the model in the data set.
    pub(super) supports: &'a [Arc<Support>],
    pub(super) options: &'a ReportOptions,
}

/// The graphs of an entry that are explained: positions among the shown ones, and their Shapley values, parallel to
/// them.
struct Explained {
    shown: Vec<usize>,
    values: ShapleyValues,
}

impl EntryRequest<'_> {
    pub(super) fn compute(&self) -> Entry {
        let Subject { model, entry, .. } = self.subject;
        let patterns = self.patterns();
        let supports: Vec<Arc<Support>> = patterns.iter().map(|&at| Arc::clone(&self.supports[at])).collect();
        let (function, table) = ValueFunction::of_supports(&self.subject, Scale::of(model), &supports);
        let of_model = function.outputs(table.values(), table.rows());
        let outputs = self.judged.outputs(entry, &of_model);
        let decided = Decided::new(model, entry, outputs.clone(), table.rows());
        let predictions = Predictions::new(&function, &table, of_model.clone());
        let tasks: BTreeSet<usize> = self.kept.iter().map(|&at| function.quantities()[at].task).collect();
        let (effects, explained) = self.explained(&function, &table);
        let values = &explained.values;
        let errors = values.distinct.iter().filter_map(|attribution| attribution.errors.as_ref()).flatten();
        let sampled = Sampled::new(&table, &of_model, evenly(table.rows(), self.importance_graphs()));
        let imitated = Predictions::new(&function, &sampled.table, sampled.outputs.clone());
        let importance = |&task: &usize| {
            let importance = imitated.forest(task, &self.forest()).importance(function.patterns());
            importance.into_iter().map(rounded).collect()
        };
        let all = explained.shown.len() == self.shown.len();
        let rows = || explained.shown.iter().map(|&at| self.shown[at]).enumerate();
        Entry {
            size: model.entries[entry].size,
            by_amount: (0..patterns.len()).filter(|&pattern| effects.is_by_amount(pattern)).collect(),
            leaders: self.kept.iter().map(|&at| leaders(&effects, at)).collect(),
            patterns,
            effects: self.of_patterns(|pattern, at| effects.value(pattern, at).map(precise)),
            intervals: self.of_patterns(|pattern, at| effects.interval(pattern, at).map(|ends| ends.map(precise))),
            raises: self.of_patterns(|pattern, at| effects.raises(pattern, at).map(rounded)),
            effects_of: effects.graphs_in_words(),
            shares: effects.shares.iter().map(|share| (share.name.clone(), rounded(share.mean))).collect(),
            shares_text: effects.shares_in_words(),
            columns_text: self.kept.iter().map(|&at| effects.columns_in_words(at)).collect(),
            pairs_text: pairs_in_words(model, entry, &effects, self.kept),
            importance: tasks.iter().map(importance).collect(),
            importance_trees: self.forest().trees,
            importance_graphs: sampled.rows.len(),
            permutation: self.permutation_importance(&function, &sampled),
            figures: self.judged.figures(entry, &of_model),
            held_out: model.entries[entry].valid.clone(),
            diagnoses: tasks.iter().map(|&task| decided.diagnoses(task, self.judged)).collect(),
            stories: self.kept.iter().map(|&at| effects_in_words(model, entry, &effects, at)).collect(),
            trees: tasks.iter().map(|&task| self.trees(&predictions, task)).collect(),
            predictions: self.predictions(&outputs, table.rows()),
            classes: self
                .shown
                .iter()
                .flat_map(|&row| tasks.iter().map(move |&task| (row, task)))
                .map(|(row, task)| decided.class(row, task))
                .collect(),
            base: self.kept_of(&values.row(0).base),
            swarms: self.kept.iter().map(|&at| self.swarms(&explained, &table, &effects, at)).collect(),
            swarm_stride: swarm_stride(&explained),
            attributions: rows().map(|(at, row)| self.attributions(values.row(at), table.row(row))).collect(),
            absences: rows().map(|(at, row)| self.absences(values.row(at), table.row(row))).collect(),
            explained: (!all).then_some(explained.shown),
            error: rounded(errors.fold(0.0_f64, |a, b| a.max(*b))),
        }
    }

    /// Something for each pattern and each shown quantity.
    fn of_patterns<T>(&self, of: impl Fn(usize, usize) -> T) -> Vec<Vec<T>> {
        let patterns = self.subject.iterate().patterns.len();
        (0..patterns).map(|pattern| self.kept.iter().map(|&at| of(pattern, at)).collect()).collect()
    }

    /// The shown ones of all quantities.
    fn kept_of(&self, quantities: &[f64]) -> Vec<f64> {
        self.kept.iter().map(|&at| rounded(quantities[at])).collect()
    }

    /// The patterns of the entry, as indices into those of the model.
    fn patterns(&self) -> Vec<usize> {
        self.subject.model.places(self.subject.iterate())
    }

    fn is_chosen(&self) -> bool {
        self.subject.entry == self.subject.model.chosen
    }

    /// Graphs that are explained at other sizes: each has a number per subgraph and quantity.
    fn explained_elsewhere(&self) -> usize {
        (EXPLAINED_ELSEWHERE / self.kept.len().max(1)).max(LEAST_EXPLAINED)
    }

    /// Graphs that importances are computed on at most.
    fn importance_graphs(&self) -> usize {
        if self.is_chosen() { MOST_FOR_IMPORTANCE } else { IMPORTANCE_ELSEWHERE }
    }

    /// The graphs that effects come from at other sizes: shown ones, since these are explained too.
    fn effect_sample(&self) -> EffectSample {
        let all = self.provenance.training_rows_or_all();
        let shown: Vec<usize> = self.shown.iter().copied().filter(|row| all.binary_search(row).is_ok()).collect();
        let usable = if shown.is_empty() { all } else { shown };
        let most = self.explained_elsewhere().max(LEAST_FOR_EFFECTS);
        EffectSample { usable, most, fewest: FEWEST_FOR_INTERVAL }
    }

    /// The forest of importances: at other sizes than the selected one it is small.
    fn forest(&self) -> ForestParams {
        let trees = if self.is_chosen() { self.options.trees } else { self.options.trees.min(TREES_ELSEWHERE) };
        ForestParams { trees, seed: self.options.seed, ..ForestParams::default() }
    }

    /// About what it costs, in any unit: most of it are Shapley values.
    pub(super) fn cost(&self) -> f64 {
        let graphs = if self.is_chosen() { self.shown.len() } else { self.shown.len().min(2 * EXPLAINED_ELSEWHERE) };
        ((1 + self.subject.iterate().patterns.len()) * (graphs + EXPLAINED_ELSEWHERE)) as f64
    }

    /// The effects, and the graphs that are explained one by one: all shown ones at the selected size; at others those
    /// that the effects come from, and if few of these are shown, some more.
    fn explained(&self, function: &ValueFunction<'_>, table: &FeatureTable) -> (Effects, Explained) {
        let all: Vec<usize> = (0..self.shown.len()).collect();
        if self.is_chosen() || all.len() <= self.explained_elsewhere() {
            let values = self.shapley_values(function, table, self.shown);
            return (einsicht_explain::effects(&self.subject, self.provenance), Explained { shown: all, values });
        }
        let (effects, known) =
            effects_and_values(&self.subject, self.provenance, self.effect_sample(), function, table);
        let RowValues { rows, values: ShapleyValues { mut distinct, of_row }, .. } = known;
        let known = |shown: &usize| rows.binary_search(&self.shown[*shown]).ok();
        let mut shown: Vec<usize> = all.iter().copied().filter(|at| known(at).is_some()).collect();
        let wanted = self.explained_elsewhere();
        if shown.len() < wanted {
            shown.extend(all.iter().step_by(all.len().div_ceil(wanted)));
            shown.sort_unstable();
            shown.dedup();
        }
        shown = (0..wanted.min(shown.len())).map(|at| shown[at * shown.len() / wanted.min(shown.len())]).collect();
        let missing: Vec<usize> = shown.iter().filter(|at| known(at).is_none()).map(|&at| self.shown[at]).collect();
        let found = self.shapley_values(function, table, &missing);
        let mut others = found.of_row.iter().map(|own| distinct.len() + own).collect::<Vec<_>>().into_iter();
        let at = |at: &usize| known(at).map_or_else(|| others.next().unwrap_or(0), |position| of_row[position]);
        let of_row = shown.iter().map(at).collect();
        distinct.extend(found.distinct);
        (effects, Explained { shown, values: ShapleyValues { distinct, of_row } })
    }

    /// The strongest subgraphs of a quantity in the explained graphs.
    fn swarms(&self, explained: &Explained, table: &FeatureTable, effects: &Effects, quantity: usize) -> Vec<Swarm> {
        let read = self.subject.model.params.values();
        let swarm = |pattern: usize| {
            let graph = |(at, &shown): (usize, &usize)| {
                let attribution = explained.values.row(at);
                let count = read.count_of(table.row(self.shown[shown])[pattern]);
                (count, attribution.values[pattern * attribution.output.len() + quantity])
            };
            let graphs: Vec<_> = explained.shown.iter().enumerate().map(graph).collect();
            let mut found = Swarm::new(pattern, &graphs, swarm_stride(explained));
            found.scale = rounded(found.scale);
            found.steps.iter_mut().for_each(|step| step.3 = rounded(step.3));
            found
        };
        strongest(effects, quantity, swarm::MOST_PATTERNS).into_iter().map(swarm).collect()
    }

    /// Surrogate trees of growing depth, each better than those before it. One that is no better ends nothing: what is
    /// true of two subgraphs only together (exclusive or) takes two questions more.
    fn trees(&self, predictions: &Predictions<'_>, task: usize) -> Vec<(Value, f64, usize)> {
        let mut trees: Vec<(Value, f64, usize)> = Vec::new();
        for depth in 1..=self.options.depth.max(1) {
            let best = trees.last().map_or(f64::NEG_INFINITY, |(_, fidelity, _)| *fidelity);
            if best >= 1.0 {
                break;
            }
            let surrogate = predictions.tree(task, depth);
            if surrogate.fidelity > best {
                let tree = nested(&surrogate.tree, 0, self.subject.model.params.values());
                trees.push((tree, surrogate.fidelity, depth));
            }
        }
        trees
    }

    fn shapley_values(&self, function: &ValueFunction<'_>, table: &FeatureTable, rows: &[usize]) -> ShapleyValues {
        let ReportOptions { exact_up_to, orders, seed, .. } = *self.options;
        let options = ShapleyOptions { exact_up_to, orders, seed, interactions: false };
        shapley_values(function, &table.select(rows), ShapleyBaseline::Background, &options)
    }

    /// The Shapley values of the features that are present in a row.
    fn attributions(&self, attribution: &Attribution, features: &[f64]) -> Packed {
        let quantities = attribution.output.len();
        let present = (0..features.len()).filter(|&feature| features[feature] != 0.0);
        let of = |feature: usize| self.kept.iter().map(move |&at| attribution.values[feature * quantities + at]);
        Packed::new(&present.flat_map(of).collect::<Vec<f64>>())
    }

    /// The Shapley values of the subgraphs that are absent in a row.
    fn absences(&self, attribution: &Attribution, features: &[f64]) -> ShownAbsences {
        let quantities = attribution.output.len();
        let found = Absences::new(features, &attribution.values, self.kept);
        let of = |feature: usize| &attribution.values[feature * quantities..][..quantities];
        let mut sums = vec![0.0; quantities];
        for &feature in &found.others {
            sums.iter_mut().zip(of(feature)).for_each(|(sum, value)| *sum += value);
        }
        let named = found.named.iter().map(|&feature| of(feature)).chain([&sums[..]]);
        let values: Vec<f64> = named.flat_map(|values| self.kept.iter().map(|&at| values[at])).collect();
        ShownAbsences { others: found.others.len(), values: Packed::new(&values), subgraphs: found.named }
    }

    /// Probabilities, after temperature scaling, or numbers of the shown graphs.
    fn predictions(&self, outputs: &[f64], rows: usize) -> Vec<f64> {
        let Subject { model, entry, .. } = self.subject;
        let (temperatures, width) = (&model.entries[entry].decision.temperatures, outputs.len() / rows.max(1));
        let mut divisors = Vec::with_capacity(width);
        for (task, described) in model.tasks.iter().enumerate() {
            let temperature = temperatures.get(task).copied().unwrap_or(1.0);
            divisors.extend(std::iter::repeat_n(temperature, described.outputs()));
        }
        let scaled: Vec<f64> = outputs
            .chunks_exact(width.max(1))
            .flat_map(|row| row.iter().zip(&divisors).map(|(x, by)| x / by))
            .collect();
        let function = ValueFunction::new(model, entry, Scale::Probability);
        let (probabilities, quantities) = (function.quantities_of(&scaled, rows), function.quantities().len());
        self.shown.iter().flat_map(|&row| self.kept_of(&probabilities[row * quantities..][..quantities])).collect()
    }

    /// The permutation importance of each pattern; nothing where no target is known.
    fn permutation_importance(&self, function: &ValueFunction<'_>, sampled: &Sampled) -> Option<Vec<f64>> {
        let Subject { model, dataset, .. } = self.subject;
        let targets = Targets::gather(&model.tasks, dataset, &sampled.rows).ok()?;
        if !(0..sampled.rows.len()).any(|row| targets.labels_of_row(row) > 0) {
            return None;
        }
        let importance = PermutationImportance {
            function,
            table: &sampled.table,
            outputs: &sampled.outputs,
            targets: &targets,
            metric: permutation_metric(model),
            repeats: PERMUTATIONS,
            seed: self.options.seed,
        };
        Some(importance.compute()?.into_iter().map(rounded).collect())
    }
}

/// Some graphs of the data set, with their features and outputs of the model.
struct Sampled {
    rows: Vec<usize>,
    table: FeatureTable,
    outputs: Vec<f64>,
}

impl Sampled {
    fn new(table: &FeatureTable, outputs: &[f64], rows: Vec<usize>) -> Self {
        let width = outputs.len() / table.rows().max(1);
        let of_row = |row: &usize| &outputs[row * width..(row + 1) * width];
        Self { table: table.select(&rows), outputs: rows.iter().flat_map(of_row).copied().collect(), rows }
    }
}

/// All numbers below one, or as many as wanted, evenly spaced.
pub(super) fn evenly(all: usize, most: usize) -> Vec<usize> {
    let taken = all.min(most.max(1));
    (0..taken).map(|at| at * all / taken).collect()
}

/// Every so many of the explained graphs have a dot in a swarm.
fn swarm_stride(explained: &Explained) -> usize {
    explained.shown.len().div_ceil(swarm::MOST_DOTS).max(1)
}

/// The metric that selected the model, or a common one instead of the loss.
pub(super) fn permutation_metric(model: &Model) -> Metric {
    match model.metric {
        Metric::Loss if model.tasks.iter().all(einsicht_model::task::Task::is_classification) => Metric::Accuracy,
        Metric::Loss => Metric::Rmse,
        metric => metric,
    }
}

/// A tree as nested objects: rows, value, and for questions the pattern, the count that it is compared with and both
/// answers.
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

/// Four significant digits: more than most of the page shows.
pub(super) fn rounded(value: f64) -> f64 {
    to_digits(value, 4)
}

/// Eight significant digits, so that rounding again gives what the terminal shows.
fn precise(value: f64) -> f64 {
    to_digits(value, 8)
}

fn to_digits(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = digits - 1 - libm::floor(libm::log10(value.abs())) as i32;
    let shift = libm::pow(10.0, f64::from(digits.clamp(-12, 6)));
    (value * shift).round() / shift
}

#[cfg(test)]
mod tests {
    use super::{evenly, rounded};

    #[test]
    fn samples_are_evenly_spaced_and_all_if_there_are_few() {
        assert_eq!((evenly(3, 10), evenly(10, 4), evenly(0, 5)), (vec![0, 1, 2], vec![0, 2, 5, 7], vec![]));
    }

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!([rounded(0.123_456), rounded(-12_345.6), rounded(1e-9), rounded(0.0)], [0.1235, -12350.0, 0.0, 0.0]);
    }
}
