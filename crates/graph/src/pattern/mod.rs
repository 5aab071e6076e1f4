//! Patterns: connected subgraphs written as DFS codes.

mod canonical;
mod dfs_code;
mod smallest;

pub use canonical::{Canonical, MAX_VERTICES};
pub use dfs_code::{CodeError, DfsCode, DfsEdge};
pub use smallest::Smallest;
