//! Patterns of a model file: every code must be canonical, within the vocabularies and within the limits.
//!
//! Testing a made-up code for minimality can take exponential time, so the work is bounded.

use super::ModelError;
use super::header::{self, PatternHeader, Tuples};
use crate::Pattern;
use crate::params::TrainParams;
use crate::task::{Task, TaskKind};
use einsicht_data::{Names, Qualifiers, Vocabulary};
use einsicht_graph::DfsCode;
use einsicht_graph::{MAX_VERTICES, MOST_WHOLE_EDGES, MinimalityTest};
use einsicht_search::SupportClass;

/// Limit on the branches of all minimality tests of one file: a second or two. A mined pattern takes
/// hundreds; a made-up one can take exponentially many.
const MOST_BRANCHES: u64 = 1 << 26;

/// Reads the patterns of one file.
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
    pub(super) fn patterns(&mut self, headers: Vec<PatternHeader>) -> Result<Vec<Pattern>, ModelError> {
        let mut patterns = Vec::with_capacity(headers.len());
        for (at, pattern) in headers.into_iter().enumerate() {
            patterns.push(self.pattern(at, pattern)?);
        }
        if !patterns.is_sorted_by(|a: &Pattern, b| a.code.cmp_by_size(&b.code).is_lt()) {
            return Err(ModelError::Order { what: "patterns".to_owned() });
        }
        Ok(patterns)
    }

    fn pattern(&mut self, at: usize, header: PatternHeader) -> Result<Pattern, ModelError> {
        let mut list = |codes: &[Tuples]| codes.iter().map(|code| self.mined(at, code)).collect::<Result<Vec<_>, _>>();
        let class =
            SupportClass { size: header.class_size, minimal: list(&header.minimal)?, maximal: list(&header.maximal)? };
        if !header.by_class.iter().map(Vec::len).eq(self.classes.iter().copied()) {
            return Err(ModelError::ByClass { pattern: at });
        }
        let whole = header.whole.map(|code| self.code(at, &code, [MOST_WHOLE_EDGES; 2])).transpose()?;
        let code = self.mined(at, &header.code)?;
        Ok(Pattern { code, class, support: header.support, by_class: header.by_class, whole })
    }

    /// A pattern of the language of the training.
    fn mined(&mut self, pattern: usize, tuples: &Tuples) -> Result<DfsCode, ModelError> {
        self.code(pattern, tuples, [self.max_edges, self.max_qualified_edges])
    }

    /// A pattern of at most so many edges, and so many with qualifiers.
    fn code(
        &mut self,
        pattern: usize,
        tuples: &Tuples,
        [max_edges, max_qualified_edges]: [usize; 2],
    ) -> Result<DfsCode, ModelError> {
        let code = header::code(tuples).map_err(|reason| ModelError::Code { pattern, reason })?;
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
            Ok(code)
        } else {
            Err(ModelError::NotCanonical { pattern })
        }
    }
}
