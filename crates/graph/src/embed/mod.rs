//! Embeddings: how a pattern occurs in the graphs, listed or only proved to exist.
//!
//! `list.rs` stores embeddings flat, `enumerate.rs` makes them by extending smaller ones. Where they are too many to
//! list, `graph_bits.rs` encodes a graph as bit sets, `search.rs` enumerates some embeddings by backtracking, and
//! `existence.rs` decides whether there is one at all. `images.rs` counts copies, and bounds the count of larger
//! patterns. Knows nothing of extensions and of what is worth growing.

mod enumerate;
mod existence;
mod graph_bits;
mod images;
mod list;
mod search;

pub(crate) use enumerate::{
    enumerate_embeddings, extend_embeddings, one_edge_patterns, one_vertex_patterns, vertex_embeddings,
};
pub(crate) use existence::{ExistenceScratch, ExistenceTest};
pub(crate) use graph_bits::{GraphBits, by_width, search_width};
pub use images::Counts;
pub(crate) use images::{Counted, ImageCounter, ImageSearch, Orbits};
pub(crate) use list::{AbsentExtensions, Embedding, EmbeddingList, EmbeddingPool, GraphStatus};
pub(crate) use search::{EmbeddingSearch, SearchPattern};
