//! Exact matching: does a graph contain a pattern, with which embeddings, and how often? For many patterns at once.
//!
//! A pattern is contained if some injective map of its vertices keeps vertex labels, edges and edge labels, and the
//! image of each vertex has its qualifiers (subgraph isomorphism, not induced). The naive way tries, for each pattern
//! and graph, all ways to map one vertex after another. Three things make it fast, none of which changes an answer:
//!
//! 1. `shape.rs`: what the neighbourhood of a vertex must contain, as rooted trees shared by all patterns. Their
//!    domains take a few set operations per graph and decide most absent patterns without any search.
//! 2. `plan.rs` and `backtrack.rs`: the search maps vertices next to mapped ones, rings first. Up to 512 vertices a set
//!    of candidates is a word or a few (`bitset_search.rs`); `adjacency_search.rs` does the same for graphs of any
//!    size.
//! 3. `prefix_order.rs`: a pattern that contains an absent one is skipped (supports are anti-monotone).
//!
//! Shares no search code with the miner, so that each checks the other; of the miner's primitives it uses only the bit
//! sets, which have tests of their own. What was tried and lost is in `docs/decisions/` and `lab/notes/`.

mod adjacency_search;
mod backtrack;
mod bitset_search;
mod count_set;
mod index;
mod labels;
mod matcher;
mod pattern_set;
mod plan;
mod prefix_order;
mod shape;

pub use count_set::CountSet;
pub use matcher::{Scratch, Width};

pub use pattern_set::{Occurrence, PatternError, PatternSet};

use crate::canon::DfsCode;
use crate::embed::Counts;
use crate::graph::Graph;
use crate::ids::{EdgeId, VertexId};

/// Whether a graph contains a pattern. For more than a few pairs prepare a [`PatternSet`].
pub fn contains(graph: &Graph, pattern: &DfsCode) -> bool {
    let set = PatternSet::new(std::slice::from_ref(pattern));
    !set.matches(graph, &mut Scratch::default()).is_empty()
}

/// The first `limit` embeddings of a pattern: see [`PatternSet::embeddings`].
pub fn embeddings(graph: &Graph, pattern: &DfsCode, limit: usize) -> Vec<Vec<VertexId>> {
    PatternSet::new(std::slice::from_ref(pattern)).embeddings(0, graph, limit, &mut Scratch::default())
}

/// The first `limit` distinct sets of edges that a pattern covers: see [`PatternSet::distinct_embeddings`].
pub fn distinct_embeddings(graph: &Graph, pattern: &DfsCode, limit: usize) -> Vec<Vec<EdgeId>> {
    PatternSet::new(std::slice::from_ref(pattern)).distinct_embeddings(0, graph, limit, &mut Scratch::default())
}

/// A count of a pattern: see [`CountSet::counts`].
pub fn count(graph: &Graph, pattern: &DfsCode, counts: Counts) -> u32 {
    CountSet::new(std::slice::from_ref(pattern), counts).counts(graph, &mut Scratch::default())[0]
}
