//! The section "Where we read between the lines": what each reading of the paper gives, measured.

use super::cells::{accuracies, cell, numbers, origins, table_of_sets};
use super::runs::{command, trials};
use super::sets::{PaperSet, SETS, TABLE_1_PEERS};
use super::xor::{METHODS, VARIANTS, stored};
use crate::results::stored::mean;
use serde_json::Value;
use std::path::Path;

pub(super) fn section(root: &Path) -> String {
    format!(
        "{}{}{}{}{}",
        include_str!("readings.txt"),
        steps(root),
        include_str!("readings-xor.txt"),
        xor(root),
        marks()
    )
}

/// The largest step of the line search.
fn steps(root: &Path) -> String {
    let row = |name: &str, way: &str| {
        let of_set = |set: &PaperSet| cell(&accuracies(&trials(root, way, set)).into_values().collect::<Vec<_>>(), 1);
        (name.to_owned(), SETS.iter().map(of_set).collect::<Vec<String>>())
    };
    let subgraphs = |name: &str, way: &str| {
        let of_set = |set: &PaperSet| cell(&numbers(&trials(root, way, set), |t| t["patterns"].as_f64()), 0);
        (name.to_owned(), SETS.iter().map(of_set).collect::<Vec<String>>())
    };
    let rows = [
        row("accuracy, step 25 (preset)", "ein"),
        row("accuracy, step 0.1", "step"),
        subgraphs("subgraphs, step 25", "ein"),
        subgraphs("subgraphs, step 0.1", "step"),
    ];
    let all: Vec<Value> = SETS.iter().flat_map(|set| trials(root, "step", set)).collect();
    format!("`{}`, commit {}.\n\n{}\n", command(root, "step"), origins(&all), table_of_sets("", &rows))
}

/// The two variants of Cycle_XOR.
fn xor(root: &Path) -> String {
    let mut table = String::from(
        "| set | method | test accuracy | subgraphs | trials | commit, date |\n| :-- | :-- | --: | --: | --: | :-- |\n",
    );
    let mut shown = Vec::new();
    for (name, title) in VARIANTS {
        for (method, words, _) in METHODS {
            let stored = stored(root, name, method);
            let Some(trials) = stored["trials"].as_array() else { continue };
            let values: Vec<f64> = accuracies(trials).into_values().collect();
            let subgraphs = numbers(trials, |t| t["patterns"].as_f64());
            table += &format!(
                "| {title} | {words} | {} | {:.1} | {} | {} |\n",
                cell(&values, 1),
                mean(&subgraphs),
                values.len(),
                origins(trials)
            );
            shown.extend(stored["command"].as_str().map(|command| format!("`{command}`")));
        }
    }
    format!("{table}\nCommands: {}.\n\n", shown.join("; "))
}

/// Whether the paper's bold figures follow from its means and deviations.
fn marks() -> String {
    // PTC_MR: GATv2 has the best mean of the column.
    let at = 4;
    let of = |name: &str| TABLE_1_PEERS.iter().find(|row| row.0 == name).map_or((0.0, 0.0), |row| row.1[at]);
    let (best, gat) = (of("GATv2"), of("GAT"));
    let t = |(mean, std): (f64, f64)| (best.0 - mean) / ((best.1 * best.1 + std * std) / 10.0).sqrt();
    format!(
        "**The bold marks of Table 1.** \"Comparable in a sense of one-sided t-test\" does not say whether the test is \
         paired. It must be: on PTC_MR, GAT (57.1 ± 5.4,\n\
         t = {:.2} against GATv2 by means and deviations alone) is not bold, and EIN + GNN (56.5 ± 4.4, t = {:.2}) \
         is. Ours are paired by trial.\n",
        t(gat),
        t((56.5, 4.4))
    )
}
