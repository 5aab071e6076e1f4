//! `cargo xtask results --paper`: measures what is missing and writes `docs/paper.md`: every table and figure of the paper beside ours.
//!
//! Numbers come from `results/paper/` only; what was written by hand stands in the `.md` files beside this one.

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

/// The page.
pub(super) fn page(root: &Path) -> Result<String, String> {
    let sections: [(&str, Option<String>); 6] = [
        ("Table 1", accuracy::table_1(root)),
        ("Table 2", cost::table_2(root)),
        ("Table 3", cost::table_3(root)),
        ("Table 4", cost::table_4(root)),
        ("Table 5", accuracy::table_5(root)),
        ("readings", variants::section(root)),
    ];
    let mut page = String::from(include_str!("head.md"));
    for (name, section) in sections {
        page += &section.ok_or(format!("{name} of docs/paper.md has no results in results/paper"))?;
        if name == "Table 5" {
            page += include_str!("figures.md");
        }
    }
    Ok(page + include_str!("claims.md"))
}
