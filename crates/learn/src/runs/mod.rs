//! Whole trainings: one (`fit.rs`), one per resample (`resample/`); how large and how many
//! subgraphs may be (`settled.rs`), splits by default (`splits.rs`), graphs on several workers (`shards.rs`), who watches (`watch.rs`).
//!
//! Knows neither files nor clocks: callers save states and stop runs.

pub(crate) mod bounded_parallel;
pub mod fit;
pub mod resample;
mod settled;
pub mod shards;
mod splits;
pub mod watch;
