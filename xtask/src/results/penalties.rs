//! L0 constraint and L1 penalty, with and without a graph network: the paper's table.

use super::stored::{commands, stored, summary};
use serde_json::Value;
use std::path::Path;

/// Variants of the paper by the name of their stored results, with their options. With a graph network there is one grid
/// point: the grid of the paper would take hours.
const WAYS: [(&str, &[&str]); 4] = [
    ("experiment", &["--grid", "paper"]),
    ("l1", &["--grid", "paper", "--penalty", "l1"]),
    ("l0-gnn", &["--preset", "gin", "--max-edges", "9", "--sizes", "0,1,5,10,25,50,75,100"]),
    ("l1-gnn", &["--preset", "gin", "--max-edges", "9", "--penalty", "l1"]),
];

/// What the paper has on each set: accuracies of the four ways, then the numbers of subgraphs with L0 and L1.
const PAPER: [(&str, [&str; 6]); 7] = [
    ("BZR", ["86.0", "85.9", "83.1", "87.3", "46", "71"]),
    ("COX2", ["80.5", "80.2", "79.7", "80.1", "63", "79"]),
    ("DHFR", ["78.4", "79.9", "77.0", "81.8", "60", "101"]),
    ("ENZYMES_1v2", ["59.8", "64.5", "73.2", "70.8", "64", "74"]),
    ("PTC_MR", ["59.1", "59.5", "57.1", "59.6", "60", "1057"]),
    ("Cycle", ["100.0", "100.0", "100.0", "100.0", "1", "2"]),
    ("Cycle_XOR", ["100.0", "100.0", "98.5", "100.0", "18", "13"]),
];

/// The options of a way.
pub(super) fn way(name: &str) -> Option<&'static [&'static str]> {
    WAYS.iter().find(|way| way.0 == name).map(|way| way.1)
}

/// The table of what is stored; nothing if nothing is.
pub(super) fn table(root: &Path) -> Result<String, String> {
    let mut rows = String::new();
    for (name, paper) in &PAPER {
        let found = WAYS.map(|(way, _)| stored(root, &format!("{way}-{name}")));
        let Some(l1) = &found[1] else { continue };
        let cell = |stored: &Option<Value>, paper: &str| match stored.as_ref().map(summary) {
            None => Ok(format!("- ({paper})")),
            Some(None) => Err(format!("results of {name} are not as expected")),
            Some(Some(found)) => Ok(format!("{:.1} ± {:.1} ({paper})", found.mean, found.error)),
        };
        let cells =
            found.iter().zip(paper).map(|(stored, paper)| cell(stored, paper)).collect::<Result<Vec<_>, _>>()?;
        let number = |stored: &Option<Value>, paper: &str| {
            let found = stored.as_ref().and_then(summary);
            found.map_or_else(|| format!("- ({paper})"), |found| format!("{:.0} ({paper})", found.patterns))
        };
        rows += &format!(
            "| {name} | {} | {} | {} | {}, {} |\n",
            cells.join(" | "),
            number(&found[0], paper[4]),
            number(&found[1], paper[5]),
            l1["commit"].as_str().unwrap_or("-"),
            l1["date"].as_str().unwrap_or("-"),
        );
    }
    if rows.is_empty() {
        return Ok(rows);
    }
    Ok(format!(
        "\n## At most so many subgraphs (L0 constraint), or a penalty on each (L1)\n\n\
         Test accuracy in percent ± its standard error, and mean number of subgraphs; in parentheses the paper's figures, which are\n\
         on splits of its own. Without a graph network the grid is `paper`, with one there is a single point (at most 9 edges).\n\
         Preset `ein`.\n\n{}\
         | set | L0 | L1 | L0 + GIN | L1 + GIN | subgraphs, L0 | subgraphs, L1 | commit, date of L1 |\n\
         | :-- | --: | --: | --: | --: | --: | --: | :-- |\n{rows}",
        commands(root, &["experiment-BZR", "l1-BZR", "l0-gnn-BZR", "l1-gnn-BZR"])
    ))
}
