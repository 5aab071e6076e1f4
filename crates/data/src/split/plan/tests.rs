use super::super::{Part, SplitFile, split_file};
use super::*;
use crate::generate::{Synthetic, generate};
use crate::read::UnknownWord;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Some graphs of a synthetic set, some of them twice, with a column of groups.
fn dataset() -> (Dataset, Vec<u32>) {
    let rows: Vec<usize> = (240..360).chain(250..260).collect();
    let mut dataset = generate(Synthetic::Cycle, 0).subset(&rows);
    dataset.origins.iter_mut().zip(0..).for_each(|(origin, row)| origin.row = 2 * row);
    let groups = (0..dataset.len() as u32).map(|at| at / 10).collect();
    (dataset, groups)
}

fn plan(scheme: Scheme, folds: Option<usize>) -> SplitPlan {
    let fractions = Fractions { valid: 0.2, test: 0.2 };
    SplitPlan { folds, fractions, repeats: 2, ..SplitPlan::new(scheme) }
}

#[test]
fn every_scheme_partitions_by_seed_and_keeps_isomorphic_graphs_together() {
    let (dataset, groups) = dataset();
    let hashes = dataset.graph_hashes(&(0..dataset.len()).collect::<Vec<_>>());
    for scheme in [Scheme::Random, Scheme::Stratified, Scheme::Kfold, Scheme::Group] {
        for folds in [None, Some(3)] {
            let plan = plan(scheme, folds);
            let made = plan.splits(&dataset, Some(&groups)).unwrap();
            assert_eq!(made.splits.len(), 2 * folds.unwrap_or(1));
            assert_eq!(made, plan.splits(&dataset, Some(&groups)).unwrap());
            assert_ne!(made.splits[0], made.splits[folds.unwrap_or(1)], "repeats differ");
            for split in &made.splits {
                assert_eq!(split.part(Part::All), (0..dataset.len()).collect::<Vec<_>>());
                let of = |part: &[usize]| part.iter().map(|&at| hashes[at]).collect::<BTreeSet<_>>();
                let parts = [of(&split.train), of(&split.valid), of(&split.test)];
                assert!(parts[0].is_disjoint(&parts[1]) && parts[0].is_disjoint(&parts[2]), "{scheme}");
                assert!(parts[1].is_disjoint(&parts[2]), "{scheme}");
            }
        }
    }
}

#[test]
fn folds_test_each_graph_once_and_spread_classes() {
    let (dataset, _) = dataset();
    let made = plan(Scheme::Kfold, Some(5)).splits(&dataset, None).unwrap();
    let TargetValues::Classes { values, .. } = &dataset.targets[0].values else { panic!("classes") };
    let mut tested: Vec<usize> = made.splits[..5].iter().flat_map(|split| split.test.clone()).collect();
    tested.sort_unstable();
    assert_eq!(tested, (0..dataset.len()).collect::<Vec<_>>());
    for split in &made.splits {
        let ones = |part: &[usize]| part.iter().filter(|&&at| values[at] == Some(1)).count();
        for part in [&split.valid, &split.test] {
            assert!(part.len().abs_diff(dataset.len() / 5) <= 3, "{}", part.len());
            assert!(ones(part).abs_diff(ones(&(0..dataset.len()).collect::<Vec<_>>()) / 5) <= 3);
        }
    }
}

#[test]
fn groups_of_a_column_and_clusters_stay_whole() {
    let (dataset, groups) = dataset();
    let made = plan(Scheme::Group, Some(3)).splits(&dataset, Some(&groups)).unwrap();
    for split in &made.splits {
        let of = |part: &[usize]| part.iter().map(|&at| groups[at]).collect::<BTreeSet<_>>();
        assert!(of(&split.train).is_disjoint(&of(&split.test)) && of(&split.valid).is_disjoint(&of(&split.test)));
    }
    // A ring of each size: graphs of neighbouring sizes are similar, all in one chain.
    let refused = SplitPlan { similarity: 0.01, ..plan(Scheme::Cluster, None) }.splits(&dataset, None).unwrap_err();
    assert!(matches!(refused, SplitError::FewGroups { scheme: Scheme::Cluster, groups: 1, sets: 3 }), "{refused}");
}

