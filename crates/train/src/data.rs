//! What the trainer reads besides the search: targets of the training, validation and test sets, weights of graphs, and
//! graphs encoded for a graph network.
//!
//! Promise: after [`TrainData::new`] there is something to learn; everything else is refused with the reason.

use einsicht_data::{Dataset, Split};
use einsicht_model::forward::network::Network;
use einsicht_model::gnn::{Gnn, GnnBranch};
use einsicht_model::params::{Penalty, Threshold, TrainParams};
use einsicht_model::side::{EncodeError, Encoder, GraphInput};
use einsicht_model::task::metrics::{Metric, metrics};
use einsicht_model::task::{TargetError, Targets, Task, num_outputs, tasks_of};
use std::sync::Arc;

/// Targets of a split data set.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainData {
    /// The prediction tasks.
    pub tasks: Vec<Task>,
    /// Targets of the training set.
    pub train: Targets,
    /// Weight of each training graph, finite and not negative.
    pub weights: Vec<f64>,
    /// Targets of the validation set.
    pub valid: Targets,
    /// Targets of the test set, which may be empty.
    pub test: Targets,
    /// The encoded graphs, if a graph network, a summary or columns of the data read them.
    pub side: Option<SideData>,
}

/// What a graph network, a summary or columns of the data read.
#[derive(Clone, Debug, PartialEq)]
pub struct SideData {
    /// The encoding of vertices.
    pub encoder: Encoder,
    /// Number of vertex labels.
    pub vertex_labels: usize,
    /// Number of edge labels.
    pub edge_labels: usize,
    /// The training set.
    pub train: Arc<Vec<GraphInput>>,
    /// The validation set, then the test set.
    pub held_out: Arc<Vec<GraphInput>>,
}

/// Why a data set cannot be trained on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum DataError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("there must be one weight for each of the {graphs} training graphs, got {weights}")]
    WeightCount { graphs: usize, weights: usize },
    #[error("weights must be finite and not negative, but training graph {graph} has {weight}")]
    Weight { graph: usize, weight: f64 },
    #[error("at least one labelled training graph must have a weight above 0")]
    NoWeight,
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error("the graphs must be encoded for the graph network, but they are not")]
    NotEncoded,
    #[error("features beside the graphs need head blend, linear or forest, but the head is network")]
    NoHeadForFeatures,
    #[error(
        "size 0 must read something other than subgraphs, but the vertices have no attributes and there are no features"
    )]
    NothingToRead,
    #[error("{parameter} needs a target with classes, but the targets are numbers")]
    NoClasses { parameter: &'static str },
    #[error("folds must be at most the number of graphs ({graphs}), got {folds}")]
    TooManyFolds { folds: usize, graphs: usize },
    #[error(
        "{metric} is not defined for these targets on the held-out graphs: rmse, mae and r2 are for numbers, \
         the others for classes",
        metric = metric.name()
    )]
    NoSuchMetric { metric: Metric },
}

impl TrainData {
    /// Gathers the targets of a split; without weights every graph has weight 1.
    pub fn new(dataset: &Dataset, parts: &Split, weights: Option<Vec<f64>>) -> Result<Self, DataError> {
        if parts.valid.is_empty() {
            return Err(TargetError::EmptyPart { part: "validation" }.into());
        }
        Self::of_tasks(tasks_of(dataset, parts)?, dataset, parts, weights)
    }

