//! A graph network beside the mining layer: what must hold whatever it learns.

use crate::common::{Fixture, Kind, model, model_by, params, train};
use einsicht_graph::tree::Tree;
use einsicht_model::Model;
use einsicht_model::gnn::{Pooling, Readout};
use einsicht_model::params::{NetworkOptimizer, Penalty, Stopping, TrainParams};
use einsicht_oracle::verify;
use einsicht_search::{SearchOptions, TreeSearch};
use einsicht_testkit::model_bytes::{header, rewritten};
use einsicht_train::{TrainData, TrainState, Trainer};
use std::sync::Arc;

const KINDS: [Kind; 4] = [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several];

fn with_gnn() -> TrainParams {
    TrainParams {
        sizes: vec![0, 1, 2, 4],
        max_edges: params().max_edges,
        hidden: params().hidden,
        gnn_rounds: 2,
        gnn_units: 4,
        network_steps: 6,
        batch_size: 7,
        patience: 5,
        max_iterations: 5,
        polish_steps: 3,
        ..TrainParams::gin()
    }
}

/// The same with a penalty instead of a number of patterns.
fn with_penalty() -> TrainParams {
    TrainParams { penalty: Penalty::L1, lambdas: 5, ..with_gnn() }
}

#[test]
fn steps_on_patterns_and_bias_never_raise_the_objective_and_with_gd_nothing_does() {
    let by_gd = TrainParams { network_optimizer: NetworkOptimizer::Gd, ..with_gnn() };
    for (kind, seed) in KINDS.into_iter().zip(0..) {
        let fixture = Fixture::new(seed, kind).with_attributes(seed);
        let (of_adam, _) = train(&fixture, with_gnn());
        let (of_gd, _) = train(&fixture, by_gd.clone());
        let (of_penalty, _) = train(&fixture, with_penalty());
        assert!(of_penalty.iter().any(|pass| pass.step.is_some()));
        for pass in of_adam.iter().chain(&of_gd).chain(&of_penalty) {
            assert!(pass.around_selection[1] <= pass.around_selection[0], "{pass:?}");
        }
        for pair in of_gd.windows(2).filter(|pair| pair[0].size == pair[1].size) {
            assert!(pair[1].objective <= pair[0].objective, "{pair:?}");
        }
        assert!(of_adam.iter().any(|pass| pass.step.is_some()) && of_gd.iter().any(|pass| pass.network_steps > 0));
    }
}

#[test]
fn early_stopping_keeps_the_best_loss_or_the_best_metric() {
    let (mut better, mut longer) = (0, 0);
    for seed in 60..84 {
        let fixture = Fixture::new(seed, Kind::ThreeClasses).with_attributes(seed);
        let alone = TrainParams {
            sizes: vec![0],
            patience: 1,
            max_iterations: 30,
            learning_rate: 0.03,
            gnn_readout: Readout::All,
            ..with_gnn()
        };
        let first =
            |stopping: Stopping| model(&fixture, TrainParams { stopping, ..alone.clone() }).entries.swap_remove(0);
        let (of_loss, of_metric) = (first(Stopping::Loss), first(Stopping::Metric));
        assert!(of_loss.valid["loss"] <= of_metric.valid["loss"] || of_metric.kept > of_loss.iterations);
        assert!(of_loss.valid["accuracy"] <= of_metric.valid["accuracy"]);
        assert!(of_loss.iterations <= of_metric.iterations);
        better += usize::from(of_loss.valid["accuracy"] < of_metric.valid["accuracy"]);
        longer += usize::from(of_loss.iterations < of_metric.iterations);
    }
    assert!(better > 0 && longer > 0, "{better} {longer}");
}

#[test]
fn pruned_and_exhaustive_search_give_the_same_bytes() {
    for (kind, seed) in KINDS.into_iter().zip(20..) {
        let fixture = Fixture::new(seed, kind).with_attributes(seed);
        let penalised = (seed == 20).then(with_penalty);
        for params in penalised.into_iter().chain([with_gnn()]) {
            let mine = crate::common::mining(&params, 1);
            let tree = Tree::new(&fixture.graphs(&fixture.parts.train), mine).unwrap();
            let pruned = model_by(&fixture, params.clone(), TreeSearch::new(tree, SearchOptions::default()));
            assert!(pruned.entries.last().unwrap().iterate.patterns.len() > 1);
            assert!(pruned.to_bytes().unwrap() == model(&fixture, params).to_bytes().unwrap());
        }
    }
}

#[test]
fn a_resumed_training_ends_in_the_same_bytes() {
    let fixture = Fixture::new(7, Kind::Several).with_attributes(7);
    for polish_steps in [0, 3] {
        let (all, whole) = train(&fixture, TrainParams { polish_steps, ..with_gnn() });
        let params = TrainParams { polish_steps, ..with_gnn() }.check().unwrap();
        let data = TrainData::new(&fixture.dataset, &fixture.parts, None).unwrap();
        let data = Arc::new(data.for_params(params.get(), &fixture.dataset, &fixture.parts).unwrap());
        let search = || fixture.search(params.get());
        for stop_after in [1, 2, all.len() / 2, all.len() - 1] {
            let mut trainer = Trainer::new(&params, Arc::clone(&data), search(), fixture.matcher()).unwrap();
            for _ in 0..stop_after {
                trainer.step().unwrap();
            }
            let saved = serde_json::to_string(trainer.state()).unwrap();
            let state: TrainState = serde_json::from_str(&saved).unwrap();
            assert!(state.adam.steps > 0);
            // In the middle of a size the average has weights behind it, unless polishing has changed it.
            let between = state.iteration > 0 && params.get().polish_steps == 0;
            assert_eq!(state.adam.stepped.is_empty(), !between);
            let mut trainer = Trainer::resume(&params, Arc::clone(&data), search(), fixture.matcher(), state).unwrap();
            trainer.run().unwrap();
            assert_eq!(serde_json::to_string(trainer.state()).unwrap(), serde_json::to_string(&whole).unwrap());
        }
    }
}