#[test]
fn plans_that_cannot_be_met_are_refused() {
    let (mut dataset, _) = dataset();
    let refused = |plan: &SplitPlan, dataset: &Dataset| plan.splits(dataset, None).unwrap_err().to_string();
    let kfold = |folds| plan(Scheme::Kfold, Some(folds));
    assert_eq!(refused(&kfold(1), &dataset), "the number of folds must be at least 2, got 1");
    assert_eq!(
        refused(&kfold(131), &dataset),
        "the number of folds must be at least 2 and at most the number of graphs, 130, got 131"
    );
    assert_eq!(
        refused(&plan(Scheme::Group, None), &dataset),
        "the scheme group needs the group of each graph, but none is given"
    );
    let none = SplitPlan { repeats: 0, ..kfold(3) };
    assert_eq!(refused(&none, &dataset), "the number of repeats must be at least 1, got 0");
    let half = SplitPlan { fractions: Fractions { valid: 0.5, test: 0.0 }, ..kfold(2) };
    assert!(refused(&half, &dataset).starts_with("the fractions of valid and test must be at least 0"));
    let far = SplitPlan { similarity: f64::NAN, ..kfold(3) };
    assert_eq!(refused(&far, &dataset), "the similarity must be above 0 and at most 1, got NaN");
    if let TargetValues::Classes { values, .. } = &mut dataset.targets[0].values {
        let ones = values.iter_mut().filter(|value| **value == Some(1));
        ones.skip(4).for_each(|value| *value = Some(0));
    }
    assert_eq!(
        refused(&kfold(5), &dataset),
        "each class must have at least 5 graphs, one per fold, but class 1 of target label has 4"
    );
    dataset.targets.clear();
    assert_eq!(
        refused(&plan(Scheme::Stratified, None), &dataset),
        "scheme stratified needs a target, but the data have none"
    );
    let UnknownWord { got, .. } = "leave-one-out".parse::<Scheme>().unwrap_err();
    assert_eq!(got, "leave-one-out");
}

#[test]
fn a_column_groups_by_its_values_and_must_have_them_all() {
    let (dataset, _) = dataset();
    let numbers = |first| Target {
        name: "lab".into(),
        values: TargetValues::Numbers {
            values: [first].into_iter().chain((1..130).map(|at| Some(f64::from(at % 4)))).collect(),
        },
    };
    let groups = column_groups(&dataset, &numbers(Some(3.0))).unwrap();
    assert_eq!((groups[0], groups[3], groups[4]), (0, 0, 3));
    assert_eq!(
        column_groups(&dataset, &numbers(None)).unwrap_err().to_string(),
        "each graph must have a group, but row 0 has no value in column lab"
    );
}

#[test]
fn files_of_splits_are_read_back_by_rows_of_the_source() {
    let (dataset, _) = dataset();
    let made = plan(Scheme::Kfold, Some(3)).splits(&dataset, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("splits.json");
    std::fs::write(&path, split_file(&dataset, &made.splits)).unwrap();
    let file = SplitFile::read(&path).unwrap();
    let read: Vec<Split> = (0..file.len()).map(|trial| file.split(trial, &dataset).unwrap()).collect();
    assert_eq!(read, made.splits);
}

proptest! {
    #[test]
    fn unlabelled_graphs_are_in_no_set(labelled in prop::collection::vec(any::<bool>(), 130), seed: u64) {
        prop_assume!(labelled.iter().filter(|&&is| is).count() > 40);
        let (mut dataset, _) = dataset();
        let values = labelled.iter().enumerate().map(|(at, &is)| is.then_some(at as f64)).collect();
        dataset.targets = vec![Target { name: "y".into(), values: TargetValues::Numbers { values } }];
        let made = SplitPlan { seed, ..plan(Scheme::Stratified, None) }.splits(&dataset, None).unwrap();
        let all: Vec<usize> = (0..130).filter(|&at| labelled[at]).collect();
        prop_assert_eq!(made.splits[0].part(Part::All), all);
    }
}
