//! The graphs that a model was fitted on, as its heads read them: where its subgraphs occur and how often, the summary
//! of attributes, the targets.
//!
//! Enough to grow the forests of every size of the path again, and to compare other graphs with these. Promise: a byte
//! or two for each graph that contains a subgraph; what is taken out is what was put in. Graphs are known by their
//! place in the fit alone.

use super::Model;
use crate::Iterate;
use crate::features::{Table, dense_matrix, join_columns};
use crate::heads::{Forests, HeadParams, LazyForests};
use crate::task::Targets;
use einsicht_graph::{DfsCode, Support, leb128};
use einsicht_search::feature::Values;
use std::sync::Arc;

/// What a model keeps of the graphs that it was fitted on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FittedGraphs {
    /// Their number.
    pub graphs: usize,
    /// The patterns whose occurrences are known, by [`DfsCode::cmp_by_size`].
    pub codes: Vec<DfsCode>,
    /// Where they occur.
    pub occurrences: Vec<Occurrences>,
    /// The summary of each graph, row after row.
    pub summary: Vec<f64>,
    /// Their targets, if forests are grown on them.
    pub targets: Option<Targets>,
}

/// Where a pattern occurs, in [`leb128`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// For each graph that contains it the distance to the one before, from graph -1 on.
    pub gaps: Vec<u8>,
    /// For each of them the count; empty if only presence is read.
    pub counts: Vec<u8>,
}

impl Occurrences {
    fn of(support: &Support, with_counts: bool) -> Self {
        let mut occurrences = Self::default();
        let mut next = 0;
        for (at, &graph) in support.graphs().iter().enumerate() {
            leb128::push(&mut occurrences.gaps, u64::from(graph - next) + 1);
            next = graph + 1;
            if with_counts {
                leb128::push(&mut occurrences.counts, support.counts().get(at).unwrap_or(1).into());
            }
        }
        occurrences
    }

    /// Graphs and counts; nothing if they are not increasing numbers below `graphs` with a count each, or with none at
    /// all.
    pub fn lists(&self, graphs: usize) -> Option<(Vec<u32>, Vec<u32>)> {
        let (mut found, mut next) = (Vec::new(), 0_u32);
        let mut gaps = &self.gaps[..];
        while !gaps.is_empty() {
            let graph = next.checked_add(leb128::take_u32(&mut gaps)?.checked_sub(1)?)?;
            next = graph.checked_add(1)?;
            found.push(graph);
        }
        let (mut counts, mut rest) = (Vec::new(), &self.counts[..]);
        while !rest.is_empty() {
            counts.push(leb128::take_u32(&mut rest).filter(|count| *count > 0)?);
        }
        let agree = next as usize <= graphs && (counts.is_empty() || counts.len() == found.len());
        agree.then_some((found, counts))
    }
}

impl FittedGraphs {
    /// From the supports of these patterns, in order.
    pub fn new(codes: Vec<DfsCode>, supports: &[Arc<Support>], graphs: usize, values: Values) -> Self {
        let occurrences = supports.iter().map(|support| Occurrences::of(support, values.needs_counts())).collect();
        Self { graphs, codes, occurrences, summary: Vec::new(), targets: None }
    }

    /// The places of these patterns in the list; nothing if one is missing.
    pub fn places<'c>(&self, mut codes: impl Iterator<Item = &'c DfsCode>) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        codes.try_for_each(|code| {
            places.push(self.codes.binary_search_by(|known| known.cmp_by_size(code)).ok()?);
            Some(())
        })?;
        Some(places)
    }

    /// The supports of the patterns at these places.
    pub fn supports(&self, places: &[usize]) -> Vec<Arc<Support>> {
        let support = |&place: &usize| {
            let (graphs, counts) = self.occurrences[place].lists(self.graphs).unwrap_or_default();
            Support::detached(graphs, counts)
        };
        places.iter().map(support).collect()
    }

    /// What a head on these patterns reads, one row per graph: their values, then the summary.
    pub fn table(&self, places: &[usize], values: Values) -> Vec<f64> {
        let supports = self.supports(places);
        let matrix = dense_matrix(supports.iter().map(|support| values.column(support)), self.graphs);
        if self.summary.is_empty() {
            return matrix;
        }
        let mut table = Vec::with_capacity(matrix.len() + self.summary.len());
        join_columns(&matrix, &self.summary, self.graphs, &mut table);
        table
    }
}

