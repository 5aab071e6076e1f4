//! `predict` on tables of any length: batches, shards, bad rows, stdin and stdout, and what a kill leaves.

use super::{Program, text};
use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// A model of acids, and a table of `rows` molecules; every 97th row is none.
fn acids(rows: usize) -> Program {
    let program = Program::new();
    let mut table = String::from("smiles,acid\n");
    for at in 1..=12 {
        table += &format!("{}O,no\n{}C(=O)O,yes\n", "C".repeat(at), "C".repeat(at));
    }
    program.write("acids.csv", &table);
    program.run("train acids.csv -o m.einsicht --max-edges 3 --sizes 1,2 --set max_iterations=4 -q").success();
    program.write("many.smi", &many(0..rows));
    program
}

fn many(rows: std::ops::Range<usize>) -> String {
    let one = |at: usize| match at % 97 {
        96 => format!("C( bad{at}\n"),
        _ => format!("{}{} m{at}\n", "C".repeat(1 + at % 7), if at.is_multiple_of(3) { "C(=O)O" } else { "N" }),
    };
    rows.map(one).collect()
}

#[test]
fn batches_shards_and_standard_streams_give_the_rows_of_the_whole() {
    let program = acids(2500);
    let printed = program.run("predict m.einsicht many.smi -o all.csv").success();
    let messages = text(&printed.get_output().stderr);
    let first = "skipped row 96 (line 97): \"C(\" is not a molecule:";
    assert!(messages.contains(first) && messages.contains("skipped 25 of 2500 rows"), "{messages}");
    assert_eq!(messages.matches("skipped row").count(), 10, "the rest is counted: {messages}");
    let whole = fs::read_to_string(program.folder().join("all.csv")).unwrap();
    assert_eq!(
        whole.lines().next().unwrap(),
        "id,acid,P(acid=no),P(acid=yes),unknown_vertices,subgraphs,applicability,seen,out_of_fold P(acid=yes),row"
    );
    assert_eq!(whole.lines().count(), 1 + 2475);
    let rows: Vec<u32> = whole.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1.parse().unwrap()).collect();
    assert!(rows.is_sorted(), "the order is kept");

    // Several processes, each with its shard.
    let runs: Vec<_> = (1..=3)
        .map(|at| {
            std::process::Command::new(assert_cmd::cargo::cargo_bin!("einsicht"))
                .current_dir(program.folder())
                .args([
                    "predict",
                    "m.einsicht",
                    "many.smi",
                    "-q",
                    "--shard",
                    &format!("{at}/3"),
                    "-o",
                    &format!("{at}.csv"),
                ])
                .spawn()
                .unwrap()
        })
        .collect();
    assert!(runs.into_iter().all(|mut run| run.wait().unwrap().success()));
    let mut lines: Vec<String> = Vec::new();
    for at in 1..=3 {
        let shard = fs::read_to_string(program.folder().join(format!("{at}.csv"))).unwrap();
        lines.extend(shard.lines().skip(1).map(str::to_owned));
    }
    lines.sort_by_key(|line| line.rsplit_once(',').unwrap().1.parse::<u32>().unwrap());
    assert_eq!(lines, whole.lines().skip(1).collect::<Vec<_>>());

    let piped = Command::cargo_bin("einsicht")
        .unwrap()
        .current_dir(program.folder())
        .args("predict m.einsicht - --format smi -o - -q".split(' '))
        .write_stdin(many(0..2500))
        .assert()
        .success();
    assert_eq!(text(&piped.get_output().stdout), whole);
}

#[test]
fn a_bad_row_that_stops_leaves_all_before_it_and_the_document_says_why() {
    let program = acids(1200);
    fs::write(program.folder().join("p.csv"), "id,acid,row\nearlier,no,0\n").unwrap();
    let printed = program.run("predict m.einsicht many.smi --on-bad stop -o p.csv").code(1);
    let messages = text(&printed.get_output().stderr);
    assert!(
        messages.contains("96 predictions are in p.csv.partial") && messages.contains("many.smi:97: row 96"),
        "{messages}"
    );
    assert_eq!(fs::read_to_string(program.folder().join("p.csv")).unwrap(), "id,acid,row\nearlier,no,0\n");
    let prefix = fs::read_to_string(program.folder().join("p.csv.partial")).unwrap();
    assert_eq!((prefix.lines().count(), prefix.ends_with(",95\n")), (97, true));

    let printed = program.run("predict m.einsicht many.smi --on-bad stop --json").code(1);
    let document: Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    assert_eq!(document["predictions"].as_array().unwrap().len(), 96);
    assert!(document["error"].as_str().unwrap().contains("row 96 must be a molecule"), "{document}");
    assert_eq!(document["where"], "many.smi:97");
    // Nothing was begun: the usual document.
    let printed = program.run("predict m.einsicht none.smi --json").code(1);
    let document: Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    assert_eq!(document.as_object().unwrap().len(), 2);
}

#[test]
fn wrong_options_are_reported_before_any_work() {
    let program = acids(3);
    for (line, wanted) in [
        ("predict m.einsicht many.smi --shard 4/3", "the shard must be one of 1/N to N/N"),
        ("predict m.einsicht many.smi -o - --json", "both write to stdout"),
    ] {
        let printed = program.run(line).code(2);
        assert!(text(&printed.get_output().stderr).contains(wanted), "{line}");
    }
    let printed = program.run("predict m.einsicht -").code(1);
    let messages = text(&printed.get_output().stderr);
    assert!(messages.contains("stdin") && messages.contains("name it with --format"), "{messages}");
    program.run("predict m.einsicht many.smi -o nowhere/p.csv").code(1);
}

/// A killed run leaves a prefix: whole rows, each as in the whole.
#[test]
fn a_kill_in_the_middle_leaves_a_valid_prefix() {
    let program = acids(4000);
    let whole = program.stdout("predict m.einsicht many.smi -o - -q");
    let mut run = std::process::Command::new(assert_cmd::cargo::cargo_bin!("einsicht"))
        .current_dir(program.folder())
        .args("predict m.einsicht - --format smi -o p.csv -q".split(' '))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // The program waits for the rest, which never comes.
    let mut pipe = run.stdin.take().unwrap();
    pipe.write_all(many(0..3000).as_bytes()).unwrap();
    let part = program.folder().join("p.csv.partial");
    while fs::read_to_string(&part).map_or(0, |text| text.lines().count()) < 1000 {
        assert!(run.try_wait().unwrap().is_none(), "the program must wait for more");
        std::thread::yield_now();
    }
    run.kill().unwrap();
    run.wait().unwrap();
    drop(pipe);
    let prefix = fs::read_to_string(&part).unwrap();
    assert!(whole.starts_with(&prefix) && prefix.ends_with('\n') && prefix.len() < whole.len());
    assert!(!program.folder().join("p.csv").exists());
}
