//! The regularization path of the group lasso: properties at `lambda_max`, from pass to pass, and at the minimum of a
//! linear model.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind, params, train};
use einsicht_data::random::Random;
use einsicht_data::read::{ReadOptions, read_smiles};
use einsicht_data::{Dataset, Split, Target, TargetValues, Vocabulary};
use einsicht_model::StoppedBy;
use einsicht_model::features::PatternMatcher;
use einsicht_model::params::{L1Start, NetworkKind, Penalty, TrainParams};
use einsicht_oracle::verify;
use einsicht_search::feature::Feature;
use einsicht_search::{Competes, Search};
use einsicht_testkit::cases;
use einsicht_train::fit::{FitOptions, fit_without_effects};
use einsicht_train::{LambdaPath, TrainData, TrainState, Trainer};
use std::sync::Arc;

const KINDS: [Kind; 4] = [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several];

fn with_penalty() -> TrainParams {
    TrainParams { penalty: Penalty::L1, lambdas: 7, max_iterations: 12, ..params() }
}

fn linear() -> TrainParams {
    TrainParams { network: NetworkKind::None, max_iterations: 50, ..with_penalty() }
}

/// As in the paper's appendix.
fn from_linear() -> TrainParams {
    TrainParams { l1_start: L1Start::Linear, weight_decay: 0.0, lambdas: 4, ..with_penalty() }
}

fn trainer(
    fixture: &Fixture,
    params: TrainParams,
    state: Option<TrainState>,
) -> Trainer<impl Search, impl PatternMatcher> {
    let params = params.check().unwrap();
    let data = Arc::new(TrainData::new(&fixture.dataset, &fixture.parts, None).unwrap());
    match state {
        None => Trainer::new(&params, data, fixture.search(params.get()), fixture.matcher()).unwrap(),
        Some(state) => Trainer::resume(&params, data, fixture.search(params.get()), fixture.matcher(), state).unwrap(),
    }
}

#[test]
fn at_the_largest_penalty_nothing_enters_and_at_the_next_smaller_number_something_does() {
    for kind in KINDS {
        for (seed, prefit_steps) in [(0, 0), (1, 0), (2, 30), (3, 30)] {
            for base in [with_penalty(), linear()] {
                let fixture = Fixture::new(seed, kind);
                let params = TrainParams { prefit_steps, ..base };
                let mut at_max = trainer(&fixture, params.clone(), None);
                let fresh = at_max.state().clone();
                let pass = at_max.step().unwrap().unwrap();
                let max = at_max.state().lambdas.map_or_else(|| pass.lambda.unwrap(), |path| path.max);
                assert_eq!((pass.lambda, pass.patterns, pass.step), (Some(max), 0, None), "{kind:?} {seed}");
                // The same start (the prefit is the same too), the same b and theta, one bit less.
                let below = LambdaPath { lambda: max.next_down(), ..LambdaPath::start(max) };
                let mut below = trainer(&fixture, params, Some(TrainState { lambdas: Some(below), ..fresh }));
                let pass = below.step().unwrap().unwrap();
                assert!(pass.step.is_some(), "{kind:?} {seed}: {pass:?}");
                let before = below.state().before.as_ref().unwrap();
                assert!(before.iterate.patterns.is_empty() && before.size >= 1);
            }
        }
    }
}

#[test]
fn the_penalised_objective_never_rises_from_pass_to_pass() {
    let variants = [
        with_penalty(),
        linear(),
        TrainParams { polish_steps: 0, weight_decay: 0.01, ..with_penalty() },
        TrainParams { penalty: Penalty::L1, lambdas: 5, max_edges: params().max_edges, ..TrainParams::paper() },
        from_linear(),
    ];
    for (seed, variant) in variants.iter().enumerate() {
        for more in 0..cases(1, 4) as usize {
            let kind = KINDS[(seed + more) % KINDS.len()];
            let (passes, _) = train(&Fixture::new(seed as u64, kind), variant.clone());
            let mut compared = 0;
            for pair in passes.windows(2).filter(|pair| pair[0].lambda == pair[1].lambda) {
                assert!(pair[1].objective <= pair[0].objective, "{kind:?} {variant:?} {pair:?}");
                compared += 1;
            }
            let most = passes.iter().map(|pass| pass.patterns).max();
            assert!(compared > 0 && most > Some(0), "{kind:?} {seed}: {compared} compared, {most:?} patterns");
        }
    }
}

