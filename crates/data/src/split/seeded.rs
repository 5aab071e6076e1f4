//! Splits from a seed: random, stratified, grouped, folds. The same in every version: see [`crate::random`].
//!
//! Fractions are met as far as whole graphs allow. A stratified split has every class in each set in proportion; a
//! grouped split keeps each group in one set, as scaffold splits of molecules need.

use super::plan::is_labelled;
use super::{Split, SplitError};
use crate::dataset::{Dataset, TargetValues};
use crate::random::Random;
use std::collections::BTreeMap;

/// Strata of a number: so many parts of its range with equally many graphs.
const PARTS_OF_RANGE: usize = 10;

/// Fractions of the validation and test set; the rest is for training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fractions {
    /// Fraction of the validation set.
    pub valid: f64,
    /// Fraction of the test set.
    pub test: f64,
}

impl Default for Fractions {
    /// One fifth for validation, no test set.
    fn default() -> Self {
        Self { valid: 0.2, test: 0.0 }
    }
}

impl Fractions {
    pub(super) fn check(self) -> Result<[f64; 3], SplitError> {
        let good = self.valid >= 0.0 && self.test >= 0.0 && self.valid + self.test < 1.0;
        if good {
            Ok([1.0 - self.valid - self.test, self.valid, self.test])
        } else {
            Err(SplitError::Fractions { valid: self.valid, test: self.test })
        }
    }
}

/// The default split: stratified by the classes of the first target, random if that is a number. Graphs without any
/// value of a target are in no set.
pub fn default_split(dataset: &Dataset, fractions: Fractions, seed: u64) -> Result<Split, SplitError> {
    let labelled: Vec<usize> = (0..dataset.len()).filter(|&at| is_labelled(dataset, at)).collect();
    let split = match dataset.targets.first().map(|target| &target.values) {
        Some(TargetValues::Classes { values, .. }) => {
            let classes: Vec<Option<u32>> = labelled.iter().map(|&at| values[at]).collect();
            stratified(&classes, fractions, seed)?
        }
        _ => random(labelled.len(), fractions, seed)?,
    };
    let of_dataset = |part: Vec<usize>| part.into_iter().map(|at| labelled[at]).collect();
    Ok(Split {
        train: of_dataset(split.train),
        valid: of_dataset(split.valid),
        test: of_dataset(split.test),
        skipped: 0,
    })
}

/// A random split.
pub fn random(graphs: usize, fractions: Fractions, seed: u64) -> Result<Split, SplitError> {
    stratified(&vec![(); graphs], fractions, seed)
}

/// A stratified split: every class (or other property) is in each set in proportion.
pub fn stratified<C: Ord>(classes: &[C], fractions: Fractions, seed: u64) -> Result<Split, SplitError> {
    let fractions = fractions.check()?;
    let mut parts = [const { Vec::new() }; 3];
    // Class by class, each graph goes to the set that is furthest behind its fraction so far.
    for (dealt, at) in shuffled_by_class(classes, seed).into_iter().enumerate() {
        let goal = (dealt + 1) as f64;
        parts[furthest_behind(fractions, goal, [0, 1, 2].map(|part| parts[part].len()))].push(at);
    }
    finish(parts)
}

/// A split that keeps each group in one set and spreads each stratum over the sets. Stratum by stratum, large groups
/// come first, and each goes to the set that is furthest behind its fraction so far.
pub(crate) fn grouped_split<S: Ord, G: Ord>(
    strata: &[S],
    groups: &[G],
    fractions: Fractions,
    seed: u64,
) -> Result<Split, SplitError> {
    let fractions = fractions.check()?;
    let mut parts = [const { Vec::new() }; 3];
    let mut dealt = 0;
    for group in shuffled_groups(strata, groups, seed) {
        dealt += group.len();
        let sizes = [0, 1, 2].map(|part| parts[part].len());
        parts[furthest_behind(fractions, dealt as f64, sizes)].extend(group);
    }
    finish(parts)
}

