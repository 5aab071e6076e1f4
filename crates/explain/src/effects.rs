//! Effects: what each subgraph does to the predictions of the model that predicts, and which share of them comes from
//! subgraphs.
//!
//! The mean of the Shapley values that [`crate::attributions`] gives for the graphs with the subgraph, minus their mean
//! for the graphs without it, with a bootstrap interval over these graphs; where nearly all graphs have it, those with
//! more of it than the mean are compared with the others. The baseline is the background of the model, so that it is
//! asked about graphs that exist. Promise: the options are fixed and the seed is the model's own, so the program, the
//! page and the Python package show the same numbers for the same model and data, on any number of threads. The cost is
//! bounded: at most 256 graphs (fewer if the model has more than 8 outputs), and up to 16 more for each subgraph that
//! is rare among them. The interval says how much the means vary with the graphs; the model is fixed. Tested on a
//! linear model, whose effects are its weights.

use crate::compared::Compared;
use crate::copies::near_copies;
use crate::provenance::Provenance;
use crate::subject::Subject;
use crate::values::function::ValueFunction;
use crate::values::shapley::{self, ShapleyValues};
use crate::values::{FeatureTable, Quantity, Scale, ShapleyBaseline, ShapleyOptions};
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Part};
use einsicht_model::Check;
use einsicht_model::effects::{ColumnEffect, EffectGraphs, EffectQuantity, Effects, PairEffect, PatternEffect, Share};
use einsicht_model::heads::Pair;
use einsicht_model::task::TaskKind;
use einsicht_model::{Model, SideInput};
use rayon::prelude::*;

/// Graphs in the sample at most.
const SAMPLE: usize = 256;
/// Outputs of a model up to which the sample is whole, and the least sample for any number.
const CHEAP: usize = 8;
const LEAST: usize = 64;
/// A subgraph that fewer graphs of the sample contain gets further graphs, until it has so many.
const FEWEST: usize = 16;
/// With fewer graphs a subgraph has no interval.
pub const FEWEST_FOR_INTERVAL: usize = 5;
/// Bootstrap resamples of the graphs.
const RESAMPLES: usize = 400;

/// The effects of the subgraphs of an entry on the predictions for the training graphs, if the data set holds any, else
/// for all its graphs; and the shares of subgraphs and side inputs. A column beside the graphs is treated as a subgraph
/// that all graphs have. Those of the chosen entry are the ones that the model holds, if it holds any.
///
/// # Panics
/// If there is no such entry, or the model cannot read the data (see [`Model::check_data`]).
pub fn effects(subject: &Subject<'_>, provenance: &Provenance) -> Effects {
    match &subject.model.effects {
        Some(known) if subject.entry == subject.model.chosen => known.clone(),
        _ => computed(subject, provenance),
    }
}

/// Computes the effects of the chosen entry for a model that has just been trained on this data set, and gives them to
/// it.
pub fn add_effects(model: &mut Model, dataset: &Dataset) {
    let found = {
        let provenance = Provenance::of(model, dataset);
        computed(&Subject { model, entry: model.chosen, dataset }, &provenance)
    };
    model.effects = Some(found);
}

/// Whether the effects that a model holds are those of its training data.
pub fn check_effects(model: &Model, dataset: &Dataset) -> Option<Check> {
    let known = model.effects.as_ref()?;
    let provenance = Provenance::of(model, dataset);
    let found = computed(&Subject { model, entry: model.chosen, dataset }, &provenance);
    let detail = "Shapley values of the training graphs, computed again".to_owned();
    Some(Check { name: "effects of the chosen entry".to_owned(), ok: found == *known, detail })
}

fn computed(subject: &Subject<'_>, provenance: &Provenance) -> Effects {
    let (function, table) = ValueFunction::of_graphs(subject, Scale::of(subject.model));
    let usable = provenance.training_rows_or_all();
    let sample = EffectSample { usable, most: sample_size(function.quantities().len()), fewest: FEWEST };
    effects_and_values(subject, provenance, sample, &function, &table).0
}

/// Which graphs effects come from.
pub struct EffectSample {
    /// The rows to draw from.
    pub usable: Vec<usize>,
    /// Graphs at most.
    pub most: usize,
    /// A subgraph that fewer of them contain gets further graphs, until it has so many.
    pub fewest: usize,
}

