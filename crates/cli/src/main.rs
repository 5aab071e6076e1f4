//! The program `einsicht`: parse the options, run the command, report.
//!
//! `args/` holds the options that commands share, `cmd/` one file per command, `io/` everything that goes in and out:
//! all that a person or a script sees goes through `io/output.rs`. Exit status: 0 done, 1 bad data or failed check, 2
//! wrong usage, 3 incomplete (a limit was reached), 4 verified in part, 129, 130 or 143 interrupted.

mod args;
mod cmd;
mod failure;
mod io;

use clap::{Arg, CommandFactory, FromArgMatches, Parser};
use einsicht::graph::stop;
use io::{interrupt, output};
use std::process::ExitCode;

/// Predict a property of a graph, and see which subgraphs decide it.
///
/// DATA is a TU folder, a file of t/v/e transactions, a .csv, .tsv or .smi table with SMILES, an .sdf file, or JSON
/// lines (see `convert`); each file may be gzipped.
#[derive(Parser, Debug)]
#[command(name = "einsicht", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "\
Start here:
  einsicht demo                                          # all steps
  einsicht train assay.csv --target toxic -o m.einsicht  # a table with SMILES
  einsicht report m.einsicht assay.csv -o report.html    # a page to send

einsicht help COMMAND has examples of every command.")]
struct Program {
    #[command(subcommand)]
    command: cmd::Command,
    #[command(flatten)]
    general: args::General,
}

/// The same command, in which the word after an option is its value also where it looks like a negative number: `--seed
/// -5` is a wrong seed.
fn valued(command: clap::Command) -> clap::Command {
    let valued = |arg: Arg| {
        let takes_word = !arg.is_positional() && arg.get_action().takes_values();
        if takes_word { arg.allow_negative_numbers(true) } else { arg }
    };
    command.mut_args(valued).mut_subcommands(self::valued)
}

fn main() -> ExitCode {
    interrupt::outlive_file_limits();
    let words = valued(Program::command()).try_get_matches();
    let program = match words.and_then(|words| Program::from_arg_matches(&words)) {
        Ok(program) => program,
        Err(problem) => return output::usage(&problem),
    };
    let output = program.general.output();
    interrupt::watch();
    interrupt::guard();
    let run = || program.general.start_threads().and_then(|()| program.command.run(&program.general, &output));
    let outcome = stop::catch(run).unwrap_or_else(|stop::Stopped| Ok(interrupt::stopped_anywhere(&output)));
    output.finish(outcome)
}
