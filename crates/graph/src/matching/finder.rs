//! Takes one graph after the other and looks for planned patterns in it, by the fastest path that fits.

use super::index::{Index, Planned};
use super::narrow::Narrow;
use super::plan::Plan;
use super::ring::Rings;
use super::wide::{View, Wide};
use super::word::Words;
use crate::graph::Graph;

/// Which paths may be taken. All give the same answers; tests compare them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// A word of 64 vertices where they suffice, then one of 128, then words of 512, then the general path.
    #[default]
    Fastest,
    /// At least a word of 128 vertices.
    AtLeast128,
    /// At least words of 512 vertices.
    AtLeast512,
    /// The general path for every graph.
    General,
}

/// Memory that is used again from graph to graph: after the first few, nothing is allocated.
///
/// One scratch serves any number of sets, one after the other, but belongs to one thread at a time.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) finder: Finder,
    pub(super) found: Vec<u32>,
    pub(super) images: super::count::Images,
}

impl Scratch {
    /// A scratch that takes only some of the paths.
    pub fn with_width(width: Width) -> Self {
        Self { finder: Finder { width, ..Finder::default() }, ..Self::default() }
    }
}

/// The graph last loaded.
#[derive(Clone, Debug, Default)]
pub(super) struct Finder {
    width: Width,
    taken: Taken,
    num_vertices: usize,
    num_edges: usize,
    num_ring_edges: usize,
    rings: Rings,
    small: Narrow<u64>,
    medium: Narrow<u128>,
    large: Narrow<Words<8>>,
    wide: Wide,
    roots: Vec<u32>,
}

/// The path that the loaded graph takes.
#[derive(Clone, Copy, Debug, Default)]
enum Taken {
    #[default]
    Small,
    Medium,
    Large,
    Wide,
}

/// Rows of neighbour bits held at most: beyond, many edge labels make the general path the better one.
const MOST_ROWS: usize = 1 << 16;

impl Finder {
    /// Takes a graph in. The plans of later calls must be of the same index.
    pub(super) fn load(&mut self, index: &Index, graph: &Graph) {
        (self.num_vertices, self.num_edges, self.num_ring_edges) = (graph.num_vertices(), graph.num_edges(), 0);
        if index.needs_rings {
            self.num_ring_edges = self.rings.find(graph);
        }
        let rows = 2 * index.edge_labels.len() * graph.num_vertices();
        self.taken = match (self.width, graph.num_vertices()) {
            (Width::General, _) => Taken::Wide,
            _ if rows > MOST_ROWS => Taken::Wide,
            (Width::Fastest, ..=64) => Taken::Small,
            (Width::Fastest | Width::AtLeast128, ..=128) => Taken::Medium,
            (_, ..=512) => Taken::Large,
            _ => Taken::Wide,
        };
        match self.taken {
            Taken::Small => self.small.load(index, graph, &self.rings),
            Taken::Medium => self.medium.load(index, graph, &self.rings),
            Taken::Large => self.large.load(index, graph, &self.rings),
            Taken::Wide => self.wide.load(View { index, graph, rings: &self.rings }),
        }
    }

    /// Whether the loaded graph is large enough for a pattern.
    #[inline]
    pub(super) fn has_room_for(&self, pattern: &Planned) -> bool {
        pattern.num_vertices() <= self.num_vertices
            && pattern.num_edges as usize <= self.num_edges
            && pattern.num_ring_edges as usize <= self.num_ring_edges
    }

    /// Shows `visit` the embeddings of a pattern that fits in size, as images of the plan's steps, until it
    /// answers `true`; says whether it did.
    #[inline]
    pub(super) fn search(
        &mut self,
        index: &Index,
        graph: &Graph,
        plan: &Plan,
        mut visit: impl FnMut(&[u32]) -> bool,
    ) -> bool {
        match self.taken {
            Taken::Small => self.small.search(index, plan, &mut visit),
            Taken::Medium => self.medium.search(index, plan, &mut visit),
            Taken::Large => self.large.search(index, plan, &mut visit),
            Taken::Wide => {
                let mut roots = std::mem::take(&mut self.roots);
                roots.clear();
                let view = View { index, graph, rings: &self.rings };
                self.wide.roots(view, plan, &mut roots);
                let stopped = roots.iter().any(|&root| self.wide.search(view, plan, root, &mut visit));
                self.roots = roots;
                stopped
            }
        }
    }

    /// The vertices to which an embedding may map the plan's first vertex, increasing.
    pub(super) fn roots(&mut self, index: &Index, graph: &Graph, plan: &Plan, found: &mut Vec<u32>) {
        found.clear();
        match self.taken {
            Taken::Small => self.small.roots(index, plan, found),
            Taken::Medium => self.medium.roots(index, plan, found),
            Taken::Large => self.large.roots(index, plan, found),
            Taken::Wide => self.wide.roots(View { index, graph, rings: &self.rings }, plan, found),
        }
    }

    /// As [`Finder::search`], for embeddings that map the plan's first vertex to `root`, one of [`Finder::roots`].
    pub(super) fn search_from(
        &mut self,
        index: &Index,
        graph: &Graph,
        plan: &Plan,
        root: u32,
        mut visit: impl FnMut(&[u32]) -> bool,
    ) -> bool {
        match self.taken {
            Taken::Small => self.small.search_from(index, plan, root, &mut visit),
            Taken::Medium => self.medium.search_from(index, plan, root, &mut visit),
            Taken::Large => self.large.search_from(index, plan, root, &mut visit),
            Taken::Wide => {
                let view = View { index, graph, rings: &self.rings };
                self.wide.find_domains(view, plan) && self.wide.search(view, plan, root, &mut visit)
            }
        }
    }
}
