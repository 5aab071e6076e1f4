//! The split files beside the repository fit their sets.

#![allow(clippy::unwrap_used, reason = "a failed test is what unwrap is for")]

use einsicht_data::read::{ReadOptions, read};
use einsicht_data::{Dataset, Part, SplitFile, TargetValues};
use einsicht_testkit::shared::shared;
use std::collections::BTreeMap;

fn class_counts(dataset: &Dataset, positions: &[usize]) -> BTreeMap<u32, usize> {
    let TargetValues::Classes { values, .. } = &dataset.targets[0].values else { panic!("classes") };
    let mut counts = BTreeMap::new();
    for class in positions.iter().filter_map(|&at| values[at]) {
        *counts.entry(class).or_insert(0) += 1;
    }
    counts
}

#[test]
fn splits_of_tu_sets_are_partitions_stratified_by_class() {
    let names = ["BZR", "COX2", "DHFR", "ENZYMES", "PTC_MR", "MUTAG", "NCI1", "PROTEINS", "AIDS", "Cycle", "Cycle_XOR"];
    for name in names {
        let (Some(set), Some(splits)) = (shared(&format!("data/tu/{name}")), shared(&format!("splits/{name}.json")))
        else {
            return;
        };
        let dataset = read(&set, &ReadOptions::default()).unwrap();
        let file = SplitFile::read(&splits).unwrap();
        assert_eq!(file.len(), 10);
        for trial in 0..file.len() {
            let split = file.split(trial, &dataset).unwrap();
            let all = split.part(Part::All);
            assert_eq!(all, (0..dataset.len()).collect::<Vec<_>>(), "{name} {trial}");
            let whole = class_counts(&dataset, &all);
            for (class, count) in class_counts(&dataset, &split.train) {
                let share = 0.6 * whole[&class] as f64;
                assert!((count as f64 - share).abs() <= 2.0, "{name} {trial}: {count} of {share}");
            }
        }
    }
}

#[test]
fn a_split_over_two_of_six_classes_has_these_two() {
    let (Some(set), Some(splits)) = (shared("data/tu/ENZYMES"), shared("splits/ENZYMES_1v2.json")) else { return };
    let dataset = read(&set, &ReadOptions::default()).unwrap();
    let split = SplitFile::read(&splits).unwrap().split(3, &dataset).unwrap();
    let used = split.part(Part::All);
    assert_eq!(used.len(), 200);
    assert_eq!(class_counts(&dataset, &used), BTreeMap::from([(0, 100), (1, 100)]));
}
