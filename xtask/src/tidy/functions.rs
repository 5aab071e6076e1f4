//! A function has at most 60 lines and at most 6 arguments, unless it is a marked hot loop or
//! `xtask/long-functions.txt` gives the reason.
//!
//! A hot loop is marked by a comment `HOT:` with a reason, above or inside the function. Tests may be long. What the
//! counts mean is in `functions/`.

use super::allowed::Allowed;
use super::{Finding, Source};
use crate::functions::{self, MOST_ARGUMENTS, MOST_LINES};

const ALLOWED: &str = "xtask/long-functions.txt";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut allowed = Allowed::read(sources, ALLOWED, "path function: reason");
    let mut findings = Vec::new();
    for source in sources {
        let functions = match functions::of(source) {
            Ok(functions) => functions,
            Err(problem) => {
                findings.push(Finding::whole(&source.path, format!("cannot be parsed: {problem}")));
                continue;
            }
        };
        for function in functions.iter().filter(|function| function.is_long() || function.is_wide()) {
            if function.is_hot || allowed.uses(&format!("{} {}", source.path, function.name)) {
                continue;
            }
            let lines = function.is_long().then(|| format!("{} lines (at most {MOST_LINES})", function.lines));
            let arguments =
                function.is_wide().then(|| format!("{} arguments (at most {MOST_ARGUMENTS})", function.arguments));
            let facts: Vec<String> = [lines, arguments].into_iter().flatten().collect();
            let what = format!("`{}` has {}; exceptions are in {ALLOWED}", function.name, facts.join(" and "));
            findings.push(Finding { path: source.path.clone(), line: function.line, what });
        }
    }
    findings.extend(allowed.findings("has no long function of this name"));
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    fn long(name: &str) -> String {
        format!("fn {name}() {{\n{}}}\n", "    x();\n".repeat(59))
    }

    #[test]
    fn a_long_or_wide_function_needs_a_mark_or_a_reason() {
        let wide = "fn a(b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8) {}\n";
        let text = format!("{}{wide}// HOT: inner loop\n{}", long("long"), long("hot"));
        let path = "crates/a/src/a.rs";
        assert_eq!(places(&check(&tree(&[(path, &text)]))), [(path, 1), (path, 62)]);
        let list = "crates/a/src/a.rs long: one table\ncrates/a/src/a.rs a: keyword arguments\n";
        assert_eq!(check(&tree(&[(path, &text), (ALLOWED, list)])), []);
    }

    #[test]
    fn a_function_within_limits_is_fine_and_so_is_a_long_test() {
        let short = long("a").replacen("    x();\n", "", 1);
        let test = format!("#[test]\n{}", long("a"));
        assert_eq!(check(&tree(&[("crates/a/src/a.rs", &short), ("crates/a/src/b.rs", &test)])), []);
        let wide = "def a(b, c, d, e, f, g, h):\n    pass\n";
        assert_eq!(places(&check(&tree(&[("python/a.py", wide)]))), [("python/a.py", 1)]);
    }

    #[test]
    fn a_reason_that_is_not_needed_is_found() {
        let list = "a.rs gone: once\n";
        assert_eq!(places(&check(&tree(&[("a.rs", "fn a() {}"), (ALLOWED, list)]))), [(ALLOWED, 1)]);
    }
}
