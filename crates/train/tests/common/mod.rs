//! Tiny labelled sets on which training can be compared with brute force.
#![allow(dead_code, unreachable_pub, reason = "each test file uses some of it")]

use einsicht_data::qualify::QualifierValue;
use einsicht_data::random::Random;
use einsicht_data::{Attributes, Dataset, Origin, Qualifiers, Split, Target, TargetValues, Vocabulary};
use einsicht_graph::mine::{Counts, MineParams};
use einsicht_graph::{DfsCode, Graph, Support};
use einsicht_model::Model;
use einsicht_model::features::PatternMatcher;
use einsicht_model::params::{MinSupport, TrainParams};
use einsicht_search::Search;
use einsicht_search::feature::Values;
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::oracle;
use einsicht_testkit::strategy::{Dice, Shape};
use einsicht_train::{PassDone, TrainData, TrainState, Trainer};
use std::sync::Arc;

pub const MAX_EDGES: usize = 4;

/// A set with its split and everything that a trainer wants.
pub struct Fixture {
    pub dataset: Dataset,
    pub parts: Split,
}

/// What the targets of a fixture are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    TwoClasses,
    ThreeClasses,
    Number,
    /// Two classes and a number, each with missing labels.
    Several,
}

impl Fixture {
    /// Random graphs whose targets depend on a triangle and on a labelled edge, with some noise.
    pub fn new(seed: u64, kind: Kind) -> Self {
        let mut dice = Dice::new(seed);
        let graphs: Vec<Graph> = (0..40).map(|_| dice.connected_graph(Shape { edges: 7, ..Shape::PLAIN })).collect();
        let has = |graph: &Graph, code: &[[u32; 5]]| {
            let code = einsicht_search::code_tuples::from_tuples(code).expect("a code");
            oracle::contains(graph, &code.to_graph())
        };
        let facts: Vec<(bool, bool)> =
            graphs.iter().map(|g| (has(g, &[[0, 1, 0, 0, 1]]), has(g, &[[0, 1, 0, 0, 0], [1, 2, 0, 0, 0]]))).collect();
        let noise: Vec<u32> = graphs.iter().map(|_| dice.below(8)).collect();
        let class = |at: usize, classes: u32| {
            let (a, b) = facts[at];
            (u32::from(a != b) + u32::from(a) * u32::from(classes > 2) + u32::from(noise[at] == 0)) % classes
        };
        let classes = |count: u32, missing: bool| TargetValues::Classes {
            classes: Vocabulary::from_tokens((0..count).map(|c| c.to_string())),
            values: (0..40).map(|at| (!missing || noise[at] != 3).then(|| class(at, count))).collect(),
        };
        let numbers = |missing: bool| TargetValues::Numbers {
            values: (0..40)
                .map(|at| {
                    let value = 5.0 + f64::from(class(at, 2)) * 3.0 + f64::from(noise[at]) * 0.1;
                    (!missing || noise[at] != 4).then_some(value)
                })
                .collect(),
        };
        let target = |name: &str, values| Target { name: name.to_owned(), values };
        let targets = match kind {
            Kind::TwoClasses => vec![target("y", classes(2, false))],
            Kind::ThreeClasses => vec![target("y", classes(3, false))],
            Kind::Number => vec![target("y", numbers(false))],
            Kind::Several => vec![target("y", classes(2, true)), target("z", numbers(true))],
        };
        let dataset = Dataset {
            name: "fixture".to_owned(),
            ids: (0..40).map(|at| at.to_string()).collect(),
            origins: (0..40).map(|row| Origin { row, line: 0 }).collect(),
            vertex_labels: Vocabulary::from_tokens(["0", "1"]),
            edge_labels: Vocabulary::from_tokens([""]),
            graphs,
            targets,
            ..Dataset::default()
        };
        dataset.check();
        let parts = Split { train: (0..24).collect(), valid: (24..32).collect(), test: (32..40).collect(), skipped: 0 };
        Self { dataset, parts }
    }

    /// The same with two random attributes per vertex.
    pub fn with_attributes(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut values = |graph: &Graph| (0..2 * graph.num_vertices()).map(|_| random.normal()).collect();
        let values = self.dataset.graphs.iter().map(&mut values).collect();
        self.dataset.attributes = Some(Attributes::new(2, values));
        self.dataset.check();
        self
    }

    /// The same graphs again and again, in random order: so many rows.
    pub fn repeated(&self, seed: u64, rows: usize) -> Dataset {
        let mut dice = Dice::new(seed);
        let picked: Vec<usize> = (0..rows).map(|_| dice.below(self.dataset.len() as u32) as usize).collect();
        let mut dataset = self.dataset.subset(&picked);
        dataset.ids = (0..rows).map(|at| at.to_string()).collect();
        dataset.origins = (0..rows as u32).map(|row| Origin { row, line: 0 }).collect();
        dataset.check();
        dataset
    }

    pub fn graphs(&self, rows: &[usize]) -> Vec<Graph> {
        rows.iter().map(|&row| self.dataset.graphs[row].clone()).collect()
    }

