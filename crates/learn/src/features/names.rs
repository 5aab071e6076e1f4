//! Patterns and models in words: what labels are called, patterns on one line and as SMARTS, the path for scripts.
//!
//! One place, so that the program, Python and the pages say the same.

use crate::model::Model;
use crate::train::PathEntry;
use einsicht_data::chem::pattern_to_smarts;
use einsicht_data::draw::on_one_line;
use einsicht_data::patterns::NamedPattern;
use einsicht_data::{Dataset, Vocabulary};
use einsicht_graph::{DfsCode, Graph};
use serde_json::{Value, json};

/// What labels are called.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Labels of vertices.
    pub vertex: &'a Vocabulary,
    /// Labels of edges.
    pub edge: &'a Vocabulary,
}

impl<'a> Names<'a> {
    /// In a data set.
    pub fn of(dataset: &'a Dataset) -> Self {
        Self { vertex: &dataset.vertex_labels, edge: &dataset.edge_labels }
    }

    /// A pattern on one line.
    pub fn draw(self, code: &DfsCode) -> String {
        on_one_line(&code.to_graph(), self.vertex, self.edge)
    }

    /// A pattern as SMARTS, if its labels are elements.
    pub fn smarts(self, code: &DfsCode) -> Option<String> {
        pattern_to_smarts(&code.to_graph(), self.vertex, self.edge)
    }

    /// A pattern by the names of its labels.
    pub fn pattern(self, code: &DfsCode) -> NamedPattern {
        NamedPattern::new(&code.to_graph(), self.vertex, self.edge)
    }

    /// The other way round: patterns by name as codes.
    pub fn bind(self, patterns: &[NamedPattern]) -> BoundPatterns {
        let bound: Vec<Graph> = patterns.iter().filter_map(|p| p.bind(self.vertex, self.edge).ok()).collect();
        let unknown = patterns.len() - bound.len();
        let mut codes: Vec<DfsCode> = bound.iter().filter_map(DfsCode::minimum_of).collect();
        codes.sort_by(DfsCode::cmp_by_size);
        codes.dedup();
        BoundPatterns { codes, unknown }
    }
}

/// Patterns that somebody named, in the labels of a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundPatterns {
    /// Their canonical codes, each once, the smallest first.
    pub codes: Vec<DfsCode>,
    /// How many have labels that the data set does not have.
    pub unknown: usize,
}

impl Model {
    /// What the model calls labels.
    pub fn names(&self) -> Names<'_> {
        Names { vertex: &self.vertex_labels, edge: &self.edge_labels }
    }

    /// The path for scripts; `visited` is the cost of each entry where it is known.
    pub fn path_json(&self, visited: &[u64]) -> Vec<Value> {
        let entry = |(at, entry): (usize, &PathEntry)| {
            json!({
                "size": entry.size,
                "lambda": entry.lambda,
                "patterns": entry.iterate.patterns.len(),
                "train": entry.train,
                "valid": entry.valid,
                "test": entry.test,
                "iterations": entry.iterations,
                "visited": visited.get(at),
                "stopped_by": entry.stopped_by.name(),
            })
        };
        self.entries.iter().enumerate().map(entry).collect()
    }
}
