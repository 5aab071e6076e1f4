//! Training on tiny sets with the exhaustive search: properties that hold for any search.

use crate::common::{Fixture, Kind, params, train, usual};
use einsicht_data::read::{ReadOptions, read};
use einsicht_data::{Split, SplitFile};
use einsicht_model::StoppedBy;
use einsicht_model::heads::HeadKind;
use einsicht_model::params::TrainParams;
use einsicht_search::Competes;
use einsicht_testkit::{fixture, large_shared};
use einsicht_train::fit::{Fit, FitOptions, fit_without_effects};
use einsicht_train::{TrainData, TrainState, Trainer};
use std::sync::Arc;

const KINDS: [Kind; 4] = [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several];

#[test]
fn the_objective_never_rises_from_pass_to_pass() {
    let variants: [TrainParams; 4] = [
        params(),
        TrainParams { sizes: params().sizes, max_edges: params().max_edges, ..TrainParams::paper() },
        TrainParams { polish_steps: 0, weight_decay: 0.1, layers: vec![4], ..params() },
        TrainParams { max_step: 1e3, activation: einsicht_model::Activation::Tanh, ..params() },
    ];
    for kind in KINDS {
        for (seed, variant) in variants.iter().enumerate() {
            let (passes, _) = train(&Fixture::new(seed as u64, kind), variant.clone());
            let mut compared = 0;
            for pair in passes.windows(2).filter(|pair| pair[0].size == pair[1].size) {
                assert!(pair[1].objective <= pair[0].objective, "{kind:?} {pair:?}");
                compared += 1;
            }
            assert!(compared > 0);
        }
    }
}

#[test]
fn from_a_hundred_subgraphs_on_several_enter_at_a_time() {
    let dataset = read(&fixture("MUTAG"), &ReadOptions::default()).unwrap();
    let split = Split { train: (0..150).collect(), valid: (150..188).collect(), test: Vec::new(), skipped: 0 };
    let (sizes, head) = (vec![100, 104, 120], HeadKind::Linear);
    let params = TrainParams { sizes, head, max_edges: 4, refit: false, ..TrainParams::default() }.check().unwrap();
    let mut grown = Vec::new();
    let fit = Fit::new(&dataset, &split, &params, None, &FitOptions::default()).unwrap();
    let mut training = fit.start(fit.choose().unwrap(), None).unwrap();
    while let Some(pass) = training.step().unwrap() {
        grown.push(pass.patterns);
    }
    assert_eq!(grown, (1..=100).chain([104, 114, 120]).collect::<Vec<_>>());
}

#[test]
fn no_model_uses_more_patterns_than_its_size_and_each_says_why_it_ended() {
    for unit in [Competes::SupportClass, Competes::Pattern] {
        let (passes, state) = train(&Fixture::new(3, Kind::TwoClasses), TrainParams { unit, ..params() });
        assert_eq!(state.entries.len(), 4);
        for entry in &state.entries {
            assert!(!entry.iterate.patterns.is_empty() && entry.iterate.patterns.len() <= entry.size);
            let before = entry.before.as_ref().unwrap();
            assert!(before.size <= entry.size && before.step > 0.0);
            let last = passes.iter().rfind(|pass| pass.size == entry.size).unwrap();
            assert_eq!(last.stopped_by, Some(entry.stopped_by));
            assert_eq!(last.iteration, entry.iterations);
            assert!(entry.kept <= entry.iterations);
            assert!(entry.test.contains_key("accuracy") && entry.valid.contains_key("loss"));
        }
        let ends = passes.iter().filter(|pass| pass.stopped_by.is_some()).count();
        assert_eq!(ends, state.entries.len());
    }
}

#[test]
fn a_resumed_training_ends_in_the_same_bytes_as_one_that_was_never_interrupted() {
    for (kind, params) in KINDS.into_iter().flat_map(|kind| [(kind, params()), (kind, usual())]) {
        let fixture = Fixture::new(7, kind);
        let (passes, whole) = train(&fixture, params.clone());
        let whole = serde_json::to_string(&whole).unwrap();
        let params = params.check().unwrap();
        let data = Arc::new(TrainData::new(&fixture.dataset, &fixture.parts, None).unwrap());
        for stop_after in [1, 2, passes.len() / 2, passes.len() - 1] {
            let (search, matcher) = (fixture.search(params.get()), fixture.matcher());
            let mut trainer = Trainer::new(&params, Arc::clone(&data), search, matcher).unwrap();
            for _ in 0..stop_after {
                assert!(trainer.step().unwrap().is_some());
            }
            let saved = serde_json::to_string(trainer.state()).unwrap();
            let state: TrainState = serde_json::from_str(&saved).unwrap();
            let (search, matcher) = (fixture.search(params.get()), fixture.matcher());
            let mut trainer = Trainer::resume(&params, Arc::clone(&data), search, matcher, state).unwrap();
            trainer.run().unwrap();
            assert_eq!(serde_json::to_string(trainer.state()).unwrap(), whole);
        }
    }
}

