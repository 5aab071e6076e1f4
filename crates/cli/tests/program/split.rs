//! `split`: what it writes, what it prints, what it refuses.

use super::{Program, text};
use einsicht_testkit::repo_root;
use serde_json::{Value, json};

fn mutag() -> String {
    repo_root().join("testdata/sets/MUTAG").display().to_string()
}

/// Twelve molecules of four scaffolds in two classes and three batches; row 4 is no molecule, the last two have no
/// class.
fn molecules(program: &Program) {
    let smiles = [
        "c1ccccc1C",
        "c1ccccc1O",
        "C1CCCCC1C",
        "C1CCCCC1O",
        "((",
        "c1ccncc1C",
        "c1ccncc1O",
        "CCO",
        "CCN",
        "CCCC",
        "c1ccccc1CC",
        "C1CCCCC1CC",
        "c1ccncc1CC",
        "CCCO",
    ];
    let row = |(at, smiles): (usize, &&str)| {
        let class = if at < 12 { ["no", "yes"][at % 2] } else { "" };
        format!("{smiles},{class},batch {}\n", at / 5)
    };
    let rows: String = smiles.iter().enumerate().map(row).collect();
    program.write("molecules.csv", &format!("smiles,active,batch\n{rows}"));
}

fn trials(program: &Program) -> Vec<Value> {
    let bytes = std::fs::read(program.folder().join("splits.json")).unwrap();
    serde_json::from_slice::<Value>(&bytes).unwrap()["trials"].as_array().unwrap().clone()
}

fn rows(trial: &Value, part: &str) -> Vec<u64> {
    trial[part].as_array().unwrap().iter().map(|row| row.as_u64().unwrap()).collect()
}

#[test]
fn folds_are_written_as_rows_of_the_source_and_are_the_same_for_a_seed() {
    let program = Program::new();
    let line = format!("split {} -o splits.json --repeats 2", mutag());
    insta::assert_snapshot!(program.stdout(&line), @r#"
    MUTAG: 188 graphs, 188 of them distinct

    trial  training  validation  test
        0       150           0    38
        1       150           0    38
        2       150           0    38
        3       151           0    37
        4       151           0    37
        5       150           0    38
        6       150           0    38
        7       150           0    38
        8       151           0    37
        9       151           0    37

    splits written to splits.json
    "#);
    let first = trials(&program);
    assert_eq!(first.len(), 10);
    for repeat in first.chunks(5) {
        let mut tested: Vec<u64> = repeat.iter().flat_map(|trial| rows(trial, "test")).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..188).collect::<Vec<_>>());
    }
    program.run(&line).success();
    assert_eq!(trials(&program), first);
    program.run(&format!("{line} --seed 1")).success();
    assert_eq!(trials(&program)[..5], first[5..], "repeat 1 of seed 0 is repeat 0 of seed 1");
}

#[test]
fn scaffolds_and_groups_of_a_column_stay_whole_and_bad_rows_shift_nothing() {
    let program = Program::new();
    molecules(&program);
    let line = "split molecules.csv --target active -o splits.json";
    program.run(&format!("{line} --scheme scaffold --valid 0 --test 0.4")).success();
    let trial = &trials(&program)[0];
    let scaffolds: [&[u64]; 4] = [&[0, 1, 10], &[2, 3, 11], &[5, 6], &[7, 8, 9]];
    for scaffold in scaffolds {
        let here = scaffold.iter().filter(|row| rows(trial, "test").contains(row)).count();
        assert!(here == 0 || here == scaffold.len(), "{trial}");
    }
    let all = [rows(trial, "train"), rows(trial, "test")].concat();
    assert!(all.len() == 11 && ![4, 12, 13].iter().any(|row| all.contains(row)), "neither bad nor unlabelled rows");
    let printed = program.json(&format!("{line} --group batch --folds 2 --json"));
    assert_eq!((&printed["scheme"], &printed["groups"]), (&json!("group"), &json!(3)));
    for trial in trials(&program) {
        let batches = |part| rows(&trial, part).iter().map(|row| row / 5).collect::<std::collections::BTreeSet<_>>();
        assert!(batches("train").is_disjoint(&batches("test")));
    }
}

#[test]
fn what_cannot_be_met_is_refused_before_anything_is_written() {
    let program = Program::new();
    molecules(&program);
    let refused = |options: &str| {
        let line = format!("split molecules.csv -o splits.json {options}");
        let found = text(&program.run(&line).failure().get_output().stderr);
        assert!(!program.folder().join("splits.json").exists());
        found.lines().filter(|line| !line.starts_with("skipped")).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(refused("--scheme leave-one-out"), @r#"
    error: invalid value 'leave-one-out' for '--scheme <SCHEME>'
      [possible values: random, stratified, kfold, scaffold, group, cluster]

    For more information, try '--help'.
    "#);
    insta::assert_snapshot!(
        refused("--scheme group"),
        @"error: --scheme group needs --group COLUMN, the column whose values say which graphs belong together"
    );
    insta::assert_snapshot!(refused("--group assay"), @r#"
    error: molecules.csv: there must be a column named "assay", but there are only "active", "batch"
      tip: --group names the column with the groups
    "#);
    insta::assert_snapshot!(refused("--scheme random --group batch"), @"error: --group needs --scheme group, got \
        --scheme random");
    insta::assert_snapshot!(refused("--scheme stratified"), @r#"
    error: scheme stratified needs a target, but the data have none
      tip: --target names the column
    "#);
    insta::assert_snapshot!(refused("--target active --folds 7"), @r#"
    error: each class must have at least 7 graphs, one per fold, but class no of target active has 5
      tip: fewer folds, or --scheme random
    "#);
    insta::assert_snapshot!(refused("--scheme scaffold --folds 5"), @r#"
    error: the scheme scaffold needs enough scaffolds without isomorphic graphs in common for 5 sets, but there are 4
      tip: fewer folds, or another --scheme
    "#);
    insta::assert_snapshot!(refused("--scheme cluster --similarity 0"), @"error: the similarity must be above 0 and \
        at most 1, got 0");
    insta::assert_snapshot!(refused("--scheme random --valid 0.5 --test 0.5"), @"error: the fractions of valid and \
        test must be at least 0 and their sum below 1, got 0.5 and 0.5");
    insta::assert_snapshot!(refused("--test 0.3"), @"error: --test excludes folds: each of the 5 folds is a test set");
    insta::assert_snapshot!(refused("--folds 1"), @"error: the number of folds must be at least 2, got 1");
    program.write("other.json", "{\"a\": 1}");
    insta::assert_snapshot!(text(&program.run("split molecules.csv -o other.json").code(2).get_output().stderr), @r#"
    error: --output may only replace a file of splits, but other.json is something else
      tip: name another file, or remove this one first
    "#);
}
