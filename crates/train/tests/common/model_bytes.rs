//! Model files taken apart and put together again, changed. Tensors are changed in their plain form, whether the file
//! packs them or not.
#![allow(unreachable_pub, reason = "a module of several test programs")]

use einsicht_testkit::packed::{packed, unpacked};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView, serialize};
use serde_json::Value;

/// The JSON entry of a file.
pub fn header(file: &[u8]) -> Value {
    let (_, metadata) = SafeTensors::read_metadata(file).expect("a safetensors file");
    let text = &metadata.metadata().as_ref().expect("metadata")["einsicht"];
    serde_json::from_str(text).expect("JSON")
}

/// A tensor, unpacked.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its bytes.
    pub data: Vec<u8>,
    /// Its kind.
    pub dtype: Dtype,
}

/// All tensors of a file, unpacked, by name.
pub fn plain_tensors(file: &[u8]) -> Vec<Plain> {
    let tensors = SafeTensors::deserialize(file).expect("a safetensors file");
    let plain = |(name, view): (&str, TensorView<'_>)| {
        let name = name.to_owned();
        if view.dtype() != Dtype::U8 {
            return Plain { name, shape: view.shape().to_vec(), data: view.data().to_vec(), dtype: view.dtype() };
        }
        let tensor = unpacked(view.data()).expect("a packed tensor");
        let dtype = match tensor.dtype {
            "F64" => Dtype::F64,
            "U32" => Dtype::U32,
            _ => Dtype::U8,
        };
        Plain { name, shape: tensor.shape, data: tensor.data, dtype }
    };
    let mut all: Vec<Plain> = tensors.iter().map(plain).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// The file of these tensors; lists of bytes are packed, as they always are.
pub fn file_of(tensors: &[Plain], header: &Value) -> Vec<u8> {
    let stored: Vec<(Vec<usize>, Vec<u8>)> = (tensors.iter())
        .map(|tensor| match tensor.dtype {
            Dtype::U8 => (vec![packed(&tensor.data).len()], packed(&tensor.data)),
            _ => (tensor.shape.clone(), tensor.data.clone()),
        })
        .collect();
    let views = tensors.iter().zip(&stored).map(|(tensor, (shape, data))| {
        (tensor.name.as_str(), TensorView::new(tensor.dtype, shape.clone(), data).expect("a tensor"))
    });
    let header = [("einsicht".to_owned(), header.to_string())];
    serialize(views, Some(header.into_iter().collect())).expect("a file")
}

/// The file with another header and perhaps another tensor.
pub fn rewritten(file: &[u8], header: &Value, change: Option<(&str, Option<Vec<f64>>)>) -> Vec<u8> {
    let mut tensors = plain_tensors(file);
    if let Some((name, values)) = change {
        let at = tensors.iter().position(|tensor| tensor.name == name).expect("a tensor of that name");
        match values {
            None => drop(tensors.remove(at)),
            Some(values) => {
                let fits = tensors[at].shape.iter().product::<usize>() == values.len();
                let shape = if fits { tensors[at].shape.clone() } else { vec![values.len()] };
                let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                tensors[at] = Plain { name: name.to_owned(), shape, data, dtype: Dtype::F64 };
            }
        }
    }
    file_of(&tensors, header)
}

/// The file with some bytes of a tensor changed.
#[allow(dead_code, reason = "not every test program changes bytes")]
pub fn with_bytes(file: &[u8], header: &Value, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut tensors = plain_tensors(file);
    let tensor = tensors.iter_mut().find(|tensor| tensor.name == name).expect("a tensor of that name");
    change(&mut tensor.data);
    file_of(&tensors, header)
}
