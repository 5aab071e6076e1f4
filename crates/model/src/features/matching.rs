//! Supports on graphs outside the training set: validation, test and prediction.
//!
//! The search knows the supports on the training graphs. The trait keeps the trainer independent of the matcher;
//! [`GraphMatcher`] is the matcher behind it. Promise: the order of graphs is that of the list, and the number of
//! threads changes nothing. Miner and matcher are separate code; `verify` compares them.

use einsicht_data::{Dataset, Split};
use einsicht_graph::matching::{CountSet, PatternSet};
use einsicht_graph::{DfsCode, Graph, Support};
use einsicht_search::feature::Values;
use std::sync::Arc;

/// Finds patterns in a fixed list of graphs.
pub trait PatternMatcher {
    /// The support of each pattern in the list, with counts if the values need them.
    fn supports(&mut self, codes: &[DfsCode], values: Values) -> Vec<Arc<Support>>;
}

/// The matcher over a list of graphs, on all threads.
#[derive(Clone, Debug)]
pub struct GraphMatcher {
    graphs: Vec<Graph>,
}

impl GraphMatcher {
    /// A matcher over these graphs.
    pub fn new(graphs: Vec<Graph>) -> Self {
        Self { graphs }
    }

    /// A matcher over the validation set, then the test set.
    pub fn held_out(dataset: &Dataset, split: &Split) -> Self {
        Self::new(graphs_at(dataset, &[&split.valid[..], &split.test[..]].concat()))
    }
}

impl PatternMatcher for GraphMatcher {
    fn supports(&mut self, codes: &[DfsCode], values: Values) -> Vec<Arc<Support>> {
        supports_in(&self.graphs, codes, values)
    }
}

/// The graphs at these positions of a data set.
pub fn graphs_at(dataset: &Dataset, rows: &[usize]) -> Vec<Graph> {
    rows.iter().map(|&row| dataset.graphs[row].clone()).collect()
}

/// The support of each pattern in a list of graphs, with counts if the values need them.
pub fn supports_in(graphs: &[Graph], codes: &[DfsCode], values: Values) -> Vec<Arc<Support>> {
    let mut found = vec![(Vec::new(), Vec::new()); codes.len()];
    if values.needs_counts() {
        for (graph, counts) in CountSet::new(codes, values.counts()).count_all(graphs).into_iter().enumerate() {
            for ((graphs, counts_of), count) in found.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
                graphs.push(graph as u32);
                counts_of.push(count);
            }
        }
    } else {
        for (graph, patterns) in PatternSet::new(codes).match_all(graphs).into_iter().enumerate() {
            for pattern in patterns {
                found[pattern as usize].0.push(graph as u32);
            }
        }
    }
    found.into_iter().map(|(graphs, counts)| Support::detached(graphs, counts)).collect()
}

/// The same for patterns that [`super::codes_by_name`] translated: one without a code has an empty support.
pub fn supports_of(codes: &[Option<DfsCode>], graphs: &[Graph], values: Values) -> Vec<Arc<Support>> {
    let known: Vec<DfsCode> = codes.iter().flatten().cloned().collect();
    let mut found = supports_in(graphs, &known, values).into_iter();
    let empty = || Support::detached(Vec::new(), Vec::new());
    codes.iter().map(|code| code.as_ref().and_then(|_| found.next()).unwrap_or_else(empty)).collect()
}
