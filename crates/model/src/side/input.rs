//! Graphs encoded for a graph network or a head: one-hot vertex labels, standardised attributes, neighbours, and the
//! standardised features beside the graph.
//!
//! Promise: labels correspond by name, so a data set may number them differently; a label that the model has never seen
//! is a row of zeros. Attributes are standardised by the vertices of the training set and features by its graphs, here
//! and nowhere else. Features correspond by name.

use einsicht_data::{Dataset, FeatureColumn, Vocabulary, corresponding_labels};
use einsicht_graph::Graph;
use serde::{Deserialize, Serialize};

/// The encoding of vertices and edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoder {
    /// Mean of each attribute over the vertices of the training set.
    #[serde(skip)]
    pub mean: Vec<f64>,
    /// Its standard deviation, or 1 where that is 0.
    #[serde(skip)]
    pub scale: Vec<f64>,
    /// The features beside the graphs, in the order of the training data.
    pub features: Vec<FeatureScale>,
}

/// The standardisation of a feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureScale {
    /// Its name.
    pub name: String,
    /// Mean over the training set.
    pub mean: f64,
    /// Standard deviation, or 1 where that is 0.
    pub scale: f64,
}

/// Why graphs cannot be read by a graph network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum EncodeError {
    #[error("the model reads {wanted} attributes of each vertex, but the data set has {found}")]
    OtherAttributes { wanted: usize, found: usize },
    #[error("the model reads the feature {name} of each graph, but the data set has {}", features(.found))]
    NoFeature { name: String, found: Vec<String> },
    #[error("attributes of vertices must be finite, but graph {graph} has {value}")]
    NotFinite { graph: String, value: String },
}

fn features(names: &[String]) -> String {
    if names.is_empty() { "no features".to_owned() } else { format!("only {}", names.join(", ")) }
}

/// One graph, encoded.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphInput {
    /// Rank of each vertex's label in the model; `u32::MAX` if it has none.
    labels: Box<[u32]>,
    /// Standardised attributes, vertex after vertex.
    attributes: Box<[f64]>,
    /// Where the neighbours of each vertex start, and where the last ones end.
    starts: Box<[u32]>,
    /// Each neighbour with the rank of the edge's label in the model; `u32::MAX` if it has none.
    neighbours: Box<[(u32, u32)]>,
    /// Standardised features beside the graph.
    features: Box<[f64]>,
}

impl Encoder {
    /// An encoder of labels, and of the features beside the graphs, that ignores attributes.
    pub fn of_labels(dataset: &Dataset, train: &[usize]) -> Self {
        let feature = |column: &FeatureColumn| {
            let (mean, scale) = standardisation(1, || train.iter().map(|&at| &column.values[at..=at]));
            FeatureScale { name: column.name.clone(), mean: mean[0], scale: scale[0] }
        };
        let features = dataset.features.iter().map(feature).collect();
        Self { mean: Vec::new(), scale: Vec::new(), features }
    }

    /// Fits the standardisation of the attributes and the features on the graphs at these positions.
    pub fn new(dataset: &Dataset, train: &[usize]) -> Self {
        let of_labels = Self::of_labels(dataset, train);
        let Some(attributes) = &dataset.attributes else { return of_labels };
        let columns = attributes.columns;
        let rows = || train.iter().flat_map(|&at| attributes.values[at].chunks_exact(columns.max(1)));
        let (mean, scale) = standardisation(columns, rows);
        Self { mean, scale, ..of_labels }
    }

    /// Whether the data set has the features that this encoder reads.
    pub(crate) fn check_features(&self, dataset: &Dataset) -> Result<(), EncodeError> {
        match self.features.iter().find(|feature| dataset.feature(&feature.name).is_none()) {
            None => Ok(()),
            Some(feature) => Err(EncodeError::NoFeature {
                name: feature.name.clone(),
                found: dataset.features.iter().map(|column| column.name.clone()).collect(),
            }),
        }
    }

