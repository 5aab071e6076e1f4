//! The model file: one safetensors file with one sorted JSON entry, `einsicht`, in its metadata.
//!
//! Promise: equal models are equal files; what was saved reads back bit for bit; a file that is truncated,
//! foreign, newer or inconsistent is refused with the reason, without a panic and without more memory than a
//! small multiple of the file. Nothing about the run (time, path, threads, counters) is in it.
//!
//! `header.rs` says which fields the entry has, `content.rs` which tensors there are, `docs/formats.md` both for
//! others. Tensors that compression makes smaller are packed (`packed.rs`). The tensor `digest` says whether the file
//! is whole (`digest.rs`). Only the chosen entry has its forests in the file; those of the other entries are grown
//! again from the graphs of the fit, if somebody asks for them, so a change of how forests grow needs a new [`FORMAT`].

mod arrays;
mod codes;
mod content;
mod digest;
mod error;
mod header;
mod load;
mod packed;

pub use digest::digest;
pub use error::ModelError;

use crate::Model;
use arrays::Arrays;
use header::Header;
use safetensors::tensor::SafeTensorError;
use serde_json::{Value, json};

/// The format that this version writes and reads. Format 1 is that of version 0.1; formats 2 to 6 were never released.
pub const FORMAT: u32 = 7;

/// The only metadata key. One key keeps the bytes independent of the order of a map.
const KEY: &str = "einsicht";

impl Model {
    /// The model as a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let mut arrays = Arrays::In(Vec::new());
        content::through(&mut arrays, self.clone())?;
        // A `Value` keeps its keys sorted.
        arrays.to_file(&self.header()?.to_string())
    }

    /// Reads a model, checking everything.
    pub fn from_bytes(file: &[u8]) -> Result<Self, ModelError> {
        load::load(file)
    }

    /// The whole model as one document for people and scripts: the metadata entry of the file, with the weights of each
    /// entry.
    pub fn document(&self) -> Result<Value, ModelError> {
        let mut document = self.header()?;
        for (at, entry) in self.entries.iter().enumerate() {
            let weights: Vec<&[f64]> = entry.iterate.patterns.iter().map(|pattern| &pattern.weights[..]).collect();
            let of_entry = &mut document["entries"][at];
            of_entry["weights"] = json!(weights);
            of_entry["bias"] = json!(entry.iterate.bias);
            of_entry["network"] = json!(entry.iterate.network);
        }
        Ok(document)
    }

    fn header(&self) -> Result<Value, ModelError> {
        serde_json::to_value(Header::of(self)).map_err(|e| ModelError::Header { reason: e.to_string() })
    }
}

fn refuse(error: &SafeTensorError) -> ModelError {
    ModelError::NotAModel { reason: error.to_string() }
}
