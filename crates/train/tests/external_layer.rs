//! The mining layer with the loss outside against the trainer: the same step from the same state, bit for bit.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind, MAX_EDGES, params};
use einsicht_graph::mine::MineParams;
use einsicht_graph::tree::Tree;
use einsicht_model::Model;
use einsicht_model::{Iterate, PatternWeights};
use einsicht_search::bound::Delta;
use einsicht_search::feature::Values;
use einsicht_search::{Competes, SearchOptions, TreeSearch};
use einsicht_train::external::{ExternalLayer, StepRules};

/// The loss of a model at these weights, and delta there.
fn loss(model: &Model, fixture: &Fixture, iterate: &Iterate) -> (f64, Vec<f64>) {
    let rows = &fixture.parts.train;
    let gradients = einsicht_train::gradients(model, iterate, &fixture.dataset, rows, &vec![1.0; rows.len()]).unwrap();
    (gradients.loss, gradients.delta)
}

#[test]
fn the_step_with_the_loss_outside_is_that_of_the_trainer() {
    let fixture = Fixture::new(5, Kind::TwoClasses);
    let model = crate::common::model(&fixture, einsicht_model::params::TrainParams { weight_decay: 0.0, ..params() });
    let train = fixture.graphs(&fixture.parts.train);
    let mine = MineParams { max_edges: MAX_EDGES, ..Default::default() };
    let search = TreeSearch::new(Tree::new(&train, mine).unwrap(), SearchOptions::default());
    let mut layer = ExternalLayer::new(search, Competes::SupportClass, Values::Presence);
    let params = &model.params;
    let mut compared = 0;
    for entry in &model.entries {
        let Some(before) = &entry.before else { continue };
        let (loss_before, delta) = loss(&model, &fixture, &before.iterate);
        let rules = StepRules::new(params, before.size, train.len() as f64);
        let delta = Delta::new(&delta, params.hidden).unwrap();
        // The network behind the loss is the native one: `b` replaces the sums, graph by graph.
        let after = |sums: &[f64]| {
            let rows = fixture.parts.train.iter().zip(sums.chunks(params.hidden));
            rows.fold(0.0, |total, (&row, sums)| {
                let bias = sums.iter().zip(&before.iterate.bias).map(|(sum, b)| sum + b).collect();
                let iterate = Iterate { bias, network: before.iterate.network.clone(), ..Iterate::default() };
                total + einsicht_train::gradients(&model, &iterate, &fixture.dataset, &[row], &[1.0]).unwrap().loss
            })
        };
        let stepped =
            layer.prepare_step(delta, &before.iterate.patterns, rules.clone()).unwrap().step(loss_before, after);
        assert_eq!(stepped.step, Some(before.step));
        let found = layer.search(delta, &before.iterate.patterns, &rules).unwrap();
        assert!(found.candidates.len() + before.iterate.patterns.len() >= stepped.patterns.len());
        let codes = |patterns: &[PatternWeights]| patterns.iter().map(|p| p.code.clone()).collect::<Vec<_>>();
        let chosen: Vec<PatternWeights> = stepped.patterns.iter().map(|(pattern, _)| pattern.clone()).collect();
        assert_eq!(codes(&chosen), codes(&entry.iterate.patterns));
        for (pattern, support) in &stepped.patterns {
            assert_eq!(support.graphs(), layer.support(&pattern.code).unwrap().graphs());
        }
        compared += 1;
    }
    assert!(compared > 1, "{compared} steps were compared");
}

#[test]
fn a_loss_that_is_not_a_number_leaves_the_weights_alone() {
    let fixture = Fixture::new(6, Kind::TwoClasses);
    let train = fixture.graphs(&fixture.parts.train);
    let search = TreeSearch::new(
        Tree::new(&train, MineParams { max_edges: 3, ..Default::default() }).unwrap(),
        SearchOptions::default(),
    );
    let mut layer = ExternalLayer::new(search, Competes::SupportClass, Values::Presence);
    let delta: Vec<f64> = (0..train.len()).map(|at| at as f64 - 3.0).collect();
    let delta = Delta::new(&delta, 1).unwrap();
    let rules =
        StepRules { size: 2, step_sizes: vec![1.0, 0.5], step_ratio: 0.5, sufficient_decrease: 1e-4, decay: 0.1 };
    let taken = layer.prepare_step(delta, &[], rules.clone()).unwrap().step(1e6, |_| 0.0);
    assert_eq!((taken.step, taken.patterns.len()), (Some(1.0), 2));
    let weights: Vec<PatternWeights> = taken.patterns.into_iter().map(|(pattern, _)| pattern).collect();
    let mut evaluated = 0;
    let refused = layer.prepare_step(delta, &weights, rules).unwrap().step(10.0, |_| {
        evaluated += 1;
        f64::NAN
    });
    assert_eq!((refused.step, evaluated), (None, 2));
    assert_eq!(refused.patterns.into_iter().map(|(pattern, _)| pattern).collect::<Vec<_>>(), weights);
}
