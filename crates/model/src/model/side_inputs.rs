//! What a model reads of a graph besides its patterns: a graph network, a summary, columns of the data.
//!
//! Promise: each is one [`SideInput`], and together they are the columns of [`Model::rows_beside`], in that order. How
//! graphs are encoded is `crate::side`'s business. Tested through predictions and explanations.

use super::Model;
use crate::Iterate;
use crate::gnn::Gnn;
use crate::side::{EncodeError, Encoder, FeatureScale, GraphInput};
use einsicht_data::Dataset;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Something that a model reads of a graph besides its patterns: one feature in explanations, made of one or more
/// columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideInput {
    /// Its name: `graph network`, that of a summary, or that of a column of the data.
    pub name: String,
    /// Whether it is a column of the data.
    pub is_column: bool,
    /// Its columns in [`Model::rows_beside`].
    pub columns: Range<usize>,
}

impl SideInput {
    /// Its name among the names of subgraphs: in parentheses unless it is a column.
    pub fn feature_name(&self) -> String {
        if self.is_column { self.name.clone() } else { format!("({})", self.name) }
    }

    /// Its name in a sentence.
    pub fn in_words(&self) -> String {
        if self.is_column { format!("column {}", self.name) } else { self.name.clone() }
    }
}

/// The encoding of graphs for a graph network, a summary or features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSide {
    /// The encoding of vertices.
    pub encoder: Encoder,
    /// For each entry the mean row of the training graphs: explanations use it as the baseline.
    #[serde(skip)]
    pub means: Vec<Vec<f64>>,
}

impl Model {
    /// The columns of the data that it reads besides the graphs.
    pub fn features(&self) -> impl Iterator<Item = &FeatureScale> {
        self.side.iter().flat_map(|side| &side.encoder.features)
    }

    /// Whether the model can read a data set: the attributes of vertices must be those that it was trained
    /// with, and the features must be there. What is missing would count as the mean of the training set.
    pub fn check_data(&self, dataset: &Dataset) -> Result<(), EncodeError> {
        let Some(side) = &self.side else { return Ok(()) };
        if self.params.reads_attributes() {
            side.encoder.check(dataset)?;
        }
        side.encoder.check_features(dataset)
    }

    /// The graphs at these positions, encoded for the graph network or the summary; empty without one.
    pub fn encode(&self, dataset: &Dataset, rows: &[usize]) -> Vec<GraphInput> {
        let encode = |side: &ModelSide| side.encoder.encode(dataset, rows, &self.vertex_labels, &self.edge_labels);
        self.side.as_ref().map_or_else(Vec::new, encode)
    }

    /// The readout of the graph network for each graph, row after row; empty without one.
    pub fn gnn_rows(&self, iterate: &Iterate, graphs: &[GraphInput]) -> Vec<f64> {
        let network = self.network();
        let parameters = &iterate.network[network.num_feed_forward()..];
        network.gnn_branch().map_or_else(Vec::new, |beside| beside.gin.rows(parameters, graphs))
    }

    /// What it reads besides the patterns: graph network or summary, then each feature.
    pub fn side_inputs(&self) -> Vec<SideInput> {
        let Some(side) = &self.side else { return Vec::new() };
        let (labels, attributes) = (self.vertex_labels.len(), side.encoder.mean.len());
        let (name, width) = match self.params.gin_shape(labels, attributes, self.edge_labels.len()) {
            Some(gin) => ("graph network", gin.outputs()),
            None => ("summary of attributes", self.params.summary.width(labels, attributes)),
        };
        let whole = SideInput { name: name.to_owned(), is_column: false, columns: 0..width };
        let feature = |(at, feature): (usize, &FeatureScale)| SideInput {
            name: feature.name.clone(),
            is_column: true,
            columns: width + at..width + at + 1,
        };
        let features = side.encoder.features.iter().enumerate().map(feature);
        (width > 0).then_some(whole).into_iter().chain(features).collect()
    }

    /// What is read of each graph besides the patterns, row after row: readout of the graph network, or summary and
    /// features; empty without any.
    pub fn rows_beside(&self, iterate: &Iterate, graphs: &[GraphInput]) -> Vec<f64> {
        match self.params.gnn {
            Gnn::Gin => self.gnn_rows(iterate, graphs),
            Gnn::None => self.summary_rows(graphs),
        }
    }

    /// The summary and the features of each graph, row after row; empty without any.
    pub fn summary_rows(&self, graphs: &[GraphInput]) -> Vec<f64> {
        let Some(side) = &self.side else { return Vec::new() };
        self.params.summary.rows(graphs, self.vertex_labels.len(), &side.encoder)
    }
}
