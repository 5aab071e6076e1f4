//! A graph network beside the subgraphs, alone with the same parameters, and that of PyTorch Geometric with the same
//! budget, on the fixed splits of sets with attributes.

use super::stored::{commands, mean, standard_error, store, stored, summary};
use serde_json::Value;
use std::path::Path;
use xtask::program;

/// Name, data, sizes of the path, what the paper has with and without subgraphs, the best peer on our splits.
const SETS: [(&str, &str, &str, [&str; 3]); 3] = [
    ("ENZYMES_1v2", "ENZYMES", "0,1,3,8,20", ["73.3", "75.2", "77.8 GATv2"]),
    ("ENZYMES", "ENZYMES", "0,3,20", ["-", "-", "60.0 GATv2"]),
    ("PROTEINS", "PROTEINS", "0,3,20", ["-", "-", "-"]),
];

fn set(name: &str) -> Result<&'static (&'static str, &'static str, &'static str, [&'static str; 3]), String> {
    SETS.iter().find(|set| set.0 == name).ok_or("the set must be ENZYMES_1v2, ENZYMES or PROTEINS".to_owned())
}

/// Runs both on the splits of a set and stores the outcome.
pub(super) fn measure(root: &Path, name: &str) -> Result<(), String> {
    let (name, data, sizes, _) = set(name)?;
    let (data, splits) = (format!("../shared/data/tu/{data}"), format!("../shared/splits/{name}.json"));
    let program = program::named_or_release(root)?.display().to_string();
    for (what, sizes) in [("gnn", *sizes), ("gnn-alone", "0")] {
        let start = ["einsicht", "experiment", &data, "--splits", &splits, "--grid", "quick"];
        let rest = ["--preset", "gin", "--sizes", sizes, "--json", "-q"];
        let shown: Vec<&str> = start.into_iter().chain(rest).collect();
        let run: Vec<&str> = std::iter::once(&program[..]).chain(shown[1..].iter().copied()).collect();
        store(root, &format!("{what}-{name}"), &run, &shown)?;
    }
    Ok(())
}

/// Runs the network of PyTorch Geometric with the units and at most the steps of preset gin. `EINSICHT_PYTHON` names a
/// Python that has it.
pub(super) fn measure_peer(root: &Path, name: &str) -> Result<(), String> {
    let (name, ..) = set(name)?;
    let python = std::env::var("EINSICHT_PYTHON").unwrap_or_else(|_| "target/python-torch/bin/python".to_owned());
    let words = ["lab/scripts/peers.py", name, "GIN", "--units", "32", "--steps", "3000"];
    let run: Vec<&str> = std::iter::once(&python[..]).chain(words).collect();
    let shown: Vec<&str> = std::iter::once("python").chain(words).collect();
    store(root, &format!("gnn-peer-{name}"), &run, &shown)
}

/// Mean and standard error of what PyTorch Geometric reached.
fn peer_cell(root: &Path, name: &str) -> String {
    let trials =
        stored(root, &format!("gnn-peer-{name}")).and_then(|stored| stored["output"]["trials"].as_array().cloned());
    let accuracies: Vec<f64> = trials.iter().flatten().filter_map(Value::as_f64).map(|value| 100.0 * value).collect();
    if accuracies.len() < 2 {
        return "-".to_owned();
    }
    format!("{:.1} ({:.1})", mean(&accuracies), standard_error(&accuracies))
}

/// The table of what is stored; nothing if nothing is.
pub(super) fn table(root: &Path) -> Result<String, String> {
    let mut rows = String::new();
    for (name, _, _, [paper, alone_paper, peer]) in &SETS {
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
            "| {name} | {with_cell} | {patterns:.1} | {:.1} | {alone_cell} | {:.1} | {} | {paper} | {alone_paper} | \
             {peer} | {}, {} |\n",
            seconds(&with).unwrap_or(f64::NAN),
            seconds(&alone).unwrap_or(f64::NAN),
            peer_cell(root, name),
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
         on a busy machine, `--preset gin`, fixed splits; the network of PyTorch Geometric (`lab/scripts/peers.py`, \
         batch normalization) has the same\n\
         rounds, units, batches and learning rate and at most as many steps, of which the best on the validation set \
         is kept; the paper's figures (its path took 24186 s) are on splits of its own. The table of the\n\
         defaults above reads the same attributes by a summary of each graph instead.\n\n{}\
         | set | with subgraphs | subgraphs | s | GIN alone | s | GIN of PyTorch Geometric | with, paper | GIN alone, \
         paper | best peer | commit, date |\n\
         | :-- | --: | --: | --: | --: | --: | --: | --: | --: | :-- | :-- |\n{rows}",
        commands(root, &["gnn-ENZYMES_1v2", "gnn-alone-ENZYMES_1v2", "gnn-peer-ENZYMES_1v2"])
    ))
}
