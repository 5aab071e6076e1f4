//! One graph as bit sets: the vertices of each label, the neighbours of each vertex, who has enough neighbours of a
//! type.
//!
//! Built on demand for single graphs, when a search (`search.rs`, `existence.rs`) first needs them; most graphs of
//! molecules never do. A set of vertices has the same number of words for all sets of a graph; the code of the searches
//! is compiled once per number of words ([`by_width`]). Tested through the miner against the oracle.

use crate::bitset::{Words, insert_bit, ones_of};
use crate::database::Database;
use crate::ids::{Label, MAX_QUALIFIERS};

/// Neighbours of one type are counted up to this number.
const MAX_COUNTED: usize = 8;

/// One graph as bit sets of `words` words.
#[derive(Debug)]
pub(crate) struct GraphBits {
    words: usize,
    labels: Vec<Label>,
    /// By index in `labels`: the vertices with that label.
    with_label: Vec<u64>,
    edge_labels: Vec<Label>,
    /// By vertex, then index in `edge_labels`: the neighbours.
    neighbors: Vec<u64>,
    types: Vec<u32>,
    /// By index in `types`, then count from 1: the vertices with at least so many neighbours of the type.
    at_least: Vec<u64>,
    /// By index in `labels`: the types next to its vertices, increasing.
    types_of_label: Vec<Vec<u32>>,
    /// By qualifier: the vertices that have it; empty if no graph has qualifiers.
    qualified: Vec<u64>,
}

/// The number of words for a graph of so many vertices; `None` if the searches do not handle it.
pub(crate) fn search_width(vertices: usize) -> Option<usize> {
    [1, 2, 4, 16].into_iter().find(|words| vertices <= 64 * words)
}

/// Runs the body with the constant `$width`, the number of words of the sets of a graph.
macro_rules! by_width {
    ($bits:expr, $width:ident => $body:expr) => {
        match $bits.words() {
            1 => {
                const $width: usize = 1;
                $body
            }
            2 => {
                const $width: usize = 2;
                $body
            }
            4 => {
                const $width: usize = 4;
                $body
            }
            _ => {
                const $width: usize = 16;
                $body
            }
        }
    };
}
pub(crate) use by_width;

impl GraphBits {
    /// `None` if the graph has more vertices than the searches handle.
    pub(crate) fn new(db: &Database, graph: u32) -> Option<Self> {
        let mut bits = Self::empty(db, graph)?;
        let (words, base) = (bits.words, db.base(graph));
        for v in 0..db.num_vertices(graph) as usize {
            let label = bits.labels.binary_search(&db.vertex_label(base + v)).unwrap_or(0);
            insert_bit(&mut bits.with_label[label * words..], v);
            let mut counts = vec![0; bits.types.len()];
            for a in db.neighbors(base + v) {
                let edge_label = bits.edge_labels.binary_search(&db.labels_of(a.ty).edge).unwrap_or(0);
                insert_bit(&mut bits.neighbors[(v * bits.edge_labels.len() + edge_label) * words..], a.vertex as usize);
                let ty = bits.types.binary_search(&a.ty).unwrap_or(0);
                if counts[ty] == 0 {
                    bits.types_of_label[label].push(a.ty);
                }
                if counts[ty] < MAX_COUNTED {
                    insert_bit(&mut bits.at_least[(ty * MAX_COUNTED + counts[ty]) * words..], v);
                }
                counts[ty] += 1;
            }
        }
        for (v, &qualifiers) in db.qualifiers(graph).iter().enumerate() {
            for value in ones_of(qualifiers) {
                insert_bit(&mut bits.qualified[value * words..], v);
            }
        }
        for types in &mut bits.types_of_label {
            types.sort_unstable();
            types.dedup();
        }
        Some(bits)
    }

