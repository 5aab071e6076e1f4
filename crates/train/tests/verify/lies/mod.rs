//! Files that lie in several fields together, as somebody would who cheats: `verify` refuses each, or names what it
//! could not check. Those that it names are not what a training gives again.

mod graphs;

use crate::common::{Fixture, Kind, usual};
use einsicht_data::{Dataset, Fingerprint, Split};
use einsicht_graph::DfsCode;
use einsicht_model::features::{graphs_at, supports_in};
use einsicht_model::folds::Choice;
use einsicht_model::metrics::{Metric, metrics_within};
use einsicht_model::params::{NetworkKind, Penalty, TrainParams};
use einsicht_model::task::{Targets, TaskKind};
use einsicht_model::{FittedGraphs, Member, Model, applicability};
use einsicht_oracle::{Verification, retrain, verify};
use einsicht_train::fit::{FitOptions, fit_without_effects, test_split, usual_split};
use graphs::ABOUT_GRAPHS;
use std::sync::Arc;

/// Honest models of four kinds, all on a split by the seed.
struct Honest {
    dataset: Dataset,
    /// Folds choose; with a test set.
    usual: Model,
    /// The same with another size, which somebody picked.
    picked: Model,
    /// A validation set chooses; with a test set.
    network: Model,
    /// A path of penalties, chosen by folds.
    lasso: Model,
}

#[derive(Clone, Copy, Debug)]
enum Of {
    Usual,
    Picked,
    Network,
    Lasso,
}

type Tell = fn(&mut Model, &Dataset);

struct Lie {
    of: Of,
    name: &'static str,
    tell: Tell,
    /// In the name of a wrong check or in a sentence about what was not checked, if `verify` reads the file.
    told: &'static str,
}

const OLDER: &str = "weights and out-of-fold predictions";

fn params() -> TrainParams {
    TrainParams { sizes: vec![1, 2], max_edges: 2, trees: 2, folds: 2, ..usual() }
}

fn trained(dataset: &Dataset, split: &Split, params: TrainParams) -> Model {
    fit_without_effects(dataset, split, &params.check().unwrap(), &FitOptions::default()).unwrap()
}

fn honest() -> Honest {
    let Fixture { mut dataset, .. } = Fixture::new(2, Kind::TwoClasses);
    dataset.vertex_labels.set_name("0", "carbon");
    dataset.vertex_labels.set_name("1", "nitrogen");
    dataset.edge_labels.set_name("", "single");
    let on_part = |params: TrainParams| trained(&dataset, &test_split(&dataset, &params, 0.2).unwrap(), params);
    let usual = on_part(params());
    let picked = usual.picking(1 - usual.chosen);
    let network =
        on_part(TrainParams { sizes: vec![1, 2], max_edges: 2, max_iterations: 3, hidden: 2, ..TrainParams::ein() });
    let lasso = TrainParams {
        penalty: Penalty::L1,
        network: NetworkKind::None,
        max_edges: 2,
        lambdas: 3,
        ..TrainParams::ein()
    };
    let lasso = trained(&dataset, &usual_split(&dataset, &lasso).unwrap(), lasso);
    Honest { dataset, usual, picked, network, lasso }
}

impl Honest {
    fn model(&self, of: Of) -> &Model {
        match of {
            Of::Usual => &self.usual,
            Of::Picked => &self.picked,
            Of::Network => &self.network,
            Of::Lasso => &self.lasso,
        }
    }
}

/// Too many passes to repeat the training.
fn hide(model: &mut Model) {
    model.entries[0].iterations = 1_000_000_000_000;
}

fn boast(model: &mut Model) {
    assert!(!model.estimate.metrics.is_empty());
    for interval in model.estimate.metrics.values_mut() {
        (interval.low, interval.value, interval.high) = (0.98, 0.99, 1.0);
    }
}

/// Other test rows, with the figures that the model really has on them.
fn test_on(model: &mut Model, dataset: &Dataset, rows: Vec<u32>) {
    let at: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
    let targets = Targets::gather(&model.tasks, dataset, &at).unwrap();
    for entry in 0..model.entries.len() {
        let outputs = model.predict(entry, dataset, &at).outputs;
        model.entries[entry].test =
            metrics_within(&model.tasks, &targets, &outputs, &model.entries[entry].decision, &[]);
    }
    model.rows.test = rows;
}

