//! Small models for tests of what explains and shows them.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "for tests, which may panic")]

use einsicht_data::generate::{Synthetic, generate};
use einsicht_data::random::Random;
use einsicht_data::read::{Format, read_from, read_smiles};
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_data::{Dataset, FeatureColumn, QualifierChoice, ReadOptions, Split, Target, TargetValues, Vocabulary};
use einsicht_model::Activation;
use einsicht_model::Model;
use einsicht_model::heads::HeadKind;
use einsicht_model::params::{Threshold, TrainParams};
use einsicht_search::feature::Feature;
use einsicht_train::fit::{FitOptions, fit_without_effects};

fn train(dataset: &Dataset, params: TrainParams) -> Model {
    let split = default_split(dataset, Fractions { valid: 0.3, test: 0.0 }, 0).unwrap();
    let params = params.check().unwrap();
    fit_without_effects(dataset, &split, &params, &FitOptions::default()).unwrap()
}

fn params() -> TrainParams {
    TrainParams { sizes: vec![6], max_edges: 3, hidden: 3, max_iterations: 6, ..TrainParams::ein() }
}

/// Sixty graphs and a model of up to six patterns of them.
pub fn rings() -> (Dataset, Model) {
    let whole = generate(Synthetic::CycleXor, 1);
    let dataset = whole.subset(&(0..600).step_by(10).collect::<Vec<_>>());
    let model = train(&dataset, params());
    (dataset, model)
}

/// A hundred graphs with targets that say nothing, and a model with random forests of the first eighty, chosen by folds
/// or, with a validation set, by that: what it was fitted on it knows by heart, and it predicts no better than chance.
pub fn by_heart(valid: usize, refit: bool) -> (Dataset, Model) {
    let whole = generate(Synthetic::CycleXor, 1);
    let mut dataset = whole.subset(&(0..600).step_by(6).collect::<Vec<_>>());
    let mut random = Random::new(5);
    let values = dataset.graphs.iter().map(|_| Some(random.index(2) as u32)).collect();
    let classes = Vocabulary::from_tokens(["0", "1"]);
    dataset.targets = vec![Target { name: "coin".to_owned(), values: TargetValues::Classes { classes, values } }];
    let split = Split {
        train: (0..80 - valid).collect(),
        valid: (80 - valid..80).collect(),
        test: (80..100).collect(),
        ..Split::default()
    };
    let params = TrainParams {
        sizes: vec![2, 6],
        max_edges: 4,
        max_iterations: 4,
        head: HeadKind::Forest,
        refit,
        folds: usize::from(valid > 0),
        calibrate: true,
        threshold: Threshold::Auto,
        ..TrainParams::default()
    };
    let params = params.check().unwrap();
    let model = fit_without_effects(&dataset, &split, &params, &FitOptions::default()).unwrap();
    (dataset, model)
}

/// A hundred graphs with three targets, of two classes, of three and a number, and a model of up to ten patterns of
/// them with this head.
pub fn with_head(head: HeadKind) -> (Dataset, Model) {
    headed(head, 10, &[])
}

/// The same with fewer patterns, and two columns beside the graphs.
pub fn with_head_and_columns(head: HeadKind) -> (Dataset, Model) {
    headed(head, 6, &["dose", "noise"])
}

fn headed(head: HeadKind, size: usize, columns: &[&str]) -> (Dataset, Model) {
    let whole = generate(Synthetic::CycleXor, 1);
    let mut dataset = whole.subset(&(0..600).step_by(6).collect::<Vec<_>>());
    let mut random = Random::new(8);
    let edges: Vec<usize> = dataset.graphs.iter().map(einsicht_graph::Graph::num_edges).collect();
    let mut classes = |names: &[&str]| TargetValues::Classes {
        classes: Vocabulary::from_tokens(names.iter().copied()),
        values: edges.iter().map(|edges| Some(((edges + random.index(2)) % names.len()) as u32)).collect(),
    };
    let (two, three) = (classes(&["0", "1"]), classes(&["a", "b", "c"]));
    let numbers = TargetValues::Numbers { values: edges.iter().map(|edges| Some(*edges as f64)).collect() };
    let target = |name: &str, values| Target { name: name.to_owned(), values };
    dataset.targets = vec![target("two", two), target("three", three), target("number", numbers)];
    for name in columns {
        let values = edges.iter().map(|edges| (edges % 7) as f64 + random.normal()).collect();
        dataset.features.push(FeatureColumn { name: (*name).to_owned(), values });
    }
    let params = TrainParams {
        sizes: vec![size],
        max_edges: 4,
        max_iterations: 4,
        trees: 20,
        folds: 3,
        ..TrainParams::default()
    };
    let model = train(&dataset, TrainParams { head, ..params });
    (dataset, model)
}

/// Forty random trees, each with a house or a ring of five hung on, and a model of one pattern that tells them apart.
/// The last five vertices are the house or the ring.
pub fn houses() -> (Dataset, Model) {
    let mut random = Random::new(4);
    let mut text = String::new();
    for graph in 0..40 {
        let tree = 8 + random.index(4);
        let mut edges: Vec<(usize, usize)> = (1..tree).map(|vertex| (random.index(vertex), vertex)).collect();
        edges.extend((0..5).map(|at| (tree + at, tree + (at + 1) % 5)));
        edges.push((random.index(tree), tree + graph / 2 % 5));
        edges.extend((graph % 2 == 0).then_some((tree + 1, tree + 3)));
        text += &format!("t # {graph} {}\n", graph % 2);
        (0..tree + 5).for_each(|vertex| text += &format!("v {vertex} a\n"));
        for (from, to) in &edges {
            text += &format!("e {from} {to} -\n");
        }
    }
    let input = std::io::Cursor::new(text.into_bytes());
    let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
    let dataset = read_from(std::path::Path::new("houses.gspan"), input, &options).unwrap();
    let params = TrainParams { sizes: vec![1], max_edges: 7, min_edges: 1, ..TrainParams::default() };
    let model =
        train(&dataset, TrainParams { feature: Feature::Presence, qualifiers: QualifierChoice::None, ..params });
    (dataset, model)
}

/// Molecules with the properties of their atoms, and a model of up to six qualified patterns that recognises amines.
pub fn amines(feature: Feature) -> (Dataset, Model) {
    let (groups, tails) = (["N", "O", "NC", "Cl", "F", "C"], ["CC", "CCO", "c1ccccc1", "C(C)C", "C1CCCC1", "CCBr"]);
    let molecules: Vec<String> = groups.iter().flat_map(|g| tails.map(|tail| format!("{g}C{tail}"))).collect();
    let mut dataset = read_smiles(&molecules, &ReadOptions::default()).unwrap();
    let values = molecules.iter().map(|smiles| Some(u32::from(smiles.starts_with('N'))));
    let classes = Vocabulary::from_tokens(["0", "1"]);
    let values = TargetValues::Classes { classes, values: values.collect() };
    dataset.targets = vec![Target { name: "amine".to_owned(), values }];
    let mut params = TrainParams { feature, qualifiers: QualifierChoice::Auto, ..params() };
    let dataset = params.qualify(dataset).unwrap();
    let model = train(&dataset, params);
    (dataset, model)
}

/// The model of [`rings`] with random weights that are large enough for patterns to interact.
pub fn tangled(seed: u64) -> Model {
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
pub fn linear() -> Model {
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
