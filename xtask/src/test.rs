//! `cargo xtask test`: fmt, clippy, tests, doc tests, tidy, kill test, instruction counts, Python tests and the
//! documentation site, then the skipped tests and a summary.
//!
//! All steps share one profile and one choice of packages: a crate is compiled once for clippy, and once for the rest.

use crate::words::Words;
use crate::{kill_test, python, tidy};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use xtask::steps::{Steps, succeeds};
use xtask::{instructions, program};

/// Runs the steps; whether all succeeded.
pub(crate) fn run(root: &Path, mut words: Words) -> Result<bool, String> {
    let [quick, thorough, python_only, torch] =
        ["--quick", "--thorough", "--python-only", "--torch"].map(|flag| words.flag(flag));
    words.end()?;
    let skip_log = root.join("target/skipped.txt");
    // The log of an earlier run, if there is one.
    let _ = std::fs::remove_file(&skip_log);
    let mut variables = vec![("EINSICHT_SKIP_LOG", skip_log.clone().into_os_string())];
    if thorough {
        variables.push(("EINSICHT_THOROUGH", "1".into()));
    }
    let cargo = |arguments: &[&str]| {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let variables = variables.iter().map(|(name, value)| (name, value));
        succeeds(Command::new(program).args(arguments).current_dir(root).envs(variables))
    };
    // Packages are fetched and unpacked while one of the cores has nothing to compile.
    let packages = (!quick).then(|| python::Packages::install(root, torch));
    let mut steps = Steps::default();
    if !python_only {
        steps.run("format", || cargo(&["fmt", "--all", "--check"]));
        steps.run("tidy", || tidy::run(root));
        steps.run("clippy", || cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]));
        // A quick look leaves out what runs the program, trains on fixtures and opens a browser.
        let which: &[&str] = if quick { &["--lib", "--bins"] } else { &["--tests"] };
        steps.run("tests", || cargo(&[&["test", "--workspace", "--quiet", "--no-fail-fast"], which].concat()));
        if !quick {
            steps.run("laboratory", || {
                cargo(&["test", "-q", "--manifest-path", "lab/Cargo.toml", "--target-dir", "target"])
            });
            steps.run("doc tests", || cargo(&["test", "--workspace", "--doc", "--quiet"]));
            steps.run("kill test", || is_good(kill_test::kill(root, kill_test::DAILY)));
            steps.run("instructions", || count_instructions(root, thorough));
        }
    }
    if let Some(packages) = packages {
        steps.run("Python tests", || python::test(root, packages, !python_only, &variables));
        if !torch && !python_only {
            steps.run("site", || python::script(root, "scripts/site.py", true));
        }
    }
    let skipped = std::fs::read_to_string(&skip_log).unwrap_or_default();
    println!("\n{}\n{}", list_skipped(&skipped), steps.summary());
    Ok(steps.all_good())
}

/// Counts the instructions of the program that the tests have built, or of the shipped one; whether they stay within
/// their gates.
fn count_instructions(root: &Path, of_shipped: bool) -> bool {
    let (program, case) = if of_shipped {
        (program::build_release(root), &instructions::SHIPPED)
    } else {
        (program::build_with_tests(root), &instructions::TESTED)
    };
    is_good(program.and_then(|program| instructions::check(root, &program, case)))
}

/// Whether there is no problem; prints the one that there is.
fn is_good(outcome: Result<(), String>) -> bool {
    outcome.inspect_err(|problem| eprintln!("{problem}")).is_ok()
}

/// The lines of the log in order, each with its count.
fn list_skipped(log: &str) -> String {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for line in log.lines() {
        *lines.entry(line).or_default() += 1;
    }
    if lines.is_empty() {
        return "skipped: nothing\n".to_owned();
    }
    let listed = lines.iter().map(|(line, &count)| {
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        format!("  {line}{times}\n")
    });
    format!("skipped: {}\n{}", log.lines().count(), listed.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_tests_are_listed_and_equal_lines_counted() {
        assert_eq!(list_skipped(""), "skipped: nothing\n");
        assert_eq!(list_skipped("b\na\nb\n"), "skipped: 3\n  a\n  b (2 times)\n");
    }
}
