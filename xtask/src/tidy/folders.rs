//! A folder has at most 14 source files, unless `xtask/full-folders.txt` gives the reason.

use super::allowed::Allowed;
use super::{Finding, Source};
use std::collections::BTreeMap;

const MOST: usize = 14;
const ALLOWED: &str = "xtask/full-folders.txt";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut allowed = Allowed::read(sources, ALLOWED, "folder: reason");
    let mut findings = Vec::new();
    for (folder, files) in sizes(sources).into_iter().filter(|(_, files)| *files > MOST) {
        if !allowed.uses(folder) {
            let what = format!(
                "a folder must have at most {MOST} source files, this one has {files}: make a subfolder, or say why \
                 in {ALLOWED}"
            );
            findings.push(Finding::whole(folder, what));
        }
    }
    findings.extend(allowed.findings("is absent or small"));
    findings
}

/// The number of Rust and Python files in each folder, subfolders not counted.
fn sizes(sources: &[Source]) -> BTreeMap<&str, usize> {
    let mut sizes = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_code()) {
        *sizes.entry(source.folder()).or_insert(0) += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn a_full_folder_needs_a_reason() {
        let paths: Vec<String> = (0..15).map(|at| format!("a/{at}.rs")).collect();
        let mut files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
        files.push(("a/notes.md", ""));
        assert_eq!(places(&check(&tree(&files))), [("a", 0)]);
        assert_eq!(check(&tree(&files[1..])), []);
        files.push((ALLOWED, "a: one file per command\n"));
        assert_eq!(check(&tree(&files)), []);
        assert_eq!(places(&check(&tree(&[(ALLOWED, "# why\nb: gone\nc\n")]))), [(ALLOWED, 3), (ALLOWED, 2)]);
    }
}