/// The fold of each graph: graphs of one group share a fold, each stratum is spread evenly over the folds, and so are
/// all graphs. There are at most as many folds as groups.
pub fn grouped_folds<S: Ord, G: Ord>(strata: &[S], groups: &[G], folds: usize, seed: u64) -> Vec<usize> {
    let order = shuffled_groups(strata, groups, seed);
    let mut fold_of = vec![0; groups.len()];
    let mut all = vec![0; folds];
    for of_stratum in order.chunk_by(|a, b| strata[a[0]] == strata[b[0]]) {
        let mut here = vec![0; folds];
        for group in of_stratum {
            let fold = (0..folds).min_by_key(|&fold| (here[fold], all[fold])).unwrap_or(0);
            here[fold] += group.len();
            all[fold] += group.len();
            for &at in group {
                fold_of[at] = fold;
            }
        }
    }
    fold_of
}

/// All groups by stratum, that of their first graph; within each large groups first, while there is room to balance
/// them.
fn shuffled_groups<S: Ord, G: Ord>(strata: &[S], groups: &[G], seed: u64) -> Vec<Vec<usize>> {
    let mut members: BTreeMap<&G, Vec<usize>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        members.entry(group).or_default().push(at);
    }
    let mut order: Vec<Vec<usize>> = members.into_values().collect();
    Random::new(seed).shuffle(&mut order);
    order.sort_by(|a, b| strata[a[0]].cmp(&strata[b[0]]).then_with(|| b.len().cmp(&a.len())));
    order
}

/// The stratum of each graph at these positions: the class of the first target, or the part of its range.
pub fn strata(dataset: &Dataset, rows: &[usize]) -> Vec<Option<u32>> {
    match dataset.targets.first().map(|target| &target.values) {
        None => vec![None; rows.len()],
        Some(TargetValues::Classes { values, .. }) => rows.iter().map(|&row| values[row]).collect(),
        Some(TargetValues::Numbers { values }) => {
            let mut order: Vec<usize> = (0..rows.len()).filter(|&at| values[rows[at]].is_some()).collect();
            order.sort_by(|&a, &b| values[rows[a]].unwrap_or(0.0).total_cmp(&values[rows[b]].unwrap_or(0.0)));
            let mut strata = vec![None; rows.len()];
            for (rank, &at) in order.iter().enumerate() {
                strata[at] = Some((rank * PARTS_OF_RANGE / order.len()) as u32);
            }
            strata
        }
    }
}

/// All positions, class by class, in random order within each.
fn shuffled_by_class<C: Ord>(classes: &[C], seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    Random::new(seed).shuffle(&mut order);
    order.sort_by(|&a, &b| classes[a].cmp(&classes[b]));
    order
}

/// The set that lacks most of its fraction of `goal` graphs; the first of several. An empty training set comes first,
/// however small its fraction.
fn furthest_behind(fractions: [f64; 3], goal: f64, sizes: [usize; 3]) -> usize {
    if sizes[0] == 0 {
        return 0;
    }
    let lacks = |part: usize| fractions[part] * goal - sizes[part] as f64;
    (1..3).fold(0, |best, part| if lacks(part) > lacks(best) { part } else { best })
}

fn finish([mut train, mut valid, mut test]: [Vec<usize>; 3]) -> Result<Split, SplitError> {
    if train.is_empty() {
        return Err(SplitError::NoTraining);
    }
    for part in [&mut train, &mut valid, &mut test] {
        part.sort_unstable();
    }
    Ok(Split { train, valid, test, skipped: 0 })
}

#[cfg(test)]
mod tests {
    use super::super::Part;
    use super::*;
    use proptest::prelude::*;

    const FRACTIONS: Fractions = Fractions { valid: 0.2, test: 0.2 };

