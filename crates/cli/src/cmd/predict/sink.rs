//! Where predictions go, in batches: a table in a file or on stdout, a JSON document, or the first few rows for people.
//!
//! Promise: whole rows only, in the order of the source. What is written is a prefix of the whole at every moment, also
//! if the program is killed: a file is called `FILE.partial` until it is complete. A JSON document that was begun is
//! always ended; after an error it holds `error` and `where`.

use super::beside::{self, Beside};
use super::rows::{Detail, cells, header, row_json};
use crate::failure::{Failure, Problem};
use crate::io::append_file::AppendFile;
use crate::io::file::{csv_bytes, discard, is_stdout};
use crate::io::output::{Output, harmless, print, print_with};
use crate::io::table::folded;
use einsicht::model::{Predictions, Unfamiliar};
use einsicht::{Dataset, Model};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Rows shown without `--output`; fewer if there are several targets, whose columns follow below each other.
const SHOWN: usize = 20;
const SHOWN_OF_SEVERAL: usize = 5;

enum Table {
    Stdout,
    File(AppendFile),
}

/// Counts of a whole run.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) graphs: usize,
    pub(super) skipped: usize,
    pub(super) unfamiliar: Unfamiliar,
    pub(super) foreign: usize,
    /// Graphs that were in the training.
    pub(super) seen: usize,
}

pub(super) struct Sink<'a> {
    model: &'a Model,
    /// The entry that predicts.
    entry: usize,
    /// Positions of the targets that are shown.
    picked: Vec<usize>,
    output: &'a Output,
    table: Option<Table>,
    /// Whether the JSON document was begun.
    begun: bool,
    shown: Vec<Vec<String>>,
    pub(super) totals: Totals,
}

