//! The way a data set was read, as far as it decides which labels its graphs have.
//!
//! Promise: it belongs to the data set, to every model trained on it and to the model's file, so that graphs for a
//! model are read as those of its training ([`Reading::complete`]), and graphs that were read another way are refused
//! with all that differs ([`Reading::check`]). What makes no difference is no difference: labels that there are none
//! of, hydrogens that no graph has. Knows nothing of files.

use crate::chem::{Element, HYDROGENS, element_of_label};
use crate::dataset::Dataset;
use crate::dataset::vocabulary::Vocabulary;
use crate::names::Names;
use crate::read::options::{EdgeLabels, Hydrogens, MoleculeLabels, ReadOptions};
use einsicht_graph::{Graph, Label};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// How graphs were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reading {
    /// Whether edge labels were ignored.
    #[serde(skip_serializing_if = "is_default")]
    pub ignores_edge_labels: bool,
    /// What happened to explicit hydrogens; absent if nobody asked and the format leaves them as they are.
    #[serde(skip_serializing_if = "is_default")]
    pub hydrogens: Option<Hydrogens>,
    /// Whether the graphs are molecules and every hydrogen is a vertex: none is only counted on its atom.
    #[serde(skip_serializing_if = "is_default")]
    pub all_hydrogens: bool,
    /// Whether molecules lost all but their largest fragment.
    #[serde(skip_serializing_if = "is_default")]
    pub largest_fragment: bool,
    /// What labels of atoms hold besides the element; absent if the graphs are not molecules.
    #[serde(skip_serializing_if = "is_default")]
    pub molecule_labels: Option<MoleculeLabels>,
    /// Names of the labels of hydrogens that were dropped, where the labels do not say it: other graphs may need them.
    #[serde(skip_serializing_if = "is_default")]
    pub dropped: BTreeMap<String, String>,
    /// Keywords with which a caller converted graphs of other libraries. Kept for the caller; nothing here looks at
    /// them.
    #[serde(skip_serializing_if = "is_default")]
    pub keywords: BTreeMap<String, Value>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// One thing that was read in two ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingDifference {
    /// What it is.
    pub what: &'static str,
    /// How it was read first: as a rule, for the training.
    pub first: String,
    /// How the other graphs were read.
    pub other: String,
}

/// Graphs that were read another way than others with which they are used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("graphs must be read as {as_what} were, but {}", listed(.differences))]
pub struct ReadingError {
    /// The graphs that were read first.
    pub as_what: &'static str,
    /// All that differs; at least one thing.
    pub differences: Vec<ReadingDifference>,
}

fn listed(differences: &[ReadingDifference]) -> String {
    let one =
        |ReadingDifference { what, first, other }: &ReadingDifference| format!("{what}: {first}, and {other} here");
    differences.iter().map(one).collect::<Vec<_>>().join("; ")
}

impl Reading {
    /// Of labelled graphs.
    pub(crate) fn of_labelled(options: &ReadOptions) -> Self {
        Self {
            ignores_edge_labels: options.edge_labels == EdgeLabels::Ignore,
            hydrogens: options.hydrogens,
            ..Self::default()
        }
    }

    /// Of molecules, from a format that drops hydrogens unless it is asked to keep them.
    pub(crate) fn of_molecules(options: &ReadOptions) -> Self {
        Self {
            hydrogens: Some(options.hydrogens.unwrap_or(Hydrogens::Drop)),
            molecule_labels: Some(options.molecule_labels.unwrap_or_default()),
            largest_fragment: options.largest_fragment,
            ..Self::of_labelled(options)
        }
    }

    /// Of graphs that had been read like this and were written down, read again.
    pub(crate) fn read_again(self, options: &ReadOptions) -> Self {
        let again = Self::of_labelled(options);
        let hydrogens =
            if self.hydrogens == Some(Hydrogens::Drop) { self.hydrogens } else { again.hydrogens.or(self.hydrogens) };
        Self { ignores_edge_labels: self.ignores_edge_labels || again.ignores_edge_labels, hydrogens, ..self }
    }

