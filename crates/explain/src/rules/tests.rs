use super::*;
use crate::values::permutation::PermutationImportance;
use einsicht_data::generate::{Synthetic, generate};
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_model::metrics::Metric;
use einsicht_model::metrics::most_likely;
use einsicht_model::params::TrainParams;
use einsicht_model::task::Targets;
use einsicht_testkit::models;
use einsicht_train::fit::{FitOptions, fit_without_effects};

#[test]
fn the_tree_of_cycle_xor_is_the_truth_table_of_its_rings() {
    let dataset = generate(Synthetic::CycleXor, 0);
    let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.2 }, 0).unwrap();
    let params = TrainParams { sizes: vec![1, 2, 3, 5], max_edges: 9, ..TrainParams::ein() }.check().unwrap();
    let model = fit_without_effects(&dataset, &split, &params, &FitOptions::default()).unwrap();
    let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
    let iterate = subject.iterate();
    let all: Vec<usize> = (0..dataset.len()).collect();
    let request = SurrogateRequest { subject, tasks: &[0], rows: &all, max_depth: 5 };
    let SurrogateTrees { trees, attributions } = surrogate_trees(&request);
    let surrogate = &trees[0];
    assert_eq!(surrogate.fidelity, 1.0);
    // The answer of every leaf is the XOR of the two rings, for all graphs that reach it.
    let ring = |edges: usize| {
        iterate.patterns.iter().position(|p| (p.code.num_edges(), p.code.num_vertices()) == (edges, edges))
    };
    let (eight, nine) = (ring(8).expect("the 8-ring"), ring(9).expect("the 9-ring"));
    let mut seen = std::collections::BTreeSet::new();
    for graph in 0..dataset.len() {
        let row = attributions.features_of(graph);
        let answer = most_likely(surrogate.tree.predict(row));
        assert_eq!(answer, usize::from((row[eight] > 0.0) != (row[nine] > 0.0)));
        seen.insert((row[eight] > 0.0, row[nine] > 0.0));
    }
    assert_eq!(seen.len(), 4, "the whole truth table");
    // A tree that is not exact asks nothing about a few graphs.
    let mut inexact = 0;
    for max_depth in 1..5 {
        let surrogate = &surrogate_trees(&SurrogateRequest { subject, tasks: &[0], rows: &[], max_depth }).trees[0];
        let leaves = surrogate.tree.nodes.iter().filter(|node| node.split.is_none());
        let fewest = leaves.map(|leaf| leaf.rows).min().unwrap();
        inexact += usize::from(surrogate.fidelity < 1.0);
        assert!(surrogate.fidelity == 1.0 || fewest >= 6, "{fewest}");
    }
    assert!(inexact > 0);
    // Both rings are among the five most important.
    let request = ForestRequest { subject, tasks: &[0], rows: &[], params: ForestParams::default() };
    let importance = &forest_importance(&request).importance[0];
    let above = |at: usize| importance.iter().filter(|value| **value > importance[at]).count();
    assert!(above(eight) < 5 && above(nine) < 5, "{importance:?}");
    // Permuting the presence of a ring among the graphs makes the model worse.
    let targets = Targets::gather(&model.tasks, &dataset, &all).unwrap();
    let (function, table) = ValueFunction::of_graphs(&subject, Scale::Logit);
    let (function, table, targets, metric) = (&function, &table, &targets, Metric::Accuracy);
    let outputs = &function.outputs(table.values(), table.rows());
    let request = PermutationImportance { function, table, outputs, targets, metric, repeats: 3, seed: 0 };
    let lost = request.compute().unwrap();
    assert!(lost[eight] > 0.2 && lost[nine] > 0.2, "{lost:?}");
}

#[test]
fn attributions_along_a_decision_path_sum_to_the_answer() {
    let model = models::linear();
    let (dataset, _) = models::rings();
    let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
    let all: Vec<usize> = (0..dataset.len()).collect();
    let of_depth = |max_depth| surrogate_trees(&SurrogateRequest { subject, tasks: &[0], rows: &all, max_depth });
    let SurrogateTrees { trees, attributions } = of_depth(20);
    let deep = &trees[0];
    assert!(deep.fidelity > 1.0 - 1e-9, "{}", deep.fidelity);
    assert!(of_depth(1).trees[0].fidelity < deep.fidelity);
    for (graph, attribution) in attributions.graphs.iter().enumerate() {
        let row = attributions.features_of(graph);
        let sum: f64 = attribution.values.iter().sum();
        assert!((sum - (deep.tree.predict(row)[0] - deep.tree.value(0)[0])).abs() < 1e-9);
        assert_eq!((attribution.output[0], attribution.base[0]), (deep.tree.predict(row)[0], deep.tree.value(0)[0]));
    }
}