#[test]
fn where_too_many_enter_at_the_first_penalty_a_larger_one_is_taken() {
    let mut raised = 0;
    for seed in 0..cases(6, 20) {
        let params = TrainParams { max_patterns: 3, polish_steps: 0, ..from_linear() };
        let (_, state) = train(&Fixture::new(seed.into(), KINDS[seed as usize % KINDS.len()]), params);
        let max = state.lambdas.as_ref().unwrap().max;
        assert!(!state.entries.is_empty(), "seed {seed}");
        assert!(state.entries.iter().all(|entry| entry.iterate.patterns.len() <= 3), "seed {seed}");
        raised += u32::from(state.entries[0].lambda > Some(max));
    }
    assert!(raised > 0, "no first penalty let in too many");
}

#[test]
fn the_path_may_start_from_a_linear_model() {
    for kind in [Kind::TwoClasses, Kind::ThreeClasses] {
        let fixture = Fixture::new(5, kind);
        let start = trainer(&fixture, from_linear(), None).state().current.clone();
        let lasso = crate::common::model(&fixture, TrainParams { weight_decay: 0.0, lambdas: 6, ..linear() });
        assert!(!start.patterns.is_empty(), "{kind:?}");
        // Every unit has the weights of an output, in turn, of some entry of the linear path.
        let outputs = lasso.params.hidden;
        let is_entry = lasso.entries.iter().any(|entry| {
            entry.iterate.patterns.len() == start.patterns.len()
                && entry.iterate.patterns.iter().zip(&start.patterns).all(|(linear, pattern)| {
                    linear.code == pattern.code
                        && pattern
                            .weights
                            .iter()
                            .enumerate()
                            .all(|(k, w)| (*w - linear.weights[k % outputs]).abs() < 1e-9)
                })
        });
        assert!(is_entry, "{kind:?}");
        let model = crate::common::model(&fixture, from_linear());
        let verification = verify(&model, &fixture.dataset).unwrap();
        assert!(verification.verified(), "{kind:?}: {:#?}", verification.checks);
    }
}

#[test]
fn penalties_fall_and_the_linear_model_is_the_best_of_all() {
    let mut entries = 0;
    for kind in KINDS {
        for weight_decay in [0.0, 1e-3] {
            for unit in [Competes::SupportClass, Competes::Pattern] {
                let fixture = Fixture::new(4, kind);
                let params = TrainParams { weight_decay, unit, ..linear() };
                // Pattern by pattern, equivalent patterns can divide their weight in many ways; the conditions hold for
                // each.
                let model = crate::common::model(&fixture, params);
                assert!(model.entries.is_sorted_by(|a, b| a.lambda > b.lambda));
                assert!(model.entries.iter().all(|entry| entry.stopped_by == StoppedBy::Converged), "{kind:?}");
                assert_eq!(model.params.hidden, model.entries[0].iterate.bias.len());
                let verification = verify(&model, &fixture.dataset).unwrap();
                assert!(verification.verified(), "{kind:?}: {:#?}", verification.checks);
                entries += verification.checks.iter().filter(|check| check.name.starts_with("optimum")).count();
            }
        }
    }
    assert!(entries > 50, "{entries}");
}

