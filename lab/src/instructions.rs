//! `cargo lab bench-instructions`: instructions and memory that the shipped program needs to mine BZR at 10 edges.

use std::path::Path;
use xtask::instructions::{Case, check};
use xtask::program;

const BZR: Case = Case {
    path: "../shared/data/tu/BZR",
    max_edges: 10,
    patterns: 376_066,
    support_sum: 5_805_247,
    instructions: 4_700,
    memory: 20,
};

/// Builds, mines and prints; an error if a gate is missed.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    check(root, &program::build_release(root)?, &BZR)
}
