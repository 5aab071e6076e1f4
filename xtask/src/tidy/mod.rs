//! The house rules, as a test.
//!
//! Each rule is a function from the files of the repository to findings; it knows nothing of the disk,
//! so that its tests are small made-up trees. A rule without a test that breaks it does not count.

mod allowed;
mod arrows;
mod files;
mod functions;
mod links;
mod rings;
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

/// A house rule: from the files of the repository to findings.
type Rule = fn(&[Source]) -> Vec<Finding>;

const RULES: [(&str, Rule); 8] = [
    ("sizes", sizes::check),
    ("crate arrows", arrows::check),
    ("rings of modules", rings::check),
    ("words", words::check),
    ("links and paths", links::check),
    ("supply chain", supply::check),
    ("functions", functions::check),
    ("files", files::check),
];

/// Checks the repository and prints what it finds.
pub(crate) fn run(root: &Path) -> bool {
    let sources = match load(root) {
        Ok(sources) => sources,
        Err(problem) => {
            eprintln!("cannot read the repository: {problem}");
            return false;
        }
    };
    let mut total = 0;
    for (name, rule) in RULES {
        let mut findings = rule(&sources);
        findings.sort();
        total += findings.len();
        for Finding { path, line, what } in findings {
            eprintln!("{path}:{line}: {name}: {what}");
        }
    }
    println!("{} rules, {} files, {total} findings", RULES.len(), sources.len());
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
