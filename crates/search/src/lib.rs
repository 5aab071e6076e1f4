//! The exact search: which subgraphs have the largest gradients?
//!
//! The mining layer of the network reads, for every pattern `H` (a connected subgraph), whether a graph contains it
//! or how often. Almost all patterns have the weight zero. Training asks again and again: which patterns should get a
//! weight? A matrix `delta` comes in, the derivative of the loss of each graph by each hidden unit; candidates go
//! out. This crate knows no network and no loss.
//!
//! # From the naive loop up
//!
//! 1. **The naive loop.** List all patterns, compute the gradient `grad_H = sum_i delta_i psi_H(G_i)` of each, sort
//!    by its norm (the *score*), keep the `s` best. That is the definition, and `einsicht_testkit::exhaustive` does
//!    just that. There are far too many patterns for it.
//! 2. **A bound** ([`bound`], Theorem 1). Patterns form a tree in which every child contains its parent (gSpan's tree
//!    of minimum DFS codes). Supports are anti-monotone, so one sum over the graphs of `H` gives an upper bound
//!    `UB(H)` of all scores in its subtree. It holds in floating point to the last bit.
//! 3. **A threshold** (`pool`). `zeta` is the `s`-th largest score so far. A subtree with `UB(H) < zeta` is pruned.
//!    (With penalty `l1` the threshold is `lambda`, fixed, and `UB(H) <= lambda` prunes: [`Rule::Above`].) Active
//!    patterns and the candidates of the last pass count from the start, and the largest bounds are visited first, so
//!    `zeta` is large early (`tree::queue`).
//! 4. **Ties** ([`by_rank`]). Equal scores are the normal case. One total order decides: larger score, then fewer
//!    edges, fewer qualifiers, smaller code. Pruning by `zeta` is strict (`<`), so the order of the walk never
//!    decides. Patterns with the same support cannot be distinguished by the data; they are one [`SupportClass`] and
//!    compete once ([`Competes`]).
//! 5. **Drift** (`tree::drift`). From pass to pass delta changes little. What the last visit knew about a subtree
//!    plus the drift of delta since is a bound too, and costs no sum over delta.
//! 6. **Memory** ([`BudgetedSearch`]). The tree is kept from pass to pass. Within a memory limit, embeddings
//!    are evicted and recomputed; where that is not enough, a [`StreamingSearch`] goes on without a tree.
//!    [`SharedTree`] serves several trainings at once.
//! 7. **Shards** ([`ShardedSearch`]). Where no machine holds all graphs, each worker has a shard of them, and their
//!    sums are added in the order of the blocks.
//!
//! [`skips`] lists every reason for which a subtree is skipped, and where each search tests it.
//!
//! The promise of every [`Search`]: the answer equals that of the naive loop, bit for bit, whatever was skipped on the
//! way.
//!
//! # Example
//!
//! ```
//! use einsicht_graph::mine::MineParams;
//! use einsicht_graph::tree::Tree;
//! use einsicht_graph::{Graph, Label};
//! use einsicht_search::{Query, Rule, Search, SearchOptions, TreeSearch, Competes, bound::Delta, feature::Values};
//!
//! // Paths with these vertex labels.
//! let path = |labels: &[u32]| {
//!     let mut builder = Graph::builder();
//!     let vertices = labels.iter().map(|&label| builder.add_vertex(Label(label))).collect::<Result<Vec<_>, _>>()?;
//!     for pair in vertices.windows(2) {
//!         builder.add_edge(pair[0], pair[1], Label(0))?;
//!     }
//!     Ok::<Graph, einsicht_graph::GraphError>(builder.build())
//! };
//! let graphs = [path(&[0, 1, 2])?, path(&[0, 1])?, path(&[2, 1, 0])?];
//! let mut search = TreeSearch::new(Tree::new(&graphs, MineParams::default())?, SearchOptions::default());
//!
//! // One hidden unit: a pattern in graphs 0 and 2, but not in graph 1, would change the loss most.
//! let result = search.search(&Query {
//!     delta: Delta::new(&[-1.0, 2.0, -1.0], 1)?,
//!     active: &[],
//!     step_sizes: &[],
//!     decay: 0.0,
//!     rule: Rule::Top(1),
//!     unit: Competes::SupportClass,
//!     banned: &[],
//!     values: Values::Presence,
//!     floor: f64::NEG_INFINITY,
//! })?;
//!
//! // The edge between labels 1 and 2. It represents its class: the whole path has the same support.
//! let [best] = &result.candidates[..] else { panic!("one class has the largest score") };
//! assert_eq!((best.code.num_edges(), best.support.graphs(), &best.gradient[..]), (1, &[0, 2][..], &[-2.0][..]));
//! assert_eq!(search.class(&best.support)?.size, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bound;
pub mod code_tuples;
mod error;
pub mod feature;
mod memory;
mod pool;
mod query;
mod shards;
pub mod skips;
mod streaming;
mod support_class;
mod top_k;
mod tree;
mod units;

pub use error::SearchError;
pub use memory::{BudgetedSearch, Evictions, SharedTree, SubsetSearch};
pub use query::{ActivePattern, ActiveScore, Candidate, Competes, Query, Rule, SearchResult, SearchStats, by_rank};
pub use shards::{GraphShard, ShardSource, ShardedSearch, Shards, shard_ranges};
pub use skips::{SkipReason, Skips};
pub use streaming::StreamingSearch;
pub use support_class::SupportClass;
pub use tree::{Fate, Scan, SearchOptions, TreeSearch};

use einsicht_graph::{DfsCode, Support};
use std::sync::Arc;

/// Finds patterns of a fixed set of training graphs. Keeps what it has learnt from one query to the next.
///
/// Promise: the answer equals that of scoring all patterns, bit for bit.
pub trait Search {
    /// Answers one query.
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError>;

    /// The support of the pattern with this canonical code: the first query of a resumed training.
    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError>;

    /// The class of all patterns that have this support. Asked once for each pattern of a finished model, not in
    /// every pass: it may walk over the tree again, down to all patterns whose supports contain this one.
    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError>;

    /// Answers a query as [`Self::search`] does, and says what the pass did with the subtree of one pattern. Only
    /// searches over a tree keep what that needs; all others refuse.
    fn why(&mut self, query: &Query<'_>, code: &DfsCode) -> Result<(SearchResult, Fate), SearchError> {
        let (_, _) = (query, code);
        Err(SearchError::KeepsNoTree)
    }

    /// What a memory limit has cost so far.
    fn evictions(&self) -> Evictions {
        Evictions::default()
    }
}

impl<S: Search + ?Sized> Search for Box<S> {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        (**self).search(query)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        (**self).lookup(code)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        (**self).class(support)
    }

    fn why(&mut self, query: &Query<'_>, code: &DfsCode) -> Result<(SearchResult, Fate), SearchError> {
        (**self).why(query, code)
    }

    fn evictions(&self) -> Evictions {
        (**self).evictions()
    }
}
