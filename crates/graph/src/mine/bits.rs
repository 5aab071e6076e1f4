//! One graph as bit sets: who has which label, who is next to whom, who has enough neighbours of a kind.
//!
//! Made for single graphs, when the search for the existence of a pattern first needs them; most graphs of
//! molecules never do. A set of vertices is `W` words, the same for all sets of a graph.

use super::database::Database;
use crate::ids::Label;

/// Neighbours of one type are counted up to here.
const COUNTED: usize = 8;

/// A set of vertices of one graph.
pub(crate) type Bits<const W: usize> = [u64; W];

/// One graph as bit sets of `words` words.
#[derive(Debug)]
pub(crate) struct GraphBits {
    words: usize,
    labels: Vec<Label>,
    /// By label: the vertices that have it.
    with_label: Vec<u64>,
    edge_labels: Vec<Label>,
    /// By vertex, then edge label: the neighbours.
    neighbors: Vec<u64>,
    types: Vec<u32>,
    /// By type, then count from 1: the vertices with at least so many neighbours of the type.
    at_least: Vec<u64>,
    /// By label: the types next to its vertices, increasing.
    types_of_label: Vec<Vec<u32>>,
}

/// The number of words for a graph of so many vertices, if the search handles it.
pub(crate) fn words_for(vertices: usize) -> Option<usize> {
    [1, 2, 4, 16].into_iter().find(|words| vertices <= 64 * words)
}

impl GraphBits {
    /// `None` if the graph has more vertices than the search handles.
    pub(crate) fn new(db: &Database, graph: u32) -> Option<Self> {
        let vertices = db.num_vertices(graph) as usize;
        let words = words_for(vertices)?;
        let base = db.base(graph);
        let mut labels: Vec<Label> = (0..vertices).map(|v| db.vertex_label(base + v)).collect();
        labels.sort_unstable();
        labels.dedup();
        let all = || (0..vertices).flat_map(|v| db.neighbors(base + v));
        let mut types: Vec<u32> = all().map(|a| a.ty).collect();
        types.sort_unstable();
        types.dedup();
        let mut edge_labels: Vec<Label> = types.iter().map(|&ty| db.labels_of(ty).0).collect();
        edge_labels.dedup();
        let mut bits = Self {
            words,
            with_label: vec![0; labels.len() * words],
            neighbors: vec![0; vertices * edge_labels.len() * words],
            at_least: vec![0; types.len() * COUNTED * words],
            types_of_label: vec![Vec::new(); labels.len()],
            labels,
            edge_labels,
            types,
        };
        for v in 0..vertices {
            let label = bits.labels.binary_search(&db.vertex_label(base + v)).unwrap_or(0);
            set(&mut bits.with_label[label * words..], v);
            let mut counts = vec![0; bits.types.len()];
            for a in db.neighbors(base + v) {
                let edge_label = bits.edge_labels.binary_search(&db.labels_of(a.ty).0).unwrap_or(0);
                set(&mut bits.neighbors[(v * bits.edge_labels.len() + edge_label) * words..], a.vertex as usize);
                let ty = bits.types.binary_search(&a.ty).unwrap_or(0);
                if counts[ty] == 0 {
                    bits.types_of_label[label].push(a.ty);
                }
                if counts[ty] < COUNTED {
                    set(&mut bits.at_least[(ty * COUNTED + counts[ty]) * words..], v);
                }
                counts[ty] += 1;
            }
        }
        for types in &mut bits.types_of_label {
            types.sort_unstable();
            types.dedup();
        }
        Some(bits)
    }

