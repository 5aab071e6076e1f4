//! All that a person or a script sees: results on stdout, messages on stderr.
//!
//! With `--json` exactly one JSON document goes to stdout, also after an error:
//! `{"error": ..., "where": ...}`. A closed pipe ends the program quietly and is not an error.

use crate::failure::{Failure, Outcome, Problem};
use crate::io::style::painted;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where results and messages go.
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    verbose: bool,
    /// Whether a table or a page goes to stdout; then what is said about it goes to stderr.
    stdout_is_taken: AtomicBool,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool, verbose: bool) -> Self {
        Self { json, quiet, verbose, stdout_is_taken: AtomicBool::new(false) }
    }

    /// Leaves stdout to what this option writes; refused with `--json`, which writes there too.
    pub(crate) fn give_stdout_to(&self, option: &str) -> Result<(), Failure> {
        if self.json {
            let error =
                format!("--json and {option} - exclude each other: both write to stdout; name a file with {option}");
            return Err(Failure::usage(option, error));
        }
        self.stdout_is_taken.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The result of a command: text for people, or a JSON document for scripts.
    pub(crate) fn result(&self, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) -> Result<(), Failure> {
        if self.json {
            return print(&format!("{:#}\n", json()));
        }
        let text = text();
        if self.stdout_is_taken.load(Ordering::Relaxed) {
            self.say(text.trim_end());
            return Ok(());
        }
        print(&harmless(&text))
    }

    /// The same for what tells of a model: with colours on a terminal.
    pub(crate) fn result_in_colour(
        &self,
        text: impl FnOnce() -> String,
        json: impl FnOnce() -> Value,
    ) -> Result<(), Failure> {
        if self.json || self.stdout_is_taken.load(Ordering::Relaxed) {
            return self.result(text, json);
        }
        print(&painted(harmless(&text()).into_owned()))
    }

    /// A message, left out with `-q`.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            message(text);
        }
    }

    /// A detailed message, only with `-v`.
    pub(crate) fn detail(&self, text: &str) {
        if self.verbose {
            message(text);
        }
    }

    /// Whether the result is one JSON document.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Reports the error, if any, and returns the exit status.
    pub(crate) fn finish(&self, outcome: Result<Outcome, Failure>) -> ExitCode {
        match outcome {
            Ok(Outcome::Done) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
            Ok(Outcome::Incomplete) => ExitCode::from(3),
            Ok(Outcome::Interrupted(code)) => ExitCode::from(code),
            Ok(Outcome::Failed) => ExitCode::from(1),
            Ok(Outcome::InPart) => ExitCode::from(4),
            Err(Failure::Data(problem)) => self.complain(&problem, 1),
            Err(Failure::Reported(problem)) => {
                explain(&problem);
                ExitCode::from(1)
            }
            Err(Failure::Usage(problem)) => self.complain(&problem, 2),
        }
    }

    fn complain(&self, problem: &Problem, code: u8) -> ExitCode {
        explain(problem);
        if self.json {
            // If this cannot be written, nothing more can be done.
            let _ = print(&format!("{:#}\n", json!({ "error": problem.error, "where": problem.place })));
        }
        ExitCode::from(code)
    }
}

/// Help, version, or options that cannot be parsed.
pub(crate) fn usage(problem: &clap::Error) -> ExitCode {
    if problem.use_stderr() && std::env::args().any(|argument| argument == "--json") {
        let text = problem.to_string();
        // What follows the first blank line is advice for people.
        let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        let sentence = lines.join(" ");
        let error = sentence.strip_prefix("error: ").unwrap_or(&sentence);
        let _ = print(&format!("{:#}\n", json!({ "error": error, "where": null })));
    }
    let printed = problem.print().and_then(|()| io::stdout().flush());
    match printed.map_err(|problem| cannot_print(&problem)) {
        // If stderr is closed, nobody reads what is wrong.
        _ if problem.use_stderr() => ExitCode::from(2),
        Err(Failure::Data(problem)) => {
            explain(&problem);
            ExitCode::from(1)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes to stdout, all at once.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Writes to stdout, piece by piece.
pub(crate) fn print_with(
    write: impl FnOnce(&mut BufWriter<io::StdoutLock<'static>>) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).map_err(|problem| cannot_print(&problem))
}

/// Stdout could not be written to; a closed pipe is not an error.
fn cannot_print(problem: &io::Error) -> Failure {
    match problem.kind() {
        ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::Data(Problem {
            error: format!("cannot write the result: {problem}"),
            place: Some("stdout".to_owned()),
            advice: None,
        }),
    }
}

fn explain(problem: &Problem) {
    message(&format!("error: {}", problem.error));
    if let Some(advice) = problem.advice {
        message(&format!("  tip: {advice}"));
    }
}

fn message(text: &str) {
    // If stderr is closed, nobody reads messages.
    let _ = writeln!(io::stderr().lock(), "{}", harmless(text));
}

/// Text for a terminal: names that come from data may hold control characters, which a terminal obeys.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if is_obeyed(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
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

/// A table that is folded to the screen.
pub(crate) struct Layout<'a> {
    pub(crate) header: &'a [&'a str],
    pub(crate) rows: &'a [Vec<String>],
    /// Which columns are numbers: aligned to the right, and never folded.
    pub(crate) numbers: &'a [bool],
    /// Width of the screen.
    pub(crate) width: usize,
}

/// A table without lines; cells that are no numbers are folded where it would be wider than the screen.
pub(crate) fn layout(wanted: &Layout<'_>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(wanted.width).unwrap_or(u16::MAX));
    table.set_header(wanted.header.to_vec());
    table.add_rows(wanted.rows.iter().cloned());
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(at > 0), 1));
        if wanted.numbers[at] {
            column.set_cell_alignment(CellAlignment::Right);
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Width of the screen: that of the variable COLUMNS if it is a number, else of the terminal, else 80.
pub(crate) fn screen_width() -> usize {
    /// Nothing sensible fits into less.
    const LEAST: usize = 40;
    let given = std::env::var("COLUMNS").ok().and_then(|word| word.parse().ok());
    given.or_else(terminal_width).filter(|width| *width > 0).unwrap_or(80).max(LEAST)
}

#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}

/// Text folded at blanks, each line ended. A word that is too long has a line of its own; further lines begin with the
/// blanks of the first.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let indent = &text[..text.len() - text.trim_start().len()];
    let (mut folded, mut line) = (String::new(), indent.to_owned());
    for word in text.split_whitespace() {
        let gap = usize::from(line.len() > indent.len());
        if gap > 0 && line.chars().count() + gap + word.chars().count() > width {
            folded += &line;
            folded.push('\n');
            indent.clone_into(&mut line);
        } else if gap > 0 {
            line.push(' ');
        }
        line += word;
    }
    folded + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_folded_at_blanks_and_keeps_its_indent() {
        assert_eq!(wrapped("one two three", 8), "one two\nthree\n");
        assert_eq!(wrapped("  one two", 5), "  one\n  two\n");
        assert_eq!(wrapped("", 5), "\n");
    }

    #[test]
    fn numbers_stay_whole_in_a_folded_table() {
        let rows = [vec!["a long cell of many words".to_owned(), "123456".to_owned()]];
        let text = layout(&Layout { header: &["x", "y"], rows: &rows, numbers: &[false, true], width: 24 });
        assert!(text.lines().all(|line| line.chars().count() <= 24) && text.contains("123456"), "{text}");
        assert!(text.lines().count() > 2, "{text}");
    }
}
