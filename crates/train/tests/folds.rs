//! Cross-validation: folds on one shared tree, the choice, what the model keeps of it, and the estimate.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind};
use einsicht_data::random::Random;
use einsicht_data::read::{ReadOptions, read};
use einsicht_data::{Split, TargetValues};
use einsicht_model::Model;
use einsicht_model::folds::{Choice, FoldResult, Folds};
use einsicht_model::heads::HeadKind;
use einsicht_model::params::{CheckedParams, Prefer, TrainParams};
use einsicht_oracle::verify;
use einsicht_testkit::repo_root;
use einsicht_train::fit::{Fit, FitOptions};
use einsicht_train::side_by_side::Trainings;
use std::sync::Arc;

/// Defaults with fewer trees and sizes.
fn params() -> TrainParams {
    TrainParams { trees: 5, sizes: vec![1, 2, 4], max_edges: 3, folds: 3, ..TrainParams::default() }
}

fn whole(fixture: &Fixture) -> Split {
    let parts = &fixture.parts;
    Split { train: [&parts.train[..], &parts.valid].concat(), valid: Vec::new(), test: parts.test.clone(), skipped: 0 }
}

fn choose(fit: &Fit<'_>) -> Arc<Choice> {
    fit.choose().unwrap().unwrap()
}

fn model(fit: &Fit<'_>) -> Model {
    let mut training = fit.start(Some(choose(fit)), None).unwrap();
    while training.step().unwrap().is_some() {}
    fit.model(&mut training).unwrap().unwrap()
}

fn results(fit: &Fit<'_>) -> Vec<FoldResult> {
    fit.train_all(0..fit.num_folds()).unwrap()
}

const KINDS: [Kind; 4] = [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several];

#[test]
fn folds_on_one_tree_give_the_outputs_of_separate_trainings() {
    for (seed, kind) in (0..).zip(KINDS) {
        let fixture = Fixture::new(seed, kind);
        let split = whole(&fixture);
        for head in [HeadKind::Blend, HeadKind::Linear] {
            let trees = if head == HeadKind::Linear { 100 } else { 5 };
            let growth = if head == HeadKind::Linear { 3 } else { 1 };
            let params = TrainParams { head, trees, growth, ..params() }.check().unwrap();
            let together = Fit::new(&fixture.dataset, &split, &params, None, &FitOptions::default()).unwrap();
            let folds = together.folds().unwrap().clone();
            assert_eq!(folds.count, 3);
            let shared = results(&together);
            for (fold, shared) in shared.iter().enumerate() {
                // The same fold alone: its graphs are the training set, the others the validation set, on a tree of its
                // own.
                let at = |numbers: Vec<u32>| numbers.iter().map(|&n| split.train[n as usize]).collect::<Vec<_>>();
                let (train, valid) = (at(folds.train(fold)), at(folds.held_out(fold)));
                let alone = Split { train, valid, test: Vec::new(), skipped: 0 };
                let single = TrainParams { folds: 1, ..params.get().clone() }.check().unwrap();
                let alone = Fit::new(&fixture.dataset, &alone, &single, None, &FitOptions::default()).unwrap();
                let separate = results(&alone);
                assert_eq!(separate.len(), 1);
                close(&separate[0], shared, kind);
            }
        }
    }
}

