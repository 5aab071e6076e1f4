//! `cross-validate`, `experiment` without a split file, and `train --test`: the same as the steps by hand.

use super::{Program, text};
use einsicht_testkit::repo_root;
use serde_json::Value;

/// Options of a small training, and the data.
const TRAINING: &str = "--max-edges 2 --sizes 1,3 --set max_iterations=3";

fn mutag() -> String {
    repo_root().join("testdata/sets/MUTAG").display().to_string()
}

fn by_hand(program: &Program, options: &str, trials: usize) -> Vec<Value> {
    let mutag = mutag();
    let one = |trial: usize| {
        let split = format!("--splits splits.json --trial {trial}");
        program.run(&format!("train {mutag} {split} -o model.einsicht {TRAINING} {options}")).success();
        program.json(&format!("evaluate model.einsicht {mutag} {split} --json"))
    };
    (0..trials).map(one).collect()
}

/// Every metric of the trial is that of the evaluation.
fn assert_equal(trial: &Value, evaluated: &Value) {
    let metrics = trial["test"].as_object().unwrap();
    assert!(metrics.contains_key("accuracy"));
    for (name, value) in metrics {
        assert_eq!(value, &evaluated[name], "{name}");
    }
    assert_eq!(evaluated["seen"]["graphs"], 0, "no isomorphic graph is on both sides");
}

#[test]
fn it_equals_split_and_train_and_evaluate_by_hand() {
    let program = Program::new();
    let mutag = mutag();
    let mut means = Vec::new();
    for (options, valid) in
        [("", "0"), ("--class-weight balanced", "0"), ("--preset ein --class-weight balanced", "0.2")]
    {
        let line = format!("{mutag} --folds 3 --scheme random");
        let found = program.json(&format!("cross-validate {line} {TRAINING} {options} --json"));
        program.run(&format!("split {line} --valid {valid} -o splits.json")).success();
        let evaluated = by_hand(&program, options, 3);
        let trials = found["trials"].as_array().unwrap();
        trials.iter().zip(&evaluated).for_each(|(trial, evaluated)| assert_equal(trial, evaluated));
        let accuracies: Vec<f64> = evaluated.iter().map(|one| one["accuracy"].as_f64().unwrap()).collect();
        let mean = accuracies.iter().sum::<f64>() / 3.0;
        assert!((found["mean"]["accuracy"].as_f64().unwrap() - mean).abs() < 1e-12);
        let ends: Vec<f64> = (0..2).map(|end| found["interval"]["accuracy"][end].as_f64().unwrap()).collect();
        assert!(ends[0] < mean && mean < ends[1]);
        means.push(found["mean"]["loss"].clone());
    }
    assert_ne!(means[0], means[1], "weights change the models");
}

#[test]
fn predictions_are_those_of_models_that_have_not_seen_the_graph() {
    let program = Program::new();
    let mutag = mutag();
    let line = format!("cross-validate {mutag} --folds 3 {TRAINING} -o predictions.csv");
    let shown = program.stdout(&line);
    assert!(shown.contains("mean over the test sets, with its 95 % interval: accuracy 0."), "{shown}");
    assert!(shown.ends_with("out-of-fold predictions written to predictions.csv\n"), "{shown}");
    let read = |name: &str| {
        let text = std::fs::read_to_string(program.folder().join(name)).unwrap();
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect::<Vec<Vec<String>>>()
    };
    let table = read("predictions.csv");
    assert_eq!(table.len(), 1 + 188);
    assert_eq!(
        table[0].join(","),
        "id,label,P(label=-1),P(label=1),unknown_vertices,subgraphs,applicability,actual label,trial,row"
    );
    program.run(&format!("split {mutag} --folds 3 -o splits.json")).success();
    program.run(&format!("train {mutag} --splits splits.json --trial 1 -o model.einsicht {TRAINING}")).success();
    program
        .run(&format!("predict model.einsicht {mutag} --splits splits.json --trial 1 --part test -o one.csv"))
        .success();
    let row = |cells: &Vec<String>| cells.last().unwrap().clone();
    let by_hand: Vec<Vec<String>> = read("one.csv").split_off(1);
    for wanted in &by_hand {
        let found = table.iter().find(|cells| row(cells) == row(wanted)).unwrap();
        assert_eq!(found[..4], wanted[..4]);
    }
    let trial = table[0].len() - 2;
    assert_eq!(table.iter().filter(|cells| cells[trial] == "1").count(), by_hand.len());
}

