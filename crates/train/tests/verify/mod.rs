//! `verify` accepts honest models and names the claim that a tampered one breaks.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod lies;
mod mutations;

use crate::common::{Fixture, Kind, model, params, usual};
use einsicht_model::Model;
use einsicht_model::params::TrainParams;
use einsicht_oracle::{Part, Stage, VerifyError, VerifyOptions, estimated_work, verify, verify_with};
use einsicht_search::Competes;
use einsicht_search::feature::Feature;
use std::sync::Mutex;

fn failed(model: &Model, fixture: &Fixture) -> Vec<String> {
    let checks = verify(model, &fixture.dataset).expect("checks").checks;
    checks.into_iter().filter(|check| !check.ok).map(|check| check.name).collect()
}

#[test]
fn honest_models_of_every_kind_are_verified() {
    for kind in [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several] {
        for unit in [Competes::SupportClass, Competes::Pattern] {
            let fixture = Fixture::new(8, kind);
            let feature = if kind == Kind::Number { Feature::Count } else { Feature::Presence };
            let model = model(&fixture, TrainParams { unit, feature, layers: vec![3], ..params() });
            let verification = verify(&model, &fixture.dataset).unwrap();
            assert!(verification.verified(), "{kind:?} {unit:?} {:#?}", verification.checks);
            assert!(verification.gradient_norms.iter().all(|norm| norm.is_finite()));
            assert!(model.entries.iter().any(|entry| entry.before.is_some()));
        }
    }
}

#[test]
fn models_with_heads_are_verified_too() {
    for kind in [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several] {
        let fixture = Fixture::new(8, kind);
        let model = model(&fixture, usual());
        let verification = verify(&model, &fixture.dataset).unwrap();
        assert!(verification.verified(), "{kind:?} {:#?}", verification.checks);
        assert!(model.entries.iter().all(|entry| entry.head.is_some()));
        // One pattern after the other: each step allows one more pattern than before.
        let last = model.entries.last().unwrap();
        let before = last.before.as_ref().unwrap();
        assert_eq!((last.iterate.patterns.len(), before.iterate.patterns.len()), (8, 7));
    }
}

#[test]
fn subgraphs_that_enter_together_are_verified_too() {
    let mut together = 0;
    for kind in [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several] {
        for seed in 8..12 {
            let fixture = Fixture::new(seed, kind);
            let model = model(&fixture, TrainParams { growth: 3, ..usual() });
            let verification = verify(&model, &fixture.dataset).unwrap();
            assert!(verification.verified(), "{kind:?} {:#?}", verification.checks);
            for entry in &model.entries {
                let before = entry.before.as_ref().map_or(0, |before| before.iterate.patterns.len());
                together += usize::from(entry.iterate.patterns.len() > before + 1);
            }
        }
    }
    assert!(together > 10, "{together}");
}

type Tamper = fn(&mut Model);

#[test]
fn every_tampered_claim_is_named() {
    let fixture = Fixture::new(8, Kind::TwoClasses);
    let honest = model(&fixture, params());
    let cases: [(Tamper, &str); 8] = [
        (|m| m.fingerprint = "0".repeat(32), "data set"),
        (|m| m.patterns[0].support += 1, "supports"),
        (|m| m.patterns[0].by_class[0][1] += 1, "supports"),
        (|m| m.patterns[0].class.size += 1, "support classes"),
        (|m| m.entries[2].before.as_mut().expect("a step").step *= 0.5, "choice of entry 2 (at most 4 patterns)"),
        (|m| m.entries[2].before.as_mut().expect("a step").size = 3, "choice of entry 2 (at most 4 patterns)"),
        (
            |m| {
                let gone = m.entries[1].iterate.patterns.pop();
                assert!(gone.is_some());
            },
            "choice of entry 1 (at most 2 patterns)",
        ),
        (|m| m.entries[0].valid.insert("accuracy".to_owned(), 2.0).map_or((), drop), "predictions"),
    ];
    for (tamper, expected) in cases {
        let mut tampered = honest.clone();
        tamper(&mut tampered);
        assert!(failed(&tampered, &fixture).contains(&expected.to_owned()), "{expected}");
    }
    assert_eq!(failed(&honest, &fixture), Vec::<String>::new());
}

#[test]
fn a_part_covers_the_steps_that_it_says() {
    for (seed, params) in
        (0..).zip([usual(), TrainParams { layers: vec![3], ..params() }, TrainParams { growth: 3, ..usual() }])
    {
        let fixture = Fixture::new(8, Kind::TwoClasses);
        let model = model(&fixture, params);
        let steps: Vec<usize> = (0..model.entries.len()).filter(|at| model.entries[*at].before.is_some()).collect();
        let check = |model: &Model, steps: usize| {
            let part = Some(Part { steps, seed });
            verify_with(model, &fixture.dataset, &VerifyOptions { part, ..VerifyOptions::default() }).unwrap()
        };
        let (one, all) = (check(&model, 1), check(&model, usize::MAX));
        assert!(one.verified() && all.verified() && !all.repeated, "{:#?}", all.checks);
        let (of_one, of_all) = (one.covered.unwrap(), all.covered.unwrap());
        assert_eq!((of_one.entries.len(), of_one.steps, &of_all.entries), (1, steps.len(), &steps));
        assert!(steps.contains(&of_one.entries[0]) && of_all.subgraphs > model.patterns.len());
    }
}

#[test]
fn the_work_is_told_before_it_begins_and_while_it_lasts() {
    let fixture = Fixture::new(8, Kind::TwoClasses);
    let model = model(&fixture, params());
    let estimate = estimated_work(&model, &fixture.dataset).unwrap();
    assert!(estimate > model.fitted_rows().len() as f64 && estimate < 1e9, "{estimate}");
    let stages = Mutex::new(Vec::new());
    let watch = |stage| stages.lock().unwrap().push(stage);
    verify_with(&model, &fixture.dataset, &VerifyOptions { part: None, watch: &watch }).unwrap();
    let stages = stages.into_inner().unwrap();
    let graphs = model.fitted_rows().len();
    assert!(stages.contains(&Stage::Listed { done: graphs, graphs }) && stages.contains(&Stage::Repeating));
    let steps = model.entries.len();
    assert!(stages.contains(&Stage::Step { step: steps, steps }));
}

#[test]
fn other_data_are_refused_with_the_reason() {
    let fixture = Fixture::new(8, Kind::TwoClasses);
    let model = model(&fixture, params());
    let fewer = fixture.dataset.subset(&(1..40).collect::<Vec<_>>());
    assert_eq!(verify(&model, &fewer), Err(VerifyError::NoSuchRow { row: 0 }));
    let mut renamed = fixture.dataset.clone();
    renamed.vertex_labels = einsicht_data::Vocabulary::from_tokens(["1", "2"]);
    assert_eq!(verify(&model, &renamed), Err(VerifyError::OtherLabels { which: "vertex" }));
}
