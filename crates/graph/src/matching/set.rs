//! Many patterns, prepared once and looked for in many graphs.
//!
//! Promise: [`PatternSet::matches`] names exactly the patterns that the graph contains, and
//! [`PatternSet::embeddings`] lists each embedding once, in an order that depends on nothing but the set and
//! the graph. Tested against the brute-force oracle, path by path, in `tests/matching_vs_oracle.rs`.

use super::finder::{Finder, Scratch};
use super::index::{Index, Planned, Roots};
use super::prefix::Prefixes;
use crate::graph::Graph;
use crate::ids::{EdgeId, VertexId};
use crate::pattern::DfsCode;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Why a graph cannot be a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It has no edge.
    #[error("a pattern must have at least one edge, but pattern {pattern} has none")]
    NoEdge {
        /// Its place in the list, from 0.
        pattern: usize,
    },
    /// It falls apart.
    #[error("a pattern must be connected, but pattern {pattern} has {components} components")]
    NotConnected {
        /// Its place in the list, from 0.
        pattern: usize,
        /// How many parts it has.
        components: usize,
    },
}

/// Patterns ready to be looked for. They need not be distinct nor their codes minimal.
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
    pub(super) index: Index,
    pub(super) patterns: Vec<Planned>,
    pub(super) prefixes: Prefixes,
}

impl PatternSet {
    /// Prepares patterns given as codes.
    pub fn new(codes: &[DfsCode]) -> Self {
        let graphs: Vec<Graph> = codes.iter().map(DfsCode::to_graph).collect();
        Self::plan(&graphs, Roots::Center)
    }

    /// Prepares patterns given as connected graphs with edges.
    pub fn from_graphs(patterns: &[Graph]) -> Result<Self, PatternError> {
        check_patterns(patterns)?;
        Ok(Self::plan(patterns, Roots::Center))
    }

    pub(super) fn plan(patterns: &[Graph], roots: Roots) -> Self {
        let prefixes = Prefixes::new(patterns);
        let (index, patterns) = Index::plan(patterns, roots);
        Self { index, patterns, prefixes }
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.prefixes.len()
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The patterns that a graph contains, by their place in the list, increasing.
    pub fn matches<'s>(&self, graph: &Graph, scratch: &'s mut Scratch) -> &'s [u32] {
        let Scratch { finder, found, .. } = scratch;
        found.clear();
        finder.load(&self.index, graph);
        self.prefixes.each(|pattern| {
            let is_there = self.is_there(pattern, graph, finder);
            if is_there {
                found.push(pattern);
            }
            is_there
        });
        found.sort_unstable();
        found
    }

    #[inline]
    fn is_there(&self, pattern: u32, graph: &Graph, finder: &mut Finder) -> bool {
        let planned = &self.patterns[pattern as usize];
        finder.has_room_for(planned) && finder.search(&self.index, graph, &planned.plans[0], |_| true)
    }

    /// For each graph the patterns that it contains, increasing. Works on all of rayon's threads; the answer
    /// does not depend on their number.
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

    /// The first `limit` distinct sets of edges that one pattern covers in a graph, each increasing: embeddings that
    /// differ by a symmetry of the pattern count once.
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
            if all.len() < limit && seen.insert(edges.clone()) {
                all.push(edges);
            }
            all.len() >= limit
        });
        all
    }

    /// Shows every embedding, as images of the pattern's vertices, until `visit` answers `true`.
    fn visit_embeddings(
        &self,
        pattern: usize,
        graph: &Graph,
        scratch: &mut Scratch,
        mut visit: impl FnMut(&[VertexId]) -> bool,
    ) {
        let planned = &self.patterns[pattern];
        let plan = &planned.plans[0];
        scratch.finder.load(&self.index, graph);
        if !scratch.finder.has_room_for(planned) {
            return;
        }
        let mut images = vec![VertexId(0); plan.steps.len()];
        scratch.finder.search(&self.index, graph, plan, |by_step| {
            for (step, &image) in plan.steps.iter().zip(by_step) {
                images[step.vertex as usize] = VertexId(image);
            }
            visit(&images)
        });
    }
}

/// Says why one of the graphs cannot be a pattern.
pub(super) fn check_patterns(patterns: &[Graph]) -> Result<(), PatternError> {
    for (pattern, graph) in patterns.iter().enumerate() {
        if graph.num_edges() == 0 {
            return Err(PatternError::NoEdge { pattern });
        }
        let components = graph.components().into_iter().max().map_or(0, |last| last as usize + 1);
        if components > 1 {
            return Err(PatternError::NotConnected { pattern, components });
        }
    }
    Ok(())
}
