//! Where the values of a property come from: a column of the data, an attribute, or the graph itself.
//!
//! Promise: a vertex has at most one value of a property, here as a number of the source's own; [`Source::token`] and
//! [`Source::number`] translate. A column of the data comes before an attribute or what is computed. Knows no bits.

use super::rings::in_ring;
use super::{AROMATIC, CHAIN, CYCLE, DEGREE, ELEMENT, RING, RING_PROPERTY, halogen_name};
use crate::chem::{BondOrder, CHARGE, Element, HYDROGENS};
use crate::dataset::NO_LABEL;
use crate::dataset::{Attributes, Dataset, properties::PropertyColumn};
use einsicht_graph::{Graph, Label};

/// Where the values of a property come from.
pub(super) enum Source<'a> {
    Column(&'a PropertyColumn),
    /// An attribute, its position, and its different values, increasing.
    Attribute(&'a Attributes, usize, Vec<f64>),
    Degree,
    /// Labels of aromatic and of dative edges, and whether they distinguish kinds of rings.
    Ring {
        aromatic: Option<Label>,
        dative: Option<Label>,
        kinds: bool,
    },
    /// By label: the atomic number of a halogen.
    Element(Vec<Option<u32>>),
}

/// Values of `Source::Ring`, by number.
const RINGS: [&str; 4] = [AROMATIC, RING, CHAIN, CYCLE];

/// Whether vertices are atoms: the molecule readers set these properties.
pub(super) fn is_of_molecules(dataset: &Dataset) -> bool {
    dataset.property(HYDROGENS).is_some() && dataset.property(CHARGE).is_some()
}

/// By label: the halogen that it names, without charge or hydrogens in the label.
pub(super) fn halogens(dataset: &Dataset) -> Vec<Option<Element>> {
    let labels = (0..dataset.vertex_labels.len() as u32).map(Label);
    let halogen = |label| Some(dataset.vertex_labels.name(label)).filter(|name| halogen_name(name).is_some());
    labels.map(|label| halogen(label).and_then(Element::from_symbol)).collect()
}

/// Name of an attribute, by its position from 0.
fn attribute_name(at: usize) -> String {
    format!("attribute_{}", at + 1)
}

pub(super) fn attribute_names(dataset: &Dataset) -> Vec<String> {
    (0..dataset.attributes.as_ref().map_or(0, |attributes| attributes.columns)).map(attribute_name).collect()
}

/// Names of all properties that the vertices have or that can be computed.
pub(super) fn known(dataset: &Dataset) -> Vec<String> {
    let mut known: Vec<String> = dataset.properties.iter().map(|column| column.name.clone()).collect();
    known.extend(attribute_names(dataset));
    known.extend([DEGREE, RING_PROPERTY].map(String::from));
    if halogens(dataset).iter().flatten().count() > 0 {
        known.push(ELEMENT.to_owned());
    }
    known.sort();
    known.dedup();
    known
}

impl<'a> Source<'a> {
    /// Where the property comes from; `None` if the data do not have it.
    pub(super) fn find(dataset: &'a Dataset, property: &str) -> Option<Self> {
        if let Some(column) = dataset.property(property) {
            return Some(Self::Column(column));
        }
        match property {
            DEGREE => return Some(Self::Degree),
            RING_PROPERTY => {
                let aromatic = edge_label(dataset, BondOrder::Aromatic);
                let has_bonds = is_of_molecules(dataset) && dataset.edge_labels.tokens() != [NO_LABEL];
                let kinds = aromatic.is_some() || has_bonds;
                return Some(Self::Ring { aromatic, dative: edge_label(dataset, BondOrder::Dative), kinds });
            }
            ELEMENT => {
                let numbers = halogens(dataset).into_iter().map(|element| element.map(|e| u32::from(e.number())));
                return Some(Self::Element(numbers.collect()));
            }
            _ => {}
        }
        let attributes = dataset.attributes.as_ref()?;
        let at = (0..attributes.columns).find(|&at| attribute_name(at) == property)?;
        let rows = attributes.values.iter().flat_map(|values| values.chunks(attributes.columns));
        // `-0` is 0.
        let mut values: Vec<f64> = rows.map(|row| row[at] + 0.0).filter(|value| !value.is_nan()).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        Some(Self::Attribute(attributes, at, values))
    }

    /// For each vertex of a graph the number of its value.
    pub(super) fn values(&self, graph: &Graph, at: usize) -> Vec<Option<u32>> {
        let vertices = graph.vertices();
        match self {
            Self::Column(column) => vertices.map(|v| column.value(at, v.index())).collect(),
            Self::Attribute(attributes, column, values) => {
                let number = |value: f64| values.binary_search_by(|other| other.total_cmp(&(value + 0.0))).ok();
                let rows = attributes.values[at].chunks(attributes.columns);
                rows.map(|row| number(row[*column]).map(|number| number as u32)).collect()
            }
            Self::Degree => vertices.map(|v| Some(graph.degree(v) as u32)).collect(),
            Self::Ring { aromatic, dative, kinds } => {
                let in_ring = in_ring(graph, |edge| Some(edge.label) != *dative);
                let is_aromatic = |v| graph.neighbors(v).iter().any(|n| Some(n.edge_label) == *aromatic);
                let kind = |v| match (*kinds && is_aromatic(v), in_ring[einsicht_graph::VertexId::index(v)]) {
                    (true, _) => AROMATIC,
                    (false, false) => CHAIN,
                    (false, true) => {
                        if *kinds {
                            RING
                        } else {
                            CYCLE
                        }
                    }
                };
                vertices.map(|v| RINGS.iter().position(|ring| *ring == kind(v)).map(|at| at as u32)).collect()
            }
            Self::Element(numbers) => graph.vertex_labels().iter().map(|label| numbers[label.index()]).collect(),
        }
    }

    /// The word of a value.
    pub(super) fn token(&self, number: u32) -> String {
        match self {
            Self::Column(column) => column.tokens()[number as usize].clone(),
            Self::Attribute(_, _, values) => values[number as usize].to_string(),
            Self::Degree => number.to_string(),
            Self::Ring { .. } => RINGS[number as usize].to_owned(),
            Self::Element(_) => Element::from_number(number as u8).map_or("", Element::symbol).to_owned(),
        }
    }

    /// The number of a value that the table has, if the data can have it.
    pub(super) fn number(&self, token: &str) -> Option<u32> {
        match self {
            Self::Column(column) => column.rank(token),
            Self::Attribute(_, _, values) => {
                let value: f64 = token.parse().ok()?;
                values.binary_search_by(|other| other.total_cmp(&value)).ok().map(|at| at as u32)
            }
            Self::Degree => token.parse().ok(),
            Self::Ring { .. } => RINGS.iter().position(|ring| *ring == token).map(|at| at as u32),
            Self::Element(_) => Element::from_symbol(token).map(|element| u32::from(element.number())),
        }
    }
}

/// The label of such bonds.
fn edge_label(dataset: &Dataset, order: BondOrder) -> Option<Label> {
    let labels = (0..dataset.edge_labels.len() as u32).map(Label);
    labels.into_iter().find(|&label| dataset.edge_labels.name(label) == order.token())
}
