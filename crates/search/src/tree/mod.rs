//! The search over a tree of patterns that is kept from pass to pass.
//!
//! [`TreeSearch`] holds the tree and answers queries. A query is one `pass`: several workers walk over the tree, each
//! with nodes from its `queue`, and collect candidates in the pool. What they learn about subtrees goes into the
//! `history`; with the `drift` of delta it lets the next pass skip subtrees without a visit. Numbers per distinct
//! support are in the `support_cache`. Where that takes less time, a pass is a `scan` of all known classes instead.
//! `why` says what a pass did with one subtree; [`crate::skips`] lists all reasons.

mod chunked_vec;
mod drift;
mod history;
mod memory_limit;
mod pass;
mod queue;
mod scan;
mod search;
mod some_graphs;
mod support_cache;
mod why;
mod worker_log;

pub use scan::Scan;
pub(crate) use search::TreeError;
pub use search::{SearchOptions, TreeSearch};
pub(crate) use some_graphs::SomeGraphs;
pub(crate) use support_cache::SupportId;
pub use why::Fate;
