//! Patterns of a model file: every code must be canonical, within the vocabularies and within the limits.
//!
//! Testing a made-up code for minimality can take exponential time, so the work is bounded.

use super::ModelError;
use crate::Pattern;
use crate::params::TrainParams;
use crate::task::{Task, TaskKind};
use einsicht_data::{Names, Qualifiers, Vocabulary};
use einsicht_graph::DfsCode;
use einsicht_graph::{MAX_VERTICES, MOST_WHOLE_EDGES, MinimalityTest};

/// Limit on the branches of all minimality tests of one file: a second or two. A mined pattern takes
/// hundreds; a made-up one can take exponentially many.
const MOST_BRANCHES: u64 = 1 << 26;

/// Checks the patterns of one file.
pub(super) struct Codes<'a> {
    vertex_labels: &'a Vocabulary,
    edge_labels: &'a Vocabulary,
    qualifiers: &'a Qualifiers,
    max_edges: usize,
    max_qualifiers: usize,
    max_qualified_edges: usize,
    /// Number of classes of each classification task.
    classes: Vec<usize>,
    canonical: MinimalityTest,
    branches: u64,
}

impl<'a> Codes<'a> {
    pub(super) fn new(names: Names<'a>, params: &TrainParams, tasks: &[Task]) -> Self {
        let Names { vertex_labels, edge_labels, qualifiers } = names;
        let &TrainParams { max_edges, max_qualifiers, .. } = params;
        let classes = tasks.iter().filter_map(|task| match &task.kind {
            TaskKind::Classes(names) => Some(names.len()),
            TaskKind::Number { .. } => None,
        });
        Self {
            vertex_labels,
            edge_labels,
            qualifiers,
            max_edges,
            max_qualifiers,
            max_qualified_edges: params.qualified_edges(),
            classes: classes.collect(),
            canonical: MinimalityTest::default(),
            branches: MOST_BRANCHES,
        }
    }

    /// All patterns; they must be in order.
    pub(super) fn check(&mut self, patterns: &[Pattern]) -> Result<(), ModelError> {
        for (at, pattern) in patterns.iter().enumerate() {
            self.check_pattern(at, pattern)?;
        }
        if !patterns.is_sorted_by(|a, b| a.code.cmp_by_size(&b.code).is_lt()) {
            return Err(ModelError::Order { what: "patterns".to_owned() });
        }
        Ok(())
    }

    fn check_pattern(&mut self, at: usize, pattern: &Pattern) -> Result<(), ModelError> {
        let Pattern { code, class, by_class, whole, .. } = pattern;
        for code in class.minimal.iter().chain(&class.maximal).chain([code]) {
            self.check_code(at, code, [self.max_edges, self.max_qualified_edges])?;
        }
        if !by_class.iter().map(Vec::len).eq(self.classes.iter().copied()) {
            return Err(ModelError::ByClass { pattern: at });
        }
        whole.iter().try_for_each(|whole| self.check_code(at, whole, [MOST_WHOLE_EDGES; 2]))
    }

    /// A pattern of at most so many edges, and so many with qualifiers.
    fn check_code(
        &mut self,
        pattern: usize,
        code: &DfsCode,
        [max_edges, max_qualified_edges]: [usize; 2],
    ) -> Result<(), ModelError> {
        let known = |edge: &einsicht_graph::DfsEdge| {
            edge.from_label.index() < self.vertex_labels.len()
                && edge.to_label.index() < self.vertex_labels.len()
                && edge.edge_label.index() < self.edge_labels.len()
        };
        let fits = code.num_edges() <= max_edges
            && code.num_vertices() <= MAX_VERTICES
            && code.qualifiers().len() <= self.max_qualifiers
            && (code.qualifiers().is_empty() || code.num_edges() <= max_qualified_edges)
            && code.qualifiers().iter().all(|q| (q.value as usize) < self.qualifiers.len())
            && code.start().index() < self.vertex_labels.len();
        if !fits || !code.edges().iter().all(known) {
            return Err(ModelError::Outside { pattern, max_edges });
        }
        let is_minimum = self.canonical.is_minimum_within(code.edges(), &mut self.branches);
        let is_minimum = is_minimum.ok_or(ModelError::TooSymmetric { pattern })?;
        if is_minimum && (code.qualifiers().is_empty() || code.is_minimum()) {
            Ok(())
        } else {
            Err(ModelError::NotCanonical { pattern })
        }
    }
}
