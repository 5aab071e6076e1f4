//! The graph crate counts: no floating-point number, no file, no output, no clock.

use super::{Finding, Source, identifiers};

const FORBIDDEN: [(&str, &str); 9] = [
    ("f32", "floating-point numbers live in `learn`"),
    ("f64", "floating-point numbers live in `learn`"),
    ("fs", "files are opened in `data`"),
    ("File", "files are opened in `data`"),
    ("println", "a library does not print"),
    ("eprintln", "a library does not print"),
    ("print", "a library does not print"),
    ("eprint", "a library does not print"),
    ("Instant", "a library has no clock"),
];

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.is_rust() && source.path.starts_with("crates/graph/src/")) {
        for (number, line) in source.code_lines() {
            for (word, reason) in FORBIDDEN {
                if identifiers(line).any(|used| used == word) {
                    let what = format!("`{word}` must not appear here: {reason}");
                    findings.push(Finding { path: source.path.clone(), line: number, what });
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn floats_files_and_prints_are_found_in_the_graph_crate_only() {
        let text = "fn a(x: f64) {}\nuse std::fs;\n// f64\nprintln!();\nlet f64_like = 1;\n";
        let files =
            [("crates/graph/src/a.rs", text), ("crates/learn/src/a.rs", text), ("crates/graph/benches/a.rs", text)];
        let path = "crates/graph/src/a.rs";
        assert_eq!(places(&check(&tree(&files))), [(path, 1), (path, 2), (path, 4)]);
    }
}
