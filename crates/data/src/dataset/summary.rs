//! Summary statistics of a data set: sizes, labels, targets and irregularities.
//!
//! Promise: counts are over the given graphs, so the summary of a subset counts the labels of that subset.
//! Knows nothing of how the numbers are shown.

use crate::dataset::vocabulary::Vocabulary;
use crate::dataset::{Dataset, TargetValues};
use einsicht_graph::{Graph, Label};

/// Numbers about a data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Number of graphs.
    pub graphs: usize,
    /// Vertices of the graphs.
    pub vertices: Sizes,
    /// Edges of the graphs, each counted once.
    pub edges: Sizes,
    /// How often each vertex label occurs, by rank, without those that never do. Empty if there are no labels.
    pub vertex_labels: Vec<(Label, u64)>,
    /// The same for edges.
    pub edge_labels: Vec<(Label, u64)>,
    /// Number of real-valued attributes of a vertex.
    pub attribute_columns: usize,
    /// The tasks.
    pub targets: Vec<TargetSummary>,
    /// Irregularities.
    pub oddities: Oddities,
}

/// Sizes of graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Over all graphs.
    pub total: u64,
    /// Of the smallest graph.
    pub least: usize,
    /// Of the largest graph.
    pub most: usize,
}

/// Irregularities that may surprise a user or a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Graphs without a vertex.
    pub empty_graphs: usize,
    /// Graphs with vertices but without an edge.
    pub edgeless_graphs: usize,
    /// Graphs of several components.
    pub disconnected_graphs: usize,
    /// Vertices without an edge.
    pub isolated_vertices: u64,
}

/// Numbers about a target.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetSummary {
    /// Its name.
    pub name: String,
    /// Graphs with a value.
    pub labelled: usize,
    /// Graphs without one.
    pub missing: usize,
    /// Statistics of the values.
    pub values: ValueSummary,
}

/// Statistics of the values of a target.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueSummary {
    /// Classes and the number of graphs of each, by rank.
    Classes(Vec<(String, usize)>),
    /// Numbers. All are NaN if there is none, `deviation` also if there is one only.
    Numbers {
        /// The smallest.
        least: f64,
        /// The mean.
        mean: f64,
        /// The largest.
        most: f64,
        /// The standard deviation, with n - 1.
        deviation: f64,
    },
}

impl Summary {
    /// Looks through a data set once.
    ///
    /// ```
    /// use einsicht_data::{generate::{Synthetic, generate}, summary::Summary};
    /// let summary = Summary::of(&generate(Synthetic::Cycle, 0));
    /// assert_eq!((summary.graphs, summary.vertex_labels.len(), summary.edge_labels.len()), (600, 2, 0));
    /// ```
    pub fn of(dataset: &Dataset) -> Self {
        let vertex_labels = dataset.graphs.iter().flat_map(|graph| graph.vertex_labels().iter().copied());
        let edge_labels = dataset.graphs.iter().flat_map(|graph| graph.edges().iter().map(|edge| edge.label));
        let mut oddities = Oddities::default();
        for graph in &dataset.graphs {
            oddities.add(graph);
        }
        Self {
            graphs: dataset.len(),
            vertices: Sizes::of(dataset.graphs.iter().map(Graph::num_vertices)),
            edges: Sizes::of(dataset.graphs.iter().map(Graph::num_edges)),
            vertex_labels: count(vertex_labels, &dataset.vertex_labels),
            edge_labels: count(edge_labels, &dataset.edge_labels),
            attribute_columns: dataset.attributes.as_ref().map_or(0, |attributes| attributes.columns),
            targets: dataset.targets.iter().map(|target| TargetSummary::of(&target.name, &target.values)).collect(),
            oddities,
        }
    }
}

impl Sizes {
    fn of(sizes: impl Iterator<Item = usize> + Clone) -> Self {
        Self {
            total: sizes.clone().map(|size| size as u64).sum(),
            least: sizes.clone().min().unwrap_or(0),
            most: sizes.max().unwrap_or(0),
        }
    }
}

