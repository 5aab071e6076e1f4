//! Side inputs: what a model reads of a graph besides its subgraphs, encoded once.
//!
//! - `input.rs`: vertices, edges and columns of the data as numbers, standardised by the training set;
//! - `summary.rs`: one fixed row for each graph.

mod input;
mod summary;

pub use input::{EncodeError, Encoder, FeatureScale, GraphInput};
pub use summary::Summary;
