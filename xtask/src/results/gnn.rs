//! A graph network beside the subgraphs, and alone with the same parameters, on the fixed splits of sets with attributes.

use super::stored::{commands, store, stored, summary};
use serde_json::Value;
use std::path::Path;

/// Name, sizes of the path, what the paper has with and without subgraphs, the best peer on our splits.
const SETS: [(&str, &str, [&str; 3]); 2] =
    [("ENZYMES_1v2", "0,1,3,8,20", ["73.3", "75.2", "77.8 GATv2"]), ("ENZYMES", "0,3,20", ["-", "-", "60.0 GATv2"])];

/// Runs both on the splits of a set and stores the outcome.
pub(super) fn measure(root: &Path, name: &str) -> Result<(), String> {
    let (name, sizes, _) = SETS.iter().find(|set| set.0 == name).ok_or("the set must be ENZYMES_1v2 or ENZYMES")?;
    let splits = format!("../shared/splits/{name}.json");
    for (what, sizes) in [("gnn", *sizes), ("gnn-alone", "0")] {
        let start = ["einsicht", "experiment", "../shared/data/tu/ENZYMES", "--splits", &splits, "--grid", "quick"];
        let rest = ["--preset", "gin", "--sizes", sizes, "--json", "-q"];
        let shown: Vec<&str> = start.into_iter().chain(rest).collect();
        let mut run: Vec<&str> = vec!["cargo", "run", "--release", "-q", "-p", "einsicht-cli", "--"];
        run.extend(&shown[1..]);
        store(root, &format!("{what}-{name}"), &run, &shown)?;
    }
    Ok(())
}

/// The table of what is stored; nothing if nothing is.
pub(super) fn table(root: &Path) -> Result<String, String> {
    let mut rows = String::new();
    for (name, _, [paper, alone_paper, peer]) in &SETS {
        let both = (stored(root, &format!("gnn-{name}")), stored(root, &format!("gnn-alone-{name}")));
        let (Some(with), Some(alone)) = both else { continue };
        let cells = |stored: &Value| {
            let found = summary(stored).ok_or(format!("results of {name} are not as expected"))?;
            Ok::<_, String>((format!("{:.1} ({:.1})", found.mean, found.error), found.patterns))
        };
        let ((with_cell, patterns), (alone_cell, _)) = (cells(&with)?, cells(&alone)?);
        let seconds = |stored: &Value| {
            let trials = stored["output"]["trials"].as_array()?.len();
            Some(stored["output"]["cpu_seconds"].as_f64()? / trials as f64)
        };
        rows += &format!(
            "| {name} | {with_cell} | {patterns:.1} | {:.1} | {alone_cell} | {:.1} | {paper} | {alone_paper} | {peer} | {}, {} |\n",
            seconds(&with).unwrap_or(f64::NAN),
            seconds(&alone).unwrap_or(f64::NAN),
            with["commit"].as_str().unwrap_or("-"),
            with["date"].as_str().unwrap_or("-"),
        );
    }
    if rows.is_empty() {
        return Ok(rows);
    }
    Ok(format!(
        "\n## A graph network beside the subgraphs\n\n\
         Test accuracy in percent (standard error), mean number of subgraphs and processor seconds of a whole path\n\
         on a busy machine, `--preset gin`, fixed splits; the paper's figures (its path took 24186 s) are on splits of its own. The table of the\n\
         defaults above reads the same attributes by a summary of each graph instead.\n\n{}\
         | set | with subgraphs | subgraphs | s | GIN alone | s | with, paper | GIN alone, paper | best peer | commit, date |\n\
         | :-- | --: | --: | --: | --: | --: | --: | --: | :-- | :-- |\n{rows}",
        commands(root, &["gnn-ENZYMES_1v2", "gnn-alone-ENZYMES_1v2"])
    ))
}
