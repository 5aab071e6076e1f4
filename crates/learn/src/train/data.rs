//! What the trainer reads besides graphs: targets of the three parts and the weight of each training graph.

use crate::metrics::Metric;
use crate::task::{TargetError, Targets, Task, tasks_of};
use einsicht_data::{Dataset, Split};

/// Targets of a split data set.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainData {
    /// What is to be predicted.
    pub tasks: Vec<Task>,
    /// Targets of the training part.
    pub train: Targets,
    /// Weight of each training graph, finite and not negative.
    pub weights: Vec<f64>,
    /// Targets of the validation part.
    pub valid: Targets,
    /// Targets of the test part, which may be empty.
    pub test: Targets,
}

/// Why a data set cannot be trained on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The targets do not serve.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A wrong number of weights.
    #[error("there must be one weight for each of the {graphs} training graphs, got {weights}")]
    WeightCount {
        /// Training graphs.
        graphs: usize,
        /// Weights given.
        weights: usize,
    },
    /// A weight that cannot serve.
    #[error("weights must be finite and not negative, but training graph {graph} has {weight}")]
    Weight {
        /// Position in the training part.
        graph: usize,
        /// Its weight.
        weight: f64,
    },
    /// All labelled graphs have weight zero.
    #[error("at least one labelled training graph must have a weight above 0")]
    NoWeight,
    /// A metric that says nothing about these targets.
    #[error("{metric} is not defined for these targets on the validation part", metric = metric.name())]
    NoSuchMetric {
        /// The metric.
        metric: Metric,
    },
}

impl TrainData {
    /// Gathers the targets of the parts; without weights every graph has weight 1.
    pub fn new(dataset: &Dataset, parts: &Split, weights: Option<Vec<f64>>) -> Result<Self, DataError> {
        let tasks = tasks_of(dataset, parts)?;
        let gather = |rows: &[usize]| Targets::gather(&tasks, dataset, rows);
        let (train, valid, test) = (gather(&parts.train)?, gather(&parts.valid)?, gather(&parts.test)?);
        let weights = weights.unwrap_or_else(|| vec![1.0; parts.train.len()]);
        if weights.len() != parts.train.len() {
            return Err(DataError::WeightCount { graphs: parts.train.len(), weights: weights.len() });
        }
        let is_good = |w: f64| w >= 0.0 && w.is_finite();
        if let Some(graph) = weights.iter().position(|&w| !is_good(w)) {
            return Err(DataError::Weight { graph, weight: weights[graph] });
        }
        let total = train.total_weight(&weights);
        if !(total > 0.0 && total.is_finite()) {
            return Err(DataError::NoWeight);
        }
        Ok(Self { tasks, train, weights, valid, test })
    }

    /// The metric that chooses among models if none is given: accuracy, or the root of the squared error if
    /// every task predicts a number.
    pub fn usual_metric(&self) -> Metric {
        if self.tasks.iter().any(Task::is_classification) { Metric::Accuracy } else { Metric::Rmse }
    }
}
