//! `experiment --compare A B`: the paired difference of two experiments, trial by trial.
//!
//! Promise: only what was measured on the same trials is compared: other splits, trials, data or metrics are refused,
//! naming what differs. The tests are the library's ([`PairedComparison`]); here is where they come from and how they
//! are shown.

use super::trial::StoredTrial;
use crate::failure::Failure;
use crate::io::file::read_whole;
use crate::io::output::{Output, table};
use clap::Args;
use einsicht::experiment::PairedComparison;
use einsicht::model::metrics::Metric;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is compared, and how the outcome is shown.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Comparison")]
pub(crate) struct CompareOptions {
    /// Paired comparison of two experiments: folders of -o or documents of --json.
    ///
    /// Prints the mean difference per trial (A - B), its standard error, a paired t-test and Wilcoxon's signed-rank
    /// test (both two-sided), and on how many trials each is better. Both must have the same splits, trials and
    /// metrics.
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "data")]
    pub(super) compare: Vec<String>,
    /// Print the comparison as a table for Markdown.
    #[arg(long, requires = "compare")]
    markdown: bool,
}

/// A named experiment with all its trials.
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) trials: Vec<StoredTrial>,
}

/// A document of `experiment --json`.
#[derive(Deserialize)]
struct Document {
    trials: Vec<StoredTrial>,
}

impl Measured {
    /// Reads a folder of trials, or a document.
    pub(super) fn read(place: &str) -> Result<Self, Failure> {
        let path = Path::new(place);
        let mut trials = if path.is_dir() { trials_of_folder(path)? } else { trials_of_document(path)? };
        if trials.is_empty() {
            return Err(Failure::file(path, "a stored experiment must have trials (trial-N.json), but there is none"));
        }
        trials.sort_by_key(|stored| stored.result.trial);
        let name = path.file_stem().map_or_else(|| place.to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(Self { name, trials })
    }

    /// The values of a metric, trial by trial.
    fn values(&self, metric: &str) -> Vec<f64> {
        let value = |stored: &StoredTrial| match metric {
            PATTERNS => Some(stored.result.patterns as f64),
            metric => stored.result.test.get(metric).copied(),
        };
        self.trials.iter().filter_map(value).collect()
    }

    fn metrics(&self) -> BTreeSet<&str> {
        self.trials.iter().flat_map(|stored| stored.result.test.keys()).map(String::as_str).collect()
    }
}

/// Compared beside the metrics: fewer are better.
const PATTERNS: &str = "patterns";

fn trials_of_folder(folder: &Path) -> Result<Vec<StoredTrial>, Failure> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| Failure::file(folder, error))? {
        let path = entry.map_err(|error| Failure::file(folder, error))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with("trial-") && path.extension().is_some_and(|kind| kind == "json") {
            found.push(serde_json::from_slice(&read_whole(&path)?).map_err(|error| Failure::file(&path, error))?);
        }
    }
    Ok(found)
}

fn trials_of_document(path: &Path) -> Result<Vec<StoredTrial>, Failure> {
    let document: Document = serde_json::from_slice(&read_whole(path)?).map_err(|error| {
        Failure::file(
            path,
            format!("must be a folder from experiment -o or a document from experiment --json: {error}"),
        )
    })?;
    Ok(document.trials)
}

/// The comparison of two experiments by each metric.
pub(super) struct Comparison {
    names: [String; 2],
    trials: usize,
    metrics: BTreeMap<String, PairedComparison>,
}

impl Comparison {
    /// Compares, or says what differs.
    pub(super) fn new(first: &Measured, second: &Measured) -> Result<Self, Failure> {
        same_trials(first, second)?;
        let refuse = |what: String| Err(Failure::usage("--compare", what));
        let [a, b] = [first.metrics(), second.metrics()];
        if a != b {
            let list = |set: &BTreeSet<&str>| set.iter().copied().collect::<Vec<_>>().join(", ");
            return refuse(format!(
                "--compare needs the same metrics: {} has {}, {} has {}",
                first.name,
                list(&a),
                second.name,
                list(&b)
            ));
        }
        let mut metrics = BTreeMap::new();
        for metric in a.into_iter().chain([PATTERNS]) {
            let larger = Metric::from_name(metric).is_some_and(Metric::larger_is_better);
            let (values, others) = (first.values(metric), second.values(metric));
            let Some(compared) = PairedComparison::new(&values, &others, larger) else {
                return refuse(format!("--compare needs the same metrics: some trials have no {metric}"));
            };
            metrics.insert(metric.to_owned(), compared);
        }
        Ok(Self { names: [first.name.clone(), second.name.clone()], trials: first.trials.len(), metrics })
    }

