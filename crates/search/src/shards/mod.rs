//! One search over graphs that no single machine holds: each worker has a *shard*, whole blocks of consecutive rows,
//! and mines only that.
//!
//! Promise: the answer is that of one search over all graphs, bit for bit, for any number of shards. A [`GraphShard`]
//! answers questions about its own graphs; a [`ShardedSearch`] holds no graph, asks all shards about the same patterns
//! and joins what they say:
//!
//! - *children*: the union over the shards, since a pattern that is in a shard has all that it is grown from there too,
//!   and whether a code is minimal does not depend on graphs. `min_support` is applied to the sum of the supports. A
//!   qualifier that says nothing in every shard is none;
//! - *what to prune*: for each child a shard sends its own `P` and `N`. Their sums differ from the exact ones by
//!   rounding alone, so the coordinator takes an upper bound of both score and `UB(H)` (`merge.rs`); pruning less than
//!   one machine would is always right;
//! - *scores*: for the few patterns whose score may reach `zeta`, the shards send the sums of each of their blocks, and
//!   the coordinator adds them in row order, as [`crate::bound`] does;
//! - *classes*: a shard numbers its distinct supports, so the tuple of these numbers is the same for exactly the
//!   patterns with the same support.
//!
//! The numbers of a shard mean something within one pass only. A worker that was lost and replaced does not know the
//! pass, says so, and the pass is asked again from its start, with the threshold that it had reached: nothing else is
//! kept in workers.
//!
//! Messages are bytes (`messages.rs`) and [`Shards`] is how they travel. Limits: at most one qualifier per pattern, and
//! what is known from earlier passes is not used (no drift), so a pass visits more than [`crate::TreeSearch`] would.
//!
//! Tested against the exhaustive search in `tests/sharded_search.rs`.

mod coordinator;
mod members;
mod merge;
mod messages;
mod pass;
mod shard;
mod source;
mod wire;

pub use coordinator::{ShardedSearch, Shards};
pub use shard::GraphShard;
pub use source::{ShardSource, shard_ranges};
