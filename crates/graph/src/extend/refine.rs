//! Refinements of a pattern: the same pattern with one qualifier more, and the graphs in which they occur.
//!
//! The embeddings of a refinement are those of the pattern whose vertices have the qualifier, so no list of its own is
//! needed: one scan of the embeddings of the unqualified pattern finds all refinements at once. Qualifiers are added in
//! increasing order. Two kinds are left out:
//!
//! - those that an automorphism maps onto a smaller list: another refinement is the same pattern;
//! - those that are not *minimal*: where every embedding, in every graph, that has all other qualifiers has this one
//!   too, it says nothing. If a list is minimal, so is every part of it, so nothing below is lost. Where the graphs are
//!   a part of all ([`RefineParams::of_part`]), these are kept and marked: embeddings in other graphs may lack the
//!   qualifier.
//!
//! Where only a sample of the embeddings of a graph is listed, searches decide what the sample leaves open. Tested
//! against the definition in `tests/qualified_vs_oracle.rs`.

use super::expand::Expander;
use crate::bitset::{insert_bit, ones_of, words_for};
use crate::canon::{DfsCode, MAX_VERTICES, Permutation, Symmetry};
use crate::embed::{Counted, Counts, Embedding, EmbeddingSearch, ImageSearch, Orbits, SearchPattern};
use crate::ids::{MAX_QUALIFIERS, Qualifier};
use crate::stats::MineStats;

/// With more automorphisms than this, they are not listed.
const MAX_LISTED: usize = 1024;

/// One refinement: the qualifier that was added, and where the pattern occurs with it.
pub(crate) struct Refinement {
    pub(crate) qualifier: Qualifier,
    pub(crate) graphs: Vec<u32>,
    /// Parallel to `graphs` if counts are mined, else empty.
    pub(crate) counts: Vec<u32>,
    pub(crate) images: Vec<u32>,
    /// Whether these graphs show that its qualifiers are minimal.
    pub(crate) is_minimal: bool,
}

/// One graph with embeddings of the unqualified pattern.
pub(crate) struct ListedGraph<'a, E> {
    pub(crate) graph: u32,
    pub(crate) embeddings: &'a [E],
    /// Whether these are only a sample.
    pub(crate) is_sample: bool,
}

/// What to find.
#[derive(Clone, Copy)]
pub(crate) struct RefineParams<'a> {
    pub(crate) min_support: usize,
    pub(crate) counts: Counts,
    /// The graphs that contain the pattern.
    pub(crate) graphs: &'a [u32],
    /// The graphs that contain the unqualified pattern.
    pub(crate) unqualified: &'a [u32],
    /// Whether there are other graphs: then refinements that are not minimal on these are kept.
    pub(crate) of_part: bool,
}

struct CountedRefinement {
    qualifier: Qualifier,
    /// All its qualifiers.
    qualifiers: Vec<Qualifier>,
    /// Made when the first graph needs it.
    search: Option<ImageSearch>,
    counts: Vec<u32>,
    images: Vec<u32>,
}

impl CountedRefinement {
    fn push(&mut self, counted: Counted) {
        self.counts.push(counted.count);
        self.images.push(counted.images);
    }
}

/// Qualifiers by vertex, as bits.
type Bits = [u64; MAX_VERTICES];

/// Finds refinements of one pattern after another, with reusable working memory.
#[derive(Default)]
pub(crate) struct Refiner {
    symmetry: Symmetry,
    /// All automorphisms of the unqualified pattern, unless they are too many.
    automorphisms: Option<Vec<Permutation>>,
    /// Of the pattern.
    num_vertices: usize,
    /// Qualifiers that may be added at each vertex.
    allowed: Vec<u64>,
    /// Graphs so far.
    graphs: Vec<u32>,
    /// For each graph and vertex: qualifiers that some embedding has, and those that all have.
    present: Vec<u64>,
    everywhere: Vec<u64>,
    /// Number of graphs of each refinement, by vertex and value.
    supports: Vec<u32>,
    /// By vertex: qualifiers that some embedding lacks.
    lacking: Vec<u64>,
    /// By qualifier of the pattern, then vertex: qualifiers of embeddings that lack only that one.
    without: Vec<u64>,
    /// Graphs with samples.
    sampled: Vec<u32>,
    /// Images in one graph: of the pattern, then of each refinement that only some embeddings have.
    images: Vec<u64>,
    /// Those refinements.
    partly: Vec<usize>,
    /// Of the unqualified pattern.
    orbits: Orbits,
}