/// The effects of an entry with the features of all graphs at hand, and the Shapley values that they come from.
pub fn effects_and_values(
    subject: &Subject<'_>,
    provenance: &Provenance,
    sample: EffectSample,
    function: &ValueFunction<'_>,
    all: &FeatureTable,
) -> (Effects, RowValues) {
    let seed = subject.model.params.seed;
    let EffectSample { usable: mut order, most, fewest } = sample;
    Random::new(seed).shuffle(&mut order);
    let sampled = order.len().min(most);
    let of_pattern: Vec<Vec<usize>> = (0..function.patterns())
        .map(|pattern| graphs_with(|row| all.row(row)[pattern] != 0.0, &order, sampled, fewest))
        .collect();
    let mut rows: Vec<usize> = order[..sampled].to_vec();
    rows.extend(of_pattern.iter().flatten());
    rows.sort_unstable();
    rows.dedup();
    // As on the report page. A network is asked by 16 random orders in both directions where more than 8 subgraphs
    // differ.
    let options = ShapleyOptions { exact_up_to: 8, orders: 16, interactions: false, seed };
    let values = shapley::shapley_values(function, &all.select(&rows), ShapleyBaseline::Background, &options);
    let values = RowValues { rows, values, quantities: function.quantities().len() };
    let is_training = !provenance.rows_of(Part::Train).is_empty();
    let effect = |pattern: usize| {
        let of_row = |row: usize| all.row(row)[pattern];
        let compared = Compared::new(of_row, &of_pattern[pattern], &order[..sampled]);
        values.effect(pattern, &compared, seed)
    };
    let pairs = subject.iterate().pairs_of_columns();
    let effects = Effects {
        set: if is_training { EffectGraphs::Training } else { EffectGraphs::Given },
        sampled,
        available: provenance.training_rows_or_all().len(),
        quantities: quantities(subject.model, function),
        patterns: (0..function.patterns()).into_par_iter().map(effect).collect(),
        pairs: pairs.iter().map(|pair| values.pair(pair, all, &order[..sampled])).collect(),
        shares: values.shares(subject.model, &order[..sampled], [function.patterns(), function.features()]),
        columns: columns(subject, &values, &order[..sampled], function.patterns()),
        near_copies: near_copies(all, &order[..sampled], function.patterns()),
    };
    (effects, values)
}

/// The effects of the columns beside the graphs: where a column is above its mean, against the other graphs.
fn columns(subject: &Subject<'_>, values: &RowValues, sample: &[usize], patterns: usize) -> Vec<ColumnEffect> {
    let mut sample = sample.to_vec();
    sample.sort_unstable();
    let side_inputs = subject.model.side_inputs();
    let of_columns = side_inputs.iter().enumerate().filter(|(_, side)| side.is_column);
    let effect = |(at, side): (usize, &SideInput)| {
        let column = subject.dataset.feature(&side.name)?;
        let mean = sample.iter().fold(0.0, |sum, &row| sum + column.values[row]) / sample.len().max(1) as f64;
        let (with, without) = sample.iter().partition(|&&row| column.values[row] > mean);
        let compared = Compared { with, without, by_amount: true };
        let effect = values.effect(patterns + at, &compared, subject.model.params.seed);
        Some(ColumnEffect { name: side.name.clone(), mean, effect })
    };
    of_columns.filter_map(effect).collect()
}

/// Graphs in the sample at most: each further output costs about as much.
fn sample_size(quantities: usize) -> usize {
    if quantities <= CHEAP { SAMPLE } else { (SAMPLE * CHEAP / quantities).max(LEAST) }
}

/// The graphs with a pattern: those of the sample, and if these are few, the next ones in the random order.
fn graphs_with(has: impl Fn(usize) -> bool, order: &[usize], sampled: usize, fewest: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, &row) in order.iter().enumerate() {
        if at >= sampled && found.len() >= fewest {
            break;
        }
        if has(row) {
            found.push(row);
        }
    }
    // Sums do not depend on the random order.
    found.sort_unstable();
    found
}

/// What the model predicts, with names for people.
fn quantities(model: &Model, function: &ValueFunction<'_>) -> Vec<EffectQuantity> {
    let named = function.quantities().iter().map(|quantity| EffectQuantity {
        task: quantity.task,
        class: quantity.class,
        name: output_name(model, quantity, function.scale()),
    });
    named.collect()
}

/// The name of an explained output for people: the logit of the second of two classes is their log-odds.
pub fn output_name(model: &Model, quantity: &Quantity, scale: Scale) -> String {
    let task = &model.tasks[quantity.task];
    match (&task.kind, quantity.class, scale) {
        (TaskKind::Classes(names), Some(class), Scale::Logit) if names.len() == 2 => {
            format!("log-odds (logit) of {} = {}", task.name, names[class])
        }
        _ => quantity.name.clone(),
    }
}

