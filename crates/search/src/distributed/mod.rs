//! One search that is distributed over several workers, each of which holds the graphs and grows its own partition of
//! the tree.
//!
//! Promise: the answer is that of one search over the whole tree, bit for bit, for any number of workers. A worker's
//! own `zeta` is the `s`-th largest score of fewer competitors, so it never exceeds that of all, and each of the `s`
//! best is a candidate of the worker that it belongs to. Patterns of one support class may belong to several workers;
//! the coordinator keeps the simplest. Scores are functions of support and delta alone, so they are computed again
//! instead of sent.
//!
//! [`DistributedSearch`] is the coordinator, [`SearchWorker`] answers on each worker, and [`Workers`] is how messages
//! travel: they are bytes (see `messages.rs`).
//!
//! Tested against the exhaustive search in `tests/distributed_search.rs`.

mod coordinator;
mod messages;
mod worker;

pub use coordinator::{DistributedSearch, Workers};
pub use worker::SearchWorker;
