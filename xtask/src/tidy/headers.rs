//! Every Rust file starts by saying what it is for. A `tests.rs` belongs to the module beside it, whose header
//! says how it is tested.

use super::{Finding, Source};

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let headless = sources.iter().filter(|source| {
        // A header may follow inner attributes such as `#![no_main]`.
        let first = source.text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
        let is_tests = source.path.ends_with("/tests.rs");
        source.is_rust() && !is_tests && !first.is_some_and(|line| line.starts_with("//! "))
    });
    let what = "a file must start with a `//!` header: what it promises and what it does not know";
    headless.map(|source| Finding { path: source.path.clone(), line: 1, what: what.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn a_file_without_a_header_is_found() {
        let files =
            [("a.rs", "//! Good.\nuse x;"), ("b.rs", "use x;"), ("c.rs", "#![no_main]\n//! Good."), ("d/tests.rs", "")];
        assert_eq!(places(&check(&tree(&files))), [("b.rs", 1)]);
    }
}
