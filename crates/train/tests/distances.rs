//! Distances between labels beside the subgraphs: read where the parameters say so, or where folds find that subgraphs
//! alone miss them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind};
use einsicht_data::generate::{Synthetic, generate};
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split, TargetValues};
use einsicht_graph::{Graph, Label};
use einsicht_model::Model;
use einsicht_model::params::TrainParams;
use einsicht_model::side::Summary;
use einsicht_model::task::metrics::Metric;
use einsicht_oracle::verify;
use einsicht_train::fit::{Fit, FitOptions};
use einsicht_train::resample::Resampler;

/// Paths of 16 vertices, two of which are marked: so far apart that small subgraphs do not see both, or not. The class
/// is 1 where they are at least 8 edges apart, or, if `near`, where they are neighbours.
fn marked_paths(seed: u64, near: bool) -> Dataset {
    let mut random = Random::new(seed);
    let mut dataset = generate(Synthetic::Cycle, 0).subset(&(0..120).collect::<Vec<_>>());
    let mut classes = Vec::new();
    for graph in &mut dataset.graphs {
        let class = random.index(2) as u32;
        let distance = match (near, class) {
            (true, 1) => 1,
            (false, 1) => 8 + random.index(4),
            _ => 4 + random.index(4),
        };
        // Neither end is marked, so that nothing but the distance differs.
        let first = 1 + random.index(14 - distance);
        let mut builder = Graph::builder();
        let is_marked = |at: usize| at == first || at == first + distance;
        let vertices: Vec<_> = (0..16).map(|at| builder.add_vertex(Label(u32::from(is_marked(at)))).unwrap()).collect();
        for pair in vertices.windows(2) {
            builder.add_edge(pair[0], pair[1], Label(0)).unwrap();
        }
        *graph = builder.build();
        classes.push(Some(class));
    }
    let TargetValues::Classes { values, .. } = &mut dataset.targets[0].values else { panic!("classes") };
    *values = classes;
    dataset
}

fn params(summary: Summary) -> TrainParams {
    let qualifiers = einsicht_data::QualifierChoice::None;
    TrainParams {
        sizes: vec![1, 2, 4],
        trees: 20,
        max_edges: 2,
        folds: 3,
        summary,
        qualifiers,
        ..TrainParams::default()
    }
}

fn model(dataset: &Dataset, params: TrainParams) -> Model {
    let split = Split { train: (0..dataset.len()).collect(), ..Split::default() };
    let params = params.check().unwrap();
    let fit = Fit::new(dataset, &split, &params, None, &FitOptions::default()).unwrap();
    let choice = fit.choose(&()).unwrap().unwrap();
    let mut training = fit.start(choice, None).unwrap();
    while training.step().unwrap().is_some() {}
    fit.model(&mut training).unwrap().unwrap()
}

#[test]
fn folds_take_distances_only_where_subgraphs_miss_them() {
    let (far, near) = (marked_paths(1, false), marked_paths(1, true));
    let auc = |model: &Model| model.estimate.metrics["auc"].value;
    let [none, auto, always] = [Summary::None, Summary::Auto, Summary::Distances].map(|s| model(&far, params(s)));
    assert!(auc(&none) < 0.7 && auc(&auto) > 0.95, "{} {}", auc(&none), auc(&auto));
    assert_eq!(auto.params.summary, Summary::Distances);
    assert_eq!(
        auto.to_bytes().unwrap(),
        always.to_bytes().unwrap(),
        "the model is that of the summary that was chosen"
    );
    assert_eq!(auto.side_inputs()[0].name, "summary of distances");
    // One subgraph says it all: nothing else has a share in it.
    let [none, auto] = [Summary::None, Summary::Auto].map(|s| model(&near, params(s)));
    assert_eq!((auto.best().iterate.patterns.len(), auto.params.summary), (1, Summary::None));
    assert_eq!(auto.to_bytes().unwrap(), none.to_bytes().unwrap());
    assert!(auto.gnn.is_none() && auto.side_inputs().is_empty());
}

#[test]
fn attributes_come_first_and_where_no_folds_choose_nothing_is_read() {
    let fixture = Fixture::new(3, Kind::TwoClasses).with_attributes(3);
    assert_eq!(model(&fixture.dataset, params(Summary::Auto)).params.summary, Summary::Attributes);
    let dataset = marked_paths(1, false);
    let split = Split { train: (0..90).collect(), valid: (90..120).collect(), ..Split::default() };
    let params = TrainParams { refit: false, folds: 0, ..params(Summary::Auto) }.check().unwrap();
    let fit = Fit::new(&dataset, &split, &params, None, &FitOptions::default()).unwrap();
    assert_eq!(fit.params().get().summary, Summary::None);
}

#[test]
fn a_model_that_reads_distances_is_stored_and_verified() {
    for (seed, kind) in (30..).zip([Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several]) {
        let dataset = Fixture::new(seed, kind).dataset;
        let found = model(&dataset, params(Summary::Distances));
        let read = Model::from_bytes(&found.to_bytes().unwrap()).unwrap();
        assert_eq!(read, found);
        let verdict = verify(&found, &dataset).unwrap();
        assert!(verdict.verified(), "{:?}", verdict.checks.iter().filter(|c| !c.ok).collect::<Vec<_>>());
        let rows: Vec<usize> = (0..dataset.len()).collect();
        let of_labels = found.rows_beside(&found.best().iterate, &found.encode(&dataset, &rows));
        assert!(of_labels.iter().any(|value| *value > 0.0));
    }
}

#[test]
fn a_permutation_test_reads_what_the_model_reads_and_a_model_of_no_subgraphs_is_refused() {
    let dataset = marked_paths(2, false);
    let split = Split { train: (0..90).collect(), test: (90..120).collect(), ..Split::default() };
    let observed = |summary: Summary| {
        let params = TrainParams { sizes: vec![2], ..params(summary) }.check().unwrap();
        let fit = Fit::new(&dataset, &split, &params, None, &FitOptions::default()).unwrap();
        let choice = fit.choose(&()).unwrap().unwrap();
        let mut training = fit.start(choice.clone(), None).unwrap();
        while training.step().unwrap().is_some() {}
        let model = fit.model(&mut training).unwrap().unwrap();
        let resampler = Resampler::new(&fit, choice).unwrap();
        resampler.permute(1, (Metric::Auc, model.best()), &()).unwrap().unwrap().observed
    };
    let [none, auto, distances] = [Summary::None, Summary::Auto, Summary::Distances].map(observed);
    assert!(auto.to_bits() == distances.to_bits() && none < auto, "{none} {auto} {distances}");
    let refused = TrainParams { sizes: vec![0, 1], ..params(Summary::Auto) }.check().unwrap_err();
    assert_eq!(refused.to_string(), "sizes must be from 1 where folds choose whether there is a summary, got 0");
}