    /// Whether this encoder can read the attributes of the data set.
    pub fn check(&self, dataset: &Dataset) -> Result<(), EncodeError> {
        let found = dataset.attributes.as_ref().map_or(0, |attributes| attributes.columns);
        if found != self.mean.len() {
            return Err(EncodeError::OtherAttributes { wanted: self.mean.len(), found });
        }
        for (at, values) in dataset.attributes.iter().flat_map(|attributes| &attributes.values).enumerate() {
            if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                let graph = dataset.ids[at].clone();
                return Err(EncodeError::NotFinite { graph, value: value.to_string() });
            }
        }
        Ok(())
    }

    /// Encodes the graphs at these positions; the vocabularies are those of the model. Attributes that the data set
    /// does not have count as the mean of the training set; [`Self::check`] refuses such data.
    pub fn encode(
        &self,
        dataset: &Dataset,
        rows: &[usize],
        vertex_labels: &Vocabulary,
        edge_labels: &Vocabulary,
    ) -> Vec<GraphInput> {
        let ranks = |from: &Vocabulary, to: &Vocabulary| -> Vec<u32> {
            corresponding_labels(from, to).into_iter().map(|label| label.map_or(u32::MAX, |label| label.0)).collect()
        };
        let vertex = ranks(&dataset.vertex_labels, vertex_labels);
        let edge = ranks(&dataset.edge_labels, edge_labels);
        let known = dataset.attributes.as_ref().filter(|attributes| attributes.columns == self.mean.len());
        let columns: Vec<_> = self.features.iter().map(|scale| (scale, dataset.feature(&scale.name))).collect();
        let feature = |row: usize| {
            let standard = |&(scale, column): &(&FeatureScale, Option<&FeatureColumn>)| {
                column.map_or(0.0, |column| (column.values[row] - scale.mean) / scale.scale)
            };
            columns.iter().map(standard).collect()
        };
        let graph = |&row: &usize| {
            let values = known.map(|attributes| &*attributes.values[row]);
            GraphInput { features: feature(row), ..self.graph(&dataset.graphs[row], values, &vertex, &edge) }
        };
        rows.iter().map(graph).collect()
    }

    fn graph(&self, graph: &Graph, attributes: Option<&[f64]>, vertex: &[u32], edge: &[u32]) -> GraphInput {
        let mut starts = vec![0];
        let mut neighbours = Vec::with_capacity(2 * graph.num_edges());
        for v in graph.vertices() {
            neighbours.extend(graph.neighbors(v).iter().map(|n| (n.vertex.0, edge[n.edge_label.index()])));
            starts.push(neighbours.len() as u32);
        }
        let columns = self.mean.len();
        let standard = |at: usize| {
            let column = at % columns;
            attributes.map_or(0.0, |values| (values[at] - self.mean[column]) / self.scale[column])
        };
        GraphInput {
            labels: graph.vertex_labels().iter().map(|label| vertex[label.index()]).collect(),
            attributes: (0..graph.num_vertices() * columns).map(standard).collect(),
            starts: starts.into(),
            neighbours: neighbours.into(),
            features: Box::default(),
        }
    }
}

/// Mean and standard deviation of each of `columns` columns; 1 instead of a deviation of 0.
fn standardisation<'r, I: Iterator<Item = &'r [f64]>>(columns: usize, rows: impl Fn() -> I) -> (Vec<f64>, Vec<f64>) {
    let count = rows().count().max(1) as f64;
    let (mut mean, mut scale) = (vec![0.0; columns], vec![0.0; columns]);
    for row in rows() {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value / count;
        }
    }
    for row in rows() {
        for ((sum, value), mean) in scale.iter_mut().zip(row).zip(&mean) {
            *sum += (value - mean) * (value - mean) / count;
        }
    }
    for (scale, mean) in scale.iter_mut().zip(&mean) {
        let root = scale.sqrt();
        // The mean of a constant is rounded, so its standard deviation may be slightly above 0.
        let spreads = root > 1e-12 * mean.abs() && root.is_finite();
        *scale = if spreads { root } else { 1.0 };
    }
    (mean, scale)
}

impl GraphInput {
    /// Number of vertices.
    pub fn num_vertices(&self) -> usize {
        self.labels.len()
    }

    /// Number of edges.
    pub fn num_edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// The standardised features beside the graph.
    pub(super) fn features_beside(&self) -> &[f64] {
        &self.features
    }

    /// For each label of the model the vertices that have it.
    pub(super) fn by_label(&self, labels: usize) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); labels];
        for (vertex, &label) in self.labels.iter().enumerate() {
            if let Some(vertices) = found.get_mut(label as usize) {
                vertices.push(vertex);
            }
        }
        found
    }

    /// One of the `attributes` standardised attributes of a vertex.
    pub(super) fn attribute(&self, attributes: usize, vertex: usize, attribute: usize) -> f64 {
        self.attributes[vertex * attributes + attribute]
    }

    /// One row per vertex: its one-hot label, then its attributes.
    pub fn features(&self, labels: usize, attributes: usize, to: &mut Vec<f64>) {
        let width = labels + attributes;
        to.clear();
        to.resize(self.labels.len() * width, 0.0);
        for (vertex, row) in to.chunks_exact_mut(width).enumerate() {
            if let Some(one) = row[..labels].get_mut(self.labels[vertex] as usize) {
                *one = 1.0;
            }
            row[labels..].copy_from_slice(&self.attributes[vertex * attributes..][..attributes]);
        }
    }

    /// Neighbours of a vertex with the relation of the edge; with one relation edge labels are ignored. An edge whose
    /// label the model does not know is left out if there are several relations.
    pub fn neighbours(&self, vertex: usize, relations: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        let known = move |&&(_, relation): &&(u32, u32)| relations == 1 || (relation as usize) < relations;
        self.neighbours[range]
            .iter()
            .filter(known)
            .map(move |&(neighbour, relation)| (neighbour as usize, if relations == 1 { 0 } else { relation as usize }))
    }
}
