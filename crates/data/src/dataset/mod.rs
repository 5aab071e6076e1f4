//! A set of labelled graphs with their targets and their rows in the source.
//!
//! Promise: all per-graph lists have the same length; every label of a graph is in the vocabulary; every class index is
//! one of its target's classes. Fields are public, so that readers can fill them; [`Dataset::check`] checks the
//! promise, and every reader ends with it.

pub(crate) mod class_weight;
mod coordinates;
pub(crate) mod duplicates;
pub(crate) mod features;
pub(crate) mod fingerprint;
pub(crate) mod identity;
pub(crate) mod interner;
pub(crate) mod join;
pub(crate) mod properties;
pub mod summary;
pub(crate) mod vocabulary;

use crate::names::Names;
use crate::qualify::Qualifiers;
use crate::reading::Reading;
use einsicht_graph::Graph;
use features::FeatureColumn;
use properties::PropertyColumn;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::AddAssign;
use std::path::PathBuf;
use vocabulary::Vocabulary;

/// Token of all edges where the source has no edge labels, or they are ignored.
pub(crate) const NO_LABEL: &str = "";

/// Position of a graph in its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Row of the source, counted over *all* its rows, skipped ones included: what split files refer to.
    pub row: u32,
    /// Line of the file where it starts, from 1; 0 where lines make no sense.
    pub line: u64,
}

/// A row of the source that did not become a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its position.
    pub origin: Origin,
    /// Why it was skipped, as a sentence for people.
    pub reason: String,
}

/// Number of edges that the option `repair` corrected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// Edges from a vertex to itself, dropped.
    pub self_loops: u64,
    /// Further edges between two joined vertices, dropped.
    pub double_edges: u64,
    /// Edges given in one direction only, completed.
    pub one_way_edges: u64,
}

impl AddAssign for Repaired {
    fn add_assign(&mut self, other: Self) {
        self.self_loops += other.self_loops;
        self.double_edges += other.double_edges;
        self.one_way_edges += other.one_way_edges;
    }
}

/// One task: a property to predict.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Column name or another name for people.
    pub name: String,
    /// One value per graph; `None` where it is missing.
    pub values: TargetValues,
}

/// Values of a target.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetValues {
    /// Classes by rank (numbers by value, then words by bytes).
    Classes {
        /// Names of the classes, by index.
        classes: Vocabulary,
        /// Class index of each graph.
        values: Vec<Option<u32>>,
    },
    /// Real numbers.
    Numbers {
        /// Value of each graph, finite.
        values: Vec<Option<f64>>,
    },
}

impl TargetValues {
    /// Number of graphs covered.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { values, .. } => values.len(),
            Self::Numbers { values } => values.len(),
        }
    }

    /// Whether no graph is covered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Target {
    /// The values of the graphs at these positions, in this order.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn subset(&self, positions: &[usize]) -> Self {
        let values = match &self.values {
            TargetValues::Classes { classes, values } => {
                TargetValues::Classes { classes: classes.clone(), values: pick(values, positions) }
            }
            TargetValues::Numbers { values } => TargetValues::Numbers { values: pick(values, positions) },
        };
        Self { name: self.name.clone(), values }
    }
}

fn pick<T: Clone>(items: &[T], positions: &[usize]) -> Vec<T> {
    positions.iter().map(|&at| items[at].clone()).collect()
}

/// Real-valued vertex attributes. They are here since mining does not use them.
#[derive(Clone, Debug, PartialEq)]
pub struct Attributes {
    /// Number of values per vertex.
    pub columns: usize,
    /// For each graph `columns` values per vertex, vertex by vertex.
    pub values: Vec<Box<[f64]>>,
    /// Columns that are coordinates in space, increasing; [`Qualifiers::leaving_out_coordinates_of`] keeps them from
    /// models. Empty if the reader was asked to keep them.
    pub coordinates: Vec<usize>,
}

