//! The model file: one safetensors file with one sorted JSON entry, `einsicht`, in its metadata.
//!
//! Promise: equal models are equal files; what was saved reads back bit for bit; a file that is truncated,
//! foreign, newer or inconsistent is refused with the reason, without a panic and without more memory than a
//! small multiple of the file. Nothing about the run (time, path, threads, counters) is in it.
//!
//! Tensors, all `f64`: for entry `i` of the path `entry.i.weights` (patterns x hidden units), `entry.i.bias`,
//! `entry.i.network`, and the same under `entry.i.before.` if a step chose its patterns; `member.i.` likewise for the entry
//! of resample `i`; and `graph_weights` if the training graphs had different weights; `entry.i.out_of_fold`: outputs for graphs that
//! models had not seen, and, as `u32`, `seen.hashes` and `seen.folds`. Heads are described in
//! `heads.rs`. The JSON is described in `header.rs`.

mod checkpoint;
mod codes;
mod document;
mod error;
mod header;
mod heads;
mod load;
mod seal;
mod tensors;
mod weights;

pub use checkpoint::{Checkpoint, CheckpointError, Origin};
pub use document::ModelDocument;
pub use error::ModelError;
pub use seal::{seal, unseal};

use crate::gnn::Gnn;
use crate::model::Model;
use crate::train::Iterate;
use einsicht_data::Fingerprint;
use header::Header;
use safetensors::Dtype;
use safetensors::tensor::{SafeTensorError, TensorView, serialize};
use std::collections::HashMap;

/// The format that this version writes and reads. Formats 1 to 4 were never released.
pub const FORMAT: u32 = 5;

/// The tensor with the weight of each training graph, present if they are not all 1.
const GRAPH_WEIGHTS: &str = "graph_weights";

/// Hashes of the graphs that the model has seen, four numbers each, and the fold that each was held out in ([`NO_FOLD`] if in none).
const SEEN_HASHES: &str = "seen.hashes";
const SEEN_FOLDS: &str = "seen.folds";
/// Counts of the chosen entry's patterns in the graphs that the model was fitted on.
const SEEN_COUNTS: &str = "seen.counts";
const NO_FOLD: u32 = u32::MAX;

/// Means and scales of the attributes that a graph network reads.
const ATTRIBUTE_MEAN: &str = "attributes.mean";
const ATTRIBUTE_SCALE: &str = "attributes.scale";

/// The only metadata key. One key keeps the bytes independent of the order of a map.
const KEY: &str = "einsicht";

impl Model {
    /// The model as a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let header =
            serde_json::to_value(Header::of(self)).map_err(|e| ModelError::Header { reason: e.to_string() })?;
        let tensors = self.tensors();
        let mut views = Vec::with_capacity(tensors.len());
        for Named { name, dtype, shape, data } in &tensors {
            views.push((name.as_str(), TensorView::new(*dtype, shape.clone(), data).map_err(|e| refuse(&e))?));
        }
        // `serde_json::Value` keeps its keys sorted.
        let metadata = HashMap::from([(KEY.to_owned(), header.to_string())]);
        serialize(views, Some(metadata)).map_err(|e| refuse(&e))
    }

    fn tensors(&self) -> Vec<Named> {
        let mut tensors: Vec<Named> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            self.add_iterate(&format!("entry.{at}"), &entry.iterate, &mut tensors);
            if let Some(before) = &entry.before {
                self.add_iterate(&format!("entry.{at}.before"), &before.iterate, &mut tensors);
            }
        }
        for (at, member) in self.members.iter().enumerate() {
            self.add_iterate(&format!("member.{at}"), &member.iterate, &mut tensors);
        }
        let of_entries = self.entries.iter().enumerate().map(|(at, entry)| (format!("entry.{at}"), &entry.head));
        let of_members = self.members.iter().enumerate().map(|(at, member)| (format!("member.{at}"), &member.head));
        for (name, head) in of_entries.chain(of_members) {
            tensors.extend(head.iter().flat_map(|head| heads::tensors(&name, head)));
        }
        for (at, parts) in self.seen.parts.iter().enumerate() {
            let shape = vec![parts.len(), parts.first().map_or(0, Vec::len)];
            tensors.push(Named::f64(format!("entry.{at}.out_of_fold"), shape, &parts.concat()));
        }
        let words = |hash: &Fingerprint| [96, 64, 32, 0].map(|shift| (hash.0 >> shift) as u32);
        tensors.push(Named::u32(SEEN_HASHES.to_owned(), self.seen.hashes.iter().flat_map(words)));
        let shape = vec![self.seen.counts.len()];
        let (name, data) = (SEEN_COUNTS.to_owned(), self.seen.counts.clone());
        tensors.push(Named { name, dtype: Dtype::U8, shape, data });
        let folds = self.seen.folds.of.iter().map(|fold| fold.unwrap_or(NO_FOLD));
        tensors.push(Named::u32(SEEN_FOLDS.to_owned(), folds));
        if let Some(weights) = &self.graph_weights {
            tensors.push(Named::f64(GRAPH_WEIGHTS.to_owned(), vec![weights.len()], weights));
        }
        if let Some(gnn) = &self.gnn {
            let mut add = |name: String, values: &[f64]| tensors.push(Named::f64(name, vec![values.len()], values));
            add(ATTRIBUTE_MEAN.to_owned(), &gnn.encoder.mean);
            add(ATTRIBUTE_SCALE.to_owned(), &gnn.encoder.scale);
            for (at, mean) in gnn.means.iter().enumerate() {
                add(format!("entry.{at}.mean_beside"), mean);
            }
        }
        tensors
    }

    fn add_iterate(&self, name: &str, iterate: &Iterate, tensors: &mut Vec<Named>) {
        let weights: Vec<f64> = iterate.patterns.iter().flat_map(|p| p.weights.iter().copied()).collect();
        let shape = vec![iterate.patterns.len(), self.params.hidden];
        tensors.push(Named::f64(format!("{name}.weights"), shape, &weights));
        tensors.push(Named::f64(format!("{name}.bias"), vec![iterate.bias.len()], &iterate.bias));
        let (network, gnn) = iterate.network.split_at(self.network().num_feed_forward());
        tensors.push(Named::f64(format!("{name}.network"), vec![network.len()], network));
        if self.params.gnn != Gnn::None {
            tensors.push(Named::f64(format!("{name}.gnn"), vec![gnn.len()], gnn));
        }
    }

    /// The whole model as one document: the metadata entry of the file, with the weights of each entry.
    pub fn document(&self) -> ModelDocument<'_> {
        ModelDocument::of(self)
    }

    /// Reads a model, checking everything.
    pub fn from_bytes(file: &[u8]) -> Result<Self, ModelError> {
        load::load(file)
    }
}

/// A tensor to be written.
struct Named {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Named {
    fn f64(name: String, shape: Vec<usize>, values: &[f64]) -> Self {
        Self { name, dtype: Dtype::F64, shape, data: bytes(values) }
    }

    /// A list.
    fn u32(name: String, values: impl Iterator<Item = u32>) -> Self {
        let data: Vec<u8> = values.flat_map(u32::to_le_bytes).collect();
        Self { name, dtype: Dtype::U32, shape: vec![data.len() / 4], data }
    }
}

fn refuse(error: &SafeTensorError) -> ModelError {
    ModelError::NotAModel { reason: error.to_string() }
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}
