//! Which vertices of its graph an embedding uses, and which neighbours are left: in three ways, the quickest that a graph allows.
//!
//! In a graph of at most 64 vertices the vertices of an embedding are the bits of a word, and so are the neighbours of a
//! vertex: most vertices of a rightmost path have no neighbour outside the embedding, which one operation tells. Where
//! there is only one edge label, the type of a neighbour depends on it alone, and the list of neighbours is not touched at all.

use super::database::{Adjacent, Database, Vertex};
use super::rows::Row;

/// In a set of types as bits, types from this one on share a bit, which says nothing and is never cleared.
pub(crate) const SHARED_BIT: u32 = 63;

/// All types but one, as far as bits tell.
#[inline]
pub(crate) fn all_but(ty: u32) -> u64 {
    !(1 << ty.min(SHARED_BIT)) | 1 << SHARED_BIT
}

/// The vertices of one embedding.
pub(crate) trait Used<R> {
    /// Of an embedding of so many vertices.
    fn new(row: &R, vertices: usize) -> Self;
    /// Calls back with each neighbour that is not in use.
    fn open(&self, db: &Database, vertices: &[Vertex], at: &Vertex, found: impl FnMut(Adjacent));
    /// Whether an edge from a vertex in use to another one, besides that to its parent, may close a ring.
    fn may_close(&self, at: &Vertex) -> bool;
    /// Whether a type may be in a set of types.
    #[inline(always)]
    fn is_wanted(wanted: u64, ty: u32) -> bool {
        wanted >> ty.min(SHARED_BIT) & 1 == 1
    }
}

/// Bits of a word, one edge label.
pub(crate) struct Bits(u64);

impl<R: Row> Used<R> for Bits {
    #[inline(always)]
    fn new(row: &R, vertices: usize) -> Self {
        Self(row.word(vertices))
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
        let joined = at.word & self.0;
        joined & joined.wrapping_sub(1) != 0
    }
    #[inline(always)]
    fn is_wanted(wanted: u64, ty: u32) -> bool {
        wanted >> (ty & 63) & 1 == 1
    }
}

/// Bits of a word, several edge labels.
pub(crate) struct LabelledBits(u64);

impl<R: Row> Used<R> for LabelledBits {
    #[inline(always)]
    fn new(row: &R, vertices: usize) -> Self {
        Self(row.word(vertices))
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
        let joined = at.word & self.0;
        joined & joined.wrapping_sub(1) != 0
    }
}

/// The row itself, for graphs of any size.
pub(crate) struct Whole<R>(R);

impl<R: Row> Used<R> for Whole<R> {
    #[inline(always)]
    fn new(row: &R, _: usize) -> Self {
        Self(*row)
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