/// Shapley values of some rows of the data set.
pub struct RowValues {
    /// The rows, increasing.
    pub rows: Vec<usize>,
    /// Their Shapley values.
    pub values: ShapleyValues,
    quantities: usize,
}

impl RowValues {
    /// The Shapley values of a feature in a row, one per quantity.
    fn of(&self, row: usize, feature: usize) -> &[f64] {
        &self.values.row(self.at(row)).values[feature * self.quantities..][..self.quantities]
    }

    /// The mean value of a pattern in the graphs with it minus that in the graphs without it, with its bootstrap
    /// interval.
    fn effect(&self, pattern: usize, compared: &Compared, seed: u64) -> PatternEffect {
        let Compared { with, without, by_amount } = compared;
        if with.is_empty() {
            let (values, intervals, raises) = (Vec::new(), Vec::new(), Vec::new());
            return PatternEffect { graphs: 0, by_amount: false, values, intervals, raises };
        }
        let of_graphs = |graphs: &[usize]| graphs.iter().map(|&row| self.of(row, pattern)).collect::<Vec<&[f64]>>();
        let groups = [of_graphs(with), of_graphs(without)];
        let mut intervals = Vec::new();
        if with.len() >= FEWEST_FOR_INTERVAL {
            let mut random = Random::stream(seed, pattern as u64);
            let mut means = vec![Vec::with_capacity(RESAMPLES); self.quantities];
            for _ in 0..RESAMPLES {
                let mut draw = |len: usize| (0..len).map(|_| random.index(len)).collect::<Vec<usize>>();
                let drawn = [draw(with.len()), draw(without.len())];
                for (list, mean) in means.iter_mut().zip(self.difference(&groups, &drawn)) {
                    list.push(mean);
                }
            }
            intervals = means.into_iter().map(percentiles).collect();
        }
        let all = [(0..with.len()).collect(), (0..without.len()).collect()];
        let raised = |q: usize| groups[0].iter().filter(|values| values[q] > 0.0).count() as f64 / with.len() as f64;
        PatternEffect {
            graphs: with.len(),
            by_amount: *by_amount,
            values: self.difference(&groups, &all),
            intervals,
            raises: (0..self.quantities).map(raised).collect(),
        }
    }

    /// The difference of the means of some lists of each group, one number per quantity; the mean of no list is 0.
    fn difference(&self, groups: &[Vec<&[f64]>; 2], chosen: &[Vec<usize>; 2]) -> Vec<f64> {
        let [with, without] = [0, 1].map(|at| mean(&groups[at], &chosen[at], self.quantities));
        with.iter().zip(&without).map(|(a, b)| a - b).collect()
    }

    /// What is predicted in each of the four cases of a pair.
    fn pair(&self, pair: &Pair, table: &FeatureTable, rows: &[usize]) -> PairEffect {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let (mut graphs, mut outputs) = ([0; 4], vec![[0.0; 4]; self.quantities]);
        for row in rows {
            let case = match pair.columns.map(|column| table.row(row)[column] > 0.0) {
                [true, true] => 0,
                [true, false] => 1,
                [false, true] => 2,
                [false, false] => 3,
            };
            graphs[case] += 1;
            for (sums, output) in outputs.iter_mut().zip(&self.values.row(self.at(row)).output) {
                sums[case] += output;
            }
        }
        for sums in &mut outputs {
            for (sum, count) in sums.iter_mut().zip(graphs) {
                *sum /= count.max(1) as f64;
            }
        }
        PairEffect { patterns: pair.columns, graphs, outputs }
    }

    /// The position of a row.
    fn at(&self, row: usize) -> usize {
        self.rows.partition_point(|&known| known < row)
    }

