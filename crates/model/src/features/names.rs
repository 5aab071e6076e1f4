//! Patterns as text: names of labels and qualifiers, one-line drawings, SMARTS, words.
//!
//! One place, so that the program, Python and the report page write a pattern in the same way.

use einsicht_data::patterns::NamedPattern;
use einsicht_data::{Dataset, Vocabulary};
use einsicht_graph::{DfsCode, Graph};

/// Names of labels and qualifiers, for patterns that are given as codes.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a>(pub einsicht_data::Names<'a>);

impl<'a> Names<'a> {
    /// The names of a data set.
    pub fn of(dataset: &'a Dataset) -> Self {
        Self(dataset.names())
    }

    /// Labels of vertices.
    pub fn vertex_labels(self) -> &'a Vocabulary {
        self.0.vertex_labels
    }

    /// Labels of edges.
    pub fn edge_labels(self) -> &'a Vocabulary {
        self.0.edge_labels
    }

    /// A pattern on one line.
    pub fn draw(self, code: &DfsCode) -> String {
        self.0.one_line(&code.to_graph())
    }

    /// A pattern in words: `N with 2 H - C in a ring`.
    pub fn words(self, code: &DfsCode) -> String {
        self.0.words(&code.to_graph())
    }

    /// A pattern as SMARTS, if its labels are elements.
    pub fn smarts(self, code: &DfsCode) -> Option<String> {
        self.0.smarts(&code.to_graph())
    }

    /// A pattern by the names of its labels.
    pub fn pattern(self, code: &DfsCode) -> NamedPattern {
        self.0.pattern(&code.to_graph())
    }

    /// The inverse of [`Self::pattern`]: the codes of named patterns.
    pub fn bind(self, patterns: &[NamedPattern]) -> BoundPatterns {
        let bound: Vec<Graph> = patterns.iter().filter_map(|pattern| self.0.bind(pattern).ok()).collect();
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