#[test]
fn a_size_above_the_number_of_patterns_works() {
    let fixture = Fixture::new(1, Kind::TwoClasses);
    let few = TrainParams { sizes: vec![1, 5000], max_iterations: 3, ..params() };
    let (_, state) = train(&fixture, few);
    let supports = fixture.search(&params()).patterns().values().collect::<std::collections::BTreeSet<_>>().len();
    assert!(state.entries[1].iterate.patterns.len() <= supports);
}

#[test]
fn an_early_end_keeps_the_best_so_far() {
    let fixture = Fixture::new(2, Kind::TwoClasses);
    let params = params().check().unwrap();
    let data = Arc::new(TrainData::new(&fixture.dataset, &fixture.parts, None).unwrap());
    let (search, matcher) = (fixture.search(params.get()), fixture.matcher());
    let mut trainer = Trainer::new(&params, Arc::clone(&data), search, matcher).unwrap();
    trainer.step().unwrap();
    trainer.finish_early();
    assert_eq!(trainer.step(), Ok(None));
    let entries = &trainer.state().entries;
    assert_eq!((entries.len(), entries[0].stopped_by), (1, StoppedBy::Observer));
}

#[test]
fn a_prefit_makes_the_first_pattern_independent_of_the_seed() {
    let fixture = Fixture::new(4, Kind::TwoClasses);
    let first = |seed: u64, prefit_steps: usize| {
        let one = TrainParams { sizes: vec![1], max_iterations: 1, polish_steps: 0, seed, prefit_steps, ..params() };
        train(&fixture, one).1.entries[0].iterate.patterns[0].code.clone()
    };
    let with: std::collections::BTreeSet<_> = (0..10).map(|seed| first(seed, 200)).collect();
    let without: std::collections::BTreeSet<_> = (0..10).map(|seed| first(seed, 0)).collect();
    assert_eq!(with.len(), 1);
    assert!(without.len() > 1, "without it the seed matters");
}

#[test]
fn the_weights_of_graphs_act_like_copies() {
    // Weight 2 on a graph is the same problem as two copies of it.
    let fixture = Fixture::new(5, Kind::TwoClasses);
    let mut doubled = Fixture::new(5, Kind::TwoClasses);
    doubled.parts.train.push(3);
    let mut weights = vec![1.0; 24];
    weights[3] = 2.0;
    // No refits, which would amplify the rounding of sums in another order.
    let params = TrainParams { prefit_steps: 0, polish_steps: 0, ..params() }.check().unwrap();
    let run = |fixture: &Fixture, weights: Option<Vec<f64>>| {
        let data = Arc::new(TrainData::new(&fixture.dataset, &fixture.parts, weights).unwrap());
        let (search, matcher) = (fixture.search(params.get()), fixture.matcher());
        let mut trainer = Trainer::new(&params, Arc::clone(&data), search, matcher).unwrap();
        let pass = trainer.step().unwrap().unwrap();
        (pass.objective, trainer.state().current.patterns[0].code.clone())
    };
    let (a, b) = (run(&fixture, Some(weights)), run(&doubled, None));
    assert_eq!(a.1, b.1);
    assert!((a.0 - b.0).abs() < 1e-9 * a.0.abs());
}

/// A synthetic set: one ring separates the classes of Cycle, on the fixed splits.
#[test]
fn one_ring_separates_the_classes_of_cycle() {
    let (Some(set), Some(splits)) = (large_shared("data/tu/Cycle"), large_shared("splits/Cycle.json")) else { return };
    let dataset = read(&set, &ReadOptions::default()).unwrap();
    let splits = SplitFile::read(&splits).unwrap();
    let params = TrainParams { sizes: vec![1], max_edges: 9, ..TrainParams::ein() }.check().unwrap();
    for trial in [0, 7] {
        let split = splits.split(trial, &dataset).unwrap();
        let model = fit_without_effects(&dataset, &split, &params, &FitOptions::default()).unwrap();
        let best = model.best();
        assert_eq!(best.test["accuracy"], 1.0, "trial {trial}");
        let [pattern] = &best.iterate.patterns[..] else { panic!("one subgraph, trial {trial}") };
        let ring = pattern.code.to_graph();
        assert!([8, 9].contains(&ring.num_edges()), "trial {trial}: {:?}", pattern.code);
        assert!(ring.vertices().all(|v| ring.degree(v) == 2), "trial {trial}: {:?}", pattern.code);
    }
}
