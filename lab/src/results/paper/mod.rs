//! `cargo lab results --paper`: measures what is missing and writes `lab/results/paper.md`: every table and figure of
//! the paper beside ours.
//!
//! Numbers come from `lab/results/paper/` only; what was written by hand stands in the text files beside this one.

mod accuracy;
mod cells;
mod cost;
mod runs;
mod sets;
mod variants;
mod xor;

use std::path::Path;

/// Measures what is missing; all of it, or what the words name.
pub(super) fn measure(root: &Path, words: &[&str]) -> Result<(), String> {
    runs::measure_missing(root, words)?;
    if words.is_empty() { xor::measure_missing(root) } else { Ok(()) }
}

/// The page, from what is stored.
pub(super) fn page(root: &Path) -> String {
    [
        include_str!("head.txt"),
        &accuracy::table_1(root),
        &cost::table_2(root),
        &cost::table_3(root),
        &cost::table_4(root),
        &accuracy::table_5(root),
        include_str!("figures.txt"),
        &variants::section(root),
        include_str!("claims.txt"),
    ]
    .concat()
}
