//! `cargo xtask test`: fmt, clippy, tests, doc tests, tidy, kill test, instruction counts, Python tests and the
//! documentation site, then the skipped tests and a summary.
//!
//! All steps share one profile and one choice of packages, so that each crate is compiled once for clippy and once for
//! all that runs.

use crate::{kill_test, python, tidy};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use xtask::steps::{Steps, succeeds};
use xtask::{instructions, program};

/// Which part to run.
#[derive(Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct TestOptions {
    quick: bool,
    python_only: bool,
    thorough: bool,
    torch: bool,
}

impl TestOptions {
    /// Reads the flags; the error is the flag that is not known.
    pub(crate) fn parse(flags: &[&str]) -> Result<Self, String> {
        let mut options = Self::default();
        for &flag in flags {
            match flag {
                "--quick" => options.quick = true,
                "--python-only" => options.python_only = true,
                "--thorough" => options.thorough = true,
                "--torch" => options.torch = true,
                unknown => return Err(unknown.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Runs the steps; whether all succeeded.
pub(crate) fn run(root: &Path, options: &TestOptions) -> bool {
    let skip_log = root.join("target/skipped.txt");
    // The log of an earlier run, if there is one.
    let _ = std::fs::remove_file(&skip_log);
    let mut variables = vec![("EINSICHT_SKIP_LOG", skip_log.clone().into_os_string())];
    if options.thorough {
        variables.push(("EINSICHT_THOROUGH", "1".into()));
    }
    let cargo = |arguments: &[&str]| {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let variables = variables.iter().map(|(name, value)| (name, value));
        succeeds(Command::new(program).args(arguments).current_dir(root).envs(variables))
    };
    // Packages are fetched and unpacked while one of the cores has nothing to compile.
    let packages = (!options.quick && python::has_tests(root)).then(|| python::Packages::install(root, options.torch));
    let mut steps = Steps::default();
    if !options.python_only {
        steps.run("format", || cargo(&["fmt", "--all", "--check"]));
        steps.run("tidy", || tidy::run(root));
        steps.run("clippy", || cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]));
        // A quick look leaves out what runs the program, trains on fixtures and opens a browser.
        let which: &[&str] = if options.quick { &["--lib", "--bins"] } else { &["--tests"] };
        steps.run("tests", || cargo(&[&["test", "--workspace", "--quiet", "--no-fail-fast"], which].concat()));
        if !options.quick {
            steps.run("doc tests", || cargo(&["test", "--workspace", "--doc", "--quiet"]));
            steps.run("kill test", || kill_test::run(root, &kill_test::KillTestOptions::DAILY));
            steps.run("instructions", || count_instructions(root, options.thorough));
        }
    }
    if let Some(packages) = packages {
        steps.run("Python tests", || python::test(root, packages, !options.python_only, &variables));
        if !options.torch && !options.python_only {
            steps.run("site", || python::script(root, "scripts/site.py", python::Package::Known));
        }
    }
    let skipped = std::fs::read_to_string(&skip_log).unwrap_or_default();
    println!("\n{}\n{}", list_skipped(&skipped), steps.summary());
    steps.all_good()
}

/// Counts the instructions of the program that the tests have built, or of the shipped one; whether they stay within
/// their gates.
fn count_instructions(root: &Path, of_shipped: bool) -> bool {
    let (program, case) = if of_shipped {
        (program::build_release(root), &instructions::SHIPPED)
    } else {
        (program::build_with_tests(root), &instructions::TESTED)
    };
    let counted = program.and_then(|program| instructions::check(root, &program, case));
    counted.inspect_err(|problem| eprintln!("{problem}")).is_ok()
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
    fn an_unknown_option_is_named() {
        assert_eq!(TestOptions::parse(&["--quick", "--fast"]), Err("--fast".to_owned()));
        assert_eq!(TestOptions::parse(&["--quick"]), Ok(TestOptions { quick: true, ..TestOptions::default() }));
        assert_eq!(TestOptions::parse(&["--thorough"]), Ok(TestOptions { thorough: true, ..TestOptions::default() }));
    }

    #[test]
    fn skipped_tests_are_listed_and_equal_lines_counted() {
        assert_eq!(list_skipped(""), "skipped: nothing\n");
        assert_eq!(list_skipped("b\na\nb\n"), "skipped: 3\n  a\n  b (2 times)\n");
    }
}
