//! The seeds of the fuzz targets, and what they found once, are read on every run of the tests.

use crate::crafted_models;
use einsicht_testkit::fuzzing::Reader;
use einsicht_testkit::repo_root;

/// Reads the seeds of a target; one at least must be good.
fn read_seeds(target: &str, run: impl Fn(&[u8]) -> bool) {
    let folder = repo_root().join("fuzz/seeds").join(target);
    let files = std::fs::read_dir(&folder).expect("a folder of seeds").map(|entry| entry.expect("a seed").path());
    let good: Vec<bool> = files.map(|file| run(&std::fs::read(file).expect("a seed that can be read"))).collect();
    assert!(good.iter().any(|&good| good), "{target} needs a seed that can be read");
}

#[test]
fn seeds_break_nothing_and_most_are_good() {
    for reader in Reader::ALL {
        read_seeds(reader.name(), |seed| reader.run(seed));
    }
    read_seeds("model", crafted_models::run);
}

#[test]
fn every_reader_has_a_fuzz_target() {
    for target in Reader::ALL.iter().map(|reader| reader.name()).chain(["model"]) {
        assert!(repo_root().join("fuzz/fuzz_targets").join(format!("{target}.rs")).is_file());
    }
}