    /// Reads further graphs this way where the options leave it open. `names` are those of the graphs read first.
    #[must_use]
    pub fn complete(&self, names: Names<'_>, options: ReadOptions) -> ReadOptions {
        let ignores = self.ignores_edge_labels || !has_labels(names.edge_labels);
        // Readers of molecules drop hydrogens anyway; in labelled graphs they would need names to be found by.
        let hydrogens = self.hydrogens.filter(|how| self.molecule_labels.is_none() || *how == Hydrogens::Keep);
        let [mut vertex_names, edge_names] =
            [names.vertex_labels, names.edge_labels].map(|labels| labels.names().clone());
        vertex_names.extend(self.dropped.clone());
        let open = options.edge_labels == EdgeLabels::Auto;
        ReadOptions {
            edge_labels: if open && ignores { EdgeLabels::Ignore } else { options.edge_labels },
            hydrogens: options.hydrogens.or(hydrogens),
            largest_fragment: options.largest_fragment || self.largest_fragment,
            molecule_labels: options.molecule_labels.or(self.molecule_labels),
            usual_names: [vertex_names, edge_names],
            ..options
        }
    }

    /// Whether graphs were read as those of a training, whose labels are given.
    pub fn check(&self, names: Names<'_>, dataset: &Dataset) -> Result<(), ReadingError> {
        let (vertices, edges) = (names.vertex_labels, names.edge_labels);
        let other = &dataset.reading;
        let mut found = self.differences(other);
        let ignores = self.ignores_edge_labels || !has_labels(edges);
        if ignores && !other.ignores_edge_labels && has_labels(&dataset.edge_labels) {
            found.push(difference("edge labels", "there were none to see", "they are used"));
        } else if !ignores && other.ignores_edge_labels {
            found.push(difference("edge labels", "they were used", "they are ignored"));
        }
        let is_mixture = |graph: &Graph| graph.components().iter().any(|&component| component > 0);
        if self.largest_fragment && !other.largest_fragment && dataset.graphs.iter().any(is_mixture) {
            found.push(difference("fragments", "only the largest was kept", "all are kept"));
        }
        if other.largest_fragment && !self.largest_fragment {
            found.push(difference("fragments", "all were kept", "only the largest is kept"));
        }
        match (self.hydrogens, other.hydrogens) {
            (Some(Hydrogens::Drop), None)
                if dataset.graphs.iter().any(|graph| has_hydrogens(graph, &dataset.vertex_labels)) =>
            {
                found.push(difference("explicit hydrogens", "they were dropped", "they are kept"));
            }
            (None, Some(Hydrogens::Drop))
                if (0..vertices.len() as u32).any(|at| vertices.name(Label(at)) == HYDROGEN) =>
            {
                found.push(difference("explicit hydrogens", "they were kept", "they are dropped"));
            }
            (_, Some(Hydrogens::Drop)) | (Some(Hydrogens::Drop), _) => {}
            _ if self.all_hydrogens && !other.all_hydrogens && hides_hydrogens(dataset) => {
                found.push(difference("hydrogens", "all were vertices", "some are not (AddHs of RDKit makes them so)"));
            }
            _ if other.all_hydrogens
                && self.molecule_labels.is_some()
                && !knows_hydrogen(vertices)
                && knows_hydrogen(&dataset.vertex_labels) =>
            {
                found.push(difference("hydrogens", "none was a vertex", "all are (RemoveHs of RDKit removes them)"));
            }
            _ => {}
        }
        for (what, first, other) in [
            ("the name of vertex label", vertices, &dataset.vertex_labels),
            ("the name of edge label", edges, &dataset.edge_labels),
        ] {
            found.extend(other_name(what, first, other));
        }
        refuse("those of the training", found)
    }

    /// Whether graphs with these edge labels were read the same way: labels that there are none of cannot be ignored.
    pub fn is_as(&self, other: &Self, edge_labels: &Vocabulary) -> bool {
        let settled = |reading: &Self| {
            let ignores_edge_labels = reading.ignores_edge_labels && has_labels(edge_labels);
            Self { ignores_edge_labels, all_hydrogens: false, ..reading.clone() }
        };
        settled(self) == settled(other)
    }