impl Attributes {
    /// Attributes without coordinates.
    pub fn new(columns: usize, values: Vec<Box<[f64]>>) -> Self {
        Self { columns, values, coordinates: Vec::new() }
    }

    /// The columns that look like coordinates, whatever the reader was asked for.
    pub(crate) fn detect(&self, graphs: &[Graph]) -> Vec<usize> {
        coordinates::coordinate_columns(graphs, self.columns, &self.values)
    }

    /// The same columns of no graph.
    fn clone_empty(&self) -> Self {
        Self { columns: self.columns, values: Vec::new(), coordinates: self.coordinates.clone() }
    }

    /// The other columns; `None` if there are none.
    pub(crate) fn without(&self, left_out: &[usize]) -> Option<Self> {
        let kept: Vec<usize> = (0..self.columns).filter(|column| !left_out.contains(column)).collect();
        let pick = |values: &[f64]| {
            values.chunks(self.columns).flat_map(|row| kept.iter().map(|&column| row[column])).collect()
        };
        (!kept.is_empty()).then(|| Self::new(kept.len(), self.values.iter().map(|values| pick(values)).collect()))
    }
}

/// Graphs with targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    /// Name for people, usually from the file name.
    pub name: String,
    /// The file or folder it was read from.
    pub source: PathBuf,
    /// The graphs.
    pub graphs: Vec<Graph>,
    /// Name of each graph: its id in the source, else its row.
    pub ids: Vec<String>,
    /// Position of each graph in the source.
    pub origins: Vec<Origin>,
    /// Vertex labels.
    pub vertex_labels: Vocabulary,
    /// Edge labels. A set without edge labels has the single token ``""``.
    pub edge_labels: Vocabulary,
    /// Vertex attributes, if there are any.
    pub attributes: Option<Attributes>,
    /// Columns of numbers beside the graphs, that a model may read; all names are different.
    pub features: Vec<FeatureColumn>,
    /// Properties of vertices with few values, by name.
    pub properties: Vec<PropertyColumn>,
    /// What the qualifiers of the graphs mean; empty if the graphs have none.
    pub qualifiers: Qualifiers,
    /// The tasks; may be empty.
    pub targets: Vec<Target>,
    /// How the graphs were read.
    pub reading: Reading,
    /// Rows that were skipped.
    pub skipped: Vec<Skipped>,
    /// Corrected edges.
    pub repaired: Repaired,
}

