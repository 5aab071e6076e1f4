//! What an output may replace: nothing that is read, and nothing of another kind.

use super::{Program, text};

fn program() -> Program {
    let program = Program::new();
    let rows: String = (1..=10).map(|at| format!("{},{}\n", "C".repeat(at), at % 2)).collect();
    program.write("s.csv", &format!("smiles,y\n{rows}"));
    program.run(&format!("{TRAIN} -o m.einsicht -q")).success();
    program
}

const TRAIN: &str = "train s.csv --max-edges 2 --sizes 1 --max-iterations 2";

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
        assert!(said.contains(&format!("may replace {kind} only, but ")), "{line}: {said}");
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
