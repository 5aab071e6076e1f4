//! The seeds of the fuzz targets, and what they found once, are read on every run of the tests.

use einsicht_testkit::fuzzing::Reader;
use einsicht_testkit::repo_root;

#[test]
fn seeds_break_nothing_and_most_are_good() {
    for reader in Reader::ALL {
        let folder = repo_root().join("fuzz/seeds").join(reader.name());
        let seeds = std::fs::read_dir(&folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
        let good: Vec<bool> = seeds.map(|seed| reader.run(&seed)).collect();
        assert!(good.iter().any(|&good| good), "{} needs a seed that can be read", reader.name());
    }
}

#[test]
fn every_reader_has_a_fuzz_target() {
    for reader in Reader::ALL {
        assert!(repo_root().join("fuzz/fuzz_targets").join(format!("{}.rs", reader.name())).is_file());
    }
}
