//! The matcher: loads one graph after another and searches for planned patterns in it, by the fastest search that fits.

use super::adjacency_search::{AdjacencySearch, View};
use super::bitset_search::BitsetSearch;
use super::index::{PatternIndex, PlannedPattern};
use super::plan::SearchPlan;
use crate::bitset::Words;
use crate::graph::Graph;
use crate::ring_edges::RingEdges;

/// Which searches may be used. All give the same answers; tests compare them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// A word of 64 vertices where they suffice, then one of 128, then words of 512, then the general search.
    #[default]
    Fastest,
    /// At least a word of 128 vertices.
    AtLeast128,
    /// At least words of 512 vertices.
    AtLeast512,
    /// The general search for every graph.
    General,
}

/// Working memory of the matcher: after the first few graphs, nothing is allocated.
///
/// One scratch serves any number of pattern sets, one after another, but only one thread at a time.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) matcher: Matcher,
    pub(super) found: Vec<u32>,
    pub(super) images: super::count_set::Images,
}

impl Scratch {
    /// A scratch that uses only some of the searches.
    pub fn with_width(width: Width) -> Self {
        Self { matcher: Matcher { width, ..Matcher::default() }, ..Self::default() }
    }
}

/// The graph last loaded.
#[derive(Clone, Debug, Default)]
pub(super) struct Matcher {
    width: Width,
    path: SearchPath,
    num_vertices: usize,
    num_edges: usize,
    num_ring_edges: usize,
    rings: RingEdges,
    small: BitsetSearch<u64>,
    medium: BitsetSearch<u128>,
    large: BitsetSearch<Words<8>>,
    general: AdjacencySearch,
    roots: Vec<u32>,
}

/// The search for the loaded graph.
#[derive(Clone, Copy, Debug, Default)]
enum SearchPath {
    #[default]
    Small,
    Medium,
    Large,
    General,
}

/// Largest number of rows of neighbour bits: with more edge labels the general search is faster.
const MAX_ROWS: usize = 1 << 16;

impl Matcher {
    /// Loads a graph. The plans of later calls must be of the same index.
    pub(super) fn load(&mut self, index: &PatternIndex, graph: &Graph) {
        (self.num_vertices, self.num_edges, self.num_ring_edges) = (graph.num_vertices(), graph.num_edges(), 0);
        if index.needs_rings {
            self.num_ring_edges = self.rings.find(graph);
        }
        let rows = 2 * index.edge_labels.len() * graph.num_vertices();
        self.path = match (self.width, graph.num_vertices()) {
            (Width::General, _) => SearchPath::General,
            _ if rows > MAX_ROWS => SearchPath::General,
            (Width::Fastest, ..=64) => SearchPath::Small,
            (Width::Fastest | Width::AtLeast128, ..=128) => SearchPath::Medium,
            (_, ..=512) => SearchPath::Large,
            _ => SearchPath::General,
        };
        match self.path {
            SearchPath::Small => self.small.load(index, graph, &self.rings),
            SearchPath::Medium => self.medium.load(index, graph, &self.rings),
            SearchPath::Large => self.large.load(index, graph, &self.rings),
            SearchPath::General => self.general.load(View { index, graph, rings: &self.rings }),
        }
    }

    /// Whether the loaded graph is large enough for a pattern.
    #[inline]
    pub(super) fn is_large_enough_for(&self, pattern: &PlannedPattern) -> bool {
        pattern.num_vertices() <= self.num_vertices
            && pattern.num_edges as usize <= self.num_edges
            && pattern.num_ring_edges as usize <= self.num_ring_edges
    }

    /// Shows `visit` the embeddings of a pattern that is not larger than the graph, as images of the plan's steps,
    /// until it returns `true`; returns whether it did.
    #[inline]
    pub(super) fn search(
        &mut self,
        index: &PatternIndex,
        graph: &Graph,
        plan: &SearchPlan,
        mut visit: impl FnMut(&[u32]) -> bool,
    ) -> bool {
        match self.path {
            SearchPath::Small => self.small.search(index, plan, &mut visit),
            SearchPath::Medium => self.medium.search(index, plan, &mut visit),
            SearchPath::Large => self.large.search(index, plan, &mut visit),
            SearchPath::General => {
                let mut roots = std::mem::take(&mut self.roots);
                roots.clear();
                let view = View { index, graph, rings: &self.rings };
                self.general.roots(view, plan, &mut roots);
                let stopped = roots.iter().any(|&root| self.general.search(view, plan, root, &mut visit));
                self.roots = roots;
                stopped
            }
        }
    }

    /// The vertices to which an embedding may map the plan's first vertex, increasing.
    pub(super) fn roots(&mut self, index: &PatternIndex, graph: &Graph, plan: &SearchPlan, found: &mut Vec<u32>) {
        found.clear();
        match self.path {
            SearchPath::Small => self.small.roots(index, plan, found),
            SearchPath::Medium => self.medium.roots(index, plan, found),
            SearchPath::Large => self.large.roots(index, plan, found),
            SearchPath::General => self.general.roots(View { index, graph, rings: &self.rings }, plan, found),
        }
    }

    /// As [`Matcher::search`], for embeddings that map the plan's first vertex to `root`, one of [`Matcher::roots`].
    pub(super) fn search_from(
        &mut self,
        index: &PatternIndex,
        graph: &Graph,
        plan: &SearchPlan,
        root: u32,
        mut visit: impl FnMut(&[u32]) -> bool,
    ) -> bool {
        match self.path {
            SearchPath::Small => self.small.search_from(index, plan, root, &mut visit),
            SearchPath::Medium => self.medium.search_from(index, plan, root, &mut visit),
            SearchPath::Large => self.large.search_from(index, plan, root, &mut visit),
            SearchPath::General => {
                let view = View { index, graph, rings: &self.rings };
                self.general.find_domains(view, plan) && self.general.search(view, plan, root, &mut visit)
            }
        }
    }
}
