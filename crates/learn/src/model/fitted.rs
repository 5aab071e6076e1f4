//! The graphs that a model was fitted on, as its heads read them: where its subgraphs occur and how often, the summary of attributes, the targets.
//!
//! Enough to grow the forests of every size of the path again, and to compare other graphs with these. Promise: a byte or two for each graph that contains a
//! subgraph; what is taken out is what was put in. Graphs are known by their place in the fit alone.

use super::{Background, Model, applicability};
use crate::features::{Table, dense_matrix, join_columns};
use crate::gnn::Gnn;
use crate::heads::{Forests, HeadParams, LazyForests};
use crate::task::Targets;
use crate::task::metrics::metrics_of_decision;
use crate::train::{GnnData, Iterate, PathEntry, TrainData};
use einsicht_graph::{DfsCode, Support};
use einsicht_search::feature::Values;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What a model keeps of the graphs that it was fitted on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FittedGraphs {
    /// Their number.
    pub(crate) graphs: usize,
    /// The patterns whose occurrences are known, by [`DfsCode::cmp_by_size`].
    pub(crate) codes: Vec<DfsCode>,
    /// Where they occur.
    pub(crate) occurrences: Vec<Occurrences>,
    /// The summary of each graph, row after row.
    pub(crate) summary: Vec<f64>,
    /// Their targets, if forests are grown on them.
    pub(crate) targets: Option<Targets>,
}

/// Where a pattern occurs, in numbers of seven bits a byte, the lowest first; the eighth bit says that more follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// For each graph that contains it the distance to the one before, from graph -1 on.
    pub(crate) gaps: Vec<u8>,
    /// For each of them the count; empty if only presence is read.
    pub(crate) counts: Vec<u8>,
}

impl Occurrences {
    fn of(support: &Support, with_counts: bool) -> Self {
        let mut occurrences = Self::default();
        let mut next = 0;
        for (at, &graph) in support.graphs().iter().enumerate() {
            push(&mut occurrences.gaps, graph - next + 1);
            next = graph + 1;
            if with_counts {
                push(&mut occurrences.counts, support.counts().get(at).unwrap_or(1));
            }
        }
        occurrences
    }

    /// Graphs and counts; nothing if they are not increasing numbers below `graphs` with a count each, or with none at all.
    pub(crate) fn lists(&self, graphs: usize) -> Option<(Vec<u32>, Vec<u32>)> {
        let (mut found, mut next) = (Vec::new(), 0_u32);
        let mut gaps = &self.gaps[..];
        while !gaps.is_empty() {
            let graph = next.checked_add(number(&mut gaps)?.checked_sub(1)?)?;
            next = graph.checked_add(1)?;
            found.push(graph);
        }
        let (mut counts, mut rest) = (Vec::new(), &self.counts[..]);
        while !rest.is_empty() {
            counts.push(number(&mut rest).filter(|count| *count > 0)?);
        }
        let agree = next as usize <= graphs && (counts.is_empty() || counts.len() == found.len());
        agree.then_some((found, counts))
    }
}

impl FittedGraphs {
    /// From the supports of these patterns, in order.
    pub(crate) fn new(codes: Vec<DfsCode>, supports: &[Arc<Support>], graphs: usize, values: Values) -> Self {
        let occurrences = supports.iter().map(|support| Occurrences::of(support, values.needs_counts())).collect();
        Self { graphs, codes, occurrences, summary: Vec::new(), targets: None }
    }

