//! Whole trainings: one, one per grid point, one per resample.

mod bounded_parallel;
pub mod experiment;
pub mod fit;
pub mod resample;
