//! Patterns as text: names of labels, one-line drawings, SMARTS.
//!
//! One place, so that the program, Python and the report page write a pattern in the same way.

use einsicht_data::chem::pattern_to_smarts;
use einsicht_data::draw::on_one_line;
use einsicht_data::patterns::NamedPattern;
use einsicht_data::{Dataset, Vocabulary};
use einsicht_graph::{DfsCode, Graph};

/// Names of labels.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Labels of vertices.
    pub vertex: &'a Vocabulary,
    /// Labels of edges.
    pub edge: &'a Vocabulary,
}

impl<'a> Names<'a> {
    /// The names of a data set.
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

    /// The inverse of [`Self::pattern`]: the codes of named patterns.
    pub fn bind(self, patterns: &[NamedPattern]) -> BoundPatterns {
        let bound: Vec<Graph> = patterns.iter().filter_map(|p| p.bind(self.vertex, self.edge).ok()).collect();
        let unknown = patterns.len() - bound.len();
        let mut codes: Vec<DfsCode> = bound.iter().filter_map(DfsCode::minimum_of).collect();
        codes.sort_by(DfsCode::cmp_by_size);
        codes.dedup();
        BoundPatterns { codes, unknown }
    }
}

/// Named patterns in the labels of a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundPatterns {
    /// Their canonical codes without repetition, the smallest first.
    pub codes: Vec<DfsCode>,
    /// How many have labels that the data set does not have.
    pub unknown: usize,
}
