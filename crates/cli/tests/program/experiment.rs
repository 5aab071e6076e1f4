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
        format!("experiment {mutag} --splits splits.json --grid grid.json --preset ein --sizes 1,3 --max-iterations 3"),
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
    let shown = program.stdout(&format!("{line} --trials 0,2"));
    let first: Vec<&str> = shown.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(first, ["trial", "0", "2", "mean", "std"]);
    let refused = program.run(&format!("{line} --trials 7")).code(1);
    assert!(text(&refused.get_output().stderr).contains("there must be a trial 7"));
}
