//! Every Rust file starts by saying what it is for, and no test is lost: every file below a crate's `tests` is a module
//! of its one program of tests.
//!
//! A `tests.rs` belongs to the module beside it, whose header says how it is tested. A crate has one program of tests
//! (`tests/all.rs`, or `main.rs` in a folder), since linking many takes longer than running them. Cargo then no longer
//! finds the files by itself, so a file that nobody lists would be a test that nobody runs.

use super::{Finding, Source};

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let files = || sources.iter().filter(|source| source.is_rust());
    let tests = files().filter(|source| source.path.contains("/tests/"));
    files().filter_map(headless).chain(tests.filter_map(|test| unlisted(test, sources))).collect()
}

/// A file without a header.
fn headless(source: &Source) -> Option<Finding> {
    // A header may follow inner attributes such as `#![no_main]`.
    let first = source.text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
    let is_good = first.is_some_and(|line| line.starts_with("//! ")) || source.path.ends_with("/tests.rs");
    let what = "a file must start with a `//!` header: what it promises and what it does not know";
    (!is_good).then(|| Finding { path: source.path.clone(), line: 1, what: what.to_owned() })
}

/// What is wrong where the file is not a module of the file above it.
fn unlisted(test: &Source, sources: &[Source]) -> Option<Finding> {
    let (mut folder, file) = test.path.rsplit_once('/')?;
    if (folder.ends_with("/tests") && file == "all.rs") || file == "main.rs" || folder.contains("/src/") {
        return None;
    }
    let mut name = file.strip_suffix(".rs")?;
    if file == "mod.rs" {
        (folder, name) = folder.rsplit_once('/')?;
    }
    let parents: &[&str] = if folder.ends_with("/tests") { &["all.rs"] } else { &["mod.rs", "main.rs"] };
    let is_parent = |source: &&Source| parents.iter().any(|parent| source.path == format!("{folder}/{parent}"));
    let lists = |parent: &Source| {
        parent
            .text
            .lines()
            .any(|line| line.strip_suffix(';').is_some_and(|item| item.ends_with(&format!("mod {name}"))))
    };
    if sources.iter().find(is_parent).is_some_and(lists) {
        return None;
    }
    let what = format!("a file of tests must be listed, as `mod {name};` in {folder}/{}", parents.join(" or "));
    Some(Finding::whole(&test.path, what))
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn a_file_of_tests_that_nobody_lists_is_found() {
        let files = [
            ("crates/a/tests/all.rs", "//! All.\n\nmod common;\nmod deep;\nmod listed;\n"),
            ("crates/a/tests/listed.rs", "//! A file.\n"),
            ("crates/a/tests/lost.rs", "//! A file.\n"),
            ("crates/a/tests/common/mod.rs", "//! A file.\npub mod inner;\n"),
            ("crates/a/tests/common/inner.rs", "//! A file.\n"),
            ("crates/a/tests/common/outer.rs", "//! A file.\n"),
            ("crates/a/tests/other/mod.rs", "//! A file.\n"),
            ("crates/b/tests/program/main.rs", "//! A file.\nmod train;\n"),
            ("crates/b/tests/program/train.rs", "//! A file.\n"),
            ("crates/b/tests/program/rain.rs", "//! A file.\n"),
            ("crates/c/tests/alone.rs", "//! A file.\n"),
            ("crates/c/src/tests/inside.rs", "//! A file.\n"),
        ];
        let lost = [
            "crates/a/tests/common/outer.rs",
            "crates/a/tests/lost.rs",
            "crates/a/tests/other/mod.rs",
            "crates/b/tests/program/rain.rs",
            "crates/c/tests/alone.rs",
        ];
        let mut found = check(&tree(&files));
        found.sort();
        assert_eq!(places(&found), lost.map(|path| (path, 0)));
    }

    #[test]
    fn a_file_without_a_header_is_found() {
        let files =
            [("a.rs", "//! Good.\nuse x;"), ("b.rs", "use x;"), ("c.rs", "#![no_main]\n//! Good."), ("d/tests.rs", "")];
        assert_eq!(places(&check(&tree(&files))), [("b.rs", 1)]);
    }
}
