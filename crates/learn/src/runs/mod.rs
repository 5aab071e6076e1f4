//! Whole trainings: one (`fit.rs`), one per grid point (`experiment.rs`), one per resample (`resample/`); who watches
//! them (`watch.rs`).
//!
//! Knows neither files nor clocks: callers save states and stop runs.

mod bounded_parallel;
pub mod experiment;
pub mod fit;
pub mod resample;
pub mod watch;
