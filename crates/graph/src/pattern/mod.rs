//! Patterns: connected subgraphs written as DFS codes.

mod dfs_code;

pub use dfs_code::{DfsCode, DfsEdge};