impl<'a> Sink<'a> {
    /// Opens the file, so that a bad path is reported before any work.
    pub(super) fn new(
        (model, entry): (&'a Model, usize),
        picked: Vec<usize>,
        path: Option<&Path>,
        output: &'a Output,
    ) -> Result<Self, Failure> {
        let table = match path {
            None => None,
            Some(path) if is_stdout(path) => Some(Table::Stdout),
            Some(path) => Some(Table::File(AppendFile::create(path)?)),
        };
        let mut columns = header(&model.tasks, &picked, Detail::Whole);
        columns.extend(beside::header(model, entry, &picked));
        columns.push("row".to_owned());
        let mut sink =
            Self { model, entry, picked, output, table, begun: false, shown: Vec::new(), totals: Totals::default() };
        sink.write_table(&[columns])?;
        Ok(sink)
    }

    /// Takes the predictions for the graphs of a batch.
    pub(super) fn add(&mut self, part: &Dataset, predictions: &Predictions) -> Result<(), Failure> {
        let (model, tasks) = (self.model, &self.model.tasks);
        let beside = Beside::of(model, self.entry, part);
        self.totals.seen += beside.seen.iter().filter(|seen| **seen).count();
        self.totals.graphs += part.len();
        self.totals.foreign += predictions.is_foreign.iter().filter(|foreign| **foreign).count();
        self.totals.unfamiliar.add(predictions);
        if self.table.is_some() {
            let row = |at: usize| {
                let mut cells = cells(tasks, &self.picked, &part.ids[at], (predictions, at), Detail::Whole);
                cells.extend(beside.cells(model, self.entry, &self.picked, at, Detail::Whole.digits()));
                cells.push(part.origins[at].row.to_string());
                cells
            };
            let rows: Vec<Vec<String>> = (0..part.len()).map(row).collect();
            self.write_table(&rows)?;
        }
        if self.output.is_json() {
            return self.write_json(part, predictions, &beside);
        }
        let free = self.most_shown() - self.shown.len();
        let row = |at: usize| {
            let mut cells = cells(tasks, &self.picked, &part.ids[at], (predictions, at), Detail::Screen);
            cells.extend(beside.spread_cells(&self.picked, at, Detail::Screen.digits()));
            cells.push(if beside.seen[at] { "yes" } else { "no" }.to_owned());
            cells
        };
        let rows: Vec<Vec<String>> = (0..part.len().min(free)).map(row).collect();
        self.shown.extend(rows);
        Ok(())
    }

    fn most_shown(&self) -> usize {
        if self.picked.len() > 1 { SHOWN_OF_SEVERAL } else { SHOWN }
    }

    fn write_table(&mut self, rows: &[Vec<String>]) -> Result<(), Failure> {
        match &mut self.table {
            None => Ok(()),
            Some(Table::Stdout) => print_with(|out| out.write_all(&csv_bytes(rows)?)),
            Some(Table::File(file)) => {
                file.append(&csv_bytes(rows).map_err(|error| Failure::file(file.partial(), error))?)
            }
        }
    }

    fn write_json(&mut self, part: &Dataset, predictions: &Predictions, beside: &Beside) -> Result<(), Failure> {
        let mut text = String::new();
        for at in 0..part.len() {
            let mut object = row_json(&self.model.tasks, &self.picked, &part.ids[at], predictions, at);
            object["row"] = json!(part.origins[at].row);
            beside.add_to(&mut object, self.model, self.entry, &self.picked, at);
            text += if std::mem::replace(&mut self.begun, true) { ",\n    " } else { "{\n  \"predictions\": [\n    " };
            text += &object.to_string();
        }
        print(&text)
    }

    /// Ends a complete run.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        match self.table.take() {
            Some(Table::Stdout) => return Ok(()),
            Some(Table::File(file)) => {
                let path = file.finish()?;
                if !self.output.is_json() {
                    return print(&format!("{} predictions in {}\n", self.totals.graphs, path.display()));
                }
            }
            None => {}
        }
        if self.output.is_json() {
            return self.end_json(None);
        }
        let mut header = header(&self.model.tasks, &self.picked, Detail::Screen);
        header.extend(beside::spread_header(self.model, &self.picked));
        if self.totals.seen > 0 {
            header.push("seen".to_owned());
        } else {
            self.shown.iter_mut().for_each(|row| drop(row.pop()));
        }
        let mut text = folded(&header.iter().map(String::as_str).collect::<Vec<_>>(), &self.shown, 1);
        if self.totals.graphs > self.shown.len() {
            let targets = if self.picked.len() > 1 { "; --target picks targets" } else { "" };
            let more = self.totals.graphs - self.shown.len();
            text += &format!("and {more} more graphs; -o writes them all{targets}\n");
        }
        print(&harmless(&text))
    }

    /// Ends after a failure: a document that was begun gets the error; rows in a file, if there are any, stay in
    /// `FILE.partial`.
    pub(super) fn give_up(self, failure: Failure) -> Failure {
        if let Some(Table::File(file)) = &self.table
            && self.totals.graphs == 0
        {
            discard(file.partial());
        } else if let Some(Table::File(file)) = &self.table {
            self.output.say(&format!("{} predictions are in {}", self.totals.graphs, file.partial().display()));
        }
        match failure {
            Failure::Data(problem) if self.begun => match self.end_json(Some(&problem)) {
                Ok(()) => Failure::Reported(problem),
                Err(failure) => failure,
            },
            failure => failure,
        }
    }

    fn end_json(&self, problem: Option<&Problem>) -> Result<(), Failure> {
        let begin = if self.begun { "" } else { "{\n  \"predictions\": [" };
        let Totals { graphs, skipped, unfamiliar: Unfamiliar { unknown_labels, no_pattern }, foreign, seen } =
            self.totals;
        let counts = [
            ("graphs", graphs),
            ("unknown_labels", unknown_labels),
            ("foreign", foreign),
            ("no_pattern", no_pattern),
            ("seen", seen),
            ("skipped", skipped),
        ];
        let mut fields: Vec<String> = counts.iter().map(|(name, count)| format!("\"{name}\": {count}")).collect();
        if let Some(problem) = problem {
            fields.push(format!("\"error\": {}", json!(problem.error)));
            fields.push(format!("\"where\": {}", json!(problem.place)));
        }
        print(&format!("{begin}\n  ],\n  {}\n}}\n", fields.join(",\n  ")))
    }
}
