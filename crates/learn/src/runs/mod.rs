//! Whole trainings: one (`fit.rs`), one per grid point (`experiment.rs`), one per resample (`resample/`); how large and how many
//! subgraphs may be (`settled.rs`), splits by default (`splits.rs`), graphs on several workers (`shards.rs`), who watches (`watch.rs`), intervals of means over trials (`interval.rs`).
//!
//! Knows neither files nor clocks: callers save states and stop runs.

mod bounded_parallel;
pub mod experiment;
pub mod fit;
mod interval;
mod paired;
pub mod resample;
mod settled;
pub mod shards;
mod splits;
pub mod watch;