/// The test rows that the chosen entry predicts best, by the sign of their output.
fn easy(model: &Model, dataset: &Dataset) -> Vec<u32> {
    let accuracy = |row: &u32| {
        let mut one = model.clone();
        test_on(&mut one, dataset, vec![*row]);
        one.best().test["accuracy"]
    };
    model.rows.test.iter().filter(|row| accuracy(row) > 0.5).copied().collect()
}

/// Out-of-fold outputs that are right for all graphs, and everything that follows from them.
fn know_everything(model: &mut Model, dataset: &Dataset) {
    let rows: Vec<usize> = model.rows.train.iter().chain(&model.rows.valid).map(|&row| row as usize).collect();
    let targets = Targets::gather(&model.tasks, dataset, &rows).unwrap();
    let of_class: Vec<f64> = rows
        .iter()
        .zip(&model.seen.folds.of)
        .filter(|(_, fold)| fold.is_some())
        .map(|(&row, _)| if class(dataset, row) == 1 { 4.0 } else { -4.0 })
        .collect();
    for part in model.seen.parts.iter_mut().flatten() {
        assert_eq!(part.len(), of_class.len());
        part.clone_from(&of_class);
    }
    let folds = model.seen.folds.clone();
    let choice = Choice::new((&model.tasks, &targets, model.metric), &model.params, folds, &model.seen.parts);
    for (at, point) in choice.points.into_iter().enumerate() {
        model.seen.outputs[at] = point.outputs;
        model.entries[at].decision = point.decision;
        model.entries[at].valid = point.metrics;
    }
    model.estimate = choice.estimate;
    choose(model, dataset, choice.chosen);
    refresh_tests(model, dataset);
}

fn class(dataset: &Dataset, row: usize) -> u32 {
    match &dataset.targets[0].values {
        einsicht_data::TargetValues::Classes { values, .. } => values[row].unwrap(),
        einsicht_data::TargetValues::Numbers { .. } => unreachable!("two classes"),
    }
}

/// Figures of the test set for changed decisions.
fn refresh_tests(model: &mut Model, dataset: &Dataset) {
    let rows = model.rows.test.clone();
    if !rows.is_empty() {
        test_on(model, dataset, rows);
    }
}

/// Another entry, as if held-out graphs had chosen it, with what a file keeps of the graphs for the chosen one.
fn choose(model: &mut Model, dataset: &Dataset, entry: usize) {
    let estimate = model.estimate.clone();
    *model = Model { picked: false, estimate, ..model.picking(entry) };
    let rows: Vec<usize> = model.fitted_rows().iter().map(|&row| row as usize).collect();
    let graphs = graphs_at(dataset, &rows);
    let mut codes: Vec<DfsCode> = model.best().iterate.patterns.iter().map(|pattern| pattern.code.clone()).collect();
    let values = model.params.values();
    model.seen.counts = applicability::capped_counts(&supports_in(&graphs, &codes, values), graphs.len());
    if model.fitted.places(codes.iter()).is_none() {
        codes.sort_by(DfsCode::cmp_by_size);
        let supports = supports_in(&graphs, &codes, values);
        model.fitted = Arc::new(FittedGraphs::new(codes, &supports, graphs.len(), values));
    }
}

fn choose_other(model: &mut Model, dataset: &Dataset) {
    choose(model, dataset, 1 - model.chosen);
}

