//! `cargo lab bench`: times of the shipped program on real sets, as multiples of one plain enumeration.
//!
//! Times are processor seconds that the program itself reports, the smallest of several rounds. All cases run once per
//! round, so that a slow minute of the machine affects all of them. Times are reported and never asserted: tests check
//! counters and instructions.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use xtask::program;

/// A command to measure.
struct Case {
    name: String,
    data: String,
    /// The words after the data.
    options: Vec<String>,
    command: &'static str,
    threads: usize,
}

/// (set, split, further options) of the trainings: the paper's method, whole path, trial 0.
const TRAININGS: [(&str, &str, &[&str]); 5] = [
    ("BZR", "BZR", &[]),
    ("DHFR", "DHFR", &[]),
    ("PTC_MR", "PTC_MR", &["--edge-labels", "use"]),
    ("ENZYMES", "ENZYMES_1v2", &[]),
    ("Cycle_XOR", "Cycle_XOR", &[]),
];

/// (set, edges) of the enumerations; the first one is the unit.
const ENUMERATIONS: [(&str, usize); 3] = [("BZR", 10), ("ENZYMES", 8), ("Cycle_XOR", 9)];

fn cases() -> Vec<Case> {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<String>>();
    let data = |set: &str| format!("../shared/data/tu/{set}");
    let enumerations = ENUMERATIONS.iter().map(|(set, edges)| Case {
        name: format!("mine {set}, {edges} edges"),
        data: data(set),
        options: words(&["--max-edges", &edges.to_string(), "--count"]),
        command: "mine",
        threads: 1,
    });
    let trainings = TRAININGS.iter().flat_map(|(set, split, more)| {
        [1, 2].map(|threads| {
            let split_file = format!("../shared/splits/{split}.json");
            let mut options =
                words(&["--splits", &split_file, "--trial", "0", "--preset", "paper", "--max-edges", "9"]);
            options.extend(words(&["--hidden", "6", "--set", "network_steps=30", "-o", "target/bench.einsicht"]));
            options.extend(words(more));
            Case { name: format!("train {split}"), data: data(set), options, command: "train", threads }
        })
    });
    enumerations.chain(trainings).collect()
}

/// The number of rounds; the error is the argument that is not known.
pub(crate) fn runs(words: &[&str]) -> Result<usize, String> {
    match words {
        [] => Ok(5),
        ["--runs", number] => {
            let runs = number.parse().ok().filter(|&runs: &usize| runs > 0);
            runs.ok_or(format!("--runs {number}"))
        }
        [unknown, ..] => Err((*unknown).to_owned()),
    }
}

/// Measures and prints one line per case.
pub(crate) fn run(root: &Path, runs: usize) -> Result<(), String> {
    let measured = measure(root, runs)?;
    print!("{}", lines(&measured).map_or_else(String::new, |lines| aligned(&lines)));
    Ok(())
}

/// Builds the program, runs all cases in rounds, and returns one row per case.
pub(crate) fn measure(root: &Path, runs: usize) -> Result<Value, String> {
    if !root.join("../shared/data/tu").is_dir() {
        return Err("bench needs the data sets of ../shared".to_owned());
    }
    let program = program::build_release(root)?;
    let cases = cases();
    let mut rows: Vec<Option<Value>> = vec![None; cases.len()];
    for _ in 0..runs {
        for (case, row) in cases.iter().zip(&mut rows) {
            let found = case.run(root, &program)?;
            *row = Some(match row.take() {
                None => found,
                Some(best) => smaller(best, found)?,
            });
        }
    }
    let rows: Vec<Value> = rows.into_iter().flatten().collect();
    Ok(json!({ "runs": runs, "cases": rows }))
}

