use super::*;
use crate::game::Scale;
use crate::testing;
use einsicht_data::generate::{Synthetic, generate};
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_learn::fit::{FitOptions, fit};
use einsicht_learn::params::TrainParams;
use std::ops::ControlFlow;

#[test]
fn the_tree_of_cycle_xor_is_the_truth_table_of_its_rings() {
    let dataset = generate(Synthetic::CycleXor, 0);
    let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.2 }, 0).unwrap();
    let params = TrainParams { sizes: vec![1, 2, 3, 5], max_edges: 9, ..TrainParams::ein() }.check().unwrap();
    let model = fit(&dataset, &split, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let game = Game::new(&model, model.chosen, Scale::Logit);
    let iterate = &model.best().iterate;
    let supports = model.supports(iterate, &dataset, &dataset.graphs);
    let table = model.values(&supports, dataset.len());
    let answers = Answers::new(&game, &table, dataset.len());
    let surrogate = answers.tree(0, 5);
    assert_eq!(surrogate.fidelity, 1.0);
    // Every leaf says the XOR of the two rings, for all graphs that come to it.
    let ring = |edges: usize| {
        iterate.patterns.iter().position(|p| (p.code.num_edges(), p.code.num_vertices()) == (edges, edges))
    };
    let (eight, nine) = (ring(8).expect("the 8-ring"), ring(9).expect("the 9-ring"));
    let mut seen = std::collections::BTreeSet::new();
    for row in table.chunks_exact(game.players()) {
        let said = most_likely(surrogate.tree.predict(row));
        assert_eq!(said, usize::from((row[eight] > 0.0) != (row[nine] > 0.0)));
        seen.insert((row[eight] > 0.0, row[nine] > 0.0));
    }
    assert_eq!(seen.len(), 4, "the whole truth table");
    // Both rings are among the five most important.
    let importance = answers.forest(0, &ForestParams::default()).importance(game.players());
    let above = |at: usize| importance.iter().filter(|value| **value > importance[at]).count();
    assert!(above(eight) < 5 && above(nine) < 5, "{importance:?}");
    // Shuffling a ring among the graphs makes the model worse.
    let targets = Targets::gather(&model.tasks, &dataset, &(0..dataset.len()).collect::<Vec<_>>()).unwrap();
    let lost = permutation(&game, &table, &targets, Metric::Accuracy, 3, 0).unwrap();
    assert!(lost[eight] > 0.2 && lost[nine] > 0.2, "{lost:?}");
}

#[test]
fn what_is_added_along_the_way_sums_to_the_answer() {
    let model = testing::straight();
    let (dataset, _) = testing::rings();
    let game = Game::new(&model, model.chosen, Scale::Logit);
    let supports = model.supports(&model.best().iterate, &dataset, &dataset.graphs);
    let table = model.values(&supports, dataset.len());
    let answers = Answers::new(&game, &table, dataset.len());
    let deep = answers.tree(0, 20);
    assert!(deep.fidelity > 1.0 - 1e-9, "{}", deep.fidelity);
    assert!(answers.tree(0, 1).fidelity < deep.fidelity);
    for row in table.chunks_exact(game.players()) {
        let sum: f64 = along_the_way(&deep.tree, row).iter().sum();
        assert!((sum - (deep.tree.predict(row)[0] - deep.tree.value(0)[0])).abs() < 1e-9);
    }
}
