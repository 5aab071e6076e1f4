//! No file over 500 lines, unless `xtask/large-files.txt` gives the reason.

use super::{Finding, Source};
use std::collections::BTreeMap;

const MOST: usize = 500;
const ALLOWED: &str = "xtask/large-files.txt";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut allowed = BTreeMap::new();
    let list = sources.iter().find(|source| source.path == ALLOWED).map_or("", |source| &source.text);
    for (at, line) in list.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(": ") {
            Some((path, reason)) if !reason.trim().is_empty() => {
                allowed.insert(path, at + 1);
            }
            _ => findings.push(finding(ALLOWED, at + 1, "a line must be `path: reason`".to_owned())),
        }
    }
    for source in sources {
        let is_code = ["rs", "py", "js", "css"].contains(&source.kind());
        let lines = source.text.lines().count();
        if is_code && lines > MOST && allowed.remove(source.path.as_str()).is_none() {
            findings.push(finding(
                &source.path,
                0,
                format!(
                    "a file must have at most {MOST} lines, this one has {lines}: split it, or say why in {ALLOWED}"
                ),
            ));
        }
    }
    for (path, line) in allowed {
        findings.push(finding(ALLOWED, line, format!("{path} is absent or small: drop the line")));
    }
    findings
}

fn finding(path: &str, line: usize, what: String) -> Finding {
    Finding { path: path.to_owned(), line, what }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{places, tree};
    use super::*;

    #[test]
    fn a_long_file_needs_a_reason() {
        let (long, short) = ("x\n".repeat(501), "x\n".repeat(500));
        let files = [("a.rs", long.as_str()), ("b.rs", &short), ("c.md", &long)];
        assert_eq!(places(&check(&tree(&files))), [("a.rs", 0)]);
        let allowed = [files[0], (ALLOWED, "# why\na.rs: one table\n")];
        assert_eq!(check(&tree(&allowed)), []);
    }

    #[test]
    fn a_reason_that_is_empty_or_not_needed_is_found() {
        let files = [("a.rs", "x"), (ALLOWED, "a.rs: gone\nb.rs\n")];
        assert_eq!(places(&check(&tree(&files))), [(ALLOWED, 2), (ALLOWED, 1)]);
    }
}
