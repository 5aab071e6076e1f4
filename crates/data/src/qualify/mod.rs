//! Qualifiers: which properties a pattern may require of a vertex, such as two hydrogens.
//!
//! The miner knows bits ([`einsicht_graph::Graph::qualifiers`]); here is what they mean. [`Qualifiers::settle`] looks
//! at a data set once and decides on a table of values, [`Qualifiers::apply`] sets the bits of any data set by a table.
//! The table also says which attributes are left out because they are coordinates
//! ([`Qualifiers::leaving_out_coordinates_of`]). A property is a column of the data ([`crate::PropertyColumn`]), an
//! attribute, or computed from the graph (`degree`, `ring`, `element`).
//!
//! Promise: the bit of a value is its place in the table; a table has at most [`MAX_QUALIFIERS`] values, each once.
//! Bits mean the same in every data set that a table was applied to. See `docs/decisions/0018-qualified-vertices.md`.

mod apply;
mod choice;
mod error;
mod file;
mod rings;
mod settle;
mod source;
#[cfg(test)]
mod tests;
mod words;

pub use choice::QualifierChoice;
pub use einsicht_graph::MAX_QUALIFIERS;
pub use error::QualifierError;
pub use file::read_properties;
pub(crate) use words::{Phrase, halogen_name};

use crate::dataset::Dataset;
use serde::{Deserialize, Serialize};

/// Number of neighbours in the graph.
pub(crate) const DEGREE: &str = "degree";
/// Whether a vertex is in a ring: [`AROMATIC`], [`RING`] or [`CHAIN`]; [`CYCLE`] or [`CHAIN`] where nothing is
/// aromatic.
pub(crate) const RING_PROPERTY: &str = "ring";
/// Which halogen.
pub(crate) const ELEMENT: &str = "element";
/// The common label of the halogens, where a table tells them apart.
pub(crate) const HALOGEN: &str = "X";

/// Has an aromatic bond.
pub(crate) const AROMATIC: &str = "aromatic";
/// In a ring, and not aromatic.
pub(crate) const RING: &str = "ring";
/// In no ring.
pub(crate) const CHAIN: &str = "chain";
/// In a ring of any kind.
pub(crate) const CYCLE: &str = "cycle";
/// Not aromatic, where labels of atoms say it: then it is no qualifier of its own, and a pattern that asks for it asks
/// for the label.
pub(crate) const ALIPHATIC: &str = "aliphatic";
/// Without a charge, as SMARTS says it: likewise where labels of atoms say charges.
pub(crate) const UNCHARGED: &str = "+0";

/// One value of a property.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QualifierValue {
    /// Name of the property.
    pub property: String,
    /// The value, as a word.
    pub token: String,
}

/// The values that patterns may require of a vertex: the bit of a value is its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Qualifiers {
    values: Vec<QualifierValue>,
    /// Whether vertices are atoms: then halogens have no property but element and charge.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    molecules: bool,
    /// Positions of the attributes that a model does not read, increasing: coordinates in space.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<usize>,
}

/// As it is in a file, before the check.
#[derive(Deserialize)]
struct Stored {
    values: Vec<QualifierValue>,
    #[serde(default)]
    molecules: bool,
    #[serde(default)]
    left_out: Vec<usize>,
}

impl TryFrom<Stored> for Qualifiers {
    type Error = QualifierError;

    fn try_from(stored: Stored) -> Result<Self, QualifierError> {
        let table = Self::from_values(stored.values, stored.molecules)?;
        Ok(Self { left_out: stored.left_out, ..table })
    }
}

/// The empty table.
pub(crate) static NO_QUALIFIERS: Qualifiers = Qualifiers { values: Vec::new(), molecules: false, left_out: Vec::new() };

impl Qualifiers {
    /// A table of these values; `molecules` says whether vertices are atoms.
    pub fn from_values(values: Vec<QualifierValue>, molecules: bool) -> Result<Self, QualifierError> {
        if values.len() > MAX_QUALIFIERS {
            return Err(QualifierError::TooManyInAll { values: values.len() });
        }
        if let Some(at) = (1..values.len()).find(|&at| values[..at].contains(&values[at])) {
            let QualifierValue { property, token } = values[at].clone();
            return Err(QualifierError::Repeated { property, token });
        }
        Ok(Self { values, molecules, left_out: Vec::new() })
    }

    /// The same table, which also leaves out the attributes of a data set that are coordinates in space.
    #[must_use]
    pub fn leaving_out_coordinates_of(self, dataset: &Dataset) -> Self {
        let left_out = dataset.attributes.as_ref().map(|attributes| attributes.coordinates.clone()).unwrap_or_default();
        Self { left_out, ..self }
    }

    /// Positions of the attributes that are left out.
    pub fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    /// Whether applying the table changes nothing.
    pub fn is_identity(&self) -> bool {
        self.is_empty() && self.left_out.is_empty()
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none: patterns qualify nothing.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, by bit.
    pub fn values(&self) -> &[QualifierValue] {
        &self.values
    }

    /// The properties, each once, in the order of their first values.
    pub fn properties(&self) -> Vec<&str> {
        let mut properties: Vec<&str> = self.values.iter().map(|value| value.property.as_str()).collect();
        properties.dedup();
        properties
    }

    /// Whether vertices are atoms.
    pub fn is_of_molecules(&self) -> bool {
        self.molecules
    }

    /// Whether halogens have the common label `X` and their element as a property.
    pub fn merges_halogens(&self) -> bool {
        self.values.iter().any(|value| value.property == ELEMENT)
    }

    /// All bits of the table.
    pub fn mask(&self) -> u64 {
        if self.len() == MAX_QUALIFIERS { u64::MAX } else { (1 << self.len()) - 1 }
    }

    /// The bits of a set of bits, increasing.
    pub fn bits(set: u64) -> impl Iterator<Item = usize> {
        (0..MAX_QUALIFIERS).filter(move |bit| set >> bit & 1 == 1)
    }

    /// The bit of a value.
    pub fn bit(&self, property: &str, token: &str) -> Option<usize> {
        self.values.iter().position(|value| value.property == property && value.token == token)
    }
}
