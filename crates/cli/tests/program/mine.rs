//! `mine`: patterns, files, messages, and how it ends when it is stopped.

use super::{Program, text};
use einsicht_testkit::fixture;
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Acetone, ethanol and a lone oxygen.
const MOLECULES: &str = "t # acetone\nv 0 C\nv 1 C\nv 2 C\nv 3 O\ne 0 1 single\ne 1 2 single\ne 1 3 double\n\
                         t # ethanol\nv 0 C\nv 1 C\nv 2 O\ne 0 1 single\ne 1 2 single\nt # water\nv 0 O\n";

fn program() -> Program {
    let program = Program::new();
    fs::write(program.folder().join("data.gspan"), MOLECULES).unwrap();
    program
}

fn lines(program: &Program, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(program.folder().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn mutag() -> String {
    fixture("MUTAG").canonicalize().unwrap().display().to_string()
}

#[test]
fn people_see_the_patterns_drawn_and_the_most_frequent_first() {
    let shown = program().run("mine data.gspan").success();
    insta::assert_snapshot!(text(&shown.get_output().stdout), @r"
    pattern    edges  graphs  percent
    C-C            1       2   66.7 %
    C=O            1       1   33.3 %
    C-O            1       1   33.3 %
    O=C-C          2       1   33.3 %
    C-C-C          2       1   33.3 %
    C-C-O          2       1   33.3 %
    O=C(-C)-C      3       1   33.3 %

    7 patterns of at most 6 edges in at least 1 of 3 graphs, sum of supports 8, 3 distinct supports
    ");
    let printed = text(&shown.get_output().stderr);
    assert!(printed.starts_with("warning: 1 of 3 graphs have no edge, so no pattern\n"), "{printed}");
}

#[test]
fn numbers_are_the_published_ones_with_and_without_counting_only() {
    let program = Program::new();
    for (labels, patterns, support_sum) in [("ignore", 387, 8390), ("use", 1273, 14825)] {
        let line = format!("mine {} --max-edges 5 --edge-labels {labels} --json", mutag());
        let [mut counted, mut counted_by_two] =
            [1, 2].map(|threads| program.json(&format!("{line} --count --threads {threads}")));
        let [mut listed, mut listed_by_two] =
            [1, 2].map(|threads| program.json(&format!("{line} --threads {threads}")));
        assert_eq!((&counted["patterns"], &counted["support_sum"]), (&json!(patterns), &json!(support_sum)));
        assert_eq!(counted["by_edges"].as_array().unwrap().len(), 5);
        assert!(listed["distinct_supports"].as_u64().unwrap() > 10);
        for document in [&mut counted, &mut counted_by_two, &mut listed, &mut listed_by_two] {
            assert!(document["seconds"].as_f64().unwrap() > 0.0);
            assert_eq!(document["complete"], true);
            for changing in ["seconds", "cpu_seconds", "peak_memory", "distinct_supports"] {
                document.as_object_mut().unwrap().remove(changing);
            }
        }
        assert_eq!(counted, counted_by_two);
        assert_eq!(listed, listed_by_two);
        // Counting takes the labels in another order, which is less work.
        assert!(counted["work"]["tested"].as_u64() < listed["work"]["tested"].as_u64());
        for document in [&mut counted, &mut listed] {
            document.as_object_mut().unwrap().remove("work");
        }
        assert_eq!(counted, listed);
    }
}

#[test]
fn what_mine_wrote_is_found_again_by_match_in_the_same_graphs() {
    let program = Program::new();
    let options = format!("--vertex-names {}/../mutag-atoms.txt --edge-names {}/../mutag-bonds.txt", mutag(), mutag());
    let mined =
        program.json(&format!("mine {} --max-edges 4 -o mined.jsonl {options} --feature count --json", mutag()));
    program.run(&format!("match mined.jsonl {} -o matched.jsonl {options} --feature count -q", mutag())).success();
    let [mined_lines, matched_lines] = ["mined.jsonl", "matched.jsonl"].map(|name| lines(&program, name));
    assert_eq!(json!(mined_lines.len()), mined["patterns"]);
    for (mined, matched) in mined_lines.iter().zip(&matched_lines) {
        for key in ["pattern", "support", "graphs", "counts"] {
            assert_eq!(mined[key], matched[key], "{}", mined["drawing"]);
        }
    }
    let supports: Vec<u64> = mined_lines.iter().map(|line| line["support"].as_u64().unwrap()).collect();
    assert!(supports.is_sorted_by(|a, b| a >= b));
    assert_eq!(json!(supports.iter().sum::<u64>()), mined["support_sum"]);
}

#[test]
fn the_lines_do_not_depend_on_the_number_of_threads() {
    let program = Program::new();
    for threads in [1, 2, 5] {
        program.run(&format!("mine {} --max-edges 6 -o {threads}.jsonl --threads {threads} -q", mutag())).success();
    }
    let [one, two, five] = [1, 2, 5].map(|n| fs::read(program.folder().join(format!("{n}.jsonl"))).unwrap());
    assert!(one == two && two == five);
}

#[test]
fn closed_and_maximal_patterns_are_a_part_of_all() {
    let program = program();
    let drawings = |options: &str| -> Vec<Value> {
        program.run(&format!("mine data.gspan -o out.jsonl -q {options}")).success();
        lines(&program, "out.jsonl").iter().map(|line| line["drawing"].clone()).collect()
    };
    assert_eq!(drawings("").len(), 7);
    assert_eq!(drawings("--closed"), ["C-C", "C-C-O", "O=C(-C)-C"]);
    assert_eq!(drawings("--maximal"), ["C-C-O", "O=C(-C)-C"]);
    assert_eq!(drawings("--top 2"), ["C-C", "C=O"]);
    let printed = program.json("mine data.gspan --closed --count --json");
    assert_eq!((&printed["patterns"], &printed["by_edges"]), (&json!(3), &json!([1, 1, 1, 0, 0, 0])));
    let printed = program.json("mine data.gspan --top 1 --json");
    assert_eq!(printed["top"][0]["graphs"], json!(["acetone", "ethanol"]));
}

#[test]
fn limits_leave_a_partial_result_and_exit_with_3() {
    let program = Program::new();
    // All subgraphs of the largest size: far too many.
    let shown = program.run(&format!("mine {} --max-edges 31 --time-limit 0.3s --count --json", mutag())).code(3);
    let printed: Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    assert_eq!((&printed["complete"], &printed["stopped_by"]), (&json!(false), &json!("time-limit")));
    assert!(printed["patterns"].as_u64().unwrap() > 0);
    let shown = program.run(&format!("mine {} --max-edges 31 --time-limit 0.3s", mutag())).code(3);
    let printed = text(&shown.get_output().stdout);
    assert!(printed.contains("incomplete: the time limit was reached; there are more patterns"), "{printed}");
}

#[test]
#[cfg(unix)]
fn sigint_leaves_a_partial_result_and_exits_with_130_and_sigterm_with_143() {
    let program = Program::new();
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("einsicht"));
        // Mining all of this takes most of a minute; without a support there would be several times as many lines to
        // write and read after the signal.
        let line = format!("mine {} --max-edges 31 --min-support 5 -o {code}.jsonl --json", mutag());
        child.current_dir(program.folder()).args(line.split_whitespace());
        let child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // The file of the lines appears when mining begins.
        let part = program.folder().join(format!("{code}.jsonl.writing"));
        while !part.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&printed["complete"], &printed["stopped_by"]), (&json!(false), &json!("interrupt")));
        assert_eq!(json!(lines(&program, &format!("{code}.jsonl")).len()), printed["patterns"]);
        assert!(printed["patterns"].as_u64().unwrap() > 0);
    }
}

