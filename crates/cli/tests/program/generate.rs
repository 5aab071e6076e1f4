//! `generate` and `demo`.

use super::{Program, text};
use std::collections::BTreeMap;
use std::path::Path;

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
fn a_generated_set_says_where_it_is() {
    let program = Program::new();
    assert_eq!(program.stdout("generate cycle -o here/there"), "Cycle: 600 graphs in here/there\n");
    assert_eq!(program.json("generate cycle-xor -o x --json --seed 3")["graphs"], 600);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let program = Program::new();
    std::fs::write(program.folder().join("file"), "").unwrap();
    let failed = program.run("generate cycle -o file --json").code(1);
    let told: serde_json::Value = serde_json::from_slice(&failed.get_output().stdout).unwrap();
    assert_eq!(told["where"], "file");
    assert!(told["error"].as_str().unwrap().starts_with("cannot write file: "), "{told}");
}

#[test]
fn the_demo_shows_what_it_made() {
    let program = Program::new();
    let shown = program.run("demo").success();
    insta::assert_snapshot!(text(&shown.get_output().stdout), @r"
    Cycle_XOR

      graphs           600
      vertices       23707  39.51 a graph (37 to 42)
      edges          32408  54.01 a graph (42 to 66)
      vertex labels      2  1 (81.0 %), 0 (19.0 %)
      edge labels        0

      target  class  graphs   share
      label   0         300  50.0 %
      label   1         300  50.0 %
    ");
    insta::assert_snapshot!(text(&shown.get_output().stderr), @r"
    the data are in einsicht-demo/Cycle_XOR
    to come: a model of a few subgraphs that tells the two classes apart, and a page that shows them
    ");
    assert!(program.folder().join("einsicht-demo/Cycle_XOR/Cycle_XOR_A.txt").is_file());
}
