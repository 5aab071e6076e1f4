//! Excluded and required patterns: those that are never chosen, and those that always are.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind, model, model_by, params};
use einsicht_graph::DfsCode;
use einsicht_graph::tree::Tree;
use einsicht_model::params::{NetworkKind, Penalty, TrainParams};
use einsicht_oracle::verify;
use einsicht_search::{Competes, Search, SearchOptions, TreeSearch};
use einsicht_train::{TrainData, TrainError, Trainer};
use std::sync::Arc;

fn kinds() -> Vec<TrainParams> {
    let lambda = TrainParams { penalty: Penalty::L1, lambdas: 5, ..params() };
    vec![
        params(),
        TrainParams { unit: Competes::Pattern, ..params() },
        TrainParams { network: NetworkKind::None, ..lambda.clone() },
        lambda,
    ]
}

fn pruned(fixture: &Fixture, params: &TrainParams) -> TreeSearch {
    let graphs = fixture.graphs(&fixture.parts.train);
    TreeSearch::new(Tree::new(&graphs, crate::common::mining(params, 1)).unwrap(), SearchOptions::default())
}

/// The same model by both searches, verified.
fn agreed(fixture: &Fixture, params: &TrainParams) -> einsicht_model::Model {
    let truth = model(fixture, params.clone());
    let found = model_by(fixture, params.clone(), pruned(fixture, params));
    assert!(truth.to_bytes().unwrap() == found.to_bytes().unwrap(), "{params:?}");
    let verification = verify(&truth, &fixture.dataset).unwrap();
    assert!(verification.verified(), "{:#?}", verification.checks);
    truth
}

#[test]
fn an_excluded_pattern_and_all_of_its_support_class_are_never_chosen() {
    for (seed, way) in kinds().into_iter().enumerate() {
        let fixture = Fixture::new(seed as u64, Kind::TwoClasses);
        let mut search = fixture.search(&way);
        let before = model(&fixture, way.clone());
        let exclude: Vec<DfsCode> =
            before.best().iterate.patterns.iter().take(2).map(|pattern| pattern.code.clone()).collect();
        assert!(!exclude.is_empty());
        let gone: Vec<_> = exclude.iter().map(|code| search.lookup(code).unwrap()).collect();
        let after = agreed(&fixture, &TrainParams { exclude, ..way });
        for pattern in after.entries.iter().flat_map(|entry| &entry.iterate.patterns) {
            let support = search.lookup(&pattern.code).unwrap();
            assert!(gone.iter().all(|other| other.graphs() != support.graphs()));
        }
        assert!(after.entries.iter().any(|entry| !entry.iterate.patterns.is_empty()));
    }
}

#[test]
fn a_required_pattern_is_in_every_model() {
    for (seed, way) in kinds().into_iter().enumerate() {
        let fixture = Fixture::new(seed as u64, Kind::Several);
        // The largest of a class, so that it is not the one that the search would take.
        let before = model(&fixture, way.clone());
        let class = before.patterns.iter().map(|p| &p.class).max_by_key(|class| class.size).unwrap();
        let require = vec![class.maximal.last().unwrap().clone()];
        let after = agreed(&fixture, &TrainParams { require: require.clone(), ..way });
        for entry in &after.entries {
            assert!(entry.iterate.patterns.iter().any(|pattern| pattern.code == require[0]));
            assert!(entry.lambda.is_some() || entry.iterate.patterns.len() <= entry.size);
        }
        let weights = |at: usize| &after.entries[at].iterate.patterns;
        assert!(weights(0).iter().any(|p| p.code == require[0] && p.weights.iter().any(|w| *w != 0.0)));
    }
}

#[test]
fn patterns_that_are_required_and_excluded_are_refused() {
    let fixture = Fixture::new(1, Kind::TwoClasses);
    let known = model(&fixture, params());
    let code = known.best().iterate.patterns[0].code.clone();
    let missing = einsicht_search::code_tuples::from_tuples(&[[0, 1, 0, 0, 7]]).unwrap();
    let refused = |params: TrainParams| {
        let params = params.check().unwrap();
        let data = Arc::new(TrainData::new(&fixture.dataset, &fixture.parts, None).unwrap());
        let started = Trainer::new(&params, data, fixture.search(params.get()), fixture.matcher());
        match started.map(|_| ()) {
            Err(TrainError::Required { reason }) => reason,
            other => panic!("{other:?}"),
        }
    };
    let both = TrainParams { exclude: vec![code.clone()], require: vec![code.clone()], ..params() };
    assert!(refused(both).contains("must not be excluded"));
    // A pattern outside the training graphs has no support, neither in a saved state nor as a required pattern.
    let search = &mut fixture.search(&params());
    assert!(search.lookup(&missing).is_err());
    let twice = TrainParams { sizes: vec![2], require: vec![code.clone(), code.clone()], ..params() };
    assert!(refused(twice).contains("must differ"));
    let few = TrainParams { sizes: vec![1, 5], require: vec![code, missing], ..params() };
    assert_eq!(few.check().unwrap_err().name(), "sizes");
}
