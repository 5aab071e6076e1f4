//! The program `einsicht`: parse, run, say how it went.
//!
//! Each command is a file in `cmd/`; options that commands share are in `options.rs`; all that a person or a
//! script sees goes through `output.rs`. Exit codes: 0 done, 1 bad data or failed check, 2 wrong usage,
//! 3 incomplete (a limit fired), 130 or 143 interrupted.

mod clock;
mod cmd;
mod failure;
mod file;
mod grid;
mod growing;
mod input;
mod interrupt;
mod job;
mod keeper;
mod memory;
mod model;
mod options;
mod output;
mod pace;
mod part_file;
mod pattern_file;
mod progress;
mod repeats;
mod training;
mod values;

use clap::Parser;
use std::process::ExitCode;

/// Predict a property of a graph, and know which subgraphs decide it.
///
/// DATA is a TU folder, a file of t/v/e transactions, a .csv, .tsv or .smi table with SMILES, an .sdf file, or our
/// JSON lines; each file may be gzipped.
#[derive(Parser, Debug)]
#[command(name = "einsicht", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
struct Program {
    #[command(subcommand)]
    command: cmd::Command,
    #[command(flatten)]
    general: options::General,
}

fn main() -> ExitCode {
    interrupt::outlive_file_limits();
    let program = match Program::try_parse() {
        Ok(program) => program,
        Err(problem) => return output::usage(&problem),
    };
    let output = output::Output::new(&program.general);
    let outcome = program.general.start_threads().and_then(|()| program.command.run(&program.general, &output));
    output.finish(outcome)
}
