//! Options of training that do not mix, in the words of the program. The table itself is the library's.

use crate::failure::Failure;
use einsicht::learn::wishes::{CLASHES, Clash, WishError};

/// A name of the library as an option.
fn option(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// What was asked for and cannot be had, with the reason.
pub(crate) fn failure(error: WishError) -> Failure {
    match error {
        WishError::Clash { option: name, other, word, reason } => {
            let (name, other) = (option(name), option(other));
            Failure::usage(&name, format!("{name} does not go with {other} {word}: {reason}"))
        }
        other => Failure::usage("training options", other.to_string()),
    }
}

/// The table for the help.
pub(crate) fn help() -> String {
    let mut text = String::from("Options that do not mix:\n");
    for Clash { option: name, with: (other, word), reason, .. } in CLASHES {
        text += &format!("  {:<17} {:<18} {reason}\n", option(name), format!("{} {word}", option(other)));
    }
    text.pop();
    text
}
