//! Tasks of the maintainers: `cargo xtask test` runs everything that CI runs, `cargo xtask tidy` the house rules alone.
//!
//! Needs nothing but cargo. Apart from the digests of models it depends on no other crate of the workspace, so that it
//! runs while one of them does not build. Measurements live in `lab/`: `cargo lab help`.
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
mod words;

use std::path::Path;
use std::process::ExitCode;
use words::Words;

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
  kill-test [--kills 200]
                   an experiment and a training that are killed and resumed end in the same bytes
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

EINSICHT_REQUIRE=shared,torch,rdkit,browser,mount makes a test fail that is skipped without these.
EINSICHT_PROGRAM names the program of models and kill-test (default: built from this tree; kill-test needs one with
the feature test-hooks). EINSICHT_PYTHON names the Python of virtual environments (default: python3).";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&xtask::root(), &words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the work of a command succeeded. If not, and there is no error, it has printed the reason.
fn run(root: &Path, words: &[&str]) -> Result<bool, String> {
    let (&command, words) = words.split_first().ok_or_else(|| format!("a command is required\n\n{USAGE}"))?;
    let words = Words::new(words);
    match command {
        "audit" => audit::run(root, words),
        "fuzz" => fuzz::run(root, words),
        "kill-test" => kill_test::run(root, words),
        "models" => models::run(root, words),
        "packages" => release::packages(root, words),
        "screenshots" => words.end().map(|()| python::script(root, "scripts/screenshots.py", false)),
        "site" => words.end().map(|()| python::script(root, "scripts/site.py", true)),
        "test" => test::run(root, words),
        "tidy" => words.end().map(|()| tidy::run(root)),
        "wheels" => release::wheels(root, words),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(true)
        }
        unknown => Err(format!("{unknown} is not a command\n\n{USAGE}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_that_is_not_understood_is_named() {
        let first_line =
            |words: &[&str]| run(Path::new("nowhere"), words).unwrap_err().lines().next().map(str::to_owned);
        assert_eq!(first_line(&[]).unwrap(), "a command is required");
        assert_eq!(first_line(&["polish"]).unwrap(), "polish is not a command");
        for command in ["audit", "fuzz", "kill-test", "models", "packages", "site", "test", "tidy", "wheels"] {
            assert_eq!(first_line(&[command, "--most"]).unwrap(), "--most is not an option of this command");
            assert!(USAGE.lines().any(|line| line.trim_start().split(' ').next() == Some(command)), "{command}");
        }
    }
}
