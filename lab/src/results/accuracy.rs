//! Accuracy of the paper's method on the fixed splits, next to the paper and to the best peer.

use super::stored::{Summary, commands, store, stored, summary};
use serde_json::Value;
use std::path::Path;
use xtask::program;

/// A set of the paper: name of its split file, its data, further options, and what others report on it.
struct Set {
    name: &'static str,
    data: &'static str,
    options: &'static [&'static str],
    /// EIN in the paper: mean and standard deviation of ten trials, number of subgraphs.
    paper: Option<(f64, f64, &'static str)>,
    /// The best peer on our splits.
    peer: (f64, &'static str),
}

const SETS: [Set; 8] = [
    Set { name: "BZR", data: "tu/BZR", options: &[], paper: Some((86.0, 2.4, "39")), peer: (88.3, "WL + SVM") },
    Set { name: "COX2", data: "tu/COX2", options: &[], paper: Some((80.5, 3.0, "80")), peer: (83.7, "PNA") },
    Set { name: "DHFR", data: "tu/DHFR", options: &[], paper: Some((79.4, 3.6, "55")), peer: (82.9, "WL + forest") },
    Set {
        name: "ENZYMES_1v2",
        data: "tu/ENZYMES",
        options: &[],
        paper: Some((59.8, 6.7, "47")),
        peer: (77.8, "GATv2"),
    },
    Set {
        name: "PTC_MR",
        data: "tu/PTC_MR",
        options: &[],
        paper: Some((59.1, 4.5, "70")),
        peer: (62.8, "WL + forest"),
    },
    Set {
        name: "ToxCast_PXRE",
        data: "molnet/toxcast.csv.gz",
        options: &["--target", "ATG_PXRE_CIS_up"],
        paper: None,
        peer: (71.0, "GCN"),
    },
    Set { name: "Cycle", data: "tu/Cycle", options: &[], paper: Some((100.0, 0.0, "1")), peer: (52.8, "WL + forest") },
    Set {
        name: "Cycle_XOR",
        data: "tu/Cycle_XOR",
        options: &[],
        paper: Some((100.0, 0.0, "5")),
        peer: (75.9, "WL + forest"),
    },
];

/// Runs preset ein over the paper's grid on the splits of a set and stores the outcome.
pub(super) fn measure(root: &Path, name: &str) -> Result<(), String> {
    let known: Vec<&str> = SETS.iter().map(|set| set.name).collect();
    let set = SETS.iter().find(|set| set.name == name).ok_or(format!("the set must be one of {}", known.join(", ")))?;
    let data = format!("../shared/data/{}", set.data);
    let splits = format!("../shared/splits/{}.json", set.name);
    let fixed = ["--preset", "ein", "--grid", "paper", "--splits", &splits, "--json", "-q"];
    let options = set.options.iter().copied();
    let shown: Vec<&str> = ["einsicht", "experiment", &data].into_iter().chain(options).chain(fixed).collect();
    let program = program::named_or_release(root)?.display().to_string();
    let run: Vec<&str> = [&program[..]].into_iter().chain(shown[1..].iter().copied()).collect();
    store(root, &format!("experiment-{}", set.name), &run, &shown)
}

/// The table of what is stored.
pub(super) fn table(root: &Path) -> Result<String, String> {
    let mut table = String::from(
        "\n## The paper's grid with preset `ein` on fixed splits\n\n\
         This is the paper's network, trained with care: not the paper to the letter, which is preset `paper`. Test \
         accuracy in percent, mean over the trials, with the standard error and the mean number of subgraphs of the \
         chosen\n\
         model. Grid `paper`: at most 4 or 9 edges, 2, 6 or 10 hidden units, 1 or 30 network steps, sizes 1 to 100; \
         chosen on the\n\
         validation part. The paper used splits of its own; its ToxCast task is another. Peers ran on our splits. A \
         penalty (L1) instead of a number of subgraphs: Table 5 of [paper.md](paper.md).\n\n",
    );
    table += &commands(root, &["experiment-BZR"]);
    table += "| set | accuracy | subgraphs | trials | paper | its subgraphs | best peer | commit, date |\n\
              | :-- | --: | --: | --: | --: | --: | :-- | :-- |\n";
    for set in &SETS {
        let Some(stored) = stored(root, &format!("experiment-{}", set.name)) else { continue };
        table += &row(set, &stored).ok_or(format!("lab/results/experiment-{}.json is not as expected", set.name))?;
    }
    Ok(table)
}

fn row(set: &Set, stored: &Value) -> Option<String> {
    let Summary { mean, error, patterns, trials } = summary(stored)?;
    let (paper, its) =
        set.paper.map_or(("-".to_owned(), "-"), |(mean, std, its)| (format!("{mean:.1} ± {std:.1}"), its));
    Some(format!(
        "| {} | {mean:.1} ({error:.1}) | {patterns:.1} | {trials} | {paper} | {its} | {:.1} {} | {}, {} |\n",
        set.name,
        set.peer.0,
        set.peer.1,
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_holds_mean_and_standard_error() {
        let trial = |accuracy: f64, patterns: u32| json!({ "test": { "accuracy": accuracy }, "patterns": patterns });
        let stored =
            json!({ "commit": "abc", "date": "2026-01-01", "output": { "trials": [trial(0.8, 3), trial(0.9, 5)] } });
        let row = row(&SETS[0], &stored).unwrap();
        assert!(row.starts_with("| BZR | 85.0 (5.0) | 4.0 | 2 | 86.0 ± 2.4 | 39 |"), "{row}");
    }
}
