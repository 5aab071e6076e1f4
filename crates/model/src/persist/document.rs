//! A model as one document for people and scripts: what `einsicht show --json` prints.
//!
//! The fields are those of the metadata entry of the model file (`header.rs`); each entry of the path has its weights too.

use super::header::{EntryHeader, Header};
use crate::Model;
use serde::Serialize;

/// A whole model, ready to be serialised.
#[derive(Debug, Serialize)]
pub struct ModelDocument<'a> {
    #[serde(flatten)]
    header: Header<EntryDocument<'a>>,
}

/// An entry with its weights.
#[derive(Debug, Serialize)]
struct EntryDocument<'a> {
    #[serde(flatten)]
    header: EntryHeader,
    weights: Vec<&'a [f64]>,
    bias: &'a [f64],
    network: &'a [f64],
}

impl<'a> ModelDocument<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        let mut entries = model.entries.iter();
        let header = Header::of(model).map_entries(|header| {
            let iterate = entries.next().map(|entry| &entry.iterate);
            EntryDocument {
                header,
                weights: iterate.iter().flat_map(|i| &i.patterns).map(|p| &p.weights[..]).collect(),
                bias: iterate.map_or(&[], |i| &i.bias),
                network: iterate.map_or(&[], |i| &i.network),
            }
        });
        Self { header }
    }
}
