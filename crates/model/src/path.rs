//! The path of models, from few patterns to many, as plain data, and the choice among them.

use crate::heads::Head;
use crate::iterate::{BeforeStep, Iterate};
use crate::task::decision::Decision;
use crate::task::metrics::{Metric, Metrics};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Why there were no more passes at a point of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoppedBy {
    /// Early stopping: no better validation loss within the patience.
    Patience,
    /// Early stopping: the validation loss still fell, but by less than the tolerance.
    Tolerance,
    /// The limit on iterations.
    Cap,
    /// No step was accepted, so nothing would change in another pass.
    Stalled,
    /// With a penalty: more patterns than allowed would enter.
    Patterns,
    /// A linear model with a penalty: the minimum was found.
    Converged,
    /// The observer ended the training.
    Observer,
}

impl StoppedBy {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Patience => "patience",
            Self::Tolerance => "tolerance",
            Self::Cap => "cap",
            Self::Stalled => "stalled",
            Self::Patterns => "patterns",
            Self::Converged => "converged",
            Self::Observer => "observer",
        }
    }
}

/// One model of the path: the iterate with the lowest validation loss at one point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathEntry {
    /// `s`: the number of patterns that it may use; on a path of penalties the number that it uses.
    pub size: usize,
    /// `lambda`, on a path of penalties.
    pub lambda: Option<f64>,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Iterate::is_empty")]
    pub iterate: Iterate,
    /// Its head, if that is not the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    /// The state before the step that chose its patterns; absent if no step was ever accepted.
    pub before: Option<BeforeStep>,
    /// Passes at this point.
    pub iterations: usize,
    /// The pass whose iterate is kept, from 1.
    pub kept: usize,
    /// Why there were no more.
    pub stopped_by: StoppedBy,
    /// Metrics of the training set; empty where folds have chosen another entry and the forests of this one were not
    /// grown.
    pub train: Metrics,
    /// Metrics of the validation set.
    pub valid: Metrics,
    /// Metrics of the test set; empty if there is none.
    pub test: Metrics,
    /// Temperatures and decision thresholds.
    pub decision: Decision,
}

/// The chosen entry of a training on a bootstrap resample: enough to predict with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Iterate::is_empty")]
    pub iterate: Iterate,
    /// Its head, if that is not the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
}

impl From<&PathEntry> for Member {
    fn from(entry: &PathEntry) -> Self {
        Self { iterate: entry.iterate.clone(), head: entry.head.clone() }
    }
}

/// The best entry: by the metric on the validation set, then fewer patterns, then lower validation loss, then
/// the earlier one. `None` if no entry has the metric.
pub fn choose(entries: &[PathEntry], metric: Metric) -> Option<usize> {
    let value = |entry: &PathEntry, metric: Metric| entry.valid.get(metric.name()).copied();
    let better = |a: &PathEntry, b: &PathEntry| -> Ordering {
        let (Some(x), Some(y)) = (value(a, metric), value(b, metric)) else { return Ordering::Equal };
        let by_metric = if metric.larger_is_better() { y.total_cmp(&x) } else { x.total_cmp(&y) };
        let loss = |entry| value(entry, Metric::Loss).unwrap_or(f64::INFINITY);
        by_metric
            .then_with(|| a.iterate.patterns.len().cmp(&b.iterate.patterns.len()))
            .then_with(|| loss(a).total_cmp(&loss(b)))
    };
    let with_metric = entries.iter().enumerate().filter(|(_, entry)| value(entry, metric).is_some());
    // `min_by` keeps the first of equal ones.
    with_metric.min_by(|a, b| better(a.1, b.1)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PatternWeights;
    use einsicht_search::code_tuples::from_tuples;

    fn entry(patterns: usize, accuracy: f64, loss: f64) -> PathEntry {
        let code = from_tuples(&[[0, 1, 0, 0, 0]]).unwrap();
        let pattern = PatternWeights { code, weights: vec![1.0] };
        PathEntry {
            size: patterns,
            lambda: None,
            iterate: Iterate { patterns: vec![pattern; patterns], ..Iterate::default() },
            head: None,
            before: None,
            iterations: 1,
            kept: 1,
            stopped_by: StoppedBy::Cap,
            train: Metrics::new(),
            valid: [("accuracy".to_owned(), accuracy), ("loss".to_owned(), loss)].into(),
            test: Metrics::new(),
            decision: Decision::default(),
        }
    }

    #[test]
    fn the_metric_decides_then_fewer_patterns_then_the_loss_then_the_earlier_one() {
        let cases = [
            (vec![entry(1, 0.5, 0.1), entry(9, 0.6, 0.9)], Metric::Accuracy, 1),
            (vec![entry(9, 0.6, 0.1), entry(5, 0.6, 0.9)], Metric::Accuracy, 1),
            (vec![entry(5, 0.6, 0.2), entry(5, 0.6, 0.1)], Metric::Accuracy, 1),
            (vec![entry(5, 0.6, 0.2), entry(5, 0.6, 0.2)], Metric::Accuracy, 0),
            (vec![entry(1, 0.9, 0.3), entry(2, 0.1, 0.2)], Metric::Loss, 1),
        ];
        for (entries, metric, expected) in cases {
            assert_eq!(choose(&entries, metric), Some(expected));
        }
        assert_eq!(choose(&[entry(1, 0.5, 0.5)], Metric::Rmse), None);
        assert_eq!(choose(&[], Metric::Loss), None);
    }
}
