use super::*;
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Target, TargetValues, Vocabulary};
use einsicht_graph::Graph;
use einsicht_model::heads::{HeadKind, Linear};
use einsicht_model::task::metrics::class_probabilities;
use einsicht_model::task::{Task, TaskKind};

const ROWS: usize = 60;

/// Values of four patterns; targets of two, of three classes and a number that depend on the first two, with gaps.
fn recomputed() -> (Vec<f64>, Targets) {
    let mut random = Random::new(7);
    let values: Vec<f64> = (0..ROWS * 4).map(|_| (random.unit() * 3.0).floor()).collect();
    let fact = |row: usize| usize::from(values[row * 4] > 0.0) + usize::from(values[row * 4 + 1] > 1.0);
    let names = |n: usize| (0..n).map(|c| c.to_string()).collect::<Vec<_>>();
    let classes = |n: usize| TargetValues::Classes {
        classes: Vocabulary::from_tokens(names(n)),
        values: (0..ROWS).map(|row| (row % 7 != 3).then_some(fact(row).min(n - 1) as u32)).collect(),
    };
    let numbers =
        TargetValues::Numbers { values: (0..ROWS).map(|row| (row % 5 != 1).then_some(fact(row) as f64)).collect() };
    let target = |name: &str, values| Target { name: name.to_owned(), values };
    let dataset = Dataset {
        graphs: vec![Graph::builder().build(); ROWS],
        targets: vec![target("two", classes(2)), target("three", classes(3)), target("number", numbers)],
        ..Dataset::default()
    };
    let task = |name: &str, kind| Task { name: name.to_owned(), kind };
    let tasks = [
        task("two", TaskKind::Classes(names(2))),
        task("three", TaskKind::Classes(names(3))),
        task("number", TaskKind::Number { mean: 0.0, scale: 1.0 }),
    ];
    let rows: Vec<usize> = (0..ROWS).collect();
    (values, Targets::gather(&tasks, &dataset, &rows).unwrap())
}

fn fitted(kind: HeadKind) -> (Vec<f64>, Targets, Vec<f64>) {
    let (values, targets) = recomputed();
    let table = Table { values: &values, rows: ROWS };
    let params = HeadParams { kind, ridge: 0.001, trees: 30, seed: 3 };
    let head = fit_head(&params, table, Vec::new(), &targets, &[1.0; ROWS]).unwrap();
    let outputs = head.outputs(table);
    (values, targets, outputs)
}

#[test]
fn every_head_learns_all_tasks_at_once() {
    let rest = |targets: &Targets| targets.loss(&[0.0; ROWS * 5], &[1.0; ROWS]);
    for kind in HeadKind::ALL.iter().copied().filter(|kind| kind.is_fitted()) {
        let (_, targets, outputs) = fitted(kind);
        assert_eq!(outputs.len(), ROWS * 5);
        assert!(targets.loss(&outputs, &[1.0; ROWS]) < 0.4 * rest(&targets), "{kind:?}");
    }
    let (values, targets) = recomputed();
    let params = HeadParams { kind: HeadKind::Network, ridge: 0.0, trees: 1, seed: 0 };
    assert_eq!(fit_head(&params, Table { values: &values, rows: ROWS }, Vec::new(), &targets, &[1.0; ROWS]), None);
}

#[test]
fn a_blend_is_the_mean_of_probabilities_and_of_numbers() {
    let [linear, forest, blend] = [HeadKind::Linear, HeadKind::Forest, HeadKind::Blend].map(|kind| fitted(kind).2);
    for row in 0..ROWS {
        let cell = |outputs: &[f64], first: usize, len: usize| outputs[row * 5 + first..][..len].to_vec();
        for (first, len) in [(0, 1), (1, 3)] {
            let [a, b, both] =
                [&linear, &forest, &blend].map(|outputs| class_probabilities(&cell(outputs, first, len)));
            for ((a, b), both) in a.iter().zip(b).zip(both) {
                assert!((0.5 * (a + b) - both).abs() < 1e-12);
            }
        }
        assert_eq!(blend[row * 5 + 4], 0.5 * (linear[row * 5 + 4] + forest[row * 5 + 4]));
    }
}

