//! The exact subgraph isomorphism network: everything with a floating-point number in it.
//!
//! A mining layer reads which subgraphs a graph contains, a small network turns that into a
//! prediction. The search finds the subgraphs, the trainer fits the weights, a model keeps both.
//! This crate never parses a data file and never prints.

pub mod features;
pub mod forest;
mod forward;
pub mod gnn;
pub mod grid;
pub mod heads;
pub mod model;
pub mod params;
pub mod persist;
mod runs;
pub mod task;
pub mod train;
pub mod verify;
pub mod wishes;

pub use features::names;
pub use forward::activation::Activation;
pub use runs::{experiment, fit, resample};
pub use task::metrics;
