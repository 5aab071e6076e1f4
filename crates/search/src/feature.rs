//! The value of a pattern in a graph: whether it occurs (`psi_H`), or a function of its count (`phi_H`).
//!
//! Promise: values are 0 where the pattern does not occur and non-decreasing in the count, to the last bit. No count of
//! a pattern grown from another exceeds the minimum-image count of that one, which never grows with the pattern. So the
//! bound of [`crate::bound`], taken over minimum-image counts, holds for values as it does for presence. Counts above
//! [`LARGEST_COUNT`] count as that many.

use einsicht_graph::mine::Counts;
use einsicht_graph::{Counted, Support};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Larger counts are replaced by this one.
pub(crate) const LARGEST_COUNT: u32 = 65535;

/// What the mining layer reads of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Feature {
    /// 1 where the pattern occurs.
    #[default]
    Presence,
    /// Its count of copies, transformed: at least so many occurrences.
    Count,
    /// Its minimum-image (MNI) count, transformed.
    Mni,
}

/// The non-decreasing function that turns a count into a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountTransform {
    /// The count itself.
    Identity,
    /// `log(1 + count)`.
    #[default]
    Log1p,
}

/// Feature and transform together: how a support becomes numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// 1 where the pattern occurs.
    Presence,
    /// Transformed counts of copies.
    Count(CountTransform),
    /// Transformed minimum-image counts.
    Mni(CountTransform),
}

impl Values {
    /// The values of these parameters.
    pub fn new(feature: Feature, transform: CountTransform) -> Self {
        match feature {
            Feature::Presence => Self::Presence,
            Feature::Count => Self::Count(transform),
            Feature::Mni => Self::Mni(transform),
        }
    }

    /// Whether counts are needed.
    pub fn needs_counts(self) -> bool {
        self.counts() != Counts::Off
    }

    /// The same counts as they are.
    #[must_use]
    pub fn untransformed(self) -> Self {
        match self {
            Self::Presence => Self::Presence,
            Self::Count(_) => Self::Count(CountTransform::Identity),
            Self::Mni(_) => Self::Mni(CountTransform::Identity),
        }
    }

    /// The counts that must be mined.
    pub fn counts(self) -> Counts {
        match self {
            Self::Presence => Counts::Off,
            Self::Count(_) => Counts::Copies,
            Self::Mni(_) => Counts::MinimumImage,
        }
    }

    /// The value of each count from 0; nothing where the value is 1 wherever the pattern occurs.
    fn table(self) -> &'static [f64] {
        static IDENTITY: OnceLock<Vec<f64>> = OnceLock::new();
        static LOG1P: OnceLock<Vec<f64>> = OnceLock::new();
        match self {
            Self::Presence => &[],
            Self::Count(CountTransform::Identity) | Self::Mni(CountTransform::Identity) => {
                IDENTITY.get_or_init(|| non_decreasing(|count| count))
            }
            Self::Count(CountTransform::Log1p) | Self::Mni(CountTransform::Log1p) => {
                LOG1P.get_or_init(|| non_decreasing(libm::log1p))
            }
        }
    }

    /// The value of a count; 1 where only presence is known.
    pub(crate) fn of_count(self, count: u32) -> f64 {
        self.table().get(count.min(LARGEST_COUNT) as usize).copied().unwrap_or(1.0)
    }

    /// The least count whose value is above a number from 0 up.
    pub fn count_above(self, threshold: f64) -> usize {
        match self {
            Self::Presence => 1,
            Self::Count(_) | Self::Mni(_) => self.table().partition_point(|value| *value <= threshold),
        }
    }

    /// The count that has a value; 1 if only presence is known.
    pub fn count_of(self, value: f64) -> usize {
        match self {
            Self::Presence => usize::from(value > 0.0),
            Self::Count(_) | Self::Mni(_) => self.table().partition_point(|known| *known < value),
        }
    }

    /// A support as numbers.
    pub fn column(self, support: &Support) -> Column<'_> {
        self.column_of(support.graphs(), support.counts())
    }

    /// The same for a support that is not stored: graphs, and counts where they are needed.
    pub(crate) fn column_of<'a>(self, graphs: &'a [u32], counts: Counted<'a>) -> Column<'a> {
        debug_assert!(!self.needs_counts() || counts.len() == graphs.len(), "counts were mined");
        let counts = if self.needs_counts() { counts } else { Counted::NONE };
        Column { graphs, counts, table: self.table() }
    }
}

/// A table that is non-decreasing, whatever the rounding of the function.
fn non_decreasing(value: fn(f64) -> f64) -> Vec<f64> {
    let mut largest = 0.0;
    let mut table = Vec::with_capacity(LARGEST_COUNT as usize + 1);
    for count in 0..=LARGEST_COUNT {
        let value = value(f64::from(count));
        if value > largest {
            largest = value;
        }
        table.push(largest);
    }
    table
}

/// Where a pattern occurs, and its value there; 0 elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    graphs: &'a [u32],
    /// Parallel to `graphs`, or empty: every value is 1.
    counts: Counted<'a>,
    table: &'static [f64],
}

