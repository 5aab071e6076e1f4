//! Extreme graphs through every command: each survives, or refuses by name and within its memory.
//!
//! Ordinary tests take the graphs much smaller, thorough ones whole (`EINSICHT_THOROUGH`).

use super::{Program, text};
use einsicht_testkit::extreme::{family, random, star, transactions, usual_cut};
use einsicht_testkit::strategy::{Dice, Shape};

/// A program with `extreme.gspan`: the family and some ordinary graphs, in two classes.
fn program() -> Program {
    let program = Program::new();
    let mut graphs: Vec<_> = family(usual_cut()).into_iter().map(|(_, graph)| graph).collect();
    let mut dice = Dice::new(7);
    graphs.extend((0..24).map(|_| dice.connected_graph(Shape { vertices: 10, edges: 12, ..Shape::PLAIN })));
    program.write("extreme.gspan", &transactions(&graphs));
    program
}

/// Runs a command, which must end by itself, and within its memory or saying that it was too little.
fn survives(program: &Program, line: &str) {
    let assert = program.run(line);
    let output = assert.get_output();
    let said = text(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        Some(3) => assert!(said.contains("memory limit: "), "{line}: {said}"),
        // A part of the steps is a part of the claims.
        Some(4) if line.contains("--steps") => {}
        other => panic!("{line}: {other:?} {said}"),
    }
}

#[test]
fn every_command_survives_extreme_graphs() {
    let program = program();
    let (data, quick) = ("extreme.gspan", "--max-edges 1 --sizes 1,2 --memory 2G");
    program.run(&format!("train {data} -o model {quick}")).success();
    for line in [
        format!("inspect {data}"),
        format!("split {data} -o split.json"),
        format!("mine {data} --max-edges 2 --memory 300M -o patterns"),
        format!("match patterns {data} -o matches"),
        format!("match model {data}"),
        format!("convert {data} -o converted.jsonl"),
        "inspect converted.jsonl".to_owned(),
        "show model".to_owned(),
        format!("predict model {data} -o predictions.csv"),
        format!("evaluate model {data}"),
        format!("cross-validate {data} --folds 2 {quick}"),
        format!("experiment {data} --inner-folds 2 --trial 0 -o trials --sizes 1 --max-edges 1"),
        format!("stability {data} --bootstrap 2 --sizes 1 --max-edges 1"),
        format!("explain model {data} --places --json"),
        format!("explain model {data} --method tree"),
        format!("report model {data} -o report.html"),
        format!("verify model {data} --steps 1"),
        format!("verify model {data} --retrain"),
    ] {
        survives(&program, &line);
    }
    // A graph of many parts is no pattern.
    let refused = program.run(&format!("match {data} {data}")).code(1);
    assert!(text(&refused.get_output().stderr).contains("a pattern must be connected"));
}

#[test]
fn what_takes_more_memory_than_its_limit_ends_with_what_was_found_and_says_what_to_lower() {
    let program = Program::new();
    program.write("stars.gspan", &transactions(&vec![star(10_000); 10]));
    let graphs: Vec<_> = (0..10).map(|seed| random(5000, 12_000, seed)).collect();
    program.write("random.gspan", &transactions(&graphs));
    let advice = "are in use; fewer --max-edges and a larger --min-support need less";
    let mined = program.run("mine stars.gspan --count --memory 100M").code(3);
    let found = text(&mined.get_output().stdout);
    assert!(
        found.contains(" patterns of at most")
            && !found.starts_with("0 patterns")
            && found.contains("the memory limit was reached"),
        "{found}"
    );
    for line in [
        "train stars.gspan -o model --memory 100M",
        "train random.gspan -o model --memory 100M",
        "cross-validate random.gspan --memory 100M",
        "experiment random.gspan --inner-folds 2 -o trials --memory 100M",
    ] {
        let ended = program.run(line).code(3);
        let said = text(&ended.get_output().stderr);
        assert!(said.contains("memory limit: ") && said.contains(advice), "{line}: {said}");
    }
}