/// Small molecules of many classes with few graphs each.
fn many_classes(seed: u64) -> (Dataset, Split) {
    let mut random = Random::stream(seed, 0);
    let pieces = ["C", "CC", "C(=O)", "N", "O", "c1ccccc1", "C(Cl)", "S", "C(F)(F)", "C1CC1"];
    let chosen: Vec<Vec<usize>> =
        (0..22).map(|at| (0..=at % 6).map(|_| random.index(pieces.len())).collect()).collect();
    let smiles: Vec<String> =
        chosen.iter().map(|c| format!("C{}", c.iter().map(|&at| pieces[at]).collect::<String>())).collect();
    let mut dataset = read_smiles(&smiles, &ReadOptions::default()).unwrap();
    let values = TargetValues::Classes {
        classes: Vocabulary::from_tokens((0..6).map(|c| c.to_string())),
        values: (0..22).map(|at| Some(at % 6)).collect(),
    };
    dataset.targets = vec![Target { name: "y".to_owned(), values }];
    (dataset, Split { train: (0..18).collect(), valid: (18..22).collect(), ..Split::default() })
}

#[test]
fn a_linear_model_of_many_classes_is_the_best_of_all_too() {
    for seed in 0..u64::from(cases(1, 4)) {
        let (dataset, split) = many_classes(seed);
        let params = TrainParams { max_edges: 3, lambdas: 5, feature: Feature::Count, ..linear() }.check().unwrap();
        let model = fit_without_effects(&dataset, &split, &params, &FitOptions::default()).unwrap();
        assert!(model.entries.last().unwrap().iterate.patterns.len() > 5);
        let verification = verify(&model, &dataset).unwrap();
        assert!(verification.verified(), "{seed}: {:#?}", verification.checks);
    }
}

#[test]
fn a_network_with_a_penalty_is_verified_too() {
    for kind in KINDS {
        let fixture = Fixture::new(6, kind);
        let model = crate::common::model(&fixture, with_penalty());
        assert!(model.entries.last().unwrap().iterate.patterns.len() > 1);
        let verification = verify(&model, &fixture.dataset).unwrap();
        assert!(verification.verified(), "{kind:?}: {:#?}", verification.checks);
    }
}

#[test]
fn where_more_patterns_would_enter_than_allowed_the_steps_get_smaller_and_then_the_path_ends() {
    let fixture = Fixture::new(3, Kind::TwoClasses);
    let params = TrainParams { max_patterns: 6, lambdas: 500, max_iterations: 4, ..with_penalty() };
    let (passes, state) = train(&fixture, params);
    assert!(state.entries.iter().all(|entry| entry.iterate.patterns.len() <= 6));
    assert!(state.entries.is_sorted_by(|a, b| a.lambda > b.lambda));
    let crowded: Vec<f64> = passes
        .iter()
        .filter(|pass| pass.stopped_by == Some(StoppedBy::Patterns))
        .map(|pass| pass.lambda.unwrap())
        .collect();
    assert!(crowded.len() > 1, "it was tried again: {crowded:?}");
    assert_eq!(passes.last().unwrap().lambda, crowded.last().copied());
    assert!(state.entries.len() < 500 && !state.entries.is_empty());
}

#[test]
fn a_resumed_path_of_penalties_ends_in_the_same_bytes() {
    for base in [with_penalty(), linear()] {
        let fixture = Fixture::new(7, Kind::Several);
        let (passes, whole) = train(&fixture, base.clone());
        for stop_after in [1, passes.len() / 2, passes.len() - 1] {
            let mut first = trainer(&fixture, base.clone(), None);
            for _ in 0..stop_after {
                first.step().unwrap();
            }
            let state = serde_json::from_str(&serde_json::to_string(first.state()).unwrap()).unwrap();
            let mut second = trainer(&fixture, base.clone(), Some(state));
            second.run().unwrap();
            assert_eq!(serde_json::to_string(second.state()).unwrap(), serde_json::to_string(&whole).unwrap());
        }
    }
}