/// Lies about the rows that figures were computed on.
const ABOUT_ROWS: [Lie; 10] = [
    Lie {
        of: Of::Network,
        name: "test rows are the validation rows",
        tell: |m, d| test_on(m, d, m.rows.valid.clone()),
        told: "rows of the parts",
    },
    Lie {
        of: Of::Picked,
        name: "test rows are training rows, and the size was picked",
        tell: |m, d| test_on(m, d, m.rows.train[..8].to_vec()),
        told: "rows of the parts",
    },
    Lie {
        of: Of::Usual,
        name: "test rows are training rows",
        tell: |m, d| test_on(m, d, m.rows.train[..8].to_vec()),
        told: "rows of the parts",
    },
    Lie {
        of: Of::Usual,
        name: "training rows are added to the test set, and the passes are hidden",
        tell: |m, d| {
            test_on(m, d, [&m.rows.test[..], &m.rows.train[..4]].concat());
            hide(m);
        },
        told: "rows of the parts",
    },
    Lie {
        of: Of::Usual,
        name: "an easy test row is there twice",
        tell: |m, d| test_on(m, d, [&m.rows.test[..], &easy(m, d)[..1]].concat()),
        told: "rows of the parts",
    },
    Lie {
        of: Of::Usual,
        name: "only easy test rows",
        tell: |m, d| test_on(m, d, easy(m, d)),
        told: "how the rows were drawn",
    },
    Lie {
        of: Of::Network,
        name: "only easy test rows of a network",
        tell: |m, d| test_on(m, d, easy(m, d)[..2].to_vec()),
        told: "how the rows were drawn",
    },
    Lie {
        of: Of::Usual,
        name: "no test rows",
        tell: |m, _| {
            m.rows.test.clear();
            m.entries.iter_mut().for_each(|entry| entry.test.clear());
        },
        told: "how the rows were drawn",
    },
    Lie {
        of: Of::Usual,
        name: "trained without the rows that are hard",
        tell: |m, d| {
            let split = Split { train: (0..36).filter(|at| at % 5 != 0).collect(), ..Split::default() };
            *m = trained(d, &split, params());
        },
        told: "how the rows were drawn",
    },
    Lie {
        of: Of::Usual,
        name: "another seed, with hidden passes",
        tell: |m, _| {
            m.params.seed += 1;
            hide(m);
        },
        told: "folds",
    },
];

/// Lies about the estimate, the choice and the figures.
const ABOUT_FIGURES: [Lie; 17] = [
    Lie {
        of: Of::Usual,
        name: "the estimate, with hidden passes",
        tell: |m, _| {
            boast(m);
            hide(m);
        },
        told: "estimate by out-of-fold outputs",
    },
    Lie {
        of: Of::Network,
        name: "the estimate of a network, with hidden passes",
        tell: |m, _| {
            boast(m);
            hide(m);
        },
        told: "estimate by out-of-fold outputs",
    },
    Lie {
        of: Of::Usual,
        name: "the estimate, on a path that is said to be cut short",
        tell: |m, _| {
            boast(m);
            m.complete = false;
        },
        told: "estimate by out-of-fold outputs",
    },
    Lie {
        of: Of::Lasso,
        name: "the estimate, on a path of penalties that is said to be cut short",
        tell: |m, _| {
            boast(m);
            m.complete = false;
        },
        told: "estimate by out-of-fold outputs",
    },
    Lie {
        of: Of::Lasso,
        name: "a path of penalties that is said to be cut short",
        tell: |m, _| m.complete = false,
        told: "path had to end",
    },
    Lie {
        of: Of::Usual,
        name: "a narrower interval, with hidden passes",
        tell: |m, _| {
            m.estimate.metrics.values_mut().for_each(|one| (one.low, one.high) = (one.value, one.value));
            hide(m);
        },
        told: "estimate by out-of-fold outputs",
    },
    Lie { of: Of::Usual, name: "hidden passes alone", tell: |m, _| hide(m), told: OLDER },
    Lie {
        of: Of::Usual,
        name: "another chosen entry, with hidden passes",
        tell: |m, d| {
            choose_other(m, d);
            hide(m);
        },
        told: "choice by out-of-fold outputs",
    },
    Lie {
        of: Of::Network,
        name: "another chosen entry of a network, with hidden passes",
        tell: |m, d| {
            choose_other(m, d);
            hide(m);
        },
        told: "choice by out-of-fold outputs",
    },
    Lie {
        of: Of::Usual,
        name: "a picked entry is no choice of the training",
        tell: |m, _| *m = m.picking(1 - m.chosen),
        told: "somebody picked",
    },
    Lie {
        of: Of::Usual,
        name: "right out-of-fold outputs and all that follows, with hidden passes",
        tell: |m, d| {
            know_everything(m, d);
            hide(m);
        },
        told: OLDER,
    },
    Lie {
        of: Of::Usual,
        name: "right out-of-fold outputs and all that follows",
        tell: know_everything,
        told: "folds and out-of-fold predictions repeated",
    },
    Lie {
        of: Of::Usual,
        name: "right out-of-fold outputs and all that follows, on a path that is said to be cut short",
        tell: |m, d| {
            know_everything(m, d);
            m.complete = false;
        },
        told: "path",
    },
    Lie {
        of: Of::Usual,
        name: "another metric has chosen, with hidden passes",
        tell: |m, _| {
            m.metric = Metric::Accuracy;
            hide(m);
        },
        told: "metric of the choice",
    },
    Lie {
        of: Of::Usual,
        name: "validation figures, with hidden passes",
        tell: |m, _| {
            m.entries.iter_mut().for_each(|entry| *entry.valid.get_mut("accuracy").unwrap() = 1.5);
            boast(m);
            hide(m);
        },
        told: "out-of-fold decisions and figures",
    },
    Lie {
        of: Of::Usual,
        name: "test figures, with hidden passes",
        tell: |m, _| {
            m.entries.iter_mut().for_each(|entry| *entry.test.get_mut("accuracy").unwrap() = 0.99);
            hide(m);
        },
        told: "predictions",
    },
    Lie {
        of: Of::Usual,
        name: "resamples that are copies of the chosen entry",
        tell: |m, _| m.members = vec![Member::from(m.best()); 3],
        told: "bootstrap members",
    },
];

