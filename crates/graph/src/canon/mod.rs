//! Canonical forms of patterns: DFS codes, the minimum one of each pattern, and a fast isomorphism-invariant hash.
//!
//! A pattern is a connected graph, written as a DFS code (`dfs_code.rs`). Its minimum code is its name: `minimality.rs`
//! tests whether a code is the minimum, which the miner needs at every extension; `min_code.rs` finds the minimum of a
//! pattern given in any order; `wl_hash.rs` hashes patterns where a minimum code would take too long.

mod automorphism;
mod canonical_form;
mod dfs_code;
mod min_code;
mod minimality;
mod smaller;
mod wl_hash;

pub(crate) use automorphism::{Permutation, Symmetry};
pub use canonical_form::canonical_form;
pub use dfs_code::{DfsCode, DfsCodeError, DfsEdge, PatternSize, Step};
pub use min_code::MinCodeFinder;
pub use minimality::{MAX_VERTICES, MinimalityTest};
pub use smaller::{one_edge_less, one_qualifier_less};
pub(crate) use wl_hash::WlHash;
