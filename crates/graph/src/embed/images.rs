//! Counts of a pattern in a graph, from the images of its vertices.
//!
//! `images(v)` is the set of graph vertices to which embeddings map pattern vertex `v`. Two counts follow:
//!
//! - the *minimum-image count*, the smallest number of `images(v)`. It is anti-monotone: never larger for a pattern
//!   than for a pattern inside it, so bounds on counts hold for whole subtrees.
//! - the *count of copies*: over the orbits `O` of the pattern under its automorphisms, qualifiers aside, the smallest
//!   `ceil(number of images of O / |O|)`. All embeddings that cover the same edges map `O` onto the same `|O|`
//!   vertices, so the pattern occurs at least so often: benzene has one ring of six, not six. It is at most the
//!   minimum-image count, or for a qualified pattern at most the count of the unqualified one, and adding qualifiers
//!   never raises it.
//!
//! So the bound of a subtree takes the minimum-image count of a pattern without qualifiers, and the count itself of one
//! with them, from which only qualified patterns grow.
//!
//! Images come from a complete list of embeddings ([`ImageCounter`]) or, where these are too many, from one search per
//! graph vertex that no embedding has reached yet ([`ImageSearch`]). Tested against the definition, and against each
//! other.

use super::graph_bits::GraphBits;
use super::list::Embedding;
use super::search::{EmbeddingSearch, SearchPattern};
use crate::bitset::{contains_bit, insert_bit};
use crate::canon::{MAX_VERTICES, Symmetry};
use crate::database::Database;
use crate::stats::MineStats;
use crate::stop;

/// Which counts are mined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    /// None: only which graphs contain a pattern.
    #[default]
    Off,
    /// Minimum-image (MNI) counts.
    MinimumImage,
    /// Copies: at least so many occurrences. Minimum-image counts are stored beside them.
    Copies,
}

/// The count of a pattern in a graph, and what no count of a pattern grown from it exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) count: u32,
    pub(crate) images: u32,
}

/// The orbits of the vertices of a pattern.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Orbits {
    /// By vertex: its orbit.
    of: [u8; MAX_VERTICES],
    /// By orbit: number of vertices.
    sizes: [u8; MAX_VERTICES],
    len: usize,
    num_vertices: usize,
}

impl Orbits {
    /// Orbits for these counts. Minimum-image counts do not need them, so every vertex is one of its own.
    pub(crate) fn new(symmetry: &Symmetry, counts: Counts) -> Self {
        let num_vertices = symmetry.num_vertices();
        let mut of = [0; MAX_VERTICES];
        let len = if counts == Counts::Copies {
            symmetry.orbits(&mut of)
        } else {
            of = std::array::from_fn(|v| v as u8);
            num_vertices
        };
        let mut sizes = [0; MAX_VERTICES];
        of[..num_vertices].iter().for_each(|&orbit| sizes[orbit as usize] += 1);
        Self { of, sizes, len, num_vertices }
    }

    /// Both counts of an unqualified pattern from the number of images of each vertex.
    pub(crate) fn fold(&self, images: impl Fn(usize) -> u32) -> Counted {
        let mut counted = Counted { count: u32::MAX, images: u32::MAX };
        for v in 0..self.num_vertices {
            let images = images(v);
            counted.images = counted.images.min(images);
            counted.count = counted.count.min(images.div_ceil(u32::from(self.sizes[self.of[v] as usize])));
        }
        counted
    }
}