#[test]
fn options_out_of_range_are_refused_with_what_would_work() {
    let program = program();
    let printed = |options: &str| -> Value {
        let failed = program.run(&format!("mine data.gspan {options} -o x --json")).code(2);
        assert!(!program.folder().join("x").exists() && !program.folder().join("x.writing").exists());
        serde_json::from_slice(&failed.get_output().stdout).unwrap()
    };
    let cases = [
        ("--max-edges 0", "--max-edges", "--max-edges must be from 1 to 31, got 0"),
        ("--max-edges 32", "--max-edges", "--max-edges must be from 1 to 31, got 32"),
        ("--min-support 0", "--min-support", "--min-support must be from 1 to the number of graphs (3), got 0"),
        ("--min-support 4", "--min-support", "--min-support must be from 1 to the number of graphs (3), got 4"),
    ];
    for (options, place, error) in cases {
        assert_eq!(printed(options), json!({ "error": error, "where": place }));
    }
    let refused = printed("--memory 1K");
    let error = refused["error"].as_str().unwrap();
    let smallest = error.strip_prefix("--memory must be at least ").unwrap().split(' ').next().unwrap();
    assert_eq!(refused["where"], "--memory");
    program.run(&format!("mine data.gspan --memory {smallest}")).success();
    let almost = smallest.strip_suffix('K').unwrap().parse::<usize>().unwrap() - 1;
    program.run(&format!("mine data.gspan --memory {almost}K")).code(2);
    let printed = printed("--min-support 200%");
    assert!(printed["error"].as_str().unwrap().contains("a percentage must be above 0% and at most 100%"), "{printed}");
}

#[test]
fn when_nothing_is_found_the_program_says_what_to_change() {
    let program = program();
    let shown = program.run("mine data.gspan --min-support 3").success();
    let printed = text(&shown.get_output().stderr);
    let expected =
        "nothing found: the most frequent edge is in 2 of 3 graphs, so lower --min-support from 3 to 2 or less";
    assert!(printed.lines().any(|line| line == expected), "{printed}");
    fs::write(program.folder().join("atoms.gspan"), "t # 0\nv 0 C\nt # 1\nv 0 O\n").unwrap();
    let shown = program.run("mine atoms.gspan").success();
    let printed = text(&shown.get_output().stderr);
    assert!(printed.starts_with("nothing found: none of the 2 graphs has an edge\n"), "{printed}");
}

#[test]
fn a_memory_budget_changes_the_work_and_not_the_numbers() {
    let program = Program::new();
    let run = |options: &str| program.json(&format!("mine {} --max-edges 7 --count --json {options}", mutag()));
    let (free, tight) = (run(""), run("--memory 1600K"));
    for key in ["patterns", "support_sum", "by_edges"] {
        assert_eq!(free[key], tight[key], "{key}");
    }
    assert_eq!(free["work"]["rederived"], 0);
    assert!(tight["work"]["rederived"].as_u64().unwrap() > 0, "{tight}");
}