    /// A change here breaks everybody's results. The expected values come from a second implementation, in Python.
    #[test]
    fn splits_of_a_seed_never_change() {
        let parts = |split: Split| (split.valid, split.test);
        assert_eq!(parts(random(10, FRACTIONS, 7).unwrap()), (vec![2, 8], vec![6, 9]));
        let classes = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1];
        assert_eq!(parts(stratified(&classes, FRACTIONS, 7).unwrap()), (vec![1, 7], vec![2, 6]));
        let groups = ["a", "b", "a", "c", "d", "d", "a", "e", "e", "f"];
        assert_eq!(parts(grouped_split(&[(); 10], &groups, FRACTIONS, 7).unwrap()), (vec![7, 8], vec![4, 5]));
        assert_eq!(grouped_folds(&classes, &groups, 3, 7), [0, 2, 0, 2, 1, 1, 0, 1, 1, 2]);
    }

    #[test]
    fn bad_fractions_are_refused() {
        for (valid, test) in [(0.5, 0.5), (-0.1, 0.2), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
            assert!(matches!(random(10, Fractions { valid, test }, 0), Err(SplitError::Fractions { .. })));
        }
        assert!(matches!(random(0, FRACTIONS, 0), Err(SplitError::NoTraining)));
    }

    /// Both parts have their fraction of the graphs, and of each class.
    fn check_fractions(split: &Split, classes: &[u32], [valid, test]: [f64; 2]) -> Result<(), TestCaseError> {
        for (part, fraction) in [(&split.valid, valid), (&split.test, test)] {
            prop_assert!((part.len() as f64 - fraction * classes.len() as f64).abs() < 2.0);
            for class in 0..4 {
                let all = classes.iter().filter(|&&c| c == class).count() as f64;
                let here = part.iter().filter(|&&at| classes[at] == class).count() as f64;
                prop_assert!((here - fraction * all).abs() < 4.0, "{} {}", here, fraction * all);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn parts_partition_and_classes_are_spread(
            classes in prop::collection::vec(0..4_u32, 1..200), seed: u64, valid in 0.0..0.5, test in 0.0..0.4,
        ) {
            let split = stratified(&classes, Fractions { valid, test }, seed).unwrap();
            prop_assert_eq!(split.part(Part::All), (0..classes.len()).collect::<Vec<_>>());
            check_fractions(&split, &classes, [valid, test])?;
        }

        #[test]
        fn groups_stay_whole(groups in prop::collection::vec(0..9_u8, 1..60), seed: u64) {
            let split = grouped_split(&vec![(); groups.len()], &groups, FRACTIONS, seed).unwrap();
            prop_assert_eq!(split.part(Part::All), (0..groups.len()).collect::<Vec<_>>());
            let of = |part: &[usize]| part.iter().map(|&at| groups[at]).collect::<std::collections::BTreeSet<_>>();
            prop_assert!(of(&split.train).is_disjoint(&of(&split.valid)));
            prop_assert!(of(&split.train).is_disjoint(&of(&split.test)));
            prop_assert!(of(&split.valid).is_disjoint(&of(&split.test)));
        }

        #[test]
        fn folds_keep_groups_whole_and_spread_strata(
            rows in prop::collection::vec((0..3_u8, 0..40_u32), 10..120), folds in 2..6_usize, seed: u64,
        ) {
            // A group has one stratum, as equal graphs usually have one class.
            let groups: Vec<u32> = rows.iter().map(|row| row.1).collect();
            let strata: Vec<u32> = groups.iter().map(|group| group % 3).collect();
            let fold_of = grouped_folds(&strata, &groups, folds, seed);
            prop_assert_eq!(&fold_of, &grouped_folds(&strata, &groups, folds, seed));
            for (at, other) in (0..rows.len()).flat_map(|at| (0..at).map(move |other| (at, other))) {
                prop_assert!(groups[at] != groups[other] || fold_of[at] == fold_of[other]);
            }
            let largest = groups.iter().map(|g| groups.iter().filter(|h| *h == g).count()).max().unwrap_or(0);
            for stratum in 0..3 {
                let is_in = |at: usize, fold| fold_of[at] == fold && strata[at] == stratum;
                let sizes = (0..folds).map(|fold| (0..rows.len()).filter(|&at| is_in(at, fold)).count());
                let (least, most) = sizes.fold((usize::MAX, 0), |(a, b), size| (a.min(size), b.max(size)));
                prop_assert!(most - least <= largest, "{least} {most} {largest}");
            }
        }

        #[test]
        fn groups_of_one_graph_meet_fractions_and_strata(
            classes in prop::collection::vec(0..4_u32, 1..200), seed: u64, valid in 0.0..0.5, test in 0.0..0.4,
        ) {
            let groups: Vec<usize> = (0..classes.len()).collect();
            let split = grouped_split(&classes, &groups, Fractions { valid, test }, seed).unwrap();
            check_fractions(&split, &classes, [valid, test])?;
        }
    }
}
