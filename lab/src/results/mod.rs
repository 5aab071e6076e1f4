//! `cargo lab results`: `lab/results/accuracy.md` and `lab/results/paper.md` from the stored results in `lab/results/`,
//! and nothing else writes these pages.
//!
//! `--paper` measures what is missing of the paper's tables first (`paper/`).
//! `--run WHAT` measures something and stores it with the commit, the command and the date: `tables` (numbers of
//! patterns and pruning rates), `bench` (times), `tasks` (one model for many targets), `rings` (the rings that models
//! of Cycle_XOR hold), `experiment SET` (accuracy on the ten fixed splits, preset `ein`, grid `paper`), `quick SET`
//! (the same with the defaults), `gnn SET` (a graph network beside the subgraphs, and alone), `gnn-peer SET` (that of
//! PyTorch Geometric). Stored files are committed, so the page can be written anywhere.

mod accuracy;
mod gnn;
mod paper;
mod quick;
mod stored;
mod tables;

use crate::bench;
use serde_json::Value;
use std::fs;
use std::path::Path;
use stored::{keep, store, stored};

/// Runs a program of the laboratory; its name comes next.
const PROGRAM: [&str; 7] = ["cargo", "run", "--release", "-q", "--manifest-path", "lab/programs/Cargo.toml", "--bin"];

/// Writes the page, or measures first.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<(), String> {
    match words {
        [] => {}
        ["--run", "tables"] => {
            let command = [&PROGRAM[..], &["paper_tables"]].concat();
            store(root, "tables", &command, &command)?;
        }
        ["--run", "bench"] => keep(root, "bench", &bench::measure(root, 5)?, "cargo lab results --run bench")?,
        ["--run", what @ ("tasks" | "rings")] => {
            let command = [&PROGRAM[..], &["method_tables", "--", what]].concat();
            store(root, what, &command, &command)?;
        }
        ["--run", "experiment", names @ ..] if !names.is_empty() => {
            for name in names {
                accuracy::measure(root, name)?;
            }
        }
        ["--run", "gnn", names @ ..] if !names.is_empty() => {
            for name in names {
                gnn::measure(root, name)?;
            }
        }
        ["--run", "gnn-peer", names @ ..] if !names.is_empty() => {
            for name in names {
                gnn::measure_peer(root, name)?;
            }
        }
        ["--run", "quick", names @ ..] if !names.is_empty() => {
            for name in names {
                quick::measure(root, name)?;
            }
        }
        ["--paper", words @ ..] => paper::measure(root, words)?,
        _ => {
            return Err(
                "results takes nothing, --paper with ways and sets or without, or --run with tables, bench, tasks, \
                 rings, or with experiment, quick, gnn or gnn-peer and sets"
                    .to_owned(),
            );
        }
    }
    for (name, page) in [("lab/results/accuracy.md", page(root)?), ("lab/results/paper.md", paper::page(root))] {
        fs::write(root.join(name), page).map_err(|e| format!("cannot write {name}: {e}"))?;
    }
    Ok(())
}

/// A section of the page from what one measurement stored; none if the document is not as expected.
type Section = fn(&Value) -> Option<String>;

/// Sections that are written if their measurement is stored.
const SECTIONS: [(&str, Section); 4] =
    [("tasks", tables::tasks), ("rings", tables::rings), ("tables", tables::patterns), ("bench", tables::times)];

/// The page, from what is stored.
fn page(root: &Path) -> Result<String, String> {
    let mut page = String::from(
        "# Results\n\nWritten by `cargo lab results` from the files in `lab/results/`; do not edit. Each of them holds \
         the commit,\n\
         the command and the date of its run.\n",
    );
    page += &quick::table(root)?;
    page += &accuracy::table(root)?;
    page += &gnn::table(root)?;
    for (name, section) in SECTIONS {
        if let Some(stored) = stored(root, name) {
            page += &section(&stored).ok_or(format!("lab/results/{name}.json is not as expected"))?;
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_names_its_command() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for section in page(root).unwrap().split("\n## ").skip(1) {
            assert!(section.contains("`einsicht ") || section.contains("`cargo "), "{section}");
        }
    }

    #[test]
    fn the_page_of_this_repository_is_what_its_stored_results_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let written = fs::read_to_string(root.join("lab/results/accuracy.md")).unwrap_or_default();
        assert!(written == page(root).unwrap(), "run `cargo lab results`");
        let written = fs::read_to_string(root.join("lab/results/paper.md")).unwrap_or_default();
        assert!(written == paper::page(root), "run `cargo lab results`");
    }

    #[test]
    fn the_benchmarks_show_the_whole_table_of_the_defaults() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let shown = fs::read_to_string(root.join("docs/benchmarks.md")).unwrap();
        let table = quick::table(root).unwrap();
        for row in table.lines().filter(|line| line.starts_with('|')) {
            assert!(shown.contains(row), "docs/benchmarks.md must have the row {row}");
        }
    }
}
