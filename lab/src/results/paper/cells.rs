//! Lists of figures as cells of tables: mean and standard deviation, the paper's t-test, origins.

use super::sets::SETS;
use crate::results::stored::{mean, standard_error};
use serde_json::Value;
use std::collections::BTreeMap;

/// The paper's number of trials; where there are fewer, a cell says how many.
const TRIALS: usize = 10;

/// Percents of the trials that have a figure, by the number of the trial.
pub(super) type Figures = BTreeMap<u64, f64>;

/// The accuracies of trials in percent.
pub(super) fn accuracies(trials: &[Value]) -> Figures {
    let one = |trial: &Value| Some((trial["trial"].as_u64()?, 100.0 * trial["accuracy"].as_f64()?));
    trials.iter().filter_map(one).collect()
}

pub(super) fn numbers(trials: &[Value], of: impl Fn(&Value) -> Option<f64>) -> Vec<f64> {
    trials.iter().filter_map(of).collect()
}

/// Standard deviation (n - 1).
pub(super) fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 { 0.0 } else { standard_error(values) * (values.len() as f64).sqrt() }
}

/// Mean and standard deviation, with the number of trials where it is not ten.
pub(super) fn cell(values: &[f64], digits: usize) -> String {
    if values.is_empty() {
        return "-".to_owned();
    }
    if let [single] = values {
        return format!("{single:.digits$} (1)");
    }
    let few = if values.len() == TRIALS { String::new() } else { format!(" ({})", values.len()) };
    format!("{:.digits$} ± {:.digits$}{few}", mean(values), deviation(values))
}

/// The same of the paper.
pub(super) fn printed((mean, std): (f64, f64), digits: usize) -> String {
    format!("{mean:.digits$} ± {std:.digits$}")
}

/// The upper quantile 0.95 of Student's distribution by degrees of freedom, from 1.
const ONE_SIDED: [f64; 9] = [6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833];

/// Whether a method is comparable with the best one: a one-sided paired t-test at 5 % over the trials of both does not
/// find it worse.
pub(super) fn is_comparable(best: &Figures, other: &Figures) -> bool {
    let differences: Vec<f64> = best.iter().filter_map(|(trial, a)| Some(a - other.get(trial)?)).collect();
    if differences.len() < 2 {
        return false;
    }
    let (middle, error) = (mean(&differences), standard_error(&differences));
    let quantile = ONE_SIDED[(differences.len() - 2).min(ONE_SIDED.len() - 1)];
    if error == 0.0 { middle <= 0.0 } else { middle / error < quantile }
}

/// A table with one column per set; the first column has the name of the row.
pub(super) fn table_of_sets(first: &str, rows: &[(String, Vec<String>)]) -> String {
    let titles: Vec<&str> = SETS.iter().map(|set| set.title).collect();
    let mut table = format!("| {first} | {} |\n| :-- |{}\n", titles.join(" | "), " --: |".repeat(SETS.len()));
    for (name, cells) in rows {
        table += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    table
}

/// Commits and dates of some trials, each once.
pub(super) fn origins<'a>(trials: impl IntoIterator<Item = &'a Value>) -> String {
    let mut found: Vec<String> = Vec::new();
    for trial in trials {
        let origin = format!(
            "{} ({})",
            trial["commit"].as_str().unwrap_or("unknown"),
            trial["date"].as_str().unwrap_or("unknown")
        );
        if !found.contains(&origin) {
            found.push(origin);
        }
    }
    found.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(values: &[f64]) -> Figures {
        values.iter().enumerate().map(|(at, v)| (at as u64, *v)).collect()
    }

    #[test]
    fn a_method_is_comparable_until_the_test_finds_it_worse() {
        let best = figures(&[80.0, 82.0, 84.0]);
        assert!(is_comparable(&best, &figures(&[79.0, 83.0, 83.0])));
        assert!(!is_comparable(&best, &figures(&[70.0, 73.0, 74.0])));
        assert!(is_comparable(&best, &best) && !is_comparable(&best, &figures(&[79.0, 81.0, 83.0])));
    }

    #[test]
    fn a_cell_says_how_many_trials_there_are_unless_ten() {
        assert_eq!(cell(&[80.0, 82.0], 1), "81.0 ± 1.4 (2)");
        assert_eq!(cell(&[1.0; 10], 1), "1.0 ± 0.0");
        assert_eq!((cell(&[], 1), cell(&[80.0], 1)), ("-".to_owned(), "80.0 (1)".to_owned()));
    }
}
