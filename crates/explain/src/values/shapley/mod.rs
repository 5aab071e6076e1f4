//! Shapley values: the contribution of every feature to the output, averaged over all orders in which features are
//! added.
//!
//! Two baselines. *Background*: a feature outside of the coalition takes its values from a sample of the training
//! graphs, and the result is the mean over the sample (interventional Shapley values), so the absence of a subgraph can
//! contribute too. *Absent*: it is absent, so only subgraphs that are present contribute.
//!
//! Promise: values sum to the output minus the base. They are exact at any number of features where a head allows it
//! (`polynomial`); else exact, by all coalitions, for up to [`ShapleyOptions::exact_up_to`] features that differ from
//! the baseline; beyond that they are means over random orders and their reverses, with a standard error. Equal rows
//! are computed once. Same seed, same values, on any number of threads. A feature stands for its support class: all
//! patterns with the same support in the training set. Tested against the definition (`tests.rs`) and against the
//! package `shap`.

mod exact;
mod polynomial;
mod sampled;

use super::function::{RestrictedFunction, ValueFunction};
use super::{Attribution, BaselineKind, FeatureTable};
use einsicht_data::random::Random;
use polynomial::{Cover, Polynomial};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sampled::Draws;

/// Rows between two words of progress: those that walk through trees together share work, so there should be many.
const BLOCK: usize = 1024;

/// What replaces a feature outside of the coalition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShapleyBaseline {
    /// Its values in the background of the model, a sample of the graphs that it was fitted on.
    #[default]
    Background,
    /// Zero: the pattern is absent; a side input is at its mean.
    Absent,
}

impl ShapleyBaseline {
    /// What the values are measured from.
    pub fn kind(self) -> BaselineKind {
        match self {
            Self::Background => BaselineKind::Background,
            Self::Absent => BaselineKind::Absent,
        }
    }

    /// Its rows with their weights, which sum to 1.
    pub fn rows(self, function: &ValueFunction<'_>) -> Vec<(Vec<f64>, f64)> {
        match self {
            Self::Background => function.background(),
            Self::Absent => vec![(vec![0.0; function.features()], 1.0)],
        }
    }
}

/// How Shapley values are computed.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapleyOptions {
    /// Where values are not exact in polynomial time: exact ones for up to so many features that differ from the
    /// baseline.
    pub exact_up_to: usize,
    /// Beyond that, the number of random orders, over all rows of the baseline, at least two for each; each is used in
    /// both directions.
    pub orders: usize,
    /// Also the interactions of pairs of features, where values are exact by all coalitions.
    pub interactions: bool,
    /// Seed of the orders.
    pub seed: u64,
}

impl Default for ShapleyOptions {
    fn default() -> Self {
        Self { exact_up_to: 12, orders: 64, interactions: false, seed: 0 }
    }
}

/// Shapley values of many rows; equal rows point to the same attribution.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapleyValues {
    /// One attribution per distinct row.
    pub distinct: Vec<Attribution>,
    /// The index of each row's attribution.
    pub of_row: Vec<usize>,
}

impl ShapleyValues {
    /// The attribution of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &Attribution {
        &self.distinct[self.of_row[row]]
    }
}

/// The Shapley values of every row of a table.
///
/// # Panics
/// If the columns of the table are not the features of the function.
pub fn shapley_values(
    function: &ValueFunction<'_>,
    table: &FeatureTable,
    baseline: ShapleyBaseline,
    options: &ShapleyOptions,
) -> ShapleyValues {
    shapley_values_with_progress(function, table, baseline, options, &|_| ())
}

/// The same, block after block; `progress` hears which part of the work is done, from 0 to 1.
///
/// # Panics
/// If the columns of the table are not the features of the function.
pub(crate) fn shapley_values_with_progress(
    function: &ValueFunction<'_>,
    table: &FeatureTable,
    baseline: ShapleyBaseline,
    options: &ShapleyOptions,
    progress: &dyn Fn(f64),
) -> ShapleyValues {
    assert_eq!(table.width(), function.features(), "one column per feature");
    let (distinct, of_row) = distinct_rows(table);
    let references = baseline.rows(function);
    let polynomial = Polynomial::new(function, &references);
    let mut found = Vec::with_capacity(distinct.len());
    for block in distinct.chunks(BLOCK) {
        found.extend(values_of(function, block, (polynomial.as_ref(), &references), options));
        progress(found.len() as f64 / distinct.len() as f64);
    }
    ShapleyValues { distinct: found, of_row }
}

/// The attributions of some rows, each of which does not depend on the others.
fn values_of(
    function: &ValueFunction<'_>,
    rows: &[Vec<f64>],
    (polynomial, references): (Option<&Polynomial<'_>>, &[(Vec<f64>, f64)]),
    options: &ShapleyOptions,
) -> Vec<Attribution> {
    let Some(polynomial) = polynomial else {
        return rows.par_iter().map(|row| by_coalitions(function, row, references, options)).collect();
    };
    let exact = polynomial.attributions(function, rows);
    if polynomial.covers_all() && !options.interactions {
        return exact;
    }
    // Where only a linear part is left, the general way needs no trees.
    let linear = function.linear_alone().filter(|_| polynomial.leaves_linear() && !options.interactions);
    let left = linear.as_ref().unwrap_or(function);
    let general = |row: &Vec<f64>| by_coalitions(left, row, references, options);
    let both = rows.par_iter().zip(&exact);
    both.map(|(row, exact)| merged(exact, general(row), polynomial, linear.is_some())).collect()
}

/// The exact values where there are any, else the general ones; where those are of the linear part alone, both
/// together.
fn merged(exact: &Attribution, mut general: Attribution, polynomial: &Polynomial<'_>, is_linear: bool) -> Attribution {
    let quantities = general.output.len();
    for at in 0..general.values.len() {
        let (keep, with) = match polynomial.cover(at % quantities) {
            Cover::Whole => (0.0, exact.values[at]),
            Cover::Trees { linear } if is_linear => (linear, exact.values[at]),
            Cover::Trees { .. } | Cover::Nothing => (1.0, 0.0),
        };
        general.values[at] = keep * general.values[at] + with;
        if let Some(errors) = &mut general.errors {
            errors[at] *= keep;
        }
    }
    if is_linear {
        general.output.clone_from(&exact.output);
        general.base.clone_from(&exact.base);
    }
    general
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

/// Values by the outputs of coalitions: all of them, or those of random orders.
fn by_coalitions(
    function: &ValueFunction<'_>,
    row: &[f64],
    references: &[(Vec<f64>, f64)],
    options: &ShapleyOptions,
) -> Attribution {
    let quantities = function.quantities().len();
    let mut attribution = Attribution::new(function.features(), quantities);
    let mut draws = Draws::new(options.orders.div_ceil(references.len()).max(2), attribution.values.len());
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
            draws.add(&contrast, *weight, Random::stream(options.seed, at as u64), &mut attribution);
        }
    }
    attribution.errors = draws.errors();
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
