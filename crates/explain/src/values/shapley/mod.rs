//! Shapley values: the contribution of every feature to the output, averaged over all orders in which features are added.
//!
//! Two baselines. *Absent*: a feature outside of the coalition is absent, so only subgraphs that are present contribute.
//! *Background*: it takes its values from a background sample of graphs, and the result is the mean over the sample, so the
//! absence of a subgraph can contribute too.
//!
//! Promise: values sum to the output minus the base. They are exact, by all coalitions, for up to
//! [`ShapleyOptions::exact_up_to`] features that differ from the baseline; beyond that they are means over random orders and
//! their reverses, with a standard error. Equal rows are computed once. Same seed, same values, on any number of threads. A
//! feature stands for its support class: all patterns with the same support in the training set. Tested against the
//! definition (`tests.rs`) and against the package `shap`.

mod exact;
mod sampled;

use super::function::{RestrictedFunction, ValueFunction};
use super::{Attribution, BaselineKind, FeatureTable};
use einsicht_data::random::Random;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// What replaces a feature outside of the coalition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Baseline {
    /// Zero: the pattern is absent.
    Absent,
    /// Its values in a background sample.
    Background(Background),
}

impl Baseline {
    /// Without its rows.
    pub(crate) fn kind(&self) -> BaselineKind {
        match self {
            Self::Absent => BaselineKind::Absent,
            Self::Background(_) => BaselineKind::Background,
        }
    }
}

/// A background sample: distinct rows of feature values, each with its weight. Weights sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Background {
    rows: Vec<(Vec<f64>, f64)>,
}

impl Background {
    /// The rows of a table, or `most` of them drawn by the seed if there are more; equal rows are kept once.
    ///
    /// # Panics
    /// If the table has no row, or `most` is 0.
    pub(crate) fn new(table: &FeatureTable, most: usize, seed: u64) -> Self {
        assert!(table.rows() > 0 && most > 0, "a background sample has a row");
        let mut sample: Vec<usize> = (0..table.rows()).collect();
        if table.rows() > most {
            Random::new(seed).shuffle(&mut sample);
            sample.truncate(most);
            sample.sort_unstable();
        }
        let (distinct, of_row) = distinct_rows(&table.select(&sample));
        let mut rows: Vec<(Vec<f64>, f64)> = distinct.into_iter().map(|row| (row, 0.0)).collect();
        for at in of_row {
            rows[at].1 += 1.0;
        }
        for (_, weight) in &mut rows {
            *weight /= sample.len() as f64;
        }
        Self { rows }
    }
}

/// How Shapley values are computed.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapleyOptions {
    /// Exact values for up to so many features that differ from the baseline.
    pub exact_up_to: usize,
    /// Beyond that, the number of random orders; each is used in both directions.
    pub orders: usize,
    /// Also the interactions of pairs of features, where values are exact.
    pub interactions: bool,
    /// Seed of the orders and of the background sample.
    pub seed: u64,
}

impl Default for ShapleyOptions {
    fn default() -> Self {
        Self { exact_up_to: 12, orders: 64, interactions: false, seed: 0 }
    }
}

/// Shapley values of many rows; equal rows point to the same attribution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapleyValues {
    /// One attribution per distinct row.
    pub(crate) distinct: Vec<Attribution>,
    /// The index of each row's attribution.
    pub(crate) of_row: Vec<usize>,
}

impl ShapleyValues {
    /// The attribution of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn row(&self, row: usize) -> &Attribution {
        &self.distinct[self.of_row[row]]
    }
}

/// The Shapley values of every row of a table.
///
/// # Panics
/// If the columns of the table are not the features of the function.
pub(crate) fn shapley_values(
    function: &ValueFunction<'_>,
    table: &FeatureTable,
    baseline: &Baseline,
    options: &ShapleyOptions,
) -> ShapleyValues {
    assert_eq!(table.width(), function.features(), "one column per feature");
    let (distinct, of_row) = distinct_rows(table);
    let distinct = distinct.into_par_iter().map(|row| of_one_row(function, &row, baseline, options)).collect();
    ShapleyValues { distinct, of_row }
}

/// The distinct rows of a table in the order of their first occurrence, and for each row its index among them.
fn distinct_rows(table: &FeatureTable) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut known: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    let (mut distinct, mut of_row) = (Vec::new(), Vec::with_capacity(table.rows()));
    for row in 0..table.rows() {
        let values = table.row(row);
        let bits = values.iter().map(|value| value.to_bits()).collect();
        let at = *known.entry(bits).or_insert(distinct.len());
        if at == distinct.len() {
            distinct.push(values.to_vec());
        }
        of_row.push(at);
    }
    (distinct, of_row)
}

fn of_one_row(function: &ValueFunction<'_>, row: &[f64], baseline: &Baseline, options: &ShapleyOptions) -> Attribution {
    let absent = [(vec![0.0; row.len()], 1.0)];
    let references = match baseline {
        Baseline::Absent => &absent[..],
        Baseline::Background(background) => &background.rows,
    };
    let quantities = function.quantities().len();
    let mut attribution = Attribution::new(function.features(), quantities);
    let mut variances: Option<Vec<f64>> = None;
    if options.interactions {
        attribution.interactions = Some(vec![0.0; function.features() * function.features() * quantities]);
    }
    for (at, (reference, weight)) in references.iter().enumerate() {
        let differing: Vec<usize> = (0..row.len()).filter(|&feature| row[feature] != reference[feature]).collect();
        let restricted = function.restricted(row, reference);
        let contrast = Contrast { function, restricted, row, reference, differing: &differing };
        if differing.len() <= options.exact_up_to.min(MOST_EXACT) {
            exact::add(&contrast, *weight, &mut attribution);
        } else {
            attribution.interactions = None;
            let random = Random::stream(options.seed, at as u64);
            let added = sampled::add(&contrast, *weight, options.orders.max(2), random, &mut attribution);
            let sums = variances.get_or_insert_with(|| vec![0.0; added.len()]);
            for (sum, variance) in sums.iter_mut().zip(added) {
                *sum += variance;
            }
        }
    }
    attribution.errors = variances.map(|sums| sums.into_iter().map(f64::sqrt).collect());
    attribution
}

/// The outputs of all coalitions of more features would not fit in memory.
const MOST_EXACT: usize = 20;

/// A row against one row of the baseline. Only the features in which they differ can contribute.
struct Contrast<'a> {
    function: &'a ValueFunction<'a>,
    /// The same function, faster for rows between the two.
    restricted: RestrictedFunction<'a, 'a>,
    row: &'a [f64],
    reference: &'a [f64],
    differing: &'a [usize],
}

#[cfg(test)]
mod tests;
