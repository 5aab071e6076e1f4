//! Pairs of patterns that interact: found where no single pattern says anything, the same by every search, kept in the
//! file, and absent where nothing interacts.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, model_and_search, model_by};
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Origin, Split, Target, TargetValues, Vocabulary};
use einsicht_graph::tree::Tree;
use einsicht_graph::{DfsCode, Graph, Label, Support, VertexId};
use einsicht_model::Model;
use einsicht_model::params::{MinSupport, TrainParams};
use einsicht_search::feature::Values;
use einsicht_search::{Query, Search, SearchError, SearchOptions, SearchResult, SupportClass, TreeSearch};
use einsicht_train::fit::{FitOptions, fit_without_effects};
use einsicht_train::{TrainData, TrainState, Trainer};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What decides the class.
#[derive(Clone, Copy)]
enum Rule {
    /// One of two groups, not both.
    Either,
    /// Nothing that is in the graph.
    Chance,
}

/// Random trees of labels 0 and 1, to half of which the group 2-3 is attached, and to half of which the group 4-5.
fn planted(seed: u64, graphs: usize, rule: Rule) -> Fixture {
    let mut random = Random::new(seed);
    let mut coin = || random.index(2) == 1;
    let mut all = Vec::new();
    let mut classes = Vec::new();
    for _ in 0..graphs {
        let mut builder = Graph::builder();
        let mut vertices: Vec<VertexId> = Vec::new();
        for at in 0..5 {
            let vertex = builder.add_vertex(Label(u32::from(coin()))).unwrap();
            if at > 0 {
                let parent = vertices[if coin() { at - 1 } else { 0 }];
                builder.add_edge(parent, vertex, Label(0)).unwrap();
            }
            vertices.push(vertex);
        }
        let has = [coin(), coin()];
        for (group, _) in has.iter().enumerate().filter(|(_, has)| **has) {
            let first = builder.add_vertex(Label(2 + 2 * group as u32)).unwrap();
            let second = builder.add_vertex(Label(3 + 2 * group as u32)).unwrap();
            builder.add_edge(vertices[0], first, Label(0)).unwrap();
            builder.add_edge(first, second, Label(0)).unwrap();
        }
        all.push(builder.build());
        let class = match rule {
            Rule::Either => has[0] != has[1],
            Rule::Chance => coin(),
        };
        classes.push(Some(u32::from(class)));
    }
    let classes = TargetValues::Classes { classes: Vocabulary::from_tokens(["no", "yes"]), values: classes };
    let dataset = Dataset {
        name: "planted".to_owned(),
        ids: (0..graphs).map(|at| at.to_string()).collect(),
        origins: (0..graphs).map(|row| Origin { row: row as u32, line: 0 }).collect(),
        vertex_labels: Vocabulary::from_tokens(["0", "1", "2", "3", "4", "5"]),
        edge_labels: Vocabulary::from_tokens([""]),
        graphs: all,
        targets: vec![Target { name: "y".to_owned(), values: classes }],
        ..Dataset::default()
    };
    dataset.check();
    let ends = [graphs * 6 / 10, graphs * 8 / 10];
    let parts = Split {
        train: (0..ends[0]).collect(),
        valid: (ends[0]..ends[1]).collect(),
        test: (ends[1]..graphs).collect(),
        skipped: 0,
    };
    Fixture { dataset, parts }
}

fn params() -> TrainParams {
    TrainParams { sizes: vec![1, 2, 3, 5, 8], max_edges: 3, max_qualifiers: 0, trees: 20, ..TrainParams::default() }
}

fn trained(fixture: &Fixture, params: &TrainParams, threads: usize) -> Model {
    let options = FitOptions { threads, ..FitOptions::default() };
    let params = params.clone().check().unwrap();
    fit_without_effects(&fixture.dataset, &fixture.parts, &params, &options).unwrap()
}

#[test]
fn either_of_two_groups_but_not_both_is_found_with_few_subgraphs() {
    let mut of_singles = 0.0;
    for seed in 0..10 {
        let fixture = planted(seed, 300, Rule::Either);
        let model = trained(&fixture, &params(), 1);
        let best = model.best();
        assert!(best.iterate.patterns.len() <= 4, "seed {seed}: {} subgraphs", best.iterate.patterns.len());
        assert!(best.test["accuracy"] >= 0.98, "seed {seed}: {:?}", best.test);
        assert_eq!(best.iterate.pairs.len(), 1, "seed {seed}");
        // Each of the pair is of one of the groups.
        let mut groups: Vec<u32> = Vec::new();
        for code in &best.iterate.pairs[0].codes {
            let graph = code.to_graph();
            groups.extend(graph.vertex_labels().iter().filter(|label| label.0 > 1).map(|label| label.0 / 2));
        }
        groups.sort_unstable();
        groups.dedup();
        assert_eq!(groups, [1, 2], "seed {seed}");
        let without = trained(&fixture, &TrainParams { interactions: 0, sizes: vec![1, 2], ..params() }, 1);
        of_singles += without.best().test["accuracy"];
    }
    // Without pairs no single subgraph leads there.
    assert!(of_singles / 10.0 < 0.75, "{of_singles}");
}

