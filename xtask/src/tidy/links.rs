//! Links between the documents lead somewhere, and every decision has a number of its own.

use super::{Finding, Source};
use std::collections::BTreeSet;

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
    findings
}

/// A link as a path from the root.
fn resolve(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Whether a file, or a folder with a file in it, has this path. Licences have no ending and are not loaded.
pub(super) fn exists(sources: &[Source], path: &str) -> bool {
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
}
