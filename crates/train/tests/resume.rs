//! Trainings that are interrupted after every single pass, and in the middle of it, end in the bytes of one that was
//! left alone: with every head, penalty, network and optimiser.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind, params, usual};
use einsicht_data::ClassWeight;
use einsicht_graph::stop::{self, StopFlag};
use einsicht_model::Activation;
use einsicht_model::SourceRows;
use einsicht_model::StoppedBy;
use einsicht_model::gnn::{Gnn, Readout};
use einsicht_model::heads::HeadKind;
use einsicht_model::params::{CheckedParams, L1Start, NetworkKind, NetworkOptimizer, Penalty, Threshold, TrainParams};
use einsicht_search::SearchError;
use einsicht_search::feature::{CountTransform, Feature};
use einsicht_train::checkpoint::{Checkpoint, Origin};
use einsicht_train::fit::{Fit, FitOptions, Training};
use einsicht_train::resample::Resampler;
use einsicht_train::side_by_side::{Saved, Trainings};
use einsicht_train::{TrainError, TrainState};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn variants() -> Vec<(&'static str, TrainParams)> {
    let (sizes, max_edges) = (params().sizes, params().max_edges);
    let l1 = TrainParams { penalty: Penalty::L1, lambdas: 5, ..params() };
    let gin = TrainParams {
        gnn: Gnn::Gin,
        gnn_rounds: 2,
        gnn_units: 4,
        sizes: vec![0, 1, 2],
        network_steps: 3,
        prefit_steps: 5,
        batch_size: 7,
        ..params()
    };
    let adam = NetworkOptimizer::Adam;
    vec![
        ("blend", usual()),
        ("linear, several at a time", TrainParams { head: HeadKind::Linear, growth: 3, ..usual() }),
        ("forest", TrainParams { head: HeadKind::Forest, refit: false, ..usual() }),
        ("network", params()),
        ("paper", TrainParams { sizes, max_edges, ..TrainParams::paper() }),
        ("layers", TrainParams { layers: vec![4], weight_decay: 0.01, activation: Activation::Tanh, ..params() }),
        ("adam", TrainParams { network_optimizer: adam, batch_size: 5, ..params() }),
        ("counts", TrainParams { feature: Feature::Count, count_transform: CountTransform::Identity, ..params() }),
        ("decision", TrainParams { calibrate: true, threshold: Threshold::Auto, ..params() }),
        ("penalty", l1.clone()),
        ("penalty, from a linear model", TrainParams { l1_start: L1Start::Linear, ..l1.clone() }),
        ("penalty, few allowed", TrainParams { lambdas: 20, max_patterns: 4, ..l1.clone() }),
        ("penalty, linear", TrainParams { network: NetworkKind::None, ..l1 }),
        ("graph network", TrainParams { network_optimizer: adam, ..gin.clone() }),
        ("graph network, all at once", TrainParams { gnn_readout: Readout::All, ..gin }),
    ]
}

/// The state after it was written to a file and read back.
fn through_a_file(params: &TrainParams, state: &TrainState) -> TrainState {
    let origin = Origin {
        fingerprint: String::new(),
        rows: SourceRows::default(),
        params: vec![params.clone()],
        class_weight: ClassWeight::None,
    };
    let file = Checkpoint::new(origin, state.clone()).to_bytes().unwrap();
    Checkpoint::from_bytes(&file).unwrap().state
}

fn begin(fixture: &Fixture, params: &CheckedParams, state: Option<TrainState>) -> Training {
    let fit = Fit::new(&fixture.dataset, &fixture.parts, params, None, &FitOptions::default()).unwrap();
    let choice = fit.choose().unwrap();
    fit.start(choice, state).unwrap()
}

fn bytes(mut training: Training, fixture: &Fixture) -> Vec<u8> {
    let model = training.model(&fixture.dataset, &fixture.parts).unwrap().unwrap();
    assert!(model.complete);
    model.to_bytes().unwrap()
}

