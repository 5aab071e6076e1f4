//! Where predictions go, part by part: a table in a file or on standard output, a JSON document, or the first few for
//! people.
//!
//! Promise: whole rows only, in the order of the source. What is written is a prefix of the whole at every moment, also
//! if the program is killed: a file is called `FILE.partial` until it is complete. A JSON document that was begun is
//! ended whatever happens; then it holds `error` and `where`.

use super::rows::{cells, csv_line, header, row_json, spread_json};
use crate::failure::{Failure, Problem};
use crate::growing::GrowingFile;
use crate::output::{Output, print, table};
use einsicht::learn::model::Predictions;
use einsicht::{Dataset, Model};
use serde_json::json;
use std::path::Path;

/// Rows that people see where no table is asked for.
const SHOWN: usize = 20;

enum Table {
    Standard,
    File(GrowingFile),
}

/// Counts of a whole run.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) graphs: usize,
    pub(super) skipped: usize,
    pub(super) unknown_labels: usize,
    pub(super) no_pattern: usize,
}

pub(super) struct Sink<'a> {
    model: &'a Model,
    output: &'a Output,
    table: Option<Table>,
    /// Whether the JSON document was begun.
    begun: bool,
    shown: Vec<Vec<String>>,
    pub(super) totals: Totals,
}

impl<'a> Sink<'a> {
    /// Opens the file, so that a bad path is told before any work.
    pub(super) fn new(model: &'a Model, path: Option<&Path>, output: &'a Output) -> Result<Self, Failure> {
        let table = match path {
            None => None,
            Some(path) if path == Path::new("-") && output.is_json() => {
                let error = "--output - and --json both want standard output";
                return Err(Failure::usage("--output", error));
            }
            Some(path) if path == Path::new("-") => Some(Table::Standard),
            Some(path) => Some(Table::File(GrowingFile::create(path)?)),
        };
        let mut sink = Self { model, output, table, begun: false, shown: Vec::new(), totals: Totals::default() };
        let columns: Vec<String> = header(&model.tasks).into_iter().chain(["row".to_owned()]).collect();
        sink.write_table(&csv_line(&columns))?;
        Ok(sink)
    }

    /// Takes the predictions for the graphs of a part.
    pub(super) fn add(&mut self, part: &Dataset, predictions: &Predictions) -> Result<(), Failure> {
        let tasks = &self.model.tasks;
        self.totals.graphs += part.len();
        self.totals.unknown_labels += predictions.has_unknown_label.iter().filter(|unknown| **unknown).count();
        self.totals.no_pattern += predictions.patterns_present.iter().filter(|present| **present == 0).count();
        let row = |at: usize| part.origins[at].row;
        if self.table.is_some() {
            let line = |at: usize| {
                let mut cells = cells(tasks, &part.ids[at], predictions, at, 6);
                cells.push(row(at).to_string());
                csv_line(&cells)
            };
            let text: String = (0..part.len()).map(line).collect();
            self.write_table(&text)?;
        }
        if self.output.is_json() {
            return self.write_json(part, predictions);
        }
        let free = SHOWN - self.shown.len();
        self.shown.extend((0..part.len().min(free)).map(|at| cells(tasks, &part.ids[at], predictions, at, 4)));
        Ok(())
    }

    fn write_table(&mut self, text: &str) -> Result<(), Failure> {
        match &mut self.table {
            None => Ok(()),
            Some(Table::Standard) => print(text),
            Some(Table::File(file)) => file.append(text.as_bytes()),
        }
    }

    fn write_json(&mut self, part: &Dataset, predictions: &Predictions) -> Result<(), Failure> {
        let rows: Vec<usize> = (0..part.len()).collect();
        let members = self.model.member_outputs(part, &rows);
        let mut text = String::new();
        for &at in &rows {
            let mut object = row_json(&self.model.tasks, &part.ids[at], predictions, at);
            object["row"] = json!(part.origins[at].row);
            if !members.is_empty() {
                object["bootstrap"] = spread_json(&self.model.tasks, predictions, &members, at);
            }
            text += if std::mem::replace(&mut self.begun, true) { ",\n    " } else { "{\n  \"predictions\": [\n    " };
            text += &object.to_string();
        }
        print(&text)
    }

    /// Ends everything well.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        match self.table.take() {
            Some(Table::Standard) => return Ok(()),
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
        let header = header(&self.model.tasks);
        let mut text = table(&header.iter().map(String::as_str).collect::<Vec<_>>(), &self.shown, 1);
        if self.totals.graphs > SHOWN {
            text += &format!("and {} more; -o writes them all\n", self.totals.graphs - SHOWN);
        }
        print(&text)
    }

    /// Ends after a failure: a document that was begun says what went wrong; what was written to a file stays beside
    /// its place.
    pub(super) fn give_up(self, failure: Failure) -> Failure {
        if let Some(Table::File(file)) = &self.table {
            self.output.say(&format!("{} predictions are in {}", self.totals.graphs, file.part().display()));
        }
        match failure {
            Failure::Data(problem) if self.begun => match self.end_json(Some(&problem)) {
                Ok(()) => Failure::Told(problem),
                Err(failure) => failure,
            },
            failure => failure,
        }
    }

    fn end_json(&self, problem: Option<&Problem>) -> Result<(), Failure> {
        let begin = if self.begun { "" } else { "{\n  \"predictions\": [" };
        let Totals { skipped, unknown_labels, no_pattern, .. } = self.totals;
        let counts = [("unknown_labels", unknown_labels), ("no_pattern", no_pattern), ("skipped", skipped)];
        let mut fields: Vec<String> = counts.iter().map(|(name, count)| format!("\"{name}\": {count}")).collect();
        if let Some(problem) = problem {
            fields.push(format!("\"error\": {}", json!(problem.error)));
            fields.push(format!("\"where\": {}", json!(problem.place)));
        }
        print(&format!("{begin}\n  ],\n  {}\n}}\n", fields.join(",\n  ")))
    }
}