    /// The shares of the groups of features: patterns, then each side input if they are features.
    fn shares(&self, model: &Model, rows: &[usize], [patterns, features]: [usize; 2]) -> Vec<Share> {
        let mut groups = vec![("subgraphs".to_owned(), 0..patterns)];
        let side = model.side_inputs();
        groups.extend((patterns..features).zip(&side).map(|(at, side)| (side.in_words(), at..at + 1)));
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let moved: Vec<Vec<f64>> = groups.iter().map(|(_, group)| self.deviations(&rows, group.clone())).collect();
        let share = |at: usize, q: usize| {
            let total = moved.iter().fold(0.0, |sum, group| sum + group[q]);
            if total > 0.0 { moved[at][q] / total } else { 0.0 }
        };
        let of_group = groups.iter().enumerate().map(|(at, (name, _))| {
            let by_quantity: Vec<f64> = (0..self.quantities).map(|q| share(at, q)).collect();
            let mean = by_quantity.iter().fold(0.0, |sum, share| sum + share) / self.quantities.max(1) as f64;
            Share { name: name.clone(), by_quantity, mean }
        });
        of_group.collect()
    }

    /// For each quantity the mean absolute deviation of a group's summed values from their mean over the rows.
    fn deviations(&self, rows: &[usize], group: std::ops::Range<usize>) -> Vec<f64> {
        let mut sums = vec![vec![0.0; rows.len()]; self.quantities];
        for (at, &row) in rows.iter().enumerate() {
            for feature in group.clone() {
                for (q, value) in self.of(row, feature).iter().enumerate() {
                    sums[q][at] += value;
                }
            }
        }
        let deviation = |list: &Vec<f64>| {
            let count = list.len().max(1) as f64;
            let mean = list.iter().fold(0.0, |sum, value| sum + value) / count;
            list.iter().fold(0.0, |sum, value| sum + (value - mean).abs()) / count
        };
        sums.iter().map(deviation).collect()
    }
}

/// The mean of some of the lists, one number per quantity.
fn mean(lists: &[&[f64]], chosen: &[usize], quantities: usize) -> Vec<f64> {
    let mut sums = vec![0.0; quantities];
    for &at in chosen {
        for (sum, value) in sums.iter_mut().zip(lists[at]) {
            *sum += value;
        }
    }
    sums.iter().map(|sum| sum / chosen.len().max(1) as f64).collect()
}

