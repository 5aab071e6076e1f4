//! Tests that need something outside the repository: they are skipped, and listed.
//!
//! Promise: a skipped test is recorded. [`skip`] prints a line and appends it to the file named by
//! `EINSICHT_SKIP_LOG`, which `cargo xtask test` sets and prints at its end. With `EINSICHT_REQUIRE=shared,torch` tests
//! that need one of these fail instead.

use std::fmt;
use std::io::Write;

/// Something that some tests need and a fresh clone does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The folder `shared` beside the repository: real data sets and their splits.
    Shared,
    /// PyTorch.
    Torch,
    /// RDKit.
    Rdkit,
    /// A web browser that runs without a screen.
    Browser,
    /// The right to mount a small file system.
    Mount,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shared => "shared",
            Self::Torch => "torch",
            Self::Rdkit => "rdkit",
            Self::Browser => "browser",
            Self::Mount => "mount",
        })
    }
}

/// Records that the running test skips something because of `need`.
///
/// ```no_run
/// use einsicht_testkit::skip::{Need, skip};
/// skip(Need::Browser, "chromium is not installed");
/// ```
///
/// # Panics
/// If `EINSICHT_REQUIRE` lists the need, or the log cannot be written.
pub fn skip(need: Need, reason: &str) {
    let thread = std::thread::current();
    let line = format!("{need}: {}: {reason}", thread.name().unwrap_or("unnamed test"));
    assert!(!is_required(need), "EINSICHT_REQUIRE={} forbids to skip {line}", required());
    #[allow(clippy::print_stderr, reason = "the person who runs the test must see it")]
    {
        eprintln!("skipped, {line}");
    }
    if let Some(log) = std::env::var_os("EINSICHT_SKIP_LOG") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&log);
        // One write per line, so that tests in parallel do not mix their lines.
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        assert!(written.is_ok(), "cannot write {}: {written:?}", log.display());
    }
}

/// Whether `EINSICHT_REQUIRE` lists the need.
pub(crate) fn is_required(need: Need) -> bool {
    is_listed(&required(), need)
}

fn required() -> String {
    std::env::var("EINSICHT_REQUIRE").unwrap_or_default()
}

/// Whether a list like `shared,torch` names the need.
fn is_listed(list: &str, need: Need) -> bool {
    list.split(',').any(|word| word.trim() == need.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_need_is_required_and_others_are_not() {
        assert!(is_listed("shared, torch", Need::Torch));
        assert!(is_listed("shared", Need::Shared));
        assert!(!is_listed("shared,torch", Need::Rdkit));
        assert!(!is_listed("", Need::Browser));
    }
}
