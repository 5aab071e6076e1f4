//! No left-overs, no paths of somebody's machine; and the graph crate counts: no floating-point number, no file, no
//! output, no clock.

use super::{Finding, Source, identifiers};

/// Marks of unfinished work. They are written in two halves here, because this file is looked at too.
const UNFINISHED: [&str; 5] = [
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("<<<<", "<<<"),
];
/// Folders that exist on one machine only.
const FOLDERS: [&str; 4] = [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/tm", "p/"), concat!("/wo", "rk/")];
/// Identifiers that the graph crate does not use.
const NOT_IN_GRAPH: [&str; 9] = ["f32", "f64", "fs", "File", "println", "eprintln", "print", "eprint", "Instant"];

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let mut bad: Vec<(usize, &str, &str)> = Vec::new();
        for (at, line) in source.text.lines().enumerate() {
            let found = |words: &[&'static str]| words.iter().find(|word| line.contains(**word)).copied();
            bad.extend(found(&UNFINISHED).map(|word| (at + 1, word, "finish it, or open an issue")));
            bad.extend(found(&FOLDERS).map(|word| (at + 1, word, "it is a path of one machine")));
        }
        if source.is_rust() && source.path.starts_with("crates/graph/src/") {
            for (line, code) in source.code_lines() {
                let used = identifiers(code).find(|word| NOT_IN_GRAPH.contains(word));
                bad.extend(used.map(|word| (line, word, "floats live above, files and output above")));
            }
        }
        findings.extend(bad.into_iter().map(|(line, word, reason)| {
            let what = format!("`{word}` must not appear here: {reason}");
            Finding { path: source.path.clone(), line, what }
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    #[test]
    fn left_overs_and_machine_paths_are_found() {
        let text = format!("fine\n// {}: later\ncd {}x\n", UNFINISHED[0], FOLDERS[2]);
        assert_eq!(places(&check(&tree(&[("a.md", &text)]))), [("a.md", 2), ("a.md", 3)]);
    }

    #[test]
    fn floats_files_and_prints_are_found_in_the_graph_crate_only() {
        let text = "fn a(x: f64) {}\nuse std::fs;\n// f64\nprintln!();\nlet f64_like = 1;\n";
        let files = [("crates/graph/src/a.rs", text), ("crates/train/src/a.rs", text)];
        let path = "crates/graph/src/a.rs";
        assert_eq!(places(&check(&tree(&files))), [(path, 1), (path, 2), (path, 4)]);
    }
}
