//! `generate` and `demo`.

use super::{Program, explain, text};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// Names and bytes of the files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let program = Program::new();
    for set in ["cycle", "cycle-xor"] {
        program.run(&format!("generate {set} -o a --seed 5")).success();
        program.run(&format!("generate {set} -o b --seed 5")).success();
        program.run(&format!("generate {set} -o c --seed 6")).success();
    }
    let [a, b, c] = ["a", "b", "c"].map(|name| files(&program.folder().join(name)));
    assert_eq!(a.len(), 8);
    assert!(a == b && a != c);
}

#[test]
fn generate_reports_where_the_set_is() {
    let program = Program::new();
    assert_eq!(program.stdout("generate cycle -o here/there"), "Cycle: 600 graphs in here/there\n");
    assert_eq!(program.json("generate cycle-xor -o x --json --seed 3")["graphs"], 600);
}

#[test]
fn cycle_xor_has_two_variants_and_cycle_none() {
    let program = Program::new();
    program.run("generate cycle-xor -o usual").success();
    program.run("generate cycle-xor --variant twice -o twice").success();
    assert_eq!(program.json("generate cycle-xor --variant padded -o padded --json")["name"], "Cycle_XOR_padded");
    let [usual, twice, padded] = ["usual", "twice", "padded"].map(|name| files(&program.folder().join(name)));
    assert!(usual.values().eq(twice.values()) && !usual.values().eq(padded.values()));
    let refused = program.run("generate cycle --variant padded -o x").code(2);
    assert!(text(&refused.get_output().stderr).contains("--variant needs cycle-xor"));
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let program = Program::new();
    std::fs::write(program.folder().join("file"), "").unwrap();
    let failed = program.run("generate cycle -o file --json").code(1);
    let printed: serde_json::Value = serde_json::from_slice(&failed.get_output().stdout).unwrap();
    assert_eq!(printed["where"], "file");
    assert!(printed["error"].as_str().unwrap().starts_with("cannot write file: "), "{printed}");
}

/// The demo, run once for all tests that look at it: it takes seconds.
pub(super) fn demo() -> &'static (Program, String) {
    static DEMO: OnceLock<(Program, String)> = OnceLock::new();
    DEMO.get_or_init(|| {
        let program = Program::new();
        let shown = program.stdout("demo");
        (program, shown)
    })
}

#[test]
fn the_demo_learns_to_separate_the_classes() {
    let (program, shown) = demo();
    assert!(shown.starts_with("Cycle_XOR\n\n  graphs           600\n"), "{shown}");
    assert!(shown.contains("% of the test set classified correctly"), "{shown}");
    // Wide enough for a ring on one line.
    let show = program.run_with(&[("COLUMNS", "200")], "show einsicht-demo/model.einsicht").success();
    let shown = text(&show.get_output().stdout);
    // The ring of eight and the ring of nine.
    for ring in [8, 9] {
        let drawn = format!("[1]1{}-1 ", "-[1]".repeat(ring - 1));
        assert!(shown.contains(&drawn), "{drawn} in {shown}");
    }
    for made in ["Cycle_XOR/Cycle_XOR_A.txt", "model.einsicht", "report.html"] {
        assert!(program.folder().join("einsicht-demo").join(made).is_file());
    }
    let printed = program.json("evaluate einsicht-demo/model.einsicht einsicht-demo/Cycle_XOR --json");
    assert!(printed["accuracy"].as_f64().unwrap() > 0.98, "{printed}");
    assert!(printed["seen"]["out_of_fold"]["accuracy"].as_f64().unwrap() > 0.98, "{printed}");
    // An exclusive or takes two questions before the first of them helps; the tree of the page has them all.
    let page = explain::data_of_page(program, "einsicht-demo/report.html");
    let trees =
        page["entries"].as_array().unwrap().iter().filter(|entry| entry["patterns"].as_array().unwrap().len() == 3);
    let fidelity: Vec<f64> =
        trees.filter_map(|entry| entry["trees"][0].as_array().unwrap().last()?[1].as_f64()).collect();
    assert!(fidelity.len() == 1 && fidelity[0] > 0.99, "{fidelity:?}");
}
