//! The lines of our JSON format, used by its reader and its writer: see `docs/formats.md`.
//!
//! Promise: [`crate::read`] of what [`crate::write::write_jsonl`] wrote is the same data set, bit for bit. Labels
//! and classes are words, so that a line can be read, and written, without the header. Tested by
//! writing and reading back random data sets.

use crate::dataset::Repaired;
use crate::reading::Reading;
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The version that is written and read.
pub(crate) const VERSION: u64 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) einsicht: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) vertex_labels: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) vertex_names: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) edge_labels: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) edge_names: BTreeMap<String, String>,
    /// How the graphs were read when they were written down.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) reading: Reading,
    /// Attributes of a vertex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attributes: Option<usize>,
    /// Positions of the attributes that are coordinates, where the values would not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) coordinates: Option<Vec<usize>>,
    /// Values of the properties of vertices, by property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) properties: Option<BTreeMap<String, Vec<String>>>,
    /// Names of the features beside the graphs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) features: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) targets: Vec<TargetLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) skipped: Vec<SkippedLine>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) repaired: Repaired,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A target in the header.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetLine {
    pub(crate) name: String,
    pub(crate) kind: KindWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) classes: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) class_names: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KindWord {
    Classes,
    Numbers,
}

/// A row that was left out.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkippedLine {
    pub(crate) row: u32,
    #[serde(default)]
    pub(crate) line: u64,
    pub(crate) reason: String,
}

/// Every further line: a graph.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphLine<'a> {
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<Word<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) row: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    #[serde(borrow)]
    pub(crate) vertices: Vec<Word<'a>>,
    #[serde(borrow, default)]
    pub(crate) edges: Vec<EdgeLine<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) attributes: Vec<Vec<f64>>,
    /// One value per vertex, by property.
    #[serde(borrow, default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) properties: BTreeMap<Cow<'a, str>, Vec<Option<Cell<'a>>>>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) features: Vec<Option<Cell<'a>>>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) targets: Vec<Option<Cell<'a>>>,
}

/// A word: a string, or a whole number.
#[derive(Debug)]
pub(crate) struct Word<'a>(pub(crate) Cow<'a, str>);

/// A value of a target: a word or a number.
#[derive(Debug)]
pub(crate) enum Cell<'a> {
    Word(Cow<'a, str>),
    Number(f64),
    /// A word that is a whole number, to be written without quotes.
    Whole(i64),
}

impl Cell<'_> {
    /// As text.
    pub(crate) fn word(&self) -> Cow<'_, str> {
        match self {
            Self::Word(word) => Cow::Borrowed(word),
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Whole(number) => Cow::Owned(number.to_string()),
        }
    }
}

/// Two vertices, from 0, and a label unless it is the empty one.
#[derive(Debug)]
pub(crate) struct EdgeLine<'a> {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) label: Word<'a>,
}

impl Serialize for Word<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Word(word) => serializer.serialize_str(word),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Whole(value) => serializer.serialize_i64(*value),
        }
    }
}

impl Serialize for EdgeLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let labelled = !self.label.0.is_empty();
        let mut tuple = serializer.serialize_tuple(2 + usize::from(labelled))?;
        tuple.serialize_element(&self.from)?;
        tuple.serialize_element(&self.to)?;
        if labelled {
            tuple.serialize_element(&self.label)?;
        }
        tuple.end()
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word or a number")
    }

    fn visit_borrowed_str<E: Error>(self, word: &'de str) -> Result<Self::Value, E> {
        Ok(Cell::Word(Cow::Borrowed(word)))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
        Ok(Cell::Word(Cow::Owned(word.to_owned())))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Cell::Word(Cow::Borrowed(if value { "true" } else { "false" })))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Cell::Word(Cow::Owned(value.to_string())))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Cell::Word(Cow::Owned(value.to_string())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Cell::Number(value))
    }
}

impl<'a, 'de: 'a> Deserialize<'de> for Cell<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

impl<'a, 'de: 'a> Deserialize<'de> for Word<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Cell::deserialize(deserializer)? {
            Cell::Word(word) => Ok(Self(word)),
            Cell::Number(_) | Cell::Whole(_) => {
                Err(D::Error::custom("a label or an id must be a word or a whole number"))
            }
        }
    }
}

struct EdgeVisitor;

impl<'de> Visitor<'de> for EdgeVisitor {
    type Value = EdgeLine<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an edge: two vertices, numbered from 0, and a label if it has one")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let from = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        let to = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
        let label = seq.next_element()?.unwrap_or(Word(Cow::Borrowed("")));
        Ok(EdgeLine { from, to, label })
    }
}

impl<'a, 'de: 'a> Deserialize<'de> for EdgeLine<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(EdgeVisitor)
    }
}
