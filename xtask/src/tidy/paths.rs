//! What stands in back-ticks in a document or a comment and looks like a path of the repository exists.
//!
//! What has happened keeps its names: the list of changes, decisions and notes may speak of files that are gone.

use super::links::exists;
use super::{Finding, Source};

/// Folders by which a path of the repository is known.
const TOPS: [&str; 6] = ["crates/", "docs/", "lab/", "python/", "scripts/", "xtask/"];
const HISTORY: [&str; 3] = ["CHANGELOG.md", "docs/decisions/", "lab/notes/"];

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| !HISTORY.iter().any(|past| source.path.starts_with(past))) {
        for (at, line) in source.text.lines().enumerate().filter(|(_, line)| is_text(source, line)) {
            for path in line.split('`').skip(1).step_by(2).filter(|text| is_path(text)) {
                if !exists(sources, path.trim_end_matches('/')) && !is_decision(sources, path) {
                    let what = format!("`{path}` does not exist");
                    findings.push(Finding { path: source.path.clone(), line: at + 1, what });
                }
            }
        }
    }
    findings
}

/// Whether a decision or a note is named by its number, as in `docs/decisions/0001`.
fn is_decision(sources: &[Source], path: &str) -> bool {
    let start = format!("{path}-");
    ["docs/decisions/", "lab/notes/"].iter().any(|notes| path.starts_with(notes)) && sources.iter().any(|source| source.path.starts_with(&start))
}

/// Whether a line is read by people: of a document, or a comment.
fn is_text(source: &Source, line: &str) -> bool {
    match source.kind() {
        "md" => true,
        "rs" => line.trim_start().starts_with("//"),
        _ => false,
    }
}

/// Whether a text is a single path from the root; `crates/*` is none.
fn is_path(text: &str) -> bool {
    TOPS.iter().any(|top| text.starts_with(top)) && text.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn a_path_that_is_gone_is_found() {
        let text = "See `docs/a.md`, `docs/` and `docs/gone.md`.\nNot `crates/*/src`, `a/b` or `docs/x y`.\n";
        let code = "//! As in `crates/a/src/b.rs`, by `docs/decisions/0001`.\nlet a = \"`crates/b`\";\n";
        let files = [
            ("docs/a.md", text),
            ("crates/a/src/a.rs", code),
            ("CHANGELOG.md", text),
            ("docs/decisions/0001-a.md", text),
        ];
        assert_eq!(places(&check(&tree(&files))), [("docs/a.md", 1), ("crates/a/src/a.rs", 1)]);
    }
}