#[test]
fn the_linear_head_is_at_its_least_loss() {
    let (values, targets) = recomputed();
    let table = Table { values: &values, rows: ROWS };
    let linear = fit_linear(table, Vec::new(), &targets, &[1.0; ROWS], 0.01);
    let ridge = 0.01 * targets.total_weight(&[1.0; ROWS]);
    let loss = |linear: &Linear| {
        let squares: f64 = linear.weights.iter().map(|w| w * w).sum();
        targets.loss(&linear.outputs(table), &[1.0; ROWS]) + 0.5 * ridge * squares
    };
    let least = loss(&linear);
    for at in 0..linear.weights.len() {
        for step in [1e-3, -1e-3] {
            let mut moved = linear.clone();
            moved.weights[at] += step;
            assert!(loss(&moved) > least);
        }
    }
}

#[test]
fn a_head_between_two_rows_asks_less_and_says_the_same() {
    let (values, targets) = recomputed();
    let table = Table { values: &values, rows: ROWS };
    let params = HeadParams { kind: HeadKind::Blend, ridge: 0.001, trees: 30, seed: 3 };
    let head = fit_head(&params, table, Vec::new(), &targets, &[1.0; ROWS]).unwrap();
    let nodes = |head: &Head| -> usize {
        head.forests.iter().flat_map(|forests| &forests.tasks).map(|task| task.forest.columns.len()).sum()
    };
    for pair in values.chunks_exact(8).take(20) {
        let (one, other) = pair.split_at(4);
        let narrow = head.between(one, other);
        assert!(nodes(&narrow) < nodes(&head));
        let mixed: Vec<f64> = (0..16 * 4)
            .map(|at| {
                let (mask, column) = (at / 4, at % 4);
                if mask >> column & 1 == 1 { one[column] } else { other[column] }
            })
            .collect();
        let mixtures = Table { values: &mixed, rows: 16 };
        assert_eq!(narrow.outputs(mixtures), head.outputs(mixtures));
        let checked = narrow.forests.unwrap();
        assert!(checked.tasks.iter().all(|task| task.forest.check(4)));
    }
}

#[test]
fn the_forest_weighs_more_where_the_linear_model_is_wrong() {
    let (values, targets) = recomputed();
    let table = Table { values: &values, rows: ROWS };
    let params = HeadParams { kind: HeadKind::Blend, ridge: 0.001, trees: 30, seed: 3 };
    let mut head = fit_head(&params, table, Vec::new(), &targets, &[1.0; ROWS]).unwrap();
    assert_eq!(head.forest_weight, 0.5);
    for (wrong, forest_weight) in [(true, 1.0), (false, 0.0)] {
        let linear = head.linear.as_mut().unwrap();
        let forests = head.forests.as_mut().unwrap();
        if wrong {
            linear.offsets.iter_mut().for_each(|offset| *offset += 50.0);
        } else {
            linear.offsets.iter_mut().for_each(|offset| *offset -= 50.0);
            let mut changed = (**forests).clone();
            for task in &mut changed.tasks {
                // Classes: the frequencies of a leaf reversed; numbers: far off.
                let width = task.forest.width;
                for prediction in task.forest.predictions.chunks_exact_mut(width) {
                    prediction.reverse();
                    if width == 1 {
                        prediction[0] += 50.0;
                    }
                }
            }
            *forests = changed.into();
        }
        let parts = head.part_outputs(table);
        weigh(&mut head, &parts, &targets);
        assert_eq!(head.forest_weight, forest_weight);
    }
}

#[test]
fn rows_of_a_large_table_get_the_outputs_that_they_get_alone() {
    let (values, targets) = recomputed();
    let params = HeadParams { kind: HeadKind::Forest, ridge: 0.001, trees: 12, seed: 3 };
    let head = fit_head(&params, Table { values: &values, rows: ROWS }, Vec::new(), &targets, &[1.0; ROWS]).unwrap();
    let mut random = Random::new(5);
    let many: Vec<f64> = (0..700 * 4).map(|_| random.index(6) as f64 / 2.0).collect();
    let together = head.outputs(Table { values: &many, rows: 700 });
    for (row, outputs) in many.chunks_exact(4).zip(together.chunks_exact(5)) {
        assert_eq!(head.outputs(Table { values: row, rows: 1 }), outputs);
    }
}
