//! The forward and backward pass, written once: patterns and their weights in, outputs and gradients out.

pub mod activation;
pub mod dense;
pub mod mining;
pub mod network;
pub mod row_dedup;
