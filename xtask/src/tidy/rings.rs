//! No two modules of a crate that have more than a thousand lines each import each other: one can be read alone.
//!
//! A module is a file or a folder of `src` with all below it. Tests do not count, neither as lines nor as imports.

use super::{Finding, Source, identifiers};
use std::collections::{BTreeMap, BTreeSet};

const LARGE: usize = 1000;

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    // By folder and name: its lines, and the names that it imports from its crate.
    let mut modules: BTreeMap<(&str, &str), (usize, BTreeSet<String>)> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_rust() && !source.is_test()) {
        let Some((home, below)) = source.path.split_once("/src/") else { continue };
        let name = below.split(['/', '.']).next().unwrap_or_default();
        let (lines, imports) = modules.entry((home, name)).or_default();
        let code = source.code_lines().map(|(_, line)| line).take_while(|line| *line != "mod tests {");
        let code: Vec<&str> = code.collect();
        *lines += code.len();
        // Of the file that is the whole module, the crate is above.
        let is_module = !below.contains('/') || *below == format!("{name}/mod.rs");
        let code = if is_module { code.join("\n").replace("super::", "crate::") } else { code.join("\n") };
        imports.extend(code.split("crate::").skip(1).flat_map(first_names).map(str::to_owned));
    }
    modules.retain(|_, (lines, _)| *lines > LARGE);
    let mut findings = Vec::new();
    for ((home, name), (_, imports)) in &modules {
        let others = modules.range((*home, *name)..).skip(1).take_while(|((folder, _), _)| folder == home);
        for ((_, other), _) in others.filter(|((_, other), (_, back))| imports.contains(*other) && back.contains(*name))
        {
            let what = format!("{name} and {other} import each other, and both have more than {LARGE} lines");
            findings.push(Finding::whole(&format!("{home}/src"), what));
        }
    }
    findings
}

/// The first name of a path, or of each of several in braces.
fn first_names(path: &str) -> Vec<&str> {
    let (mut depth, mut names) = (0, Vec::new());
    for piece in path.split_inclusive(['{', ',', '}']) {
        names.extend(identifiers(piece).next().filter(|_| depth < 2));
        depth += i32::from(piece.ends_with('{')) - i32::from(piece.ends_with('}'));
        if depth <= 0 {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tree;

    #[test]
    fn two_large_modules_that_import_each_other_are_found() {
        let found = |a: &str, b: &str, tests: &str| {
            let [a, b] = [a, b].map(|code| format!("{code}\n{}mod tests {{\n{tests}\n}}\n", "x\n".repeat(LARGE)));
            check(&tree(&[("crates/c/src/a.rs", &a), ("crates/c/src/b/mod.rs", &b), ("crates/d/src/b.rs", &b)])).len()
        };
        assert_eq!(found("use crate::{Top, b::{c, d}};", "use super::a::X;", ""), 1);
        assert_eq!(found("use crate::{Top, z::{c, b}};", "use super::a::X;", ""), 0);
        assert_eq!(found("// crate::b", "use crate::a;", "use crate::b;"), 0);
        let small = tree(&[("crates/c/src/a.rs", "use crate::b;"), ("crates/c/src/b.rs", "use crate::a;")]);
        assert_eq!(check(&small), []);
    }
}
