//! Trainings over several workers: each has a partition of the tree (`worker.rs`) or a shard of the graphs (`shard.rs`).

pub(crate) mod shard;
pub(crate) mod worker;
