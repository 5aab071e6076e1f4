//! Shapes: what the neighbourhood of a pattern vertex requires of its image, stored once for all patterns.
//!
//! A *shape* is a vertex label, the qualifiers of the vertex and some *links*: "at least `times` neighbours over an
//! edge of this kind that have that shape". Shapes are rooted trees, so the *domain* of a shape (the graph vertices
//! that have it) follows from the domains of smaller shapes by a few set operations, and patterns with common
//! neighbourhoods share that work. To have the shape is necessary for a vertex to be the image, not sufficient.
//!
//! Promise: equal shapes get equal ids; the shapes of a shape's links have smaller ids than it has.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// "At least `times` neighbours, over an edge of `kind`, that have `shape`."
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Link {
    pub(super) kind: u32,
    pub(super) shape: u32,
    pub(super) times: u32,
}

/// More neighbours than this are not counted: requiring fewer is weaker, never wrong.
pub(super) const MAX_TIMES: u32 = 4;

#[derive(Clone, Debug)]
struct Shape {
    label: u32,
    /// Qualifiers that a vertex must have, as bits.
    qualifiers: u64,
    links: Range<u32>,
}

/// All shapes of a set of patterns.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes {
    all: Vec<Shape>,
    links: Vec<Link>,
    link_lists: Vec<u32>,
}

impl Shapes {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn num_links(&self) -> usize {
        self.links.len()
    }

    /// Number of the vertex label.
    #[inline]
    pub(super) fn label(&self, shape: u32) -> u32 {
        self.all[shape as usize].label
    }

    /// Qualifiers that a vertex must have, as bits.
    #[inline]
    pub(super) fn qualifiers(&self, shape: u32) -> u64 {
        self.all[shape as usize].qualifiers
    }

    /// Positions of the links, for [`Shapes::link_at`].
    #[inline]
    pub(super) fn links_of(&self, shape: u32) -> Range<u32> {
        self.all[shape as usize].links.clone()
    }

    /// The link at a position of some [`Shapes::links_of`], with its id.
    #[inline]
    pub(super) fn link_at(&self, at: u32) -> (u32, Link) {
        let id = self.link_lists[at as usize];
        (id, self.links[id as usize])
    }
}

/// The number of a vertex label, and qualifiers as bits.
pub(super) type VertexKind = (u32, u64);

/// Gives ids to shapes and links.
#[derive(Debug, Default)]
pub(super) struct ShapeBuilder {
    shapes: Shapes,
    known_links: FxHashMap<Link, u32>,
    known_shapes: FxHashMap<(VertexKind, Box<[u32]>), u32>,
}

impl ShapeBuilder {
    /// The shape with this kind of vertex and these neighbours (edge kind, shape), with repetition. `neighbors` is used
    /// as working memory.
    pub(super) fn intern(&mut self, kind: VertexKind, neighbors: &mut [(u32, u32)]) -> u32 {
        neighbors.sort_unstable();
        let mut ids: Vec<u32> = Vec::new();
        for same in neighbors.chunk_by(|a, b| a == b) {
            let link = Link { kind: same[0].0, shape: same[0].1, times: (same.len() as u32).min(MAX_TIMES) };
            let next = self.shapes.links.len() as u32;
            let id = *self.known_links.entry(link).or_insert(next);
            if id == next {
                self.shapes.links.push(link);
            }
            ids.push(id);
        }
        // The largest shapes exclude most, so they come first.
        ids.reverse();
        let next = self.shapes.all.len() as u32;
        match self.known_shapes.entry((kind, ids.into())) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let start = self.shapes.link_lists.len() as u32;
                self.shapes.link_lists.extend_from_slice(&new.key().1);
                let links = start..self.shapes.link_lists.len() as u32;
                self.shapes.all.push(Shape { label: kind.0, qualifiers: kind.1, links });
                *new.insert(next)
            }
        }
    }

    pub(super) fn finish(self) -> Shapes {
        self.shapes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shapes_are_stored_once_and_children_come_first() {
        let mut builder = ShapeBuilder::default();
        let leaf = builder.intern((0, 0), &mut []);
        let one = builder.intern((1, 0), &mut [(0, leaf), (2, leaf), (0, leaf)]);
        let same = builder.intern((1, 0), &mut [(0, leaf), (0, leaf), (2, leaf)]);
        let other = builder.intern((1, 0), &mut [(0, leaf), (2, leaf)]);
        assert_ne!(leaf, builder.intern((0, 4), &mut []));
        assert_eq!(one, same);
        assert!(leaf < one && one < other);
        let shapes = builder.finish();
        assert_eq!((shapes.len(), shapes.num_links()), (4, 3));
        let links: Vec<Link> = shapes.links_of(one).map(|at| shapes.link_at(at).1).collect();
        assert_eq!(links, [Link { kind: 2, shape: leaf, times: 1 }, Link { kind: 0, shape: leaf, times: 2 }]);
    }
}
