//! Patterns: connected subgraphs written as DFS codes.

mod canonical;
mod dfs_code;

pub use canonical::{Canonical, MAX_VERTICES};
pub use dfs_code::{CodeError, DfsCode, DfsEdge};