#[test]
fn experiments_without_a_split_file_have_five_folds() {
    let program = Program::new();
    let mutag = mutag();
    let experiment = program.json(&format!("experiment {mutag} {TRAINING} --trial 0,4 --json"));
    let cross = program.json(&format!("cross-validate {mutag} {TRAINING} --json"));
    assert_eq!(experiment["trials"][1]["test"], cross["trials"][4]["test"]);
    assert_eq!(cross["trials"].as_array().unwrap().len(), 5);
    program.run(&format!("split {mutag} -o splits.json")).success();
    let refused = program.run(&format!("experiment {mutag} --splits splits.json --scheme random")).code(2);
    insta::assert_snapshot!(text(&refused.get_output().stderr), @"error: --scheme and --splits exclude each other: \
        the file says which graphs are tested");
    let refused = program.run(&format!("experiment {mutag} --trial 5")).code(1);
    insta::assert_snapshot!(text(&refused.get_output().stderr), @"error: the scheme: there must be a trial 5, but \
        there are only trials 0 to 4");
}

/// Two protonation states are one graph without qualifiers, and two with them: both commands must take them for one.
#[test]
fn folds_are_those_of_split_also_where_only_qualifiers_distinguish_graphs() {
    let program = Program::new();
    let row = |at: usize| {
        let charged = if at.is_multiple_of(2) { "[NH3+]" } else { "N" };
        format!("{}{charged},{}\n", "C".repeat(at / 2 + 1), if at.is_multiple_of(3) { "yes" } else { "no" })
    };
    program.write("amines.csv", &format!("smiles,active\n{}", (0..40).map(row).collect::<String>()));
    program.run("split amines.csv --folds 3 -o splits.json").success();
    program.run(&format!("cross-validate amines.csv --folds 3 {TRAINING} -o predictions.csv")).success();
    let splits: Value = serde_json::from_slice(&std::fs::read(program.folder().join("splits.json")).unwrap()).unwrap();
    let table = std::fs::read_to_string(program.folder().join("predictions.csv")).unwrap();
    for (trial, split) in splits["trials"].as_array().unwrap().iter().enumerate() {
        let rows: Vec<u64> = split["test"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap()).collect();
        let ends = format!(",{trial},");
        let tested = table
            .lines()
            .skip(1)
            .filter_map(|line| line.rsplit_once(',').filter(|(head, _)| format!("{head},").ends_with(&ends)));
        let mut found: Vec<u64> = tested.map(|(_, row)| row.parse().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, rows);
    }
}

#[test]
fn bad_input_is_refused_before_anything_is_trained() {
    let program = Program::new();
    program.write("m.csv", "smiles,active\nCCO,yes\nCCN,no\nCCCO,yes\nCCCN,no\nCCCCO,yes\nCCCCN,no\n");
    program.write("mixed.csv", "structures;active,weight\nCCO;1,2\nCCN;0,3\n");
    for (options, wanted) in [
        ("m.csv --scheme leave-one-out", "[possible values: random, stratified, kfold, scaffold, group, cluster]"),
        ("m.csv --group assay", "there must be a column named \"assay\""),
        ("m.csv --scheme group", "--scheme group needs --group COLUMN"),
        ("m.csv --folds 4", " graphs, one per fold, but class no of target active has 3"),
        ("mixed.csv", "cells must have one separator"),
        ("m.csv --columns active", "must be a target or a feature"),
    ] {
        for command in ["cross-validate", "experiment"] {
            // The folds of an experiment choose models; those that test come from --scheme.
            if command == "experiment" && options.contains("--folds") {
                continue;
            }
            let refused = program.run(&format!("{command} {options} --target active -o out")).failure();
            let said = text(&refused.get_output().stderr);
            assert!(said.contains(wanted) && !said.contains("trial 0"), "{command} {options}: {said}");
            assert!(!program.folder().join("out").exists(), "{command} {options}");
        }
    }
}

#[test]
fn a_training_can_hold_out_a_test_set() {
    let program = Program::new();
    let mutag = mutag();
    let line = format!("train {mutag} {TRAINING} --test 0.25 -o model.einsicht");
    let shown = program.stdout(&line);
    assert!(shown.contains("test set, 47 graphs not used in training: accuracy 0."), "{shown}");
    let printed = program.json(&format!("{line} --json"));
    assert_eq!(printed["graphs"]["test"], 47);
    program.run(&format!("split {mutag} --scheme stratified --valid 0 --test 0.25 -o splits.json")).success();
    let evaluated = &by_hand(&program, "", 1)[0];
    assert_equal(&printed, evaluated);
    for bad in ["0", "1", "x"] {
        let refused = program.run(&format!("train {mutag} --test {bad} -o model.einsicht")).code(2);
        assert!(text(&refused.get_output().stderr).contains("must be a number above 0 and below 1"));
    }
    program.run(&format!("train {mutag} --test 0.2 --splits splits.json -o model.einsicht")).code(2);
}
