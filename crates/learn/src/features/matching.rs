//! Which graphs outside the training part contain a pattern: what validation, test and prediction ask.
//!
//! Training graphs are answered by the search itself. The trait keeps the trainer free of any matcher;
//! [`GraphMatcher`] is the matcher behind it.

use einsicht_graph::matching::{CountSet, PatternSet};
use einsicht_graph::{DfsCode, Graph, Support};
use einsicht_search::feature::Values;
use std::sync::Arc;

/// Answers for a fixed list of graphs.
pub trait PatternMatcher {
    /// For each pattern the graphs of the list that contain it, with counts if the values need them.
    fn supports(&mut self, codes: &[DfsCode], values: Values) -> Vec<Arc<Support>>;
}

/// Asks the matcher, on all threads.
#[derive(Clone, Debug)]
pub struct GraphMatcher {
    graphs: Vec<Graph>,
}

impl GraphMatcher {
    /// Answers for these graphs.
    pub fn new(graphs: Vec<Graph>) -> Self {
        Self { graphs }
    }
}

impl PatternMatcher for GraphMatcher {
    fn supports(&mut self, codes: &[DfsCode], values: Values) -> Vec<Arc<Support>> {
        supports_in(&self.graphs, codes, values)
    }
}

/// For each pattern the graphs of the list that contain it, with counts if the values need them.
pub fn supports_in(graphs: &[Graph], codes: &[DfsCode], values: Values) -> Vec<Arc<Support>> {
    let mut found = vec![(Vec::new(), Vec::new()); codes.len()];
    if values.needs_counts() {
        for (graph, counts) in CountSet::new(codes).count_all(graphs).into_iter().enumerate() {
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
