use super::*;
use einsicht_data::{Origin, Target, Vocabulary};
use einsicht_graph::Graph;

fn dataset(targets: Vec<Target>, len: usize) -> Dataset {
    Dataset {
        graphs: vec![Graph::builder().build(); len],
        ids: (0..len).map(|row| format!("g{row}")).collect(),
        origins: vec![Origin::default(); len],
        targets,
        ..Dataset::default()
    }
}

fn classes(names: &[&str], values: &[Option<u32>]) -> Target {
    let classes = Vocabulary::from_tokens(names.iter().copied());
    Target { name: "y".to_owned(), values: TargetValues::Classes { classes, values: values.to_vec() } }
}

fn numbers(values: &[Option<f64>]) -> Target {
    Target { name: "y".to_owned(), values: TargetValues::Numbers { values: values.to_vec() } }
}

fn parts() -> Split {
    Split { train: vec![0, 1], valid: vec![2], test: vec![3], skipped: 0 }
}

#[test]
fn targets_from_which_nothing_can_be_learnt_are_refused_with_the_reason() {
    let task = || "y".to_owned();
    let cases = [
        (vec![], TargetError::NoTarget),
        (
            vec![classes(&["a", "b"], &[Some(0), Some(0), Some(0), None])],
            TargetError::OneClass { task: task(), class: "a".to_owned() },
        ),
        (
            vec![classes(&["a", "b"], &[Some(0), Some(0), Some(0), Some(1)])],
            TargetError::ClassNotInTraining { task: task(), class: "b".to_owned() },
        ),
        (vec![numbers(&[None, None, Some(1.0), None])], TargetError::NoValue { task: task(), part: "training" }),
        (vec![numbers(&[Some(1.0), None, None, None])], TargetError::NoValue { task: task(), part: "validation" }),
        (
            vec![numbers(&[Some(1.0), Some(2.0), Some(1.0), Some(f64::INFINITY)])],
            TargetError::NotFinite { task: task(), graph: "g3".to_owned(), value: f64::INFINITY },
        ),
    ];
    for (targets, expected) in cases {
        assert_eq!(tasks_of(&dataset(targets, 4), &parts()), Err(expected));
    }
    let good = dataset(vec![numbers(&[Some(1.0), Some(2.0), Some(3.0), None])], 4);
    let empty = Split { train: vec![], ..parts() };
    assert_eq!(tasks_of(&good, &empty), Err(TargetError::EmptyPart { part: "training" }));
    // Where folds choose there is no validation set.
    let whole = Split { valid: vec![], ..parts() };
    assert!(tasks_of(&good, &whole).is_ok());
    let outside = Split { test: vec![9], ..parts() };
    assert_eq!(tasks_of(&good, &outside), Err(TargetError::NoSuchRow { part: "test", row: 9, len: 4 }));
}

#[test]
fn classes_outside_the_split_are_left_out() {
    let data = dataset(vec![classes(&["a", "b", "c"], &[Some(0), Some(2), Some(0), Some(2), Some(1)])], 5);
    let tasks = tasks_of(&data, &parts()).unwrap();
    assert_eq!(tasks[0].kind, TaskKind::Classes(vec!["a".to_owned(), "c".to_owned()]));
    assert_eq!(tasks[0].outputs(), 1);
    let targets = Targets::gather(&tasks, &data, &[0, 1, 4]).unwrap();
    assert_eq!(targets.tasks[0].0, Labels::Classes(vec![Some(0), Some(1), None]));
    assert_eq!(targets.total_weight(&[1.0, 0.5, 3.0]), 1.5);
}

#[test]
fn numbers_are_standardised_by_the_training_part() {
    let data = dataset(vec![numbers(&[Some(1.0), Some(3.0), Some(5.0), None])], 4);
    let tasks = tasks_of(&data, &parts()).unwrap();
    assert_eq!(tasks[0].kind, TaskKind::Number { mean: 2.0, scale: 1.0 });
    let targets = Targets::gather(&tasks, &data, &[2, 3]).unwrap();
    assert_eq!(targets.tasks[0].0, Labels::Numbers(vec![Some(3.0), None]));
}

#[test]
fn a_constant_target_has_scale_one_and_another_kind_is_refused() {
    let data = dataset(vec![numbers(&[Some(4.0), Some(4.0), Some(4.0), None])], 4);
    let tasks = tasks_of(&data, &parts()).unwrap();
    assert_eq!(tasks[0].kind, TaskKind::Number { mean: 4.0, scale: 1.0 });
    let other = dataset(vec![classes(&["a", "b"], &[Some(0), Some(1)])], 2);
    let refused = TargetError::OtherKind { task: "y".to_owned(), wanted: "numbers", found: "classes" };
    assert_eq!(Targets::gather(&tasks, &other, &[0]), Err(refused));
}
