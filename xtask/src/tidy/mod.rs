//! The house rules, as a test.
//!
//! Each rule is a function from the files of the repository to findings; it knows nothing of the disk,
//! so that its tests are small made-up trees. A rule without a test that breaks it does not count.

mod allowed;
mod arrows;
pub(crate) mod folders;
mod functions;
mod headers;
mod links;
mod notation;
mod purity;
mod retired;
mod sizes;
mod supply;
mod words;

use crate::source::{Source, identifiers, load};
use std::path::Path;

/// A place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// From 1; 0 for the whole file.
    line: usize,
    what: String,
}

impl Finding {
    /// A finding about a whole file or folder.
    fn whole(path: &str, what: String) -> Self {
        Self { path: path.to_owned(), line: 0, what }
    }
}

/// A house rule.
struct Rule {
    name: &'static str,
    check: fn(&[Source]) -> Vec<Finding>,
    /// Whether it runs with `--all` only.
    is_new: bool,
}

/// Whether new rules run without `--all` too: set it to true as soon as `cargo xtask tidy --all` finds nothing.
const WITH_NEW_RULES: bool = false;

const fn rule(name: &'static str, check: fn(&[Source]) -> Vec<Finding>) -> Rule {
    Rule { name, check, is_new: false }
}

const fn new_rule(name: &'static str, check: fn(&[Source]) -> Vec<Finding>) -> Rule {
    Rule { name, check, is_new: true }
}

const RULES: [Rule; 11] = [
    rule("file sizes", sizes::check),
    rule("crate arrows", arrows::check),
    rule("purity of the graph crate", purity::check),
    rule("module headers", headers::check),
    rule("words", words::check),
    rule("notation", notation::check),
    rule("links", links::check),
    rule("supply chain", supply::check),
    new_rule("functions", functions::check),
    new_rule("folders", folders::check),
    new_rule("retired words", retired::check),
];

/// Checks the repository and prints what it finds. `all` runs new rules too.
pub(crate) fn run(root: &Path, all: bool) -> bool {
    let sources = match load(root) {
        Ok(sources) => sources,
        Err(problem) => {
            eprintln!("cannot read the repository: {problem}");
            return false;
        }
    };
    let (mut rules, mut total) = (0, 0);
    for rule in RULES.iter().filter(|rule| all || WITH_NEW_RULES || !rule.is_new) {
        let mut findings = (rule.check)(&sources);
        findings.sort();
        rules += 1;
        total += findings.len();
        for Finding { path, line, what } in findings {
            eprintln!("{path}:{line}: {}: {what}", rule.name);
        }
    }
    println!("{rules} rules, {} files, {total} findings", sources.len());
    total == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a rule finds something: pairs of path and line.
    pub(super) fn places(findings: &[Finding]) -> Vec<(&str, usize)> {
        findings.iter().map(|finding| (finding.path.as_str(), finding.line)).collect()
    }
}
