//! The model file: one safetensors file with one sorted JSON entry, `einsicht`, in its metadata.
//!
//! Promise: equal models are equal files; what was saved reads back bit for bit; a file that is truncated,
//! foreign, newer or inconsistent is refused with the reason, without a panic and without more memory than a
//! small multiple of the file. Nothing about the run (time, path, threads, counters) is in it.
//!
//! Tensors, all `f64`: for entry `i` of the path `entry.i.weights` (patterns x hidden units), `entry.i.bias`,
//! `entry.i.network`, and the same under `entry.i.before.` if a step chose its patterns; `member.i.` likewise for the entry
//! of resample `i`; and `graph_weights` if the training graphs had different weights; `entry.i.out_of_fold.p`: outputs of part `p` of the
//! head for graphs that models had not seen, and, as `u32`, `seen.hashes` and `seen.folds`. Heads are described in
//! `heads.rs`, backgrounds in `background.rs`, the graphs of the fit in `fitted.rs`. The JSON is described in `header.rs`. Tensors that compression makes
//! clearly smaller are packed (`tensors/packed.rs`). Only the chosen entry has its forests in the file; those of the other entries are grown again
//! from the graphs of the fit, if somebody asks for them, so a change of how forests grow needs a new [`FORMAT`].

mod background;
mod codes;
mod document;
mod error;
mod fitted;
mod header;
mod heads;
mod load;
mod tensors;
mod weights;

pub use document::ModelDocument;
pub use error::ModelError;

use crate::Iterate;
use crate::Model;
use crate::gnn::Gnn;
use einsicht_data::Fingerprint;
use header::Header;
use rayon::prelude::*;
use safetensors::Dtype;
use safetensors::tensor::{SafeTensorError, TensorView, serialize};
use tensors::packed::{most_unpacked, pack};

/// The format that this version writes and reads. Format 1 is that of version 0.1; formats 2 to 5 were never released.
pub const FORMAT: u32 = 6;

/// The tensor with the weight of each training graph, present if they are not all 1.
const GRAPH_WEIGHTS: &str = "graph_weights";

/// Hashes of the graphs that the model has seen, four numbers each, and the fold that each was held out in ([`NO_FOLD`] if in none).
const SEEN_HASHES: &str = "seen.hashes";
const SEEN_FOLDS: &str = "seen.folds";
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
        // `serde_json::Value` keeps its keys sorted.
        let metadata = header.to_string();
        let tensors = self.tensors();
        let packed: Vec<Named> = tensors.par_iter().map(Named::packed).collect();
        let file = written(&packed, &metadata)?;
        let unpacked: usize = tensors.iter().map(|tensor| tensor.data.len()).sum();
        if unpacked <= most_unpacked(file.len()) {
            return Ok(file);
        }
        // What shrinks so much would not be read again.
        let is_list = |tensor: &&Named| tensor.dtype == Dtype::U8;
        let plain: Vec<Named> = tensors.iter().map(|t| if is_list(&t) { t.packed() } else { t.clone() }).collect();
        written(&plain, &metadata)
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
        for (at, entry) in self.entries.iter().enumerate() {
            let head = entry.head.iter();
            tensors.extend(head.flat_map(|head| heads::tensors(&format!("entry.{at}"), head, at == self.chosen)));
        }
        for (at, member) in self.members.iter().enumerate() {
            let head = member.head.iter();
            tensors.extend(head.flat_map(|head| heads::tensors(&format!("member.{at}"), head, true)));
        }
        tensors.extend(fitted::tensors(&self.fitted));
        for (at, background) in self.backgrounds.iter().enumerate() {
            tensors.extend(background::tensors(&format!("entry.{at}"), background));
        }
        for (at, parts) in self.seen.parts.iter().enumerate() {
            for (part, outputs) in parts.iter().enumerate() {
                tensors.push(Named::f64(format!("entry.{at}.out_of_fold.{part}"), vec![outputs.len()], outputs));
            }
        }
        let words = |hash: &Fingerprint| [96, 64, 32, 0].map(|shift| (hash.0 >> shift) as u32);
        tensors.push(Named::u32(SEEN_HASHES.to_owned(), self.seen.hashes.iter().flat_map(words)));
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

/// The file of these tensors.
fn written(tensors: &[Named], metadata: &str) -> Result<Vec<u8>, ModelError> {
    let mut views = Vec::with_capacity(tensors.len());
    for Named { name, dtype, shape, data } in tensors {
        views.push((name.as_str(), TensorView::new(*dtype, shape.clone(), data).map_err(|e| refuse(&e))?));
    }
    let header = [(KEY.to_owned(), metadata.to_owned())];
    serialize(views, Some(header.into_iter().collect())).map_err(|e| refuse(&e))
}

/// A tensor to be written.
#[derive(Clone)]
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

    /// Whether it holds weights, which stay plain, so that any tool reads them.
    fn is_weights(&self) -> bool {
        let last = self.name.rsplit('.').next().unwrap_or_default();
        ["weights", "bias", "network", "gnn", "linear", "share", "mean", "scale", "mean_beside"].contains(&last)
    }

    /// The tensor in its packed form, if that is smaller.
    fn packed(&self) -> Self {
        match pack(self.dtype, &self.shape, &self.data).filter(|_| !self.is_weights()) {
            Some(data) => Self { name: self.name.clone(), dtype: Dtype::U8, shape: vec![data.len()], data },
            None => self.clone(),
        }
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
