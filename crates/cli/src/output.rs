//! All that a person or a script sees: results on standard output, talk on standard error.
//!
//! With `--json` exactly one JSON document goes to standard output, also when something is wrong:
//! `{"error": ..., "where": ...}`. A closed pipe ends the program quietly and is no error.

use crate::failure::{Failure, Outcome, Problem};
use crate::options::General;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

/// Where results and talk go.
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    verbose: bool,
}

impl Output {
    pub(crate) fn new(general: &General) -> Self {
        Self { json: general.json, quiet: general.quiet, verbose: general.verbose > 0 }
    }

    /// The result of a command: text for people, or a JSON document for scripts.
    pub(crate) fn result(&self, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) -> Result<(), Failure> {
        if self.json { print(&format!("{:#}\n", json())) } else { print(&text()) }
    }

    /// Talk for people, left out with `-q`.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            talk(text);
        }
    }

    /// Talk for the curious, only with `-v`.
    pub(crate) fn detail(&self, text: &str) {
        if self.verbose {
            talk(text);
        }
    }

    /// Whether the result is one JSON document.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether to show how far the work has got.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Says what went wrong, if anything, and gives the exit code.
    pub(crate) fn finish(&self, outcome: Result<Outcome, Failure>) -> ExitCode {
        match outcome {
            Ok(Outcome::Done) | Err(Failure::Closed) => ExitCode::SUCCESS,
            Ok(Outcome::Incomplete) => ExitCode::from(3),
            Ok(Outcome::Interrupted(code)) => ExitCode::from(code),
            Ok(Outcome::Failed) => ExitCode::from(1),
            Err(Failure::Data(problem)) => self.complain(&problem, 1),
            Err(Failure::Told(problem)) => {
                explain(&problem);
                ExitCode::from(1)
            }
            Err(Failure::Usage(problem)) => self.complain(&problem, 2),
        }
    }

    fn complain(&self, problem: &Problem, code: u8) -> ExitCode {
        explain(problem);
        if self.json {
            // Nothing is left to be done if this cannot be written.
            let _ = print(&format!("{:#}\n", json!({ "error": problem.error, "where": problem.place })));
        }
        ExitCode::from(code)
    }
}

/// Help, version, or options that cannot be understood.
pub(crate) fn usage(problem: &clap::Error) -> ExitCode {
    if problem.use_stderr() && std::env::args().any(|argument| argument == "--json") {
        let text = problem.to_string();
        // What comes after the first blank line is advice for people.
        let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        let sentence = lines.join(" ");
        let error = sentence.strip_prefix("error: ").unwrap_or(&sentence);
        let _ = print(&format!("{:#}\n", json!({ "error": error, "where": null })));
    }
    // A closed pipe is no error here either.
    let _ = problem.print();
    ExitCode::from(if problem.use_stderr() { 2 } else { 0 })
}

/// Writes to standard output, all at once.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Writes to standard output, bit by bit.
pub(crate) fn print_with(
    write: impl FnOnce(&mut BufWriter<io::StdoutLock<'static>>) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).map_err(|problem| match problem.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Data(Problem {
            error: format!("cannot write the result: {problem}"),
            place: Some("standard output".to_owned()),
            advice: None,
        }),
    })
}

fn explain(problem: &Problem) {
    talk(&format!("error: {}", problem.error));
    if let Some(advice) = problem.advice {
        talk(&format!("  tip: {advice}"));
    }
}

fn talk(text: &str) {
    // Where standard error is closed, nobody listens.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A number of things, such as "1 subgraph" or "3 subgraphs".
pub(crate) fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A table without lines; the columns from `numbers` on are aligned to the right.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>], numbers: usize) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if !header.is_empty() {
        table.set_header(header.to_vec());
    }
    table.add_rows(rows.iter().cloned());
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(at > 0), 1));
        if at >= numbers {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
