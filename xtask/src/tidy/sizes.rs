//! No file over 500 lines, unless `xtask/large-files.txt` gives the reason.

use super::allowed::Allowed;
use super::{Finding, Source};

const MOST: usize = 500;
const ALLOWED: &str = "xtask/large-files.txt";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut allowed = Allowed::read(sources, ALLOWED, "path: reason");
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| ["rs", "py", "js", "css"].contains(&source.kind())) {
        let lines = source.text.lines().count();
        if lines > MOST && !allowed.uses(&source.path) {
            let what = format!(
                "a file must have at most {MOST} lines, this one has {lines}: split it, or say why in {ALLOWED}"
            );
            findings.push(Finding::whole(&source.path, what));
        }
    }
    findings.extend(allowed.findings("is absent or small"));
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
        let allowed = [files[0], (ALLOWED, "# why\na.rs: one table\n")];
        assert_eq!(check(&tree(&allowed)), []);
    }

    #[test]
    fn a_reason_that_is_empty_or_not_needed_is_found() {
        let files = [("a.rs", "x"), (ALLOWED, "a.rs: gone\nb.rs\n")];
        assert_eq!(places(&check(&tree(&files))), [(ALLOWED, 2), (ALLOWED, 1)]);
    }
}
