//! The results of all trials together, as text and as a document.

use super::trial::{StoredTrial, TrialWork};
use crate::cmd::tables::interval_text;
use crate::io::clock::cpu_seconds;
use crate::io::output::{screen_width, table, wrapped};
use einsicht::data::Split;
use einsicht::experiment::{TrialResult, TrialSummary, intervals};
use einsicht::model::folds::Interval;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// Means over trials, with intervals where the trials are folds.
pub(super) struct ResultSummary<'r> {
    results: &'r [StoredTrial],
    work: &'r [Option<TrialWork>],
    summary: TrialSummary,
    intervals: Option<BTreeMap<String, Interval>>,
}

impl<'r> ResultSummary<'r> {
    /// Of trials and, in the same order, what they took.
    pub(super) fn new(
        results: &'r [StoredTrial],
        work: &'r [Option<TrialWork>],
        splits: &[(usize, Split)],
        folds: bool,
    ) -> Self {
        let found = || results.iter().map(|stored| &stored.result);
        let splits: Vec<Split> = splits.iter().map(|(_, split)| split.clone()).collect();
        let intervals = folds.then(|| intervals(found(), &splits));
        Self { results, work, summary: TrialSummary::new(found()), intervals }
    }

    pub(super) fn document(&self, start: Instant) -> Value {
        let mut document = json!({
            "mean": self.summary.mean,
            "std": self.summary.std,
            "trials": self.trials(),
            "seconds": start.elapsed().as_secs_f64(),
            "cpu_seconds": cpu_seconds(),
        });
        if let Some(intervals) = &self.intervals {
            let ends = intervals.iter().map(|(name, found)| (name.clone(), json!([found.low, found.high])));
            document["interval"] = Value::Object(ends.collect());
        }
        document
    }

    /// The trials with what this run has spent on them; null where an earlier run has finished one.
    fn trials(&self) -> Vec<Value> {
        let with_work = |(stored, work): (&StoredTrial, &Option<TrialWork>)| {
            let mut trial = json!(stored);
            let spent = json!(work.unwrap_or_default());
            for name in ["visited", "passes", "seconds"] {
                trial[name] = if work.is_some() { spent[name].clone() } else { Value::Null };
            }
            trial
        };
        self.results.iter().zip(self.work).map(with_work).collect()
    }

    pub(super) fn text(&self) -> String {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
        let names: Vec<&String> = self.summary.mean.keys().collect();
        let header: Vec<&str> = ["trial", "size"].into_iter().chain(names.iter().map(|name| name.as_str())).collect();
        let cell = |result: &TrialResult, name: &str| match name {
            "patterns" => result.patterns.to_string(),
            name => number(result.test.get(name).copied()),
        };
        let mut rows: Vec<Vec<String>> = self
            .results
            .iter()
            .map(|StoredTrial { result, .. }| {
                let first = [result.trial.to_string(), result.size.to_string()];
                first.into_iter().chain(names.iter().map(|name| cell(result, name))).collect()
            })
            .collect();
        let mean = |name: &String| self.summary.mean.get(name).copied();
        let std = |name: &String| self.summary.std.get(name).copied().flatten();
        for (title, values) in [("mean", &mean as &dyn Fn(&String) -> Option<f64>), ("std", &std)] {
            let first = [title.to_owned(), String::new()];
            rows.push(first.into_iter().chain(names.iter().map(|name| number(values(name)))).collect());
        }
        table(&header, &rows, 0) + &self.intervals_text()
    }

    fn intervals_text(&self) -> String {
        let Some(intervals) = self.intervals.as_ref().filter(|found| !found.is_empty()) else { return String::new() };
        let one = |(name, interval): (&String, &Interval)| format!("{name} {}", interval_text(name, interval));
        let all: Vec<String> = intervals.iter().map(one).collect();
        let line = format!("mean over the test sets, with its 95 % interval: {}", all.join(", "));
        format!("\n{}", wrapped(&line, screen_width()))
    }
}
