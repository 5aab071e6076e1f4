//! Saved state of a training, so that an interrupted run can be resumed: the file, when it is written, and who writes
//! it.

mod checkpoint_file;
mod save_interval;

pub(crate) use checkpoint_file::CheckpointFile;
pub(crate) use save_interval::SaveInterval;