impl Case {
    fn run(&self, root: &Path, program: &Path) -> Result<Value, String> {
        let mut command = Command::new(program);
        command.arg(self.command).arg(&self.data).args(&self.options).current_dir(root);
        command.args(["--threads", &self.threads.to_string(), "--json", "--quiet"]);
        let output = command.output().map_err(|problem| format!("cannot start {command:?}: {problem}"))?;
        if !output.status.success() {
            return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let printed: Value = serde_json::from_slice(&output.stdout).map_err(|problem| problem.to_string())?;
        let visited: u64 = match &printed["path"] {
            Value::Array(path) => path.iter().filter_map(|entry| entry["visited"].as_u64()).sum(),
            _ => printed["work"]["visited"].as_u64().unwrap_or(0),
        };
        Ok(json!({
            "case": self.name,
            "threads": self.threads,
            "cpu_seconds": printed["cpu_seconds"],
            "seconds": printed["seconds"],
            "parts": printed["cpu_seconds_by_part"],
            "visited": visited,
            "peak_memory": printed["peak_memory"],
        }))
    }
}

/// The row of the faster run, with the shorter of both elapsed times; both must have visited equally many patterns.
fn smaller(best: Value, found: Value) -> Result<Value, String> {
    if best["threads"] == 1 && best["visited"] != found["visited"] {
        return Err(format!("{} visited {} patterns, then {}", best["case"], best["visited"], found["visited"]));
    }
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or(f64::INFINITY);
    let elapsed = number(&best, "seconds").min(number(&found, "seconds"));
    let mut row = if number(&found, "cpu_seconds") < number(&best, "cpu_seconds") { found } else { best };
    row["seconds"] = json!(elapsed);
    Ok(row)
}

const HEADER: [&str; 13] = [
    "case",
    "threads",
    "multiple",
    "CPU s",
    "elapsed s",
    "search",
    "patterns",
    "network",
    "judging",
    "classes",
    "effects",
    "visited",
    "MB",
];

/// One line per case: times in seconds, and as multiples of the first case.
pub(crate) fn lines(measured: &Value) -> Option<Vec<Vec<String>>> {
    let cases = measured["cases"].as_array()?;
    let unit = cases.first()?["cpu_seconds"].as_f64()?;
    let mut lines = vec![HEADER.map(str::to_owned).to_vec()];
    for case in cases {
        let cpu = case["cpu_seconds"].as_f64()?;
        let part = |name: &str| case["parts"][name].as_f64().map_or("-".to_owned(), |s| format!("{s:.3}"));
        lines.push(vec![
            case["case"].as_str()?.to_owned(),
            case["threads"].to_string(),
            format!("{:.2}", cpu / unit),
            format!("{cpu:.3}"),
            format!("{:.3}", case["seconds"].as_f64()?),
            part("search"),
            part("patterns"),
            part("network"),
            // Results that were stored before heads were a part of their own count them as judging.
            match (case["parts"]["judging"].as_f64(), case["parts"]["heads"].as_f64()) {
                (Some(judging), heads) => format!("{:.3}", judging + heads.unwrap_or(0.0)),
                (None, _) => "-".to_owned(),
            },
            part("classes of subgraphs"),
            part("effects"),
            case["visited"].to_string(),
            case["peak_memory"].as_u64().map_or("-".to_owned(), |bytes| (bytes >> 20).to_string()),
        ]);
    }
    Some(lines)
}

/// The lines as columns for a terminal.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |at: usize| lines.iter().map(|line| line[at].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let row = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, &w))| if at == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") });
        cells.collect::<Vec<_>>().join("  ") + "\n"
    };
    lines.iter().map(row).collect()
}

/// The lines as a table of a page.
pub(crate) fn table(lines: &[Vec<String>]) -> String {
    let row = |line: &Vec<String>| format!("| {} |\n", line.join(" | "));
    let rule = format!("| :-- |{}\n", " --: |".repeat(HEADER.len() - 1));
    lines.iter().enumerate().map(|(at, line)| if at == 0 { row(line) + &rule } else { row(line) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cpu: f64, seconds: f64, visited: u64) -> Value {
        json!({ "case": "mine", "threads": 1, "cpu_seconds": cpu, "seconds": seconds, "visited": visited,
            "parts": null, "peak_memory": 3 << 20 })
    }

    #[test]
    fn the_faster_run_counts_and_other_work_is_refused() {
        let best = smaller(row(2.0, 1.0, 7), row(1.0, 3.0, 7)).unwrap();
        assert_eq!((&best["cpu_seconds"], &best["seconds"]), (&json!(1.0), &json!(1.0)));
        assert!(smaller(row(2.0, 1.0, 7), row(1.0, 3.0, 8)).is_err());
    }

    #[test]
    fn times_are_multiples_of_the_first_case() {
        let lines = lines(&json!({ "cases": [row(0.5, 1.0, 7), row(2.0, 2.0, 9)] })).unwrap();
        assert_eq!(lines[2][..5], ["mine", "1", "4.00", "2.000", "2.000"].map(str::to_owned));
        assert!(aligned(&lines).lines().all(|line| line.len() == aligned(&lines).lines().next().unwrap().len()));
        assert_eq!(table(&lines).lines().count(), 4);
    }

    #[test]
    fn the_number_of_runs_is_read() {
        assert_eq!((runs(&[]), runs(&["--runs", "2"])), (Ok(5), Ok(2)));
        assert!(runs(&["--runs", "0"]).is_err() && runs(&["--fast"]).is_err());
    }
}
