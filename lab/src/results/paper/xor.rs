//! The two variants of Cycle_XOR, generated and split here, with EIN and with a graph network alone.

use super::runs::{kept_trial, run_json, write};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use xtask::program;

/// Variants of `generate cycle-xor`.
pub(super) const VARIANTS: [(&str, &str); 2] = [("twice", "one kind of rings twice"), ("padded", "rings and padding")];

/// Methods: name of the stored result, name in the table, options.
pub(super) const METHODS: [(&str, &str, &[&str]); 2] = [
    ("ein", "EIN", &["--preset", "paper", "--sizes", "1,5,10"]),
    ("gin-alone", "GIN alone", &["--preset", "gin", "--set", "stopping=loss", "--sizes", "0"]),
];

/// Trials of each.
const TRIALS: &str = "3";

/// The stored experiment of a variant and a method; null if there is none.
pub(super) fn stored(root: &Path, variant: &str, method: &str) -> Value {
    let path = root.join(format!("lab/results/paper/xor-{variant}-{method}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap_or_default()).unwrap_or_default()
}

pub(super) fn measure_missing(root: &Path) -> Result<(), String> {
    for (variant, _) in VARIANTS {
        for (method, _, options) in METHODS {
            if stored(root, variant, method).is_null() {
                println!("xor {variant} {method}");
                measure(root, variant, method, options)?;
            }
        }
    }
    Ok(())
}

fn measure(root: &Path, variant: &str, method: &str, options: &[&str]) -> Result<(), String> {
    let program = program::named_or_release(root)?;
    let (data, splits) = (format!("target/cycle-xor-{variant}"), format!("target/cycle-xor-{variant}.json"));
    let generate = ["generate", "cycle-xor", "--variant", variant, "-o", &data];
    let split = ["split", &data, "-o", &splits, "--scheme", "stratified", "--repeats", TRIALS];
    let experiment: Vec<&str> = [&["experiment", &data, "--splits", &splits, "--threads", "1"], options].concat();
    for words in [&generate[..], &split] {
        run_json(root, &program, words)?;
    }
    let printed = run_json(root, &program, &experiment)?;
    let listed = printed["trials"].as_array().ok_or("experiment printed no trials")?;
    let trials: Vec<Value> =
        (0..).zip(listed).map(|(number, trial)| kept_trial(root, trial, number)).collect::<Result<_, _>>()?;
    let shown = [&generate[..], &split, &experiment].map(|words| format!("einsicht {}", words.join(" "))).join("; ");
    let path = root.join(format!("lab/results/paper/xor-{variant}-{method}.json"));
    write(&path, &json!({ "command": shown, "trials": trials }))
}
