//! Small models for the tests of this crate.

use einsicht_data::generate::{Synthetic, generate};
use einsicht_data::random::Random;
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_data::{Dataset, Target, TargetValues};
use einsicht_learn::Activation;
use einsicht_learn::fit::{FitOptions, fit};
use einsicht_learn::model::Model;
use einsicht_learn::params::TrainParams;
use std::ops::ControlFlow;

fn train(dataset: &Dataset, params: TrainParams) -> Model {
    let split = default_split(dataset, Fractions { valid: 0.3, test: 0.0 }, 0).unwrap();
    let params = params.check().unwrap();
    fit(dataset, &split, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap()
}

fn params() -> TrainParams {
    TrainParams { sizes: vec![6], max_edges: 3, hidden: 3, max_iterations: 6, ..TrainParams::ein() }
}

/// Sixty graphs and a model of up to six patterns of them.
pub(crate) fn rings() -> (Dataset, Model) {
    let whole = generate(Synthetic::CycleXor, 1);
    let dataset = whole.subset(&(0..600).step_by(10).collect::<Vec<_>>());
    let model = train(&dataset, params());
    (dataset, model)
}

/// The same with random weights that are large enough for patterns to interact.
pub(crate) fn tangled(seed: u64) -> Model {
    let mut model = rings().1;
    let mut random = Random::new(seed);
    for entry in &mut model.entries {
        for pattern in &mut entry.iterate.patterns {
            pattern.weights.iter_mut().for_each(|weight| *weight = 3.0 * random.normal());
        }
        entry.iterate.network.iter_mut().for_each(|weight| *weight = 2.0 * random.normal());
    }
    model
}

/// A regression model that is linear: its hidden units never leave the linear part of a ReLU.
pub(crate) fn linear() -> Model {
    let (mut dataset, _) = rings();
    let values = dataset.graphs.iter().map(|graph| Some(graph.num_edges() as f64)).collect();
    dataset.targets = vec![Target { name: "edges".to_owned(), values: TargetValues::Numbers { values } }];
    let mut model = train(&dataset, params());
    model.params.activation = Activation::Relu;
    assert!(model.best().iterate.patterns.len() > 1, "patterns to be explained");
    for entry in &mut model.entries {
        for (at, pattern) in entry.iterate.patterns.iter_mut().enumerate() {
            pattern.weights.fill(0.0);
            pattern.weights[0] = if at % 2 == 0 { 1.0 + at as f64 } else { -0.5 - at as f64 };
        }
        entry.iterate.bias.fill(1000.0);
        entry.iterate.network.fill(0.5);
    }
    model
}
