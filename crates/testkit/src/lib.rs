//! For tests only: oracles that follow a definition and nothing else, random graphs, fixtures.
//!
//! Shares no code with what it checks, apart from `einsicht_graph::Graph` and the codes' types.

#[cfg(feature = "digest")]
pub mod digest;
pub mod effort;
#[cfg(feature = "search")]
pub mod exhaustive;
#[cfg(feature = "graphs")]
pub mod extreme;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
#[cfg(feature = "model-bytes")]
pub mod model_bytes;
#[cfg(feature = "models")]
pub mod models;
#[cfg(feature = "graphs")]
pub mod oracle;
#[cfg(feature = "digest")]
pub mod packed;
#[cfg(feature = "search")]
pub mod passes;
pub mod shared;
pub mod skip;
#[cfg(feature = "graphs")]
pub mod strategy;
#[cfg(feature = "truth")]
pub mod truth;

pub use effort::cases;
pub use shared::{fixture, large_shared, repo_root, shared};
