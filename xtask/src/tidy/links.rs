//! Links between the documents lead somewhere, every decision has a number of its own, and what stands in back-ticks in
//! a document or a comment and looks like a path of the repository exists.
//!
//! What has happened keeps its names: the list of changes, decisions and notes may speak of files that are gone.

use super::{Finding, Source};
use std::collections::BTreeSet;

/// Folders by which a path of the repository is known.
const TOPS: [&str; 6] = ["crates/", "docs/", "lab/", "python/", "scripts/", "xtask/"];
const HISTORY: [&str; 3] = ["CHANGELOG.md", "docs/decisions/", "lab/notes/"];

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.kind() == "md") {
        for (at, line) in source.text.lines().enumerate() {
            for target in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let file = target.split('#').next().unwrap_or_default();
                if !file.is_empty() && !file.contains("://") && !exists(sources, &resolve(&source.path, file)) {
                    let what = format!("the link to {target} leads nowhere");
                    findings.push(Finding { path: source.path.clone(), line: at + 1, what });
                }
            }
        }
    }
    let mut numbers = BTreeSet::new();
    for name in sources.iter().filter_map(|source| source.path.strip_prefix("docs/decisions/")) {
        let number = name.split('-').next().unwrap_or_default();
        if number.len() != 4 || number.parse::<u32>().is_err() || !numbers.insert(number) {
            let what = "the name of a decision must start with four digits that no other has".to_owned();
            findings.push(Finding { path: format!("docs/decisions/{name}"), line: 0, what });
        }
    }
    check_paths(sources, &mut findings);
    findings
}

/// Paths in back-ticks that do not exist.
fn check_paths(sources: &[Source], findings: &mut Vec<Finding>) {
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
}

/// Whether a decision or a note is named by its number, as in `docs/decisions/0001`.
fn is_decision(sources: &[Source], path: &str) -> bool {
    let start = format!("{path}-");
    ["docs/decisions/", "lab/notes/"].iter().any(|notes| path.starts_with(notes))
        && sources.iter().any(|source| source.path.starts_with(&start))
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

/// A link as a path from the root.
fn resolve(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Whether a file, or a folder with a file in it, has this path. Licences have no ending and are not loaded.
fn exists(sources: &[Source], path: &str) -> bool {
    let folder = format!("{path}/");
    path.starts_with("LICENSE-") || sources.iter().any(|s| s.path == path || s.path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let text = "[a](b.md) [c](../README.md#top) [d](https://x.y) [e](#here)\n[f](gone.md)";
        let files = [("docs/a.md", text), ("docs/b.md", ""), ("README.md", "[docs](docs) [l](LICENSE-MIT)")];
        assert_eq!(places(&check(&tree(&files))), [("docs/a.md", 2)]);
    }

    #[test]
    fn two_decisions_must_not_share_a_number() {
        let files = ["0001-a.md", "0001-b.md", "0010-c.md", "d.md"].map(|name| format!("docs/decisions/{name}"));
        let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "")).collect();
        assert_eq!(places(&check(&tree(&files))), [("docs/decisions/0001-b.md", 0), ("docs/decisions/d.md", 0)]);
    }

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