impl<'a> Column<'a> {
    /// The value 1 in each of these graphs, which are strictly increasing.
    pub fn present_in(graphs: &'a [u32]) -> Self {
        debug_assert!(graphs.is_sorted_by(|a, b| a < b));
        Self { graphs, counts: Counted::NONE, table: &[] }
    }

    /// The graphs if every value is 1.
    #[inline]
    pub fn all_ones(self) -> Option<&'a [u32]> {
        self.counts.is_empty().then_some(self.graphs)
    }

    /// The graphs, strictly increasing.
    pub fn graphs(self) -> &'a [u32] {
        self.graphs
    }

    /// Graphs with values, in increasing order of the graphs.
    #[inline]
    pub fn cells(self) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.graphs.iter().enumerate().map(move |(at, &graph)| {
            let value = self.counts.get(at).map_or(1.0, |count| self.table[count.min(LARGEST_COUNT) as usize]);
            (graph as usize, value)
        })
    }

    /// Shows each of [`Self::cells`]: what a value is looked up in is settled once, before the loop.
    #[inline(always)]
    pub fn for_each(self, mut show: impl FnMut(usize, f64)) {
        // HOT: the sums of every visited pattern and of every trial of a line search.
        match self.counts {
            _ if self.counts.is_empty() => self.graphs.iter().for_each(|&graph| show(graph as usize, 1.0)),
            Counted::Bytes(counts) => {
                for (&graph, &count) in self.graphs.iter().zip(counts) {
                    show(graph as usize, self.table[usize::from(count)]);
                }
            }
            Counted::Words(counts) => {
                for (&graph, &count) in self.graphs.iter().zip(counts) {
                    show(graph as usize, self.table[count.min(LARGEST_COUNT) as usize]);
                }
            }
        }
    }

    /// The part before a graph, and the part from it on.
    pub(crate) fn split_at_row(self, row: u32) -> (Self, Self) {
        // A part is often short: its end is looked for in steps that double.
        let mut reach = 8;
        while self.graphs.get(reach).is_some_and(|graph| *graph < row) {
            reach *= 2;
        }
        let near = &self.graphs[..reach.min(self.graphs.len())];
        let at = near.partition_point(|graph| *graph < row);
        let (graphs, later) = self.graphs.split_at(at);
        let (counts, later_counts) = self.counts.split_at(if self.counts.is_empty() { 0 } else { at });
        (Self { graphs, counts, ..self }, Self { graphs: later, counts: later_counts, ..self })
    }

    /// The graphs, the count in each, and the value of each count; no counts if every value is 1.
    pub(crate) fn parts(self) -> (&'a [u32], Counted<'a>, &'static [f64]) {
        (self.graphs, self.counts, self.table)
    }

    /// The largest value, or 0 if the pattern occurs nowhere.
    pub fn largest(self) -> f64 {
        self.cells().fold(0.0, |largest, (_, value)| if value > largest { value } else { largest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lead_back_to_counts() {
        for transform in [CountTransform::Identity, CountTransform::Log1p] {
            let values = Values::Count(transform);
            for count in [1, 2, 9, 500, LARGEST_COUNT as usize] {
                let value = values.table()[count];
                assert_eq!(values.count_of(value), count);
                assert_eq!(values.count_above(values.table()[count - 1]), count);
                assert_eq!(values.count_above(0.5 * (values.table()[count - 1] + value)), count);
            }
        }
        assert_eq!((Values::Presence.count_above(0.5), Values::Presence.count_of(1.0)), (1, 1));
    }

    #[test]
    fn values_are_zero_at_zero_and_increase() {
        for transform in [CountTransform::Identity, CountTransform::Log1p] {
            let table = Values::Count(transform).table();
            assert_eq!((table.len(), table[0]), (LARGEST_COUNT as usize + 1, 0.0));
            assert!(table.is_sorted_by(|a, b| a < b), "{transform:?}");
        }
    }

    #[test]
    fn a_column_is_split_at_any_row() {
        let graphs: Vec<u32> = (0..100).map(|at| 3 * at).collect();
        let support = Support::detached(graphs.clone(), graphs.iter().map(|graph| 1 + graph % 4).collect());
        for values in [Values::Presence, Values::Count(CountTransform::Identity)] {
            let column = values.column(&support);
            for row in 0..310 {
                let (before, after) = column.split_at_row(row);
                assert!(before.cells().all(|(graph, _)| graph < row as usize));
                assert!(after.cells().all(|(graph, _)| graph >= row as usize));
                assert!(before.cells().chain(after.cells()).eq(column.cells()));
            }
        }
    }

    #[test]
    fn a_column_gives_each_graph_its_value() {
        let support = Support::detached(vec![1, 4, 6], vec![2, 1, 100_000]);
        let cells = |values: Values| values.column(&support).cells().collect::<Vec<_>>();
        assert_eq!(cells(Values::Presence), [(1, 1.0), (4, 1.0), (6, 1.0)]);
        assert_eq!(cells(Values::Count(CountTransform::Identity)), [(1, 2.0), (4, 1.0), (6, 65535.0)]);
        let logs = cells(Values::Count(CountTransform::Log1p));
        assert_eq!(logs[0], (1, libm::log1p(2.0)));
        assert_eq!(Values::Presence.column(&support).largest(), 1.0);
    }
}
