//! The graph vertices that one embedding occupies, in three forms: each graph gets the fastest that it allows.
//!
//! In a graph of at most 64 vertices the occupied vertices are the bits of a word, and so are the neighbours of a
//! vertex: most vertices of a rightmost path have no neighbour outside the embedding, which one operation shows. Where
//! there is only one edge label, the type of a neighbour depends on the neighbour alone, and its adjacency is not read
//! at all. Tested through the miner on graphs of all three kinds.

use crate::database::{Adjacent, Database, Vertex};
use crate::embed::Embedding;

/// In a set of types as bits, all types from this one on share a bit, which is never cleared.
pub(crate) const SHARED_BIT: u32 = 63;

/// All types but one, as bits.
#[inline]
pub(crate) fn all_but(ty: u32) -> u64 {
    !(1 << ty.min(SHARED_BIT)) | 1 << SHARED_BIT
}

/// The vertices that one embedding occupies.
pub(crate) trait Occupied<E> {
    /// Those of an embedding of so many vertices.
    fn new(embedding: &E, vertices: usize) -> Self;
    /// Calls back with each neighbour that is not occupied.
    fn open(&self, db: &Database, vertices: &[Vertex], at: &Vertex, found: impl FnMut(Adjacent));
    /// Whether an occupied vertex may have an edge to another one besides its parent, which would close a ring.
    fn may_close(&self, at: &Vertex) -> bool;
    /// Whether a type may be in a set of types.
    #[inline(always)]
    fn is_wanted(wanted: u64, ty: u32) -> bool {
        wanted >> ty.min(SHARED_BIT) & 1 == 1
    }
}

/// Whether a set has two members or more.
#[inline(always)]
fn has_two(word: u64) -> bool {
    word & word.wrapping_sub(1) != 0
}

/// Bits of a word, for one edge label.
pub(crate) struct WordOneLabel(u64);

impl<E: Embedding> Occupied<E> for WordOneLabel {
    #[inline(always)]
    fn new(embedding: &E, vertices: usize) -> Self {
        Self(embedding.word(vertices))
    }
    #[inline(always)]
    fn open(&self, _: &Database, vertices: &[Vertex], at: &Vertex, mut found: impl FnMut(Adjacent)) {
        let mut open = at.word & !self.0;
        while open != 0 {
            let vertex = open.trailing_zeros();
            open &= open - 1;
            found(Adjacent { vertex, ty: vertices[vertex as usize].ty });
        }
    }
    #[inline(always)]
    fn may_close(&self, at: &Vertex) -> bool {
        has_two(at.word & self.0)
    }
    #[inline(always)]
    fn is_wanted(wanted: u64, ty: u32) -> bool {
        wanted >> (ty & 63) & 1 == 1
    }
}

/// Bits of a word, for several edge labels.
pub(crate) struct Word(u64);

impl<E: Embedding> Occupied<E> for Word {
    #[inline(always)]
    fn new(embedding: &E, vertices: usize) -> Self {
        Self(embedding.word(vertices))
    }
    #[inline(always)]
    fn open(&self, db: &Database, _: &[Vertex], at: &Vertex, mut found: impl FnMut(Adjacent)) {
        if at.word & !self.0 != 0 {
            for &a in db.neighbors_of(at) {
                if self.0 >> (a.vertex & 63) & 1 == 0 {
                    found(a);
                }
            }
        }
    }
    #[inline(always)]
    fn may_close(&self, at: &Vertex) -> bool {
        has_two(at.word & self.0)
    }
}

/// The embedding itself, for graphs of any size.
pub(crate) struct Whole<E>(E);

impl<E: Embedding> Occupied<E> for Whole<E> {
    #[inline(always)]
    fn new(embedding: &E, _: usize) -> Self {
        Self(*embedding)
    }
    #[inline(always)]
    fn open(&self, db: &Database, _: &[Vertex], at: &Vertex, mut found: impl FnMut(Adjacent)) {
        for &a in db.neighbors_of(at) {
            if !self.0.contains(a.vertex) {
                found(a);
            }
        }
    }
    #[inline(always)]
    fn may_close(&self, _: &Vertex) -> bool {
        true
    }
}
