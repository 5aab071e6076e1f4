//! `max_edges` and `sizes` auto: settled by counting, the same for any targets, threads and order of the work, and
//! named in the model.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind};
use einsicht_data::generate::{Synthetic, generate};
use einsicht_data::random::Random;
use einsicht_data::{Split, TargetValues};
use einsicht_graph::{DfsCode, Graph, Label};
use einsicht_model::params::{MinSupport, TrainParams};
use einsicht_testkit::cases;
use einsicht_testkit::oracle::mine_by_definition;
use einsicht_train::fit::{Fit, FitOptions, fit_without_effects, settled, settled_for};

fn auto() -> TrainParams {
    TrainParams { max_edges: 0, max_qualifiers: 0, min_edges: 1, ..TrainParams::default() }
}

/// The largest number of edges with which at most 45000 patterns are in enough graphs, by listing them.
fn by_definition(graphs: &[Graph], min_support: usize) -> usize {
    let count = |edges: usize| mine_by_definition(graphs, edges, min_support).len();
    (1..=9).take_while(|&edges| count(edges) <= 45_000).last().unwrap_or(1)
}

#[test]
fn small_graphs_may_be_matched_whole() {
    // Cycles of four have all their patterns below the budget, so the limit is the largest there is.
    let mut builder = Graph::builder();
    let vertices: Vec<_> = (0..4).map(|_| builder.add_vertex(Label(0)).unwrap()).collect();
    for at in 0..4 {
        builder.add_edge(vertices[at], vertices[(at + 1) % 4], Label(0)).unwrap();
    }
    let graphs = vec![builder.build(); 5];
    let found = settled_for(&auto().check().unwrap(), &graphs.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(found.get().max_edges, by_definition(&graphs, 2));
    assert_eq!(found.get().max_edges, 9);
}

#[test]
fn the_limit_is_the_one_by_definition() {
    // Every vertex has a label of its own, so that each connected set of edges is a pattern of its own.
    let mut builder = Graph::builder();
    let vertices: Vec<_> = (0..7).map(|at| builder.add_vertex(Label(at)).unwrap()).collect();
    for one in 0..7 {
        for other in one + 1..7 {
            if (one, other) != (0, 6) {
                builder.add_edge(vertices[one], vertices[other], Label(0)).unwrap();
            }
        }
    }
    let graphs = vec![builder.build(); 2];
    let found = settled_for(&auto().check().unwrap(), &graphs.iter().collect::<Vec<_>>()).unwrap().get().max_edges;
    let expected = by_definition(&graphs, 2);
    assert_eq!(found, expected);
    assert!((2..9).contains(&expected), "the budget ends it: {expected}");
}

#[test]
fn the_rings_of_the_synthetic_sets_are_within_reach() {
    for set in [Synthetic::CycleXor, Synthetic::Cycle].into_iter().take(cases(1, 2) as usize) {
        let dataset = generate(set, 3);
        let params = TrainParams::default().check().unwrap();
        let split = Split { train: (0..dataset.len()).filter(|row| row % 5 > 0).collect(), ..Split::default() };
        assert!(settled(&dataset, &split, &params).unwrap().get().max_edges >= 9, "{set:?}");
    }
}

#[test]
fn a_share_of_the_graphs_is_of_those_that_the_model_is_fitted_on() {
    let dataset = generate(Synthetic::Cycle, 3);
    let split = Split { train: (0..100).collect(), valid: (100..150).collect(), ..Split::default() };
    let share = TrainParams { min_support: "7%".parse().unwrap(), max_edges: 1, sizes: vec![1], ..Default::default() };
    for (refit, graphs) in [(true, 11), (false, 7)] {
        let params = TrainParams { refit, ..share.clone() }.check().unwrap();
        let settled = settled(&dataset, &split, &params).unwrap();
        assert_eq!(settled.get().min_support, MinSupport::Graphs(graphs), "{refit}");
    }
}

#[test]
fn dense_graphs_end_it_by_their_steps() {
    // Half of all edges between 16 vertices of one label: few patterns, and very many embeddings of each.
    let mut random = Random::new(0);
    let mut dense = || {
        let mut builder = Graph::builder();
        let vertices: Vec<_> = (0..16).map(|_| builder.add_vertex(Label(0)).unwrap()).collect();
        for one in 0..16 {
            for other in one + 1..16 {
                if random.unit() < 0.5 {
                    builder.add_edge(vertices[one], vertices[other], Label(0)).unwrap();
                }
            }
        }
        builder.build()
    };
    let graphs: Vec<Graph> = (0..20).map(|_| dense()).collect();
    let found = |times: usize| {
        let all: Vec<&Graph> = graphs.iter().cycle().take(times * graphs.len()).collect();
        settled_for(&auto().check().unwrap(), &all).unwrap().get().max_edges
    };
    let (few, many) = (found(1), found(2000));
    assert!(3 <= many && many < few, "{few} {many}");
}

#[test]
fn more_subgraphs_are_tried_where_graphs_are_many() {
    let mut builder = Graph::builder();
    builder.add_vertex(Label(0)).unwrap();
    let graph = builder.build();
    let sizes = |graphs: usize, params: TrainParams| {
        settled_for(&params.check().unwrap(), &vec![&graph; graphs]).unwrap().get().sizes.clone()
    };
    let few = [1, 2, 3, 5, 8, 12, 18, 25, 35, 50, 75, 100];
    let usual = || TrainParams { max_edges: 2, ..TrainParams::default() };
    assert_eq!(sizes(999, usual()), few);
    assert_eq!(sizes(1000, usual()), [&few[..], &[150, 200, 300]].concat());
    assert_eq!(sizes(9_999, usual()).len(), 15);
    assert_eq!(sizes(10_000, usual()), [1, 3, 8, 18, 35, 75, 150, 300]);
    assert_eq!(sizes(1000, TrainParams { sizes: vec![4], ..usual() }), [4]);
    // Required subgraphs are in the smallest model.
    let require = vec![DfsCode::single_vertex(Label(0)); 9];
    assert_eq!(sizes(20, TrainParams { require: require.clone(), ..usual() }), few[5..]);
    let require = vec![require[0].clone(); 101];
    assert_eq!(sizes(20, TrainParams { require, ..usual() }), [101]);
}

#[test]
fn targets_have_no_part_in_it_and_the_model_names_it() {
    let mut fixture = Fixture::new(4, Kind::TwoClasses);
    let params = TrainParams { trees: 3, sizes: vec![1, 2], max_edges: 0, ..TrainParams::default() }.check().unwrap();
    let options = FitOptions::default();
    let edges = |fixture: &Fixture| {
        let fit = Fit::new(&fixture.dataset, &fixture.parts, &params, None, &options).unwrap();
        fit.params().get().max_edges
    };
    let found = edges(&fixture);
    let model = fit_without_effects(&fixture.dataset, &fixture.parts, &params, &options).unwrap();
    assert_eq!(model.params.max_edges, found);
    assert!(found >= 1);
    if let TargetValues::Classes { values, .. } = &mut fixture.dataset.targets[0].values {
        values.rotate_left(1);
    }
    assert_eq!(edges(&fixture), found);
}
