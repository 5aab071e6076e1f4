//! Subgraph existence: does a graph contain a pattern? Only inner vertices are searched for; leaves are counted.
//!
//! An [`ExistenceTest`] is a pattern divided into its inner vertices (two neighbours or more) and groups of leaves with
//! the same stem and the same labels. Inner vertices are mapped one by one, always the one with the fewest candidates
//! left; a mapped vertex removes candidates of all others at once (forward checking), and a vertex without candidates,
//! or too few vertices for a group of leaves, ends the branch. Once all are mapped, the leaves can be mapped if every
//! union of groups has enough free vertices (Hall's theorem), so interchangeable leaves are never tried in all orders.
//!
//! Answers yes or no; `search.rs` lists embeddings. Tested through the miner against the oracle.

use super::graph_bits::{GraphBits, RequiredNeighbors, by_width};
use crate::bitset::{Words, ones};
use crate::canon::{DfsEdge, MAX_VERTICES};
use crate::database::Database;
use crate::ids::Label;
use crate::stop;

/// A pattern as the search sees it.
#[derive(Debug)]
pub(crate) struct ExistenceTest {
    inner: Vec<InnerVertex>,
    leaves: Vec<LeafGroup>,
}

#[derive(Debug)]
struct InnerVertex {
    label: Label,
    required: RequiredNeighbors,
    /// (inner vertex, edge label) of its inner neighbours.
    adjacent: Vec<(usize, Label)>,
}

/// Leaves with the same stem and labels.
#[derive(Debug)]
struct LeafGroup {
    stem: usize,
    edge_label: Label,
    label: Label,
    count: u32,
}

/// Image of each inner vertex.
type Image = [u16; MAX_VERTICES];

/// Working memory of [`ExistenceTest::is_in`].
#[derive(Default)]
pub(crate) struct ExistenceScratch {
    /// Candidates of all inner vertices, by the number of vertices that are mapped.
    candidates: Vec<u64>,
    /// (inner vertex, index of the edge label in the graph) of inner neighbours, one list for all.
    adjacent: Vec<(u32, u32)>,
    /// End of the neighbours of each inner vertex in `adjacent`.
    ends: Vec<u32>,
    /// Indices of the edge label and the vertex label of each group of leaves.
    leaf_labels: Vec<(u32, u32)>,
}

impl ExistenceTest {
    /// `None` if a pair of labels does not occur in any graph, or if the pattern is a single edge.
    pub(crate) fn new(db: &Database, code: &[DfsEdge]) -> Option<Self> {
        let mut labels = [Label(0); MAX_VERTICES];
        let mut adjacent = [0_u32; MAX_VERTICES];
        let mut num_vertices = 0;
        for edge in code {
            let (from, to) = (edge.from as usize, edge.to as usize);
            (labels[from], labels[to]) = (edge.from_label, edge.to_label);
            adjacent[from] |= 1 << to;
            adjacent[to] |= 1 << from;
            num_vertices = num_vertices.max(1 + from.max(to));
        }
        let mut index = [usize::MAX; MAX_VERTICES];
        let mut inner = Vec::with_capacity(num_vertices);
        for v in (0..num_vertices).filter(|&v| !adjacent[v].is_power_of_two()) {
            index[v] = inner.len();
            let (required, adjacent) = (RequiredNeighbors::default(), Vec::with_capacity(4));
            inner.push(InnerVertex { label: labels[v], required, adjacent });
        }
        let mut leaves: Vec<LeafGroup> = Vec::with_capacity(num_vertices);
        for edge in code {
            for (from, to) in [(edge.from as usize, edge.to as usize), (edge.to as usize, edge.from as usize)] {
                let Some(vertex) = inner.get_mut(index[from]) else { continue };
                vertex.required.add(db.type_of(edge.edge_label, labels[to])?);
                if index[to] == usize::MAX {
                    add_leaf(&mut leaves, index[from], edge.edge_label, labels[to]);
                } else {
                    vertex.adjacent.push((index[to], edge.edge_label));
                }
            }
        }
        (!inner.is_empty()).then_some(Self { inner, leaves })
    }

    /// Whether the graph contains the pattern.
    pub(crate) fn is_in(&self, bits: &GraphBits, scratch: &mut ExistenceScratch) -> bool {
        by_width!(bits, W => self.search::<W>(bits, scratch)).unwrap_or(false)
    }

    fn search<const W: usize>(&self, bits: &GraphBits, scratch: &mut ExistenceScratch) -> Option<bool> {
        let inner = self.inner.len();
        scratch.candidates.resize((inner + 1) * inner * W, 0);
        scratch.adjacent.clear();
        scratch.ends.clear();
        scratch.leaf_labels.clear();
        for (at, vertex) in self.inner.iter().enumerate() {
            let domain: Words<W> = bits.domain(vertex.label, &vertex.required);
            if domain.is_empty() {
                return None;
            }
            domain.store(&mut scratch.candidates, at);
        }
        for vertex in &self.inner {
            for &(other, label) in &vertex.adjacent {
                scratch.adjacent.push((other as u32, bits.edge_label_index(label)? as u32));
            }
            scratch.ends.push(scratch.adjacent.len() as u32);
        }
        for leaves in &self.leaves {
            let edge_label = bits.edge_label_index(leaves.edge_label)? as u32;
            scratch.leaf_labels.push((edge_label, bits.label_index(leaves.label)? as u32));
        }
        let ExistenceScratch { candidates, adjacent, ends, leaf_labels } = scratch;
        let search = ExistenceSearch { test: self, bits, adjacent, ends, leaf_labels };
        let all = (1_u32 << inner) - 1;
        Some(search.map_open::<W>(candidates, all, &Words::EMPTY, &mut [0; MAX_VERTICES]))
    }
}

