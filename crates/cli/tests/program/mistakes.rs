//! Mistakes that people make, found by `lab/scripts/mistakes.py`: each is refused, or said, and nothing is silently
//! wrong.

use super::{Program, text};
use std::fmt::Write as _;

/// Forty molecules with a class, a logP, and a constant in mol/l; the first class is missing.
fn with_table() -> Program {
    let program = Program::new();
    let mut table = "smiles,active,logp,molar\n".to_owned();
    for at in 0..40 {
        let (chain, end) = ("C".repeat(at % 9 + 1), if at % 2 == 0 { "O" } else { "N" });
        let class = if at == 0 { String::new() } else { u8::from(end == "O").to_string() };
        writeln!(table, "{chain}{end},{class},{},{}e-9", at % 7, 11 + at % 9).unwrap();
    }
    program.write("a.csv", &table);
    program
}

fn train(program: &Program, target: &str) -> String {
    let line = format!("train a.csv --target {target} --sizes 1,2 --max-edges 2 --qualifiers none");
    program.trained_once(&line, "m.einsicht")
}

/// What a command that must fail with this status says.
fn refusal(program: &Program, status: i32, line: &str) -> String {
    text(&program.run(line).code(status).get_output().stderr)
}

/// What a command that must succeed says.
fn message(program: &Program, line: &str) -> String {
    text(&program.run(line).success().get_output().stderr)
}

#[test]
fn small_numbers_are_never_printed_as_zero() {
    let program = with_table();
    let printed = train(&program, "molar");
    assert!(printed.contains("e-9") && !printed.contains("rmse 0.000"), "{printed}");
    program.run("predict m.einsicht a.csv -o p.csv -q").success();
    let table = std::fs::read_to_string(program.folder().join("p.csv")).unwrap();
    let predicted = |line: &str| line.split(',').nth(1).unwrap().parse::<f64>().unwrap();
    assert!(table.lines().skip(1).all(|line| (5e-9..3e-8).contains(&predicted(line))), "{table}");
    for line in ["evaluate m.einsicht a.csv", "explain m.einsicht a.csv --graph 3", "predict m.einsicht a.csv"] {
        let printed = program.stdout(line);
        assert!(printed.contains("e-"), "{printed}");
    }
}

#[test]
fn a_target_that_is_named_twice_is_learnt_once() {
    let program = with_table();
    program.run("train a.csv --target logp --target logp --sizes 1 --max-edges 1 -o twice -q").success();
    program.run("train a.csv --target logp --sizes 1 --max-edges 1 -o once -q").success();
    let read = |name: &str| std::fs::read(program.folder().join(name)).unwrap();
    assert!(read("twice") == read("once"));
}

#[test]
fn missing_values_of_a_target_are_counted() {
    let program = with_table();
    let said = message(&program, "train a.csv --target active --sizes 1 --max-edges 1 -o x");
    assert!(said.contains("1 of 40 graphs has no value of target active: it is left out"), "{said}");
    let said = message(&program, "train a.csv --target active --target logp --sizes 1 --max-edges 1 -o x");
    assert!(said.contains("1 of 80 values of 2 targets are missing"), "{said}");
}

#[test]
fn more_folds_than_graphs_are_refused() {
    let program = with_table();
    let said = refusal(&program, 1, "train a.csv --target logp --sizes 1 --folds 41 -o x");
    assert!(said.contains("folds must be at most the number of graphs (40), got 41"), "{said}");
}

#[test]
fn a_target_that_the_model_does_not_have_is_refused_or_named() {
    let program = with_table();
    train(&program, "active");
    let said = refusal(&program, 2, "predict m.einsicht a.csv --target nosuch");
    assert!(said.contains("--target must be a target of the model (active), got nosuch"), "{said}");
    program.run("predict m.einsicht a.csv --target active -q").success();
    // The column holds numbers, which are no classes of the model: no prediction can be right.
    let printed = program.stdout("explain m.einsicht a.csv --target logp --graph 5");
    assert!(printed.contains("true 5, which is not a class of the model"), "{printed}");
}

#[test]
fn options_that_an_explanation_does_not_read_are_refused() {
    let program = with_table();
    train(&program, "molar");
    for (options, wanted) in [
        ("--method lime --orders 5", "--orders needs --method shapley, got --method lime"),
        ("--method forest --output logit", "--output needs --method shapley or lime, got --method forest"),
        ("--depth 3", "--depth needs --method tree, got --method shapley"),
        ("--output probability", "--output needs a model of classes, but this one predicts numbers"),
        ("--orders 0", "must be a whole number of at least 1"),
        ("--method tree --depth 0", "must be a whole number of at least 1"),
    ] {
        let said = refusal(&program, 2, &format!("explain m.einsicht a.csv {options}"));
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn a_model_is_no_data_set_and_json_lines_are_no_table() {
    let program = with_table();
    train(&program, "logp");
    let said = refusal(&program, 1, "inspect m.einsicht");
    assert!(said.contains("m.einsicht: must be a data set, but is a model"), "{said}");
    let said = refusal(&program, 2, "convert a.csv -o b.csv.gz");
    assert!(
        said.contains("--output is written as JSON lines, but the name b.csv.gz says csv: end it in .jsonl"),
        "{said}"
    );
    program.write("bad.csv", "smiles,y\nC1CC,1\nnope,2\n");
    let said = refusal(&program, 1, "inspect bad.csv --smiles smiles");
    assert!(said.contains("there is none: 2 rows were skipped, the first because"), "{said}");
    let said = message(&program, "show m.einsicht --data a.csv");
    assert!(said.contains("--data is for other sizes"), "{said}");
}
