//! `cargo xtask results --paper`: measures what is missing and writes `docs/paper.md`: every table and figure of the paper beside ours.

mod runs;
mod sets;

use std::path::Path;

/// Measures what is missing; all of it, or what the words name.
pub(super) fn measure(root: &Path, words: &[&str]) -> Result<(), String> {
    runs::measure_missing(root, words)
}
