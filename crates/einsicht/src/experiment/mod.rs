//! Experiments: what trials reach, their means, intervals and paired differences. One trial is every point of a grid
//! trained on one split (`trial.rs`).
//!
//! Promise: results are plain data; what a resumed trial reaches is what an uninterrupted one would. Tested by the
//! program's experiments (`crates/cli/tests`).

mod interval;
mod paired;
mod trial;

pub use interval::intervals;
pub use paired::PairedComparison;
pub use trial::{TrialState, Trials};

use einsicht_model::PathEntry;
use einsicht_model::task::metrics::Metrics;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What a point of the grid reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointResult {
    /// The parameters that the grid sets.
    pub point: Map<String, Value>,
    /// Passes of its training.
    pub iterations: usize,
    /// Size of the chosen entry.
    pub size: usize,
    /// Patterns that it uses.
    pub patterns: usize,
    /// Metrics on the validation set.
    pub valid: Metrics,
    /// Metrics on the test set.
    pub test: Metrics,
}

/// What one model of a path reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeResult {
    /// Subgraphs that it may use.
    pub size: usize,
    /// Patterns that it uses.
    pub patterns: usize,
    /// Metrics on held-out graphs, which choose among the sizes.
    pub valid: Metrics,
    /// Metrics on the test set. Only those of the chosen size are the trial's.
    pub test: Metrics,
}

impl From<&PathEntry> for SizeResult {
    fn from(entry: &PathEntry) -> Self {
        let patterns = entry.iterate.patterns.len();
        Self { size: entry.size, patterns, valid: entry.valid.clone(), test: entry.test.clone() }
    }
}

/// What a trial reached: the best point and all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialResult {
    /// Number of the trial.
    pub trial: usize,
    /// The parameters that the grid sets at the best point.
    pub point: Map<String, Value>,
    /// Size of the chosen entry.
    pub size: usize,
    /// Its penalty, on a regularization path of the group lasso.
    pub lambda: Option<f64>,
    /// Patterns that it uses.
    pub patterns: usize,
    /// These patterns as text.
    pub subgraphs: Vec<String>,
    /// Metrics on the validation set.
    pub valid: Metrics,
    /// Metrics on the test set.
    pub test: Metrics,
    /// All points, in the order of the grid.
    pub points: Vec<PointResult>,
    /// The path of the best point.
    pub path: Vec<SizeResult>,
}

/// Mean and standard deviation (n - 1) over trials, by metric; `patterns` is one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialSummary {
    /// Means.
    pub mean: BTreeMap<String, f64>,
    /// Standard deviations; absent for a single trial.
    pub std: BTreeMap<String, Option<f64>>,
}

impl TrialSummary {
    /// Summarises the test metrics and the number of patterns.
    pub fn new<'r>(results: impl IntoIterator<Item = &'r TrialResult>) -> Self {
        let mut summary = Self::default();
        for (name, values) in values_by_name(results) {
            let len = values.len() as f64;
            let mean = values.iter().sum::<f64>() / len;
            let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
            summary.mean.insert(name.clone(), mean);
            summary.std.insert(name, (len > 1.0).then(|| (squares / (len - 1.0)).sqrt()));
        }
        summary
    }
}

/// The test metrics and the number of patterns of all trials, by name.
pub(super) fn values_by_name<'r>(results: impl IntoIterator<Item = &'r TrialResult>) -> BTreeMap<String, Vec<f64>> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for result in results {
        for (name, value) in &result.test {
            values.entry(name.clone()).or_default().push(*value);
        }
        values.entry("patterns".to_owned()).or_default().push(result.patterns as f64);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_divides_by_one_less() {
        let result = |patterns: usize, auc: f64| TrialResult {
            trial: 0,
            point: Map::new(),
            size: 1,
            lambda: None,
            patterns,
            subgraphs: Vec::new(),
            valid: Metrics::new(),
            test: [("auc".to_owned(), auc)].into(),
            points: Vec::new(),
            path: Vec::new(),
        };
        let TrialSummary { mean, std } = TrialSummary::new(&[result(1, 0.5), result(3, 0.7)]);
        assert_eq!(mean["patterns"], 2.0);
        assert_eq!(std["patterns"], Some(2.0_f64.sqrt()));
        assert!((std["auc"].unwrap() - 0.02_f64.sqrt()).abs() < 1e-12);
        assert_eq!(TrialSummary::new(&[result(1, 0.5)]).std["auc"], None);
    }
}
