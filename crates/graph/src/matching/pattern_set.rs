//! Many patterns, prepared once and searched for in many graphs.
//!
//! Promise: [`PatternSet::matches`] returns exactly the patterns that the graph contains, and
//! [`PatternSet::embeddings`] lists each embedding once, in an order that depends only on the set and the graph. Tested
//! against the brute-force oracle, search by search, in `tests/matching_vs_oracle.rs`.

use super::index::{PatternIndex, PlannedPattern, Roots};
use super::matcher::{Matcher, Scratch};
use super::prefix_order::PrefixOrder;
use crate::canon::DfsCode;
use crate::graph::Graph;
use crate::ids::{EdgeId, VertexId};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Why a graph cannot be a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum PatternError {
    #[error("a pattern must have at least one vertex, but pattern {pattern} has none")]
    NoVertex { pattern: usize },
    #[error("a pattern must be connected, but pattern {pattern} has {components} components")]
    NotConnected { pattern: usize, components: usize },
}

/// Patterns prepared for matching. They need not be distinct nor their codes minimal.
///
/// ```
/// use einsicht_graph::matching::{PatternSet, Scratch};
/// use einsicht_graph::{Graph, Label, VertexId};
/// let path = |labels: &[u32]| {
///     let mut builder = Graph::builder();
///     for &label in labels {
///         builder.add_vertex(Label(label)).unwrap();
///     }
///     for v in 1..labels.len() as u32 {
///         builder.add_edge(VertexId(v - 1), VertexId(v), Label(0)).unwrap();
///     }
///     builder.build()
/// };
/// let set = PatternSet::from_graphs(&[path(&[1, 0, 1]), path(&[1, 1]), path(&[0, 1])]).unwrap();
/// assert_eq!(set.matches(&path(&[0, 1, 1]), &mut Scratch::default()), [1, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct PatternSet {
    pub(super) index: PatternIndex,
    pub(super) patterns: Vec<PlannedPattern>,
    pub(super) prefix_order: PrefixOrder,
}

impl PatternSet {
    /// Prepares patterns given as codes.
    pub fn new(codes: &[DfsCode]) -> Self {
        let graphs: Vec<Graph> = codes.iter().map(DfsCode::to_graph).collect();
        Self::plan(&graphs, Roots::Center)
    }

    /// Prepares patterns given as connected graphs.
    pub fn from_graphs(patterns: &[Graph]) -> Result<Self, PatternError> {
        check_patterns(patterns)?;
        Ok(Self::plan(patterns, Roots::Center))
    }

    pub(super) fn plan(patterns: &[Graph], roots: Roots) -> Self {
        let prefix_order = PrefixOrder::new(patterns);
        let (index, patterns) = PatternIndex::plan(patterns, roots);
        Self { index, patterns, prefix_order }
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.prefix_order.len()
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The patterns that a graph contains, by their position in the list, increasing.
    pub fn matches<'s>(&self, graph: &Graph, scratch: &'s mut Scratch) -> &'s [u32] {
        let Scratch { matcher, found, .. } = scratch;
        found.clear();
        matcher.load(&self.index, graph);
        self.prefix_order.each(|pattern| {
            let is_present = self.is_present(pattern, graph, matcher);
            if is_present {
                found.push(pattern);
            }
            is_present
        });
        found.sort_unstable();
        found
    }

    #[inline]
    fn is_present(&self, pattern: u32, graph: &Graph, matcher: &mut Matcher) -> bool {
        let planned = &self.patterns[pattern as usize];
        matcher.is_large_enough_for(planned) && matcher.search(&self.index, graph, &planned.plans[0], |_| true)
    }

    /// For each graph the patterns that it contains, increasing. Uses all threads of rayon; the result is the same for
    /// any number.
    pub fn match_all(&self, graphs: &[Graph]) -> Vec<Vec<u32>> {
        graphs.par_iter().map_init(Scratch::default, |scratch, graph| self.matches(graph, scratch).to_vec()).collect()
    }

    /// The first `limit` embeddings of one pattern: for each the image of every vertex of the pattern.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub fn embeddings(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Vec<Vec<VertexId>> {
        let mut all = Vec::new();
        self.visit_embeddings(pattern, graph, scratch, |images| {
            if all.len() < limit {
                all.push(images.to_vec());
            }
            all.len() >= limit
        });
        all
    }

    /// The first `limit` occurrences of one pattern in a graph, as distinct sets of edges, each increasing: embeddings
    /// that differ by an automorphism of the pattern count once. Those of a single vertex have no edges; each vertex
    /// counts once.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub fn distinct_embeddings(
        &self,
        pattern: usize,
        graph: &Graph,
        limit: usize,
        scratch: &mut Scratch,
    ) -> Vec<Vec<EdgeId>> {
        self.occurrences(pattern, graph, limit, scratch).into_iter().map(|occurrence| occurrence.edges).collect()
    }

    /// The same occurrences with their vertices.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub fn occurrences(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Vec<Occurrence> {
        let (mut all, mut seen) = (Vec::new(), FxHashSet::default());
        let plan = &self.patterns[pattern].plans[0];
        self.visit_embeddings(pattern, graph, scratch, |images| {
            let mut edges = Vec::with_capacity(plan.anchors.len());
            for step in &plan.steps {
                let here = images[step.vertex as usize];
                for anchor in &plan.anchors[step.anchors.start as usize..step.anchors.end as usize] {
                    let there = images[plan.steps[anchor.position as usize].vertex as usize];
                    edges.extend(graph.edge_between(here, there).map(|neighbor| neighbor.edge));
                }
            }
            edges.sort_unstable();
            if all.len() < limit && (plan.anchors.is_empty() || seen.insert(edges.clone())) {
                let mut vertices = images.to_vec();
                vertices.sort_unstable();
                all.push(Occurrence { vertices, edges });
            }
            all.len() >= limit
        });
        all
    }

    /// Shows every embedding, as images of the pattern's vertices, until `visit` returns `true`.
    pub(crate) fn visit_embeddings(
        &self,
        pattern: usize,
        graph: &Graph,
        scratch: &mut Scratch,
        mut visit: impl FnMut(&[VertexId]) -> bool,
    ) {
        let planned = &self.patterns[pattern];
        let plan = &planned.plans[0];
        scratch.matcher.load(&self.index, graph);
        if !scratch.matcher.is_large_enough_for(planned) {
            return;
        }
        let mut images = vec![VertexId(0); plan.steps.len()];
        scratch.matcher.search(&self.index, graph, plan, |by_step| {
            for (step, &image) in plan.steps.iter().zip(by_step) {
                images[step.vertex as usize] = VertexId(image);
            }
            visit(&images)
        });
    }
}

/// Where a pattern occurs in a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The vertices, increasing.
    pub vertices: Vec<VertexId>,
    /// The edges, increasing; none for a single vertex.
    pub edges: Vec<EdgeId>,
}

/// Returns why one of the graphs cannot be a pattern.
pub(super) fn check_patterns(patterns: &[Graph]) -> Result<(), PatternError> {
    for (pattern, graph) in patterns.iter().enumerate() {
        if graph.num_vertices() == 0 {
            return Err(PatternError::NoVertex { pattern });
        }
        let components = graph.components().into_iter().max().map_or(0, |last| last as usize + 1);
        if components > 1 {
            return Err(PatternError::NotConnected { pattern, components });
        }
    }
    Ok(())
}