#[test]
fn the_network_is_the_average_of_the_weights_of_the_last_steps() {
    let fixture = Fixture::new(5, Kind::TwoClasses).with_attributes(5);
    let params = TrainParams { sizes: vec![0], network_steps: 1, average_steps: 3, polish_steps: 0, ..with_gnn() };
    let params = params.check().unwrap();
    let data = TrainData::new(&fixture.dataset, &fixture.parts, None).unwrap();
    let data = Arc::new(data.for_params(params.get(), &fixture.dataset, &fixture.parts).unwrap());
    let mut trainer = Trainer::new(&params, data, fixture.search(params.get()), fixture.matcher()).unwrap();
    let mut expected = trainer.state().current.network.clone();
    for step in 1..params.get().max_iterations {
        trainer.step().unwrap();
        let stepped = &trainer.state().adam.stepped;
        let share = 1.0 / step.min(3) as f64;
        for (average, weight) in expected.iter_mut().zip(stepped) {
            *average = if step == 1 { *weight } else { *average + share * (weight - *average) };
        }
        assert_eq!(trainer.state().current.network, expected, "step {step}");
        assert!(step == 1 || *stepped != expected);
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let fixture = Fixture::new(3, Kind::ThreeClasses).with_attributes(3);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| model(&fixture, with_gnn()).to_bytes().unwrap())
    };
    assert!(run(1) == run(3));
}

#[test]
fn a_model_comes_back_from_its_file_and_its_claims_are_verified() {
    let (gnn_pooling, gnn_readout) = (Pooling::Mean, Readout::All);
    for (kind, seed) in KINDS.into_iter().zip(40..) {
        let fixture = Fixture::new(seed, kind).with_attributes(seed);
        let trained = model(&fixture, TrainParams { gnn_pooling, gnn_readout, layers: vec![3], ..with_gnn() });
        let again = Model::from_bytes(&trained.to_bytes().unwrap()).unwrap();
        assert_eq!(again, trained);
        let verification = verify(&again, &fixture.dataset).unwrap();
        assert!(verification.verified(), "{kind:?} {:#?}", verification.checks);
        if kind == Kind::TwoClasses {
            let penalised = verify(&model(&fixture, with_penalty()), &fixture.dataset).unwrap();
            assert!(penalised.verified(), "{:#?}", penalised.checks);
        }
        assert!(again.entries.iter().any(|entry| entry.before.is_some()));
        let side = again.side.as_ref().unwrap();
        assert_eq!((side.means.len(), side.means[0].len()), (again.entries.len(), 8));
    }
}

#[test]
fn a_file_without_the_graph_network_is_refused() {
    let fixture = Fixture::new(1, Kind::TwoClasses).with_attributes(1);
    let trained = model(&fixture, with_gnn());
    let (file, last) = (trained.to_bytes().unwrap(), format!("entry.{}.mean_beside", trained.entries.len() - 1));
    let without = rewritten(&file, &header(&file), Some((&last, None)));
    let error = Model::from_bytes(&without).unwrap_err().to_string();
    assert!(error.contains("mean_beside"), "{error}");
    let file = model(&Fixture::new(1, Kind::TwoClasses), with_gnn()).to_bytes().unwrap();
    let mut no_encoding = header(&file);
    no_encoding["gnn"] = serde_json::Value::Null;
    let error = Model::from_bytes(&rewritten(&file, &no_encoding, None)).unwrap_err().to_string();
    assert!(error.contains("an encoding of what is read beside subgraphs"), "{error}");
}

#[test]
fn size_0_is_the_graph_network_alone_and_wants_one() {
    let fixture = Fixture::new(2, Kind::TwoClasses).with_attributes(2);
    let alone = model(&fixture, TrainParams { sizes: vec![0], ..with_gnn() });
    assert!(alone.best().iterate.patterns.is_empty() && alone.patterns.is_empty());
    let refused = TrainParams { sizes: vec![0, 1], ..params() }.check().unwrap_err();
    assert_eq!(refused.to_string(), "sizes must be from 1 where there is neither a graph network nor a summary, got 0");
    // Its outputs do not depend on the subgraphs, and left out it has its mean readout.
    let rows = [0, 5, 9];
    let said = alone.predict(0, &fixture.dataset, &rows).outputs;
    let left_out = alone.outputs_of_values(0, &[], rows.len());
    assert!(said[0] != said[1] && left_out.iter().all(|output| *output == left_out[0]));
    let gnn_rows = alone.gnn_rows(&alone.best().iterate, &alone.encode(&fixture.dataset, &rows));
    assert_eq!(alone.outputs_of_values_and_rows(0, &[], &gnn_rows, rows.len()), said);
}

#[test]
fn data_without_the_attributes_of_the_training_are_refused() {
    let mut fixture = Fixture::new(2, Kind::TwoClasses).with_attributes(2);
    let trained = model(&fixture, with_gnn());
    assert_eq!(trained.check_data(&fixture.dataset), Ok(()));
    fixture.dataset.attributes = None;
    let error = trained.check_data(&fixture.dataset).unwrap_err().to_string();
    assert_eq!(error, "the model reads 2 attributes of each vertex, but the data set has 0");
}
