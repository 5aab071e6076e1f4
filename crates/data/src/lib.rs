//! Graphs with targets, how they get in, and how they are split.
//!
//! Readers turn files into a [`Dataset`]; nothing here computes with the targets.

pub mod dataset;
pub mod generate;
pub mod random;
pub mod vocabulary;
pub mod write;

pub use dataset::{Attributes, Dataset, Origin, Skipped, Target, TargetValues};
pub use vocabulary::Vocabulary;