    /// The places of these patterns in the list; nothing if one is missing.
    pub(crate) fn places<'c>(&self, mut codes: impl Iterator<Item = &'c DfsCode>) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        codes.try_for_each(|code| {
            places.push(self.codes.binary_search_by(|known| known.cmp_by_size(code)).ok()?);
            Some(())
        })?;
        Some(places)
    }

    /// The supports of the patterns at these places.
    pub(crate) fn supports(&self, places: &[usize]) -> Vec<Arc<Support>> {
        let support = |&place: &usize| {
            let (graphs, counts) = self.occurrences[place].lists(self.graphs).unwrap_or_default();
            Support::detached(graphs, counts)
        };
        places.iter().map(support).collect()
    }

    /// What a head on these patterns reads, one row per graph: their values, then the summary.
    pub(crate) fn table(&self, places: &[usize], values: Values) -> Vec<f64> {
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
pub(crate) struct ForestSource {
    pub(crate) fitted: Arc<FittedGraphs>,
    /// Weights of the graphs.
    pub(crate) weights: Arc<Vec<f64>>,
    pub(crate) params: HeadParams,
    pub(crate) values: Values,
}

impl ForestSource {
    /// The forests on the patterns of an entry, to be grown when they are asked for; nothing if it is not known where one of them occurs.
    pub(crate) fn later(&self, iterate: &Iterate) -> Option<LazyForests> {
        let places = self.fitted.places(iterate.patterns.iter().map(|pattern| &pattern.code))?;
        let Self { fitted, weights, params, values } = self;
        let (fitted, weights, params, values) = (Arc::clone(fitted), Arc::clone(weights), *params, *values);
        Some(LazyForests::later(Arc::new(move |on| {
            let table = fitted.table(&places, values);
            let table = Table { values: &table, rows: fitted.graphs };
            match &fitted.targets {
                Some(targets) => params.forests(table, targets, &weights, on),
                None => Forests { tasks: Vec::new() },
            }
        })))
    }
}

impl Model {
    /// The training has grown the forests of the entry that folds have chosen; those of the others are grown when they are asked for. A path that was continued may have
    /// grown those of the entry that was chosen before: nothing of that stays.
    pub(super) fn grow_other_forests_later(&mut self, data: &TrainData) {
        let source = ForestSource {
            fitted: Arc::clone(&self.fitted),
            weights: Arc::new(data.weights.clone()),
            params: self.params.head_params(),
            values: self.params.values(),
        };
        let are_left_out = self.params.is_refitted() && data.test.rows() == 0;
        for (at, PathEntry { iterate, head, train, .. }) in self.entries.iter_mut().enumerate() {
            let Some(head) = head.as_mut().filter(|head| head.forests.is_some()) else { continue };
            if are_left_out && at != self.chosen {
                train.clear();
            }
            if let (true, Some(forests)) = (head.lacks_forests(), source.later(iterate)) {
                head.set_forests(forests);
            }
        }
        self.prepare(self.chosen);
    }

    /// Keeps what later questions need of the graphs that the model was fitted on, from the supports of all its patterns in them: counts, means and
    /// backgrounds.
    pub(super) fn describe_fitted_graphs(
        &mut self,
        supports: &[Arc<Support>],
        gnn: Option<&GnnData>,
        targets: &Targets,
    ) {
        let graphs = targets.rows();
        let of_entry = |entry: &PathEntry| -> Vec<Arc<Support>> {
            let index = |code: &DfsCode| self.patterns.binary_search_by(|p| p.code.cmp_by_size(code)).ok();
            entry.iterate.patterns.iter().filter_map(|p| index(&p.code)).map(|at| supports[at].clone()).collect()
        };
        let counts = applicability::capped_counts(&of_entry(self.best()), graphs);
        let (mut means, mut backgrounds) = (Vec::new(), Vec::with_capacity(self.entries.len()));
        let mut of_chosen = None;
        for (at, entry) in self.entries.iter().enumerate() {
            let supports = of_entry(entry);
            let beside = gnn.map_or_else(Vec::new, |gnn| self.rows_beside(&entry.iterate, &gnn.train));
            means.push(mean_row(&beside, graphs));
            let outputs = || {
                let values = self.values(&supports, graphs);
                if at == self.chosen || entry.head.as_ref().is_none_or(|head| head.forests.is_none()) {
                    return self.outputs_of_values_and_rows(at, &values, &beside, graphs);
                }
                let read = if self.params.gnn == Gnn::None { &[] } else { &beside[..] };
                self.network_outputs(&entry.iterate, &values, read, graphs)
            };
            if at == self.chosen && entry.train.is_empty() {
                of_chosen = Some(metrics_of_decision(&self.tasks, targets, &outputs(), &entry.decision));
            }
            backgrounds.push(Background::new(&supports, &beside, graphs, || by_first_output(&outputs(), graphs)));
        }
        self.seen.counts = counts;
        self.backgrounds = backgrounds;
        if let Some(metrics) = of_chosen {
            self.entries[self.chosen].train = metrics;
        }
        if let Some(gnn) = &mut self.gnn {
            gnn.means = means;
        }
    }

    /// What is kept of the graphs of the fit, from the supports of all patterns: those of all entries where forests are grown again, else those of the chosen one.
    pub(super) fn fitted_graphs(&self, supports: &[Arc<Support>], data: &TrainData) -> FittedGraphs {
        let grows = self.best().head.as_ref().is_some_and(|head| head.forests.is_some());
        let entries = if grows { &self.entries[..] } else { std::slice::from_ref(self.best()) };
        let used: FxHashSet<&DfsCode> =
            entries.iter().flat_map(|entry| &entry.iterate.patterns).map(|pattern| &pattern.code).collect();
        let places: Vec<usize> =
            (0..self.patterns.len()).filter(|&at| used.contains(&self.patterns[at].code)).collect();
        let codes = places.iter().map(|&at| self.patterns[at].code.clone()).collect();
        let supports: Vec<Arc<Support>> = places.iter().map(|&at| Arc::clone(&supports[at])).collect();
        let mut fitted = FittedGraphs::new(codes, &supports, data.train.rows(), self.params.values());
        if grows {
            fitted.targets = Some(data.train.clone());
            fitted.summary = data.gnn.as_ref().map_or_else(Vec::new, |gnn| self.summary_rows(&gnn.train));
        }
        fitted
    }

    /// Grows the forests of an entry on all threads, if they are not at hand: a file holds those of the chosen entry alone.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn prepare(&self, entry: usize) {
        if let Some(head) = &self.entries[entry].head {
            head.prepare();
        }
    }
}

/// The graphs in the order of their first output.
fn by_first_output(outputs: &[f64], graphs: usize) -> Vec<usize> {
    let first = |graph: &usize| outputs[graph * outputs.len() / graphs];
    let mut order: Vec<usize> = (0..graphs).collect();
    order.sort_by(|a, b| first(a).total_cmp(&first(b)));
    order
}

/// The mean of the rows.
fn mean_row(rows: &[f64], count: usize) -> Vec<f64> {
    let width = rows.len() / count.max(1);
    let mut mean = vec![0.0; width];
    for row in rows.chunks_exact(width.max(1)) {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value / count as f64;
        }
    }
    mean
}

/// Appends a number.
fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The next number.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u64;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return u32::try_from(number).ok();
        }
    }
    None
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