    /// The way in which two sets were read that become one.
    pub(crate) fn join(&self, other: &Self) -> Result<Self, ReadingError> {
        let mut found = self.differences(other);
        if self.ignores_edge_labels != other.ignores_edge_labels {
            let [one, two] = [self, other].map(|reading| if reading.ignores_edge_labels { "ignored" } else { "used" });
            found.push(difference("edge labels", one, two));
        }
        if self.largest_fragment != other.largest_fragment {
            let [one, two] =
                [self, other].map(|reading| if reading.largest_fragment { "only the largest" } else { "all" });
            found.push(difference("fragments", one, two));
        }
        refuse("those before them", found)?;
        Ok(Self {
            ignores_edge_labels: self.ignores_edge_labels,
            hydrogens: self.hydrogens.or(other.hydrogens),
            all_hydrogens: self.all_hydrogens && other.all_hydrogens,
            largest_fragment: self.largest_fragment,
            molecule_labels: self.molecule_labels.or(other.molecule_labels),
            dropped: self.dropped.clone(),
            keywords: self.keywords.clone(),
        })
    }

    /// Says what the graphs themselves say: whether every hydrogen is a vertex.
    pub(crate) fn settle(dataset: &mut Dataset) {
        let reading = &dataset.reading;
        let may_show = reading.molecule_labels.is_some() && reading.hydrogens != Some(Hydrogens::Drop);
        dataset.reading.all_hydrogens = may_show && !hides_hydrogens(dataset);
    }

    /// What both were read with, in two ways.
    fn differences(&self, other: &Self) -> Vec<ReadingDifference> {
        let mut found = Vec::new();
        if let (Some(one), Some(two)) = (self.hydrogens, other.hydrogens)
            && one != two
        {
            let [one, two] = [one, two].map(|how| if how == Hydrogens::Drop { "dropped" } else { "kept" });
            found.push(difference("explicit hydrogens", one, two));
        }
        if let (Some(one), Some(two)) = (self.molecule_labels, other.molecule_labels)
            && one != two
        {
            found.push(difference("molecule labels", &one.to_string(), &two.to_string()));
        }
        found
    }
}

/// The display name of hydrogen.
const HYDROGEN: &str = "H";

fn difference(what: &'static str, first: &str, other: &str) -> ReadingDifference {
    ReadingDifference { what, first: first.to_owned(), other: other.to_owned() }
}

fn refuse(as_what: &'static str, differences: Vec<ReadingDifference>) -> Result<(), ReadingError> {
    if differences.is_empty() { Ok(()) } else { Err(ReadingError { as_what, differences }) }
}

fn has_labels(edges: &Vocabulary) -> bool {
    edges.tokens().iter().any(|token| !token.is_empty())
}

/// Whether dropping would remove an atom.
fn has_hydrogens(graph: &Graph, labels: &Vocabulary) -> bool {
    let is_hydrogen = |label: Label| labels.name(label) == HYDROGEN;
    graph.vertices().any(|vertex| {
        is_hydrogen(graph.vertex_label(vertex))
            && matches!(graph.neighbors(vertex), [only] if !is_hydrogen(only.vertex_label))
    })
}

/// Whether some atom of a molecule has more hydrogens than neighbours that are hydrogens.
fn hides_hydrogens(dataset: &Dataset) -> bool {
    let Some(counts) = dataset.properties.iter().find(|column| column.name == HYDROGENS) else { return true };
    let labels = &dataset.vertex_labels;
    let is_hydrogen: Vec<bool> = (0..labels.len() as u32).map(|at| is_hydrogen(labels.name(Label(at)))).collect();
    dataset.graphs.iter().enumerate().any(|(at, graph)| {
        graph.vertices().any(|vertex| {
            let shown = graph.neighbors(vertex).iter().filter(|near| is_hydrogen[near.vertex_label.index()]).count();
            counts.token(at, vertex.index()).is_none_or(|all| all.parse() != Ok(shown))
        })
    })
}

fn knows_hydrogen(labels: &Vocabulary) -> bool {
    (0..labels.len() as u32).any(|at| is_hydrogen(labels.name(Label(at))))
}

fn is_hydrogen(name: &str) -> bool {
    element_of_label(name) == Some(Element::HYDROGEN)
}

/// The first label of both that has two display names.
fn other_name(what: &'static str, first: &Vocabulary, other: &Vocabulary) -> Option<ReadingDifference> {
    let contradicts = |(token, name): &(&String, &String)| {
        let found = other.names().get(*token).filter(|found| *found != *token);
        name != token && first.label(token).is_some() && found.is_some_and(|found| found != *name)
    };
    let (token, name) = first.names().iter().find(contradicts)?;
    let found = other.names().get(token)?;
    Some(difference(what, &format!("{token} was {name}"), &format!("it is {found}")))
}

#[cfg(test)]
mod tests;