    /// The same for tasks that are known; no set but the training set needs graphs.
    pub(crate) fn of_tasks(
        tasks: Vec<Task>,
        dataset: &Dataset,
        parts: &Split,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, DataError> {
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
        Ok(Self { tasks, train, weights, valid, test, side: None })
    }

    /// Encodes the graphs, if these parameters have a graph network or a summary.
    pub fn for_params(mut self, params: &TrainParams, dataset: &Dataset, parts: &Split) -> Result<Self, DataError> {
        let of_classes = [("calibrate", params.calibrate), ("threshold", params.threshold == Threshold::Auto)];
        let has_classes = self.tasks.iter().any(Task::is_classification);
        if let Some((parameter, _)) = of_classes.into_iter().find(|(_, is_on)| *is_on && !has_classes) {
            return Err(DataError::NoClasses { parameter });
        }
        let attributes = dataset.attributes.as_ref().map_or(0, |attributes| attributes.columns);
        if !dataset.features.is_empty() && !params.head.is_fitted() {
            return Err(DataError::NoHeadForFeatures);
        }
        let of_graphs = params.summary.width(dataset.vertex_labels.len(), attributes) + dataset.features.len();
        let reads = params.gnn != Gnn::None || of_graphs > 0;
        if !reads && params.sizes.first() == Some(&0) && params.penalty == Penalty::L0 {
            return Err(DataError::NothingToRead);
        }
        if reads && self.side.is_none() {
            let encoder = if params.reads_attributes() {
                let encoder = Encoder::new(dataset, &parts.train);
                encoder.check(dataset)?;
                encoder
            } else {
                Encoder::of_labels(dataset, &parts.train)
            };
            let encode = |rows: &[usize]| encoder.encode(dataset, rows, &dataset.vertex_labels, &dataset.edge_labels);
            let train = Arc::new(encode(&parts.train));
            let held_out = Arc::new(encode(&[&parts.valid[..], &parts.test[..]].concat()));
            let (vertex_labels, edge_labels) = (dataset.vertex_labels.len(), dataset.edge_labels.len());
            self.side = Some(SideData { encoder, vertex_labels, edge_labels, train, held_out });
        }
        Ok(self)
    }

    /// The networks of the training set and of the held-out sets; they differ in the graphs that a graph
    /// network reads.
    pub(super) fn networks(&self, params: &TrainParams) -> Result<[Network; 2], DataError> {
        let plain = params.network(num_outputs(&self.tasks));
        if params.gnn == Gnn::None {
            return Ok([plain.clone(), plain]);
        }
        let side = self.side.as_ref().ok_or(DataError::NotEncoded)?;
        let gin = params
            .gin_shape(side.vertex_labels, side.encoder.mean.len(), side.edge_labels)
            .ok_or(DataError::NotEncoded)?;
        let over = |graphs: &Arc<Vec<GraphInput>>| {
            plain.clone().with_gnn_branch(GnnBranch { gin: gin.clone(), graphs: Arc::clone(graphs), fitted: true })
        };
        Ok([over(&side.train), over(&side.held_out)])
    }

    /// The metric that chooses among models: the one of the parameters, or the usual one. That is the root of the
    /// squared error if every task predicts a number, else the area under the curve where a head is fitted beside the
    /// network and the held-out graphs have it, else accuracy. With few held-out graphs it is less noisy than accuracy
    /// (`docs/decisions/`).
    pub fn metric(tasks: &[Task], held_out: &Targets, params: &TrainParams) -> Result<Metric, DataError> {
        let zeros = vec![0.0; held_out.rows() * held_out.outputs()];
        let defined = metrics(tasks, held_out, &zeros);
        let metric = params.select.unwrap_or_else(|| {
            if !tasks.iter().any(Task::is_classification) {
                Metric::Rmse
            } else if params.head.is_fitted() && defined.contains_key(Metric::Auc.name()) {
                Metric::Auc
            } else {
                Metric::Accuracy
            }
        });
        if defined.contains_key(metric.name()) { Ok(metric) } else { Err(DataError::NoSuchMetric { metric }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::{Target, TargetValues};
    use einsicht_graph::Graph;

    #[test]
    fn without_folds_there_must_be_a_validation_set() {
        let values = TargetValues::Numbers { values: vec![Some(1.0), Some(2.0)] };
        let targets = vec![Target { name: "y".to_owned(), values }];
        let dataset = Dataset { graphs: vec![Graph::builder().build(); 2], targets, ..Dataset::default() };
        let split = Split { train: vec![0, 1], ..Split::default() };
        let refused = TrainData::new(&dataset, &split, None);
        assert_eq!(refused, Err(TargetError::EmptyPart { part: "validation" }.into()));
    }
}
