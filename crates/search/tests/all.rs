//! The searches against the exhaustive one: one program, since linking many takes longer than running them.

mod block_sums;
mod common;
mod memory_limits;
mod scan;
mod sharded_search;
mod subset_search;
mod support_classes;
mod tree_search;
mod why;
