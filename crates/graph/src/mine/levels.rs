//! All patterns of one size before the first of the next: what small patterns tell about where a larger one can be.
//!
//! A graph that contains a pattern contains all smaller ones inside it. So if the supports of all patterns of `k` edges are
//! known, a pattern of `k + 1` edges can only be in graphs that contain it without any one of its edges. On graphs with few
//! labels, where absences are what costs most, this leaves one in twenty of them to be proved. The patterns so far are a tree
//! with their graphs ([`Levels`]); the supports of the last level are also kept as bits by [`Likeness`]: where unequal patterns
//! share a number, the union of their supports stands there, which tells less and nothing wrong.
//!
//! Knows nothing of embeddings; `ahead.rs` fills it. Tested through the miner: the same patterns and supports as without it.

use super::likeness::Likeness;
use super::rows::{Row, Rows};
use crate::pattern::DfsEdge;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The patterns of one size, in the order of their codes.
#[derive(Default)]
pub(super) struct Level {
    edges: Vec<DfsEdge>,
    /// Where the graphs of each pattern end in `graphs`.
    ends: Vec<u32>,
    graphs: Vec<u32>,
    /// How many children of the level before each parent has, for parents in order.
    family_sizes: Vec<u32>,
    numbers: Vec<u64>,
}

impl Level {
    /// Adds the next pattern.
    pub(super) fn push(&mut self, edge: DfsEdge, graphs: &[u32], number: u64) {
        self.edges.push(edge);
        self.graphs.extend_from_slice(graphs);
        self.ends.push(self.graphs.len() as u32);
        self.numbers.push(number);
    }

    /// Ends the children of a parent, of which there are so many.
    pub(super) fn end_family(&mut self, children: usize) {
        self.family_sizes.push(children as u32);
    }

    /// Takes in patterns that come after all of these.
    pub(super) fn append(&mut self, later: &Self) {
        let before = self.graphs.len() as u32;
        self.edges.extend_from_slice(&later.edges);
        self.graphs.extend_from_slice(&later.graphs);
        self.ends.extend(later.ends.iter().map(|end| end + before));
        self.family_sizes.extend_from_slice(&later.family_sizes);
        self.numbers.extend_from_slice(&later.numbers);
    }

    /// Bytes of all this.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.edges.as_slice()) + 4 * (self.ends.len() + self.graphs.len()) + 8 * self.numbers.len()
    }

    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// The edge that was added last.
    pub(super) fn edge(&self, at: usize) -> DfsEdge {
        self.edges[at]
    }

    /// (Pattern, graph) pairs of these patterns.
    pub(super) fn pairs(&self, range: &Range<usize>) -> usize {
        range.end.checked_sub(1).map_or(0, |last| self.ends[last] as usize) - self.start(range.start)
    }

    /// Where to cut so that both parts have about half of the pairs.
    pub(super) fn halfway(&self, range: &Range<usize>) -> usize {
        let middle = self.start(range.start) + self.pairs(range) / 2;
        let after = self.ends[range.clone()].partition_point(|&end| (end as usize) < middle);
        (range.start + after + 1).clamp(range.start + 1, range.end - 1)
    }

    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    pub(super) fn graphs(&self, at: usize) -> &[u32] {
        &self.graphs[self.start(at)..self.ends[at] as usize]
    }
}

/// All patterns up to a size, as a tree.
#[derive(Default)]
pub(super) struct Levels {
    by_size: Vec<Level>,
    /// By level, then pattern: where its children begin in the next level.
    families: Vec<Vec<u32>>,
    /// Words of a set of graphs.
    words: usize,
    /// By number: the place of the support in `supports`, of the last level.
    places: FxHashMap<u64, u32>,
    supports: Vec<u64>,
}

impl Levels {
    /// Starts with the patterns of one edge.
    pub(super) fn new<R: Row>(num_graphs: usize, roots: &[(DfsEdge, Rows<R>)]) -> Self {
        let mut levels = Self { words: num_graphs.div_ceil(64), ..Self::default() };
        let mut likeness = Likeness::default();
        let mut level = Level::default();
        for (edge, rows) in roots {
            likeness.load(&[*edge]);
            level.push(*edge, rows.graphs(), likeness.number());
        }
        levels.add(level);
        levels
    }

    /// Adds the next level.
    pub(super) fn add(&mut self, mut level: Level) {
        if !self.by_size.is_empty() {
            let mut first = 0;
            let mut starts = Vec::with_capacity(level.family_sizes.len() + 1);
            starts.push(0);
            for size in std::mem::take(&mut level.family_sizes) {
                first += size;
                starts.push(first);
            }
            self.families.push(starts);
        }
        self.places.clear();
        self.supports.clear();
        for (at, number) in std::mem::take(&mut level.numbers).into_iter().enumerate() {
            let fresh = (self.supports.len() / self.words) as u32;
            let place = *self.places.entry(number).or_insert(fresh);
            if place == fresh {
                self.supports.resize(self.supports.len() + self.words, 0);
            }
            let support = &mut self.supports[place as usize * self.words..][..self.words];
            for &graph in level.graphs(at) {
                support[graph as usize / 64] |= 1 << (graph % 64);
            }
        }
        self.by_size.push(level);
    }

    /// The patterns of so many edges.
    pub(super) fn level(&self, depth: usize) -> &Level {
        &self.by_size[depth - 1]
    }

    /// Number of patterns.
    pub(super) fn len(&self) -> usize {
        self.by_size.iter().map(Level::len).sum()
    }

    /// Number of levels.
    pub(super) fn depth(&self) -> usize {
        self.by_size.len()
    }

    /// The children of a pattern of `depth` edges.
    pub(super) fn children(&self, depth: usize, at: usize) -> Range<usize> {
        let family = &self.families[depth - 1];
        family[at] as usize..family[at + 1] as usize
    }

    /// Bytes of all this.
    pub(super) fn bytes(&self) -> usize {
        self.by_size.iter().map(Level::bytes).sum::<usize>() + 8 * self.supports.len() + 16 * self.places.len()
    }

    /// Takes out the graphs that do not contain a pattern of so many edges without some edge other than its last.
    pub(super) fn narrow(&self, pattern: &Likeness, edges: usize, maybe: &mut [u64]) {
        for edge in 0..edges - 1 {
            let Some(number) = pattern.without(edge) else { continue };
            let Some(&place) = self.places.get(&number) else {
                maybe.fill(0);
                return;
            };
            let support = &self.supports[place as usize * self.words..][..self.words];
            let mut any = 0;
            for (maybe, support) in maybe.iter_mut().zip(support) {
                *maybe &= support;
                any |= *maybe;
            }
            if any == 0 {
                return;
            }
        }
    }
}
