//! `significant`. Its p-values are compared with brute force in `python/tests/test_significance.py`.

use super::{Program, text};
use einsicht_testkit::fixture;
use serde_json::Value;
use std::fs;

const QUICK: &str = "--max-edges 3 --permutations 199";

fn mutag() -> String {
    fixture("MUTAG").display().to_string()
}

#[test]
fn findings_are_the_same_in_the_table_the_document_and_the_file_for_any_number_of_threads() {
    let program = Program::new();
    let document = program.json(&format!("significant {} {QUICK} --json -o found.jsonl --threads 1", mutag()));
    let file = fs::read_to_string(program.folder().join("found.jsonl")).unwrap();
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(document["findings"], Value::from(lines.clone()));
    assert_eq!(document, program.json(&format!("significant {} {QUICK} --json --threads 4", mutag())));
    assert!(lines.len() > 3 && document["min_support"].as_u64().unwrap() > 1, "something is found and left out");
    let shown = program.stdout(&format!("significant {} {QUICK}", mutag()));
    for (line, found) in shown.lines().skip(1).zip(&lines) {
        assert!(line.starts_with(found["drawing"].as_str().unwrap()), "{line}");
        assert!(line.ends_with(&format!("{:.4}", found["p"].as_f64().unwrap())), "{line}");
    }
    assert!(shown.contains("significant for label at level 0.05"), "{shown}");
    assert!(shown.contains("graphs cannot be significant"), "{shown}");
    let fewer = program.stdout(&format!("significant {} {QUICK} --min-support 60", mutag()));
    assert!(fewer.contains("subgraphs in fewer than 60 graphs were not searched"), "{fewer}");
    // What was found is a file of patterns, too.
    let matched = program.json(&format!("match found.jsonl {} --json", mutag()));
    let pairs: u64 = lines.iter().map(|line| line["support"].as_u64().unwrap()).sum();
    assert_eq!(matched["matches"], pairs);
}

#[test]
fn numbers_columns_as_strata_and_qualifiers() {
    let program = Program::new();
    let data = fixture("esol_220.csv").display().to_string();
    let words = format!("significant {data} --target log_solubility {QUICK} --qualifiers auto");
    let shown = program.stdout(&words);
    assert!(shown.contains("mean with") && shown.contains("significant for log_solubility"), "{shown}");
    let rows = (0..40).map(|at| format!("{},{},{}\n", if at % 2 == 0 { "CCO" } else { "CCN" }, at % 2, at % 2));
    program.write("t.csv", &format!("smiles,y,batch\n{}", rows.collect::<String>()));
    let found = program.json(&format!("significant t.csv --target y {QUICK} --json"));
    assert!(!found["findings"].as_array().unwrap().is_empty());
    // The batch says all that the target says.
    let refused = program.run(&format!("significant t.csv --target y {QUICK} --strata batch")).failure().code(2);
    assert!(text(&refused.get_output().stderr).contains("have the same value as the others of its stratum"));
}

#[test]
fn what_cannot_be_tested_is_refused_before_the_work() {
    let program = Program::new();
    program.write("t.csv", "smiles,y,z\nC,1,a\nCC,1,b\nCO,1,a\nCN,1,b\n");
    for (words, said) in [
        ("--target y", "the target must vary, but all 4 graphs have the same value"),
        ("--target z", "no subgraph can reach a p-value of 0.05"),
        ("--target z --alpha 0", "--alpha must lie between 0 and 1, got 0"),
        ("--target z --permutations 5", "there must be at least 19 permutations, got 5"),
        ("--target z --strata colour", "colour"),
        ("--target y --target z", "--target must name one column, but 2 are read"),
        ("", "--target must name the column to test against"),
    ] {
        let refused = program.run(&format!("significant t.csv {words}")).failure();
        let stderr = text(&refused.get_output().stderr);
        assert!(stderr.contains(said), "{words}: {stderr}");
    }
    let refused = program.run(&format!("significant {} --max-edges 99", mutag())).failure();
    assert!(text(&refused.get_output().stderr).contains("--max-edges must be from 1 to 31, got 99"));
}