impl Refiner {
    /// All frequent refinements, in the order of their qualifiers. `each_graph` shows the embeddings of the unqualified
    /// pattern in the graphs that it is given; it is called several times.
    pub(crate) fn refine<E: Embedding>(
        &mut self,
        expander: &Expander,
        pattern: &SearchPattern<'_>,
        params: RefineParams<'_>,
        stats: &mut MineStats,
        mut each_graph: impl FnMut(&[u32], &mut dyn FnMut(ListedGraph<'_, E>)),
    ) -> Vec<Refinement> {
        self.begin(expander, pattern);
        each_graph(params.graphs, &mut |listed| self.scan(expander, pattern, &listed, stats));
        if self.needs_others(params.min_support) {
            let others: Vec<u32> = difference(params.unqualified, params.graphs);
            each_graph(&others, &mut |listed| self.scan_other(expander, pattern, &listed, stats));
        }
        let mut refinements: Vec<Refinement> = Vec::new();
        for vertex in 0..self.num_vertices {
            for value in ones_of(self.allowed[vertex]) {
                let qualifier = Qualifier { vertex: vertex as u32, value: value as u32 };
                if (self.supports[vertex * MAX_QUALIFIERS + value] as usize) < params.min_support {
                    stats.rejected += u64::from(self.supports[vertex * MAX_QUALIFIERS + value] > 0);
                    continue;
                }
                let is_minimal = self.is_minimal::<E>(expander, pattern, qualifier, stats);
                if is_minimal || params.of_part {
                    let graphs = self.graphs_with(qualifier);
                    let (counts, images) = (Vec::new(), Vec::new());
                    refinements.push(Refinement { qualifier, graphs, counts, images, is_minimal });
                }
            }
        }
        if params.counts != Counts::Off && !refinements.is_empty() {
            let mut position = 0;
            let mut wanted = self.prepare_counts(pattern, &refinements, params.counts);
            each_graph(params.graphs, &mut |listed| {
                self.count_graph(expander, pattern, &listed, position, &mut wanted, stats);
                position += 1;
            });
            for (refinement, counted) in refinements.iter_mut().zip(wanted) {
                (refinement.counts, refinement.images) = (counted.counts, counted.images);
            }
        }
        refinements
    }

    fn begin(&mut self, expander: &Expander, pattern: &SearchPattern<'_>) {
        self.symmetry.load(pattern.start, pattern.code, &[]);
        self.automorphisms = self.symmetry.automorphisms(MAX_LISTED);
        self.num_vertices = self.symmetry.num_vertices();
        let n = self.num_vertices;
        for list in [&mut self.present, &mut self.everywhere] {
            list.clear();
        }
        self.graphs.clear();
        self.sampled.clear();
        self.supports.clear();
        self.supports.resize(n * MAX_QUALIFIERS, 0);
        self.lacking.clear();
        self.lacking.resize(n, 0);
        self.without.clear();
        self.without.resize(n * pattern.qualifiers.len(), 0);
        let values = expander.db.qualifier_values();
        let allowed = |vertex: usize| {
            // A first qualifier must be at the smallest vertex of its orbit, whatever its value.
            if let (Some(automorphisms), []) = (&self.automorphisms, pattern.qualifiers) {
                return if automorphisms.iter().all(|image| image[vertex] as usize >= vertex) { values } else { 0 };
            }
            let is_allowed = |value: &usize| self.is_canonical(pattern, vertex as u32, *value as u32);
            ones_of(values).filter(is_allowed).fold(0, |bits, value| bits | 1 << value)
        };
        self.allowed = (0..n).map(allowed).collect();
    }

    /// Whether this is the smallest list of qualifiers of the pattern that it leads to, and the qualifier is its last.
    fn is_canonical(&self, pattern: &SearchPattern<'_>, vertex: u32, value: u32) -> bool {
        let added = Qualifier { vertex, value };
        if pattern.qualifiers.last().is_some_and(|last| added <= *last) {
            return false;
        }
        let mut list: Vec<Qualifier> = pattern.qualifiers.to_vec();
        list.push(added);
        let Some(automorphisms) = &self.automorphisms else {
            let code = DfsCode::from_parts_unchecked(pattern.start, pattern.code.to_vec(), list);
            return code.is_minimum();
        };
        let mut moved = Vec::with_capacity(list.len());
        automorphisms.iter().skip(1).all(|image| {
            moved.clear();
            moved.extend(list.iter().map(|q| Qualifier { vertex: u32::from(image[q.vertex as usize]), ..*q }));
            moved.sort_unstable();
            moved >= list
        })
    }

    /// Finds the qualifiers of the embeddings in one graph.
    fn scan<E: Embedding>(
        &mut self,
        expander: &Expander,
        pattern: &SearchPattern<'_>,
        listed: &ListedGraph<'_, E>,
        stats: &mut MineStats,
    ) {
        let n = self.num_vertices;
        let qualifiers = expander.db.qualifiers(listed.graph);
        let (mut present, mut everywhere): (Bits, Bits) = ([0; MAX_VERTICES], [u64::MAX; MAX_VERTICES]);
        stats.embeddings += listed.embeddings.len() as u64;
        for embedding in listed.embeddings {
            let of = |v: usize| qualifiers[embedding.get(v) as usize];
            match lacking(pattern, of)[..] {
                [] => {
                    for v in 0..n {
                        let bits = of(v);
                        present[v] |= bits;
                        everywhere[v] &= bits;
                    }
                }
                [only] => (0..n).for_each(|v| self.without[only * n + v] |= of(v)),
                _ => {}
            }
        }
        for v in 0..n {
            self.lacking[v] |= !everywhere[v];
        }
        if listed.is_sample {
            self.sampled.push(listed.graph);
            self.search_open::<E>(expander, pattern, listed.graph, &mut present, stats);
            everywhere = [0; MAX_VERTICES];
        }
        for (v, bits) in present[..n].iter().enumerate() {
            for value in ones_of(bits & self.allowed[v]) {
                self.supports[v * MAX_QUALIFIERS + value] += 1;
            }
        }
        self.graphs.push(listed.graph);
        self.present.extend_from_slice(&present[..n]);
        self.everywhere.extend_from_slice(&everywhere[..n]);
    }

    /// Whether some refinement may be minimal only because of embeddings in graphs that lack the pattern.
    fn needs_others(&self, min_support: usize) -> bool {
        let n = self.num_vertices;
        self.without.chunks_exact(n).any(|without| {
            (0..n).any(|v| {
                let is_frequent = |&value: &usize| self.supports[v * MAX_QUALIFIERS + value] as usize >= min_support;
                ones_of(self.allowed[v] & !without[v]).any(|value| is_frequent(&value))
            })
        })
    }

    /// Finds embeddings that lack a single qualifier, in a graph without the pattern.
    fn scan_other<E: Embedding>(
        &mut self,
        expander: &Expander,
        pattern: &SearchPattern<'_>,
        listed: &ListedGraph<'_, E>,
        stats: &mut MineStats,
    ) {
        let n = self.num_vertices;
        let qualifiers = expander.db.qualifiers(listed.graph);
        stats.embeddings += listed.embeddings.len() as u64;
        for embedding in listed.embeddings {
            let of = |v: usize| qualifiers[embedding.get(v) as usize];
            if let [only] = lacking(pattern, of)[..] {
                (0..n).for_each(|v| self.without[only * n + v] |= of(v));
            }
        }
        if listed.is_sample {
            self.sampled.push(listed.graph);
        }
    }

    /// Searches for the refinements that no embedding of a sample has.
    fn search_open<E: Embedding>(
        &mut self,
        expander: &Expander,
        pattern: &SearchPattern<'_>,
        graph: u32,
        present: &mut Bits,
        stats: &mut MineStats,
    ) {
        let in_graph = expander.db.qualifiers(graph).iter().fold(0, |all, bits| all | bits);
        for v in 0..self.num_vertices {
            for value in ones_of(in_graph & self.allowed[v] & !present[v]) {
                let qualifier = Qualifier { vertex: v as u32, value: value as u32 };
                let pattern = SearchPattern { extra: Some((qualifier, true)), ..*pattern };
                present[v] |= u64::from(exists::<E>(expander, &pattern, v, graph, stats)) << value;
            }
        }
    }

    /// Whether for each qualifier there is an embedding that lacks it and has all the others.
    fn is_minimal<E: Embedding>(
        &mut self,
        expander: &Expander,
        pattern: &SearchPattern<'_>,
        added: Qualifier,
        stats: &mut MineStats,
    ) -> bool {
        let (v, n) = (added.vertex as usize, self.num_vertices);
        if self.lacking[v] >> added.value & 1 == 0 {
            let lacks = SearchPattern { extra: Some((added, false)), ..*pattern };
            if !self.sampled.iter().any(|&graph| exists::<E>(expander, &lacks, v, graph, stats)) {
                return false;
            }
            self.lacking[v] |= 1 << added.value;
        }
        (0..pattern.qualifiers.len()).all(|only| {
            if self.without[only * n + v] >> added.value & 1 == 1 {
                return true;
            }
            let mut others: Vec<Qualifier> = pattern.qualifiers.to_vec();
            let gone = std::mem::replace(&mut others[only], added);
            let lacks = SearchPattern { qualifiers: &others, extra: Some((gone, false)), ..*pattern };
            self.sampled.iter().any(|&graph| exists::<E>(expander, &lacks, v, graph, stats))
        })
    }

    fn prepare_counts(
        &mut self,
        pattern: &SearchPattern<'_>,
        refinements: &[Refinement],
        counts: Counts,
    ) -> Vec<CountedRefinement> {
        self.symmetry.load(pattern.start, pattern.code, &[]);
        self.orbits = Orbits::new(&self.symmetry, counts);
        let prepare = |refinement: &Refinement| {
            let qualifier = refinement.qualifier;
            let mut qualifiers = pattern.qualifiers.to_vec();
            qualifiers.push(qualifier);
            let (counts, images) = (Vec::new(), Vec::new());
            CountedRefinement { qualifier, qualifiers, search: None, counts, images }
        };
        refinements.iter().map(prepare).collect()
    }

    /// Counts all refinements that occur in the graph at this position.
    fn count_graph<E: Embedding>(
        &mut self,
        expander: &Expander,
        pattern: &SearchPattern<'_>,
        listed: &ListedGraph<'_, E>,
        position: usize,
        wanted: &mut [CountedRefinement],
        stats: &mut MineStats,
    ) {
        let n = self.num_vertices;
        let (present, everywhere) = (&self.present[position * n..][..n], &self.everywhere[position * n..][..n]);
        let has = |bits: &[u64], q: Qualifier| bits[q.vertex as usize] >> q.value & 1 == 1;
        if listed.is_sample {
            let bits = expander.bits(listed.graph).expect("samples are taken only where searches can complete them");
            for counted in wanted.iter_mut().filter(|c| has(present, c.qualifier)) {
                let CountedRefinement { qualifiers, search, .. } = counted;
                let pattern = SearchPattern { qualifiers: &qualifiers[..], ..*pattern };
                let prepare = || ImageSearch::new(&expander.db, &pattern, self.orbits).expect("the pattern occurs");
                let search = search.get_or_insert_with(prepare);
                let found = search.count::<E>(bits, &mut self.images, stats);
                counted.push(found);
            }
            return;
        }
        self.partly.clear();
        let is_partly = |c: &CountedRefinement| has(present, c.qualifier) && !has(everywhere, c.qualifier);
        self.partly.extend((0..wanted.len()).filter(|&at| is_partly(&wanted[at])));
        let words = words_for(expander.db.num_vertices(listed.graph) as usize);
        self.images.clear();
        self.images.resize((1 + self.partly.len()) * n * words, 0);
        let qualifiers = expander.db.qualifiers(listed.graph);
        for embedding in listed.embeddings {
            let has = |q: &Qualifier| qualifiers[embedding.get(q.vertex as usize) as usize] >> q.value & 1 == 1;
            if !pattern.qualifiers.iter().all(has) {
                continue;
            }
            add_images(&mut self.images[..n * words], embedding, n, words);
            for (slot, &at) in self.partly.iter().enumerate() {
                if has(&wanted[at].qualifier) {
                    add_images(&mut self.images[(1 + slot) * n * words..], embedding, n, words);
                }
            }
        }
        let mut partly = self.partly.iter().enumerate().peekable();
        for (at, counted) in wanted.iter_mut().enumerate().filter(|(_, c)| has(present, c.qualifier)) {
            let slot = partly.next_if(|(_, partly)| **partly == at).map_or(0, |(slot, _)| 1 + slot);
            let images = &self.images[slot * n * words..];
            counted.push(self.orbits.fold_sets(&images[..n * words], words));
        }
    }

    /// The graphs in which some embedding has this qualifier.
    fn graphs_with(&self, qualifier: Qualifier) -> Vec<u32> {
        let rows = self.present.chunks_exact(self.num_vertices);
        let has = |row: &[u64]| row[qualifier.vertex as usize] >> qualifier.value & 1 == 1;
        self.graphs.iter().zip(rows).filter(|(_, row)| has(row)).map(|(graph, _)| *graph).collect()
    }
}

/// Which qualifiers of a pattern an embedding lacks; no more than two are listed.
#[inline]
fn lacking(pattern: &SearchPattern<'_>, of: impl Fn(usize) -> u64) -> Lacking {
    let mut found = Lacking { first: [0; 2], len: 0 };
    for (at, q) in pattern.qualifiers.iter().enumerate() {
        if of(q.vertex as usize) >> q.value & 1 == 0 {
            found.first[found.len] = at;
            found.len += 1;
            if found.len == 2 {
                break;
            }
        }
    }
    found
}

/// At most two numbers.
struct Lacking {
    first: [usize; 2],
    len: usize,
}

impl std::ops::Deref for Lacking {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.first[..self.len]
    }
}

/// The members of an increasing list that are not in another.
fn difference(all: &[u32], gone: &[u32]) -> Vec<u32> {
    let mut gone = gone.iter().peekable();
    all.iter().copied().filter(|graph| gone.next_if(|next| *next == graph).is_none()).collect()
}

/// Adds the images of an embedding to the sets of each vertex.
#[inline]
fn add_images<E: Embedding>(images: &mut [u64], embedding: &E, vertices: usize, words: usize) {
    for v in 0..vertices {
        insert_bit(&mut images[v * words..], embedding.get(v) as usize);
    }
}

/// Whether a graph has an embedding of the pattern, searched from one of its vertices.
fn exists<E: Embedding>(
    expander: &Expander,
    pattern: &SearchPattern<'_>,
    root: usize,
    graph: u32,
    stats: &mut MineStats,
) -> bool {
    stats.searched += 1;
    let bits = expander.bits(graph).expect("samples are taken only where searches can complete them");
    EmbeddingSearch::from_root(&expander.db, pattern, root).is_some_and(|search| search.exists::<E>(bits))
}
