//! No left-overs and no paths of somebody's machine.

use super::{Finding, Source};

/// Words that mark unfinished work, and folders that exist on one machine only. Each is written in two
/// halves, because this file is looked at too.
const FORBIDDEN: [(&str, &str); 8] = [
    (concat!("FIX", "ME"), "finish it, or open an issue"),
    (concat!("XX", "X"), "finish it, or open an issue"),
    (concat!("todo", "!("), "finish it"),
    (concat!("unimplemented", "!("), "finish it"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/tm", "p/"), "a path of one machine"),
    (concat!("/wo", "rk/"), "a path of one machine"),
];

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        for (at, line) in source.text.lines().enumerate() {
            for (word, reason) in FORBIDDEN {
                if line.contains(word) {
                    let what = format!("`{word}` must not appear: {reason}");
                    findings.push(Finding { path: source.path.clone(), line: at + 1, what });
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
    fn left_overs_and_machine_paths_are_found() {
        let text = format!("fine\n// {}: later\ncd {}x\n", FORBIDDEN[0].0, FORBIDDEN[6].0);
        assert_eq!(places(&check(&tree(&[("a.md", &text)]))), [("a.md", 2), ("a.md", 3)]);
    }
}
