//! `cargo lab COMMAND`: measurements, tables of results, and checks that take too long for every day.
//!
//! A workspace of its own. It starts the shipped program, or one of its own programs (`lab/programs`), and knows the
//! crates of einsicht by these alone. `lab/README.md` says which
//! command prints which table.

mod bench;
mod instructions;
mod load;
mod model_sizes;
mod random;
mod results;
mod scale;
mod soak;

use std::path::Path;
use std::process::{Command, ExitCode};
use xtask::steps::succeeds;

const USAGE: &str = "\
Usage: cargo lab COMMAND, at the root of the repository

Checks on real data; they need ../shared
  exact [others]   models are equal to the byte for every kind of search
      others         only those with counts, single vertices, L1, linear models, graph networks
  budgets [SET] [FEATURE]
                   models at 9 edges are equal to the byte within several memory limits
  model-sizes [NAME...]
                   files of models of BACE, HIV and SIDER (27 targets) are at most 1, 3 and 12 MB
  bench-instructions
                   instructions and memory of mining BZR at 10 edges, counted by callgrind

Long checks
  load             prediction of 10 MB and of 100 MB takes the same memory
  soak [--minutes 1] [--seed 0]
                   random data, options, kills and invalid files, against oracles

Measurements; they need ../shared
  results [--run tables|bench|tasks|rings | --run experiment|quick|gnn|gnn-peer SET...]
          [--paper [--trials N] [WAY...] [SET...]]
                   write lab/results/accuracy.md and lab/results/paper.md from the files in lab/results, after measuring
                   with --run
      --paper        what is missing of the paper's tables, or of these ways and sets of them; hours
  bench [--runs 5] times of the shipped program, as multiples of one enumeration
  scale [--rows 65536,262144,1048576] [--threads 2]
                   time and memory of training and prediction as molecules become many
  figures          the paper's figures, into lab/results/figures/paper
  truth [--own] [--page FILE] [NAME...]
                   explanations against the truth: sets whose labels follow a rule
      --own          ten rules of our own instead
      --page         both, as a page with pictures: lab/results/truth.md

EINSICHT_PROGRAM names the program of model-sizes, results, scale and soak (default: built from this tree; soak needs
one with the feature test-hooks).
EINSICHT_PYTHON names the Python of scripts.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&xtask::root(), &words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(root: &Path, words: &[&str]) -> Result<(), String> {
    let (&command, words) = words.split_first().ok_or_else(|| format!("a command is required\n\n{USAGE}"))?;
    match command {
        "bench" => bench::run(root, known(bench::runs(words))?),
        "bench-instructions" => instructions::run(root),
        "budgets" | "exact" => program(root, command, words),
        "figures" => program(root, command, &["../shared", "lab/results/figures/paper"]),
        "load" => load::run(root),
        "model-sizes" => model_sizes::run(root, words),
        "results" => results::run(root, words),
        "scale" => scale::run(root, &known(scale::ScaleOptions::parse(words))?),
        "soak" => succeeded(soak::run(root, &known(soak::SoakOptions::parse(words))?)),
        "truth" => program(root, command, &[&["../shared"], words].concat()),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        unknown => Err(format!("{unknown} is not a command\n\n{USAGE}")),
    }
}

/// The outcome of work that prints its own problems.
fn succeeded(is_good: bool) -> Result<(), String> {
    if is_good { Ok(()) } else { Err("failed".to_owned()) }
}

/// Options, or the argument that is not known.
fn known<T>(options: Result<T, String>) -> Result<T, String> {
    options.map_err(|unknown| format!("{unknown} is not an option of this command"))
}

/// Runs a program of the laboratory, built as the program is shipped.
fn program(root: &Path, name: &str, words: &[&str]) -> Result<(), String> {
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--manifest-path", "lab/programs/Cargo.toml", "--target-dir", "target"]);
    succeeded(succeeds(command.args(["--bin", name, "--"]).args(words).current_dir(root)))
}
