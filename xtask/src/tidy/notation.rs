//! `docs/notation.md` is the only dictionary: every Greek letter in the code stands there, and every file it
//! names exists.

use super::{Finding, Source, identifiers};
use crate::source::words;
use std::collections::BTreeSet;

const DICTIONARY: &str = "docs/notation.md";
const GREEK: [&str; 17] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "xi", "rho", "sigma",
    "tau", "phi", "psi", "omega",
];

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let Some(dictionary) = sources.iter().find(|source| source.path == DICTIONARY) else {
        let what = "the dictionary of symbols must exist".to_owned();
        return vec![Finding { path: DICTIONARY.to_owned(), line: 0, what }];
    };
    let mut findings = Vec::new();
    let mut listed = BTreeSet::new();
    for (at, line) in dictionary.text.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
        let symbol = line.split('|').nth(1).unwrap_or_default();
        listed.extend(identifiers(symbol).flat_map(words));
        for file in line.split('`').filter(|word| word.starts_with("crates/")) {
            if !sources.iter().any(|source| source.path == file) {
                let what = format!("{file} does not exist");
                findings.push(Finding { path: DICTIONARY.to_owned(), line: at + 1, what });
            }
        }
    }
    for source in sources.iter().filter(|source| source.is_rust() && source.path.starts_with("crates/")) {
        for (number, line) in source.code_lines() {
            for letter in identifiers(line).flat_map(words).filter(|part| GREEK.contains(&part.as_str())) {
                if !listed.contains(&letter) {
                    let what = format!("`{letter}` must be explained in {DICTIONARY}");
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
    fn a_letter_that_is_not_listed_is_found() {
        let files = [
            ("crates/learn/src/a.rs", "let delta = 1;\nlet zeta_next = Beta::new();\nlet metadata = 0; // rho\n"),
            (DICTIONARY, "| symbol | name |\n| `delta` | `Delta` |\n| `beta_H` | weights |\n"),
        ];
        assert_eq!(places(&check(&tree(&files))), [("crates/learn/src/a.rs", 2)]);
    }

    #[test]
    fn a_file_that_does_not_exist_is_found() {
        let files = [(DICTIONARY, "| `delta` | `crates/learn/src/gone.rs` |\n")];
        assert_eq!(places(&check(&tree(&files))), [(DICTIONARY, 1)]);
    }

    #[test]
    fn the_dictionary_must_exist() {
        assert_eq!(places(&check(&[])), [(DICTIONARY, 0)]);
    }
}
