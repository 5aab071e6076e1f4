//! Files, folders and lines stay small. Lists of exceptions give a reason each.

use super::allowed::Allowed;
use super::{Finding, Source};
use std::collections::BTreeMap;

const MOST_LINES: usize = 500;
const LARGE_FILES: &str = "xtask/large-files.txt";
const MOST_FILES: usize = 14;
const FULL_FOLDERS: &str = "xtask/full-folders.txt";
/// rustfmt leaves long comments and strings alone.
const MOST_COLUMNS: usize = 120;

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let [mut large, mut full] = [LARGE_FILES, FULL_FOLDERS].map(|list| Allowed::read(sources, list));
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| ["rs", "py", "pyi", "js", "css"].contains(&source.kind())) {
        *folders.entry(source.folder()).or_default() += usize::from(source.is_code());
        let lines = source.text.lines().count();
        if lines > MOST_LINES && !large.uses(&source.path) {
            let what = format!("a file must have at most {MOST_LINES} lines, this one has {lines} (or {LARGE_FILES})");
            findings.push(Finding::whole(&source.path, what));
        }
        for (at, line) in source.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > MOST_COLUMNS {
                let what = format!("a line must have at most {MOST_COLUMNS} columns, this one has {columns}");
                findings.push(Finding { path: source.path.clone(), line: at + 1, what });
            }
        }
    }
    for (folder, files) in folders.into_iter().filter(|(_, files)| *files > MOST_FILES) {
        if !full.uses(folder) {
            let what = format!(
                "a folder must have at most {MOST_FILES} source files, this one has {files} (or {FULL_FOLDERS})"
            );
            findings.push(Finding::whole(folder, what));
        }
    }
    findings.extend([large, full].into_iter().flat_map(Allowed::findings));
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn a_long_file_needs_a_reason() {
        let (long, short) = ("x\n".repeat(501), "x\n".repeat(500));
        let files = [("a.rs", long.as_str()), ("b.rs", &short), ("c.md", &long)];
        assert_eq!(places(&check(&tree(&files))), [("a.rs", 0)]);
        assert_eq!(check(&tree(&[files[0], (LARGE_FILES, "# why\na.rs: one table\n")])), []);
    }

    #[test]
    fn a_full_folder_needs_a_reason() {
        let paths: Vec<String> = (0..15).map(|at| format!("a/{at}.rs")).collect();
        let mut files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
        files.push(("a/notes.md", ""));
        assert_eq!(places(&check(&tree(&files))), [("a", 0)]);
        assert_eq!(check(&tree(&files[1..])), []);
        files.push((FULL_FOLDERS, "a: one file per command\n"));
        assert_eq!(check(&tree(&files)), []);
    }

    #[test]
    fn a_wide_line_is_found() {
        let text = format!("{}\n// {}\n", "\u{e9}".repeat(120), "x".repeat(118));
        let files = [("crates/a/src/a.rs", &*text), ("python/a.py", &*text), ("docs/a.md", &*text)];
        assert_eq!(places(&check(&tree(&files))), [("crates/a/src/a.rs", 2), ("python/a.py", 2)]);
    }

    #[test]
    fn a_reason_that_is_empty_or_not_needed_is_found() {
        let files = [("a.rs", "x"), (LARGE_FILES, "a.rs: gone\nb.rs\n")];
        assert_eq!(places(&check(&tree(&files))), [(LARGE_FILES, 2), (LARGE_FILES, 1)]);
    }
}
