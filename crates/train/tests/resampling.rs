//! Bootstrap resamples, permutation tests, decision thresholds and temperatures, each on data that show its effect.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind, params};
use einsicht_data::generate::{Synthetic, generate};
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_data::{Dataset, Split, TargetValues};
use einsicht_model::Model;
use einsicht_model::heads::{Head, HeadKind};
use einsicht_model::metrics::{Metric, by_task_within};
use einsicht_model::params::{CheckedParams, MinSupport, Threshold, TrainParams};
use einsicht_model::task::Targets;
use einsicht_oracle::verify;
use einsicht_train::fit::{Fit, FitOptions};
use einsicht_train::resample::Resampler;
use einsicht_train::side_by_side::Trainings;

fn fit<'a>(dataset: &'a Dataset, split: &'a Split, params: &'a CheckedParams) -> Fit<'a> {
    Fit::new(dataset, split, params, None, &FitOptions::default()).unwrap()
}

#[test]
fn the_ring_is_found_in_every_resample_and_chance_is_not_mistaken_for_it() {
    let cycle = generate(Synthetic::Cycle, 0).subset(&(240..360).collect::<Vec<_>>());
    let split = default_split(&cycle, Fractions { valid: 0.25, test: 0.25 }, 0).unwrap();
    let params = TrainParams {
        sizes: vec![1, 2],
        max_edges: 8,
        max_iterations: 4,
        min_support: MinSupport::Graphs(3),
        ..params()
    };
    let params = params.check().unwrap();
    let fit = fit(&cycle, &split, &params);
    let resampler = Resampler::new(&fit, None).unwrap();
    let members = resampler.train_all(0..4).unwrap();
    let stability = resampler.stability(members.iter().map(|member| &member.iterate)).unwrap();
    // An 8-ring separates the classes: eight edges, always chosen.
    assert_eq!((stability[0].frequency, stability[0].code.num_edges()), (1.0, 8), "{stability:?}");
    assert!(stability.is_sorted_by(|a, b| a.frequency >= b.frequency));
    let again = resampler.train_all(0..4).unwrap();
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = alone.install(|| resampler.train_all(0..4)).unwrap();
    assert!(members == again && members == alone);

    let model = einsicht_train::fit::fit_without_effects(&cycle, &split, &params, &FitOptions::default());
    let truth = model.unwrap().best().clone();
    let test = resampler.permute(9, Metric::Accuracy, &truth).unwrap();
    let found = test.outcome(&test.train_all(0..test.num_trainings()).unwrap());
    assert_eq!((found.observed, found.p_value, found.shuffled.len()), (1.0, 0.1, 9), "{found:?}");
    assert!(found.of_test && found.shuffled.iter().all(|x| *x < 0.9));
}

#[test]
fn members_are_saved_with_the_model_and_show_the_spread_of_its_predictions() {
    let fixture = Fixture::new(2, Kind::Several);
    let params = params().check().unwrap();
    let fit = fit(&fixture.dataset, &fixture.parts, &params);
    let resampler = Resampler::new(&fit, None).unwrap();
    let members = resampler.train_all(0..3).unwrap();
    let mut model = crate::common::model(&fixture, params.get().clone());
    resampler.add_members(&mut model, members).unwrap();
    let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert!(loaded == model && loaded.members.len() == 3);
    let outputs = loaded.member_outputs(&fixture.dataset, &[0, 1, 2]);
    assert_eq!((outputs.len(), outputs[0].len()), (3, 6));
    assert!(outputs[0] != outputs[1], "resamples differ");
    assert!(verify(&loaded, &fixture.dataset).unwrap().verified());
}