#[test]
fn pairs_are_the_same_by_exhaustive_search_threads_and_file() {
    let mut pairs = 0;
    for seed in 20..26 {
        let fixture = planted(seed, 200, Rule::Either);
        let params = TrainParams { max_edges: 2, min_support: MinSupport::Graphs(1), ..params() };
        let truth = model_by(&fixture, params.clone(), fixture.search(&params));
        pairs += truth.entries.iter().map(|entry| entry.iterate.pairs.len()).sum::<usize>();
        let truth = truth.to_bytes().unwrap();
        for (threads, prune) in [(1, true), (2, true), (1, false)] {
            let options = SearchOptions { threads, prune, drift: prune, ..SearchOptions::default() };
            let graphs = fixture.graphs(&fixture.parts.train);
            let tree = Tree::new(&graphs, crate::common::mining(&params, threads)).unwrap();
            let found = model_by(&fixture, params.clone(), TreeSearch::new(tree, options)).to_bytes().unwrap();
            assert!(found == truth, "seed {seed}, {options:?}");
        }
        let model = trained(&fixture, &params, 1);
        let bytes = model.to_bytes().unwrap();
        assert!(bytes == trained(&fixture, &params, 2).to_bytes().unwrap(), "seed {seed}: threads");
        let again = Model::from_bytes(&bytes).unwrap();
        assert_eq!(again.entries, model.entries);
        let rows: Vec<usize> = (0..fixture.dataset.len()).collect();
        let predictions = |model: &Model| model.predict(model.chosen, &fixture.dataset, &rows);
        assert_eq!(predictions(&again), predictions(&model));
    }
    assert!(pairs > 6, "pairs have entered: {pairs}");
}

/// A search that notes what it is asked for in the search for pairs: the best one by presence.
struct Noted<S> {
    search: S,
    asked: Vec<Vec<u64>>,
}

impl<S: Search> Search for Noted<S> {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        if query.rule == einsicht_search::Rule::Top(1) && query.values == Values::Presence {
            self.asked.push(query.delta.values().iter().map(|value| value.to_bits()).collect());
        }
        self.search.search(query)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        self.search.lookup(code)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        self.search.class(support)
    }
}

#[test]
fn no_partner_is_searched_from_twice() {
    let mut searches = 0;
    for (seed, rule) in [(3, Rule::Either), (40, Rule::Chance), (41, Rule::Chance)] {
        let fixture = planted(seed, 300, rule);
        let search = Noted { search: fixture.search(&params()), asked: Vec::new() };
        let (_, Noted { asked, .. }) = model_and_search(&fixture, params(), search);
        let distinct: BTreeSet<&Vec<u64>> = asked.iter().collect();
        assert_eq!(distinct.len(), asked.len(), "seed {seed}");
        searches += asked.len();
    }
    assert!(searches > 30, "{searches}");
}

#[test]
fn nothing_enters_where_nothing_interacts() {
    for seed in 40..44 {
        let model = trained(&planted(seed, 300, Rule::Chance), &params(), 1);
        assert!(model.entries.iter().all(|entry| entry.iterate.pairs.is_empty()), "seed {seed}");
    }
}

#[test]
fn few_graphs_have_no_pairs_and_no_panic() {
    let mut fixture = planted(1, 30, Rule::Either);
    let TargetValues::Classes { values, .. } = &mut fixture.dataset.targets[0].values else { panic!("classes") };
    // One graph of a class in each set.
    for (row, value) in values.iter_mut().enumerate() {
        *value = Some(u32::from([3, 20, 27].contains(&row)));
    }
    let model = trained(&fixture, &params(), 1);
    assert!(model.entries.iter().all(|entry| entry.iterate.pairs.is_empty()));
}

#[test]
fn a_training_that_was_interrupted_finds_the_same_pairs() {
    let fixture = planted(3, 200, Rule::Either);
    let params = TrainParams { max_edges: 2, ..params() }.check().unwrap();
    let data = Arc::new(TrainData::new(&fixture.dataset, &fixture.parts, None).unwrap());
    let search = || fixture.search(params.get());
    let mut trainer = Trainer::new(&params, Arc::clone(&data), search(), fixture.matcher()).unwrap();
    while trainer.state().current.pairs.is_empty() {
        trainer.step().unwrap().expect("a pair enters before the path ends");
    }
    let saved = serde_json::to_string(trainer.state()).unwrap();
    let state: TrainState = serde_json::from_str(&saved).unwrap();
    let mut again = Trainer::resume(&params, data, search(), fixture.matcher(), state).unwrap();
    for trainer in [&mut trainer, &mut again] {
        trainer.run().unwrap();
    }
    assert_eq!(again.state().entries, trainer.state().entries);
}