/// The 2.5 and 97.5 percentiles.
fn percentiles(mut means: Vec<f64>) -> [f64; 2] {
    means.sort_by(f64::total_cmp);
    let cut = means.len() / 40;
    [means[cut], means[means.len() - 1 - cut]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{AttributionMethod, AttributionRequest, attributions};
    use einsicht_data::Dataset;
    use einsicht_model::heads::HeadKind;
    use einsicht_testkit::models;

    fn of(model: &Model, dataset: &Dataset) -> Effects {
        let subject = Subject { model, entry: model.chosen, dataset };
        effects(&subject, &Provenance::of(model, dataset))
    }

    #[test]
    fn the_effects_of_a_linear_model_are_its_weights_with_their_signs() {
        let (dataset, model) = (models::rings().0, models::linear());
        let found = of(&model, &dataset);
        let function = ValueFunction::new(&model, model.chosen, Scale::Logit);
        let patterns = function.patterns();
        let base = function.evaluate(&vec![0.0; patterns], 1)[0];
        let mut compared = 0;
        for pattern in 0..patterns {
            let mut row = vec![0.0; patterns];
            row[pattern] = 1.0;
            let weight = function.evaluate(&row, 1)[0] - base;
            let effect = found.value(pattern, 0).unwrap();
            if found.patterns[pattern].graphs == found.available {
                // In all graphs, and read as presence: nothing tells what it does.
                assert!(effect.abs() < 1e-6, "{effect}");
                continue;
            }
            compared += 1;
            assert!((effect - weight).abs() < 1e-6 && effect != 0.0, "{effect} {weight}");
            let [low, high] = found.interval(pattern, 0).unwrap();
            assert!((high - low).abs() < 1e-6 && low <= effect + 1e-9 && effect <= high + 1e-9);
        }
        assert!(compared > 1, "{compared}");
        // The norm of the weights, which was shown before, has no sign.
        assert!((0..patterns).any(|pattern| found.value(pattern, 0).unwrap() < 0.0));
        assert_eq!((found.shares.len(), found.shares[0].mean), (1, 1.0));
        assert_eq!(found.quantities[0].name, "edges");
    }

    #[test]
    fn effects_are_differences_of_mean_attributions_with_and_without_the_subgraph() {
        let (dataset, _) = models::rings();
        let model = models::tangled(3);
        let provenance = Provenance::of(&model, &dataset);
        let found = of(&model, &dataset);
        let rows = provenance.rows_of(Part::Train);
        let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
        let (baseline, options) = (ShapleyBaseline::Background, ShapleyOptions::default());
        let (scale, method) = (Scale::Logit, AttributionMethod::Shapley { baseline, options });
        let why = attributions(&AttributionRequest { subject, rows: &rows, scale, method });
        let mut compared = 0;
        for pattern in 0..found.patterns.len() {
            // Patterns that nearly all graphs have are compared by their counts.
            if found.is_by_amount(pattern) || found.patterns[pattern].graphs == rows.len() {
                continue;
            }
            compared += 1;
            let is_with = |at: &usize| why.features_of(*at)[pattern] != 0.0;
            let (with, without): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(is_with);
            let values = |graphs: &[usize]| -> Vec<f64> {
                graphs.iter().map(|&at| why.value(&why.graphs[at], pattern, 0)).collect()
            };
            let (with, without) = (values(&with), values(&without));
            let mean = with.iter().sum::<f64>() / with.len() as f64
                - without.iter().sum::<f64>() / without.len().max(1) as f64;
            assert!((found.value(pattern, 0).unwrap() - mean).abs() < 1e-9);
            assert_eq!(found.patterns[pattern].graphs, with.len());
            let raised = with.iter().filter(|value| **value > 0.0).count() as f64 / with.len() as f64;
            assert_eq!(found.raises(pattern, 0), Some(raised));
            if let Some([low, high]) = found.interval(pattern, 0) {
                assert!(low <= mean && mean <= high);
            }
        }
        assert!(compared > 2, "{compared}");
        assert_eq!((found.set, found.sampled), (EffectGraphs::Training, rows.len()));
        assert!(found.quantities[0].name.starts_with("log-odds (logit) of "), "{:?}", found.quantities);
        // The same numbers again, and other data are said to be others.
        assert_eq!(of(&model, &dataset), found);
        let other = of(&model, &dataset.subset(&(0..20).collect::<Vec<_>>()));
        assert_eq!((other.set, other.available), (EffectGraphs::Given, 20));
    }

    #[test]
    fn rare_subgraphs_get_graphs_of_their_own() {
        let rows = 1000;
        let values = (0..rows).map(|row| f64::from(u8::from(row % 50 == 7))).collect();
        let table = FeatureTable::new(values, rows, 1);
        let mut order: Vec<usize> = (0..rows).collect();
        Random::new(1).shuffle(&mut order);
        let found = graphs_with(|row| table.row(row)[0] != 0.0, &order, SAMPLE, FEWEST);
        assert_eq!(found.len(), FEWEST);
        assert!(found.iter().all(|row| row % 50 == 7));
    }

    #[test]
    fn columns_are_compared_above_their_mean_and_are_groups_of_their_own() {
        let (dataset, model) = models::with_head_and_columns(HeadKind::Linear);
        let found = of(&model, &dataset);
        let names: Vec<&str> = found.shares.iter().map(|share| share.name.as_str()).collect();
        assert_eq!(names, ["subgraphs", "column dose", "column noise"]);
        assert!((found.shares.iter().map(|share| share.mean).sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(found.columns.len(), 2);
        // The number is linear in the columns: the effect is the gradient times the distance of the means.
        let (column, values) = (&found.columns[0], &dataset.features[0].values);
        let rows = Provenance::of(&model, &dataset).rows_of(Part::Train);
        let (more, fewer): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&row| values[row] > column.mean);
        let mean = |rows: &[usize]| rows.iter().map(|&row| values[row]).sum::<f64>() / rows.len() as f64;
        let number = found.quantities.len() - 1;
        let scale = match model.tasks[2].kind {
            TaskKind::Number { scale, .. } => scale,
            TaskKind::Classes(_) => panic!("a number"),
        };
        let weights = model.best().head.as_ref().unwrap().linear_part().unwrap().weights(4);
        let gradient = scale * weights[model.best().iterate.patterns.len()] / model.features().next().unwrap().scale;
        let wanted = gradient * (mean(&more) - mean(&fewer));
        assert!((column.effect.values[number] - wanted).abs() < 1e-9 && wanted != 0.0);
        assert_eq!(column.effect.graphs, more.len());
    }

    #[test]
    fn more_outputs_get_a_smaller_sample() {
        assert_eq!([1, 8, 27, 600].map(sample_size), [256, 256, 75, 64]);
    }

    #[test]
    fn no_graph_is_no_effect_and_no_panic() {
        let (dataset, model) = models::rings();
        let found = of(&model, &dataset.subset(&[]));
        assert!(found.patterns.iter().all(|effect| effect.graphs == 0 && effect.values.is_empty()));
    }
}
