//! Which graphs outside the training part contain a pattern: what validation, test and prediction ask.
//!
//! Training graphs are answered by the search itself. The trait keeps the trainer free of any matcher;
//! [`Matched`] is the matcher behind it.

use einsicht_graph::matching::PatternSet;
use einsicht_graph::{DfsCode, Graph, Support};
use std::sync::Arc;

/// Answers for a fixed list of graphs.
pub trait Presence {
    /// For each pattern the graphs of the list that contain it.
    fn supports(&mut self, codes: &[DfsCode]) -> Vec<Arc<Support>>;
}

/// Asks the matcher, on all threads.
#[derive(Clone, Debug)]
pub struct Matched {
    graphs: Vec<Graph>,
}

impl Matched {
    /// Answers for these graphs.
    pub fn new(graphs: Vec<Graph>) -> Self {
        Self { graphs }
    }
}

impl Presence for Matched {
    fn supports(&mut self, codes: &[DfsCode]) -> Vec<Arc<Support>> {
        supports_in(&self.graphs, codes)
    }
}

/// For each pattern the graphs of the list that contain it.
pub fn supports_in(graphs: &[Graph], codes: &[DfsCode]) -> Vec<Arc<Support>> {
    let mut found = vec![Vec::new(); codes.len()];
    for (graph, patterns) in PatternSet::new(codes).match_all(graphs).into_iter().enumerate() {
        for pattern in patterns {
            found[pattern as usize].push(graph as u32);
        }
    }
    found.into_iter().map(|graphs| Support::detached(graphs, Vec::new())).collect()
}
