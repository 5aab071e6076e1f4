//! Stored results: one JSON file per measurement in `lab/results/`, with the commit, the date and the command.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use xtask::steps::{commit_and_date, output};

/// Runs a command whose output is JSON and stores it.
pub(super) fn store(root: &Path, name: &str, command: &[&str], shown: &[&str]) -> Result<(), String> {
    store_beside(root, name, command, shown, Value::Null)
}

/// The same with the best peer on the same splits.
pub(super) fn store_beside(
    root: &Path,
    name: &str,
    command: &[&str],
    shown: &[&str],
    peer: Value,
) -> Result<(), String> {
    let output = output(root, command)?;
    let mut output: Value = serde_json::from_str(&output).map_err(|e| format!("{shown:?} must print JSON: {e}"))?;
    slim(&mut output);
    if !peer.is_null() {
        output["peer"] = peer;
    }
    keep(root, name, &output, &shown.join(" "))
}

/// Stores a measurement with the commit, the date and the command.
pub(super) fn keep(root: &Path, name: &str, output: &Value, command: &str) -> Result<(), String> {
    let [commit, date] = commit_and_date(root)?;
    let kept = json!({
        "commit": commit,
        "date": date,
        "command": command,
        "output": output,
    });
    let folder = root.join("lab/results");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, format!("{kept:#}\n")).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

/// Removes from the trials what the page does not need: the other grid points, rows, all parameters, subgraphs,
/// held-out figures of the path.
fn slim(output: &mut Value) {
    // Trials of other programs may be plain numbers.
    for trial in output["trials"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        for left_out in ["origin", "points", "subgraphs"] {
            trial.remove(left_out);
        }
        let path = trial.get_mut("path").and_then(Value::as_array_mut);
        for point in path.into_iter().flatten().filter_map(Value::as_object_mut) {
            point.remove("valid");
        }
    }
}

/// A paragraph with the commands of some measurements, as they were typed; nothing of those that are not stored.
pub(super) fn commands(root: &Path, names: &[&str]) -> String {
    let one = |name: &&str| Some(format!("`{}`", stored(root, name)?["command"].as_str()?));
    let found: Vec<String> = names.iter().filter_map(one).collect();
    format!("Command of the first row: {}.\n\n", found.join("; "))
}

/// What is stored under a name, if it is JSON.
pub(super) fn stored(root: &Path, name: &str) -> Option<Value> {
    let text = fs::read_to_string(root.join("lab/results").join(format!("{name}.json"))).ok()?;
    serde_json::from_str(&text).ok()
}

pub(super) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

pub(super) fn standard_error(numbers: &[f64]) -> f64 {
    let (middle, len) = (mean(numbers), numbers.len() as f64);
    let squares: f64 = numbers.iter().map(|v| (v - middle) * (v - middle)).sum();
    (squares / (len - 1.0) / len).sqrt()
}

/// Outcome of an experiment: mean and standard error of the accuracy, mean number of subgraphs.
pub(super) struct Summary {
    pub(super) mean: f64,
    pub(super) error: f64,
    pub(super) patterns: f64,
    pub(super) trials: usize,
}

/// The summary of a stored experiment; none if it is not one.
pub(super) fn summary(stored: &Value) -> Option<Summary> {
    let trials = stored["output"]["trials"].as_array()?;
    let accuracies: Option<Vec<f64>> = trials.iter().map(|t| Some(100.0 * t["test"]["accuracy"].as_f64()?)).collect();
    let accuracies = accuracies?;
    let patterns: Option<Vec<f64>> = trials.iter().map(|t| t["patterns"].as_f64()).collect();
    let (accuracy, error) = (mean(&accuracies), standard_error(&accuracies));
    Some(Summary { mean: accuracy, error, patterns: mean(&patterns?), trials: trials.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_parts_of_trials_are_left_out_and_plain_numbers_kept() {
        let mut output = json!({ "trials": [{ "size": 3, "points": [1], "path": [{ "size": 1, "valid": 2 }] }, 0.5] });
        slim(&mut output);
        assert_eq!(output, json!({ "trials": [{ "size": 3, "path": [{ "size": 1 }] }, 0.5] }));
    }
}
