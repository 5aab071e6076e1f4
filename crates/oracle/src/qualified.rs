//! Exhaustive enumeration of qualified patterns: for each pattern, all its embeddings, and all sets of qualifiers that
//! they have.
//!
//! Embeddings come from the matcher, which shares no code with the miner; nothing is pruned, and no set is grown from a
//! smaller one. Which sets are the same pattern, and which say something (are *minimal*), follows from the definitions:
//! by all automorphisms, and by the number of embeddings of each set.

use super::Stage;
use einsicht_graph::matching::{self, PatternSet, Scratch};
use einsicht_graph::mine::Counts;
use einsicht_graph::{DfsCode, Graph, Qualifier, VertexId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Graphs, increasing, and counts, one per graph or none.
pub(super) type Occurrence = (Vec<u32>, Vec<u32>);

#[derive(Clone, Copy)]
pub(super) struct Listing {
    pub(super) max_qualifiers: usize,
    pub(super) max_qualified_edges: usize,
    pub(super) min_support: usize,
    pub(super) counts: Counts,
}

/// All patterns of a list with every minimal set of qualifiers, the empty one included.
pub(super) fn with_qualifiers(
    plain: BTreeMap<DfsCode, Vec<u32>>,
    graphs: &[Graph],
    listing: Listing,
    watch: &(dyn Fn(Stage) + Sync),
) -> BTreeMap<DfsCode, Occurrence> {
    let plain: Vec<(DfsCode, Vec<u32>)> = plain.into_iter().collect();
    let done = AtomicUsize::new(0);
    let lists = plain.par_iter().map(|(code, support)| {
        let list = Sets::new(code, support, graphs, listing).finish();
        watch(Stage::Qualified { done: done.fetch_add(1, Ordering::Relaxed) + 1, subgraphs: plain.len() });
        list
    });
    lists.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// A set of qualifiers in one number: 12 bits each, of vertex and value, increasing from the low end.
type Key = u128;
/// Bits of a qualifier in a [`Key`].
const BITS: u32 = 12;

fn pack(set: &[Qualifier]) -> Key {
    let one = |q: &Qualifier| 1 + Key::from(q.vertex * 64 + q.value);
    set.iter().rev().fold(0, |key, q| key << BITS | one(q))
}

/// What is known of one set of qualifiers.
#[derive(Default)]
struct Found {
    embeddings: u64,
    graphs: Vec<u32>,
    counts: Vec<u32>,
    /// In the current graph: (orbit, image) of every vertex of every embedding.
    images: Vec<(u32, VertexId)>,
}

/// The sets of qualifiers of one pattern.
struct Sets<'a> {
    code: &'a DfsCode,
    listing: Listing,
    automorphisms: Vec<Vec<VertexId>>,
    /// By vertex: its orbit under all automorphisms, and by orbit its size.
    orbits: Vec<u32>,
    sizes: Vec<u32>,
    found: FxHashMap<Key, (Vec<Qualifier>, Found)>,
}

impl<'a> Sets<'a> {
    fn new(code: &'a DfsCode, support: &[u32], graphs: &[Graph], listing: Listing) -> Self {
        let pattern = code.to_graph();
        let automorphisms = matching::embeddings(&pattern, code, usize::MAX);
        let least = |v: VertexId| automorphisms.iter().map(|map| map[v.index()].0).min().unwrap_or(v.0);
        let orbits: Vec<u32> = match listing.counts {
            Counts::MinimumImage => pattern.vertices().map(|v| v.0).collect(),
            _ => pattern.vertices().map(least).collect(),
        };
        let mut sizes = vec![0; orbits.len()];
        for &orbit in &orbits {
            sizes[orbit as usize] += 1;
        }
        let is_small = code.num_edges() <= listing.max_qualified_edges;
        let listing = if is_small { listing } else { Listing { max_qualifiers: 0, ..listing } };
        let mut sets = Self { code, listing, automorphisms, orbits, sizes, found: FxHashMap::default() };
        let (set, mut scratch) = (PatternSet::new(std::slice::from_ref(code)), Scratch::default());
        for &id in support {
            let graph = &graphs[id as usize];
            let embeddings = set.embeddings(0, graph, usize::MAX, &mut scratch);
            sets.add_graph(id, graph, &embeddings);
        }
        sets
    }

    fn add_graph(&mut self, id: u32, graph: &Graph, embeddings: &[Vec<VertexId>]) {
        for map in embeddings {
            let of_vertex = |(v, image): (usize, &VertexId)| {
                let bits = graph.qualifiers(*image);
                let values = (0..u64::BITS).filter(move |value| bits >> value & 1 == 1);
                values.map(move |value| Qualifier { vertex: v as u32, value })
            };
            let all: Vec<Qualifier> = map.iter().enumerate().flat_map(of_vertex).collect();
            self.add_subsets(id, map, &all, &mut Vec::new());
        }
        for (_, found) in self.found.values_mut().filter(|(_, found)| !found.images.is_empty()) {
            found.images.sort_unstable();
            found.images.dedup();
            let number = |orbit: u32| found.images.iter().filter(|(of, _)| *of == orbit).count() as u32;
            let count = |orbit: &u32| number(*orbit).div_ceil(self.sizes[*orbit as usize]);
            found.counts.push(self.orbits.iter().map(count).min().unwrap_or(0));
            found.images.clear();
        }
    }

    /// Adds an embedding to this set and to all that it has with later qualifiers.
    fn add_subsets(&mut self, id: u32, map: &[VertexId], later: &[Qualifier], set: &mut Vec<Qualifier>) {
        let (_, found) = self.found.entry(pack(set)).or_insert_with(|| (set.clone(), Found::default()));
        found.embeddings += 1;
        if found.graphs.last() != Some(&id) {
            found.graphs.push(id);
        }
        if self.listing.counts != Counts::Off {
            found.images.extend(self.orbits.iter().copied().zip(map.iter().copied()));
        }
        if set.len() == self.listing.max_qualifiers {
            return;
        }
        for (at, &qualifier) in later.iter().enumerate() {
            set.push(qualifier);
            self.add_subsets(id, map, &later[at + 1..], set);
            set.pop();
        }
    }

    /// The patterns that are frequent, minimal and written in the smallest way.
    fn finish(self) -> Vec<(DfsCode, Occurrence)> {
        let is_minimal = |set: &[Qualifier], found: &Found| {
            (0..set.len()).all(|gone| {
                let others = [&set[..gone], &set[gone + 1..]].concat();
                self.found[&pack(&others)].1.embeddings > found.embeddings
            })
        };
        let is_smallest = |set: &[Qualifier]| {
            self.automorphisms.iter().all(|map| {
                let moved = set.iter().map(|q| Qualifier { vertex: map[q.vertex as usize].0, ..*q });
                let mut moved: Vec<Qualifier> = moved.collect();
                moved.sort_unstable();
                moved.as_slice() >= set
            })
        };
        let kept = self.found.values().filter(|(set, found)| {
            found.graphs.len() >= self.listing.min_support && is_minimal(set, found) && is_smallest(set)
        });
        let named = |(set, found): &(Vec<Qualifier>, Found)| {
            let code = self.code.with_qualifiers(set.clone()).ok()?;
            Some((code, (found.graphs.clone(), found.counts.clone())))
        };
        kept.filter_map(named).collect()
    }
}
