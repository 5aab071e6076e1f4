//! Schemes: which graphs are tested together, and on which others a model may be trained.
//!
//! Promise: the sets of a split are disjoint and hold every graph that has a value of some target; isomorphic graphs
//! are always in the same set, and so are graphs with one scaffold, one group or one cluster where the scheme says so;
//! over the folds of a repeat each graph is tested once. Equal plans and data give equal splits, in every version. A
//! plan that cannot be met is refused: no set that was asked for is ever empty. Repeat `r` uses the seed plus `r`.
//! Tested below and, against RDKit, in `python/tests`.

use super::cluster::join_similar;
use super::joined::Joined;
use super::seeded::{Fractions, grouped_folds, grouped_split, strata};
use super::{Split, SplitError};
use crate::chem::scaffold_groups;
use crate::dataset::{Dataset, Target, TargetValues};
use crate::read::UnknownWord;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Which graphs belong together, and what is spread evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Nothing but chance.
    Random,
    /// Each class, or part of the range of a number, is spread evenly over the sets.
    Stratified,
    /// Folds, stratified if there is a target.
    Kfold,
    /// Graphs with one scaffold are in one set: see [`scaffold_groups`].
    Scaffold,
    /// Graphs of one given group are in one set.
    Group,
    /// Similar graphs are in one set: subgraphs of at most three edges in common.
    Cluster,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Self; 6] =
        [Self::Random, Self::Stratified, Self::Kfold, Self::Scaffold, Self::Group, Self::Cluster];
    /// Their names in options.
    pub const WORDS: [&str; 6] = ["random", "stratified", "kfold", "scaffold", "group", "cluster"];

    /// Its name in options.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// What the graphs of one set have in common, in the plural.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Random | Self::Stratified | Self::Kfold => "distinct graphs",
            Self::Scaffold => "scaffolds",
            Self::Group => "groups",
            Self::Cluster => "clusters",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Scheme {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let refused = || UnknownWord::new("the scheme", &Self::WORDS, word);
        Self::ALL.into_iter().find(|scheme| scheme.word() == word).ok_or_else(refused)
    }
}

/// How to split a data set.
///
/// ```
/// use einsicht_data::generate::{Synthetic, generate};
/// use einsicht_data::split::{Scheme, SplitPlan};
///
/// let cycle = generate(Synthetic::Cycle, 0);
/// let plan = SplitPlan { folds: Some(5), ..SplitPlan::new(Scheme::Kfold) };
/// let made = plan.splits(&cycle, None)?;
/// assert_eq!(made.splits.len(), 5);
/// assert_eq!(made.splits.iter().map(|split| split.test.len()).sum::<usize>(), cycle.len());
/// # Ok::<(), einsicht_data::SplitError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SplitPlan {
    /// Which graphs belong together.
    pub scheme: Scheme,
    /// Number of folds, each of which is the test set of one split; without folds there is one split, with the fraction
    /// of the test set.
    pub folds: Option<usize>,
    /// Fractions of all graphs. With folds that of the test set is not used.
    pub fractions: Fractions,
    /// How often to do it, each time with another seed.
    pub repeats: usize,
    /// Scheme cluster: Tanimoto similarity from which on two graphs are in one cluster.
    pub similarity: f64,
    /// Seed of the first repeat.
    pub seed: u64,
}

/// Splits of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSplits {
    /// Repeat by repeat, fold by fold.
    pub splits: Vec<Split>,
    /// Number of groups that stayed whole.
    pub groups: usize,
    /// Number of graphs of the largest of them.
    pub largest: usize,
}

/// Default of [`SplitPlan::similarity`].
pub(crate) const USUAL_SIMILARITY: f64 = 0.8;
/// Default number of folds.
pub const USUAL_FOLDS: usize = 5;

/// The graphs that take part, by position in the data set, with what matters about them.
struct Members {
    rows: Vec<usize>,
    groups: Vec<usize>,
    strata: Vec<Option<u32>>,
}

