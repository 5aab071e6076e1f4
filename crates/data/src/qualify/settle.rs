//! Decides which values become qualifiers, by looking at the data once.
//!
//! Promise: only values that occur, and none that all vertices have. The table depends on the data and the choice only,
//! not on the order of the graphs. `auto` never fails for want of room: a property that does not fit is left out.

use super::source::{Source, attribute_names, halogens, is_of_molecules, known};
use super::{DEGREE, ELEMENT, HALOGEN, MAX_QUALIFIERS, QualifierChoice, QualifierError, QualifierValue, Qualifiers};
use super::{RING_PROPERTY, file};
use crate::chem::{CHARGE, HYDROGENS};
use crate::dataset::Dataset;
use crate::dataset::vocabulary::token_order;
use einsicht_graph::Label;
use std::collections::BTreeMap;

/// Most values of a property that `auto` takes, but for those of atoms.
const MOST_AUTO: usize = 8;
/// Larger numbers of hydrogens are no values of their own.
const MOST_HYDROGENS: u32 = 4;

impl Qualifiers {
    /// A data set with the qualifiers of a choice.
    pub fn chosen_for(mut dataset: Dataset, choice: &QualifierChoice) -> Result<Dataset, QualifierError> {
        if let QualifierChoice::File(path) = choice {
            file::read_properties(&mut dataset, path)?;
        }
        Self::settle(&dataset, choice)?.apply(dataset)
    }

    /// Decides on the table for a data set. The file of [`QualifierChoice::File`] was read by
    /// [`super::read_properties`].
    pub fn settle(dataset: &Dataset, choice: &QualifierChoice) -> Result<Self, QualifierError> {
        let molecules = is_of_molecules(dataset);
        let values = match choice {
            QualifierChoice::None => return Ok(Self::default()),
            QualifierChoice::Auto => auto(dataset),
            QualifierChoice::List(names) => chosen(dataset, names)?,
            QualifierChoice::File(path) => chosen(dataset, &file::property_names(path)?)?,
        };
        if values.is_empty() {
            return Ok(Self::default());
        }
        let table = Self::from_values(values, molecules)?;
        table.check_label(dataset)?;
        Ok(table)
    }

    /// Refuses a label of the user's own that is called like the common label of halogens.
    pub(super) fn check_label(&self, dataset: &Dataset) -> Result<(), QualifierError> {
        let labels = &dataset.vertex_labels;
        let is_taken =
            (0..labels.len() as u32).map(Label).any(|l| [labels.name(l), labels.token(l)].contains(&HALOGEN));
        let are_merged = dataset.property(ELEMENT).is_some();
        if self.merges_halogens() && is_taken && !are_merged { Err(QualifierError::LabelTaken) } else { Ok(()) }
    }
}

/// The values that suit the data.
fn auto(dataset: &Dataset) -> Vec<QualifierValue> {
    const OF_ATOMS: [&str; 5] = [HYDROGENS, DEGREE, RING_PROPERTY, CHARGE, ELEMENT];
    let molecules = is_of_molecules(dataset);
    let mut names: Vec<(String, bool)> = Vec::new();
    if molecules {
        names.extend(OF_ATOMS.map(|name| (name.to_owned(), false)));
    } else {
        names.push((DEGREE.to_owned(), true));
    }
    let own = dataset.properties.iter().map(|column| column.name.clone()).chain(attribute_names(dataset));
    names.extend(
        own.filter(|name| !names.iter().any(|(other, _)| other == name)).map(|name| (name, true)).collect::<Vec<_>>(),
    );
    let mut values = Vec::new();
    for (name, limited) in names {
        let Some(found) = occurring(dataset, &name) else { continue };
        let fits = values.len() + found.kept.len() <= MAX_QUALIFIERS;
        if fits && (!limited || found.distinct <= MOST_AUTO) {
            values.extend(found.kept);
        }
    }
    values
}

/// The values of the properties that the user named.
fn chosen(dataset: &Dataset, names: &[String]) -> Result<Vec<QualifierValue>, QualifierError> {
    let mut values = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            continue;
        }
        let found = occurring(dataset, name)
            .ok_or_else(|| QualifierError::Unknown { name: name.clone(), known: known(dataset) })?;
        if found.distinct == 0 && name == ELEMENT && dataset.property(ELEMENT).is_none() {
            return Err(QualifierError::OneHalogen);
        }
        if found.distinct == 0 {
            return Err(QualifierError::NoValue { property: name.clone() });
        }
        let is_computed = [DEGREE, RING_PROPERTY, ELEMENT, HYDROGENS, CHARGE].contains(&name.as_str());
        if !is_computed && found.distinct > dataset.len().max(2) {
            let (values, graphs) = (found.distinct, dataset.len());
            return Err(QualifierError::ManyValues { property: name.clone(), values, graphs });
        }
        values.extend(found.kept);
    }
    if values.len() > MAX_QUALIFIERS {
        return Err(QualifierError::TooManyInAll { values: values.len() });
    }
    Ok(values)
}

/// The values of a property.
struct Occurring {
    /// How many there are.
    distinct: usize,
    /// Those of them that not all vertices have, in order.
    kept: Vec<QualifierValue>,
}

/// The values of a property that occur; `None` if there is no such property.
fn occurring(dataset: &Dataset, property: &str) -> Option<Occurring> {
    let source = Source::find(dataset, property)?;
    let molecules = is_of_molecules(dataset);
    let exempt = exempt_labels(dataset, molecules, property);
    let (mut counts, mut vertices) = (BTreeMap::<u32, u64>::new(), 0_u64);
    for (at, graph) in dataset.graphs.iter().enumerate() {
        for (label, value) in graph.vertex_labels().iter().zip(source.values(graph, at)) {
            if exempt[label.index()] {
                continue;
            }
            vertices += 1;
            if let Some(value) = value {
                *counts.entry(value).or_default() += 1;
            }
        }
    }
    let mut tokens: Vec<(String, u64)> =
        counts.into_iter().map(|(value, count)| (source.token(value), count)).collect();
    if molecules && property == HYDROGENS {
        tokens.retain(|(token, _)| token.parse::<u32>().is_ok_and(|count| count <= MOST_HYDROGENS));
    }
    if property == ELEMENT && tokens.len() < 2 {
        // The label of a single halogen says it all.
        tokens.clear();
    }
    // The order of numbers in a source is an order of ranks, or of what the graph gives; that of elements is by number.
    if !matches!(source, Source::Attribute(..) | Source::Ring { .. } | Source::Element(_)) {
        tokens.sort_by(|a, b| token_order(&a.0, &b.0));
    }
    let distinct = tokens.len();
    let kept = tokens.into_iter().filter(|&(_, count)| count < vertices);
    let value = |(token, _)| QualifierValue { property: property.to_owned(), token };
    Some(Occurring { distinct, kept: kept.map(value).collect() })
}

/// By label: whether its vertices have no value of this property, since they are halogens.
pub(super) fn exempt_labels(dataset: &Dataset, molecules: bool, property: &str) -> Vec<bool> {
    let applies = molecules && [HYDROGENS, DEGREE, RING_PROPERTY].contains(&property);
    let are_merged = dataset.property(ELEMENT).is_some();
    let common = |at: usize| are_merged && dataset.vertex_labels.name(Label(at as u32)) == HALOGEN;
    let halogens = halogens(dataset).into_iter().enumerate();
    halogens.map(|(at, halogen)| applies && (halogen.is_some() || common(at))).collect()
}