/// What `verify` says against a model: wrong checks, and what was not checked.
fn objections(found: &Verification) -> Vec<String> {
    let wrong = found.checks.iter().filter(|check| !check.ok).map(|check| check.name.clone());
    wrong.chain(found.unchecked.iter().map(|open| open.what.clone())).collect()
}

#[test]
fn honest_models_pass_and_nothing_is_left_open() {
    let honest = honest();
    for of in [Of::Usual, Of::Network, Of::Lasso] {
        let found = verify(honest.model(of), &honest.dataset).unwrap();
        assert_eq!(objections(&found), Vec::<String>::new(), "{of:?} {:#?}", found.checks);
        assert!(found.repeated, "{of:?}");
    }
    let found = verify(&honest.picked, &honest.dataset).unwrap();
    assert_eq!(objections(&found), ["the choice of the size, which somebody picked"]);
}

#[test]
fn a_picked_size_is_no_difference_to_a_training_from_the_same_parameters() {
    let honest = honest();
    // To the size that folds chose and back: it is as picked as the other.
    let back = honest.picked.picking(honest.usual.chosen);
    assert!(back.picked);
    for model in [&honest.usual, &honest.picked, &back, &honest.network.picking(1 - honest.network.chosen)] {
        let again = retrain(model, &honest.dataset, &FitOptions::default()).unwrap();
        assert!(again.to_bytes().unwrap() == model.to_bytes().unwrap(), "{}", model.chosen);
    }
}

#[test]
fn each_lie_is_refused_or_what_it_hides_is_named() {
    let honest = honest();
    let mut wrong = Vec::new();
    for Lie { of, name, tell, told } in ABOUT_ROWS.iter().chain(&ABOUT_FIGURES).chain(&ABOUT_GRAPHS) {
        let mut model = honest.model(*of).clone();
        tell(&mut model, &honest.dataset);
        let file = model.to_bytes().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(file != honest.model(*of).to_bytes().unwrap(), "{name}: nothing has changed");
        let Ok(read) = Model::from_bytes(&file) else {
            wrong.extend((*told != "refused").then(|| format!("{name}: the file is not even read")));
            continue;
        };
        let Ok(found) = verify(&read, &honest.dataset) else {
            wrong.extend((*told != "refused").then(|| format!("{name}: refused before the checks")));
            continue;
        };
        let said = objections(&found);
        if !said.iter().any(|one| one.contains(told)) {
            wrong.push(format!("{name}: {told} is not in {said:?}"));
        }
        if found.verified() && found.unchecked.iter().all(|open| open.by_retraining) {
            let again = retrain(&read, &honest.dataset, &FitOptions::default()).unwrap();
            assert!(again.to_bytes().unwrap() != file, "{name}: it would be the file of a training");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