    /// Memory held, about.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.with_label.len() + self.neighbors.len() + self.at_least.len();
        let numbers = self.labels.len() + self.edge_labels.len() + self.types.len();
        let of_labels: usize = self.types_of_label.iter().map(|types| 24 + 8 * types.len()).sum();
        size_of::<Self>() + 8 * words + 4 * numbers + of_labels
    }

    /// Number of words of a set.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Number of types that occur.
    pub(crate) fn num_types(&self) -> usize {
        self.types.len()
    }

    /// Edge labels that occur, increasing.
    pub(crate) fn edge_labels(&self) -> &[Label] {
        &self.edge_labels
    }

    /// Types next to vertices of this label, increasing.
    pub(crate) fn types_next_to(&self, label: Label) -> &[u32] {
        self.labels.binary_search(&label).map_or(&[], |at| &self.types_of_label[at])
    }

    /// Vertices with this label that have, for each (type, count), so many neighbours of the type.
    pub(crate) fn domain<const W: usize>(&self, label: Label, needs: &[(u32, u32)]) -> Bits<W> {
        let Ok(label) = self.labels.binary_search(&label) else { return [0; W] };
        let mut domain: Bits<W> = take(&self.with_label, label);
        for &(ty, count) in needs {
            let Ok(ty) = self.types.binary_search(&ty) else { return [0; W] };
            let count = (count as usize).min(COUNTED) - 1;
            domain = and(domain, take(&self.at_least, ty * COUNTED + count));
        }
        domain
    }

    /// Place of a vertex label, for [`GraphBits::with_label`].
    pub(crate) fn label(&self, label: Label) -> Option<usize> {
        self.labels.binary_search(&label).ok()
    }

    /// Vertices with a label, by its place.
    #[inline]
    pub(crate) fn with_label<const W: usize>(&self, label: usize) -> Bits<W> {
        take(&self.with_label, label)
    }

    /// Place of an edge label, for [`GraphBits::neighbors`].
    pub(crate) fn edge_label(&self, label: Label) -> Option<usize> {
        self.edge_labels.binary_search(&label).ok()
    }

    /// Neighbours of a vertex along edges of one label.
    #[inline]
    pub(crate) fn neighbors<const W: usize>(&self, vertex: usize, edge_label: usize) -> Bits<W> {
        take(&self.neighbors, vertex * self.edge_labels.len() + edge_label)
    }
}

fn set(words: &mut [u64], vertex: usize) {
    words[vertex / 64] |= 1 << (vertex % 64);
}

#[inline]
fn take<const W: usize>(words: &[u64], at: usize) -> Bits<W> {
    let mut bits = [0; W];
    bits.copy_from_slice(&words[at * W..(at + 1) * W]);
    bits
}

#[inline]
pub(crate) fn and<const W: usize>(mut a: Bits<W>, b: Bits<W>) -> Bits<W> {
    for (a, b) in a.iter_mut().zip(b) {
        *a &= b;
    }
    a
}

#[inline]
pub(crate) fn or<const W: usize>(mut a: Bits<W>, b: Bits<W>) -> Bits<W> {
    for (a, b) in a.iter_mut().zip(b) {
        *a |= b;
    }
    a
}

#[inline]
pub(crate) fn without<const W: usize>(mut a: Bits<W>, b: &Bits<W>) -> Bits<W> {
    for (a, b) in a.iter_mut().zip(b) {
        *a &= !b;
    }
    a
}

#[inline]
pub(crate) fn is_empty<const W: usize>(bits: &Bits<W>) -> bool {
    bits.iter().fold(0, |all, word| all | word) == 0
}

/// Number of vertices of the set in the first words.
#[inline]
pub(crate) fn count<const W: usize>(bits: &[u64]) -> u32 {
    bits[..W].iter().map(|word| word.count_ones()).sum()
}

/// Whether the set has at least so many vertices; few operations where they are few.
#[inline]
pub(crate) fn has<const W: usize>(bits: &Bits<W>, wanted: u32) -> bool {
    let mut bits = *bits;
    (0..wanted).all(|_| pop(&mut bits).is_some())
}

/// Takes the smallest vertex out of the set.
#[inline]
pub(crate) fn pop<const W: usize>(bits: &mut Bits<W>) -> Option<usize> {
    for (at, word) in bits.iter_mut().enumerate() {
        if *word != 0 {
            let bit = word.trailing_zeros() as usize;
            *word &= *word - 1;
            return Some(64 * at + bit);
        }
    }
    None
}

#[inline]
pub(crate) fn insert<const W: usize>(bits: &mut Bits<W>, vertex: usize) {
    bits[vertex / 64] |= 1 << (vertex % 64);
}

#[inline]
pub(crate) fn remove<const W: usize>(bits: &mut Bits<W>, vertex: usize) {
    bits[vertex / 64] &= !(1 << (vertex % 64));
}
