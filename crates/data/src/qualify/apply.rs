//! Gives the vertices of a data set the bits of a table.
//!
//! Promise: equal vertices of any two data sets get equal bits from one table; a value that the table does not have
//! gives no bit; a property that the data cannot have is refused. Where the table tells halogens apart, they get the
//! common label `X` and keep their element as a property of the data. Applying a table twice is the identity.

use super::settle::exempt_labels;
use super::source::{Source, halogens, known};
use super::{AROMATIC, ELEMENT, HALOGEN, QualifierError, Qualifiers, RING, RING_PROPERTY};
use crate::dataset::NO_LABEL;
use crate::dataset::vocabulary::Vocabulary;
use crate::dataset::{Dataset, properties::PropertyColumn};
use einsicht_graph::Label;
use rustc_hash::FxHashMap;

impl Qualifiers {
    /// The data set with the bits of this table on its vertices, and the table as its meaning. An empty table changes
    /// nothing.
    pub fn apply(&self, mut dataset: Dataset) -> Result<Dataset, QualifierError> {
        if self.is_identity() || dataset.qualifiers == *self {
            return Ok(dataset);
        }
        if !dataset.qualifiers.is_identity() {
            return Err(QualifierError::Qualified { set: dataset.name });
        }
        self.check_label(&dataset)?;
        let mut bits: Vec<Vec<u64>> = dataset.graphs.iter().map(|graph| vec![0; graph.num_vertices()]).collect();
        for property in self.properties() {
            self.set_bits(&dataset, property, &mut bits)?;
        }
        if self.merges_halogens() {
            merge_halogens(&mut dataset);
        }
        for (graph, bits) in dataset.graphs.iter_mut().zip(bits) {
            graph.set_qualifiers(bits);
        }
        if let Some(attributes) = dataset.attributes.take() {
            dataset.attributes = attributes.without(&self.left_out);
        }
        dataset.qualifiers = self.clone();
        dataset.check();
        Ok(dataset)
    }

    fn set_bits(&self, dataset: &Dataset, property: &str, bits: &mut [Vec<u64>]) -> Result<(), QualifierError> {
        let Some(source) = self.source(dataset, property)? else {
            // A part of a source may hold no graph, and then no properties.
            if dataset.graphs.iter().all(|graph| graph.num_vertices() == 0) {
                return Ok(());
            }
            let (property, set) = (property.to_owned(), dataset.name.clone());
            return Err(QualifierError::Missing { property, set, known: known(dataset) });
        };
        let own = self.values().iter().enumerate().filter(|(_, value)| value.property == property);
        let by_number: FxHashMap<u32, usize> =
            own.filter_map(|(bit, value)| Some((source.number(&value.token)?, bit))).collect();
        let exempt = exempt_labels(dataset, self.is_of_molecules(), property);
        for (at, (graph, bits)) in dataset.graphs.iter().zip(bits).enumerate() {
            for (vertex, value) in source.values(graph, at).into_iter().enumerate() {
                let bit = value.and_then(|value| by_number.get(&value));
                if let Some(bit) = bit.filter(|_| !exempt[graph.vertex_labels()[vertex].index()]) {
                    bits[vertex] |= 1 << bit;
                }
            }
        }
        Ok(())
    }

    /// Where the data have a property, as the table means it.
    fn source<'a>(&self, dataset: &'a Dataset, property: &str) -> Result<Option<Source<'a>>, QualifierError> {
        let mut source = Source::find(dataset, property);
        if let Some(Source::Ring { kinds, .. }) = &mut source {
            // The table decides: the data may just happen to have nothing aromatic.
            *kinds = [AROMATIC, RING].iter().any(|token| self.bit(RING_PROPERTY, token).is_some());
            let has_edges = dataset.graphs.iter().any(|graph| graph.num_edges() > 0);
            if *kinds && has_edges && dataset.edge_labels.tokens() == [NO_LABEL] {
                return Err(QualifierError::NoBonds { set: dataset.name.clone() });
            }
        }
        Ok(source)
    }
}

/// Gives all halogens the common label, and the data their elements as a property. Labels are ranked again.
fn merge_halogens(dataset: &mut Dataset) {
    let halogens = halogens(dataset);
    if halogens.iter().all(Option::is_none) {
        return;
    }
    let symbol = |label: &Label| halogens[label.index()].map(crate::chem::Element::symbol);
    let words = dataset.graphs.iter().map(|graph| graph.vertex_labels().iter().map(symbol).collect());
    let column = PropertyColumn::from_words(ELEMENT, &words.collect::<Vec<Vec<_>>>());
    let old = &dataset.vertex_labels;
    let token =
        |(token, halogen): (&String, &Option<_>)| if halogen.is_some() { HALOGEN.into() } else { token.clone() };
    let tokens: Vec<String> = old.tokens().iter().zip(&halogens).map(token).collect();
    let mut merged = Vocabulary::from_tokens(tokens.iter().cloned());
    merged.set_names(old.names().clone());
    let ranks: Vec<Label> = tokens.iter().map(|token| merged.label(token).unwrap_or_default()).collect();
    for graph in &mut dataset.graphs {
        graph.map_labels(|label| ranks[label.index()], |label| label);
    }
    dataset.vertex_labels = merged;
    if dataset.property(ELEMENT).is_none() {
        dataset.set_property(column);
    }
}