    pub(super) fn show(&self, options: &CompareOptions, output: &Output) -> Result<(), Failure> {
        output.result(|| if options.markdown { self.markdown() } else { self.text() }, || self.document())
    }

    fn document(&self) -> Value {
        let of = |value: &dyn Fn(&PairedComparison) -> Value| {
            Value::Object(self.metrics.iter().map(|(name, found)| (name.clone(), value(found))).collect())
        };
        json!({
            "compared": self.names,
            "trials": self.trials,
            "mean": of(&|found| json!(found.means)),
            "difference": of(&|found| json!(found.difference)),
            "standard_error": of(&|found| json!(found.standard_error)),
            "p_value": of(&|found| json!(found.p_value)),
            "wilcoxon_p_value": of(&|found| json!(found.wilcoxon_p_value)),
            "wins": of(&|found| json!({ "first": found.wins[0], "second": found.wins[1], "ties": found.wins[2] })),
        })
    }

    fn header(&self) -> [String; 7] {
        let [a, b] = &self.names;
        let words = ["difference", "standard error", "p (t-test)", "p (Wilcoxon)"].map(str::to_owned);
        let [difference, error, t, wilcoxon] = words;
        [a.clone(), b.clone(), difference, error, t, wilcoxon, "wins".to_owned()]
    }

    fn cells(found: &PairedComparison) -> [String; 7] {
        let with_std = |at: usize| {
            let std = found.stds.map_or_else(String::new, |stds| format!(" ± {:.4}", stds[at]));
            format!("{:.4}{std}", found.means[at])
        };
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.4}"));
        let [won, lost, even] = found.wins;
        let wins = if even == 0 { format!("{won}:{lost}") } else { format!("{won}:{lost}, {even} even") };
        [
            with_std(0),
            with_std(1),
            format!("{:+.4}", found.difference),
            number(found.standard_error),
            number(found.p_value),
            number(found.wilcoxon_p_value),
            wins,
        ]
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |(name, found): (&String, &PairedComparison)| {
            [name.clone()].into_iter().chain(Self::cells(found)).collect()
        };
        self.metrics.iter().map(row).collect()
    }

    fn text(&self) -> String {
        let header = self.header();
        let header: Vec<&str> = ["metric"].into_iter().chain(header.iter().map(String::as_str)).collect();
        format!(
            "{}\n{} trials, difference {} - {}; p-values are two-sided and treat trials as independent\n",
            table(&header, &self.rows(), 0),
            self.trials,
            self.names[0],
            self.names[1],
        )
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let header: Vec<String> = ["metric".to_owned()].into_iter().chain(self.header()).collect();
        let rule = format!("| :-- |{}\n", " --: |".repeat(header.len() - 1));
        line(&header) + &rule + &self.rows().iter().map(|row| line(row)).collect::<String>()
    }
}

/// Refuses experiments on different trials, splits or data, naming the first that differs.
fn same_trials(first: &Measured, second: &Measured) -> Result<(), Failure> {
    let refuse = |what: String| Err(Failure::usage("--compare", what));
    let numbers = |measured: &Measured| measured.trials.iter().map(|t| t.result.trial).collect::<Vec<usize>>();
    let (a, b) = (numbers(first), numbers(second));
    if a != b {
        let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let (a, b) = (list(&a), list(&b));
        return refuse(format!("--compare needs the same trials: {} has {a}; {} has {b}", first.name, second.name));
    }
    for (one, other) in first.trials.iter().zip(&second.trials) {
        let trial = one.result.trial;
        let (a, b) = (&one.origin.rows, &other.origin.rows);
        for (set, a, b) in
            [("training", &a.train, &b.train), ("validation", &a.valid, &b.valid), ("test", &a.test, &b.test)]
        {
            let rows = |list: &[u32]| list.iter().copied().collect::<BTreeSet<u32>>();
            let (a, b) = (rows(a), rows(b));
            if a != b {
                let only = a.symmetric_difference(&b).next().copied().unwrap_or_default();
                let who = if a.contains(&only) { &first.name } else { &second.name };
                return refuse(format!(
                    "--compare needs the same splits: the {set} set of trial {trial} differs, row {only} is only in \
                     that of {who}"
                ));
            }
        }
        // Qualifiers become part of the data, so other qualifiers have another fingerprint.
        let qualifiers = |stored: &StoredTrial| stored.origin.params.first().map(|params| params.qualifiers.clone());
        if qualifiers(one) == qualifiers(other) && one.origin.fingerprint != other.origin.fingerprint {
            return refuse(format!("--compare needs the same data: graphs or targets of trial {trial} differ"));
        }
    }
    Ok(())
}
