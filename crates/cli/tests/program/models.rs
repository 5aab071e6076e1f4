//! Models are to the bit those of the stored digests: a change of the code that changes a model is noticed.
//!
//! Trains every set of the repository in `testdata/model-digests.json`; `cargo xtask models` does the same for real
//! sets with the shipped program. `einsicht_testkit::digest` says what counts.

use super::Program;
use einsicht_testkit::digest::ModelFile;
use einsicht_testkit::repo_root;
use serde_json::Value;

#[test]
fn models_are_what_they_were() {
    let stored = std::fs::read(repo_root().join("testdata/model-digests.json")).unwrap();
    let stored: Value = serde_json::from_slice(&stored).unwrap();
    let program = Program::new();
    let (mut compared, mut different) = (0, Vec::new());
    for training in stored["models"].as_array().unwrap() {
        let (name, data) = (training["name"].as_str().unwrap(), training["data"].as_str().unwrap());
        if !data.starts_with("testdata/") {
            continue;
        }
        let data = repo_root().join(data).display().to_string();
        let mut words = vec!["train", &data, "-o", name, "-q"];
        words.extend(training["options"].as_array().unwrap().iter().filter_map(Value::as_str));
        program.run_words(&words).success();
        let found = ModelFile::read(&std::fs::read(program.folder().join(name)).unwrap()).unwrap().digests();
        let differs = |(part, digest): &(&String, &String)| training["digests"][part] != ***digest;
        different.extend(found.iter().filter(differs).map(|(part, _)| format!("the {part} of {name}")));
        compared += 1;
    }
    assert_eq!(different, Vec::<String>::new());
    assert!(compared >= 5, "{compared} sets of the repository");
}
