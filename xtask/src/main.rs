//! Tasks of the maintainers: `cargo xtask test` runs everything that CI runs, `cargo xtask tidy` the house rules alone.
//!
//! An xtask and not a script, because it needs nothing but cargo. Only this crate, the laboratory and the program
//! print. Apart from the digests of models it depends on no other crate of the workspace, so that it runs while one of
//! them does not build. Measurements live in `lab/`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the output of this program is for its user")]

mod audit;
mod fuzz;
mod kill_test;
mod models;
mod python;
mod release;
mod source;
mod test;
mod tidy;

use release::{packages, wheels};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

Every day
  test [--quick] [--thorough] [--python-only] [--torch]
                   everything that CI runs, then the skipped tests and a summary
      --quick        format, tidy, clippy and unit tests alone
      --thorough     all cases of the slow tests, and the instructions of the shipped program
      --python-only  the Python tests alone
      --torch        also install PyTorch, for the Python tests that need it
  tidy             the house rules

Gates
  models [--against PROGRAM | --record] [NAME...]
                   patterns, weights and heads of models are equal to the bit to the stored digests; needs ../shared
      --against      also list what differs from the models of another program
      --record       store the digests
  kill-test [--kills 200] [--short]
                   an experiment and a training that are killed and resumed end in the same bytes
      --short        seconds of work instead of a minute
  audit [--offline]
                   licences, vulnerabilities, versions and sources of dependencies; needs cargo-deny
  fuzz [--seconds 60] [TARGET...]
                   every fuzz target for a while; needs cargo-fuzz

Releases
  site             the documentation as a site, into target/site; the code of the gallery runs, links are checked
  screenshots      the pictures of the README, into docs/figures; needs Chromium
  packages [--allow-dirty]
                   what goes to crates.io builds from its packages alone, and the program can be installed
  wheels [--target TARGET]
                   wheel and source distribution for PyPI, into target/wheels; the wheel is tested in a fresh
                   environment

Measurements: `cargo lab help`.
EINSICHT_REQUIRE=shared,torch,rdkit,browser,mount makes a test fail that is skipped without these.
EINSICHT_PROGRAM names the program of models and kill-test (default: built from this tree; kill-test needs one with
the feature test-hooks). EINSICHT_PYTHON names the Python of virtual environments (default: python3).";

/// Why a command did not succeed.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    /// The command line is not understood.
    Usage(String),
    /// The work failed; the reason is printed already if the text is empty.
    Work(String),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&xtask::root(), &words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(problem)) => {
            eprintln!("{problem}\n\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Failure::Work(problem)) => {
            if !problem.is_empty() {
                eprintln!("{problem}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(root: &Path, words: &[&str]) -> Result<(), Failure> {
    let (command, words) = words.split_first().ok_or_else(|| Failure::Usage("a command is required".to_owned()))?;
    match *command {
        "audit" => succeeded(audit::run(root, has_flag(words, "--offline")?)),
        "fuzz" => succeeded(fuzz::run(root, &known(fuzz::FuzzOptions::parse(words))?)),
        "kill-test" => succeeded(kill_test::run(root, &known(kill_test::KillTestOptions::parse(words))?)),
        "models" => models::run(root, &known(models::ModelsOptions::parse(words))?).map_err(Failure::Work),
        "packages" => succeeded(packages::run(root, has_flag(words, "--allow-dirty")?)),
        "screenshots" => {
            nothing(words, || succeeded(python::script(root, "scripts/screenshots.py", python::Package::Fresh)))
        }
        "site" => nothing(words, || succeeded(python::script(root, "scripts/site.py", python::Package::Known))),
        "test" => succeeded(test::run(root, &known(test::TestOptions::parse(words))?)),
        "tidy" => nothing(words, || succeeded(tidy::run(root))),
        "wheels" => wheels::run(root, known(wheels::target(words))?).map_err(Failure::Work),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        unknown => Err(Failure::Usage(format!("{unknown} is not a command"))),
    }
}

/// The outcome of work that prints its own problems.
fn succeeded(is_good: bool) -> Result<(), Failure> {
    if is_good { Ok(()) } else { Err(Failure::Work(String::new())) }
}

/// Options, or the argument that is not known.
fn known<T>(options: Result<T, String>) -> Result<T, Failure> {
    options.map_err(|unknown| Failure::Usage(format!("{unknown} is not an option of this command")))
}

/// Whether the only flag of a command is given.
fn has_flag(words: &[&str], flag: &str) -> Result<bool, Failure> {
    match words {
        [] => Ok(false),
        [word] if *word == flag => Ok(true),
        [word, ..] => known(Err((*word).to_owned())),
    }
}

/// Runs a command that takes no options.
fn nothing(words: &[&str], work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    match words {
        [] => work(),
        [word, ..] => known(Err((*word).to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_that_is_not_understood_is_named() {
        let problem = |words: &[&str]| match run(Path::new("nowhere"), words) {
            Err(Failure::Usage(problem)) => problem,
            other => panic!("{other:?}"),
        };
        assert_eq!(problem(&[]), "a command is required");
        assert_eq!(problem(&["polish"]), "polish is not a command");
        assert_eq!(problem(&["tidy", "--most"]), "--most is not an option of this command");
    }

    #[test]
    fn every_command_is_in_the_usage() {
        let commands =
            ["audit", "fuzz", "kill-test", "models", "packages", "screenshots", "site", "test", "tidy", "wheels"];
        for command in commands {
            assert!(USAGE.lines().any(|line| line.trim_start().split(' ').next() == Some(command)), "{command}");
        }
    }
}