impl SplitPlan {
    /// One repeat, with the usual fractions: a fifth for validation and a fifth for the test, or 5 folds for scheme
    /// kfold.
    pub fn new(scheme: Scheme) -> Self {
        let folds = (scheme == Scheme::Kfold).then_some(USUAL_FOLDS);
        let valid = if folds.is_some() { 0.0 } else { 0.2 };
        let fractions = Fractions { valid, test: 0.2 };
        Self { scheme, folds, fractions, repeats: 1, similarity: USUAL_SIMILARITY, seed: 0 }
    }

    /// The splits of a data set; scheme group needs the group of each graph.
    pub fn splits(&self, dataset: &Dataset, groups: Option<&[u32]>) -> Result<PlannedSplits, SplitError> {
        self.check()?;
        let members = self.members(dataset, groups)?;
        let mut sizes = BTreeMap::new();
        members.groups.iter().for_each(|group| *sizes.entry(group).or_insert(0) += 1);
        self.check_sizes(dataset, &members, sizes.len())?;
        let mut splits = Vec::new();
        for repeat in 0..self.repeats {
            let seed = self.seed.wrapping_add(repeat as u64);
            match self.folds {
                None => splits.push(members.split(self.fractions, seed)?),
                Some(folds) => splits.extend(members.fold_splits(folds, self.fractions.valid, seed)?),
            }
        }
        let wanted = 1 + usize::from(self.fractions.valid > 0.0) + usize::from(self.tests());
        let is_met = |split: &Split| {
            (split.valid.is_empty() != (self.fractions.valid > 0.0)) && (split.test.is_empty() != self.tests())
        };
        if !splits.iter().all(is_met) {
            return Err(SplitError::FewGroups { scheme: self.scheme, groups: sizes.len(), sets: wanted });
        }
        Ok(PlannedSplits { splits, groups: sizes.len(), largest: sizes.into_values().max().unwrap_or(0) })
    }

    /// Whether there are test sets.
    fn tests(&self) -> bool {
        self.folds.is_some() || self.fractions.test > 0.0
    }

    /// Refuses numbers that are out of range, before any data are looked at.
    pub fn check(&self) -> Result<(), SplitError> {
        if self.repeats == 0 {
            return Err(SplitError::Repeats);
        }
        if self.folds.is_some_and(|folds| folds < 2) {
            return Err(SplitError::Folds { folds: self.folds.unwrap_or(0), graphs: None });
        }
        let similarity_is_good = 0.0 < self.similarity && self.similarity <= 1.0;
        if !similarity_is_good {
            return Err(SplitError::Similarity { got: self.similarity });
        }
        let test = self.folds.map_or(self.fractions.test, |folds| 1.0 / folds as f64);
        Fractions { test, ..self.fractions }.check().map(|_| ())
    }

    fn members(&self, dataset: &Dataset, given: Option<&[u32]>) -> Result<Members, SplitError> {
        let rows: Vec<usize> = (0..dataset.len()).filter(|&at| is_labelled(dataset, at)).collect();
        let mut joined = Joined::new(rows.len());
        joined.join_equal(dataset.graph_hashes(&rows));
        match self.scheme {
            Scheme::Random | Scheme::Stratified | Scheme::Kfold => {}
            Scheme::Scaffold => {
                let scaffolds = scaffold_groups(dataset);
                joined.join_equal(rows.iter().map(|&row| scaffolds[row]));
            }
            Scheme::Group => {
                let given = given.ok_or(SplitError::NoGroups)?;
                joined.join_equal(rows.iter().map(|&row| given[row]));
            }
            Scheme::Cluster => {
                let graphs: Vec<_> = rows.iter().map(|&row| dataset.graphs[row].clone()).collect();
                join_similar(&graphs, self.similarity, &mut joined)?;
            }
        }
        let strata = match self.scheme {
            Scheme::Stratified if dataset.targets.is_empty() => return Err(SplitError::NoStrata),
            Scheme::Stratified | Scheme::Kfold => strata(dataset, &rows),
            _ => vec![None; rows.len()],
        };
        Ok(Members { rows, groups: joined.groups(), strata })
    }

