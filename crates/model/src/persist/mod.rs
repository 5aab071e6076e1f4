//! The model file: one safetensors file with one sorted JSON entry, `einsicht`, in its metadata.
//!
//! Promise: equal models are equal files; what was saved reads back bit for bit; a file that is truncated,
//! foreign, newer or inconsistent is refused with the reason, without a panic and without more memory than a
//! small multiple of the file. Nothing about the run (time, path, threads, counters) is in it.
//!
//! The entry is the [`Model`] as it is serialised, without the numbers of its entries and members, which a checkpoint
//! has there too; `content.rs` says which tensors there are, `docs/formats.md` both for others. Tensors that
//! compression makes smaller are packed (`packed.rs`). The tensor `digest` says whether the file is whole
//! (`digest.rs`). Only the chosen entry has its forests in the file; those of the other entries are grown again from
//! the graphs of the fit, if somebody asks for them, so a change of how forests grow needs a new [`FORMAT`].

mod arrays;
mod codes;
mod content;
mod digest;
mod error;
mod load;
mod packed;

pub use digest::digest;
pub use error::ModelError;

use crate::{Iterate, Member, Model};
use arrays::Arrays;
use safetensors::tensor::SafeTensorError;
use serde_json::{Value, json};

/// The format that this version writes and reads. Format 1 is that of version 0.1; formats 2 to 7 were never released.
pub const FORMAT: u32 = 8;

/// The only metadata key. One key keeps the bytes independent of the order of a map.
const KEY: &str = "einsicht";

impl Model {
    /// The model as a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let mut arrays = Arrays::In(Vec::new());
        content::through(&mut arrays, self.clone())?;
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
            let Iterate { patterns, pairs, bias, network } = &entry.iterate;
            let weights: Vec<&[f64]> = patterns.iter().map(|pattern| &pattern.weights[..]).collect();
            let of_entry = &mut document["entries"][at];
            of_entry["patterns"] = json!(self.places(&entry.iterate));
            of_entry["pairs"] = json!(pairs);
            of_entry["weights"] = json!(weights);
            of_entry["bias"] = json!(bias);
            of_entry["network"] = json!(network);
        }
        Ok(document)
    }

    /// The JSON entry, whose keys a `Value` keeps sorted.
    fn header(&self) -> Result<Value, ModelError> {
        let header = serde_json::to_value(self.without_arrays());
        let mut header = header.map_err(|e| ModelError::Header { reason: e.to_string() })?;
        header["format"] = json!(FORMAT);
        Ok(header)
    }

    /// The model without what is serialised elsewhere and is in arrays here.
    fn without_arrays(&self) -> Self {
        let mut bare = self.clone();
        for entry in &mut bare.entries {
            (entry.iterate, entry.head) = (Iterate::default(), None);
            entry.before.iter_mut().for_each(|before| before.iterate = Iterate::default());
        }
        bare.members.fill(Member { iterate: Iterate::default(), head: None });
        bare
    }
}

fn refuse(error: &SafeTensorError) -> ModelError {
    ModelError::NotAModel { reason: error.to_string() }
}