#[test]
fn a_training_interrupted_in_and_after_every_pass_ends_in_the_same_bytes() {
    let mut went_back = false;
    for (at, (name, params)) in variants().into_iter().enumerate() {
        let kind = [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several][at % 4];
        let kind = if name == "decision" { Kind::TwoClasses } else { kind };
        let fixture = Fixture::new(7, kind).with_attributes(3);
        let params = params.check().unwrap();
        let mut whole = begin(&fixture, &params, None);
        let mut passes = 0;
        while let Some(pass) = whole.step().unwrap() {
            passes += 1;
            went_back |= pass.stopped_by == Some(StoppedBy::Patterns);
        }
        let is_set = Arc::new(AtomicBool::new(true));
        let mut training = begin(&fixture, &params, None);
        let mut interrupted = 0;
        loop {
            // In the middle of a pass: the search is stopped, unless this pass has none.
            let before = training.state().clone();
            stop::watch(Some(StopFlag::new(&is_set)));
            let stepped = training.step();
            stop::watch(None);
            match stepped {
                Err(TrainError::Search(SearchError::Stopped)) => {
                    let state = through_a_file(params.get(), training.state());
                    assert_eq!(state.iteration, before.iteration, "{name}");
                    training = begin(&fixture, &params, Some(state));
                    let going_on = training.step().unwrap();
                    assert!(going_on.is_some(), "{name}");
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => panic!("{name}: {error}"),
            }
            interrupted += 1;
            let state = through_a_file(params.get(), training.state());
            assert_eq!(state, *training.state(), "{name}");
            training = begin(&fixture, &params, Some(state));
        }
        assert_eq!(interrupted, passes, "{name}");
        assert!(passes > 4, "{name}: {passes} passes");
        assert!(bytes(training, &fixture) == bytes(whole, &fixture), "{name}");
    }
    assert!(went_back, "one path went back because too many patterns would enter");
}

/// Trains each for one pass at a time, from what was saved in JSON.
fn in_pieces<T: Trainings>(trainings: &T, count: usize) -> (Vec<T::Result>, usize)
where
    T::Result: serde::Serialize + serde::de::DeserializeOwned,
{
    let (mut saved, mut interruptions) = (Saved::default(), 0);
    while saved.done.len() < count {
        for at in (0..count).filter(|at| !saved.done.contains_key(at)).collect::<Vec<_>>() {
            let mut training = trainings.start_one(at, saved.under_way.remove(&at)).unwrap();
            if training.step().unwrap().is_some() {
                saved.under_way.insert(at, training.state().clone());
                interruptions += 1;
            } else {
                saved.done.insert(at, trainings.result_of(&training).unwrap());
            }
        }
        saved = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
    }
    (saved.done.into_values().collect(), interruptions)
}

#[test]
fn trainings_on_resamples_and_permuted_targets_continue_from_their_states() {
    let fixture = Fixture::new(2, Kind::TwoClasses);
    for params in [params(), usual()] {
        let params = params.check().unwrap();
        let fit = Fit::new(&fixture.dataset, &fixture.parts, &params, None, &FitOptions::default()).unwrap();
        let choice = fit.choose().unwrap();
        let (pieces, interruptions) = in_pieces(&fit, fit.num_folds());
        assert!(fit.choice(&pieces) == choice, "after {interruptions} interruptions");
        assert_eq!(interruptions > 1, fit.num_folds() > 0, "{interruptions} interruptions");
        let many = Resampler::new(&fit, choice).unwrap();
        let whole = many.train_all(0..3).unwrap();
        let (pieces, interruptions) = in_pieces(&many, 3);
        assert!(pieces == whole, "after {interruptions} interruptions");
        assert!(interruptions > 0, "{interruptions} interruptions"); // of a chosen model few passes are trained
        let mut training = begin(&fixture, &params, None);
        while training.step().unwrap().is_some() {}
        let (metric, truth) = (training.metric(), training.state().entries[0].clone());
        let test = many.permute(2, metric, &truth).unwrap();
        let whole = test.train_all(0..test.num_trainings()).unwrap();
        let (pieces, interruptions) = in_pieces(&test, test.num_trainings());
        assert!(
            pieces == whole
                && test.outcome(&pieces).shuffled == whole[..2].iter().flatten().copied().collect::<Vec<_>>(),
            "after {interruptions} interruptions"
        );
        assert!(interruptions > 1, "{interruptions} interruptions");
    }
}

#[test]
fn a_path_that_is_cut_short_makes_a_model_that_says_so() {
    let fixture = Fixture::new(2, Kind::TwoClasses);
    let params = params().check().unwrap();
    let mut whole = begin(&fixture, &params, None);
    while whole.step().unwrap().is_some() {}
    let whole = whole.model(&fixture.dataset, &fixture.parts).unwrap().unwrap();
    let mut training = begin(&fixture, &params, None);
    while training.state().entries.len() < 2 {
        training.step().unwrap();
    }
    training.finish_early();
    let model = training.model(&fixture.dataset, &fixture.parts).unwrap().unwrap();
    assert!(whole.complete && !model.complete);
    assert_eq!(model.entries[..], whole.entries[..2], "what was finished is what it would have been");
    let read = einsicht_model::Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(read, model);
}
