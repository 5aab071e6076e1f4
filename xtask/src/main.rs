//! House work: `cargo xtask test` runs everything that CI runs, `cargo xtask tidy` the house rules alone.
//!
//! An xtask and not a script, because it needs nothing but cargo. Only this crate and the program print.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "talking is this program's job")]

mod audit;
mod bench;
mod functions;
mod fuzz;
mod house;
mod instructions;
mod load;
mod models;
mod program;
mod python;
mod results;
mod source;
mod steps;
mod survive;
mod test;
mod tidy;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test [--quick] [--python-only] [--torch]
                   fmt, clippy, tests, doc tests, tidy, instructions, Python tests
      --quick        leave out doc tests, instructions and Python
      --python-only  the Python tests alone
      --torch        install PyTorch for the Python tests that want it
  tidy             the house rules alone
  wheels [--target TARGET]
                   what goes to PyPI, into target/wheels
  exact            models on real data, byte for byte from every kind of search; wants ../shared
  results [--run tables|bench|tasks|rings | --run experiment|quick|gnn|l1|l0-gnn|l1-gnn SET...]
                   docs/results.md from the files in results/, after measuring something anew
  figures          the paper's figures, redone into docs/figures; wants ../shared
  kill-test [--kills 200] [--short]
                   an experiment and a training killed and resumed end in the same bytes
      --short        seconds of work instead of a minute
  soak [--minutes 1] [--seed 0]
                   random data, options, kills and bad inputs, against oracles
  fuzz [--seconds 60] [TARGET...]
                   every fuzz target for a while; wants `cargo install cargo-fuzz`
  budgets [SET] [FEATURE]
                   models at 9 edges within several budgets of memory: the same bytes; wants ../shared
  load             predicts tables of 10 MB and 100 MB: the memory must be the same
  audit [--offline]
                   licences, known holes, versions and sources of all dependencies; wants `cargo install cargo-deny`
  bench [--runs 5]  times of the shipped program, as multiples of one plain enumeration; wants ../shared
  bench-instructions
                   what mining costs the shipped program, counted by callgrind

EINSICHT_REQUIRE=shared,torch,rdkit,browser,mount makes a test fail that would be skipped for want of these.
EINSICHT_PROGRAM names the program that kill-test and soak try (default: the development build).
EINSICHT_PYTHON names the Python to make the virtual environment with (default: python3).";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let good = match words.as_slice() {
        ["tidy"] => tidy::run(&root(), false),
        ["tidy", "--all"] => tidy::run(&root(), true),
        ["results", words @ ..] => match results::run(&root(), words) {
            Ok(()) => true,
            Err(problem) => {
                eprintln!("{problem}");
                false
            }
        },
        ["models", words @ ..] => match models::Options::parse(words) {
            Ok(options) => match models::run(&root(), &options) {
                Ok(different) => different == 0,
                Err(problem) => {
                    eprintln!("{problem}");
                    false
                }
            },
            Err(unknown) => return usage(&format!("unknown option {unknown}")),
        },
        ["house"] => report(house::run(&root())),
        ["house", folder] => report(house::run(Path::new(folder))),
        ["wheels", words @ ..] => match wheels::run(&root(), words) {
            Ok(good) => good,
            Err(unknown) => return usage(&format!("unknown option {unknown}")),
        },
        ["exact"] => steps::succeeds(Command::new("cargo").current_dir(root()).args([
            "run",
            "--release",
            "-p",
            "einsicht-learn",
            "--example",
            "exact",
        ])),
        ["figures"] => steps::succeeds(Command::new("cargo").current_dir(root()).args([
            "run",
            "--release",
            "-p",
            "einsicht-explain",
            "--example",
            "figures",
            "../shared",
            "docs/figures",
        ])),
        ["kill-test", words @ ..] => match survive::kill_test::Options::parse(words) {
            Ok(options) => survive::kill_test::run(&root(), &options),
            Err(unknown) => return usage(&format!("unknown option {unknown}")),
        },
        ["soak", words @ ..] => match survive::soak::Options::parse(words) {
            Ok(options) => survive::soak::run(&root(), &options),
            Err(unknown) => return usage(&format!("unknown option {unknown}")),
        },
        ["budgets", words @ ..] => steps::succeeds(
            Command::new("cargo")
                .current_dir(root())
                .args(["run", "--release", "-p", "einsicht-learn", "--example", "budgets", "--"])
                .args(words),
        ),
        ["load"] => load::run(&root()),
        ["audit"] => audit::run(&root(), false),
        ["audit", "--offline"] => audit::run(&root(), true),
        ["fuzz", words @ ..] => match fuzz::Options::parse(words) {
            Ok(options) => fuzz::run(&root(), &options),
            Err(unknown) => return usage(&format!("unknown option {unknown}")),
        },
        ["bench", words @ ..] => match bench::runs(words).and_then(|runs| bench::measure(&root(), runs)) {
            Ok(measured) => {
                print!("{}", bench::lines(&measured).map_or_else(String::new, |lines| bench::aligned(&lines)));
                true
            }
            Err(problem) => {
                eprintln!("{problem}");
                false
            }
        },
        ["bench-instructions"] => instructions::run(&root(), instructions::Sets::Largest),
        ["test", flags @ ..] => match test::Options::parse(flags) {
            Ok(options) => test::run(&root(), &options),
            Err(unknown) => return usage(&format!("unknown option {unknown}")),
        },
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            true
        }
        _ => return usage("a command is wanted"),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the problem, if there is one, and says whether there is none.
fn report(outcome: Result<(), String>) -> bool {
    outcome.inspect_err(|problem| eprintln!("{problem}")).is_ok()
}

fn usage(problem: &str) -> ExitCode {
    eprintln!("{problem}\n\n{USAGE}");
    ExitCode::from(2)
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}
