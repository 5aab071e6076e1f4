//! What `cargo xtask` shares with the laboratory (`lab/`): building the program, starting and killing it, counting its
//! instructions.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the output of these tools is for their user")]

pub mod instructions;
pub mod program;
pub mod steps;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}
