//! Lists of exceptions to a rule, one per line with its reason: `name: reason`.
//!
//! A line without a reason is found, and so is one that no rule needs any more. `#` starts a comment line.

use super::{Finding, Source};
use std::collections::BTreeMap;

/// The exceptions of one list.
pub(super) struct Allowed<'a> {
    path: &'static str,
    /// By name: the line, and whether something needed it.
    lines: BTreeMap<&'a str, (usize, bool)>,
    bad: Vec<Finding>,
}

impl<'a> Allowed<'a> {
    /// Reads a list of the repository.
    pub(super) fn read(sources: &'a [Source], path: &'static str) -> Self {
        let mut list = Self { path, lines: BTreeMap::new(), bad: Vec::new() };
        let text = sources.iter().find(|source| source.path == path).map_or("", |source| source.text.as_str());
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        for (at, line) in lines {
            match line.split_once(": ") {
                Some((name, reason)) if !reason.trim().is_empty() => {
                    list.lines.insert(name.trim(), (at + 1, false));
                }
                _ => list.find(at + 1, "a line must be `name: reason`".to_owned()),
            }
        }
        list
    }

    fn find(&mut self, line: usize, what: String) {
        self.bad.push(Finding { path: self.path.to_owned(), line, what });
    }

    /// Whether the list has this name; then the name is needed.
    pub(super) fn uses(&mut self, name: &str) -> bool {
        self.lines.get_mut(name).map(|(_, is_needed)| *is_needed = true).is_some()
    }

    /// Bad lines, and those that nothing needed.
    pub(super) fn findings(mut self) -> Vec<Finding> {
        for (name, (line, is_needed)) in std::mem::take(&mut self.lines) {
            if !is_needed {
                self.find(line, format!("nothing needs the exception {name} any more: remove the line"));
            }
        }
        self.bad
    }
}
