//! Embeddings: how a pattern occurs in the graphs, listed or only proved to exist.
//!
//! `list.rs` stores embeddings flat, `enumerate.rs` makes them by extending smaller ones. Where they are too many to
//! list, `graph_bits.rs` encodes a graph as bit sets, `search.rs` enumerates some embeddings by backtracking, and
//! `existence.rs` decides whether there is one at all. `mni.rs` counts them in the one way that is anti-monotone.
//! Knows nothing of extensions and of what is worth growing.

mod enumerate;
mod existence;
mod graph_bits;
mod list;
mod mni;
mod search;

pub(crate) use enumerate::{enumerate_embeddings, extend_embeddings, one_edge_patterns};
pub(crate) use existence::{ExistenceScratch, ExistenceTest};
pub(crate) use graph_bits::{GraphBits, by_width, search_width};
pub(crate) use list::{AbsentExtensions, Embedding, EmbeddingList, EmbeddingPool, GraphStatus};
pub(crate) use mni::MniCounter;
pub(crate) use search::EmbeddingSearch;
