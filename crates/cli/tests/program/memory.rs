//! `--memory`: a limit that is too small is refused with one that works, and results do not depend on it.

use super::{Program, experiment, text};
use einsicht_testkit::{cases, repo_root};
use serde_json::Value;

fn mutag() -> String {
    repo_root().join("testdata/sets/MUTAG").display().to_string()
}

/// The smallest memory limit that a command accepts, from its error for a smaller one.
fn smallest(program: &Program, line: &str) -> String {
    let refused = program.run(&format!("{line} --memory 1K --json")).code(2);
    let printed: Value = serde_json::from_slice(&refused.get_output().stdout).unwrap();
    assert_eq!(printed["where"], "--memory");
    let error = printed["error"].as_str().unwrap();
    let rest = error.strip_prefix("--memory must be at least ").unwrap();
    let (smallest, rest) = rest.split_once(' ').unwrap();
    assert_eq!(rest, "for this data, got 1.0 KiB");
    let almost = smallest.strip_suffix('K').unwrap().parse::<usize>().unwrap() - 1;
    program.run(&format!("{line} --memory {almost}K")).code(2);
    smallest.to_owned()
}

#[test]
fn a_model_is_the_same_in_little_memory() {
    let (network, counts, budget) = if cases(0, 1) == 0 {
        ("--feature presence --preset ein --sizes 1,80 --max-edges 7", "--sizes 1,60 --max-edges 5", "5400K")
    } else {
        ("--feature presence --preset ein --sizes 1,80 --max-edges 9", "--sizes 1,60 --max-edges 8", "5800K")
    };
    let two = format!("{counts} --threads 2");
    for (options, budget) in [(network, None), (counts, Some(budget)), (&two, Some(budget))] {
        let program = Program::new();
        let line = format!("train {} {options} --set max_iterations=3 --min-support 1 -o", mutag());
        let whole = program.json(&format!("{line} whole --memory 1T --json"));
        assert_eq!((&whole["memory"]["rederived"], &whole["memory"]["budget"]), (&0.into(), &(1_u64 << 40).into()));
        let smallest = smallest(&program, &format!("{line} refused"));
        let tight = program.json(&format!("{line} tight --memory {} --json", budget.unwrap_or(&smallest)));
        let fired = ["dropped_embeddings", "rederived", "walks"];
        for name in fired.iter().take(if budget.is_none() { 3 } else { 2 }) {
            assert!(tight["memory"][name].as_u64().unwrap() > 0, "{name}: {tight}");
        }
        let files = program.files(".");
        assert_eq!(files.keys().collect::<Vec<_>>(), ["tight", "whole"], "{options}");
        assert!(files["tight"] == files["whole"], "{options}");
    }
}

#[test]
fn a_training_may_be_resumed_in_another_memory() {
    let program = Program::new();
    let line = format!("train {} --sizes 1,3,6 --max-edges 6 --set max_iterations=3 --threads 1", mutag());
    program.run(&format!("{line} -o whole")).success();
    let smallest = smallest(&program, &format!("{line} -o refused"));
    let stop = [("EINSICHT_AT_PASS", "2:int"), ("EINSICHT_CHECKPOINT_PASSES", "1")];
    program.run_with(&stop, &format!("{line} -o pieces --memory {smallest}")).code(130);
    program.run_with(&stop, &format!("{line} -o pieces --memory 1T --resume")).code(130);
    let done = program.run(&format!("{line} -o pieces --memory {smallest} --resume")).success();
    assert!(text(&done.get_output().stderr).contains("after pass 4"));
    let files = program.files(".");
    assert!(files["pieces"] == files["whole"]);
}

#[test]
fn resamples_and_trials_share_the_memory() {
    let program = Program::new();
    let quick = "--sizes 1,3 --max-edges 5 --set max_iterations=3 --preset ein --threads 2";
    let line = format!("train {} {quick} --bootstrap 3 -o", mutag());
    let whole = program.json(&format!("{line} whole --json"));
    let least = smallest(&program, &format!("{line} refused"));
    let tight = program.json(&format!("{line} tight --memory {least} --json"));
    assert_eq!(whole["stability"], tight["stability"]);
    let files = program.files(".");
    assert!(files["tight"] == files["whole"]);

    let (program, line) = experiment::program();
    let line = format!("{line} --threads 2 -o");
    program.run(&format!("{line} all")).success();
    let least = smallest(&program, &format!("{line} none"));
    program.run(&format!("{line} some --memory {least}")).success();
    assert!(program.files("some") == program.files("all"));
}