fn add_leaf(leaves: &mut Vec<LeafGroup>, stem: usize, edge_label: Label, label: Label) {
    let is_same = |l: &&mut LeafGroup| (l.stem, l.edge_label, l.label) == (stem, edge_label, label);
    match leaves.iter_mut().find(is_same) {
        Some(group) => group.count += 1,
        None => leaves.push(LeafGroup { stem, edge_label, label, count: 1 }),
    }
}

/// What does not change during a search.
struct ExistenceSearch<'a> {
    test: &'a ExistenceTest,
    bits: &'a GraphBits,
    adjacent: &'a [(u32, u32)],
    ends: &'a [u32],
    leaf_labels: &'a [(u32, u32)],
}

/// Number of members of a set that is not empty.
#[inline]
fn num_candidates<const W: usize>(set: &Words<W>) -> u32 {
    // Counting the bits of a word is slow on the oldest processors that we support; most often there is one.
    if W == 1 && set.has_at_most_one() { 1 } else { set.len() }
}

impl ExistenceSearch<'_> {
    // HOT: most of the time on graphs with few labels.
    /// Maps the inner vertices that are `open`. The first part of `candidates` is theirs, the rest is working memory.
    fn map_open<const W: usize>(&self, candidates: &mut [u64], open: u32, used: &Words<W>, image: &mut Image) -> bool {
        stop::work(4);
        let inner = self.test.inner.len();
        let (here, rest) = candidates.split_at_mut(inner * W);
        let fewest = ones(open).map(|v| (num_candidates(&Words::<W>::load(here, v)), v)).min();
        let (_, vertex) = fewest.expect("some vertex is open");
        let mut left: Words<W> = Words::load(here, vertex);
        let open = open & !(1 << vertex);
        let first = vertex.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let adjacent = &self.adjacent[first..self.ends[vertex] as usize];
        'next: while let Some(at) = left.pop() {
            image[vertex] = at as u16;
            let mut used = *used;
            used.insert(at);
            if !self.groups_fit(open, &used, image) {
                continue;
            }
            if open == 0 {
                if self.leaves_fit(&used, image) {
                    return true;
                }
                continue;
            }
            rest[..inner * W].copy_from_slice(here);
            for &(other, label) in adjacent.iter().filter(|(other, _)| open >> other & 1 == 1) {
                let near: Words<W> = self.bits.neighbors(at, label as usize);
                (Words::<W>::load(rest, other as usize) & near).store(rest, other as usize);
            }
            for v in ones(open) {
                let mut candidates: Words<W> = Words::load(rest, v);
                candidates.remove(at);
                if candidates.is_empty() {
                    continue 'next;
                }
                candidates.store(rest, v);
            }
            if self.map_open::<W>(rest, open, &used, image) {
                return true;
            }
        }
        false
    }

    /// Free vertices for a group of leaves whose stem is mapped.
    #[inline]
    fn free<const W: usize>(&self, group: usize, used: &Words<W>, image: &Image) -> Words<W> {
        let (edge_label, label) = self.leaf_labels[group];
        let stem = image[self.test.leaves[group].stem] as usize;
        let near: Words<W> = self.bits.neighbors(stem, edge_label as usize);
        (near & self.bits.with_label(label as usize)).without(used)
    }

    /// Whether each group of leaves whose stem is mapped has enough free vertices, and all of them together.
    fn groups_fit<const W: usize>(&self, open: u32, used: &Words<W>, image: &Image) -> bool {
        let mut union: Words<W> = Words::EMPTY;
        let mut wanted = 0;
        for (group, leaves) in self.test.leaves.iter().enumerate() {
            if open >> leaves.stem & 1 == 0 {
                let free = self.free(group, used, image);
                if !free.has_at_least(leaves.count) {
                    return false;
                }
                union |= free;
                wanted += leaves.count;
            }
        }
        union.has_at_least(wanted)
    }

    /// Whether all leaves can be mapped, if each group can ([`Self::groups_fit`]).
    fn leaves_fit<const W: usize>(&self, used: &Words<W>, image: &Image) -> bool {
        let leaves = &self.test.leaves;
        if leaves.len() < 3 {
            // One group, or two and their union: tested when the last vertex was mapped.
            return true;
        }
        // Most often a greedy assignment works.
        let mut taken = *used;
        let greedy_works = leaves.iter().enumerate().all(|(group, leaves)| {
            let mut free = self.free(group, &taken, image);
            (0..leaves.count).all(|_| free.pop().map(|vertex| taken.insert(vertex)).is_some())
        });
        greedy_works || self.unions_fit(0, used, image, (Words::EMPTY, 0))
    }

    /// Whether each union of these with some of the groups from `group` on has enough vertices.
    fn unions_fit<const W: usize>(
        &self,
        group: usize,
        used: &Words<W>,
        image: &Image,
        (union, wanted): (Words<W>, u32),
    ) -> bool {
        stop::work(1);
        let Some(leaves) = self.test.leaves.get(group) else { return true };
        let with = (union | self.free(group, used, image), wanted + leaves.count);
        with.0.has_at_least(with.1)
            && self.unions_fit(group + 1, used, image, with)
            && self.unions_fit(group + 1, used, image, (union, wanted))
    }
}
