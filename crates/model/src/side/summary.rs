//! What a head reads of a graph besides the chosen patterns: the summary (its size, its labels, and statistics of its
//! vertex attributes), then the features beside the graph.
//!
//! Promise: a fixed row for each graph, in an order that depends on the model's vocabularies alone; nothing is fitted
//! here but the standardisation of attributes and features ([`super::Encoder`]). Numbers have the scale of the pattern
//! values: counts enter as `log(1 + x)`. Distances between vertices were tried, too (`lab/notes/0036`).

use super::{Encoder, GraphInput};
use serde::{Deserialize, Serialize};

/// Limit on the pairs of a label and an attribute; with more pairs none has columns.
const PAIRS: usize = 256;

/// Features of a whole graph, besides the chosen patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Summary {
    /// Nothing.
    #[default]
    None,
    /// If vertices have attributes: numbers of vertices and edges, the number of vertices with each label, and of each
    /// attribute the mean, standard deviation, minimum and maximum, over all vertices and over those of each label. If
    /// they have none: nothing, since subgraphs read everything else.
    Attributes,
}

impl Summary {
    /// Length of the summary for this many vertex labels and attributes.
    pub fn width(self, labels: usize, attributes: usize) -> usize {
        match self {
            Self::Attributes if attributes > 0 => 2 + labels + 4 * attributes + 3 * pairs(labels, attributes),
            Self::None | Self::Attributes => 0,
        }
    }

    /// Rows of all graphs, one after the other: the summary, then the features.
    pub fn rows(self, graphs: &[GraphInput], labels: usize, encoder: &Encoder) -> Vec<f64> {
        let attributes = encoder.mean.len();
        let width = self.width(labels, attributes);
        let features = graphs.first().map_or(0, |graph| graph.features_beside().len());
        let mut rows = Vec::with_capacity(graphs.len() * (width + features));
        for graph in graphs {
            if width == 0 {
                rows.extend_from_slice(graph.features_beside());
                continue;
            }
            let of_label = graph.by_label(labels);
            rows.extend([graph.num_vertices(), graph.num_edges()].map(log_count));
            rows.extend(of_label.iter().map(|vertices| log_count(vertices.len())));
            let all: Vec<usize> = (0..graph.num_vertices()).collect();
            for attribute in 0..attributes {
                let Statistics { mean, deviation, minimum, maximum } = statistics(graph, attributes, attribute, &all);
                rows.extend([mean, deviation, minimum, maximum]);
            }
            for vertices in of_label.iter().filter(|_| pairs(labels, attributes) > 0) {
                for attribute in 0..attributes {
                    let Statistics { mean, minimum, maximum, .. } = statistics(graph, attributes, attribute, vertices);
                    rows.extend([mean, minimum, maximum]);
                }
            }
            rows.extend_from_slice(graph.features_beside());
        }
        rows
    }
}

/// Number of pairs of a label and an attribute that have columns.
fn pairs(labels: usize, attributes: usize) -> usize {
    let pairs = labels * attributes;
    // With a single label they would only repeat the columns of all vertices.
    if labels > 1 && pairs <= PAIRS { pairs } else { 0 }
}

fn log_count(count: usize) -> f64 {
    libm::log1p(count as f64)
}

/// All zero, the mean of the training set, if there is no vertex.
#[derive(Default)]
struct Statistics {
    mean: f64,
    deviation: f64,
    minimum: f64,
    maximum: f64,
}

