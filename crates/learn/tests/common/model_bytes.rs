//! Model files taken apart and put together again, changed.
#![allow(unreachable_pub, reason = "a module of several test programs")]

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView, serialize};
use serde_json::Value;
use std::collections::HashMap;

/// The JSON entry of a file.
pub fn header(file: &[u8]) -> Value {
    let (_, metadata) = SafeTensors::read_metadata(file).expect("a safetensors file");
    let text = &metadata.metadata().as_ref().expect("metadata")["einsicht"];
    serde_json::from_str(text).expect("JSON")
}

/// Shape, bytes and kind of a tensor.
type Raw = (Vec<usize>, Vec<u8>, Dtype);

/// The file with another header and perhaps another tensor.
pub fn rewritten(file: &[u8], header: &Value, change: Option<(&str, Option<Vec<f64>>)>) -> Vec<u8> {
    let tensors = SafeTensors::deserialize(file).expect("a safetensors file");
    let owned = |view: &TensorView<'_>| (view.shape().to_vec(), view.data().to_vec(), view.dtype());
    let mut owned: Vec<(String, Raw)> = tensors.iter().map(|(name, view)| (name.to_owned(), owned(&view))).collect();
    if let Some((name, values)) = change {
        let at = owned.iter().position(|(n, ..)| n == name).expect("a tensor of that name");
        match values {
            None => drop(owned.remove(at)),
            Some(values) => {
                let old = &owned[at].1.0;
                let fits = old.iter().product::<usize>() == values.len();
                let shape = if fits { old.clone() } else { vec![values.len()] };
                owned[at].1 = (shape, values.iter().flat_map(|v| v.to_le_bytes()).collect(), Dtype::F64);
            }
        }
    }
    let views = owned.iter().map(|(name, (shape, data, dtype))| {
        (name.as_str(), TensorView::new(*dtype, shape.clone(), data).expect("a tensor"))
    });
    serialize(views, Some(HashMap::from([("einsicht".to_owned(), header.to_string())]))).expect("a file")
}

/// The file with some bytes of a tensor changed.
#[allow(dead_code, reason = "not every test program changes bytes")]
pub fn with_bytes(file: &[u8], header: &Value, name: &str, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let tensors = SafeTensors::deserialize(file).expect("a safetensors file");
    let mut owned: Vec<(String, Raw)> = (tensors.iter())
        .map(|(name, view)| (name.to_owned(), (view.shape().to_vec(), view.data().to_vec(), view.dtype())))
        .collect();
    let at = owned.iter().position(|(n, ..)| n == name).expect("a tensor of that name");
    change(&mut owned[at].1.1);
    let views = owned.iter().map(|(name, (shape, data, dtype))| {
        (name.as_str(), TensorView::new(*dtype, shape.clone(), data).expect("a tensor"))
    });
    serialize(views, Some(HashMap::from([("einsicht".to_owned(), header.to_string())]))).expect("a file")
}