    /// The same with properties of the vertices that patterns may require.
    pub fn qualified(mut self, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let value =
            |property: &str, token: &str| QualifierValue { property: property.to_owned(), token: token.to_owned() };
        let mut values: Vec<QualifierValue> = ["a", "b"].map(|token| value("first", token)).to_vec();
        values.extend(["a", "b", "c"].map(|token| value("second", token)));
        self.dataset.qualifiers = Qualifiers::from_values(values, false).expect("five values");
        for graph in &mut self.dataset.graphs {
            dice.qualify(graph);
            let known = self.dataset.qualifiers.mask();
            let bits = graph.vertices().map(|v| graph.qualifiers(v) & known).collect();
            graph.set_qualifiers(bits);
        }
        self
    }

    /// The exhaustive search for trainings with these parameters.
    pub fn search(&self, params: &TrainParams) -> Exhaustive {
        let &TrainParams { min_edges, max_edges, max_qualifiers, .. } = params;
        let max_qualified_edges = params.qualified_edges();
        let language = oracle::Language { min_edges, max_edges, max_qualifiers, max_qualified_edges };
        Exhaustive::of_language(&self.graphs(&self.parts.train), language, 1, params.values().counts())
    }

    /// Matches in the validation and test sets, by brute force.
    pub fn matcher(&self) -> BruteForce {
        BruteForce(self.graphs(&[&self.parts.valid[..], &self.parts.test[..]].concat()))
    }
}

/// A matcher that tries all maps.
pub struct BruteForce(Vec<Graph>);

impl PatternMatcher for BruteForce {
    fn supports(&mut self, codes: &[DfsCode], values: Values) -> Vec<Arc<Support>> {
        let support = |code: &DfsCode| {
            let pattern = code.to_graph();
            let present = (0..self.0.len() as u32).filter(|&g| oracle::contains(&self.0[g as usize], &pattern));
            let present: Vec<u32> = present.collect();
            let count = |&g: &u32| match values.counts() {
                Counts::Copies => oracle::copies(&self.0[g as usize], &pattern),
                _ => oracle::min_image_count(&self.0[g as usize], &pattern),
            };
            let counts = if values.needs_counts() { present.iter().map(count).collect() } else { Vec::new() };
            Support::detached(present, counts)
        };
        codes.iter().map(support).collect()
    }
}

/// Few sizes and few steps: quick, but every part of a pass happens.
pub fn params() -> TrainParams {
    TrainParams {
        sizes: vec![1, 2, 4, 8],
        max_edges: MAX_EDGES,
        hidden: 3,
        network_steps: 5,
        max_iterations: 12,
        polish_steps: 3,
        ..TrainParams::ein()
    }
}

/// The patterns of a training.
pub fn mining(params: &TrainParams, threads: usize) -> MineParams {
    let &TrainParams { min_edges, max_edges, max_qualifiers, .. } = params;
    let counts = params.values().counts();
    let max_qualified_edges = params.qualified_edges();
    MineParams { min_edges, max_edges, max_qualifiers, max_qualified_edges, counts, threads, ..MineParams::default() }
}

/// The defaults, made quick: patterns one after the other, counts, linear model and forest.
pub fn usual() -> TrainParams {
    TrainParams {
        sizes: vec![1, 2, 4, 8],
        max_edges: MAX_EDGES,
        min_support: MinSupport::Graphs(1),
        trees: 5,
        ..TrainParams::default()
    }
}

/// Trains by exhaustive search and puts the model together.
pub fn model(fixture: &Fixture, params: TrainParams) -> Model {
    let search = fixture.search(&params);
    model_by(fixture, params, search)
}

/// Trains with any search and puts the model together.
pub fn model_by(fixture: &Fixture, params: TrainParams, search: impl Search) -> Model {
    model_and_search(fixture, params, search).0
}

/// Trains by exhaustive search to the end: the passes, and the last state.
pub fn train(fixture: &Fixture, params: TrainParams) -> (Vec<PassDone>, TrainState) {
    let search = fixture.search(&params);
    let mut trainer = trainer_by(fixture, params, search);
    let mut passes = Vec::new();
    while let Some(pass) = trainer.step().expect("a pass") {
        passes.push(pass);
    }
    (passes, trainer.state().clone())
}

fn trainer_by<S: Search>(fixture: &Fixture, params: TrainParams, search: S) -> Trainer<S, BruteForce> {
    let params = params.check().expect("good parameters");
    let data = TrainData::new(&fixture.dataset, &fixture.parts, None).expect("good targets");
    let data = data.for_params(params.get(), &fixture.dataset, &fixture.parts).expect("good attributes");
    Trainer::new(&params, Arc::new(data), search, fixture.matcher()).expect("a start")
}

/// Trains with any search: the model, and the search as it is afterwards.
pub fn model_and_search<S: Search>(fixture: &Fixture, params: TrainParams, search: S) -> (Model, S) {
    let mut trainer = trainer_by(fixture, params, search);
    trainer.run().expect("a path");
    let model = trainer.model(&fixture.dataset, &fixture.parts).expect("classes").expect("entries");
    (model, trainer.into_parts().0)
}
