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
    /// Reads a list of the repository; `form` is what a line must look like.
    pub(super) fn read(sources: &'a [Source], path: &'static str, form: &str) -> Self {
        let mut list = Self { path, lines: BTreeMap::new(), bad: Vec::new() };
        for (line, name, reason) in rows(sources, path) {
            if reason.is_empty() {
                list.bad.push(Finding { path: path.to_owned(), line, what: format!("a line must be `{form}`") });
            } else {
                list.lines.insert(name, (line, false));
            }
        }
        list
    }

    /// Whether the list has this name; then the name is needed.
    pub(super) fn uses(&mut self, name: &str) -> bool {
        self.lines.get_mut(name).map(|(_, is_needed)| *is_needed = true).is_some()
    }

    /// Bad lines, and those that nothing needed: `reason` says why.
    pub(super) fn findings(self, reason: &str) -> Vec<Finding> {
        let Self { path, lines, mut bad } = self;
        let unused = lines.into_iter().filter(|(_, (_, is_needed))| !is_needed);
        bad.extend(unused.map(|(name, (line, _))| {
            let what = format!("{name}: {reason}: remove the line");
            Finding { path: path.to_owned(), line, what }
        }));
        bad
    }
}

/// The lines `name: rest` of a file of the repository, with their numbers; comments and empty lines are left out.
pub(super) fn rows<'a>(sources: &'a [Source], path: &str) -> impl Iterator<Item = (usize, &'a str, &'a str)> {
    let list = sources.iter().find(|source| source.path == path).map_or("", |source| source.text.as_str());
    let lines = list.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|(at, line)| {
        let (name, rest) = line.split_once(": ").unwrap_or((line, ""));
        (at + 1, name.trim(), rest.trim())
    })
}