/// What forests are grown from again.
pub struct ForestSource {
    /// The graphs of the fit.
    pub fitted: Arc<FittedGraphs>,
    /// Weights of the graphs.
    pub weights: Arc<Vec<f64>>,
    /// How heads are fitted.
    pub params: HeadParams,
    /// What heads read of patterns.
    pub values: Values,
}

impl ForestSource {
    /// The forests on the patterns of an entry, to be grown when they are asked for; nothing if it is not known where
    /// one of them occurs.
    pub fn later(&self, iterate: &Iterate) -> Option<LazyForests> {
        let places = self.fitted.places(iterate.patterns.iter().map(|pattern| &pattern.code))?;
        let Self { fitted, weights, params, values } = self;
        let (fitted, weights, params, values) = (Arc::clone(fitted), Arc::clone(weights), *params, *values);
        Some(LazyForests::later(Arc::new(move |on| {
            let table = fitted.table(&places, values);
            let table = Table { values: &table, rows: fitted.graphs };
            match &fitted.targets {
                Some(targets) => Forests::fit(table, targets, &weights, &params, on),
                None => Forests { tasks: Vec::new() },
            }
        })))
    }
}

impl Model {
    /// Grows the forests of an entry on all threads, if they are not at hand: a file holds those of the chosen entry
    /// alone.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn prepare(&self, entry: usize) {
        if let Some(head) = &self.entries[entry].head {
            head.prepare();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_search::code_tuples::from_tuples;
    use einsicht_search::feature::CountTransform;

    #[test]
    fn occurrences_come_back_and_broken_ones_are_refused() {
        let graphs = vec![0, 1, 5, 200, 40_000];
        let counts = vec![1, 2, 300, 1, u32::MAX];
        let support = Support::detached(graphs.clone(), counts.clone());
        let kept = Occurrences::of(&support, true);
        assert_eq!((kept.gaps.len(), kept.counts.len()), (8, 10));
        assert_eq!(kept.lists(40_001), Some((graphs.clone(), counts)));
        assert_eq!(kept.lists(40_000), None);
        assert_eq!(Occurrences::of(&support, false).lists(40_001), Some((graphs, Vec::new())));
        for (gaps, counts) in [(&[0][..], &[][..]), (&[1], &[0]), (&[1, 1], &[1]), (&[200], &[]), (&[255; 5], &[])] {
            assert_eq!(Occurrences { gaps: gaps.to_vec(), counts: counts.to_vec() }.lists(1000), None);
        }
    }

    #[test]
    fn a_table_has_the_values_of_the_patterns_asked_for_and_the_summary() {
        let codes = [0, 1].map(|label| from_tuples(&[[0, 1, 0, label, 0]]).unwrap()).to_vec();
        let supports = [Support::detached(vec![0, 2], vec![3, 1]), Support::detached(vec![1], vec![2])];
        let values = Values::Count(CountTransform::Identity);
        let mut fitted = FittedGraphs::new(codes.clone(), &supports, 3, values);
        assert_eq!(fitted.places([&codes[1]].into_iter()), Some(vec![1]));
        assert_eq!(fitted.places([&from_tuples(&[[0, 1, 7, 7, 7]]).unwrap()].into_iter()), None);
        assert_eq!(fitted.table(&[0, 1], values), [3.0, 0.0, 0.0, 2.0, 1.0, 0.0]);
        fitted.summary = vec![7.0, 8.0, 9.0];
        assert_eq!(fitted.table(&[1], values), [0.0, 7.0, 2.0, 8.0, 0.0, 9.0]);
    }
}
