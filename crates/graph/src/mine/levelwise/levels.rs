//! All patterns up to a size, level by level, with their supports: what Apriori pruning looks up.
//!
//! A pattern of `k + 1` edges occurs only in graphs that contain it without any one of its edges. On graphs with few
//! labels, where proving absence costs most, this leaves one in twenty absences to be proved. The patterns so far are a
//! tree with their supports ([`Levels`]); the supports of the last level are also kept as bits by [`WlHash`]: where
//! patterns collide, the union of their supports is stored, which rules out less and nothing wrongly.
//!
//! Knows nothing of embeddings; `levelwise/mod.rs` fills it. Tested through the miner: the same patterns and supports
//! as without it.

use crate::bitset::{insert_bit, intersect, words_for};
use crate::canon::{DfsEdge, WlHash};
use crate::embed::{Embedding, EmbeddingList};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The patterns of one size, in the order of their codes.
#[derive(Default)]
pub(super) struct Level {
    edges: Vec<DfsEdge>,
    /// End of the graphs of each pattern in `graphs`.
    ends: Vec<u32>,
    graphs: Vec<u32>,
    /// Number of children of each pattern of the level before, in order.
    family_sizes: Vec<u32>,
    hashes: Vec<u64>,
}

impl Level {
    /// Adds the next pattern.
    pub(super) fn push(&mut self, edge: DfsEdge, graphs: &[u32], hash: u64) {
        self.edges.push(edge);
        self.graphs.extend_from_slice(graphs);
        self.ends.push(self.graphs.len() as u32);
        self.hashes.push(hash);
    }

    /// Ends the children of one parent; there are so many.
    pub(super) fn end_family(&mut self, children: usize) {
        self.family_sizes.push(children as u32);
    }

    /// Appends patterns that come after all of these.
    pub(super) fn append(&mut self, later: &Self) {
        let before = self.graphs.len() as u32;
        self.edges.extend_from_slice(&later.edges);
        self.graphs.extend_from_slice(&later.graphs);
        self.ends.extend(later.ends.iter().map(|end| end + before));
        self.family_sizes.extend_from_slice(&later.family_sizes);
        self.hashes.extend_from_slice(&later.hashes);
    }

    /// Memory held.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.edges.as_slice()) + 4 * (self.ends.len() + self.graphs.len()) + 8 * self.hashes.len()
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
    /// By level, then pattern: the index of its first child in the next level.
    families: Vec<Vec<u32>>,
    /// Words of a set of graphs.
    words: usize,
    /// By hash: the index of the support in `supports`, of the last level.
    positions: FxHashMap<u64, u32>,
    supports: Vec<u64>,
}

impl Levels {
    /// Starts with the patterns of one edge.
    pub(super) fn new<E: Embedding>(num_graphs: usize, roots: &[(DfsEdge, EmbeddingList<E>)]) -> Self {
        let mut levels = Self { words: words_for(num_graphs), ..Self::default() };
        let mut hash = WlHash::default();
        let mut level = Level::default();
        for (edge, embeddings) in roots {
            hash.load(&[*edge]);
            level.push(*edge, embeddings.graphs(), hash.hash());
        }
        levels.add(level);
        levels
    }

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
        self.positions.clear();
        self.supports.clear();
        for (at, hash) in std::mem::take(&mut level.hashes).into_iter().enumerate() {
            let fresh = (self.supports.len() / self.words) as u32;
            let position = *self.positions.entry(hash).or_insert(fresh);
            if position == fresh {
                self.supports.resize(self.supports.len() + self.words, 0);
            }
            let support = &mut self.supports[position as usize * self.words..][..self.words];
            for &graph in level.graphs(at) {
                insert_bit(support, graph as usize);
            }
        }
        self.by_size.push(level);
    }

    /// The patterns of so many edges.
    pub(super) fn level(&self, depth: usize) -> &Level {
        &self.by_size[depth - 1]
    }

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

    /// Memory held.
    pub(super) fn bytes(&self) -> usize {
        self.by_size.iter().map(Level::bytes).sum::<usize>() + 8 * self.supports.len() + 16 * self.positions.len()
    }

    /// Removes the graphs that lack the pattern, which has so many edges, without some edge other than its last.
    pub(super) fn filter(&self, pattern: &WlHash, edges: usize, possible: &mut [u64]) {
        for edge in 0..edges - 1 {
            let Some(hash) = pattern.hash_without(edge) else { continue };
            let Some(&position) = self.positions.get(&hash) else {
                possible.fill(0);
                return;
            };
            let support = &self.supports[position as usize * self.words..][..self.words];
            if !intersect(possible, support) {
                return;
            }
        }
    }
}