#[test]
fn members_have_the_head_of_the_model() {
    let fixture = Fixture::new(2, Kind::Several);
    for kind in HeadKind::ALL.iter().copied().filter(|kind| kind.is_fitted()) {
        let sizes = vec![3];
        let params = TrainParams { head: kind, trees: 5, sizes, max_edges: 4, ..TrainParams::default() };
        let params = params.check().unwrap();
        let fit = fit(&fixture.dataset, &fixture.parts, &params);
        let choice = fit.choose().unwrap();
        let resampler = Resampler::new(&fit, choice).unwrap();
        let members = resampler.train_all(0..2).unwrap();
        let heads: Vec<Head> = members.iter().filter_map(|member| member.head.clone()).collect();
        assert!(heads.len() == 2 && heads[0] != heads[1], "resamples differ");
        let mut model = crate::common::model(&fixture, params.get().clone());
        // A member that is the model itself has the outputs of the model.
        let itself = model.best().into();
        resampler.add_members(&mut model, members.into_iter().chain([itself]).collect()).unwrap();
        let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert!(loaded == model && loaded.members.len() == 3);
        let rows: Vec<usize> = (0..40).collect();
        let outputs = loaded.member_outputs(&fixture.dataset, &rows);
        assert_eq!(outputs[2], loaded.predict(loaded.chosen, &fixture.dataset, &rows).outputs);
        assert!(outputs[0] != outputs[2]);
    }
}

/// A fixture whose second class is rare.
fn skewed() -> Fixture {
    let mut fixture = Fixture::new(11, Kind::TwoClasses);
    let TargetValues::Classes { values, .. } = &mut fixture.dataset.targets[0].values else { panic!("classes") };
    for (at, value) in values.iter_mut().enumerate() {
        if at % 3 != 0 {
            *value = Some(0);
        }
    }
    fixture
}

#[test]
fn a_threshold_serves_the_rare_class_and_a_temperature_the_log_loss() {
    let fixture = skewed();
    let select = Some(Metric::BalancedAccuracy);
    let plain = crate::common::model(&fixture, TrainParams { select, ..params() });
    let auto = TrainParams { select, threshold: Threshold::Auto, ..params() };
    let chosen = crate::common::model(&fixture, auto);
    let mut better = 0;
    for (a, b) in plain.entries.iter().zip(&chosen.entries) {
        assert_eq!(a.iterate, b.iterate, "weights are the same");
        assert!(b.valid["balanced_accuracy"] >= a.valid["balanced_accuracy"]);
        better += usize::from(b.valid["balanced_accuracy"] > a.valid["balanced_accuracy"]);
        assert_eq!(a.valid["auc"].to_bits(), b.valid["auc"].to_bits());
    }
    assert!(better > 0);
    let calibrated = crate::common::model(&fixture, TrainParams { select, calibrate: true, ..params() });
    let mut lower = 0;
    for (a, b) in plain.entries.iter().zip(&calibrated.entries) {
        assert!(b.valid["loss"] <= a.valid["loss"] && a.valid["accuracy"] == b.valid["accuracy"]);
        lower += usize::from(b.valid["loss"] < a.valid["loss"]);
    }
    assert!(lower > 0);
    for model in [chosen, calibrated] {
        assert!(verify(&model, &fixture.dataset).unwrap().verified());
        let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.best().decision, model.best().decision);
        let metrics = loaded.evaluate(loaded.chosen, &fixture.dataset, &fixture.parts.valid).unwrap();
        assert_eq!(metrics, model.best().valid);
    }
}

#[test]
fn each_task_has_metrics_of_its_own() {
    let fixture = Fixture::new(3, Kind::Several);
    let model = crate::common::model(&fixture, params());
    let rows = &fixture.parts.valid;
    let all = model.evaluate(model.chosen, &fixture.dataset, rows).unwrap();
    let targets = Targets::gather(&model.tasks, &fixture.dataset, rows).unwrap();
    let outputs = model.predict(model.chosen, &fixture.dataset, rows).outputs;
    let each = by_task_within(&model.tasks, &targets, &outputs, &model.best().decision, &[]);
    assert_eq!((each.len(), each[0]["accuracy"], each[1]["rmse"]), (2, all["accuracy"], all["rmse"]));
    assert!(!each[0].contains_key("rmse") && !each[1].contains_key("accuracy"));
}