impl Dataset {
    /// The names of its labels and qualifiers.
    pub fn names(&self) -> Names<'_> {
        Names { vertex_labels: &self.vertex_labels, edge_labels: &self.edge_labels, qualifiers: &self.qualifiers }
    }

    /// The property with this name.
    pub fn property(&self, name: &str) -> Option<&PropertyColumn> {
        self.properties.iter().find(|column| column.name == name)
    }

    /// Sets a property, in place of one with the same name.
    pub fn set_property(&mut self, column: PropertyColumn) {
        self.properties.retain(|other| other.name != column.name);
        self.properties.push(column);
        self.properties.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Positions of the graphs that stand for rows that could not be read ([`crate::read::OnBad::Nan`]), increasing.
    pub fn missing(&self) -> Vec<usize> {
        let rows: BTreeSet<u32> = self.skipped.iter().map(|skipped| skipped.origin.row).collect();
        let is_missing = |at: &usize| self.graphs[*at].num_vertices() == 0 && rows.contains(&self.origins[*at].row);
        (0..self.len()).filter(is_missing).collect()
    }

    /// Number of graphs.
    pub fn len(&self) -> usize {
        self.graphs.len()
    }

    /// Whether there are no graphs.
    pub fn is_empty(&self) -> bool {
        self.graphs.is_empty()
    }

    /// The graphs at these positions, in this order, with all that belongs to them. Vocabularies stay whole, so that
    /// labels and classes keep their numbers.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn subset(&self, positions: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            source: self.source.clone(),
            graphs: pick(&self.graphs, positions),
            ids: pick(&self.ids, positions),
            origins: pick(&self.origins, positions),
            vertex_labels: self.vertex_labels.clone(),
            edge_labels: self.edge_labels.clone(),
            attributes: self
                .attributes
                .as_ref()
                .map(|a| Attributes { values: pick(&a.values, positions), ..a.clone_empty() }),
            features: self.features.iter().map(|column| column.subset(positions)).collect(),
            properties: self.properties.iter().map(|column| column.subset(positions)).collect(),
            qualifiers: self.qualifiers.clone(),
            targets: self.targets.iter().map(|target| target.subset(positions)).collect(),
            reading: self.reading.clone(),
            skipped: self.skipped.clone(),
            repaired: self.repaired,
        }
    }

    /// Panics if the promise is broken: a bug of a reader, never bad input.
    ///
    /// # Panics
    /// If the lists disagree in length or an index is out of range.
    pub fn check(&self) {
        let n = self.len();
        assert_eq!(self.ids.len(), n, "one id per graph");
        assert_eq!(self.origins.len(), n, "one origin per graph");
        for graph in &self.graphs {
            assert!(graph.vertex_labels().iter().all(|l| l.index() < self.vertex_labels.len()));
            assert!(graph.edges().iter().all(|e| e.label.index() < self.edge_labels.len()));
            let known = self.qualifiers.mask();
            assert!(graph.all_qualifiers().iter().all(|bits| bits & !known == 0), "qualifiers of the table");
        }
        assert!(self.properties.is_sorted_by(|a, b| a.name < b.name), "one column per name, sorted");
        for column in &self.properties {
            column.check(self.graphs.iter().map(Graph::num_vertices));
        }
        for target in &self.targets {
            assert_eq!(target.values.len(), n, "one target value per graph");
            if let TargetValues::Classes { classes, values } = &target.values {
                assert!(values.iter().flatten().all(|&c| (c as usize) < classes.len()));
            }
        }
        for (at, column) in self.features.iter().enumerate() {
            assert_eq!(column.values.len(), n, "one number per graph in each feature");
            assert!(column.values.iter().all(|value| value.is_finite()), "finite features");
            assert!(self.features[..at].iter().all(|other| other.name != column.name), "one feature per name");
        }
        if let Some(attributes) = &self.attributes {
            assert_eq!(attributes.values.len(), n, "attributes of every graph");
            for (graph, values) in self.graphs.iter().zip(&attributes.values) {
                assert_eq!(values.len(), graph.num_vertices() * attributes.columns);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_graph::Label;

    /// Three graphs of classes a, b, c with one vertex each and one attribute.
    fn dataset() -> Dataset {
        let mut one = Graph::builder();
        one.add_vertex(Label(0)).unwrap();
        let graph = one.build();
        let classes = Vocabulary::from_tokens(["a", "b", "c"]);
        let values = TargetValues::Classes { classes, values: vec![Some(0), Some(1), Some(2)] };
        Dataset {
            graphs: vec![graph; 3],
            ids: ["x", "y", "z"].map(String::from).to_vec(),
            origins: (0..3).map(|row| Origin { row, line: 0 }).collect(),
            vertex_labels: Vocabulary::from_tokens(["C"]),
            edge_labels: Vocabulary::from_tokens([""]),
            attributes: Some(Attributes::new(1, (0..3).map(|at| Box::from([f64::from(at)])).collect())),
            targets: vec![Target { name: "y".into(), values }],
            ..Default::default()
        }
    }

    #[test]
    fn a_subset_takes_along_what_belongs_to_its_graphs() {
        let subset = dataset().subset(&[2, 0]);
        subset.check();
        assert_eq!(subset.ids, ["z", "x"]);
        assert_eq!(subset.origins[0].row, 2);
        assert_eq!(&*subset.attributes.unwrap().values[0], [2.0]);
        let TargetValues::Classes { classes, values } = &subset.targets[0].values else { panic!("classes") };
        assert_eq!((classes.len(), &values[..]), (3, &[Some(2), Some(0)][..]));
    }
}
