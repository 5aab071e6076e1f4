//! Graphs encoded for a graph network: one-hot vertex labels, standardised attributes, neighbours.
//!
//! Promise: labels correspond by name, so a data set may number them differently; a label that the model has never seen is
//! a row of zeros. Attributes are standardised by the vertices of the training set, here and nowhere else.

use einsicht_data::{Dataset, Vocabulary, corresponding_labels};
use einsicht_graph::Graph;

/// The encoding of vertices and edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoder {
    /// Mean of each attribute over the vertices of the training set.
    pub mean: Vec<f64>,
    /// Its standard deviation, or 1 where that is 0.
    pub scale: Vec<f64>,
}

/// Why graphs cannot be read by a graph network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// Another number of attributes than the model was trained with.
    #[error("the model reads {wanted} attributes of each vertex, but the data set has {found}")]
    OtherAttributes {
        /// Attributes that the model reads.
        wanted: usize,
        /// Attributes that the data set has.
        found: usize,
    },
    /// An attribute that is infinite or not a number.
    #[error("attributes of vertices must be finite, but graph {graph} has {value}")]
    NotFinite {
        /// Name of the graph.
        graph: String,
        /// The value.
        value: String,
    },
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
}

impl Encoder {
    /// An encoder that ignores attributes.
    pub(crate) fn of_labels() -> Self {
        Self { mean: Vec::new(), scale: Vec::new() }
    }

    /// Fits the standardisation of the attributes on the graphs at these positions.
    pub fn new(dataset: &Dataset, train: &[usize]) -> Self {
        let Some(attributes) = &dataset.attributes else { return Self::of_labels() };
        let columns = attributes.columns;
        let rows = || train.iter().flat_map(|&at| attributes.values[at].chunks_exact(columns.max(1)));
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
        Self { mean, scale }
    }

    /// Whether this encoder can read the data set.
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
        let graph = |&row: &usize| {
            let values = known.map(|attributes| &*attributes.values[row]);
            self.graph(&dataset.graphs[row], values, &vertex, &edge)
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
        }
    }
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
    pub(super) fn features(&self, labels: usize, attributes: usize, to: &mut Vec<f64>) {
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

    /// Neighbours of a vertex with the relation of the edge; with one relation edge labels are ignored. An edge whose label
    /// the model does not know is left out if there are several relations.
    pub(super) fn neighbours(&self, vertex: usize, relations: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        let known = move |&&(_, relation): &&(u32, u32)| relations == 1 || (relation as usize) < relations;
        self.neighbours[range]
            .iter()
            .filter(known)
            .map(move |&(neighbour, relation)| (neighbour as usize, if relations == 1 { 0 } else { relation as usize }))
    }
}
