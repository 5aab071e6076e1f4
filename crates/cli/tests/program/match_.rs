//! `match`.

use super::{Program, text};
use serde_json::{Value, json};
use std::fs;

/// Acetone, ethanol and a lone oxygen, and three patterns: C=O, C-C-O, and one with an unknown label.
fn program() -> Program {
    let program = Program::new();
    let data = "t # acetone\nv 0 C\nv 1 C\nv 2 C\nv 3 O\ne 0 1 single\ne 1 2 single\ne 1 3 double\n\
                t # ethanol\nv 0 C\nv 1 C\nv 2 O\ne 0 1 single\ne 1 2 single\nt # water\nv 0 O\n";
    let patterns = "t # 0\nv 0 C\nv 1 O\ne 0 1 double\nt # 1\nv 0 C\nv 1 C\ne 0 1 single\n\
                    t # 2\nv 0 Xe\nv 1 C\ne 0 1 single\n";
    fs::write(program.folder().join("data.gspan"), data).expect("a writable folder");
    fs::write(program.folder().join("patterns.gspan"), patterns).expect("a writable folder");
    program
}

fn lines(program: &Program, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(program.folder().join(name)).expect("match wrote it");
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

#[test]
fn a_pattern_with_an_unknown_label_matches_nothing_and_gives_a_warning() {
    let program = program();
    let shown = program.run("match patterns.gspan data.gspan -o where.jsonl --json").success();
    let printed: Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    for (key, value) in [("patterns", 3), ("graphs", 3), ("pairs", 9), ("matches", 3), ("unknown", 1)] {
        assert_eq!(printed[key], value, "{key}");
    }
    assert!(printed["seconds"].as_f64().unwrap() >= 0.0);
    insta::assert_snapshot!(text(&shown.get_output().stderr), @r#"
    warning: pattern 3 matches nothing: it has vertex label "Xe", which data does not have
    "#);
    let graphs: Vec<Value> = lines(&program, "where.jsonl").iter().map(|line| line["graphs"].clone()).collect();
    assert_eq!(graphs, [json!(["acetone"]), json!(["acetone", "ethanol"]), json!([])]);
    assert!(!program.folder().join("where.jsonl.writing").exists());
}

#[test]
fn what_match_wrote_is_read_as_patterns_and_can_be_counted() {
    let program = program();
    program.run("match patterns.gspan data.gspan -o where.jsonl -q").success();
    program.run("match where.jsonl data.gspan -o counts.jsonl --feature count -q").success();
    let [first, again] = ["where.jsonl", "counts.jsonl"].map(|name| lines(&program, name));
    for (first, again) in first.iter().zip(&again) {
        for key in ["pattern", "support", "graphs"] {
            assert_eq!(first[key], again[key]);
        }
    }
    // Two bonds C-C in acetone, which cover three atoms; the other molecule has one. The minimum-image count is that of
    // atoms.
    assert_eq!(again[1]["counts"], json!([2, 1]));
    program.run("match where.jsonl data.gspan -o images.jsonl --feature mni -q").success();
    assert_eq!(lines(&program, "images.jsonl")[1]["counts"], json!([3, 2]));
}

#[test]
fn people_see_a_table() {
    let shown = program().run("match patterns.gspan data.gspan -q").success();
    let shown = text(&shown.get_output().stdout);
    let table: Vec<&str> = shown.lines().take(4).collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    pattern          number  graphs  percent
    C=O                   1       1   33.3 %
    C-C                   2       2   66.7 %
    (unknown label)       3       0    0.0 %
    ");
    assert!(shown.lines().last().unwrap().starts_with("3 matches in 9 pairs, "), "{shown}");
}

#[test]
fn a_disconnected_pattern_and_a_bad_path_are_refused() {
    let program = program();
    fs::write(program.folder().join("loose.gspan"), "t # 0\nv 0 C\nv 1 C\n").unwrap();
    let printed = program.run("match loose.gspan data.gspan --json").code(1);
    let printed: Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    assert_eq!(printed["where"], "loose.gspan:1");
    assert_eq!(printed["error"], "loose.gspan:1: a pattern must be connected, but this one has 2 components");
    let printed = program.run("match patterns.gspan data.gspan -o no/such/folder").code(1);
    assert!(text(&printed.get_output().stderr).contains("error: cannot write no/such/folder: "));
}
