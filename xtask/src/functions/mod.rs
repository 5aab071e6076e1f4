//! The functions of a file with their length and number of arguments, for the house rule and the statistics.
//!
//! Promise: every function, method and default method of a Rust file (by its syntax tree) or Python file (by indentation).
//! A function inside a function belongs to the outer one, and macros are not expanded.

mod python;
mod rust;

use crate::source::Source;
pub(crate) use rust::is_test;

/// Most lines of a function, from its signature to its last line.
pub(crate) const MOST_LINES: usize = 60;
/// Most arguments, `self` not counted.
pub(crate) const MOST_ARGUMENTS: usize = 6;

/// A function of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The line of its signature, from 1.
    pub(crate) line: usize,
    /// From the signature to the last line; a Python docstring does not count.
    pub(crate) lines: usize,
    /// Without `self`.
    pub(crate) arguments: usize,
    /// Whether it is a test or a part of the tests.
    pub(crate) is_test: bool,
    /// Whether a comment `HOT:` with a reason stands above or inside it.
    pub(crate) is_hot: bool,
}

impl Function {
    /// Whether it has more lines than the house rule allows. A test may be long.
    pub(crate) fn is_long(&self) -> bool {
        self.lines > MOST_LINES && !self.is_test
    }

    /// Whether it has more arguments than the house rule allows.
    pub(crate) fn is_wide(&self) -> bool {
        self.arguments > MOST_ARGUMENTS
    }
}

/// The functions of a Rust or Python file, in order; none of other files. The error says why a file cannot be parsed.
pub(crate) fn of(source: &Source) -> Result<Vec<Function>, String> {
    match source.kind() {
        "rs" => rust::functions(source),
        "py" => Ok(python::functions(source)),
        _ => Ok(Vec::new()),
    }
}

/// Whether one of these lines has a comment that marks a hot loop and gives the reason.
fn is_hot<'a>(mut lines: impl Iterator<Item = &'a str>) -> bool {
    lines.any(|line| {
        let mark = ["// HOT:", "# HOT:"].into_iter().find_map(|mark| line.split_once(mark));
        mark.is_some_and(|(_, reason)| !reason.trim().is_empty())
    })
}