impl Oddities {
    fn add(&mut self, graph: &Graph) {
        self.empty_graphs += usize::from(graph.num_vertices() == 0);
        self.edgeless_graphs += usize::from(graph.num_vertices() > 0 && graph.num_edges() == 0);
        self.disconnected_graphs += usize::from(graph.components().iter().any(|&component| component > 0));
        self.isolated_vertices += graph.vertices().filter(|&vertex| graph.degree(vertex) == 0).count() as u64;
    }
}

impl TargetSummary {
    fn of(name: &str, values: &TargetValues) -> Self {
        let (labelled, summary) = match values {
            TargetValues::Classes { classes, values } => {
                let mut counts = vec![0; classes.len()];
                for &class in values.iter().flatten() {
                    counts[class as usize] += 1;
                }
                let names = (0..classes.len()).map(|class| classes.name(Label(class as u32)).to_owned());
                (counts.iter().sum(), ValueSummary::Classes(names.zip(counts).collect()))
            }
            TargetValues::Numbers { values } => {
                let known: Vec<f64> = values.iter().flatten().copied().collect();
                (known.len(), ValueSummary::of_numbers(&known))
            }
        };
        Self { name: name.to_owned(), labelled, missing: values.len() - labelled, values: summary }
    }
}

impl ValueSummary {
    fn of_numbers(values: &[f64]) -> Self {
        let len = values.len() as f64;
        let mean = values.iter().sum::<f64>() / len;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        Self::Numbers {
            least: values.iter().copied().fold(f64::NAN, f64::min),
            mean,
            most: values.iter().copied().fold(f64::NAN, f64::max),
            deviation: (squares / (len - 1.0)).sqrt(),
        }
    }
}

/// How often each label occurs. The single empty token means that there are no labels.
fn count(labels: impl Iterator<Item = Label>, vocabulary: &Vocabulary) -> Vec<(Label, u64)> {
    if vocabulary.tokens() == [""] {
        return Vec::new();
    }
    let mut counts = vec![0; vocabulary.len()];
    for label in labels {
        counts[label.index()] += 1;
    }
    (0..).map(Label).zip(counts).filter(|&(_, count)| count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Target;

    /// A graph with these vertex labels and edges.
    fn graph(labels: &[u32], edges: &[(u32, u32)]) -> Graph {
        let mut builder = Graph::builder();
        for &label in labels {
            builder.add_vertex(Label(label)).unwrap();
        }
        for &(from, to) in edges {
            builder.add_edge(from.into(), to.into(), Label(0)).unwrap();
        }
        builder.build()
    }

    #[test]
    fn oddities_are_counted() {
        let graphs = vec![graph(&[], &[]), graph(&[0], &[]), graph(&[0, 0, 2], &[(0, 1)]), graph(&[2, 2], &[(0, 1)])];
        let dataset = Dataset {
            graphs,
            vertex_labels: Vocabulary::from_tokens(["C", "N", "O"]),
            edge_labels: Vocabulary::from_tokens([""]),
            ..Dataset::default()
        };
        let summary = Summary::of(&dataset);
        assert_eq!(
            summary.oddities,
            Oddities { empty_graphs: 1, edgeless_graphs: 1, disconnected_graphs: 1, isolated_vertices: 2 }
        );
        assert_eq!(summary.vertices, Sizes { total: 6, least: 0, most: 3 });
        assert_eq!(summary.vertex_labels, [(Label(0), 3), (Label(2), 3)]);
        assert_eq!(summary.edge_labels, []);
    }

    #[test]
    fn missing_values_are_counted_apart() {
        let classes = Vocabulary::from_tokens(["no", "yes"]);
        let target = |values| Target { name: "t".into(), values };
        let dataset = Dataset {
            targets: vec![
                target(TargetValues::Classes { classes, values: vec![Some(1), None, Some(1)] }),
                target(TargetValues::Numbers { values: vec![Some(1.0), Some(3.0), None] }),
            ],
            ..Dataset::default()
        };
        let targets = Summary::of(&dataset).targets;
        assert_eq!(targets[0].values, ValueSummary::Classes(vec![("no".into(), 0), ("yes".into(), 2)]));
        let numbers = ValueSummary::Numbers { least: 1.0, mean: 2.0, most: 3.0, deviation: 2.0_f64.sqrt() };
        assert_eq!(targets[1].values, numbers);
        assert_eq!((targets[0].missing, targets[1].missing, targets[1].labelled), (1, 1, 2));
    }
}