    /// The labels and types of a graph, with empty sets.
    fn empty(db: &Database, graph: u32) -> Option<Self> {
        let vertices = db.num_vertices(graph) as usize;
        let words = search_width(vertices)?;
        let base = db.base(graph);
        let mut labels: Vec<Label> = (0..vertices).map(|v| db.vertex_label(base + v)).collect();
        labels.sort_unstable();
        labels.dedup();
        let all = || (0..vertices).flat_map(|v| db.neighbors(base + v));
        let mut types: Vec<u32> = all().map(|a| a.ty).collect();
        types.sort_unstable();
        types.dedup();
        let mut edge_labels: Vec<Label> = types.iter().map(|&ty| db.labels_of(ty).edge).collect();
        edge_labels.dedup();
        Some(Self {
            words,
            with_label: vec![0; labels.len() * words],
            neighbors: vec![0; vertices * edge_labels.len() * words],
            at_least: vec![0; types.len() * MAX_COUNTED * words],
            types_of_label: vec![Vec::new(); labels.len()],
            qualified: if db.has_qualifiers() { vec![0; MAX_QUALIFIERS * words] } else { Vec::new() },
            labels,
            edge_labels,
            types,
        })
    }

    /// Memory held, approximately.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.with_label.len() + self.neighbors.len() + self.at_least.len() + self.qualified.len();
        let numbers = self.labels.len() + self.edge_labels.len() + self.types.len();
        let of_labels: usize = self.types_of_label.iter().map(|types| 24 + 8 * types.len()).sum();
        size_of::<Self>() + 8 * words + 4 * numbers + of_labels
    }

    /// Number of words of a set.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

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

    /// Vertices with this label and the neighbours that a pattern vertex requires.
    pub(crate) fn domain<const W: usize>(&self, label: Label, required: &RequiredNeighbors) -> Words<W> {
        let Ok(label) = self.labels.binary_search(&label) else { return Words::EMPTY };
        let mut domain: Words<W> = Words::load(&self.with_label, label);
        for &(ty, count) in &required.0 {
            let Ok(ty) = self.types.binary_search(&ty) else { return Words::EMPTY };
            let count = (count as usize).min(MAX_COUNTED) - 1;
            domain &= Words::load(&self.at_least, ty * MAX_COUNTED + count);
        }
        domain
    }

    /// The members of a set that have all qualifiers of the first list, given as bits, and none of the second.
    pub(crate) fn qualified<const W: usize>(&self, mut set: Words<W>, has: u64, lacks: u64) -> Words<W> {
        if self.qualified.is_empty() {
            return if has == 0 { set } else { Words::EMPTY };
        }
        ones_of(has).for_each(|value| set &= Words::load(&self.qualified, value));
        ones_of(lacks).for_each(|value| set = set.without(&Words::load(&self.qualified, value)));
        set
    }

    /// Index of a vertex label, for [`GraphBits::with_label`].
    pub(crate) fn label_index(&self, label: Label) -> Option<usize> {
        self.labels.binary_search(&label).ok()
    }

    /// Vertices with a label, by its index.
    #[inline]
    pub(crate) fn with_label<const W: usize>(&self, label: usize) -> Words<W> {
        Words::load(&self.with_label, label)
    }

    /// Index of an edge label, for [`GraphBits::neighbors`].
    pub(crate) fn edge_label_index(&self, label: Label) -> Option<usize> {
        self.edge_labels.binary_search(&label).ok()
    }

    /// Neighbours of a vertex along edges of one label, by the index of the label.
    #[inline]
    pub(crate) fn neighbors<const W: usize>(&self, vertex: usize, edge_label: usize) -> Words<W> {
        Words::load(&self.neighbors, vertex * self.edge_labels.len() + edge_label)
    }
}

/// The neighbours that a pattern vertex requires of its image: (type, count) pairs.
#[derive(Debug, Default)]
pub(crate) struct RequiredNeighbors(Vec<(u32, u32)>);

impl RequiredNeighbors {
    /// Adds one neighbour of this type.
    pub(crate) fn add(&mut self, ty: u32) {
        match self.0.iter_mut().find(|(other, _)| *other == ty) {
            Some((_, count)) => *count += 1,
            None => self.0.push((ty, 1)),
        }
    }
}
