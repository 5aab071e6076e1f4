//! What an output may replace: nothing that is read, and nothing of another kind.

use super::{Program, text};

fn program() -> Program {
    let program = Program::new();
    let rows: String = (1..=10).map(|at| format!("{},{}\n", "C".repeat(at), at % 2)).collect();
    program.write("s.csv", &format!("smiles,y\n{rows}"));
    program.run(&format!("{TRAIN} -o m.einsicht -q")).success();
    program
}

const TRAIN: &str = "train s.csv --max-edges 2 --sizes 1 --set max_iterations=2";

#[test]
fn an_output_that_is_an_input_is_refused_whatever_its_spelling() {
    let program = program();
    let folder = program.folder();
    std::fs::create_dir(folder.join("sub")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../s.csv", folder.join("sub/link")).unwrap();
    std::fs::hard_link(folder.join("s.csv"), folder.join("hard")).unwrap();
    program.write("names.txt", "C carbon\n");
    program.write("x.jsonl.writing", "t # 0 1\nv 0 C\nt # 1 0\nv 0 N\n");
    program.run("generate cycle -o set -q").success();
    let before = [program.files("."), program.files("set")];
    let lines = [
        format!("{TRAIN} -o s.csv"),
        format!("{TRAIN} -o ./sub/../s.csv"),
        format!("{TRAIN} -o {}", folder.join("s.csv").display()),
        format!("{TRAIN} -o sub/link"),
        format!("{TRAIN} -o hard"),
        format!("{TRAIN} --vertex-names names.txt -o names.txt"),
        "predict m.einsicht s.csv -o m.einsicht".to_owned(),
        "predict m.einsicht s.csv -o s.csv".to_owned(),
        "report m.einsicht s.csv -o s.csv".to_owned(),
        "explain m.einsicht s.csv --csv s.csv".to_owned(),
        "convert s.csv -o s.csv".to_owned(),
        "mine s.csv -o s.csv".to_owned(),
        "match m.einsicht s.csv -o m.einsicht".to_owned(),
        "train set -o set/Cycle_A.txt".to_owned(),
        "convert x.jsonl.writing --format gspan -o x.jsonl".to_owned(),
    ];
    for line in lines {
        let refused = program.run(&line).code(2);
        let said = text(&refused.get_output().stderr);
        assert!(said.contains("must not replace an input, but "), "{line}: {said}");
        assert!([program.files("."), program.files("set")] == before, "{line}");
    }
}

#[test]
fn a_file_of_another_kind_is_not_replaced_and_one_of_the_same_kind_is() {
    let program = program();
    program.write("notes.txt", "what I did\n");
    program.write("p.html", "<!DOCTYPE html>\n<html>my page</html>\n");
    let before = program.files(".");
    for (line, kind) in [
        (format!("{TRAIN} -o notes.txt"), "a model"),
        ("predict m.einsicht s.csv -o notes.txt".to_owned(), "a table of predictions"),
        ("report m.einsicht s.csv -o p.html".to_owned(), "a report page"),
        ("report m.einsicht s.csv -o notes.txt".to_owned(), "a report page"),
        ("explain m.einsicht s.csv --csv notes.txt".to_owned(), "a table of attributions"),
        ("mine s.csv -o notes.txt".to_owned(), "JSON lines of patterns"),
        ("convert s.csv -o notes.txt".to_owned(), "a data set of JSON lines"),
    ] {
        let refused = program.run(&line).code(2);
        let said = text(&refused.get_output().stderr);
        assert!(said.contains(&format!("may only replace {kind}, but ")), "{line}: {said}");
        assert!(program.files(".") == before, "{line}");
    }
    // A model whose length has the byte of a line break is a model all the same.
    program.write("old.einsicht", "\n\n\u{1}\0\0\0\0\0{\"__metadata__\":{\"einsicht\":\"{}\"}}");
    program.run(&format!("{TRAIN} -o old.einsicht -q")).success();
    // Twice: the second run replaces what the first has written. An empty file is no loss.
    program.write("new.csv", "");
    for line in [
        format!("{TRAIN} -o m.einsicht"),
        "predict m.einsicht s.csv -o new.csv".to_owned(),
        "report m.einsicht s.csv -o r.html".to_owned(),
        "explain m.einsicht s.csv --csv e.csv".to_owned(),
        "mine s.csv -o patterns.jsonl".to_owned(),
        "match m.einsicht s.csv -o where.jsonl".to_owned(),
        "convert s.csv -o d.jsonl".to_owned(),
        "convert s.csv -o d.jsonl.gz".to_owned(),
    ] {
        program.run(&format!("{line} -q")).success();
        program.run(&format!("{line} -q")).success();
    }
}

#[test]
fn a_dash_is_stdout_for_text_and_no_file_of_that_name() {
    let program = program();
    for (line, option, begins) in [
        ("report m.einsicht s.csv -o -", "--output", "<!doctype html>"),
        ("split s.csv --folds 2 -o -", "--output", "{"),
        ("mine s.csv --max-edges 1 -o -", "--output", "{"),
        ("match m.einsicht s.csv -o -", "--output", "{"),
        ("explain m.einsicht s.csv --csv -", "--csv", "id,quantity,output,base"),
        ("predict m.einsicht s.csv -o -", "--output", "id,y,"),
    ] {
        let printed = program.stdout(line);
        assert!(printed.starts_with(begins), "{line}");
        // Nothing else is there: the same command writes the same file.
        program.run(&format!("{} out -q", line.strip_suffix(" -").unwrap())).success();
        let written = std::fs::read_to_string(program.folder().join("out")).unwrap();
        std::fs::remove_file(program.folder().join("out")).unwrap();
        // A page names the command that made it.
        assert!(printed == written || printed.starts_with('<') && printed.trim_end().ends_with("</html>"), "{line}");
        let said = text(&program.run(&format!("{line} --json")).code(2).get_output().stderr);
        assert!(said.contains(&format!("--json and {option} - exclude each other")), "{line}: {said}");
    }
    let said = text(&program.run(&format!("{TRAIN} -o -")).code(2).get_output().stderr);
    assert!(said.contains("--output must be a file, got -: only text goes to stdout"), "{said}");
    assert!(!program.files(".").contains_key("-"));
}

#[test]
fn evaluate_reads_stdin() {
    let program = program();
    let table = std::fs::read_to_string(program.folder().join("s.csv")).unwrap();
    let piped = |line: &str, input: &str| {
        let mut command = assert_cmd::Command::cargo_bin("einsicht").unwrap();
        command.current_dir(program.folder()).args(line.split(' ')).write_stdin(input.to_owned()).assert()
    };
    let printed = piped("evaluate m.einsicht - --format csv --json", &table).success();
    let document: serde_json::Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    assert_eq!(document, program.json("evaluate m.einsicht s.csv --json"));
    // A format without names has one target.
    let graphs = "t # 0 1\nv 0 C\nv 1 C\nv 2 O\ne 0 1 single\ne 1 2 single\n";
    program.run(&format!("{TRAIN} --qualifiers none -o q.einsicht -q")).success();
    piped("evaluate q.einsicht - --format gspan", graphs).success();
    let said = text(&piped("evaluate m.einsicht - --format csv", "smiles,x\nCCO,1\n").code(1).get_output().stderr);
    assert!(said.contains("stdin: there must be a column named \"y\", but there are only \"x\""), "{said}");
    let said = text(&piped("evaluate m.einsicht -", &table).code(1).get_output().stderr);
    assert!(said.contains("name it with --format"), "{said}");
    let said = text(&piped("report m.einsicht - --format csv", &table).code(2).get_output().stderr);
    assert!(said.contains("stdin cannot be read twice"), "{said}");
}
