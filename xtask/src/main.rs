//! Tasks of the maintainers: `cargo xtask test` runs everything that CI runs, `cargo xtask tidy` the house rules alone.
//!
//! An xtask and not a script, because it needs nothing but cargo. Only this crate and the program print. Apart from the
//! digests of models it depends on no other crate of the workspace, so that it runs while one of them does not build.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the output of this program is for its user")]

mod audit;
mod bench;
mod build_times;
mod functions;
mod fuzz;
mod house;
mod instructions;
mod load;
mod models;
mod program;
mod python;
mod release;
mod results;
mod scale;
#[cfg(test)]
mod sharing;
mod source;
mod steps;
mod survive;
mod test;
mod tidy;

use release::{packages, wheels};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use survive::{kill_test, soak};

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
  house [DIR] [--public]
                   figures of a source tree: lines, public items, repeats, long functions
      --public       list the public items that no other crate uses

Gates
  models [--against PROGRAM | --record] [NAME...]
                   patterns, weights and heads of models are equal to the bit to the stored digests; needs ../shared
      --against      also list what differs from the models of another program
      --record       store the digests
  model-sizes [NAME...]
                   files of models of BACE, HIV and SIDER (27 targets) are at most 1, 3 and 12 MB; needs ../shared
  exact [others]   models of real data are equal to the byte for every kind of search; needs ../shared
      others         only those with counts, single vertices, L1, linear models, graph networks
  budgets [SET] [FEATURE]
                   models at 9 edges are equal to the byte within several memory limits; needs ../shared
  kill-test [--kills 200] [--short]
                   an experiment and a training that are killed and resumed end in the same bytes
      --short        seconds of work instead of a minute
  load             prediction of 10 MB and of 100 MB takes the same memory
  bench-instructions
                   instructions and memory of mining, counted by callgrind
  audit [--offline]
                   licences, vulnerabilities, versions and sources of dependencies; needs cargo-deny
  fuzz [--seconds 60] [TARGET...]
                   every fuzz target for a while; needs cargo-fuzz
  soak [--minutes 1] [--seed 0]
                   random data, options, kills and invalid files, against oracles

Measurements and releases
  bench [--runs 5] times of the shipped program, as multiples of one enumeration; needs ../shared
  results [--run tables|bench|tasks|rings | --run experiment|quick|gnn|gnn-peer SET...]
          [--paper [--trials N] [WAY...] [SET...]]
                   write lab/results/accuracy.md and paper.md from the files in results/, after measuring with --run
      --paper        what is missing of the paper's tables, or of these ways and sets of them; hours; needs ../shared
  figures          the paper's figures, into lab/results/figures/paper; needs ../shared
  truth [--own] [--page FILE] [NAME...]
                   explanations against the truth: sets whose labels follow a rule; needs ../shared
      --own          ten rules of our own instead
      --page         both, as a page with pictures: lab/results/truth.md
  build-times [tests|clippy|release]
                   where the time of a build from cold goes, package by package
  scale [--rows 65536,262144,1048576] [--threads 2]
                   time and memory of training and prediction as molecules become many; needs ../shared
  site             the documentation as a site, into target/site; the code of the gallery runs, links are checked
  screenshots      the pictures of the README, into docs/figures; needs Chromium
  packages [--allow-dirty]
                   what goes to crates.io builds from its packages alone, and the program can be installed
  wheels [--target TARGET]
                   wheel and source distribution for PyPI, into target/wheels; the wheel is tested in a fresh environment

EINSICHT_REQUIRE=shared,torch,rdkit,browser,mount makes a test fail that is skipped without these.
EINSICHT_PROGRAM names the program of models, kill-test and soak (default: built from this tree).
EINSICHT_PYTHON names the Python of virtual environments (default: python3).";

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
    match run(&root(), &words) {
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
        "bench" => bench::run(root, known(bench::runs(words))?).map_err(Failure::Work),
        "bench-instructions" => nothing(words, || succeeded(instructions::run(root, instructions::Counted::Shipped))),
        "build-times" => build_times::run(root, known(build_times::Build::parse(words))?).map_err(Failure::Work),
        "budgets" => example(root, "einsicht-learn", "budgets", words),
        "exact" => match words.iter().find(|word| **word != "others") {
            Some(unknown) => Err(Failure::Usage(format!("{unknown} is not an option of this command"))),
            None => example(root, "einsicht-learn", "exact", words),
        },
        "figures" => {
            nothing(words, || example(root, "einsicht-explain", "figures", &["../shared", "lab/results/figures/paper"]))
        }
        "fuzz" => succeeded(fuzz::run(root, &known(fuzz::FuzzOptions::parse(words))?)),
        "house" => house::run(&known(house::HouseOptions::parse(root, words))?).map_err(Failure::Work),
        "kill-test" => succeeded(kill_test::run(root, &known(kill_test::KillTestOptions::parse(words))?)),
        "load" => nothing(words, || load::run(root).map_err(Failure::Work)),
        "model-sizes" => models::sizes::run(root, words).map_err(Failure::Work),
        "models" => models::run(root, &known(models::ModelsOptions::parse(words))?).map_err(Failure::Work),
        "packages" => succeeded(packages::run(root, has_flag(words, "--allow-dirty")?)),
        "results" => results::run(root, words).map_err(Failure::Work),
        "scale" => scale::run(root, &known(scale::ScaleOptions::parse(words))?).map_err(Failure::Work),
        "screenshots" => {
            nothing(words, || succeeded(python::script(root, "scripts/screenshots.py", python::Package::Fresh)))
        }
        "site" => nothing(words, || succeeded(python::script(root, "scripts/site.py", python::Package::Known))),
        "soak" => succeeded(soak::run(root, &known(soak::SoakOptions::parse(words))?)),
        "test" => succeeded(test::run(root, &known(test::TestOptions::parse(words))?)),
        "truth" => example(root, "einsicht-explain", "truth", &[&["../shared"], words].concat()),
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

/// Runs an example of a crate, built as it is shipped.
fn example(root: &Path, package: &str, name: &str, words: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--package", package, "--example", name, "--"]).args(words).current_dir(root);
    succeeded(steps::succeeds(&mut command))
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
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
        assert_eq!(problem(&["exact", "BZR"]), "BZR is not an option of this command");
    }

    #[test]
    fn every_command_is_in_the_usage() {
        let commands = ["audit", "bench", "bench-instructions", "budgets", "build-times", "exact", "figures", "fuzz"];
        let more = [
            "house",
            "kill-test",
            "load",
            "models",
            "packages",
            "results",
            "screenshots",
            "site",
            "soak",
            "test",
            "tidy",
            "wheels",
        ];
        for command in commands.iter().chain(&more) {
            assert!(USAGE.lines().any(|line| line.trim_start().split(' ').next() == Some(command)), "{command}");
        }
    }
}
