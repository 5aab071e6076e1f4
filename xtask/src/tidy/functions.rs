//! A function has at most 60 lines, from its signature to its last line. A hot loop may have more: a comment `HOT:`
//! above or inside it gives the reason; `xtask/long-functions.txt` has the other reasons. Tests may be long.
//!
//! By indentation, which rustfmt and Python keep; text at the margin inside a function may hide lines, never add some.

use super::allowed::Allowed;
use super::{Finding, Source};

const MOST: usize = 60;
const ALLOWED: &str = "xtask/long-functions.txt";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut allowed = Allowed::read(sources, ALLOWED);
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.is_code() && !source.is_test()) {
        let lines: Vec<&str> = source.text.lines().take_while(|line| *line != "mod tests {").collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(name) = name(line) else { continue };
            let end = if source.is_rust() { rust_end(&lines, at) } else { python_end(&lines, at) };
            let above = lines[..at].iter().rev().take_while(|line| is_above(line)).count();
            let length = end - at - docstring(&lines[at..end]);
            let is_hot = lines[at - above..end].iter().any(|line| is_hot(line));
            if length > MOST && !is_hot && !allowed.uses(&format!("{} {name}", source.path)) {
                let what = format!("`{name}` has {length} lines (at most {MOST})");
                findings.push(Finding { path: source.path.clone(), line: at + 1, what });
            }
        }
    }
    findings.extend(allowed.findings());
    findings
}

/// The name of the function whose signature starts in a line.
fn name(line: &str) -> Option<&str> {
    let is_word = |word: &str| word.starts_with("pub") || ["async", "const"].contains(&word);
    let (before, after) = line.split_once("fn ").or_else(|| line.split_once("def "))?;
    let name = after.split(['(', '<']).next()?;
    before.split_whitespace().all(is_word).then_some(name)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Up to the first line at the depth of the signature that closes something.
fn rust_end(lines: &[&str], at: usize) -> usize {
    let depth = indentation(lines[at]);
    let closes = |line: &str| indentation(line) == depth && line.ends_with(['}', ';']);
    lines[at..].iter().position(|line| closes(line)).map_or(lines.len(), |more| at + more + 1)
}

/// Before the first line that is not indented deeper; the last line of a signature is.
fn python_end(lines: &[&str], at: usize) -> usize {
    let depth = indentation(lines[at]);
    let is_next = |line: &&str| !line.trim().is_empty() && indentation(line) <= depth && !line.trim().starts_with(')');
    let next = lines[at + 1..].iter().position(is_next).map_or(lines.len(), |more| at + 1 + more);
    next - lines[at..next].iter().rev().take_while(|line| line.trim().is_empty()).count()
}

/// Lines of the Python docstring of a function.
fn docstring(lines: &[&str]) -> usize {
    let body = lines.iter().position(|line| line.ends_with(':')).map_or(lines.len(), |end| end + 1);
    let body = lines[body..].join("\n");
    let text = body.trim_start_matches([' ', 'r']).strip_prefix("\"\"\"").and_then(|text| text.split("\"\"\"").next());
    text.map_or(0, |text| text.split('\n').count())
}

/// Whether a line above a function belongs to it.
fn is_above(line: &str) -> bool {
    ["//", "#[", "# ", "@"].iter().any(|start| line.trim_start().starts_with(start))
}

/// Whether a line has a comment that marks a hot loop and gives the reason.
fn is_hot(line: &str) -> bool {
    let mark = ["// HOT:", "# HOT:"].into_iter().find_map(|mark| line.split_once(mark));
    mark.is_some_and(|(_, reason)| !reason.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    fn found(path: &str, text: &str) -> usize {
        check(&tree(&[(path, text)])).len()
    }

    fn rust(lines: usize) -> String {
        format!(
            "impl A {{\n    pub(crate) fn a(\n        b: u8,\n    ) -> u8 {{\n{}    }}\n}}\n",
            "        x();\n".repeat(lines - 4)
        )
    }

    #[test]
    fn a_long_function_is_found_unless_it_is_hot_or_a_test() {
        let path = "crates/a/src/a.rs";
        assert_eq!(found(path, &rust(60)), 0);
        assert_eq!(places(&check(&tree(&[(path, &rust(61))]))), [(path, 2)]);
        let list = |of: &str| check(&tree(&[(path, &rust(61)), (ALLOWED, &format!("{path} {of}: one table\n"))])).len();
        assert_eq!((list("a"), list("gone")), (0, 2));
        let marked = |mark: &str| rust(61).replace("    pub", &format!("    // {mark}\n    #[inline]\n    pub"));
        assert_eq!((found(path, &marked("HOT: one pass")), found(path, &marked("HOT:"))), (0, 1));
        assert_eq!(found(path, &format!("mod tests {{\n{}}}\n", rust(61))), 0);
        assert_eq!(found("crates/a/tests/a.rs", &rust(61)), 0);
        assert_eq!(found(path, &format!("fn a() {{}}\ntrait B {{\n    fn b();\n}}\n{}", "x\n".repeat(70))), 0);
    }

    #[test]
    fn a_docstring_does_not_count() {
        let python = |lines: usize| {
            let body = "    x()\n".repeat(lines - 2);
            format!("def a(\n    b,\n):\n    \"\"\"One.\n\n    Two.\n    \"\"\"\n{body}\n\nz = 1\n")
                .replace("(\n    b,\n)", "(b)")
        };
        assert_eq!(found("python/a.py", &python(61)), 0);
        assert_eq!(found("python/a.py", &python(62)), 1);
    }
}
