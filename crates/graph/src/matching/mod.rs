//! Does a graph contain a pattern, where, and how often? Exactly, for many patterns at once.
//!
//! A pattern is contained if some injective map of its vertices keeps vertex labels, edges and edge labels
//! (subgraph isomorphism, not induced). The naive way tries, for each pattern and graph, all ways to place one
//! vertex after the other. Three things make it fast, none of which changes an answer:
//!
//! 1. `shape`: what a vertex asks of its surroundings, as rooted trees shared by all patterns. Their domains
//!    cost a few set operations a graph and decide most absent patterns without any search.
//! 2. `plan` and `narrow`: the search places vertices next to placed ones, rings first, and up to 512
//!    vertices a set of candidates is a word or a few. `wide` does the same for graphs of any size.
//! 3. `prefix`: what contains an absent pattern is not looked for.
//!
//! Shares no code with the miner, so that each checks the other. What was tried and lost is in
//! `docs/decisions/`.

mod count;
mod finder;
mod index;
mod labels;
mod narrow;
mod plan;
mod prefix;
mod ring;
mod set;
mod shape;
mod wide;
mod word;

pub use count::CountSet;
pub use finder::{Scratch, Width};
pub use set::{PatternError, PatternSet};

use crate::graph::Graph;
use crate::ids::{EdgeId, VertexId};
use crate::pattern::DfsCode;

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

/// The minimum-image count of a pattern: see [`CountSet::counts`].
pub fn min_image_count(graph: &Graph, pattern: &DfsCode) -> u32 {
    CountSet::new(std::slice::from_ref(pattern)).counts(graph, &mut Scratch::default())[0]
}