impl Orbits {
    /// The counts of a qualified pattern from the images of each vertex, sets of so many words.
    pub(crate) fn fold_sets(&self, images: &[u64], words: usize) -> Counted {
        let mut count = u32::MAX;
        if words == 1 {
            let mut unions = [0_u64; MAX_VERTICES];
            images.iter().zip(self.of).for_each(|(set, orbit)| unions[orbit as usize] |= set);
            for (union, &size) in unions[..self.len].iter().zip(&self.sizes) {
                count = count.min(union.count_ones().div_ceil(u32::from(size)));
            }
            return Counted { count, images: count };
        }
        for orbit in 0..self.len {
            let members = (0..self.num_vertices).filter(|&v| self.of[v] as usize == orbit);
            let word = |w: usize| members.clone().fold(0, |all, v| all | images[v * words + w]);
            let number: u32 = (0..words).map(|w| word(w).count_ones()).sum();
            count = count.min(number.div_ceil(u32::from(self.sizes[orbit])));
        }
        Counted { count, images: count }
    }
}

/// Counts one graph after another from complete lists of embeddings.
#[derive(Default)]
pub(crate) struct ImageCounter {
    /// For each (pattern vertex, graph vertex): the last round in which one was mapped to the other.
    seen: Vec<u64>,
    /// Number of graphs counted so far.
    round: u64,
    images: Vec<u32>,
}

impl ImageCounter {
    /// Counts one graph of `width` vertices.
    pub(crate) fn count<E: Embedding>(&mut self, embeddings: &[E], orbits: &Orbits, width: usize) -> Counted {
        self.round += 1;
        let vertices = orbits.num_vertices;
        if self.seen.len() < vertices * width {
            self.seen.resize(vertices * width, 0);
        }
        self.images.clear();
        for p in 0..vertices {
            stop::work(embeddings.len() / 8);
            let seen = &mut self.seen[p * width..(p + 1) * width];
            let is_new = |e: &&E| std::mem::replace(&mut seen[e.get(p) as usize], self.round) != self.round;
            self.images.push(embeddings.iter().filter(is_new).count() as u32);
        }
        orbits.fold(|v| self.images[v])
    }
}

/// Counts a pattern by searches: the work grows with the vertices of a graph, not with the embeddings.
#[derive(Debug)]
pub(crate) struct ImageSearch {
    orbits: Orbits,
    is_qualified: bool,
    /// Each with the orbit of its root: one per orbit, or one per vertex if vertices of an orbit may differ in
    /// qualifiers.
    searches: Vec<(usize, EmbeddingSearch)>,
}

impl ImageSearch {
    /// Prepares a pattern; the orbits are those without its qualifiers. `None` if a pair of its labels does not occur
    /// in any graph.
    pub(crate) fn new(db: &Database, pattern: &SearchPattern<'_>, orbits: Orbits) -> Option<Self> {
        let is_qualified = !pattern.qualifiers.is_empty();
        let of = |v: usize| orbits.of[v] as usize;
        let is_first = |v: &usize| is_qualified || (0..*v).all(|u| of(u) != of(*v));
        let roots = (0..orbits.num_vertices).filter(is_first);
        let search = |root| Some((of(root), EmbeddingSearch::from_root(db, pattern, root)?));
        Some(Self { orbits, is_qualified, searches: roots.map(search).collect::<Option<_>>()? })
    }

    /// Counts one graph, which contains the pattern; `found` is working memory.
    pub(crate) fn count<E: Embedding>(&self, bits: &GraphBits, found: &mut Vec<u64>, stats: &mut MineStats) -> Counted {
        let words = bits.words();
        found.clear();
        found.resize(self.orbits.len * words, 0);
        for (orbit, search) in &self.searches {
            stats.searched += search.each_root::<E>(bits, |root, embedding| match embedding {
                None => contains_bit(&found[*orbit * words..], root),
                Some(embedding) => {
                    for v in 0..self.orbits.num_vertices {
                        let orbit = self.orbits.of[v] as usize;
                        insert_bit(&mut found[orbit * words..], embedding.get(v) as usize);
                    }
                    true
                }
            });
        }
        let images = |orbit: usize| found[orbit * words..(orbit + 1) * words].iter().map(|w| w.count_ones()).sum();
        let counted = self.orbits.fold(|v| images(self.orbits.of[v] as usize));
        if self.is_qualified { Counted { images: counted.count, ..counted } } else { counted }
    }
}
