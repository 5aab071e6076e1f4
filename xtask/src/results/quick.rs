//! The defaults of `train` on the fixed splits, next to the best peer.

use super::stored::{commands, store, stored};
use serde_json::Value;
use std::path::Path;

/// A set with its options and the best peer on the same splits.
struct Set {
    name: &'static str,
    data: &'static str,
    options: &'static [&'static str],
    peer: &'static str,
}

const fn tu(name: &'static str, data: &'static str, peer: &'static str) -> Set {
    Set { name, data, options: &[], peer }
}

const fn table_of(name: &'static str, data: &'static str, options: &'static [&'static str], peer: &'static str) -> Set {
    Set { name, data, options, peer }
}

const SETS: [Set; 16] = [
    tu("BZR", "tu/BZR", "88.3 WL + SVM"),
    tu("COX2", "tu/COX2", "83.7 PNA"),
    tu("DHFR", "tu/DHFR", "82.9 WL + forest"),
    tu("ENZYMES_1v2", "tu/ENZYMES", "77.8 GATv2"),
    tu("ENZYMES", "tu/ENZYMES", "60.0 GATv2"),
    tu("PTC_MR", "tu/PTC_MR", "62.8 WL + forest"),
    tu("MUTAG", "tu/MUTAG", "86.6 WL + forest"),
    tu("Cycle", "tu/Cycle", "52.8 WL + forest"),
    tu("Cycle_XOR", "tu/Cycle_XOR", "75.9 WL + forest"),
    table_of("BACE", "molnet/bace.csv", &["--target", "Class"], "81.5 Morgan + forest"),
    table_of("BBBP", "molnet/bbbp.csv", &["--target", "p_np", "--on-bad", "skip"], "88.1 Morgan + forest"),
    table_of(
        "SIDER_Reproductive",
        "molnet/sider.csv",
        &["--target", "Reproductive system and breast disorders"],
        "67.3 Morgan + forest",
    ),
    table_of("ToxCast_PXRE", "molnet/toxcast.csv.gz", &["--target", "ATG_PXRE_CIS_up"], "71.0 GCN"),
    table_of("ESOL", "molnet/delaney.csv", &["--target", "logp"], "-"),
    table_of("FreeSolv", "molnet/freesolv.csv", &["--target", "freesolv"], "-"),
    table_of("Lipo", "molnet/lipo.csv", &["--target", "lipo"], "-"),
];

/// Runs the defaults on the splits of a set and stores the outcome.
pub(super) fn measure(root: &Path, name: &str) -> Result<(), String> {
    let known: Vec<&str> = SETS.iter().map(|set| set.name).collect();
    let set = SETS.iter().find(|set| set.name == name).ok_or(format!("the set must be one of {}", known.join(", ")))?;
    let data = format!("../shared/data/{}", set.data);
    let splits = format!("../shared/splits/{}.json", set.name);
    let fixed = ["--splits", &splits, "--grid", "quick", "--json", "-q"];
    let shown: Vec<&str> =
        ["einsicht", "experiment", &data].into_iter().chain(set.options.iter().copied()).chain(fixed).collect();
    let mut run: Vec<&str> = vec!["cargo", "run", "--release", "-q", "-p", "einsicht-cli", "--"];
    run.extend(&shown[1..]);
    store(root, &format!("quick-{}", set.name), &run, &shown)
}

/// The table of what is stored; nothing if nothing is.
pub(super) fn table(root: &Path) -> Result<String, String> {
    let mut rows = String::new();
    for set in &SETS {
        let Some(stored) = stored(root, &format!("quick-{}", set.name)) else { continue };
        rows += &row(set, &stored).ok_or(format!("results/quick-{}.json is not as expected", set.name))?;
    }
    if rows.is_empty() {
        return Ok(rows);
    }
    Ok(format!(
        "\n## Preset `default` of version 0.1 on fixed splits\n\n\
         Before single vertices, qualifiers and folds: the commits name the versions.\n\
         Accuracy in percent on the test parts, or the root of the mean squared error where numbers are predicted; mean over the\n\
         trials, with the standard error. The defaults were found on splits of our own (`docs/decisions/0008`, `0012`) and not changed after\n\
         these runs. They allow 6 edges, which is too few for the rings of Cycle and Cycle_XOR: the table above has those.\n\
         Peers ran on the same splits, some of them on the first five.\n\n{}\
         | set | metric | test | subgraphs | trials | best peer | commit, date |\n\
         | :-- | :-- | --: | --: | --: | :-- | :-- |\n{rows}",
        commands(root, &["quick-BZR"])
    ))
}

fn row(set: &Set, stored: &Value) -> Option<String> {
    let trials = stored["output"]["trials"].as_array()?;
    let has = |metric: &str| trials.iter().all(|trial| trial["test"][metric].is_number());
    let (metric, scale) = if has("accuracy") { ("accuracy", 100.0) } else { ("rmse", 1.0) };
    let values: Option<Vec<f64>> = trials.iter().map(|t| Some(scale * t["test"][metric].as_f64()?)).collect();
    let patterns: Option<Vec<f64>> = trials.iter().map(|t| t["patterns"].as_f64()).collect();
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    let values = values?;
    let middle = mean(&values);
    let squares: f64 = values.iter().map(|v| (v - middle) * (v - middle)).sum();
    let error = (squares / (values.len() as f64 - 1.0) / values.len() as f64).sqrt();
    let digits = if scale == 1.0 { 3 } else { 1 };
    Some(format!(
        "| {} | {metric} | {middle:.digits$} ({error:.digits$}) | {:.1} | {} | {} | {}, {} |\n",
        set.name,
        mean(&patterns?),
        trials.len(),
        set.peer,
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
    ))
}