/// Numbers are standardised by all graphs in the end, which are others here: then the outputs are those of other units.
/// Classes agree to the bit.
fn close(separate: &FoldResult, shared: &FoldResult, kind: Kind) {
    if matches!(kind, Kind::TwoClasses | Kind::ThreeClasses) {
        assert_eq!(separate, shared);
        return;
    }
    for (a, b) in separate.points.iter().flatten().flatten().zip(shared.points.iter().flatten().flatten()) {
        assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn a_validation_set_is_one_of_the_folds() {
    let fixture = Fixture::new(1, Kind::TwoClasses);
    let rows: Vec<usize> = (0..fixture.dataset.len()).collect();
    let quarter = rows.len() / 4;
    let split = Split { train: rows[quarter..].to_vec(), valid: rows[..quarter].to_vec(), ..Split::default() };
    let of = |folds: usize| Folds::of_split(&fixture.dataset, &split, &TrainParams { folds, ..TrainParams::default() });
    let found = of(0);
    assert_eq!(found.count, 4);
    let (of_train, of_valid) = found.of.split_at(split.train.len());
    assert!(of_valid.iter().all(|fold| *fold == Some(0)));
    let hashes = fixture.dataset.graph_hashes(&[&split.train[..], &split.valid].concat());
    let (train_hashes, valid_hashes) = hashes.split_at(split.train.len());
    let mut copies = 0;
    for (fold, hash) in of_train.iter().zip(train_hashes) {
        let is_copy = valid_hashes.contains(hash);
        copies += usize::from(is_copy);
        assert_eq!(*fold == Some(0), is_copy, "copies of validation graphs, and no others, are held out with them");
    }
    assert!(copies > 0, "some training graph is isomorphic to one of the validation set");
    for (fold, hash) in of_train.iter().zip(train_hashes) {
        assert!(of_train.iter().zip(train_hashes).all(|(other, same)| same != hash || other == fold));
    }
    // Too few different graphs for other folds: the validation set chooses alone.
    let first = Split { train: vec![rows[quarter]; 5], valid: vec![rows[0]], ..Split::default() };
    let params = TrainParams::default();
    assert_eq!(Folds::of_split(&fixture.dataset, &first, &params), Folds::of_validation_set(&first));
    // Asked for, the validation set chooses alone, or is not looked at.
    assert_eq!(of(1), Folds::of_validation_set(&split));
    assert_eq!(of(3).count, 3);
    assert!(of(3).of.iter().all(Option::is_some));
}

#[test]
fn threads_and_memory_change_nothing() {
    let fixture = Fixture::new(2, Kind::TwoClasses);
    let split = whole(&fixture);
    let params = params().check().unwrap();
    let bytes = |threads: usize, memory: Option<usize>| {
        let fit = Fit::new(&fixture.dataset, &split, &params, None, &FitOptions { threads, memory }).unwrap();
        model(&fit).to_bytes().unwrap()
    };
    let one = bytes(1, None);
    assert_eq!(bytes(3, None), one);
    assert_eq!(bytes(2, Some(64 << 20)), one);
}

#[test]
fn a_model_keeps_its_folds_and_is_verified() {
    for (seed, kind) in (0..).zip(KINDS) {
        let fixture = Fixture::new(seed, kind);
        let checked = |params: TrainParams| params.check().unwrap();
        let of = |split: &Split, params: &CheckedParams| {
            model(&Fit::new(&fixture.dataset, split, params, None, &FitOptions::default()).unwrap())
        };
        let cross_validated = of(&whole(&fixture), &checked(params()));
        let by_validation = of(&fixture.parts, &checked(TrainParams { folds: 1, ..params() }));
        let with_validation = of(&fixture.parts, &checked(TrainParams { folds: 0, ..params() }));
        assert_eq!(cross_validated.seen.folds.count, 3);
        assert!(cross_validated.seen.folds.of.iter().all(Option::is_some));
        assert_eq!(by_validation.seen.folds.count, 1);
        assert!(with_validation.seen.folds.count > 1);
        for model in [cross_validated, by_validation, with_validation] {
            let read = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(read, model);
            let found = verify(&model, &fixture.dataset).unwrap();
            assert!(found.verified(), "{:?}", found.checks.iter().filter(|c| !c.ok).collect::<Vec<_>>());
            // The figures of the path are those of the stored predictions of graphs that the models had not seen.
            let rows: Vec<usize> = (0..fixture.dataset.len()).collect();
            let tasks: Vec<usize> = (0..model.tasks.len()).collect();
            let honest = model.evaluation(model.chosen, &tasks, &fixture.dataset, &rows).unwrap();
            let graphs = |part: &Option<einsicht_model::Evaluation>| part.as_ref().map_or(0, |part| part.graphs);
            let (unseen, out_of_fold) = (graphs(&honest.unseen), graphs(&honest.out_of_fold));
            let held_out = model.seen.folds.of.iter().flatten().count();
            assert!(out_of_fold + honest.fitted + unseen == rows.len());
            assert!(out_of_fold <= held_out + fixture.parts.test.len());
            assert_eq!(model.estimate.graphs, held_out);
        }
    }
}

/// Choosing among sizes and weights of the forest must not leak into the estimate: where there is nothing to learn, it
/// says so.
#[test]
fn on_shuffled_targets_the_estimate_is_that_of_guessing() {
    let mut dataset = read(&repo_root().join("testdata/sets/MUTAG"), &ReadOptions::default()).unwrap();
    let split = Split { train: (0..dataset.len()).collect(), ..Split::default() };
    let mut found = Vec::new();
    for seed in 0..20 {
        if let TargetValues::Classes { values, .. } = &mut dataset.targets[0].values {
            Random::new(seed).shuffle(values);
        }
        let sizes = vec![1, 2, 3, 5, 8, 12, 18];
        let params = TrainParams { sizes, trees: 20, max_edges: 3, seed, ..TrainParams::default() };
        let params = params.check().unwrap();
        let fit = Fit::new(&dataset, &split, &params, None, &FitOptions { threads: 2, memory: None }).unwrap();
        let choice = choose(&fit);
        assert_eq!((choice.metric.name(), choice.folds.count), ("auc", 5));
        found.push(choice.estimate.metrics["auc"]);
    }
    let mean = found.iter().map(|auc| auc.value).sum::<f64>() / 20.0;
    let variance = found.iter().map(|auc| (auc.value - mean) * (auc.value - mean)).sum::<f64>() / 19.0;
    let error = (variance / 20.0).sqrt();
    assert!((mean - 0.5).abs() <= 2.0 * error, "{mean} +- {error}");
    let inside = found.iter().filter(|auc| auc.low <= 0.5 && 0.5 <= auc.high).count();
    assert!(inside >= 17, "{inside} of 20 intervals contain 0.5: {found:?}");
}

#[test]
fn the_sparse_choice_is_no_larger_and_within_one_standard_error() {
    let fixture = Fixture::new(5, Kind::TwoClasses);
    let split = whole(&fixture);
    let chosen = |prefer: Prefer| {
        let params = TrainParams { prefer, sizes: vec![1, 2, 4, 8], ..params() }.check().unwrap();
        let fit = Fit::new(&fixture.dataset, &split, &params, None, &FitOptions::default()).unwrap();
        choose(&fit).chosen
    };
    assert!(chosen(Prefer::Sparse) <= chosen(Prefer::Accurate));
}
