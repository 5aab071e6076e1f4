//! The exact subgraph isomorphism network: everything with a floating-point number in it.
//!
//! A mining layer reads which subgraphs a graph contains, a small network turns that into a
//! prediction. The search finds the subgraphs, the trainer fits the weights, a model keeps both.
//! This crate never parses a data file and never prints.

pub mod bound;
pub mod search;
