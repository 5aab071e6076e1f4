//! The exact subgraph isomorphism network: everything with a floating-point number in it.
//!
//! A mining layer reads which subgraphs a graph contains, a small network turns that into a
//! prediction. The search finds the subgraphs, the trainer fits the weights, a model keeps both.
//! This crate never parses a data file and never prints.

pub mod activation;
mod alike;
pub mod decision;
pub mod experiment;
pub mod fit;
pub mod forest;
pub mod gnn;
pub mod gradients;
pub mod grid;
pub mod head;
pub mod layer;
pub mod loss;
pub mod metrics;
pub mod minimize;
pub mod model;
pub mod names;
pub mod network;
pub mod params;
pub mod persist;
pub mod predict;
pub mod presence;
pub mod resample;
pub mod side_by_side;
pub mod task;
pub mod train;
pub mod verify;
