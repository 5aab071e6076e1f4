//! The training set of a forest, shared by all its trees, and the choice between the two representations of rows.

use super::grow::grow;
use super::integer_weights::{IntegerRows, integer_weights};
use super::merge::RowGroups;
use super::reference::ReferenceRows;
use super::split_search::StrategyCounts;
use super::{Columns, Response, Tree, TreeParams};
use einsicht_data::random::Random;

/// Columns, response and weights of a forest.
pub(super) struct TrainingSet<'a> {
    columns: &'a Columns,
    response: Response<'a>,
    weights: &'a [f64],
    whole: Option<IntegerWeighted<'a>>,
}

/// The merged rows, for classes with integer weights.
struct IntegerWeighted<'a> {
    groups: RowGroups<'a>,
    weights: Vec<u32>,
}

impl<'a> TrainingSet<'a> {
    /// # Panics
    /// If the lists disagree in length.
    pub(super) fn new(columns: &'a Columns, response: Response<'a>, weights: &'a [f64]) -> Self {
        assert_eq!(
            (response.len(), weights.len()),
            (columns.rows(), columns.rows()),
            "one response and weight per row"
        );
        let whole = || {
            let Response::Classes { labels, .. } = response else { return None };
            let weights = integer_weights(weights, weights.len())?;
            Some(IntegerWeighted { groups: RowGroups::new(columns.distinct()?, labels), weights })
        };
        Self { columns, response, weights, whole: whole() }
    }

    /// A tree on rows with these numbers of draws, or on all rows.
    ///
    /// # Panics
    /// If a weight is negative or not finite, or no row has a weight above 0.
    pub(super) fn grow(&self, times: Option<&[u32]>, params: &TreeParams, random: &mut Random) -> Tree {
        self.grow_and_count(times, params, random).0
    }

    /// The tree, and the strategies of its split searches if the weights are integers.
    pub(super) fn grow_and_count(
        &self,
        times: Option<&[u32]>,
        params: &TreeParams,
        random: &mut Random,
    ) -> (Tree, Option<StrategyCounts>) {
        let Some(IntegerWeighted { groups, weights }) = &self.whole else {
            let weights = drawn(self.weights, times, |weight, times| {
                // As many additions as draws: fractional weights round each time.
                (0..times).fold(0.0, |sum, _| sum + weight)
            });
            let mut rows = ReferenceRows::new(self.columns, self.response, &weights);
            return (grow(self.columns, self.response, &mut rows, *params, random), None);
        };
        let weights = drawn(weights, times, |weight, times| weight * times);
        let mut rows = IntegerRows::new(self.columns, groups, self.response.width(), &weights);
        let tree = grow(self.columns, self.response, &mut rows, *params, random);
        (tree, Some(rows.counts()))
    }

    /// The same without merged rows, for tests.
    #[cfg(test)]
    pub(super) fn plain(self) -> Self {
        Self { whole: None, ..self }
    }
}

/// The weights of rows with these numbers of draws.
fn drawn<'w, T: Copy>(
    weights: &'w [T],
    times: Option<&[u32]>,
    weigh: impl Fn(T, u32) -> T,
) -> std::borrow::Cow<'w, [T]> {
    match times {
        None => weights.into(),
        Some(times) => weights.iter().zip(times).map(|(&weight, &times)| weigh(weight, times)).collect(),
    }
}
