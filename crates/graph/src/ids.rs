//! The ids of this project: newtypes over `u32`, so that a vertex is never taken for an edge.
//!
//! Every id is an index from 0 into an array of its owner. Sizes are checked once, where a graph is
//! built; after that an id always fits.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an array index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<u32> for $name {
            fn from(value: u32) -> Self {
                Self(value)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

id!(
    /// A vertex of one graph or pattern.
    VertexId
);
id!(
    /// An edge of one graph, by its position in [`crate::Graph::edges`].
    EdgeId
);
id!(
    /// A vertex label or an edge label, by its rank in the vocabulary of the data set.
    Label
);

/// A property that a pattern requires of the image of one of its vertices, such as "two hydrogens". Which property a
/// number stands for is the caller's business; [`Graph::qualifiers`](crate::Graph::qualifiers) has the numbers of each
/// vertex as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Qualifier {
    /// Vertex of the pattern, by discovery time.
    pub vertex: u32,
    /// Number of the property, below [`MAX_QUALIFIERS`].
    pub value: u32,
}

/// Most properties that the vertices of a set of graphs may have.
pub const MAX_QUALIFIERS: usize = 64;
