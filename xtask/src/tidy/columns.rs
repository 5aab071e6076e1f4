//! No line has more than 120 columns, comments included: rustfmt leaves long comments and strings alone.
//!
//! `xtask/wide-lines.txt` names the crates that are not clean yet.

use super::allowed::Allowed;
use super::{Finding, Source};

const MOST: usize = 120;
const ALLOWED: &str = "xtask/wide-lines.txt";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut allowed = Allowed::read(sources, ALLOWED, "crate: reason");
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| ["rs", "py", "pyi", "js", "css"].contains(&source.kind())) {
        for (at, line) in source.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > MOST && !allowed.uses(source.home()) {
                let what = format!("a line must have at most {MOST} columns, this one has {columns}");
                findings.push(Finding { path: source.path.clone(), line: at + 1, what });
            }
        }
    }
    findings.extend(allowed.findings("has no wide line"));
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn a_wide_line_is_found_unless_its_crate_is_excepted() {
        let text = format!("{}\n// {}\n", "\u{e9}".repeat(120), "x".repeat(118));
        let files = [("crates/a/src/a.rs", &*text), ("python/a.py", &*text), ("docs/a.md", &*text)];
        assert_eq!(places(&check(&tree(&files))), [("crates/a/src/a.rs", 2), ("python/a.py", 2)]);
        let more = [files[0], files[1], (ALLOWED, "crates/a: soon\npython: soon\nxtask: clean\n")];
        assert_eq!(places(&check(&tree(&more))), [(ALLOWED, 3)]);
    }
}
