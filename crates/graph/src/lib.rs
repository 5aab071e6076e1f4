//! Labelled graphs, subgraph patterns, exact mining and exact matching.
//!
//! Integers only: this crate never uses a floating-point number, never opens a file and never prints. What decides
//! whether a pattern is *worth* anything is above it.
//!
//! # Mining, from the naive loop up
//!
//! A *pattern* is a connected labelled graph, here with at least one edge (see 8). Its *support* is the set of graphs
//! that contain it (subgraph isomorphism, not induced). Mining finds all patterns of at most `max_edges` edges with a
//! support of at least `min_support` graphs. The naive loop grows patterns edge by edge:
//!
//! ```text
//! found = all one-edge patterns
//! for each pattern in found:
//!     for each way to add an edge that some graph shows:
//!         if the new pattern is not isomorphic to one in found:
//!             find its support; if it is large enough, append it to found
//! ```
//!
//! Each of the following ideas makes one line of it fast; none changes the result.
//!
//! 1. **Canonical form** (`canon`). "Isomorphic to one in `found`" must not compare all pairs. A pattern is written as
//!    the list of its edges in the order of a depth-first search, a *DFS code*; the minimum over all searches is its
//!    canonical form ([`DfsCode`]), so isomorphic patterns have equal names.
//! 2. **Rightmost extension** (`extend`). Nothing has to be looked up in `found` at all: gSpan adds edges only at the
//!    rightmost path of the depth-first search and keeps a child only if its code is minimal ([`MinimalityTest`]). Then
//!    every pattern has exactly one parent, and `found` is a tree that can be traversed and forgotten.
//! 3. **Anti-monotone support.** A graph that contains a pattern contains its parent. So a child is searched for only
//!    in the support of its parent, and below a pattern that is too rare, or that the caller's bound excludes
//!    ([`MineControl::Prune`](mine::MineControl::Prune)), the whole subtree is skipped.
//! 4. **Embedding lists** (`embed`). Searching each child from scratch repeats the parent's work. An embedding of a
//!    child is an embedding of its parent and one more edge, so the list of embeddings of a pattern shows all its
//!    extensions in one scan.
//! 5. **Existence instead of embeddings.** With few labels a pattern has millions of embeddings in one graph, but its
//!    support needs only one. Where they are many, a sample is kept; extensions of the sample exist, and each remaining
//!    one is decided by a search (`embed/existence.rs`).
//! 6. **Level-wise pruning** (`mine/levelwise`). Most of these searches prove absence. Anti-monotone supports prove it
//!    without a search: a graph that lacks *any* subpattern lacks the pattern (Apriori). So on such graphs all patterns
//!    of one size are found before the next, and looked up by an isomorphism-invariant hash (`canon/wl_hash.rs`).
//! 7. **A tree on demand** (`tree`). A learner searches the same tree in every pass and prunes most of it.
//!    [`Tree`](tree::Tree) expands nodes when they are first needed, keeps them, and evicts them under a memory limit.
//!
//! 8. **Single vertices and qualifiers** (`extend/refine.rs`). A pattern may be one vertex, and may require properties
//!    of its vertices ([`Qualifier`]), kept as bits. Patterns grow by edges only while they are unqualified; a
//!    refinement is found in the embeddings of its unqualified pattern, so it costs no list of its own, and a pruned
//!    pattern costs no refinement.
//! 9. **Counts** (`embed/images.rs`). How often a pattern occurs at least, from the images of its vertices: from a list
//!    of embeddings or, where that would be long, by searches.
//!
//! ```
//! use einsicht_graph::{Graph, GraphError, Label, VertexId};
//! use einsicht_graph::mine::{MineParams, PatternListBuilder, mine};
//! use einsicht_graph::tree::Tree;
//!
//! // A ring, with label 0 on all its vertices but one, which has label 1.
//! fn ring(len: u32) -> Result<Graph, GraphError> {
//!     let mut builder = Graph::builder();
//!     for vertex in 0..len {
//!         builder.add_vertex(Label(u32::from(vertex == 0)))?;
//!     }
//!     for vertex in 0..len {
//!         builder.add_edge(VertexId(vertex), VertexId((vertex + 1) % len), Label(0))?;
//!     }
//!     Ok(builder.build())
//! }
//!
//! let graphs = [ring(3)?, ring(4)?, ring(5)?];
//! let params = MineParams { max_edges: 3, min_support: 2, ..MineParams::default() };
//! let mut list = PatternListBuilder::default();
//! mine(&graphs, &params, &mut list)?;
//! let list = list.finish();
//! // The edges 0-0 and 0-1 and the paths 0-0-0, 0-0-1, 0-1-0, 0-0-0-1 and 0-0-1-0. The triangle is in one graph only.
//! assert_eq!(list.len(), 7);
//! // Supports shrink as patterns grow.
//! for pattern in 0..list.len() {
//!     if let Some(parent) = list.parent(pattern) {
//!         assert!(list.support(pattern).len() <= list.support(parent).len());
//!     }
//! }
//!
//! // The same tree, on demand: only what is expanded is computed.
//! let tree = Tree::new(&graphs, params)?;
//! let edge = tree.roots().next().expect("there are edges");
//! let supports: Vec<_> = tree.expand(edge).map(|child| tree.support(child).unpacked().graphs().to_vec()).collect();
//! assert_eq!(supports, [vec![1, 2], vec![0, 1, 2]]); // the paths 0-0-0 and 0-0-1
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Matching
//!
//! [`matching`] answers the reverse question, for a model that is applied to new graphs: which of these patterns does a
//! graph contain, with which embeddings, and how often? It shares no search code with the miner, so each checks the
//! other.

mod bitset;
mod canon;
mod closure;
mod concurrent_vec;
mod count_list;
mod database;
mod embed;
mod extend;
mod graph;
mod graph_list;
mod ids;
mod label_order;
pub mod leb128;
pub mod matching;
pub mod mine;
mod ring_edges;
mod stats;
pub mod stop;
mod support;
pub mod tree;

pub use canon::{
    DfsCode, DfsCodeError, DfsEdge, MAX_VERTICES, MinCodeFinder, MinimalityTest, PatternSize, Step, canonical_form,
    one_edge_less, one_qualifier_less,
};
pub use closure::{MOST_WHOLE_EDGES, whole_around};
pub use count_list::Counted;
pub use graph::{Edge, Graph, GraphBuilder, GraphError, Neighbor};
pub use ids::{EdgeId, Label, MAX_QUALIFIERS, Qualifier, VertexId};
pub use ring_edges::{RingEdges, Way};
pub use support::{Support, SupportTable, TreeSupport};
