//! `experiment`.

use super::{Program, text};
use einsicht_testkit::repo_root;
use serde_json::{Value, json};
use std::fs;

/// MUTAG in three trials of little training, over a grid of two points.
pub(super) fn program() -> (Program, String) {
    let program = Program::new();
    let part = |first: u32| (first..188).step_by(5).collect::<Vec<_>>();
    let trial = |shift: u32| {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k| part((k + shift) % 5));
        let train = [a, b, c].concat();
        json!({ "train": train, "valid": d, "test": e })
    };
    program.write("splits.json", &json!({ "trials": [trial(0), trial(1), trial(2)] }).to_string());
    program.write("grid.json", "{\"hidden\": [2, 4], \"max_edges\": [3]}");
    let mutag = repo_root().join("testdata/sets/MUTAG").display().to_string();
    (
        program,
        format!(
            "experiment {mutag} --splits splits.json --grid grid.json --preset ein --sizes 1,3 --set max_iterations=3"
        ),
    )
}

#[test]
fn every_trial_is_chosen_by_validation_and_judged_by_test() {
    let (program, line) = program();
    let printed = program.json(&format!("{line} --json"));
    let trials = printed["trials"].as_array().unwrap();
    assert_eq!((trials.len(), &printed["points"]), (3, &json!(2)));
    let accuracy = |trial: &Value| trial["test"]["accuracy"].as_f64().unwrap();
    let mean = trials.iter().map(accuracy).sum::<f64>() / 3.0;
    assert!((printed["mean"]["accuracy"].as_f64().unwrap() - mean).abs() < 1e-12);
    assert!(printed["std"]["accuracy"].as_f64().unwrap() >= 0.0);
    for trial in trials {
        let points = trial["points"].as_array().unwrap();
        let best = points.iter().map(|p| p["valid"]["accuracy"].as_f64().unwrap()).fold(0.0, f64::max);
        assert_eq!(trial["valid"]["accuracy"], best);
    }
}

#[test]
fn results_are_on_disk_as_they_come_and_are_not_computed_twice() {
    let (program, line) = program();
    let all = program.json(&format!("{line} -o results --json"));
    let path = program.folder().join("results/trial-1.json");
    let saved = fs::read_to_string(&path).unwrap();
    assert!(program.folder().join("results/trial-1.einsicht").exists());
    // A mark that only survives if the trial is not run again.
    fs::write(&path, saved.replace("\"trial\": 1", "\"trial\": 41")).unwrap();
    fs::remove_file(program.folder().join("results/trial-0.json")).unwrap();
    let again = program.json(&format!("{line} -o results --resume --json"));
    assert_eq!((&again["trials"][1]["trial"], &again["mean"]), (&json!(41), &all["mean"]));
    let refused = program.run(&format!("{line} --class-weight balanced -o results --resume")).code(1);
    assert!(text(&refused.get_output().stderr).contains("class_weight was none, now it is balanced"));
    let refused = program.run(&format!("{line} --seed 5 -o results --resume")).code(1);
    assert!(
        text(&refused.get_output().stderr)
            .contains("the saved state belongs to another training: seed of point 0 was 0, now it is 5")
    );
}

#[test]
fn people_see_a_table_with_mean_and_deviation() {
    let (program, line) = program();
    let shown = program.stdout(&format!("{line} --trial 0,2"));
    let first: Vec<&str> = shown.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(first, ["trial", "0", "2", "mean", "std"]);
    let refused = program.run(&format!("{line} --trial 7")).code(1);
    assert!(text(&refused.get_output().stderr).contains("there must be a trial 7"));
}

#[test]
fn two_experiments_are_compared_trial_by_trial() {
    let (program, line) = program();
    let first = program.json(&format!("{line} -o few --json"));
    let trials = first["trials"].as_array().unwrap();
    assert!(trials.iter().all(|t| t["visited"].as_u64() > Some(0) && t["passes"].as_u64() > Some(0)));
    assert!(trials.iter().all(|trial| trial["seconds"].as_f64() > Some(0.0)));
    let second = program.json(&format!("{line} --seed 1 --json"));
    program.write("other.json", &second.to_string());
    let found = program.json("experiment --compare few other.json --json");
    let accuracies = |document: &Value| {
        let trials = document["trials"].as_array().unwrap();
        trials.iter().map(|trial| trial["test"]["accuracy"].as_f64().unwrap()).collect::<Vec<f64>>()
    };
    let differences: Vec<f64> = accuracies(&first).iter().zip(accuracies(&second)).map(|(a, b)| a - b).collect();
    let mean = differences.iter().sum::<f64>() / 3.0;
    assert!((found["difference"]["accuracy"].as_f64().unwrap() - mean).abs() < 1e-12);
    assert_eq!(found["wins"]["accuracy"]["first"], differences.iter().filter(|d| **d > 0.0).count());
    assert!(found["standard_error"]["accuracy"].is_number() && found["compared"] == json!(["few", "other"]));
    assert!(program.stdout("experiment --compare few other.json --markdown").starts_with("| metric | few | other |"));
    let refused = program.run(&format!("{line} --compare few other.json")).code(2);
    assert!(text(&refused.get_output().stderr).contains("cannot be used with"));
}

#[test]
fn experiments_that_differ_in_more_than_the_method_are_refused_with_what_differs() {
    let (program, line) = program();
    let whole = program.json(&format!("{line} --json"));
    program.write("whole.json", &whole.to_string());
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut other = whole.clone();
        change(&mut other);
        program.write("changed.json", &other.to_string());
        text(&program.run("experiment --compare whole.json changed.json").code(2).get_output().stderr)
    };
    let error = refused(&|other| drop(other["trials"].as_array_mut().unwrap().pop()));
    assert!(error.contains("needs the same trials: whole has 0, 1, 2; changed has 0, 1"), "{error}");
    let error = refused(&|other| other["trials"][1]["origin"]["rows"]["test"][0] = json!(187));
    assert!(error.contains("needs the same splits: the test set of trial 1 differs, row"), "{error}");
    let error = refused(&|other| other["trials"][0]["origin"]["fingerprint"] = json!("other"));
    assert!(error.contains("needs the same data"), "{error}");
    let error = refused(&|other| {
        for trial in other["trials"].as_array_mut().unwrap() {
            trial["test"] = json!({ "rmse": 1.0 });
        }
    });
    assert!(error.contains("needs the same metrics: whole has accuracy, auc"), "{error}");
    program.write("bad.json", "{}");
    let error = text(&program.run("experiment --compare whole.json bad.json").code(1).get_output().stderr);
    assert!(error.contains("must be a folder from experiment -o or a document from experiment --json"), "{error}");
}