fn statistics(graph: &GraphInput, attributes: usize, attribute: usize, vertices: &[usize]) -> Statistics {
    if vertices.is_empty() {
        return Statistics::default();
    }
    let values = || vertices.iter().map(|&vertex| graph.attribute(attributes, vertex, attribute));
    let count = vertices.len() as f64;
    let mean = values().fold(0.0, |sum, value| sum + value) / count;
    let variance = values().fold(0.0, |sum, value| sum + (value - mean) * (value - mean)) / count;
    Statistics {
        mean,
        deviation: variance.sqrt(),
        minimum: values().fold(f64::INFINITY, f64::min),
        maximum: values().fold(f64::NEG_INFINITY, f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::generate::{Synthetic, generate};
    use einsicht_data::{Attributes, Dataset, FeatureColumn};

    /// Graphs of two labels with two attributes: the number of the vertex, and a constant.
    fn dataset() -> Dataset {
        let mut dataset = generate(Synthetic::Cycle, 0).subset(&[0, 1, 2]);
        let vertex = |at: usize| [at as f64, 7.0];
        let values = dataset.graphs.iter().map(|graph| (0..graph.num_vertices()).flat_map(vertex).collect()).collect();
        dataset.attributes = Some(Attributes::new(2, values));
        dataset
    }

    #[test]
    fn a_row_holds_sizes_labels_and_statistics_of_each_attribute() {
        let dataset = dataset();
        let encoder = Encoder::new(&dataset, &[0, 1]);
        let graphs = encoder.encode(&dataset, &[2], &dataset.vertex_labels, &dataset.edge_labels);
        let row = Summary::Attributes.rows(&graphs, 2, &encoder);
        assert_eq!(row.len(), Summary::Attributes.width(2, 2));
        let graph = &dataset.graphs[2];
        let zeros = graph.vertex_labels().iter().filter(|label| label.0 == 0).count();
        let counts = [graph.num_vertices(), graph.num_edges(), zeros, graph.num_vertices() - zeros];
        assert_eq!(row[..4], counts.map(log_count));
        // The vertices are numbered from 0, so mean, minimum and maximum of the first attribute are known.
        let standard = |value: f64| (value - encoder.mean[0]) / encoder.scale[0];
        let last = (graph.num_vertices() - 1) as f64;
        assert!((row[4] - standard(last / 2.0)).abs() < 1e-12 && row[5] > 0.0);
        assert_eq!(row[6..8], [standard(0.0), standard(last)]);
        // A constant has no information.
        assert!(row[8..12].iter().all(|value| value.abs() < 1e-12), "{row:?}");
        // Of each label: mean, minimum and maximum of the first attribute, then of the second.
        for (label, start) in [(0, 12), (1, 18)] {
            let of_label = |at: &usize| graph.vertex_labels()[*at].0 == label;
            let vertices: Vec<usize> = (0..graph.num_vertices()).filter(of_label).collect();
            let ends = [vertices[0], vertices[vertices.len() - 1]].map(|vertex| standard(vertex as f64));
            assert_eq!(row[start + 1..start + 3], ends);
        }
    }

    #[test]
    fn without_attributes_a_row_is_empty() {
        let mut dataset = dataset();
        dataset.attributes = None;
        let encoder = Encoder::new(&dataset, &[0, 1]);
        let graphs = encoder.encode(&dataset, &[2], &dataset.vertex_labels, &dataset.edge_labels);
        assert!(Summary::Attributes.rows(&graphs, 2, &encoder).is_empty());
        assert_eq!(Summary::Attributes.width(2, 0), 0);
        assert!(Summary::None.rows(&graphs, 2, &encoder).is_empty());
    }

    #[test]
    fn features_come_last_standardised_and_by_name() {
        let mut dataset = dataset();
        let column = |name: &str, values: [f64; 3]| FeatureColumn { name: name.to_owned(), values: values.to_vec() };
        dataset.features = vec![column("dose", [1.0, 3.0, 7.0]), column("same", [4.0; 3])];
        let encoder = Encoder::new(&dataset, &[0, 1]);
        let rows = |dataset: &Dataset, summary: Summary| {
            let graphs = encoder.encode(dataset, &[2, 0], &dataset.vertex_labels, &dataset.edge_labels);
            summary.rows(&graphs, 2, &encoder)
        };
        // The mean of the training set is 2, its standard deviation 1; a constant has no information.
        assert_eq!(rows(&dataset, Summary::None), [5.0, 0.0, -1.0, 0.0]);
        let whole = rows(&dataset, Summary::Attributes);
        let width = Summary::Attributes.width(2, 2) + 2;
        assert_eq!((whole.len(), &whole[width - 2..width]), (2 * width, &[5.0, 0.0][..]));
        let mut turned = dataset.clone();
        turned.features.reverse();
        assert_eq!(rows(&turned, Summary::Attributes), whole);
        assert_eq!(encoder.check_features(&turned), Ok(()));
        turned.features.pop();
        let refused = encoder.check_features(&turned).unwrap_err().to_string();
        assert_eq!(refused, "the model reads the feature dose of each graph, but the data set has only same");
    }
}