    /// Refuses more folds than groups, or than graphs of a class that is to be spread over them.
    fn check_sizes(&self, dataset: &Dataset, members: &Members, groups: usize) -> Result<(), SplitError> {
        let Some(folds) = self.folds else { return Ok(()) };
        if folds > members.rows.len() {
            return Err(SplitError::Folds { folds, graphs: Some(members.rows.len()) });
        }
        if folds > groups {
            return Err(SplitError::FewGroups { scheme: self.scheme, groups, sets: folds });
        }
        if !matches!(self.scheme, Scheme::Stratified | Scheme::Kfold) {
            return Ok(());
        }
        let Some(Target { name, values: TargetValues::Classes { classes, values } }) = dataset.targets.first() else {
            return Ok(());
        };
        for (class, token) in classes.tokens().iter().enumerate() {
            let graphs = members.rows.iter().filter(|&&row| values[row] == Some(class as u32)).count();
            if (1..folds).contains(&graphs) {
                let (target, class) = (name.clone(), token.clone());
                return Err(SplitError::SmallClass { target, class, graphs, folds });
            }
        }
        Ok(())
    }
}

impl Members {
    fn split(&self, fractions: Fractions, seed: u64) -> Result<Split, SplitError> {
        let split = grouped_split(&self.strata, &self.groups, fractions, seed)?;
        Ok(self.of_dataset(split))
    }

    fn fold_splits(&self, folds: usize, valid: f64, seed: u64) -> Result<Vec<Split>, SplitError> {
        let fold_of = grouped_folds(&self.strata, &self.groups, folds, seed);
        let one = |fold: usize| {
            let (test, others): (Vec<usize>, Vec<usize>) = (0..self.rows.len()).partition(|&at| fold_of[at] == fold);
            // A fraction of all graphs, taken from those outside the fold.
            let fraction = (valid * self.rows.len() as f64 / others.len() as f64).min(1.0 - f64::EPSILON);
            let pick = |keys: &[usize]| others.iter().map(|&at| keys[at]).collect::<Vec<_>>();
            let strata: Vec<Option<u32>> = others.iter().map(|&at| self.strata[at]).collect();
            let inner = grouped_split(&strata, &pick(&self.groups), Fractions { valid: fraction, test: 0.0 }, seed)?;
            let of_others = |part: Vec<usize>| part.into_iter().map(|at| others[at]).collect();
            let split = Split { train: of_others(inner.train), valid: of_others(inner.valid), test, skipped: 0 };
            Ok(self.of_dataset(split))
        };
        (0..folds).map(one).collect()
    }

    fn of_dataset(&self, split: Split) -> Split {
        let rows = |part: Vec<usize>| part.into_iter().map(|at| self.rows[at]).collect();
        Split { train: rows(split.train), valid: rows(split.valid), test: rows(split.test), skipped: split.skipped }
    }
}

/// Whether a graph has a value of some target, or there is no target.
pub(super) fn is_labelled(dataset: &Dataset, at: usize) -> bool {
    dataset.targets.is_empty()
        || dataset.targets.iter().any(|target| match &target.values {
            TargetValues::Classes { values, .. } => values[at].is_some(),
            TargetValues::Numbers { values } => values[at].is_some(),
        })
}

/// The groups that a column says: one number per graph, equal for equal values.
pub fn column_groups(dataset: &Dataset, column: &Target) -> Result<Vec<u32>, SplitError> {
    let missing = |at: usize| SplitError::NoGroupOf { column: column.name.clone(), row: dataset.origins[at].row };
    match &column.values {
        TargetValues::Classes { values, .. } => {
            values.iter().enumerate().map(|(at, value)| value.ok_or_else(|| missing(at))).collect()
        }
        TargetValues::Numbers { values } => {
            let mut known = BTreeMap::new();
            let mut number = |(at, value): (usize, &Option<f64>)| {
                let bits = value.ok_or_else(|| missing(at))?.to_bits();
                let next = known.len() as u32;
                Ok(*known.entry(bits).or_insert(next))
            };
            values.iter().enumerate().map(&mut number).collect()
        }
    }
}

#[cfg(test)]
mod tests;
